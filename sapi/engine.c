/* The coroutine: what runs on PHP's stack, and how it changes hands with the host. */
#include "functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zend_signal.h"

extern PHPAPI char *php_ini_opened_path;
extern PHPAPI char *php_ini_scanned_files;

#define HATHI_STACK_SIZE (64u << 20) /* reserved; pages are committed as PHP touches them */

hathi_engine hathi;

static int hathi_sapi_startup(sapi_module_struct *sapi_module)
{
#if PHP_VERSION_ID < 80200
	return php_module_startup(sapi_module, &hathi_module_entry, 1);
#else
	return php_module_startup(sapi_module, &hathi_module_entry);
#endif
}

static char *hathi_read_cookies(void)
{
	return hathi.req ? (char *) hathi_record_field(hathi.req, HATHI_FIELD_COOKIE) : NULL;
}

static size_t hathi_read_post(char *buffer, size_t count)
{
	const hathi_record *req = hathi.req;

	if (!req || hathi.body_read >= req->body_len) {
		return 0;
	}
	if ((uint64_t) count > (uint64_t) (req->body_len - hathi.body_read)) {
		count = (size_t) (req->body_len - hathi.body_read);
	}
	if (req->body_fd < 0) {
		memcpy(buffer, (const char *) req + req->body_off + hathi.body_read, count);
		hathi.body_read += (int64_t) count;
		return count;
	}

	/* PHP takes a short read for the end of the body. */
	size_t have = 0;
	while (have < count) {
		ssize_t n = pread(req->body_fd, buffer + have, count - have, hathi.body_read + (int64_t) have);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			break;
		}
		have += (size_t) n;
	}
	hathi.body_read += (int64_t) have;
	return have;
}

/* HEAD: PHP makes the body, so that its length is known; the host does not send it. */
static int hathi_activate(void)
{
	SG(request_info).headers_only = 0;
	return SUCCESS;
}

static void hathi_log_message(const char *message, int syslog_type)
{
	hathi_log(syslog_type, message, strlen(message));
}

static void hathi_ini_default(HashTable *ht, const char *name, const char *value)
{
	zval tmp;

	ZVAL_NEW_STR(&tmp, zend_string_init(value, strlen(value), 1));
	zend_hash_str_update(ht, name, strlen(name), &tmp);
}

/* What holds when no php.ini says otherwise: errors go to the log, not to visitors. */
static void hathi_ini_defaults(HashTable *ht)
{
	hathi_ini_default(ht, "display_errors", "0");
	hathi_ini_default(ht, "log_errors", "1");
	hathi_ini_default(ht, "html_errors", "0");
}

static sapi_module_struct hathi_sapi = {
	.name = "frankenphp", /* OPcache and frameworks know this name */
	.pretty_name = "Hathi",
	.startup = hathi_sapi_startup,
	.shutdown = php_module_shutdown_wrapper,
	.activate = hathi_activate,
	.ub_write = hathi_ub_write,
	.flush = hathi_flush,
	.getenv = hathi_getenv,
	.sapi_error = php_error,
	.send_headers = hathi_send_headers,
	.read_post = hathi_read_post,
	.read_cookies = hathi_read_cookies,
	.register_server_variables = hathi_register_server_variables,
	.log_message = hathi_log_message,
	.ini_defaults = hathi_ini_defaults,
};

int hathi_module_startup(const char *ini_entries)
{
	/* force_restart_timeout: OPcache would kill parked workers, which always hold its lock. */
	static const char forced[] = "opcache.force_restart_timeout=0\n";

#ifdef ZTS
	php_tsrm_startup();
#endif
	zend_signal_startup();
	sapi_startup(&hathi_sapi);

	size_t len = ini_entries ? strlen(ini_entries) : 0;
	char *entries = malloc(len + sizeof(forced));
	if (!entries) {
		hathi_logf(HATHI_LOG_ERROR, "PHP: no memory for the ini entries");
		return -1;
	}
	if (len) {
		memcpy(entries, ini_entries, len);
	}
	memcpy(entries + len, forced, sizeof(forced));
	hathi_sapi.ini_entries = entries;
	hathi_sapi.php_ini_ignore_cwd = 1;
	hathi_sapi.executable_location = NULL;

	if (hathi_sapi.startup(&hathi_sapi) == FAILURE) {
		hathi_logf(HATHI_LOG_ERROR, "PHP's module startup failed");
		return -1;
	}

	/* Signals belong to the host: zend_signal_activate() installs handlers only with reset set. */
	SIGG(reset) = 0;
	hathi_functions_refuse();
	hathi_timeout_startup();
	return 0;
}

const char *hathi_ini_files(void)
{
	static char *files;

	if (!files) {
		const char *main = php_ini_opened_path ? php_ini_opened_path : "";
		const char *more = php_ini_scanned_files ? php_ini_scanned_files : "";
		size_t len = strlen(main) + strlen(more) + 2;
		char *p;

		if (!(files = malloc(len))) {
			return "";
		}
		snprintf(files, len, "%s%s%s", main, *main && *more ? "," : "", more);
		/* php_ini_scanned_files has line breaks for phpinfo(). */
		for (p = files; *more && *p; p++) {
			if (*p == '\n') {
				memmove(p, p + 1, strlen(p));
				p--;
			}
		}
	}
	return files;
}

/* PHP >= 8.3 measures the stack it runs on; php_request_startup() resets it to the
 * process's own, and the first compilation would end in "Maximum call stack size". */
