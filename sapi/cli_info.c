/* What -v, -m, --ini, --ri, --rf, --rc, --re and --rz print. */

#include "cli_internal.h"
#include "php_ini.h"
#include "zend_exceptions.h"
#include "zend_extensions.h"
#include "ext/standard/info.h"

/* main/php_ini.c exports them, and no installed header declares them in 8.2. */
extern PHPAPI char *php_ini_opened_path;
extern PHPAPI char *php_ini_scanned_path;
extern PHPAPI char *php_ini_scanned_files;

/*
 * Constants of the libphp that is loaded: the headers' macros would name the
 * version and the paths of the one that was there at compile time.
 */
static const char *hathi_cli_constant(const char *name)
{
	zval *value = zend_get_constant_str(name, strlen(name));

	return value && Z_TYPE_P(value) == IS_STRING ? Z_STRVAL_P(value) : "";
}

void hathi_cli_print_version(void)
{
	/* The first line begins as php's does, since programs take the version from it. */
	php_printf("PHP %s (%s) (%s%s) embedded in Hathi\nCopyright (c) The PHP Group\n%s",
		hathi_cli_constant("PHP_VERSION"), sapi_module.name,
#ifdef ZTS
		"ZTS",
#else
		"NTS",
#endif
#if ZEND_DEBUG
		" DEBUG",
#else
		"",
#endif
		get_zend_version());
}

static int hathi_cli_compare_names(const void *a, const void *b)
{
	return strcasecmp(*(const char *const *) a, *(const char *const *) b);
}

static void hathi_cli_print_sorted(const char **names, size_t count)
{
	qsort(names, count, sizeof(*names), hathi_cli_compare_names);
	for (size_t i = 0; i < count; i++) {
		php_printf("%s\n", names[i]);
	}
}

void hathi_cli_print_modules(void)
{
	const char **names = safe_emalloc(
		zend_hash_num_elements(&module_registry) + zend_llist_count(&zend_extensions), sizeof(*names), 0);
	size_t count = 0;
	zend_module_entry *module;
	zend_extension *extension;
	zend_llist_position pos;

	php_printf("[PHP Modules]\n");
	ZEND_HASH_FOREACH_PTR(&module_registry, module) {
		names[count++] = module->name;
	} ZEND_HASH_FOREACH_END();
	hathi_cli_print_sorted(names, count);

	php_printf("\n[Zend Modules]\n");
	count = 0;
	for (extension = zend_llist_get_first_ex(&zend_extensions, &pos); extension;
			extension = zend_llist_get_next_ex(&zend_extensions, &pos)) {
		names[count++] = extension->name;
	}
	hathi_cli_print_sorted(names, count);
	php_printf("\n");
	efree(names);
}

void hathi_cli_print_ini_files(void)
{
	php_printf("Configuration File (php.ini) Path: %s\n", hathi_cli_constant("PHP_CONFIG_FILE_PATH"));
	php_printf("Loaded Configuration File:         %s\n", php_ini_opened_path ? php_ini_opened_path : "(none)");
	php_printf("Scan for additional .ini files in: %s\n", php_ini_scanned_path ? php_ini_scanned_path : "(none)");
	php_printf("Additional .ini files parsed:      %s\n", php_ini_scanned_files ? php_ini_scanned_files : "(none)");
}

void hathi_cli_print_extension_config(const char *name)
{
	zend_string *lower = zend_string_init(name, strlen(name), 0);
	zend_module_entry *module;

	zend_str_tolower(ZSTR_VAL(lower), ZSTR_LEN(lower));
	module = zend_hash_find_ptr(&module_registry, lower);
	zend_string_release(lower);

	if (module) {
		php_info_print_module(module);
	} else if (strcmp(name, "main") == 0) {
		display_ini_entries(NULL);
	} else {
		php_printf("Extension '%s' not present.\n", name);
		EG(exit_status) = 1;
	}
}

static const char *hathi_cli_reflector(hathi_cli_mode mode, bool is_method)
{
	switch (mode) {
		case HATHI_CLI_REFLECT_FUNCTION:
			return is_method ? "reflectionmethod" : "reflectionfunction";
		case HATHI_CLI_REFLECT_CLASS:
			return "reflectionclass";
		case HATHI_CLI_REFLECT_EXTENSION:
			return "reflectionextension";
		default:
			return "reflectionzendextension";
	}
}

void hathi_cli_print_reflection(hathi_cli_mode mode, const char *subject)
{
	const char *colons = mode == HATHI_CLI_REFLECT_FUNCTION ? strstr(subject, "::") : NULL;
	const char *reflector = hathi_cli_reflector(mode, colons != NULL);
	zend_class_entry *ce = zend_hash_str_find_ptr(CG(class_table), reflector, strlen(reflector));
	zend_execute_data frame;
	zend_string *text;
	uint32_t argc = 0;
	zval object, args[2];

	if (!ce || object_init_ex(&object, ce) != SUCCESS) {
		EG(exit_status) = 1;
		return;
	}
	if (colons) {
		/* ReflectionMethod's form with one argument is deprecated since 8.4. */
		ZVAL_STRINGL(&args[argc++], subject, colons - subject);
		subject = colons + 2;
	}
	ZVAL_STRING(&args[argc++], subject);

	/* An exception thrown below no frame is reported as uncaught at once. */
	memset(&frame, 0, sizeof(frame));
	frame.func = (zend_function *) &zend_pass_function;
	EG(current_execute_data) = &frame;
	zend_call_known_function(ce->constructor, Z_OBJ(object), ce, NULL, argc, args, NULL);
	text = EG(exception) ? NULL : zval_get_string(&object);

	if (EG(exception)) {
		zval rv, *message = zend_read_property(zend_ce_exception, EG(exception), ZEND_STRL("message"), 0, &rv);

		php_printf("Exception: %s\n", Z_TYPE_P(message) == IS_STRING ? Z_STRVAL_P(message) : "");
		zend_clear_exception();
		EG(exit_status) = 1;
	} else {
		PHPWRITE(ZSTR_VAL(text), ZSTR_LEN(text));
		PUTS("\n");
	}
	EG(current_execute_data) = NULL;

	if (text) {
		zend_string_release(text);
	}
	while (argc > 0) {
		zval_ptr_dtor(&args[--argc]);
	}
	zval_ptr_dtor(&object);
}
