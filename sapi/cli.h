#ifndef HATHI_CLI_H
#define HATHI_CLI_H

#include <stdbool.h>

/*
 * PHP's command line interface in the hathi binary.
 *
 * Runs in a process of its own, on the process's first stack, before the Go
 * runtime starts: signals, timers, fork and the controlling terminal belong to
 * PHP, so pcntl, set_time_limit and readline behave as in php-cli.
 */

/*
 * Decides from the command line alone whether this process is PHP's CLI.
 * Returns the index in argv of the first argument for PHP: 2 for
 * `hathi php-cli ...`, 1 for a binary that is called by a name of PHP (see
 * hathi_cli_is_php_name), 0 when it is not the CLI.
 *
 * The caller that gets n > 0 does
 *     argv[n - 1] = argv[0];
 *     exit(hathi_cli_main(argc - (n - 1), argv + (n - 1)));
 * A template's re-execution has to be recognised before this is asked: its
 * argv[0] is whatever name the user chose for the binary.
 */
int hathi_cli_first_argument(int argc, char **argv);

/*
 * True when the name under which the binary was started means PHP: its last
 * component starts with "php" (a link php -> hathi), or it is spelled the way
 * PHP_BINARY is (cli_binary.c).
 */
bool hathi_cli_is_php_name(const char *argv0);

/*
 * Runs `php` with argv[0] = the program's name and argv[1..] = PHP's arguments.
 * Returns the exit status; module shutdown is done by then, the caller exits.
 * Call once per process, with libc initialised, no other thread, and no other
 * SAPI started. argv must stay valid; the process title is written over the
 * area the kernel gave the original arguments.
 */
int hathi_cli_main(int argc, char **argv);

/*
 * True from the start of hathi_cli_main on. Overrides of Zend functions that
 * exist for the server (zend_set_timeout, ...) must behave like Zend's own then.
 */
extern bool hathi_cli_active;

#endif
