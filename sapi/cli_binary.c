/*
 * Which names of the binary mean PHP, and what PHP_BINARY is.
 *
 * Frameworks run PHP_BINARY with a script and its arguments (Symfony's
 * PhpExecutableFinder, Laravel's scheduler and queues, Composer, PHPUnit), as
 * one path: there is no room for a sub-command, so "/usr/bin/hathi" would
 * start `hathi artisan`. PHP_BINARY must be a path that means PHP by itself:
 *
 * 1. started through a link whose name starts with "php": that link. It is kept
 *    as it is, where PHP would resolve it, as resolving yields "hathi" again.
 * 2. a link `php` to this executable beside it, which packages and images install.
 * 3. else the executable with "/././" before its last component. It is the same
 *    file to the kernel and to is_executable(), and the name tells it apart when it
 *    arrives in argv[0], through a shell, execve or a "#!" line. This needs no
 *    file in a temporary directory, which could be read-only, swept while a
 *    queue worker runs, or another user's, and no environment variable, which
 *    `hathi run` started from a script would inherit.
 */

#include "cli_internal.h"

#include <sys/stat.h>
#include <unistd.h>

#define HATHI_CLI_PHP_SPELLING "/././"
#define HATHI_CLI_PHP_SPELLING_LEN (sizeof(HATHI_CLI_PHP_SPELLING) - 1)

static const char *hathi_cli_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool hathi_cli_is_php_name(const char *argv0)
{
	const char *base = hathi_cli_basename(argv0);
	size_t dir_len = base - argv0;

	if (strncmp(base, "php", 3) == 0) {
		return true;
	}
	return dir_len >= HATHI_CLI_PHP_SPELLING_LEN
		&& memcmp(base - HATHI_CLI_PHP_SPELLING_LEN, HATHI_CLI_PHP_SPELLING, HATHI_CLI_PHP_SPELLING_LEN) == 0;
}

int hathi_cli_first_argument(int argc, char **argv)
{
	if (argc < 1) {
		return 0;
	}
	if (hathi_cli_is_php_name(argv[0])) {
		return 1;
	}
	return argc > 1 && strcmp(argv[1], "php-cli") == 0 ? 2 : 0;
}

char *hathi_cli_executable(void)
{
	char path[MAXPATHLEN];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len <= 0) {
		return NULL;
	}
	path[len] = '\0';
	return strdup(path);
}

/* dir (of dir_len bytes) + middle + base, malloc'ed. */
static char *hathi_cli_join(const char *dir, size_t dir_len, const char *middle, const char *base)
{
	size_t middle_len = strlen(middle), base_len = strlen(base);
	char *path = malloc(dir_len + middle_len + base_len + 1);

	if (path) {
		memcpy(path, dir, dir_len);
		memcpy(path + dir_len, middle, middle_len);
		memcpy(path + dir_len + middle_len, base, base_len + 1);
	}
	return path;
}

static bool hathi_cli_same_file(const char *path, const struct stat *executable)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == executable->st_dev && st.st_ino == executable->st_ino;
}

/* The link itself, absolute, for a name typed with a directory. */
static char *hathi_cli_absolute_link(const char *path)
{
	const char *base = hathi_cli_basename(path);
	char *dir = strndup(path, base - path), *resolved, *result;

	if (!dir) {
		return NULL;
	}
	resolved = realpath(dir, NULL);
	free(dir);
	if (!resolved) {
		return NULL;
	}
	result = hathi_cli_join(resolved, strcmp(resolved, "/") == 0 ? 0 : strlen(resolved), "/", base);
	free(resolved);
	return result;
}

/* The first directory of PATH where name is this executable. */
static char *hathi_cli_search_path(const char *name, const struct stat *executable)
{
	const char *dir = getenv("PATH"), *end;

	for (; dir; dir = *end ? end + 1 : NULL) {
		char *candidate, *link;

		end = dir + strcspn(dir, ":");
		candidate = end == dir ? hathi_cli_join(".", 1, "/", name) : hathi_cli_join(dir, end - dir, "/", name);
		if (!candidate) {
			return NULL;
		}
		link = hathi_cli_same_file(candidate, executable) ? hathi_cli_absolute_link(candidate) : NULL;
		free(candidate);
		if (link) {
			return link;
		}
	}
	return NULL;
}

char *hathi_cli_php_binary(const char *argv0)
{
	const char *base = hathi_cli_basename(argv0);
	char *executable, *path = NULL;
	size_t dir_len;
	struct stat st;

	/* Not by the executable's path, which is gone when an upgrade has replaced the file. */
	executable = hathi_cli_executable();
	if (!executable || stat("/proc/self/exe", &st) != 0) {
		free(executable);
		return NULL;
	}

	if (strncmp(base, "php", 3) == 0) {
		if (base == argv0) {
			path = hathi_cli_search_path(argv0, &st);
		} else if (hathi_cli_same_file(argv0, &st)) {
			path = hathi_cli_absolute_link(argv0);
		}
	}

	dir_len = hathi_cli_basename(executable) - executable - 1;
	if (!path) {
		path = hathi_cli_join(executable, dir_len, "/", "php");
		if (path && !hathi_cli_same_file(path, &st)) {
			free(path);
			path = NULL;
		}
	}
	if (!path) {
		path = hathi_cli_join(executable, dir_len, HATHI_CLI_PHP_SPELLING, executable + dir_len + 1);
	}
	free(executable);
	return path;
}
