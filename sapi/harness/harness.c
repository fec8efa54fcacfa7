/* The engine without Go: boots a worker script, sends it requests, runs classic
 * scripts, and checks every answer. For AddressSanitizer and valgrind.
 *
 *   harness <directory of the plain application>
 *
 * Prints a line per check and ends with status 0 when all passed. */
#include "../hathi.h"
#include "../template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool hathi_cli_active; /* cli.c is not part of the harness */

static unsigned checks, failures;

static void check(const char *what, bool ok)
{
	checks++;
	if (!ok) {
		failures++;
		printf("FAIL %s\n", what);
	}
}

/* ---- records ---- */

static _Alignas(8) unsigned char record[1 << 20];
static size_t record_len;
static hathi_pair pairs[64];
static uint32_t pair_count;

static hathi_string put(const char *s, size_t len)
{
	hathi_string r = { (uint32_t) record_len, (uint32_t) len };
	memcpy(record + record_len, s, len);
	record[record_len + len] = '\0';
	record_len += len + 1;
	return r;
}

static void field(hathi_field f, const char *value)
{
	((hathi_record *) record)->fields[f] = put(value, strlen(value));
}

static void header(const char *name, const char *value)
{
	pairs[pair_count].name = put(name, strlen(name));
	pairs[pair_count++].value = put(value, strlen(value));
}

static void request_new(const char *method, const char *file, const char *uri, const char *query)
{
	memset(record, 0, sizeof(hathi_record));
	record_len = sizeof(hathi_record);
	pair_count = 0;
	field(HATHI_FIELD_REMOTE_ADDR, "127.0.0.1");
	field(HATHI_FIELD_SCRIPT_FILENAME, file);
	field(HATHI_FIELD_SCRIPT_NAME, uri);
	field(HATHI_FIELD_PHP_SELF, uri);
	field(HATHI_FIELD_REQUEST_URI, uri);
	field(HATHI_FIELD_DOCUMENT_URI, uri);
	field(HATHI_FIELD_PATH_INFO, "");
	field(HATHI_FIELD_QUERY_STRING, query);
	field(HATHI_FIELD_REQUEST_METHOD, method);
	field(HATHI_FIELD_SERVER_PROTOCOL, "HTTP/1.1");
	header("HTTP_X_HARNESS", "yes");
}

static void request_end(const char *body, size_t body_len)
{
	hathi_record *r = (hathi_record *) record;

	r->magic = HATHI_RECORD_MAGIC;
	r->body_fd = -1;
	r->body_off = (uint32_t) record_len;
	r->body_len = (int64_t) body_len;
	memcpy(record + record_len, body, body_len);
	record_len = (record_len + body_len + 8) & ~(size_t) 7;
	r->header_off = (uint32_t) record_len;
	r->header_count = pair_count;
	memcpy(record + record_len, pairs, pair_count * sizeof(hathi_pair));
	record_len += pair_count * sizeof(hathi_pair);
	r->env_off = (uint32_t) record_len;
	r->size = (uint32_t) record_len;
}

/* ---- responses ---- */

static char response[1 << 20];
static size_t response_len;
static int response_status;
static char *spare;
static size_t spare_cap;
static uint32_t last_reason;

static void take(const hathi_yield *y)
{
	last_reason = y->reason;
	for (size_t i = 0; i < y->log_len; i += strlen(y->log + i) + 1) {
		printf("log %s\n", y->log + i);
	}
	if (y->flags & HATHI_OUT_HEAD && y->reason != HATHI_YIELD_INFORM) {
		response_status = y->status;
	}
	if (y->body) {
		if (response_len + y->body_len < sizeof(response)) {
			memcpy(response + response_len, y->body, y->body_len);
			response_len += y->body_len;
		}
		spare = y->body;
		spare_cap = y->body_cap;
	}
	response[response_len] = '\0';
}

static void run(hathi_command command)
{
	response_len = 0;
	response_status = 0;
	for (;;) {
		char *recycle = spare;
		spare = NULL;
		take(hathi_resume(command, record, record_len, false, recycle, spare_cap));
		if (last_reason == HATHI_YIELD_PARKED || last_reason == HATHI_YIELD_ENDED) {
			return;
		}
		command = HATHI_CONTINUE;
	}
}

static char script[4096], classic[4096];

static const char *file(const char *dir, const char *name)
{
	snprintf(classic, sizeof(classic), "%s/%s", dir, name);
	return classic;
}

