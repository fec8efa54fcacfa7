#ifndef HATHI_CLI_INTERNAL_H
#define HATHI_CLI_INTERNAL_H

/* Shared by the cli_*.c files only; the contract for others is cli.h. */

#include "php.h"
#include "SAPI.h"
#include "php_ini_builder.h"

#include "cli.h"
#include "cli_compat.h"

typedef enum {
	/* These read a script, from standard input when no file is given. */
	HATHI_CLI_EXECUTE,
	HATHI_CLI_LINT,
	HATHI_CLI_HIGHLIGHT,
	HATHI_CLI_STRIP,
	/* These do not. */
	HATHI_CLI_EVAL,
	HATHI_CLI_EACH_LINE,
	HATHI_CLI_REFLECT_FUNCTION,
	HATHI_CLI_REFLECT_CLASS,
	HATHI_CLI_REFLECT_EXTENSION,
	HATHI_CLI_REFLECT_ZEND_EXTENSION,
	HATHI_CLI_EXTENSION_CONFIG,
	HATHI_CLI_INI_FILES,
	HATHI_CLI_PHPINFO,
	HATHI_CLI_MODULES,
	HATHI_CLI_VERSION,
	HATHI_CLI_USAGE
} hathi_cli_mode;

#define HATHI_CLI_MODE_READS_SCRIPT(mode) ((mode) < HATHI_CLI_EVAL)

/* Strings point into argv unless noted. */
typedef struct {
	hathi_cli_mode mode;
	const char *program;        /* for the usage text */
	char *script;               /* -f, -F or the first operand; NULL: standard input or none */
	const char *code;           /* -r, -R */
	const char *begin_code;     /* -B */
	const char *end_code;       /* -E */
	const char *subject;        /* --rf, --rc, --re, --rz, --ri */
	const char *conflict;       /* message for options that exclude each other, or NULL */
	const char **zend_extensions; /* -z, in order; malloc'ed */
	int zend_extension_count;
	char *ini_path;             /* -c */
	bool ini_ignore;            /* -n */
	bool extended_info;         /* -e */
	bool hide_arguments;        /* -H */
	bool usage_error;           /* php_getopt has complained on standard error */
	struct php_ini_builder ini; /* -d, as the text of a php.ini */
	int argc;
	char **argv;
	int operand;                /* index in argv of the first operand not taken as the script */
} hathi_cli_options;

/* cli_options.c */
void hathi_cli_options_parse(hathi_cli_options *options, int argc, char **argv);
void hathi_cli_options_free(hathi_cli_options *options);
void hathi_cli_usage(const hathi_cli_options *options);

/* cli_sapi.c */
extern sapi_module_struct hathi_cli_sapi_module;
/* What $_SERVER says of the script; the strings must outlive the request. */
void hathi_cli_set_script(const char *php_self, const char *script_filename);

/* cli_run.c: everything between module startup and module shutdown; returns the exit status. */
int hathi_cli_run(hathi_cli_options *options);

/* cli_info.c: each prints to PHP's output; those marked (R) need a started request. */
void hathi_cli_print_version(void);
void hathi_cli_print_modules(void);          /* (R) */
void hathi_cli_print_ini_files(void);        /* (R) */
void hathi_cli_print_extension_config(const char *name); /* (R) */
void hathi_cli_print_reflection(hathi_cli_mode mode, const char *subject); /* (R) */

/* cli_title.c */
/*
 * Moves the arguments and the environment out of the area whose contents `ps`
 * shows. Returns a copy of argv, or argv itself where there is no such area.
 */
char **hathi_cli_title_init(int argc, char **argv);
bool hathi_cli_title_available(void);
void hathi_cli_title_hide_arguments(void);
PHP_FUNCTION(cli_set_process_title);
PHP_FUNCTION(cli_get_process_title);

/* cli_binary.c */
/* This executable as the kernel knows it; malloc'ed, NULL when unknown. */
char *hathi_cli_executable(void);
/* The value of PHP_BINARY; malloc'ed, NULL when unknown. */
char *hathi_cli_php_binary(const char *argv0);

#endif
