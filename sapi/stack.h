/* The stack that PHP runs on, and the switch to it. */
#ifndef HATHI_STACK_H
#define HATHI_STACK_H

#include <stddef.h>

typedef struct {
	char *base; /* lowest address, the guard page */
	size_t size;
	size_t guard;
	void *sp;   /* where to continue, while this side does not run */
	void *asan; /* AddressSanitizer's fake stack, while this side does not run */
} hathi_stack;

/* Maps a stack of size bytes, reserved but not committed, with a guard page
 * below, that will call entry() at the first switch to it. entry must not return.
 * Returns 0, or -1 with errno. */
int hathi_stack_init(hathi_stack *stack, size_t size, void (*entry)(void));

/* Leaves the stack `from` for the stack `to`. Returns when somebody switches back. */
void hathi_stack_switch(hathi_stack *from, hathi_stack *to);

/* Tells AddressSanitizer, on arrival at a fresh stack, that the switch is done. */
void hathi_stack_entered(hathi_stack *from);

#endif
