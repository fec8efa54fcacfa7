/* Worker mode: a script that stays, and the requests it is given. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Between requests nobody can receive a header: header() stays silent and free of effect. */
static void sapi_quiet(void)
{
	SG(headers_sent) = 1;
	SG(request_info).no_headers = 1;
}

static void last_error_clear(void)
{
	if (PG(last_error_message)) {
		zend_string_release(PG(last_error_message));
		PG(last_error_message) = NULL;
	}
	if (PG(last_error_file)) {
		zend_string_release(PG(last_error_file));
		PG(last_error_file) = NULL;
	}
	PG(last_error_type) = 0;
	PG(last_error_lineno) = 0;
}

/* Ends what php_request_startup() began for the boot, so that the first request
 * starts like every other. */
static void boot_end(void)
{
	php_output_end_all();
	zend_unset_timeout();
	hathi_modules_boot_keep();
	hathi_modules_request_end();
	php_output_deactivate();
	hathi_superglobals_destroy();
	sapi_deactivate();
	hathi_request_info_clear();
	php_output_activate();
	sapi_quiet();
	SG(sapi_started) = 1;
	hathi.boot_shutdown_functions = BG(user_shutdown_function_names);
	BG(user_shutdown_function_names) = NULL;
	hathi.phase = HATHI_BETWEEN;
}

static void request_start(const hathi_record *req)
{
	hathi.phase = HATHI_SERVING;
	php_output_end_all(); /* buffers that were opened between the requests */
	php_output_deactivate();
	zend_llist_destroy(&SG(sapi_headers).headers);
	if (SG(sapi_headers).mimetype) {
		efree(SG(sapi_headers).mimetype);
		SG(sapi_headers).mimetype = NULL;
	}

	hathi_output_reset();
	hathi_request_info(req);
	last_error_clear();
	php_output_activate();
	PG(header_is_being_sent) = 0;
	PG(connection_status) = PHP_CONNECTION_NORMAL;
	PG(in_error_log) = 0;
	CG(unclean_shutdown) = 0;
	sapi_activate();
	SG(sapi_started) = 1;
	if (PG(expose_php)) {
		sapi_add_header(SAPI_PHP_VERSION_HEADER, sizeof(SAPI_PHP_VERSION_HEADER) - 1, 1);
	}
	zend_set_timeout(INI_INT("max_execution_time"), 0);
	if (PG(output_handler) && PG(output_handler)[0]) {
		zval handler;

		ZVAL_STRING(&handler, PG(output_handler));
		php_output_start_user(&handler, 0, PHP_OUTPUT_HANDLER_STDFLAGS);
		zval_ptr_dtor(&handler);
	} else if (PG(output_buffering)) {
		php_output_start_user(NULL, PG(output_buffering) > 1 ? PG(output_buffering) : 0, PHP_OUTPUT_HANDLER_STDFLAGS);
	} else if (PG(implicit_flush)) {
		php_output_set_implicit_flush(1);
	}
	hathi_superglobals_renew();
	hathi_modules_request_start();
	php_clear_stat_cache(0, NULL, 0);
}

/* The steps of php_request_shutdown() that belong to a request and not to the script. */
static void request_end(void)
{
	php_call_shutdown_functions();
	php_free_shutdown_functions();
	zend_try {
		php_output_end_all();
	} zend_end_try();
	zend_unset_timeout();
	hathi_modules_request_end();
	zend_try {
		php_output_deactivate();
	} zend_end_try();
	hathi_superglobals_destroy();
	zend_try {
		sapi_deactivate();
	} zend_end_try();
	/* The response goes out before anything that the script does after it. The record
	 * stays until the worker parks, but the request's view of it ends here. */
	hathi.fatal = CG(unclean_shutdown);
	hathi_output_done();
	hathi_request_info_clear();
	php_output_activate();
	sapi_quiet();
	SG(sapi_started) = 1;
	hathi.phase = HATHI_BETWEEN;
#if PHP_VERSION_ID >= 80200
	zend_memory_reset_peak_usage();
#endif
	if (CG(unclean_shutdown)) {
		zend_bailout(); /* the VM's frames are gone: only the script's end is left */
	}
}

static void call(zend_fcall_info *fci, zend_fcall_info_cache *fcc)
{
	zval retval;

	ZVAL_UNDEF(&retval);
	fci->retval = &retval;
	fci->param_count = 0;
	fci->params = NULL;
	hathi.in_callback = true;
	zend_call_function(fci, fcc);
	hathi.in_callback = false;
	zval_ptr_dtor(&retval);

	zend_object *ex = EG(exception);
	if (!ex) {
		return;
	}
	if (zend_is_unwind_exit(ex) || hathi_is_graceful_exit(ex)) {
		/* exit() ends the request; the worker goes on. */
		EG(exception) = NULL;
		OBJ_RELEASE(ex);
		return;
	}
	if (Z_TYPE(EG(user_exception_handler)) != IS_UNDEF) {
		zend_user_exception_handler();
	}
	if (EG(exception)) {
		zend_exception_error(EG(exception), E_ERROR);
	}
}

