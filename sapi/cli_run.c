/* One run of the CLI, from the started module to the exit status. */

#include "cli_internal.h"
#include "php_ini.h"
#include "php_main.h"
#include "zend_extensions.h"
#include "zend_highlight.h"
#include "ext/standard/basic_functions.h"
#include "ext/standard/info.h"

static const char hathi_cli_stdin_name[] = "Standard input code";

/* Static: a bailout's longjmp() would leave locals indeterminate. */
static struct {
	zend_file_handle script;  /* filename is NULL when there is none */
	char *script_path;        /* absolute, malloc'ed */
	bool request_started;
} run;

/* For the way out when no request was started. */
static void hathi_cli_give_up(void)
{
	sapi_deactivate();
	zend_ini_deactivate();
	EG(exit_status) = 1;
}

static bool hathi_cli_start_request(void)
{
	if (php_request_startup() == FAILURE) {
		PUTS("Could not startup.\n");
		hathi_cli_give_up();
		return false;
	}
	run.request_started = true;
	return true;
}

static void hathi_cli_close_script(void)
{
	if (run.script.filename) {
		zend_destroy_file_handle(&run.script);
		memset(&run.script, 0, sizeof(run.script));
	}
}

static bool hathi_cli_open_script(const char *name)
{
	FILE *file = VCWD_FOPEN(name, "rb");

	if (!file) {
		hathi_cli_no_script("Could not open input file: %s\n", name);
		return false;
	}
	zend_stream_init_fp(&run.script, file, name);
	run.script.primary_script = 1;
	return true;
}

/* Opens the script, says in $_SERVER and $argv what runs, and starts the request. */
static bool hathi_cli_prepare(hathi_cli_options *options)
{
	const char *self = hathi_cli_stdin_name;
	char real_path[MAXPATHLEN];

	/* "-" is standard input for many programs; for php it is a file's name, so a file goes first. */
	if (options->script && strcmp(options->script, "-") == 0 && VCWD_ACCESS("-", F_OK) != 0) {
		options->script = NULL;
	}

	if (options->script) {
		self = options->script;
		virtual_cwd_activate();
		if (!hathi_cli_open_script(options->script)) {
			hathi_cli_give_up();
			return false;
		}
		if (VCWD_REALPATH(options->script, real_path)) {
			run.script_path = strdup(real_path);
		}
	} else if (HATHI_CLI_MODE_READS_SCRIPT(options->mode)) {
		zend_stream_init_fp(&run.script, stdin, self);
		run.script.primary_script = 1;
	}
	hathi_cli_set_script(self, options->script ? self : "");

	/* $argv is the script's name and what follows: its name takes the last slot before the operands. */
	options->argv[options->operand - 1] = (char *) self;
	SG(request_info).argc = options->argc - options->operand + 1;
	SG(request_info).argv = options->argv + options->operand - 1;
	SG(request_info).path_translated = run.script_path ? run.script_path : (char *) self;

	if (!hathi_cli_start_request()) {
		return false;
	}
	CG(skip_shebang) = 1;
	zend_register_bool_constant(ZEND_STRL("PHP_CLI_PROCESS_TITLE"), hathi_cli_title_available(), 0, 0);

	/* auto_globals_jit builds $_SERVER only for compiled code that names it; php-cli always has it. */
	zend_is_auto_global(ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_SERVER));
	PG(during_request_startup) = 0;
	return true;
}

static void hathi_cli_define_stream(const char *name, php_stream *stream)
{
	zend_constant constant;

	memset(&constant, 0, sizeof(constant));
	php_stream_to_zval(stream, &constant.value);
	ZEND_CONSTANT_SET_FLAGS(&constant, 0, 0);
	constant.name = zend_string_init_interned(name, strlen(name), 0);
	zend_register_constant(&constant);
}

/*
 * STDIN, STDOUT and STDERR; returns STDIN's stream or NULL. Before PHP 8.4 a script
 * that is read from standard input does not get them.
 */
static php_stream *hathi_cli_define_streams(void)
{
	static const struct {
		const char *constant, *url, *mode;
	} names[3] = {
		{"STDIN", "php://stdin", "rb"},
		{"STDOUT", "php://stdout", "wb"},
		{"STDERR", "php://stderr", "wb"},
	};
	php_stream *streams[3];
	int opened = 0;

	for (int i = 0; i < 3; i++) {
		streams[i] = php_stream_open_wrapper(names[i].url, names[i].mode, 0, NULL);
		if (streams[i]) {
			streams[i]->flags |= HATHI_CLI_STD_STREAM_FLAGS;
			opened++;
		}
	}
	for (int i = 0; i < 3; i++) {
		if (opened == 3) {
			hathi_cli_define_stream(names[i].constant, streams[i]);
		} else if (streams[i]) {
			php_stream_close(streams[i]);
		}
	}
	return opened == 3 ? streams[0] : NULL;
}

static void hathi_cli_eval(const char *code, const char *name)
{
	if (code) {
		zend_eval_string_ex(code, NULL, name, true);
	}
}

