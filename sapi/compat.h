/* What differs between PHP 8.2 and 8.5, in one place. */
#ifndef HATHI_COMPAT_H
#define HATHI_COMPAT_H

#include "php.h"
#include "SAPI.h"
#include "php_main.h"
#include "php_output.h"
#include "php_variables.h"
#include "php_ini.h"
#include "zend_extensions.h"
#include "zend_exceptions.h"
#include "zend_interfaces.h"
#include "ext/standard/basic_functions.h"
#include "ext/standard/head.h"
#include "ext/spl/spl_exceptions.h"
#include "ext/session/php_session.h"
#if PHP_VERSION_ID >= 80400
# include "ext/random/php_random.h"
# include "ext/random/php_random_csprng.h"
#else
# include "ext/random/php_random.h"
#endif

#if PHP_VERSION_ID < 80200
# error "Hathi needs PHP 8.2 or later"
#endif

/* EG(stack_base) and EG(stack_limit) exist, and PHP checks the stack against them. */
#if PHP_VERSION_ID >= 80300 && defined(ZEND_CHECK_STACK_LIMIT)
# define HATHI_HAS_STACK_LIMIT 1
#endif

/* sapi_header_op() and friends take the status from here on every version. */
#define HATHI_STATUS SG(sapi_headers).http_response_code

#if PHP_VERSION_ID >= 80500
# define HATHI_LAST_ERROR_LINE ((int) PG(last_error_lineno))
#else
# define HATHI_LAST_ERROR_LINE (PG(last_error_lineno))
#endif

#if PHP_VERSION_ID < 80300
# define hathi_is_graceful_exit(ex) 0
#else
# define hathi_is_graceful_exit(ex) zend_is_graceful_exit(ex)
#endif

/* php_execute_script() returns bool since 8.2 and is unchanged after. */

#endif
