/* What the engine's files share; nothing here is for the host. */
#ifndef HATHI_ENGINE_H
#define HATHI_ENGINE_H

#include "hathi.h"
#include "compat.h"
#include "stack.h"

typedef enum {
	HATHI_IDLE,     /* no script */
	HATHI_BOOTING,  /* worker script, before its first handle_request() */
	HATHI_BETWEEN,  /* worker script, between two requests */
	HATHI_SERVING,  /* a request of a worker or a classic request */
	HATHI_ENDING    /* worker script, after its loop */
} hathi_phase;

typedef struct {
	hathi_stack php;
	hathi_stack host;
	hathi_command command;
	hathi_yield out;
	hathi_phase phase;
	bool running;            /* PHP's stack is the one in use */
	bool worker;             /* the script is a worker script */
	bool parked;
	bool responded;          /* the request's response was yielded (DONE, or finish_request) */
	bool head_sent;          /* its status and headers were yielded */
	bool aborted;            /* its client is gone */
	bool in_callback;        /* the worker's callback runs */
	bool fatal;              /* its script ended by a bailout */
	bool forked;             /* after_fork callbacks are due */
	const hathi_record *req; /* NULL outside a request */
	int64_t body_read;
	hathi_script script;
	HashTable *boot_shutdown_functions;
	zval after_fork;         /* list of callables */
} hathi_engine;

extern hathi_engine hathi;

/* engine.c */
void hathi_yield_to_host(hathi_yield_reason reason);
void hathi_request_info(const hathi_record *req);
void hathi_request_info_clear(void);
void hathi_stack_limits(void);

/* worker.c */
void hathi_worker_run(void);
void hathi_worker_handle_request(zend_fcall_info *fci, zend_fcall_info_cache *fcc, zval *return_value);
void hathi_after_fork_add(zval *callback);

/* output.c */
size_t hathi_ub_write(const char *str, size_t len);
void hathi_flush(void *server_context);
int hathi_send_headers(sapi_headers_struct *headers);
void hathi_output_reset(void);
void hathi_output_done(void);
bool hathi_output_finish(void);
void hathi_output_inform(int status);
void hathi_output_recycle(char *body, size_t cap);

/* superglobals.c */
void hathi_superglobals_startup(void);
void hathi_register_server_variables(zval *track_vars);
void hathi_superglobals_renew(void);
void hathi_superglobals_destroy(void);
char *hathi_getenv(const char *name, size_t name_len);

/* modules.c */
void hathi_modules_boot_keep(void);
void hathi_modules_boot_release(void);
void hathi_modules_request_end(void);
void hathi_modules_request_start(void);

/* timeout.c */
void hathi_timeout_startup(void);
void hathi_timeout_enter(void);
void hathi_timeout_after_fork(void);

/* thread.c */
void hathi_thread_enter(void);
void hathi_thread_leave(void);

/* boot_error.c */
void hathi_boot_output(const char *str, size_t len);
void hathi_boot_error_note(void);
void hathi_boot_error_reset(void);
void hathi_boot_error_take(hathi_yield *out);

/* opcache.c */
void hathi_opcache_check(void);
void hathi_opcache_after_fork(void);

/* functions.c */
extern zend_module_entry hathi_module_entry;

#endif
