/* OPcache: whether it is on, and the lock that each process must hold itself. */
#include "engine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Yields the reason through out.error, or nothing when OPcache works. */
void hathi_opcache_check(void)
{
	const char *volatile why = NULL;
	zval fname, retval, arg;

	if (!zend_get_extension("Zend OPcache")) {
		why = "the extension is not loaded: install php-opcache for this PHP, or add zend_extension=opcache to php.ini";
	} else if (!INI_BOOL("opcache.enable")) {
		why = "opcache.enable is 0: set it to 1 in php.ini, or with php_ini opcache.enable 1";
	}
	SG(server_context) = NULL;
	if (!why && php_request_startup() == SUCCESS) {
		hathi_stack_limits();
		zend_try {
			const char *restricted = zend_ini_string("opcache.restrict_api", sizeof("opcache.restrict_api") - 1, 0);
			ZVAL_UNDEF(&retval);
			ZVAL_STRING(&fname, "opcache_get_status");
			ZVAL_FALSE(&arg);
			if ((!restricted || !*restricted)
			 && call_user_function(NULL, NULL, &fname, &retval, 1, &arg) == SUCCESS) {
				zval *on = Z_TYPE(retval) == IS_ARRAY
					? zend_hash_str_find(Z_ARRVAL(retval), "opcache_enabled", sizeof("opcache_enabled") - 1) : NULL;
				if (!on || Z_TYPE_P(on) != IS_TRUE) {
					why = "it did not start: see the log line that begins with \"Zend OPcache\", or phpinfo()";
				}
			}
			zval_ptr_dtor(&retval);
			zval_ptr_dtor(&fname);
		} zend_end_try();
		php_request_shutdown(NULL);
	}
	if (why) {
		hathi.out.error = why;
		hathi.out.error_len = strlen(why);
	}
}

/* zend_accel_lock's descriptor is private to OPcache: find it by what it points to. */
static int lock_descriptor(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd = -1;

	if (!dir) {
		return -1;
	}
	while ((entry = readdir(dir))) {
		char path[64], target[512];
		snprintf(path, sizeof(path), "/proc/self/fd/%.16s", entry->d_name);
		ssize_t n = readlink(path, target, sizeof(target) - 1);
		if (n <= 0) {
			continue;
		}
		target[n] = '\0';
		if (strstr(target, "memfd:opcache_lock") || strstr(target, "/.ZendSem.")) {
			fd = atoi(entry->d_name);
			break;
		}
	}
	closedir(dir);
	return fd;
}

/* fcntl(2) locks are not inherited, but ZCG(counted), which says that this process
 * has its read lock on byte 1, is: take it here (accel_activate_add()). */
void hathi_opcache_after_fork(void)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1 };
	int fd;

	if (!hathi.parked || (fd = lock_descriptor()) < 0) {
		return;
	}
	if (fcntl(fd, F_SETLK, &lock) == -1) {
		hathi_logf(HATHI_LOG_WARNING, "OPcache's lock on descriptor %d: %s", fd, strerror(errno));
	}
}
