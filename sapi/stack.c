#include "stack.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
# include <sanitizer/common_interface_defs.h>
#endif

extern void hathi_switch(void **save, void *load);
#if defined(__aarch64__)
extern void hathi_switch_start(void);
#endif

int hathi_stack_init(hathi_stack *stack, size_t size, void (*entry)(void))
{
	size_t page = (size_t) sysconf(_SC_PAGESIZE);
	char *base = mmap(NULL, size + page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (base == MAP_FAILED) {
		return -1;
	}
	if (mprotect(base, page, PROT_NONE) == -1) {
		int saved = errno;
		munmap(base, size + page);
		errno = saved;
		return -1;
	}
	stack->base = base;
	stack->size = size + page;
	stack->guard = page;
	stack->asan = NULL;

	/* The frame that hathi_switch() pops: see switch_*.S. */
	uintptr_t *sp = (uintptr_t *) (base + stack->size);
#if defined(__x86_64__)
	*--sp = 0;                               /* entry's return address, at SP % 16 == 8: ends backtraces */
	*--sp = (uintptr_t) entry;               /* hathi_switch's return address */
	for (int i = 0; i < 6; i++) {
		*--sp = 0;                           /* rbp rbx r12 r13 r14 r15 */
	}
	*--sp = 0;
	__asm__ volatile("stmxcsr %0" : "=m"(*(uint32_t *) sp));
	__asm__ volatile("fnstcw %0" : "=m"(*(uint16_t *) ((char *) sp + 4)));
#elif defined(__aarch64__)
	sp -= 22;                                /* x19..x30, d8..d15, fpcr, pad */
	for (int i = 0; i < 22; i++) {
		sp[i] = 0;
	}
	sp[11] = (uintptr_t) hathi_switch_start; /* x30 */
	sp[0] = (uintptr_t) entry;               /* x19 */
	__asm__ volatile("mrs %0, fpcr" : "=r"(sp[20]));
#else
# error "hathi_stack_init: write the first frame for this processor"
#endif
	stack->sp = sp;
	return 0;
}

void hathi_stack_switch(hathi_stack *from, hathi_stack *to)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(&from->asan, to->base, to->size);
#endif
	hathi_switch(&from->sp, to->sp);
#if defined(__SANITIZE_ADDRESS__)
	/* `to` is whom we left; whoever came back has set its own asan field. */
	__sanitizer_finish_switch_fiber(from->asan, (const void **) &to->base, &to->size);
#endif
}

void hathi_stack_entered(hathi_stack *from)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(NULL, (const void **) &from->base, &from->size);
#else
	(void) from;
#endif
}