/* -R, -F with -B and -E: the code sees each line of standard input in $argn. */
static void hathi_cli_run_each_line(const hathi_cli_options *options)
{
	php_stream *input = hathi_cli_define_streams();
	zend_long number = 0;
	zval value;
	char *line;
	size_t len;

	/* It was opened to find out that it exists; each line opens it anew. */
	hathi_cli_close_script();
	hathi_cli_eval(options->begin_code, "Command line begin code");

	while (input && EG(exit_status) == 0 && (line = php_stream_get_line(input, NULL, 0, &len)) != NULL) {
		while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r')) {
			len--;
		}
		ZVAL_STRINGL(&value, line, len);
		efree(line);
		zend_hash_str_update(&EG(symbol_table), ZEND_STRL("argn"), &value);
		ZVAL_LONG(&value, ++number);
		zend_hash_str_update(&EG(symbol_table), ZEND_STRL("argi"), &value);

		hathi_cli_eval(options->code, "Command line run code");
		if (options->script) {
			if (!hathi_cli_open_script(options->script)) {
				EG(exit_status) = 1;
				break;
			}
			CG(skip_shebang) = 1;
			php_execute_script(&run.script);
			hathi_cli_close_script();
		}
	}
	hathi_cli_eval(options->end_code, "Command line end code");
}

static void hathi_cli_lint(const char *name)
{
	if (php_lint_script(&run.script) == SUCCESS) {
		php_printf("No syntax errors detected in %s\n", name);
		EG(exit_status) = 0;
	} else {
		php_printf("Errors parsing %s\n", name);
		EG(exit_status) = 255;
	}
}

static void hathi_cli_run_mode(hathi_cli_options *options)
{
	zend_syntax_highlighter_ini colors;

	/* Left unset by module startup, and read when an error is reported before a request. */
	CG(in_compilation) = 0;

	switch (options->mode) {
		case HATHI_CLI_VERSION:
			hathi_cli_print_version();
			sapi_deactivate();
			return;
		case HATHI_CLI_PHPINFO:
			if (hathi_cli_start_request()) {
				php_print_info(PHP_INFO_ALL & ~PHP_INFO_CREDITS);
				php_output_end_all();
			}
			return;
		case HATHI_CLI_MODULES:
			if (hathi_cli_start_request()) {
				hathi_cli_print_modules();
				php_output_end_all();
			}
			return;
		default:
			break;
	}

	SG(options) |= SAPI_OPTION_NO_CHDIR;
	for (int i = 0; i < options->zend_extension_count; i++) {
		zend_load_extension(options->zend_extensions[i]);
	}
	if (options->conflict) {
		PUTS(options->conflict);
		hathi_cli_give_up();
		return;
	}
	if (!hathi_cli_prepare(options)) {
		return;
	}
	if (options->hide_arguments) {
		hathi_cli_title_hide_arguments();
	}

	switch (options->mode) {
		case HATHI_CLI_EXECUTE:
			if (options->script || HATHI_CLI_STREAMS_FOR_STDIN_SCRIPT) {
				hathi_cli_define_streams();
			}
			php_execute_script(&run.script);
			break;
		case HATHI_CLI_LINT:
			hathi_cli_lint(options->script ? options->script : hathi_cli_stdin_name);
			break;
		case HATHI_CLI_HIGHLIGHT:
			if (open_file_for_scanning(&run.script) == SUCCESS) {
				php_get_highlight_struct(&colors);
				zend_highlight(&colors);
			}
			break;
		case HATHI_CLI_STRIP:
			if (open_file_for_scanning(&run.script) == SUCCESS) {
				zend_strip();
			}
			break;
		case HATHI_CLI_EVAL:
			hathi_cli_define_streams();
			hathi_cli_eval(options->code, "Command line code");
			break;
		case HATHI_CLI_EACH_LINE:
			hathi_cli_run_each_line(options);
			break;
		case HATHI_CLI_REFLECT_FUNCTION:
		case HATHI_CLI_REFLECT_CLASS:
		case HATHI_CLI_REFLECT_EXTENSION:
		case HATHI_CLI_REFLECT_ZEND_EXTENSION:
			hathi_cli_print_reflection(options->mode, options->subject);
			break;
		case HATHI_CLI_EXTENSION_CONFIG:
			hathi_cli_print_extension_config(options->subject);
			break;
		case HATHI_CLI_INI_FILES:
			hathi_cli_print_ini_files();
			break;
		default:
			break;
	}
}

static void hathi_cli_finish_request(void)
{
	hathi_cli_close_script();
	if (run.request_started) {
		run.request_started = false;
		php_request_shutdown(NULL);
	}
	/* Not before: path_translated points to it during shutdown functions. */
	free(run.script_path);
	run.script_path = NULL;
}

int hathi_cli_run(hathi_cli_options *options)
{
	int status;

	for (;;) {
		zend_try {
			hathi_cli_run_mode(options);
		} zend_end_try();
		hathi_cli_finish_request();
		status = EG(exit_status);

		if (!HATHI_CLI_LINT_MANY || options->mode != HATHI_CLI_LINT || options->operand >= options->argc) {
			return status;
		}
		options->script = options->argv[options->operand++];
	}
}
