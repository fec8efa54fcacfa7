/*
 * cli_set_process_title() and cli_get_process_title(): Linux shows as a
 * process's command line whatever stands in the memory where execve(2) put the
 * arguments, and reads on into the environment behind them when the last byte of
 * the arguments is not NUL (fs/proc/base.c, get_mm_cmdline).
 */

#include "cli_internal.h"

#include <fcntl.h>
#include <unistd.h>

extern char **environ;

static struct {
	char *start;          /* NULL: not available */
	size_t size;          /* arguments and environment */
	size_t argument_size;
	size_t length;        /* of the title; 0 until one is set */
} title;

/*
 * Fields 48 to 51 of /proc/self/stat: argument and environment area. argv
 * itself does not say: a caller may have dropped a sub-command from it.
 */
static bool hathi_cli_title_area(unsigned long area[4])
{
	char stat[2048], *field;
	ssize_t len;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		return false;
	}
	len = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (len <= 0) {
		return false;
	}
	stat[len] = '\0';

	/* Field 2, the command's name in parentheses, may contain spaces and parentheses. */
	field = strrchr(stat, ')');
	for (int i = 2; field && i < 48; i++) {
		field = strchr(field + 1, ' ');
	}
	return field
		&& sscanf(field, "%lu %lu %lu %lu", &area[0], &area[1], &area[2], &area[3]) == 4
		&& area[0] != 0 && area[0] < area[1] && area[1] <= area[2] && area[2] <= area[3];
}

/* One block: pointers, then strings; NULL without memory. */
static char **hathi_cli_copy_strings(char **strings)
{
	size_t count = 0, bytes = 0;
	char **copy, *p;

	for (; strings[count]; count++) {
		bytes += strlen(strings[count]) + 1;
	}
	copy = malloc((count + 1) * sizeof(*copy) + bytes);
	if (!copy) {
		return NULL;
	}
	p = (char *) (copy + count + 1);
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(strings[i]) + 1;

		copy[i] = memcpy(p, strings[i], len);
		p += len;
	}
	copy[count] = NULL;
	return copy;
}

char **hathi_cli_title_init(int argc, char **argv)
{
	/* Reachable to the end of the process: libc may look at the environment at exit. */
	static char **own_argv, **own_environ;
	unsigned long area[4];

	/* An emulator or debugger may have given us a stack other than the one the kernel filled. */
	if (argc < 1 || !hathi_cli_title_area(area)
			|| (unsigned long) argv[0] < area[0] || (unsigned long) argv[0] >= area[1]) {
		return argv;
	}
	own_argv = hathi_cli_copy_strings(argv);
	own_environ = hathi_cli_copy_strings(environ);
	if (!own_argv || !own_environ) {
		free(own_argv);
		free(own_environ);
		own_argv = own_environ = NULL;
		return argv;
	}

	environ = own_environ;
	title.start = (char *) area[0];
	title.argument_size = area[1] - area[0];
	/* They are neighbours with every kernel to date; the title ends with the arguments if not. */
	title.size = area[1] == area[2] ? area[3] - area[0] : title.argument_size;
	return own_argv;
}

bool hathi_cli_title_available(void)
{
	return title.start != NULL;
}

void hathi_cli_title_hide_arguments(void)
{
	size_t keep;

	if (title.start) {
		keep = strnlen(title.start, title.argument_size);
		memset(title.start + keep, 0, title.argument_size - keep);
	}
}

PHP_FUNCTION(cli_set_process_title)
{
	char *text;
	size_t len;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STRING(text, len)
	ZEND_PARSE_PARAMETERS_END();

	if (!title.start) {
		php_error_docref(NULL, E_WARNING, "cli_set_process_title had an error: the process's argument area is unknown");
		RETURN_FALSE;
	}
	/* The kernel and ps stop at a NUL byte, so the title ends there too. */
	title.length = strnlen(text, MIN(len, title.size - 1));
	memcpy(title.start, text, title.length);
	memset(title.start + title.length, 0, title.size - title.length);
	RETURN_TRUE;
}

PHP_FUNCTION(cli_get_process_title)
{
	ZEND_PARSE_PARAMETERS_NONE();

	if (!title.start) {
		php_error_docref(NULL, E_WARNING, "cli_get_process_title had an error: the process's argument area is unknown");
		RETURN_NULL();
	}
	RETURN_STRINGL(title.start, title.length);
}
