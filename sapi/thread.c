/* State that libraries keep per thread, carried along when PHP changes threads.
 *
 * Zend NTS has none. libxml2 has (xmlGetGlobalState), and ext/libxml's RINIT sets it
 * only on the thread that it runs on. The accessors are looked up by name: libphp may
 * have been built without libxml2. */
#include "engine.h"

#include <dlfcn.h>
#include <stdatomic.h>

typedef void *(*accessor)(void);

/* Each returns the address of this thread's value, which is pointer- or int-sized. */
static const struct {
	const char *name;
	size_t size;
} libxml_state[] = {
	{ "__xmlGenericError", sizeof(void *) },
	{ "__xmlGenericErrorContext", sizeof(void *) },
	{ "__xmlStructuredError", sizeof(void *) },
	{ "__xmlStructuredErrorContext", sizeof(void *) },
	{ "__xmlParserInputBufferCreateFilenameValue", sizeof(void *) },
	{ "__xmlOutputBufferCreateFilenameValue", sizeof(void *) },
	{ "__xmlSubstituteEntitiesDefaultValue", sizeof(int) },
	{ "__xmlKeepBlanksDefaultValue", sizeof(int) },
	{ "__xmlLoadExtDtdDefaultValue", sizeof(int) },
	{ "__xmlDoValidityCheckingDefaultValue", sizeof(int) },
	{ "__xmlGetWarningsDefaultValue", sizeof(int) },
	{ "__xmlPedanticParserDefaultValue", sizeof(int) },
	{ "__xmlLineNumbersDefaultValue", sizeof(int) },
	{ "__xmlIndentTreeOutput", sizeof(int) },
	{ "__xmlTreeIndentString", sizeof(void *) },
	{ "__xmlSaveNoEmptyTags", sizeof(int) },
};

#define LIBXML_STATES (sizeof(libxml_state) / sizeof(*libxml_state))

static accessor libxml_accessor[LIBXML_STATES];
static bool looked_up;
static union { void *p; int i; } saved[LIBXML_STATES];
static bool is_saved;

static _Atomic uint64_t thread_ids;
static uint64_t last_thread;

/* A thread's id, 0 where PHP has not run, and where its libxml2 state is. */
static __thread uint64_t thread_id;
static __thread void *address[LIBXML_STATES];

static void thread_meet(void)
{
	if (!looked_up) {
		looked_up = true;
		for (size_t i = 0; i < LIBXML_STATES; i++) {
			libxml_accessor[i] = (accessor) dlsym(RTLD_DEFAULT, libxml_state[i].name);
		}
	}
	for (size_t i = 0; i < LIBXML_STATES; i++) {
		address[i] = libxml_accessor[i] ? libxml_accessor[i]() : NULL;
	}
	thread_id = atomic_fetch_add(&thread_ids, 1) + 1;
}

/* Copies the state at every yield: the next resume may be on another thread. */
void hathi_thread_leave(void)
{
	if (!thread_id) {
		thread_meet();
	}
	for (size_t i = 0; i < LIBXML_STATES; i++) {
		if (address[i]) {
			memcpy(&saved[i], address[i], libxml_state[i].size);
		}
	}
	last_thread = thread_id;
	is_saved = true;
}

void hathi_thread_enter(void)
{
	if (thread_id == last_thread || !is_saved) {
		return;
	}
	if (!thread_id) {
		thread_meet();
	}
	for (size_t i = 0; i < LIBXML_STATES; i++) {
		if (address[i]) {
			memcpy(address[i], &saved[i], libxml_state[i].size);
		}
	}
}
