/* Extensions whose request state a worker must renew between two requests. */
#include "engine.h"

static zend_module_entry *module(const char *name)
{
	return zend_hash_str_find_ptr(&module_registry, name, strlen(name));
}

static void shut(const char *name)
{
	zend_module_entry *m = module(name);

	if (m && m->request_shutdown_func) {
		zend_try {
			m->request_shutdown_func(m->type, m->module_number);
		} zend_end_try();
	}
}

static void start(const char *name)
{
	zend_module_entry *m = module(name);

	if (m && m->request_startup_func) {
		m->request_startup_func(m->type, m->module_number);
	}
}

/* The save handler that the boot left: it stays, one that a request sets goes. */
#define SESSION_CALLBACKS (sizeof(PS(mod_user_names)) / sizeof(zval))

static struct {
	zval callbacks[SESSION_CALLBACKS];
	zend_string *class_name;
	zend_string *save_handler; /* the ini entry's value */
	bool modified;             /* by the boot */
} boot_session;

static zend_ini_entry *save_handler_entry(void)
{
	return zend_hash_str_find_ptr(EG(ini_directives), "session.save_handler", sizeof("session.save_handler") - 1);
}

void hathi_modules_boot_keep(void)
{
	zval *callbacks = (zval *) &PS(mod_user_names);
	zend_ini_entry *entry = save_handler_entry();

	for (size_t i = 0; i < SESSION_CALLBACKS; i++) {
		ZVAL_COPY(&boot_session.callbacks[i], &callbacks[i]);
	}
	boot_session.class_name = PS(mod_user_class_name) ? zend_string_copy(PS(mod_user_class_name)) : NULL;
	boot_session.save_handler = entry && entry->value ? zend_string_copy(entry->value) : NULL;
	boot_session.modified = entry && entry->modified;
}

void hathi_modules_boot_release(void)
{
	for (size_t i = 0; i < SESSION_CALLBACKS; i++) {
		zval_ptr_dtor(&boot_session.callbacks[i]);
		ZVAL_UNDEF(&boot_session.callbacks[i]);
	}
	if (boot_session.class_name) {
		zend_string_release(boot_session.class_name);
		boot_session.class_name = NULL;
	}
	if (boot_session.save_handler) {
		zend_string_release(boot_session.save_handler);
		boot_session.save_handler = NULL;
	}
}

/* After RSHUTDOWN has dropped the callbacks, before RINIT looks at the ini entry. */
static void session_handler_restore(void)
{
	zval *callbacks = (zval *) &PS(mod_user_names);
	zend_ini_entry *entry = save_handler_entry();

	for (size_t i = 0; i < SESSION_CALLBACKS; i++) {
		if (Z_ISUNDEF(callbacks[i])) {
			ZVAL_COPY(&callbacks[i], &boot_session.callbacks[i]);
		}
	}
	if (boot_session.class_name && !PS(mod_user_class_name)) {
		PS(mod_user_class_name) = zend_string_copy(boot_session.class_name);
	}
	if (!entry || !entry->modified || !boot_session.save_handler
	 || zend_string_equals(entry->value, boot_session.save_handler)) {
		return;
	}
	if (boot_session.modified) {
		zend_alter_ini_entry(entry->name, boot_session.save_handler, PHP_INI_USER, PHP_INI_STAGE_DEACTIVATE);
	} else {
		zend_restore_ini_entry(entry->name, PHP_INI_STAGE_DEACTIVATE);
	}
}

/* Writes and closes the session, drops ext/filter's copies and zlib's handler.
 * Each is left as its RINIT makes it, so that the RSHUTDOWN of the script's end
 * finds a clean state. */
void hathi_modules_request_end(void)
{
	bool auto_start = PS(auto_start);

	shut("session");
	session_handler_restore();
	shut("filter");
	shut("zlib");
	/* The session is an auto-global only in name: nothing takes it out of the symbol table. */
	zend_hash_str_del(&EG(symbol_table), "_SESSION", sizeof("_SESSION") - 1);
	PS(auto_start) = 0;
	start("session");
	PS(auto_start) = auto_start;
}

void hathi_modules_request_start(void)
{
	start("zlib"); /* zlib.output_compression */
	if (PS(auto_start)) {
		php_session_start();
	}
}
