/* The names under which scripts written for FrankenPHP, FPM and Apache know our functions. */
#include "functions.h"

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_handle_request, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, callback, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_bool, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_array, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_array_or_false, 0, 0, MAY_BE_ARRAY | MAY_BE_BOOL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_headers_send, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, status, IS_LONG, 0, "200")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_after_fork, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, callback, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

#if PHP_VERSION_ID >= 80400
# define HATHI_FE(ns, name, fn, arginfo) ZEND_RAW_FENTRY(ns name, ZEND_FN(fn), arginfo, 0, NULL, NULL)
#else
# define HATHI_FE(ns, name, fn, arginfo) ZEND_RAW_FENTRY(ns name, ZEND_FN(fn), arginfo, 0)
#endif

const zend_function_entry hathi_function_entries[] = {
	HATHI_FE("Hathi\\", "handle_request", hathi_handle_request, arginfo_handle_request)
	HATHI_FE("Hathi\\", "finish_request", hathi_finish_request, arginfo_bool)
	HATHI_FE("Hathi\\", "headers_send", hathi_headers_send, arginfo_headers_send)
	HATHI_FE("Hathi\\", "request_headers", hathi_request_headers, arginfo_array)
	HATHI_FE("Hathi\\", "response_headers", hathi_response_headers, arginfo_array)
	HATHI_FE("Hathi\\", "after_fork", hathi_after_fork, arginfo_after_fork)

	HATHI_FE("", "frankenphp_handle_request", hathi_handle_request, arginfo_handle_request)
	HATHI_FE("", "frankenphp_finish_request", hathi_finish_request, arginfo_bool)
	HATHI_FE("", "fastcgi_finish_request", hathi_finish_request, arginfo_bool)
	HATHI_FE("", "headers_send", hathi_headers_send, arginfo_headers_send)
	HATHI_FE("", "frankenphp_request_headers", hathi_request_headers, arginfo_array)
	HATHI_FE("", "apache_request_headers", hathi_request_headers, arginfo_array)
	HATHI_FE("", "getallheaders", hathi_request_headers, arginfo_array)
	HATHI_FE("", "frankenphp_response_headers", hathi_response_headers, arginfo_array_or_false)
	HATHI_FE("", "apache_response_headers", hathi_response_headers, arginfo_array_or_false)
	ZEND_FE_END
};

void hathi_compat_constants(int module_number)
{
	REGISTER_LONG_CONSTANT("FRANKENPHP_LOG_LEVEL_DEBUG", -4, CONST_CS | CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("FRANKENPHP_LOG_LEVEL_INFO", 0, CONST_CS | CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("FRANKENPHP_LOG_LEVEL_WARN", 4, CONST_CS | CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("FRANKENPHP_LOG_LEVEL_ERROR", 8, CONST_CS | CONST_PERSISTENT);
}
