/* The engine: one PHP interpreter on a stack of its own.
 *
 * The host (Go, the overflow loop, or the C harness) calls hathi_resume() with a
 * command; PHP runs on its own stack until it yields with a reason. PHP never calls
 * the host: what it wants from the host is a reason to yield.
 *
 * One interpreter per process (NTS). hathi_resume() may be called from different
 * threads, one at a time. Nothing but hathi_resume() may enter Zend once the
 * engine runs: bailout targets and stack limits belong to PHP's stack. */
#ifndef HATHI_H
#define HATHI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "request.h"

/* What the host wants. */
typedef enum {
	HATHI_CONTINUE, /* go on after a yield that was not PARKED or ENDED */
	HATHI_BOOT,     /* run the worker script; after ENDED or at the first resume */
	HATHI_WORK,     /* the parked worker gets a request */
	HATHI_CLASSIC,  /* run a request's script from scratch; not while parked */
	HATHI_STOP,     /* the parked worker's handle_request() returns false */
	HATHI_CHECK     /* report whether OPcache is on; not while parked */
} hathi_command;

/* Why PHP stopped running. */
typedef enum {
	HATHI_YIELD_PARKED = 1, /* the worker waits in handle_request() */
	HATHI_YIELD_DONE,       /* the response is complete; HATHI_CONTINUE for what PHP does after it */
	HATHI_YIELD_OUTPUT,     /* a piece of a response that is larger than the buffer, or flushed */
	HATHI_YIELD_INFORM,     /* a 1xx response: status and headers only */
	HATHI_YIELD_LOG,        /* log lines only */
	HATHI_YIELD_ENDED       /* the script is over and the engine is idle */
} hathi_yield_reason;

#define HATHI_OUT_HEAD   1u /* status and headers are set: first piece of a response */
#define HATHI_OUT_FLUSH  2u /* PHP asked for a flush to the client */
#define HATHI_OUT_FATAL  4u /* the script ended by a fatal error */

/* What a yield hands over. Valid until the next hathi_resume(), except that the
 * body buffer belongs to the host until it is given back as `recycle`. */
typedef struct {
	uint32_t reason;
	uint32_t flags;
	int32_t status;
	int32_t exit_status;       /* with ENDED */
	const char *headers;       /* "Name: value\n" lines */
	size_t headers_len;
	char *body;                /* NULL when empty */
	size_t body_len;
	size_t body_cap;
	const char *log;           /* "<level digit><message>\0" entries */
	size_t log_len;
	const char *error;         /* with ENDED after HATHI_BOOT: why the loop was not reached */
	size_t error_len;
} hathi_yield;

/* A worker script. The strings are NUL-terminated and live as long as the process. */
typedef struct {
	const char *file;
	const char *env;       /* name\0value\0... */
	size_t env_len;
} hathi_script;

/* Log levels, as syslog has them. */
#define HATHI_LOG_ERROR   3
#define HATHI_LOG_WARNING 4
#define HATHI_LOG_NOTICE  5
#define HATHI_LOG_INFO    6
#define HATHI_LOG_DEBUG   7

/* Where the log lines of this process go; without one they are collected for the
 * host. A template has no host and sets one. */
extern void (*hathi_log_sink)(int level, const char *msg, size_t len);
void hathi_log(int level, const char *msg, size_t len);
void hathi_logf(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Starts PHP (MINIT) in this process. ini_entries is "key=value\n..." over php.ini.
 * Returns 0, or -1 after logging why. */
int hathi_module_startup(const char *ini_entries);

/* Makes the interpreter's stack. Returns 0 or -1 with errno. */
int hathi_engine_init(void);

/* Sets the script that HATHI_BOOT runs. */
void hathi_engine_set_script(const hathi_script *script);

/* Runs PHP until it yields. record is used by HATHI_WORK and HATHI_CLASSIC and must
 * stay in place until PARKED or ENDED. recycle is a body buffer of an earlier yield
 * that the host no longer needs, or NULL. aborted: the client is gone. */
const hathi_yield *hathi_resume(hathi_command command, const unsigned char *record, size_t record_len,
	bool aborted, char *recycle, size_t recycle_cap);

/* Whether the worker script is parked in handle_request(). */
bool hathi_parked(void);

/* Runs in a freshly forked child, before its first resume: reseeds what must not
 * be shared, takes this process's OPcache lock and reopens plain files. */
void hathi_after_fork(void);

/* Frees a body buffer that is not recycled. */
void hathi_buffer_free(char *body);

/* Time limits: called by the host about ten times a second while PHP runs. Compares
 * the interpreter's CPU time with its limit and interrupts PHP when it is over. Any
 * thread may call it. */
void hathi_timeout_check(void);

/* The ini files that were read, comma-separated. */
const char *hathi_ini_files(void);

#endif