static void worker_requests(int rounds)
{
	char body[256], query[64], want[64];

	for (int i = 0; i < rounds; i++) {
		request_new("GET", script, "/hello.php", "");
		request_end("", 0);
		run(HATHI_WORK);
		check("worker hello", response_status == 200 && !strcmp(response, "Hello World"));

		snprintf(query, sizeof(query), "n=%d", i);
		snprintf(want, sizeof(want), "\"n\":\"%d\"", i);
		request_new("GET", script, "/get.php", query);
		request_end("", 0);
		run(HATHI_WORK);
		check("worker $_GET", strstr(response, want) != NULL);

		int n = snprintf(body, sizeof(body), "n=%d&long=%0*d", i, i % 100 + 1, 7);
		request_new("POST", script, "/post.php", "");
		field(HATHI_FIELD_CONTENT_TYPE, "application/x-www-form-urlencoded");
		request_end(body, (size_t) n);
		run(HATHI_WORK);
		check("worker $_POST", strstr(response, want) != NULL);

		request_new("GET", script, "/server.php", "");
		header("HTTP_X_ROUND", query);
		request_end("", 0);
		run(HATHI_WORK);
		check("worker $_SERVER", strstr(response, query) != NULL && strstr(response, "HTTP_X_HARNESS") != NULL);

		request_new("GET", script, "/stream.php", "");
		request_end("", 0);
		run(HATHI_WORK);
		check("worker stream", response_status == 200 && response_len > 0);

		request_new("GET", script, "/exception.php", "");
		request_end("", 0);
		run(HATHI_WORK);
		check("worker exception", response_status == 500 && last_reason == HATHI_YIELD_PARKED);

		request_new("GET", script, "/exit.php", "");
		request_end("", 0);
		run(HATHI_WORK);
		check("worker exit", response_len > 0 && last_reason == HATHI_YIELD_PARKED);
	}
}

static void fatal_and_reboot(void)
{
	request_new("GET", script, "/fatal.php", "");
	request_end("", 0);
	run(HATHI_WORK);
	check("worker fatal ends the script with 500", response_status == 500 && last_reason == HATHI_YIELD_ENDED);
	run(HATHI_BOOT);
	check("worker boots again", last_reason == HATHI_YIELD_PARKED);
}

static void mutated(int rounds)
{
	srand(1);
	for (int i = 0; i < rounds; i++) {
		request_new("GET", script, "/hello.php", "a=1");
		request_end("x", 1);
		for (int n = 0; n < 4; n++) {
			record[(size_t) rand() % (n < 2 ? sizeof(hathi_record) : record_len)] ^= (unsigned char) (1 << rand() % 8);
		}
		/* A descriptor that the mutation names is not one of ours to read. */
		((hathi_record *) record)->body_fd = -1;
		run(HATHI_WORK);
		if (!hathi_parked()) {
			run(HATHI_BOOT);
		}
	}
	request_new("GET", script, "/hello.php", "");
	request_end("", 0);
	run(HATHI_WORK);
	check("hello after mutated records", !strcmp(response, "Hello World"));
}

int main(int argc, char **argv)
{
	hathi_script s = { .env = "HARNESS\0one\0", .env_len = 12 };
	int rounds = getenv("HARNESS_ROUNDS") ? atoi(getenv("HARNESS_ROUNDS")) : 50;
	int status;

	if (argc != 2) {
		fprintf(stderr, "usage: harness <directory of the plain application>\n");
		return 2;
	}
	/* PCRE's compiled code reads whole vectors, which valgrind takes for overruns. */
	if (hathi_module_startup("pcre.jit=0\nopcache.enable_cli=0\ndisplay_errors=0\nlog_errors=1\n") || hathi_engine_init()) {
		return 1;
	}
	snprintf(script, sizeof(script), "%s/worker.php", argv[1]);
	s.file = script;
	hathi_engine_set_script(&s);

	for (int i = 0; i < rounds; i++) {
		request_new("GET", file(argv[1], "hello.php"), "/hello.php", "");
		request_end("", 0);
		run(HATHI_CLASSIC);
		check("classic hello", response_status == 200 && !strcmp(response, "Hello World"));
	}
	request_new("GET", file(argv[1], "fatal.php"), "/fatal.php", "");
	request_end("", 0);
	run(HATHI_CLASSIC);
	check("classic fatal", response_status == 500 && last_reason == HATHI_YIELD_ENDED);

	run(HATHI_BOOT);
	check("boot parks", last_reason == HATHI_YIELD_PARKED);
	fflush(stdout);

	pid_t child = fork();
	if (child == 0) {
		hathi_after_fork();
		worker_requests(rounds);
		_exit(failures ? 1 : 0);
	}
	waitpid(child, &status, 0);
	check("a forked child answers", status == 0);
	worker_requests(rounds);
	fatal_and_reboot();
	mutated(rounds * 20);
	run(HATHI_STOP);
	check("stop ends the script", last_reason == HATHI_YIELD_ENDED);
	printf("%u passed, %u failed\n", checks - failures, failures);
	return failures ? 1 : 0;
}
