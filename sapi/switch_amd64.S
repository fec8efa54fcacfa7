/* void hathi_switch(void **save, void *load)
 *
 * System V AMD64: rbp, rbx, r12-r15, MXCSR's control bits and the x87 control
 * word belong to the caller. */
	.text
	.globl	hathi_switch
	.hidden	hathi_switch
	.type	hathi_switch, @function
hathi_switch:
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	subq	$8, %rsp
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	addq	$8, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.size	hathi_switch, .-hathi_switch
	.section	.note.GNU-stack,"",@progbits
