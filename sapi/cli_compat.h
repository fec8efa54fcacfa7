#ifndef HATHI_CLI_COMPAT_H
#define HATHI_CLI_COMPAT_H

#include "php.h"

#if PHP_VERSION_ID < 80200
# error "hathi needs PHP 8.2 or later"
#endif

/* Since 8.3 `php -l a.php b.php` checks all the files, before that only the first. */
#if PHP_VERSION_ID >= 80300
# define HATHI_CLI_LINT_MANY 1
#else
# define HATHI_CLI_LINT_MANY 0
#endif

/*
 * Keeps descriptors 0 to 2 open when the request's resources are destroyed, so
 * that extensions can still write to them at module shutdown.
 */
#ifdef PHP_STREAM_FLAG_NO_RSCR_DTOR_CLOSE
# define HATHI_CLI_STD_STREAM_FLAGS PHP_STREAM_FLAG_NO_RSCR_DTOR_CLOSE
#else
# define HATHI_CLI_STD_STREAM_FLAGS PHP_STREAM_FLAG_NO_CLOSE
#endif

/* PHP 8.4 says on stderr what earlier versions printed, and defines STDIN and the
 * others also for a script from standard input. */
#if PHP_VERSION_ID >= 80400
# define hathi_cli_no_script(...) fprintf(stderr, __VA_ARGS__)
# define HATHI_CLI_STREAMS_FOR_STDIN_SCRIPT true
#else
# define hathi_cli_no_script(...) php_printf(__VA_ARGS__)
# define HATHI_CLI_STREAMS_FOR_STDIN_SCRIPT false
#endif

#endif
