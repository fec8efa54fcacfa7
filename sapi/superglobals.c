/* $_SERVER and the renewal of the other super-globals. */
#include "engine.h"

#include <string.h>

extern char **environ;

static const char *const field_name[HATHI_FIELD_COUNT] = {
	[HATHI_FIELD_REMOTE_ADDR] = "REMOTE_ADDR",
	[HATHI_FIELD_REMOTE_HOST] = "REMOTE_HOST",
	[HATHI_FIELD_REMOTE_PORT] = "REMOTE_PORT",
	[HATHI_FIELD_DOCUMENT_ROOT] = "DOCUMENT_ROOT",
	[HATHI_FIELD_PATH_INFO] = "PATH_INFO",
	[HATHI_FIELD_PHP_SELF] = "PHP_SELF",
	[HATHI_FIELD_DOCUMENT_URI] = "DOCUMENT_URI",
	[HATHI_FIELD_SCRIPT_FILENAME] = "SCRIPT_FILENAME",
	[HATHI_FIELD_SCRIPT_NAME] = "SCRIPT_NAME",
	[HATHI_FIELD_HTTPS] = "HTTPS",
	[HATHI_FIELD_SSL_PROTOCOL] = "SSL_PROTOCOL",
	[HATHI_FIELD_SSL_CIPHER] = "SSL_CIPHER",
	[HATHI_FIELD_REQUEST_SCHEME] = "REQUEST_SCHEME",
	[HATHI_FIELD_SERVER_NAME] = "SERVER_NAME",
	[HATHI_FIELD_SERVER_PORT] = "SERVER_PORT",
	[HATHI_FIELD_CONTENT_LENGTH] = "CONTENT_LENGTH",
	[HATHI_FIELD_SERVER_PROTOCOL] = "SERVER_PROTOCOL",
	[HATHI_FIELD_HTTP_HOST] = "HTTP_HOST",
	[HATHI_FIELD_REQUEST_URI] = "REQUEST_URI",
	[HATHI_FIELD_GATEWAY_INTERFACE] = "GATEWAY_INTERFACE",
	[HATHI_FIELD_SERVER_SOFTWARE] = "SERVER_SOFTWARE",
	[HATHI_FIELD_AUTH_TYPE] = "AUTH_TYPE",
	[HATHI_FIELD_REMOTE_IDENT] = "REMOTE_IDENT",
	[HATHI_FIELD_CONTENT_TYPE] = "CONTENT_TYPE",
	[HATHI_FIELD_QUERY_STRING] = "QUERY_STRING",
	[HATHI_FIELD_REQUEST_METHOD] = "REQUEST_METHOD",
	[HATHI_FIELD_PATH_TRANSLATED] = "PATH_TRANSLATED",
	[HATHI_FIELD_REMOTE_USER] = "REMOTE_USER",
};

/* Headers that browsers and proxies send: their keys are made once. */
static const char *const header_name[] = {
	"HTTP_ACCEPT", "HTTP_ACCEPT_CHARSET", "HTTP_ACCEPT_ENCODING", "HTTP_ACCEPT_LANGUAGE",
	"HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "HTTP_ACCESS_CONTROL_REQUEST_METHOD", "HTTP_AUTHORIZATION",
	"HTTP_CACHE_CONTROL", "HTTP_CONNECTION", "HTTP_CONTENT_LENGTH", "HTTP_CONTENT_TYPE", "HTTP_COOKIE",
	"HTTP_DNT", "HTTP_EXPECT", "HTTP_FORWARDED", "HTTP_HOST", "HTTP_IF_MATCH", "HTTP_IF_MODIFIED_SINCE",
	"HTTP_IF_NONE_MATCH", "HTTP_IF_RANGE", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_KEEP_ALIVE", "HTTP_ORIGIN",
	"HTTP_PRAGMA", "HTTP_PRIORITY", "HTTP_RANGE", "HTTP_REFERER", "HTTP_SAVE_DATA", "HTTP_SEC_CH_UA",
	"HTTP_SEC_CH_UA_MOBILE", "HTTP_SEC_CH_UA_PLATFORM", "HTTP_SEC_FETCH_DEST", "HTTP_SEC_FETCH_MODE",
	"HTTP_SEC_FETCH_SITE", "HTTP_SEC_FETCH_USER", "HTTP_SEC_GPC", "HTTP_TE", "HTTP_TRAILER",
	"HTTP_TRANSFER_ENCODING", "HTTP_UPGRADE", "HTTP_UPGRADE_INSECURE_REQUESTS", "HTTP_USER_AGENT",
	"HTTP_VIA", "HTTP_X_CSRF_TOKEN", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST",
	"HTTP_X_FORWARDED_PORT", "HTTP_X_FORWARDED_PROTO", "HTTP_X_REAL_IP", "HTTP_X_REQUEST_ID",
	"HTTP_X_REQUESTED_WITH", "HTTP_X_XSRF_TOKEN",
};

