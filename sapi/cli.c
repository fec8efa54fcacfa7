/* `hathi php-cli`: starts PHP as its command line program and stops it again. */

#include "cli_internal.h"
#include "php_main.h"

#include <signal.h>

bool hathi_cli_active;

/* malloc'ed, until PG(php_binary) takes it */
static char *hathi_cli_php_binary_value;

/* They stand before the options' own, so -d overrides them and a php.ini does not. */
static const char hathi_cli_fixed_ini[] =
	"html_errors=0\n"
	"register_argc_argv=1\n"
	"implicit_flush=1\n"
	"output_buffering=0\n"
	"max_execution_time=0\n"
	"max_input_time=-1\n";

/*
 * php_binary_init() resolves links, which loses the name that means PHP. OPcache
 * runs this callback before it preloads, so no code is compiled with the other value.
 */
static zend_result hathi_cli_post_startup(void)
{
	zval *constant = zend_get_constant_str(ZEND_STRL("PHP_BINARY"));

	if (constant && hathi_cli_php_binary_value) {
		free(PG(php_binary));
		PG(php_binary) = hathi_cli_php_binary_value;
		hathi_cli_php_binary_value = NULL;

		/* The flags of a constant lie in u2 of its value, which the macro leaves alone. */
		zval_internal_ptr_dtor(constant);
		ZVAL_STR(constant, zend_string_init_interned(PG(php_binary), strlen(PG(php_binary)), 1));
	}
	return SUCCESS;
}

/* Values that a php.ini may override. */
static void hathi_cli_ini_defaults(HashTable *configuration)
{
	zval value;

	ZVAL_NEW_STR(&value, zend_string_init(ZEND_STRL("1"), 1));
	zend_hash_str_update(configuration, ZEND_STRL("display_errors"), &value);

	/* zend_startup() clears the hook, and extensions chain to it from their MINIT: here is between. */
	zend_post_startup_cb = hathi_cli_post_startup;
}

static int hathi_cli_start_and_run(hathi_cli_options *options, char *executable)
{
	volatile int status = 1;

#ifdef ZTS
	php_tsrm_startup();
#endif
	zend_signal_startup();

	hathi_cli_sapi_module.ini_defaults = hathi_cli_ini_defaults;
	hathi_cli_sapi_module.php_ini_path_override = options->ini_path;
	hathi_cli_sapi_module.php_ini_ignore = options->ini_ignore;
	sapi_startup(&hathi_cli_sapi_module);

	php_ini_builder_prepend_literal(&options->ini, hathi_cli_fixed_ini);
	/* After sapi_startup(), which clears it. */
	hathi_cli_sapi_module.ini_entries = php_ini_builder_finish(&options->ini);
	/* php.ini is also looked for beside it. */
	hathi_cli_sapi_module.executable_location = executable;

	if (hathi_cli_sapi_module.startup(&hathi_cli_sapi_module) == SUCCESS) {
		if (options->extended_info) {
			CG(compiler_options) |= ZEND_COMPILE_EXTENDED_INFO;
		}
		zend_first_try {
			status = hathi_cli_run(options);
		} zend_end_try();
		php_module_shutdown();
	}
	sapi_shutdown();
#ifdef ZTS
	tsrm_shutdown();
#endif
	return status;
}

int hathi_cli_main(int argc, char **argv)
{
	hathi_cli_options options;
	char *executable;
	int status = 0;

	hathi_cli_active = true;

	/* First of all: it moves the strings that everything else points to. */
	argv = hathi_cli_title_init(argc, argv);

	/* A peer or a reader that has gone must end a write with EPIPE, not the script. */
	signal(SIGPIPE, SIG_IGN);

	hathi_cli_options_parse(&options, argc, argv);
	if (options.mode == HATHI_CLI_USAGE) {
		hathi_cli_usage(&options);
		status = options.usage_error ? 1 : 0;
	} else {
		executable = hathi_cli_executable();
		hathi_cli_php_binary_value = hathi_cli_php_binary(argv[0]);
		status = hathi_cli_start_and_run(&options, executable);
		free(hathi_cli_php_binary_value);
		free(executable);
	}
	hathi_cli_options_free(&options);
	return status;
}