void hathi_after_fork_add(zval *callback)
{
	if (Z_ISUNDEF(hathi.after_fork)) {
		array_init(&hathi.after_fork);
	}
	Z_TRY_ADDREF_P(callback);
	add_next_index_zval(&hathi.after_fork, callback);
}

/* Runs once in each process, before its first request. */
static void after_fork_run(void)
{
	zval *callback, retval;

	hathi.forked = false;
	if (Z_ISUNDEF(hathi.after_fork)) {
		return;
	}
	ZEND_HASH_FOREACH_VAL(Z_ARRVAL(hathi.after_fork), callback) {
		ZVAL_UNDEF(&retval);
		call_user_function(NULL, NULL, callback, &retval, 0, NULL);
		zval_ptr_dtor(&retval);
		if (EG(exception)) {
			zend_exception_error(EG(exception), E_WARNING);
		}
	} ZEND_HASH_FOREACH_END();
}

void hathi_worker_handle_request(zend_fcall_info *fci, zend_fcall_info_cache *fcc, zval *return_value)
{
	if (!hathi.worker) {
		zend_throw_exception(spl_ce_RuntimeException,
			"frankenphp_handle_request() called while not in worker mode", 0);
		return;
	}
	if (hathi.phase == HATHI_SERVING || hathi.phase == HATHI_ENDING) {
		zend_throw_exception(spl_ce_RuntimeException, hathi.phase == HATHI_SERVING
			? "frankenphp_handle_request() called while a request is being handled"
			: "frankenphp_handle_request() called after it returned false", 0);
		return;
	}
	if (hathi.phase == HATHI_BOOTING) {
		boot_end();
	}

	hathi.parked = true;
	hathi_yield_to_host(HATHI_YIELD_PARKED);
	while (hathi.command != HATHI_WORK && hathi.command != HATHI_STOP) {
		hathi_yield_to_host(HATHI_YIELD_PARKED);
	}
	hathi.parked = false;
	if (hathi.forked) {
		const hathi_record *req = hathi.req;
		hathi.req = NULL;
		after_fork_run();
		hathi.req = req;
	}
	if (hathi.command == HATHI_STOP) {
		hathi.phase = HATHI_ENDING;
		RETURN_FALSE;
	}

	request_start(hathi.req);
	call(fci, fcc);
	request_end();
	RETURN_TRUE;
}

/* Runs the worker script from its first line to its end. */
void hathi_worker_run(void)
{
	zend_file_handle file;

	hathi.worker = true;
	hathi.phase = HATHI_BOOTING;
	hathi.parked = false;
	hathi.in_callback = false;
	hathi.req = NULL;
	hathi.fatal = false;
	if (!hathi_log_sink) {
		hathi.forked = true; /* run again in a serving process: its callbacks are due again */
	}
	hathi.boot_shutdown_functions = NULL;
	ZVAL_UNDEF(&hathi.after_fork);
	hathi_boot_error_reset();
	hathi_output_reset();

	SG(server_context) = NULL;
	SG(request_info).request_method = "GET";
	SG(request_info).path_translated = (char *) hathi.script.file;
	SG(request_info).query_string = "";
	SG(request_info).request_uri = "/";
	HATHI_STATUS = 200;
	EG(exit_status) = 0;
	if (php_request_startup() == SUCCESS) {
		hathi_stack_limits();
		SG(headers_sent) = 0;
		zend_stream_init_filename(&file, hathi.script.file);
		file.primary_script = 1;
		CG(unclean_shutdown) = 0;
		php_execute_script(&file);
		zend_destroy_file_handle(&file);
	}
	hathi.fatal = CG(unclean_shutdown);
	hathi.out.exit_status = (int32_t) EG(exit_status);

	bool booting = hathi.phase == HATHI_BOOTING;
	if (booting) {
		hathi_boot_error_note();
	}
	if (hathi.phase == HATHI_SERVING) {
		/* A bailout inside a request: its own shutdown functions run with it. */
		EG(current_execute_data) = NULL;
		php_call_shutdown_functions();
		php_free_shutdown_functions();
	}
	if (!booting) {
		BG(user_shutdown_function_names) = hathi.boot_shutdown_functions;
		hathi.boot_shutdown_functions = NULL;
	}
	if (!Z_ISUNDEF(hathi.after_fork)) {
		zval_ptr_dtor(&hathi.after_fork);
		ZVAL_UNDEF(&hathi.after_fork);
	}
	hathi_modules_boot_release();
	php_request_shutdown(NULL);
	hathi_output_done();
	hathi_request_info_clear();
	hathi.phase = HATHI_IDLE;
	hathi.worker = false;
	hathi.out.exit_status = (int32_t) EG(exit_status);
	if (hathi.fatal) {
		hathi.out.flags |= HATHI_OUT_FATAL;
	}
	if (booting) {
		hathi_boot_error_take(&hathi.out);
	}
}