static zend_string *field_key[HATHI_FIELD_COUNT];
static HashTable header_keys;
static HashTable os_env; /* as it was when PHP started */

/* In MINIT: later, OPcache's handlers no longer make permanent strings. */
void hathi_superglobals_startup(void)
{
	for (int i = 0; i < HATHI_FIELD_COUNT; i++) {
		if (field_name[i]) {
			field_key[i] = zend_string_init_interned(field_name[i], strlen(field_name[i]), 1);
		}
	}
	zend_hash_init(&header_keys, 2 * sizeof(header_name) / sizeof(*header_name), NULL, NULL, 1);
	for (size_t i = 0; i < sizeof(header_name) / sizeof(*header_name); i++) {
		zend_string *key = zend_string_init_interned(header_name[i], strlen(header_name[i]), 1);
		zval tmp;

		ZVAL_STR(&tmp, key);
		zend_hash_add(&header_keys, key, &tmp);
	}

	zend_hash_init(&os_env, 64, NULL, NULL, 1);
	for (char **env = environ; env && *env; env++) {
		const char *eq = strchr(*env, '=');
		zend_ulong index;
		zval tmp;

		/* What PHP would mangle or take for an index is not worth a special case. */
		if (!eq || eq == *env || ZEND_HANDLE_NUMERIC_STR(*env, (size_t) (eq - *env), index)) {
			continue;
		}
		zend_string *key = zend_string_init_interned(*env, (size_t) (eq - *env), 1);
		ZVAL_STR(&tmp, zend_string_init_interned(eq + 1, strlen(eq + 1), 1));
		zend_hash_update(&os_env, key, &tmp);
	}
}

static zend_always_inline void set_string(HashTable *ht, zend_string *key, const char *value, size_t len)
{
	zval tmp;

	ZVAL_STRINGL_FAST(&tmp, value, len);
	zend_hash_update(ht, key, &tmp);
}

static void set_pair(HashTable *ht, const char *name, size_t name_len, const char *value, size_t value_len)
{
	zval tmp;
	zval *known = zend_hash_str_find(&header_keys, name, name_len);

	if (known) {
		set_string(ht, Z_STR_P(known), value, value_len);
		return;
	}
	ZVAL_STRINGL_FAST(&tmp, value, value_len);
	zend_symtable_str_update(ht, name, name_len, &tmp);
}

