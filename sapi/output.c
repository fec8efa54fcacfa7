/* The response: collected here, handed to the host whole or in pieces. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#define HATHI_BODY_FIRST  (16u << 10)
#define HATHI_BODY_MAX    (256u << 10) /* above this a response is streamed */
#define HATHI_SPARES      4

typedef struct {
	char *data;
	size_t len;
	size_t cap;
} buffer;

static buffer body;
static buffer head;
static int head_status;
static buffer spare[HATHI_SPARES];
static int spares;

void hathi_buffer_free(char *data)
{
	free(data);
}

void hathi_output_recycle(char *data, size_t cap)
{
	if (!data) {
		return;
	}
	if (spares == HATHI_SPARES || cap > HATHI_BODY_MAX + HATHI_BODY_FIRST) {
		free(data);
		return;
	}
	spare[spares++] = (buffer) { .data = data, .cap = cap };
}

/* Makes room for n more bytes; returns false without memory. */
static bool reserve(buffer *b, size_t n, size_t first)
{
	if (b->cap - b->len >= n) {
		return true;
	}
	size_t cap = b->cap ? b->cap : first;
	while (cap - b->len < n) {
		cap *= 2;
	}
	char *data = realloc(b->data, cap);
	if (!data) {
		return false;
	}
	b->data = data;
	b->cap = cap;
	return true;
}

void hathi_output_reset(void)
{
	body.len = 0;
	head.len = 0;
	head_status = 0;
	hathi.head_sent = false;
}

/* php_handle_aborted_connection(), except that a worker's script survives: its request
 * ends as by exit(), at its next output, unless ignore_user_abort is set. */
static void client_gone(void)
{
	if (!hathi.worker) {
		php_handle_aborted_connection();
		return;
	}
	PG(connection_status) = PHP_CONNECTION_ABORTED;
	php_output_set_status(PHP_OUTPUT_DISABLED);
	if (!PG(ignore_user_abort) && hathi.in_callback && !EG(exception)) {
		zend_throw_unwind_exit();
	}
}

static void yield_response(hathi_yield_reason reason, uint32_t flags)
{
	if (!hathi.head_sent && head_status) {
		flags |= HATHI_OUT_HEAD;
		hathi.out.status = head_status;
		hathi.out.headers = head.data;
		hathi.out.headers_len = head.len;
		hathi.head_sent = true;
	}
	hathi.out.flags = flags;
	if (body.len) {
		hathi.out.body = body.data;
		hathi.out.body_len = body.len;
		hathi.out.body_cap = body.cap;
		body = spares ? spare[--spares] : (buffer) {0};
	}
	hathi_yield_to_host(reason);
}

size_t hathi_ub_write(const char *str, size_t len)
{
	const char *p = str;
	size_t left = len;

	if (hathi.phase == HATHI_BOOTING) {
		hathi_boot_output(str, len);
		return len;
	}
	if (!hathi.req || hathi.responded) {
		return len; /* between requests, or after finish_request(): nobody reads it */
	}
	if (hathi.aborted) {
		client_gone();
		return len;
	}
	while (left) {
		size_t n = body.len < HATHI_BODY_MAX ? HATHI_BODY_MAX - body.len : 0;
		if (n > left) {
			n = left;
		}
		if (n == 0 || !reserve(&body, n, HATHI_BODY_FIRST)) {
			if (!body.len) {
				zend_error_noreturn(E_ERROR, "Out of memory for %zu bytes of output", left);
			}
			yield_response(HATHI_YIELD_OUTPUT, 0);
			if (hathi.aborted) {
				client_gone();
				return len;
			}
			continue;
		}
		memcpy(body.data + body.len, p, n);
		body.len += n;
		p += n;
		left -= n;
	}
	return len;
}

void hathi_flush(void *server_context)
{
	if (hathi.phase != HATHI_SERVING || !hathi.req || hathi.responded) {
		return;
	}
	sapi_send_headers();
	if (hathi.responded) {
		return;
	}
	yield_response(HATHI_YIELD_OUTPUT, HATHI_OUT_FLUSH);
	if (hathi.aborted) {
		client_gone();
	}
}

static void add_header(void *element, void *ok)
{
	const sapi_header_struct *h = element;

	if (!*(bool *) ok || !h->header_len) {
		return;
	}
	if (!reserve(&head, h->header_len + 1, 1024)) {
		*(bool *) ok = false;
		return;
	}
	memcpy(head.data + head.len, h->header, h->header_len);
	head.len += h->header_len;
	head.data[head.len++] = '\n';
}

/* Copies PHP's header list into head. */
static bool collect_headers(sapi_headers_struct *headers)
{
	bool ok = true;

	head.len = 0;
	zend_llist_apply_with_argument(&headers->headers, (llist_apply_with_arg_func_t) add_header, &ok);
	return ok;
}

/* The status of a response: an application's own status line wins over the code. */
static int status_of(const sapi_headers_struct *headers)
{
	int status = headers->http_response_code;

	if (headers->http_status_line) {
		const char *sp = strchr(headers->http_status_line, ' ');
		int line = sp ? atoi(sp + 1) : 0;
		if (line >= 100 && line <= 999) {
			status = line;
		}
	}
	return status >= 100 && status <= 999 ? status : 200;
}

int hathi_send_headers(sapi_headers_struct *headers)
{
	if (hathi.req && hathi.phase == HATHI_SERVING && !hathi.responded) {
		if (!collect_headers(headers)) {
			return SAPI_HEADER_SEND_FAILED;
		}
		head_status = status_of(headers);
	}
	return SAPI_HEADER_SENT_SUCCESSFULLY;
}

void hathi_output_inform(int status)
{
	if (!hathi.req || hathi.responded || hathi.head_sent || !collect_headers(&SG(sapi_headers))) {
		return;
	}
	hathi.out.flags = HATHI_OUT_HEAD;
	hathi.out.status = status;
	hathi.out.headers = head.data;
	hathi.out.headers_len = head.len;
	hathi_yield_to_host(HATHI_YIELD_INFORM);
	head.len = 0;
}

/* Ends the response, if that has not happened yet. */
void hathi_output_done(void)
{
	if (!hathi.req || hathi.responded) {
		return;
	}
	if (!hathi.head_sent && !head_status) {
		/* PHP never came to its headers: startup failed or the script died in its shutdown. */
		head_status = hathi.fatal || HATHI_STATUS >= 500 ? 500 : 200;
		head.len = 0;
	}
	hathi.responded = true;
	yield_response(HATHI_YIELD_DONE, hathi.fatal ? HATHI_OUT_FATAL : 0);
}

/* finish_request(): false when the response is already with the client. */
bool hathi_output_finish(void)
{
	if (!hathi.req || hathi.responded || hathi.phase != HATHI_SERVING) {
		return false;
	}
	php_output_end_all();
	php_header();
	hathi_output_done();
	return true;
}
