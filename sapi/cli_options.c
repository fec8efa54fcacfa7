/* The command line: php's options, their values and which exclude each other. */

#include "cli_internal.h"
#include "php_getopt.h"

/* Long options without a short form; php_getopt wants values that no letter has. */
enum {
	HATHI_OPT_RF = 1,
	HATHI_OPT_RC,
	HATHI_OPT_RE,
	HATHI_OPT_RZ,
	HATHI_OPT_RI,
	HATHI_OPT_INI
};

static const opt_struct hathi_cli_option_table[] = {
	{'a', 0, "interactive"},
	{'B', 1, "process-begin"},
	{'C', 0, "no-chdir"},
	{'c', 1, "php-ini"},
	{'d', 1, "define"},
	{'E', 1, "process-end"},
	{'e', 0, "profile-info"},
	{'F', 1, "process-file"},
	{'f', 1, "file"},
	{'H', 0, "hide-args"},
	{'h', 0, "help"},
	{'i', 0, "info"},
	{'l', 0, "syntax-check"},
	{'m', 0, "modules"},
	{'n', 0, "no-php-ini"},
	{'q', 0, "no-header"},
	{'R', 1, "process-code"},
	{'r', 1, "run"},
	{'S', 1, "server"},
	{'s', 0, "syntax-highlight"},
	{'s', 0, "syntax-highlighting"},
	{'t', 1, "docroot"},
	{'v', 0, "version"},
	{'w', 0, "strip"},
	{'z', 1, "zend-extension"},
	{'?', 0, "usage"},
	{HATHI_OPT_RF, 1, "rf"},
	{HATHI_OPT_RF, 1, "rfunction"},
	{HATHI_OPT_RC, 1, "rc"},
	{HATHI_OPT_RC, 1, "rclass"},
	{HATHI_OPT_RE, 1, "re"},
	{HATHI_OPT_RE, 1, "rextension"},
	{HATHI_OPT_RZ, 1, "rz"},
	{HATHI_OPT_RZ, 1, "rzendextension"},
	{HATHI_OPT_RI, 1, "ri"},
	{HATHI_OPT_RI, 1, "rextinfo"},
	{HATHI_OPT_INI, 0, "ini"},
	{'-', 0, NULL}
};

static const char hathi_cli_modes_conflict[] =
	"Either execute direct code, process stdin or use a file.\n";

/*
 * -B, -E, -F and -R make one mode together, each of them once. True when the
 * option may be taken.
 */
static bool hathi_cli_each_line(hathi_cli_options *options, bool given, const char *once)
{
	if (options->mode != HATHI_CLI_EACH_LINE && options->mode != HATHI_CLI_EXECUTE) {
		options->conflict = hathi_cli_modes_conflict;
		return false;
	}
	if (options->mode == HATHI_CLI_EACH_LINE && given) {
		options->conflict = once;
		return false;
	}
	options->mode = HATHI_CLI_EACH_LINE;
	return true;
}

static void hathi_cli_file_mode(hathi_cli_options *options, hathi_cli_mode mode, const char *conflict)
{
	if (options->mode == HATHI_CLI_EVAL || options->mode == HATHI_CLI_EACH_LINE) {
		options->conflict = conflict;
	} else {
		options->mode = mode;
	}
}

static void hathi_cli_subject_mode(hathi_cli_options *options, hathi_cli_mode mode, const char *subject)
{
	options->mode = mode;
	options->subject = subject;
}

