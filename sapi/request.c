#include "request.h"

static bool string_valid(const unsigned char *bytes, size_t len, hathi_string s)
{
	return s.off < len && s.len < len - s.off && bytes[s.off + s.len] == '\0';
}

static bool pairs_valid(const unsigned char *bytes, size_t len, uint32_t off, uint32_t count)
{
	if (off % sizeof(uint32_t) || off > len || count > (len - off) / sizeof(hathi_pair)) {
		return false;
	}
	const hathi_pair *pair = (const hathi_pair *) (bytes + off);
	for (uint32_t i = 0; i < count; i++) {
		if (!string_valid(bytes, len, pair[i].name) || !string_valid(bytes, len, pair[i].value)) {
			return false;
		}
	}
	return true;
}

bool hathi_record_valid(const unsigned char *bytes, size_t len)
{
	const hathi_record *r = (const hathi_record *) bytes;

	if (len < sizeof(*r) || len > UINT32_MAX || (uintptr_t) bytes % sizeof(uint64_t)
	 || r->magic != HATHI_RECORD_MAGIC || r->size != len || r->body_len < 0) {
		return false;
	}
	if (r->body_fd < 0 && (r->body_off > len || (uint64_t) r->body_len > len - r->body_off)) {
		return false;
	}
	for (int i = 0; i < HATHI_FIELD_COUNT; i++) {
		if (r->fields[i].off && !string_valid(bytes, len, r->fields[i])) {
			return false;
		}
	}
	return pairs_valid(bytes, len, r->header_off, r->header_count)
		&& pairs_valid(bytes, len, r->env_off, r->env_count);
}
