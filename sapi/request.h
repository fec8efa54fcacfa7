/* One request in flat form: what record.go writes and the engine reads in place.
 *
 * Offsets count from the record's first byte. Every string is followed by a NUL
 * byte that its length does not count. A record is read-only and must stay
 * unchanged from the resume that starts the request to the yield that ends it
 * (HATHI_YIELD_PARKED or HATHI_YIELD_ENDED). */
#ifndef HATHI_REQUEST_H
#define HATHI_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order is that of the keys in $_SERVER, and of the constants in record.go. */
typedef enum {
	HATHI_FIELD_REMOTE_ADDR,
	HATHI_FIELD_REMOTE_HOST,
	HATHI_FIELD_REMOTE_PORT,
	HATHI_FIELD_DOCUMENT_ROOT,
	HATHI_FIELD_PATH_INFO,
	HATHI_FIELD_PHP_SELF,
	HATHI_FIELD_DOCUMENT_URI,
	HATHI_FIELD_SCRIPT_FILENAME,
	HATHI_FIELD_SCRIPT_NAME,
	HATHI_FIELD_HTTPS,
	HATHI_FIELD_SSL_PROTOCOL,
	HATHI_FIELD_SSL_CIPHER,
	HATHI_FIELD_REQUEST_SCHEME,
	HATHI_FIELD_SERVER_NAME,
	HATHI_FIELD_SERVER_PORT,
	HATHI_FIELD_CONTENT_LENGTH,
	HATHI_FIELD_SERVER_PROTOCOL,
	HATHI_FIELD_HTTP_HOST,
	HATHI_FIELD_REQUEST_URI,
	HATHI_FIELD_GATEWAY_INTERFACE,
	HATHI_FIELD_SERVER_SOFTWARE,
	HATHI_FIELD_AUTH_TYPE,
	HATHI_FIELD_REMOTE_IDENT,
	HATHI_FIELD_CONTENT_TYPE,
	HATHI_FIELD_QUERY_STRING,
	HATHI_FIELD_REQUEST_METHOD,
	HATHI_FIELD_SERVER_LAST = HATHI_FIELD_REQUEST_METHOD, /* the keys that are always there */
	HATHI_FIELD_PATH_TRANSLATED,
	HATHI_FIELD_REMOTE_USER,
	HATHI_FIELD_AUTHORIZATION,
	HATHI_FIELD_COOKIE,
	HATHI_FIELD_COUNT
} hathi_field;

#define HATHI_RECORD_MAGIC 0x48544852u

typedef struct {
	uint32_t off; /* 0: the field is not set */
	uint32_t len;
} hathi_string;

typedef struct {
	hathi_string name;
	hathi_string value;
} hathi_pair;

typedef struct {
	uint32_t magic;
	uint32_t size;
	uint32_t flags;
	int32_t body_fd; /* -1: the body is in the record at body_off */
	int64_t body_len;
	uint32_t body_off;
	uint32_t reserved;
	uint32_t header_count;
	uint32_t header_off;
	uint32_t env_count;
	uint32_t env_off;
	hathi_string fields[HATHI_FIELD_COUNT];
} hathi_record;

/* Whether every offset, length and terminator of the record is inside its len bytes. */
bool hathi_record_valid(const unsigned char *bytes, size_t len);

static inline const char *hathi_record_str(const hathi_record *r, hathi_string s)
{
	return (const char *) r + s.off;
}

/* The field's value, NULL when it is not set. */
static inline const char *hathi_record_field(const hathi_record *r, hathi_field f)
{
	return r->fields[f].off ? (const char *) r + r->fields[f].off : NULL;
}

static inline const hathi_pair *hathi_record_headers(const hathi_record *r)
{
	return (const hathi_pair *) ((const char *) r + r->header_off);
}

static inline const hathi_pair *hathi_record_env(const hathi_record *r)
{
	return (const hathi_pair *) ((const char *) r + r->env_off);
}

#endif
