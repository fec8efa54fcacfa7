/* The stack switch alone: values in registers and on both stacks survive it, and a
 * fresh stack is aligned as the ABI wants it. For processors that the tests cannot
 * run PHP on. */
#include "../stack.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 1000

static hathi_stack host, inner;
static long sum;

__attribute__((noinline)) static long work(long a, double b)
{
	char text[64];

	/* Variable arguments with floating point spill vector registers, aligned. */
	snprintf(text, sizeof(text), "%ld %.1f", a, b);
	return strtol(text, NULL, 10) + (long) (b * 2);
}

static void entry(void)
{
	long a = 1;
	double b = 0.5;

	hathi_stack_entered(&host);
	for (;;) {
		sum += work(a, b);
		a++;
		b += 0.5;
		hathi_stack_switch(&inner, &host);
	}
}

int main(void)
{
	long want = 0, a = 7;
	double b = 2.5;

	if (hathi_stack_init(&inner, 256 << 10, entry) == -1) {
		perror("hathi_stack_init");
		return 1;
	}
	for (long i = 1; i <= ROUNDS; i++) {
		hathi_stack_switch(&host, &inner);
		want += 2 * i;
		a += work(0, b) - 5;
		b += 0.0;
	}
	if (sum != want || a != 7 || b != 2.5) {
		printf("sum %ld, want %ld; %ld %f\n", sum, want, a, b);
		return 1;
	}
	printf("%d switches passed\n", ROUNDS);
	return 0;
}
