/* Log lines: to this process's sink, or collected for the host's next look. */
#include "engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HATHI_LOG_MAX (64u << 10)

void (*hathi_log_sink)(int level, const char *msg, size_t len);

static char *lines;
static size_t lines_len;

/* Hands the collected lines over with the next yield. */
static void attach(void)
{
	hathi.out.log = lines;
	hathi.out.log_len = lines_len;
}

void hathi_log(int level, const char *msg, size_t len)
{
	if (hathi_log_sink) {
		hathi_log_sink(level, msg, len);
		return;
	}
	if (!hathi.running) {
		fprintf(stderr, "hathi: %.*s\n", (int) len, msg);
		return;
	}
	if (!hathi.out.log) {
		lines_len = 0; /* the host has read the previous ones */
	}
	if (!lines && !(lines = malloc(HATHI_LOG_MAX))) {
		return;
	}
	if (len > HATHI_LOG_MAX - 2) {
		len = HATHI_LOG_MAX - 2;
	}
	if (lines_len + len + 2 > HATHI_LOG_MAX) {
		hathi_yield_to_host(HATHI_YIELD_LOG);
		lines_len = 0;
	}
	lines[lines_len++] = (char) ('0' + (level & 7));
	for (size_t i = 0; i < len; i++) {
		lines[lines_len++] = msg[i] ? msg[i] : ' ';
	}
	lines[lines_len++] = '\0';
	attach();
	/* What may be the last word of this process must not stay in it. */
	if (level <= HATHI_LOG_ERROR) {
		hathi_yield_to_host(HATHI_YIELD_LOG);
		lines_len = 0;
	}
}

void hathi_logf(int level, const char *fmt, ...)
{
	char msg[2048];
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(msg, sizeof(msg), fmt, args);
	va_end(args);
	if (n > 0) {
		hathi_log(level, msg, (size_t) n < sizeof(msg) ? (size_t) n : sizeof(msg) - 1);
	}
}
