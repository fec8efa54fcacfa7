/* Why a worker script did not reach its loop: its output and PHP's last error. */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HATHI_BOOT_OUTPUT_MAX 4096

static char output[HATHI_BOOT_OUTPUT_MAX];
static size_t output_len;
static char error[HATHI_BOOT_OUTPUT_MAX * 2 + 1024];

void hathi_boot_error_reset(void)
{
	output_len = 0;
	error[0] = '\0';
}

/* Keeps the first bytes of what the script prints before its loop. */
void hathi_boot_output(const char *str, size_t len)
{
	if (len > sizeof(output) - output_len) {
		len = sizeof(output) - output_len;
	}
	memcpy(output + output_len, str, len);
	output_len += len;
}

/* Called when the script is over, before php_request_shutdown() forgets the error. */
void hathi_boot_error_note(void)
{
	if (PG(last_error_message) && (PG(last_error_type) & (E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR))) {
		const char *message = ZSTR_VAL(PG(last_error_message));
		const char *kind = PG(last_error_type) == E_PARSE ? "Parse error" : "Fatal error";
		const char *trace = strstr(message, "\nStack trace:\n");

		if (trace) { /* an exception's message ends with its file and line, and the trace is in the log */
			snprintf(error, sizeof(error), "PHP %s: %.*s", kind, (int) (trace - message), message);
		} else {
			snprintf(error, sizeof(error), "PHP %s: %s in %s on line %d", kind, message,
				PG(last_error_file) ? ZSTR_VAL(PG(last_error_file)) : "Unknown", HATHI_LAST_ERROR_LINE);
		}
	}
}

/* The operator's terminal gets one line. */
static size_t one_line(char *text, size_t len)
{
	size_t end = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
		if (c != ' ' || (end && text[end - 1] != ' ')) {
			text[end++] = c;
		}
	}
	while (end && text[end - 1] == ' ') {
		end--;
	}
	text[end] = '\0';
	return end;
}

void hathi_boot_error_take(hathi_yield *out)
{
	size_t len = strlen(error);

	if (!len) {
		len = (size_t) snprintf(error, sizeof(error),
			"the script ended with exit status %d without calling frankenphp_handle_request()", (int) EG(exit_status));
	}
	if (output_len) {
		int n = snprintf(error + len, sizeof(error) - len, "; it printed: %.*s", (int) output_len, output);
		if (n > 0) {
			len += (size_t) n < sizeof(error) - len ? (size_t) n : sizeof(error) - len - 1;
		}
	}
	out->error = error;
	out->error_len = one_line(error, len);
}