/* True when the options behind this one do not count, as in php. */
static bool hathi_cli_option(hathi_cli_options *options, int opt, char *value)
{
	const char **zend_extensions;

	switch (opt) {
		case 'h':
		case '?':
			options->mode = HATHI_CLI_USAGE;
			return true;
		case PHP_GETOPT_INVALID_ARG:
			options->mode = HATHI_CLI_USAGE;
			options->usage_error = true;
			return true;
		case 'i':
			options->mode = HATHI_CLI_PHPINFO;
			return true;
		case 'm':
			options->mode = HATHI_CLI_MODULES;
			return true;
		case 'v':
			options->mode = HATHI_CLI_VERSION;
			return true;

		case 'a':
			/* ext/readline finds its shell's hooks by dlsym() in the executable; they are not exported. */
			options->conflict = "Interactive shell (-a) is not available in hathi php-cli.\n";
			break;
		case 'S':
			options->conflict = "The built-in web server (-S) is not part of hathi php-cli,"
				" use: hathi php-server --listen <addr> --root <docroot>\n";
			break;
		case 'C':
		case 'q':
		case 't':
			break;

		case 'c':
			options->ini_path = value;
			break;
		case 'd':
			php_ini_builder_define(&options->ini, value);
			break;
		case 'e':
			options->extended_info = true;
			break;
		case 'H':
			options->hide_arguments = true;
			break;
		case 'n':
			options->ini_ignore = true;
			break;
		case 'z':
			zend_extensions = realloc(options->zend_extensions,
				(options->zend_extension_count + 1) * sizeof(*zend_extensions));
			if (zend_extensions) {
				options->zend_extensions = zend_extensions;
				zend_extensions[options->zend_extension_count++] = value;
			}
			break;

		case 'f':
			if (options->mode == HATHI_CLI_EVAL || options->mode == HATHI_CLI_EACH_LINE) {
				options->conflict = hathi_cli_modes_conflict;
			} else if (options->script) {
				options->conflict = "You can use -f only once.\n";
			} else {
				options->script = value;
			}
			break;
		case 'l':
			if (options->mode == HATHI_CLI_EXECUTE) {
				options->mode = HATHI_CLI_LINT;
			}
			break;
		case 'r':
			if (options->mode == HATHI_CLI_EVAL) {
				options->conflict = "You can use -r only once.\n";
			} else if (options->mode != HATHI_CLI_EXECUTE) {
				options->conflict = hathi_cli_modes_conflict;
			} else {
				options->mode = HATHI_CLI_EVAL;
				options->code = value;
			}
			break;
		case 's':
			hathi_cli_file_mode(options, HATHI_CLI_HIGHLIGHT, "Source highlighting only works for files.\n");
			break;
		case 'w':
			hathi_cli_file_mode(options, HATHI_CLI_STRIP, "Source stripping only works for files.\n");
			break;

		case 'B':
			if (hathi_cli_each_line(options, options->begin_code != NULL, "You can use -B only once.\n")) {
				options->begin_code = value;
			}
			break;
		case 'E':
			if (hathi_cli_each_line(options, options->end_code != NULL, "You can use -E only once.\n")) {
				options->end_code = value;
			}
			break;
		case 'F':
			if (hathi_cli_each_line(options, options->code || options->script, "You can use -R or -F only once.\n")) {
				options->script = value;
			}
			break;
		case 'R':
			if (hathi_cli_each_line(options, options->code || options->script, "You can use -R or -F only once.\n")) {
				options->code = value;
			}
			break;

		case HATHI_OPT_RF:
			hathi_cli_subject_mode(options, HATHI_CLI_REFLECT_FUNCTION, value);
			break;
		case HATHI_OPT_RC:
			hathi_cli_subject_mode(options, HATHI_CLI_REFLECT_CLASS, value);
			break;
		case HATHI_OPT_RE:
			hathi_cli_subject_mode(options, HATHI_CLI_REFLECT_EXTENSION, value);
			break;
		case HATHI_OPT_RZ:
			hathi_cli_subject_mode(options, HATHI_CLI_REFLECT_ZEND_EXTENSION, value);
			break;
		case HATHI_OPT_RI:
			hathi_cli_subject_mode(options, HATHI_CLI_EXTENSION_CONFIG, value);
			break;
		case HATHI_OPT_INI:
			options->mode = HATHI_CLI_INI_FILES;
			break;
	}
	return false;
}

void hathi_cli_options_parse(hathi_cli_options *options, int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	char *value = NULL;
	int opt, index = 1;

	memset(options, 0, sizeof(*options));
	php_ini_builder_init(&options->ini);
	options->program = !hathi_cli_is_php_name(argv[0]) ? "hathi php-cli" : slash ? slash + 1 : argv[0];
	options->argc = argc;
	options->argv = argv;

	while ((opt = php_getopt(argc, argv, hathi_cli_option_table, &value, &index, 1, 2)) != -1) {
		if (hathi_cli_option(options, opt, value)) {
			break;
		}
	}

	/* After "--" even the first operand is the script's argument, and the script is standard input. */
	if (index < argc && !options->script
			&& options->mode != HATHI_CLI_EVAL && options->mode != HATHI_CLI_EACH_LINE
			&& strcmp(argv[index - 1], "--") != 0) {
		options->script = argv[index++];
	}
	options->operand = index;
}

void hathi_cli_options_free(hathi_cli_options *options)
{
	php_ini_builder_deinit(&options->ini);
	free(options->zend_extensions);
}

void hathi_cli_usage(const hathi_cli_options *options)
{
	static const char *const synopses[] = {
		"[options] [-f] <file> [--] [args...]",
		"[options] -r <code> [--] [args...]",
		"[options] [-B <code>] -R <code> [-E <code>] [--] [args...]",
		"[options] [-B <code>] -F <file> [-E <code>] [--] [args...]",
		"[options] -- [args...]",
	};

	for (size_t i = 0; i < sizeof(synopses) / sizeof(synopses[0]); i++) {
		printf("%s%s %s\n", i ? "   " : "Usage: ", options->program, synopses[i]);
	}
	fputs("\n"
		"  -c <path>        Read php.ini from this directory, or this file\n"
		"  -d name[=value]  Set a php.ini entry (without value: 1)\n"
		"  -e               Compile with information for debuggers and profilers\n"
		"  -f <file>        Run <file>\n"
		"  -h               Show this help\n"
		"  -i               Show phpinfo()\n"
		"  -l               Check the syntax only\n"
		"  -m               List the modules\n"
		"  -n               Read no php.ini\n"
		"  -r <code>        Run <code>, written without <?php\n"
		"  -B <code>        Run <code> before the first input line\n"
		"  -R <code>        Run <code> for each input line, in $argn; its number is $argi\n"
		"  -F <file>        Run <file> for each input line\n"
		"  -E <code>        Run <code> after the last input line\n"
		"  -H               Hide the arguments from ps\n"
		"  -s               Print the source as highlighted HTML\n"
		"  -v               Show the version\n"
		"  -w               Print the source without comments and white space\n"
		"  -z <file>        Load a Zend extension\n"
		"\n"
		"  args...          Arguments for the script. Put -- in front when the first one\n"
		"                   starts with - or the script comes from standard input\n"
		"\n"
		"  --ini            Show which php.ini files were read\n"
		"  --rf <name>      Describe a function or a method (class::method)\n"
		"  --rc <name>      Describe a class\n"
		"  --re <name>      Describe an extension\n"
		"  --rz <name>      Describe a Zend extension\n"
		"  --ri <name>      Show an extension's configuration\n"
		"\n", stdout);
}