/* $_SERVER while the worker script boots: no request yet. */
static void register_boot_variables(HashTable *ht)
{
	const char *file = hathi.script.file ? hathi.script.file : "";
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash : file;
	size_t dir = slash ? (size_t) (slash - file) : 0;

	set_string(ht, field_key[HATHI_FIELD_DOCUMENT_ROOT], file, dir);
	set_string(ht, field_key[HATHI_FIELD_PHP_SELF], name, strlen(name));
	set_string(ht, field_key[HATHI_FIELD_SCRIPT_FILENAME], file, strlen(file));
	set_string(ht, field_key[HATHI_FIELD_SCRIPT_NAME], name, strlen(name));
	set_string(ht, field_key[HATHI_FIELD_REQUEST_METHOD], "GET", 3);
	set_pair(ht, "FRANKENPHP_WORKER", sizeof("FRANKENPHP_WORKER") - 1, "1", 1);
	for (const char *p = hathi.script.env, *end = p + hathi.script.env_len; p && p < end;) {
		const char *value = p + strlen(p) + 1;
		set_pair(ht, p, strlen(p), value, strlen(value));
		p = value + strlen(value) + 1;
	}
}

void hathi_register_server_variables(zval *track_vars)
{
	const hathi_record *req = hathi.req;
	HashTable *ht = Z_ARRVAL_P(track_vars);

	zend_hash_extend(ht, zend_hash_num_elements(&os_env) + HATHI_FIELD_COUNT + (req ? req->header_count + req->env_count : 8) + 8, 0);
	zend_hash_copy(ht, &os_env, NULL);
	if (!req) {
		if (hathi.worker) {
			register_boot_variables(ht);
		}
		return;
	}

	for (int i = 0; i <= HATHI_FIELD_REMOTE_USER; i++) {
		hathi_string s = req->fields[i];
		if (s.off) {
			set_string(ht, field_key[i], hathi_record_str(req, s), s.len);
		}
	}
	const hathi_pair *pair = hathi_record_headers(req);
	for (uint32_t i = 0; i < req->header_count; i++) {
		set_pair(ht, hathi_record_str(req, pair[i].name), pair[i].name.len,
			hathi_record_str(req, pair[i].value), pair[i].value.len);
	}
	pair = hathi_record_env(req);
	for (uint32_t i = 0; i < req->env_count; i++) {
		set_pair(ht, hathi_record_str(req, pair[i].name), pair[i].name.len,
			hathi_record_str(req, pair[i].value), pair[i].value.len);
	}
}

/* getenv(): the site's env, or the worker's own while it boots. PHP frees the result. */
char *hathi_getenv(const char *name, size_t name_len)
{
	if (hathi.req) {
		const hathi_pair *pair = hathi_record_env(hathi.req);
		for (uint32_t i = 0; i < hathi.req->env_count; i++) {
			if (pair[i].name.len == name_len && !memcmp(hathi_record_str(hathi.req, pair[i].name), name, name_len)) {
				return estrndup(hathi_record_str(hathi.req, pair[i].value), pair[i].value.len);
			}
		}
	} else if (hathi.worker) {
		for (const char *p = hathi.script.env, *end = p + hathi.script.env_len; p && p < end;) {
			const char *value = p + strlen(p) + 1;
			if (strlen(p) == name_len && !memcmp(p, name, name_len)) {
				return estrdup(value);
			}
			p = value + strlen(value) + 1;
		}
	}
	return NULL;
}

void hathi_superglobals_destroy(void)
{
	for (int i = 0; i < NUM_TRACK_VARS; i++) {
		zval_ptr_dtor_nogc(&PG(http_globals)[i]);
		ZVAL_UNDEF(&PG(http_globals)[i]);
	}
}

/* Makes the super-globals of a worker's next request: php_hash_environment(), except
 * that those which no compiled code has asked for (still armed) stay unmade. */
void hathi_superglobals_renew(void)
{
	zend_auto_global *global;

	ZEND_HASH_MAP_FOREACH_PTR(CG(auto_globals), global) {
		if (!global->auto_global_callback || (global->jit && global->armed)) {
			continue;
		}
		global->armed = global->auto_global_callback(global->name);
	} ZEND_HASH_FOREACH_END();
	if (PG(register_argc_argv)) {
		php_build_argv(SG(request_info).query_string, &PG(http_globals)[TRACK_VARS_SERVER]);
	}
}
