/* What this process is, decided before the Go runtime starts.
 *
 * libc runs constructors before main(), and Go starts in main(): here the process is
 * still single-threaded C, which is what a template and PHP's command line need. */
#include "cli.h"
#include "hathi.h"
#include "template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The marker is believed only together with the descriptors that it names: the
 * environment alone can be anyone's. */
static void template_start(int argc, char **argv, const char *marker)
{
	int control, config, type;
	socklen_t len = sizeof(type);
	struct stat st;

	int fields = sscanf(marker, "%d,%d", &control, &config);
	unsetenv("HATHI_TEMPLATE");
	if (fields != 2
	 || getsockopt(control, SOL_SOCKET, SO_TYPE, &type, &len) == -1 || type != SOCK_SEQPACKET
	 || fstat(config, &st) == -1 || !S_ISREG(st.st_mode)) {
		return;
	}
	hathi_title_init(argc, argv);
	hathi_template_main(control, config);
}

__attribute__((constructor)) static void hathi_main(int argc, char **argv, char **envp)
{
	const char *marker = getenv("HATHI_TEMPLATE");
	int n;

	(void) envp;
	if (marker) {
		template_start(argc, argv, marker);
		return;
	}
	n = hathi_cli_first_argument(argc, argv);
	if (n > 0) {
		argv[n - 1] = argv[0];
		exit(hathi_cli_main(argc - (n - 1), argv + (n - 1)));
	}
}
