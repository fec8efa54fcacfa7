/* max_execution_time without signals: PHP's own entry points, replaced.
 *
 * libphp calls zend_set_timeout() and zend_unset_timeout() through its PLT, so the
 * definitions of the executable win. A limit counts the CPU time of the thread
 * that runs PHP, as ITIMER_PROF would for a process that does nothing else. */
#include "engine.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "cli.h"

static _Atomic int64_t limit_ns;   /* 0: no limit */
static _Atomic uint32_t epoch;     /* changes with every limit that is set or lifted */
static _Atomic uint32_t resumes;
static _Atomic uint32_t expired;   /* the epoch whose limit has passed */
static _Atomic int running_clock;  /* CPU clock of the thread that runs PHP */

static void (*previous_interrupt)(zend_execute_data *execute_data);

static void limit_set(int64_t ns)
{
	atomic_store(&limit_ns, ns);
	atomic_fetch_add(&epoch, 1);
}

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

void zend_set_timeout(zend_long seconds, bool reset_signals)
{
	if (hathi_cli_active) {
		void (*set)(zend_long, bool) = (void (*)(zend_long, bool)) real("zend_set_timeout");
		set(seconds, reset_signals);
		return;
	}
	EG(timeout_seconds) = seconds;
	limit_set(seconds > 0 && seconds < 1000000000 ? (int64_t) seconds * 1000000000 : 0);
}

void zend_unset_timeout(void)
{
	if (hathi_cli_active) {
		void (*unset)(void) = (void (*)(void)) real("zend_unset_timeout");
		unset();
		return;
	}
	limit_set(0);
}

/* EG(timed_out) stays false: zend_timeout() would install SIGPROF after all. */
static void interrupt(zend_execute_data *execute_data)
{
	uint32_t e = atomic_load(&expired);

	if (e && e == atomic_load(&epoch)) {
		atomic_store(&expired, 0);
		limit_set(0);
		zend_error_noreturn(E_ERROR, "Maximum execution time of " ZEND_LONG_FMT " second%s exceeded",
			EG(timeout_seconds), EG(timeout_seconds) == 1 ? "" : "s");
	}
	if (previous_interrupt) {
		previous_interrupt(execute_data);
	}
}

void hathi_timeout_startup(void)
{
	previous_interrupt = zend_interrupt_function;
	zend_interrupt_function = interrupt;
}

/* This thread's CPU clock. */
static __thread clockid_t thread_clock;
static __thread bool thread_clock_known;

/* The clock's id has the thread's id in it, which is another one in a child. */
void hathi_timeout_after_fork(void)
{
	thread_clock_known = false;
}

void hathi_timeout_enter(void)
{
	if (!thread_clock_known) {
		thread_clock_known = pthread_getcpuclockid(pthread_self(), &thread_clock) == 0;
	}
	atomic_store_explicit(&running_clock, thread_clock_known ? (int) thread_clock : 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&resumes, 1, memory_order_release);
}

/* Only the host's watchdog calls this: its state needs no lock. CPU time is counted
 * from its first look at a limit on, and from its first look at each resume. */
void hathi_timeout_check(void)
{
	static uint32_t seen_epoch, seen_resume;
	static int64_t used, base;
	struct timespec ts;

	int64_t limit = atomic_load(&limit_ns);
	uint32_t e = atomic_load(&epoch);
	if (!limit) {
		return;
	}
	uint32_t r = atomic_load(&resumes);
	int clock = atomic_load(&running_clock);
	if (!clock || clock_gettime((clockid_t) clock, &ts) == -1) {
		return;
	}
	int64_t now = (int64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
	if (e != seen_epoch) {
		seen_epoch = e;
		seen_resume = r;
		used = 0;
		base = now;
		return;
	}
	if (r != seen_resume) {
		seen_resume = r;
		base = now;
		return;
	}
	used += now - base;
	base = now;
	if (used >= limit && e == atomic_load(&epoch)) {
		atomic_store(&expired, e);
		zend_atomic_bool_store(&EG(vm_interrupt), true);
	}
}