void hathi_stack_limits(void)
{
#ifdef HATHI_HAS_STACK_LIMIT
	zend_ulong reserve = EG(reserved_stack_size) ? EG(reserved_stack_size) : 128 * 1024;
	char *low = hathi.php.base + hathi.php.guard;

	if (EG(max_allowed_stack_size) == ZEND_MAX_ALLOWED_STACK_SIZE_UNCHECKED) {
		return;
	}
	EG(stack_base) = hathi.php.base + hathi.php.size;
	EG(stack_limit) = low + reserve;
	if (EG(max_allowed_stack_size) > 0 && (size_t) EG(max_allowed_stack_size) < hathi.php.size - hathi.php.guard) {
		EG(stack_limit) = hathi.php.base + hathi.php.size - EG(max_allowed_stack_size) + reserve;
	}
#endif
}

/* Fills SG(request_info) from the record, before sapi_activate(). */
void hathi_request_info(const hathi_record *req)
{
	hathi.req = req;
	hathi.body_read = 0;
	hathi.responded = false;
	hathi.fatal = false;

	SG(server_context) = (void *) req;
	SG(request_info).request_method = hathi_record_field(req, HATHI_FIELD_REQUEST_METHOD);
	SG(request_info).query_string = (char *) hathi_record_field(req, HATHI_FIELD_QUERY_STRING);
	SG(request_info).request_uri = (char *) hathi_record_field(req, HATHI_FIELD_REQUEST_URI);
	SG(request_info).path_translated = (char *) hathi_record_field(req, HATHI_FIELD_SCRIPT_FILENAME);
	SG(request_info).content_type = hathi_record_field(req, HATHI_FIELD_CONTENT_TYPE);
	SG(request_info).content_length = req->body_len;
	HATHI_STATUS = 200;
	EG(exit_status) = 0;

	const char *auth = hathi_record_field(req, HATHI_FIELD_AUTHORIZATION);
	if (auth) {
		php_handle_auth_data(auth);
	}
}

void hathi_request_info_clear(void)
{
	hathi.req = NULL;
	SG(server_context) = NULL;
	SG(request_info).request_method = NULL;
	SG(request_info).query_string = NULL;
	SG(request_info).cookie_data = NULL;
	SG(request_info).request_uri = NULL;
	SG(request_info).path_translated = NULL;
	SG(request_info).content_type = NULL;
	SG(request_info).content_length = 0;
	/* sapi_deactivate_module() frees these but leaves the pointers. */
	SG(request_info).content_type_dup = NULL;
	SG(request_info).current_user = NULL;
}

static void hathi_classic_run(const hathi_record *req)
{
	zend_file_handle file;

	hathi.worker = false;
	hathi.phase = HATHI_SERVING;
	hathi_output_reset();
	hathi_request_info(req);
	if (php_request_startup() == SUCCESS) {
		hathi_stack_limits();
		zend_stream_init_filename(&file, hathi_record_field(req, HATHI_FIELD_SCRIPT_FILENAME));
		file.primary_script = 1;
		CG(unclean_shutdown) = 0;
		php_execute_script(&file);
		zend_destroy_file_handle(&file);
		hathi.fatal = CG(unclean_shutdown);
	} else {
		HATHI_STATUS = 500;
	}
	php_request_shutdown(NULL);
	hathi_output_done();
	hathi_request_info_clear();
	hathi.phase = HATHI_IDLE;
}

static void hathi_engine_main(void)
{
	hathi_stack_entered(&hathi.host);
	for (;;) {
		switch (hathi.command) {
			case HATHI_BOOT:
				hathi_worker_run();
				break;
			case HATHI_CLASSIC:
				hathi_classic_run(hathi.req);
				break;
			case HATHI_CHECK:
				hathi_opcache_check();
				break;
			default:
				break; /* nothing to continue, stop or work on */
		}
		hathi_yield_to_host(HATHI_YIELD_ENDED);
	}
}

int hathi_engine_init(void)
{
	ZVAL_UNDEF(&hathi.after_fork);
	hathi.host.asan = NULL;
	return hathi_stack_init(&hathi.php, HATHI_STACK_SIZE, hathi_engine_main);
}

void hathi_engine_set_script(const hathi_script *script)
{
	hathi.script = *script;
}

bool hathi_parked(void)
{
	return hathi.parked;
}

void hathi_yield_to_host(hathi_yield_reason reason)
{
	hathi.out.reason = reason;
	hathi_thread_leave();
	hathi_stack_switch(&hathi.php, &hathi.host);
	hathi_thread_enter();
}

const hathi_yield *hathi_resume(hathi_command command, const unsigned char *record, size_t record_len,
	bool aborted, char *recycle, size_t recycle_cap)
{
	hathi_output_recycle(recycle, recycle_cap);
	hathi.out = (hathi_yield) {0};
	hathi.command = command;
	hathi.aborted = aborted;
	if (command == HATHI_WORK || command == HATHI_CLASSIC) {
		if (!hathi_record_valid(record, record_len)
		 || !hathi_record_field((const hathi_record *) record, HATHI_FIELD_SCRIPT_FILENAME)) {
			hathi.out.reason = hathi.parked ? HATHI_YIELD_PARKED : HATHI_YIELD_ENDED;
			hathi.out.exit_status = 255;
			return &hathi.out;
		}
		hathi.req = (const hathi_record *) record;
	}
	hathi_timeout_enter();
	hathi.running = true;
	hathi_stack_switch(&hathi.host, &hathi.php);
	hathi.running = false;
	return &hathi.out;
}
