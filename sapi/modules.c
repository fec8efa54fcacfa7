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

/* Writes and closes the session, drops ext/filter's copies and zlib's handler.
 * Each is left as its RINIT makes it, so that the RSHUTDOWN of the script's end
 * finds a clean state. */
void hathi_modules_request_end(void)
{
	bool auto_start = PS(auto_start);

	shut("session");
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
