/* A child's first steps: what must not be the same in two processes. */
#include "engine.h"
#include "template.h"

#include <unistd.h>

void hathi_after_fork(void)
{
	/* ext/random seeds itself again at its next use. */
	RANDOM_G(combined_lcg_seeded) = false;
	RANDOM_G(mt19937_seeded) = false;
#if PHP_VERSION_ID < 80400
	if (RANDOM_G(random_fd) > 0) {
		close(RANDOM_G(random_fd));
		RANDOM_G(random_fd) = -1;
	}
#endif
	hathi_timeout_after_fork();
	hathi_opcache_after_fork();
	hathi_forkcheck_reopen();
	hathi.forked = true;
}
