/* The PHP functions: Hathi's own names; the names of other servers are in functions_compat.c. */
#include "functions.h"

#include "ext/standard/info.h"

ZEND_FUNCTION(hathi_handle_request)
{
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_FUNC(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();

	hathi_worker_handle_request(&fci, &fcc, return_value);
}

ZEND_FUNCTION(hathi_finish_request)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_BOOL(hathi_output_finish());
}

ZEND_FUNCTION(hathi_headers_send)
{
	zend_long status = 200;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(status)
	ZEND_PARSE_PARAMETERS_END();

	if (status < 100 || status > 999) {
		zend_argument_value_error(1, "must be a status code from 100 to 999");
		RETURN_THROWS();
	}
	if (status < 200 && status != 101) {
		hathi_output_inform((int) status);
		RETURN_LONG(HATHI_STATUS);
	}
	HATHI_STATUS = (int) status;
	sapi_send_headers();
	sapi_flush();
	RETURN_LONG(HATHI_STATUS);
}

/* HTTP_ACCEPT_LANGUAGE -> Accept-Language, as FPM does it. */
static void header_from_cgi(char *dst, const char *src, size_t len)
{
	bool upper = true;

	for (size_t i = 0; i < len; i++) {
		char c = src[i];
		if (c == '_') {
			c = '-';
			upper = true;
		} else {
			if (!upper && c >= 'A' && c <= 'Z') {
				c += 'a' - 'A';
			}
			upper = false;
		}
		dst[i] = c;
	}
	dst[len] = '\0';
}

ZEND_FUNCTION(hathi_request_headers)
{
	const size_t prefix = sizeof("HTTP_") - 1;

	ZEND_PARSE_PARAMETERS_NONE();
	array_init(return_value);
	if (!hathi.req) {
		return;
	}
	/* As under FPM, Host is one of them. */
	hathi_string host = hathi.req->fields[HATHI_FIELD_HTTP_HOST];
	if (host.off && host.len) {
		add_assoc_stringl_ex(return_value, "Host", sizeof("Host") - 1, hathi_record_str(hathi.req, host), host.len);
	}
	const hathi_pair *pair = hathi_record_headers(hathi.req);
	for (uint32_t i = 0; i < hathi.req->header_count; i++) {
		size_t len = pair[i].name.len;
		if (len <= prefix) {
			continue;
		}
		zend_string *name = zend_string_alloc(len - prefix, 0);
		zval value;

		header_from_cgi(ZSTR_VAL(name), hathi_record_str(hathi.req, pair[i].name) + prefix, len - prefix);
		ZVAL_STRINGL(&value, hathi_record_str(hathi.req, pair[i].value), pair[i].value.len);
		zend_symtable_update(Z_ARRVAL_P(return_value), name, &value);
		zend_string_release(name);
	}
}

static void add_response_header(void *element, void *array)
{
	const sapi_header_struct *h = element;
	const char *colon = memchr(h->header, ':', h->header_len);

	if (!colon || colon == h->header) {
		return;
	}
	const char *value = colon + 1, *end = h->header + h->header_len;
	while (value < end && (*value == ' ' || *value == '\t')) {
		value++;
	}
	add_assoc_stringl_ex(array, h->header, (size_t) (colon - h->header), value, (size_t) (end - value));
}

ZEND_FUNCTION(hathi_response_headers)
{
	ZEND_PARSE_PARAMETERS_NONE();
	array_init(return_value);
	zend_llist_apply_with_argument(&SG(sapi_headers).headers,
		(llist_apply_with_arg_func_t) add_response_header, return_value);
}

ZEND_FUNCTION(hathi_after_fork)
{
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_FUNC(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();

	if (!hathi.worker || hathi.phase != HATHI_BOOTING) {
		zend_throw_exception(spl_ce_RuntimeException,
			"Hathi\\after_fork() called outside of a worker script's boot", 0);
		RETURN_THROWS();
	}
	hathi_after_fork_add(&fci.function_name);
}

/* pcntl would take signals that belong to the server, or fork its threads away. */
static ZEND_FUNCTION(hathi_refused)
{
	zend_throw_error(NULL, "%s() is not available in a server process: run the script with php-cli",
		ZSTR_VAL(EG(current_execute_data)->func->common.function_name));
}

static void refuse(const char *name)
{
	zend_function *f = zend_hash_str_find_ptr(CG(function_table), name, strlen(name));

	if (f && f->type == ZEND_INTERNAL_FUNCTION) {
		f->internal_function.handler = ZEND_FN(hathi_refused);
	}
}

void hathi_functions_refuse(void)
{
	static const char *const names[] = {
		"pcntl_fork", "pcntl_rfork", "pcntl_forkx", "pcntl_unshare", "pcntl_exec", "pcntl_signal",
		"pcntl_async_signals", "pcntl_sigprocmask", "pcntl_sigwaitinfo", "pcntl_sigtimedwait", "pcntl_alarm",
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		refuse(names[i]);
	}
}

static PHP_MINFO_FUNCTION(hathi)
{
	php_info_print_table_start();
	php_info_print_table_row(2, "Hathi", "enabled");
	php_info_print_table_end();
}

static PHP_MINIT_FUNCTION(hathi)
{
	hathi_compat_constants(module_number);
	hathi_superglobals_startup();
	return SUCCESS;
}

zend_module_entry hathi_module_entry = {
	STANDARD_MODULE_HEADER,
	"frankenphp",
	hathi_function_entries,
	PHP_MINIT(hathi),
	NULL,
	NULL,
	NULL,
	PHP_MINFO(hathi),
	"1.0.0",
	STANDARD_MODULE_PROPERTIES
};
