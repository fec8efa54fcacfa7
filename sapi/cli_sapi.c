/* The SAPI named "cli": output goes to descriptor 1, headers go nowhere, logs go to standard error. */

#include "cli_internal.h"
#include "php_main.h"
#include "php_variables.h"
#include "ext/standard/dl_arginfo.h"
#include "ext/standard/php_standard.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static const char *hathi_cli_php_self = "";
static const char *hathi_cli_script_filename = "";

void hathi_cli_set_script(const char *php_self, const char *script_filename)
{
	hathi_cli_php_self = php_self;
	hathi_cli_script_filename = script_filename;
}

/* One write(2) that waits out signals and a descriptor that a parent left non-blocking. */
static ssize_t hathi_cli_write_some(const char *str, size_t len)
{
	struct pollfd wait = { .fd = STDOUT_FILENO, .events = POLLOUT };
	ssize_t n;

	for (;;) {
		n = write(STDOUT_FILENO, str, len);
		if (n > 0) {
			return n;
		}
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0 && errno != EAGAIN) {
			return -1;
		}
		if (poll(&wait, 1, -1) < 0 && errno != EINTR) {
			return -1;
		}
	}
}

static size_t hathi_cli_ub_write(const char *str, size_t len)
{
	size_t written = 0;
	ssize_t n;

	while (written < len) {
		n = hathi_cli_write_some(str + written, len - written);
		if (n < 0) {
			/* Set before: a bailout ends the script here unless ignore_user_abort is on. */
			EG(exit_status) = 255;
			php_handle_aborted_connection();
			break;
		}
		written += n;
	}
	return written;
}

static void hathi_cli_flush(void *server_context)
{
	(void) server_context;

	/* EBADF: the script has closed STDOUT, which is its right. */
	if (fflush(stdout) == EOF && errno != EBADF) {
		php_handle_aborted_connection();
	}
}

static int hathi_cli_deactivate(void)
{
	fflush(stdout);
	return SUCCESS;
}

static int hathi_cli_header_handler(sapi_header_struct *header, sapi_header_op_enum op, sapi_headers_struct *headers)
{
	(void) header;
	(void) op;
	(void) headers;

	return 0;
}

/* Without this SAPI.c would send each header through send_header. */
static int hathi_cli_send_headers(sapi_headers_struct *headers)
{
	(void) headers;

	return SAPI_HEADER_SENT_SUCCESSFULLY;
}

static void hathi_cli_send_header(sapi_header_struct *header, void *server_context)
{
	(void) header;
	(void) server_context;
}

static char *hathi_cli_read_cookies(void)
{
	return NULL;
}

static void hathi_cli_register_variable(const char *name, const char *value, zval *track_vars_array)
{
	/* ext/filter's hook may reallocate the value, hence the copy. */
	char *filtered = estrdup(value);
	size_t len = strlen(value);

	if (sapi_module.input_filter(PARSE_SERVER, name, &filtered, len, &len)) {
		php_register_variable_safe(name, filtered, len, track_vars_array);
	}
	efree(filtered);
}

static void hathi_cli_register_variables(zval *track_vars_array)
{
	php_import_environment_variables(track_vars_array);

	hathi_cli_register_variable("PHP_SELF", hathi_cli_php_self, track_vars_array);
	hathi_cli_register_variable("SCRIPT_NAME", hathi_cli_php_self, track_vars_array);
	hathi_cli_register_variable("SCRIPT_FILENAME", hathi_cli_script_filename, track_vars_array);
	hathi_cli_register_variable("PATH_TRANSLATED", hathi_cli_script_filename, track_vars_array);
	hathi_cli_register_variable("DOCUMENT_ROOT", "", track_vars_array);
}

static void hathi_cli_log_message(const char *message, int syslog_type_int)
{
	(void) syslog_type_int;

	fprintf(stderr, "%s\n", message);
}

static int hathi_cli_startup(sapi_module_struct *module)
{
	return php_module_startup(module, NULL);
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_hathi_cli_set_process_title, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, title, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_hathi_cli_get_process_title, 0, 0, IS_STRING, 1)
ZEND_END_ARG_INFO()

/* dl() exists in this SAPI only, so ext/standard leaves its registration to the SAPI. */
static const zend_function_entry hathi_cli_functions[] = {
	ZEND_FE(dl, arginfo_dl)
	PHP_FE(cli_set_process_title, arginfo_hathi_cli_set_process_title)
	PHP_FE(cli_get_process_title, arginfo_hathi_cli_get_process_title)
	PHP_FE_END
};

sapi_module_struct hathi_cli_sapi_module = {
	.name = "cli",
	.pretty_name = "Command Line Interface",
	.startup = hathi_cli_startup,
	.shutdown = php_module_shutdown_wrapper,
	.deactivate = hathi_cli_deactivate,
	.ub_write = hathi_cli_ub_write,
	.flush = hathi_cli_flush,
	.sapi_error = php_error,
	.header_handler = hathi_cli_header_handler,
	.send_headers = hathi_cli_send_headers,
	.send_header = hathi_cli_send_header,
	.read_cookies = hathi_cli_read_cookies,
	.register_server_variables = hathi_cli_register_variables,
	.log_message = hathi_cli_log_message,
	.phpinfo_as_text = 1,
	.php_ini_ignore_cwd = 1,
	.additional_functions = hathi_cli_functions,
};
