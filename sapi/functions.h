/* The PHP functions and their signatures. */
#ifndef HATHI_FUNCTIONS_H
#define HATHI_FUNCTIONS_H

#include "engine.h"

ZEND_FUNCTION(hathi_handle_request);
ZEND_FUNCTION(hathi_finish_request);
ZEND_FUNCTION(hathi_headers_send);
ZEND_FUNCTION(hathi_request_headers);
ZEND_FUNCTION(hathi_response_headers);
ZEND_FUNCTION(hathi_after_fork);

extern const zend_function_entry hathi_function_entries[];

/* functions_compat.c */
void hathi_compat_constants(int module_number);

/* Replaces functions that must not run in a server process by an error. */
void hathi_functions_refuse(void);

#endif
