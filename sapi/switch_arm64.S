/* void hathi_switch(void **save, void *load)
 *
 * AAPCS64: x19-x30, d8-d15 and FPCR belong to the caller. */
	.text
	.globl	hathi_switch
	.hidden	hathi_switch
	.type	hathi_switch, %function
hathi_switch:
	sub	sp, sp, #176
	stp	x19, x20, [sp, #0]
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mrs	x9, fpcr
	str	x9, [sp, #160]
	mov	x9, sp
	str	x9, [x0]
	mov	sp, x1
	ldr	x9, [sp, #160]
	msr	fpcr, x9
	ldp	x19, x20, [sp, #0]
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	add	sp, sp, #176
	ret
	.size	hathi_switch, .-hathi_switch

/* The first return of a fresh stack: x19 is its entry function. */
	.globl	hathi_switch_start
	.hidden	hathi_switch_start
	.type	hathi_switch_start, %function
hathi_switch_start:
	mov	x29, xzr
	mov	x30, xzr
	br	x19
	.size	hathi_switch_start, .-hathi_switch_start
	.section	.note.GNU-stack,"",%progbits
