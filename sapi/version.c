#include "compat.h"

/* The version of the libphp that is loaded. PHP 8.2 cannot tell before its module
 * startup, which the callers must not need: there it is that of the headers. */
const char *hathi_loaded_php_version(void)
{
#if PHP_VERSION_ID >= 80300
	return php_version();
#else
	return PHP_VERSION;
#endif
}
