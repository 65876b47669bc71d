/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Start of the cores, and the exception entries.
 *
 * All code, the program's included, runs in System mode. An interrupt pushes
 * its frame (struct mpj_context) on the stack of what it interrupted, then runs
 * its C code on the core's own Supervisor stack, and resumes whatever frame the C
 * code returns: a scheduler switches threads by returning another frame.
 * Handlers run with IRQ masked and do not nest.
 */
#include "hal_map.h"
#include "mpj_layout.h"
#include "mpj_runtime.h"

#define MODE_FIQ 0x11
#define MODE_IRQ 0x12
#define MODE_SVC 0x13
#define MODE_ABT 0x17
#define MODE_UND 0x1b
#define MODE_SYS 0x1f

#define SCTLR_M  0x00000001
#define SCTLR_A  0x00000002
#define SCTLR_C  0x00000004
#define SCTLR_Z  0x00000800
#define SCTLR_I  0x00001000
#define SCTLR_V  0x00002000 /* vectors at 0xffff0000 */
#define SCTLR_U  0x00400000 /* unaligned accesses as ARMv6 does them */
#define SCTLR_XP 0x00800000 /* extended page tables */

/* return stack, dynamic and static branch prediction, folding, SMP */
#define ACTLR_BITS 0x2f

/* Flush to zero and default NaN: without these the VFP11 hands denormals to support code. */
#define FPSCR_RUNFAST 0x03000000

    .ident  MPJ_RUNTIME /* mpj_image_check() reads it */
    .syntax unified
    .arch   armv6k
    .fpu    vfpv2
    .arm

/* ---- start ------------------------------------------------------------------ */

    .section .text.boot, "ax", %progbits
    .global _start
    .type   _start, %function
_start:
    cpsid   aif, #MODE_SVC
    bl      caches_off
    mrc     p15, 0, r4, c0, c0, 5
    ands    r4, r4, #3
    bne     wait_for_core0

    /* Core 0: copy the vectors. */
    ldr     r0, =vectors
    ldr     r1, =BOARD_VECTORS
    ldmia   r0!, {r5-r12}
    stmia   r1!, {r5-r12}
    ldmia   r0!, {r5-r12}
    stmia   r1!, {r5-r12}

    /* Copy initialised data if the image is in flash. */
    ldr     r0, =__data_load
    ldr     r1, =__data_start
    ldr     r2, =__data_end
    cmp     r0, r1
    beq     2f
1:  cmp     r1, r2
    ldrlo   r3, [r0], #4
    strlo   r3, [r1], #4
    blo     1b
2:
    bl      core_stacks
    bl      core_vfp
    /* Invalidate the SCU's tags before any core uses its data cache. */
    ldr     r0, =BOARD_SCU_BASE
    ldr     r1, =0xffff
    str     r1, [r0, #0x0c]
    ldr     r1, [r0]
    orr     r1, r1, #1
    str     r1, [r0]
    ldr     r0, =MPJ_BOOT_WORD          @ not mapped later
    ldr     r0, [r0]
    ldr     r1, =mpj_boot_word
    str     r0, [r1]
    bl      mpj_mmu_build
    mov     r4, #0
    bl      core_mmu_on

    /* Zero .bss, with caches: programs have large arrays. */
    ldr     r0, =__bss_start
    ldr     r1, =__bss_end
    mov     r2, #0
    mov     r3, #0
    mov     r5, #0
    mov     r6, #0
3:  cmp     r0, r1
    stmialo r0!, {r2, r3, r5, r6}
    blo     3b

    cps     #MODE_SYS
    ldr     sp, =__main_stack_top
    mov     r11, #0
    mov     lr, #0
    b       mpj_boot_main

/*
 * The emulator starts every core here; the board's Boot Monitor keeps the others
 * to itself and does the same: sleep until an SGI, then jump to SYS_FLAGS.
 * Cores that start in another way (tile_start_kind) do not come here.
 */
wait_for_core0:
#ifdef BOARD_SYS_FLAGS
    ldr     r0, =BOARD_GICC_BASE
    mov     r1, #0xf0
    str     r1, [r0, #4]
    mov     r1, #1
    str     r1, [r0]
    ldr     r2, =BOARD_SYS_FLAGS
    mov     r0, #0
4:  mcr     p15, 0, r0, c7, c10, 4
    mcr     p15, 0, r0, c7, c0, 4
    ldr     r1, [r2]
    cmp     r1, #0
    beq     4b
    bx      r1
#else
    mov     r0, #0
4:  mcr     p15, 0, r0, c7, c10, 4
    mcr     p15, 0, r0, c7, c0, 4
    b       4b
#endif

    .global mpj_secondary_start
    .type   mpj_secondary_start, %function
mpj_secondary_start:
    cpsid   aif, #MODE_SVC
    bl      caches_off
    mrc     p15, 0, r4, c0, c0, 5
    and     r4, r4, #3
    bl      core_stacks
    bl      core_vfp
    bl      core_mmu_on
    cps     #MODE_SYS
    mov     r11, #0
    mov     lr, #0
    mov     r0, r4
    b       mpj_secondary_main

/* Switches MMU and caches off, contents written back; vectors at 0, where some boards have memory. Uses
 * r0. */
caches_off:
    mov     r0, #0
    mcr     p15, 0, r0, c7, c14, 0      @ clean and invalidate data cache
    mcr     p15, 0, r0, c7, c10, 4
    mrc     p15, 0, r0, c1, c0, 0
    bic     r0, r0, #(SCTLR_I | SCTLR_V)
    bic     r0, r0, #SCTLR_Z
    bic     r0, r0, #(SCTLR_M | SCTLR_A | SCTLR_C)
    mcr     p15, 0, r0, c1, c0, 0
    mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 4
    bx      lr

/* Sets the stack pointers of every mode. r4: core. Uses r0. */
core_stacks:
    ldr     r0, =__core_stacks_top
    sub     r0, r0, r4, lsl #MPJ_CORE_STACK_SHIFT
    cps     #MODE_ABT
    sub     sp, r0, #MPJ_STACK_ABT
    cps     #MODE_UND
    sub     sp, r0, #MPJ_STACK_UND
    cps     #MODE_FIQ
    sub     sp, r0, #MPJ_STACK_FIQ
    cps     #MODE_IRQ
    sub     sp, r0, #MPJ_STACK_FIQ      @ never used: see irq_entry
    cps     #MODE_SYS
    sub     sp, r0, #MPJ_STACK_IDLE
    cps     #MODE_SVC
    mov     sp, r0
    bx      lr

/* Enables coprocessors 10 and 11, before newlib's start code runs. Uses r0. */
core_vfp:
    mrc     p15, 0, r0, c1, c0, 2
    orr     r0, r0, #0x00f00000
    mcr     p15, 0, r0, c1, c0, 2
    mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 4
    mov     r0, #0x40000000
    fmxr    fpexc, r0
    ldr     r0, =FPSCR_RUNFAST
    fmxr    fpscr, r0
    bx      lr

/* Empties caches and TLB, joins coherence, switches MMU, caches, prediction on, and vectors to
 * 0xffff0000, as mapped. r4: core. Uses r0, r1. */
core_mmu_on:
    mov     r0, #0
    mcr     p15, 0, r0, c7, c6, 0       @ data cache
    mcr     p15, 0, r0, c7, c5, 0       @ instruction cache
    mcr     p15, 0, r0, c7, c5, 6       @ branch target cache
    mcr     p15, 0, r0, c8, c7, 0       @ TLB
    mcr     p15, 0, r0, c7, c10, 4
    mrc     p15, 0, r0, c1, c0, 1
    orr     r0, r0, #ACTLR_BITS
    mcr     p15, 0, r0, c1, c0, 1
    mov     r0, #0
    mov     r1, #1
    mcr     p15, 0, r1, c2, c0, 2       @ TTBCR: TTBR0 for the lower half, TTBR1 for the upper
    ldr     r1, =(mpj_core_table + 0xa)
    add     r1, r1, r4, lsl #14
    mcr     p15, 0, r1, c2, c0, 1
    ldr     r0, =(mpj_page_table + 0xa) @ walks: shareable, outer write-back
    mcr     p15, 0, r0, c2, c0, 0
    mov     r0, #1                      @ domain 0: client
    mcr     p15, 0, r0, c3, c0, 0
    mov     r0, #0
    mcr     p15, 0, r0, c13, c0, 1
    mcr     p15, 0, r0, c7, c5, 4
    mrc     p15, 0, r0, c1, c0, 0
    ldr     r1, =(SCTLR_M | SCTLR_C | SCTLR_Z | SCTLR_I | SCTLR_V | SCTLR_U | SCTLR_XP)
    orr     r0, r0, r1
    mcr     p15, 0, r0, c1, c0, 0
    mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 4
    bx      lr

    .ltorg

/* ---- vectors: copied to BOARD_VECTORS, which mmu.c maps to 0xffff0000 ------------------- */

    .section .text.vectors, "ax", %progbits
    .align  2
vectors:
    ldr     pc, [pc, #0x18]
    ldr     pc, [pc, #0x18]
    ldr     pc, [pc, #0x18]
    ldr     pc, [pc, #0x18]
    ldr     pc, [pc, #0x18]
    ldr     pc, [pc, #0x18]
    ldr     pc, [pc, #0x18]
    ldr     pc, [pc, #0x18]
    .word   _start
    .word   undef_entry
    .word   svc_entry
    .word   prefetch_entry
    .word   data_entry
    .word   undef_entry
    .word   irq_entry
    .word   fiq_entry

/* ---- interrupts and supervisor calls ------------------------------------------------ */

    .text
    .global mpj_irq_entry_begin
mpj_irq_entry_begin:
    .type   irq_entry, %function
irq_entry:
    sub     lr, lr, #4
    srsdb   sp!, #MODE_SYS
    cps     #MODE_SYS
    push    {r0-r12, lr}
    mov     r0, sp
    cps     #MODE_SVC
    clrex                               @ a store-exclusive of the interrupted code must fail
    bl      mpj_irq_dispatch
resume:
    cps     #MODE_SYS
    mov     sp, r0
    pop     {r0-r12, lr}
    rfeia   sp!

    .type   svc_entry, %function
svc_entry:
    srsdb   sp!, #MODE_SYS
    cps     #MODE_SYS
    push    {r0-r12, lr}
    mov     r0, sp
    cps     #MODE_SVC
    clrex
    bl      mpj_svc
    b       resume
    .global mpj_irq_entry_end
mpj_irq_entry_end:

/* ---- faults ------------------------------------------------------------------------- */

    .type   undef_entry, %function
undef_entry:
    sub     lr, lr, #4
    srsdb   sp!, #MODE_UND
    push    {r0-r12}
    mov     r1, #MPJ_TRAP_UNDEF
    b       fault_common

    .type   prefetch_entry, %function
prefetch_entry:
    sub     lr, lr, #4
    srsdb   sp!, #MODE_ABT
    push    {r0-r12}
    mov     r1, #MPJ_TRAP_PREFETCH
    b       fault_common

    .type   data_entry, %function
data_entry:
    sub     lr, lr, #8
    srsdb   sp!, #MODE_ABT
    push    {r0-r12}
    mov     r1, #MPJ_TRAP_DATA
    b       fault_common

    .type   fiq_entry, %function
fiq_entry:
    sub     lr, lr, #4
    srsdb   sp!, #MODE_FIQ
    push    {r0-r12}                    @ r8 and up are the bank's own; good enough for a report
    mov     r1, #MPJ_TRAP_FIQ
    b       fault_common

/* r1: kind. Stack: r0-r12, pc, cpsr of the faulting code. Adds its sp and lr in front. */
fault_common:
    mov     r0, sp
    sub     sp, sp, #12                 @ sp, lr, and padding to 8 bytes
    ldr     r2, [r0, #14 * 4]
    mrs     r3, cpsr
    and     r2, r2, #0x1f
    cmp     r2, #0x10                   @ user mode shares System's registers
    moveq   r2, #MODE_SYS
    orr     r2, r2, #0xc0
    mov     r4, sp
    msr     cpsr_c, r2
    mov     r5, sp
    mov     r6, lr
    msr     cpsr_c, r3
    str     r5, [r4, #4]
    str     r6, [r4, #8]
    add     r0, r4, #4
    bic     sp, sp, #7
    bl      mpj_fault_entry
5:  b       5b

/* ---- helpers for a scheduler ------------------------------------------------------------ */

/* void mpj_vfp_save(struct mpj_vfp *to); void mpj_vfp_load(const struct mpj_vfp *from); */
    .global mpj_vfp_save
    .type   mpj_vfp_save, %function
mpj_vfp_save:
    vstmia  r0!, {d0-d15}
    fmrx    r1, fpscr
    str     r1, [r0]
    bx      lr

    .global mpj_vfp_load
    .type   mpj_vfp_load, %function
mpj_vfp_load:
    vldmia  r0!, {d0-d15}
    ldr     r1, [r0]
    fmxr    fpscr, r1
    bx      lr

/* void mpj_thread_interrupted(struct mpj_context *frame, void (*fn)(void)): runs on the stack of a thread
 * that was interrupted, below that frame: calls fn and resumes the frame, with the VFP registers and
 * without the exclusive access that the code had. An interrupt in the last two instructions pushes
 * below the rest of the frame. */
    .global mpj_thread_interrupted
    .type   mpj_thread_interrupted, %function
mpj_thread_interrupted:
    mov     r4, r0
    vpush   {d0-d15}
    fmrx    r5, fpscr
    blx     r1
    fmxr    fpscr, r5
    clrex
    vpop    {d0-d15}
    mov     sp, r4
    pop     {r0-r12, lr}
    rfeia   sp!

/* ---- faults that are expected ---------------------------------------------------------------- */

/* bool mpj_fault_call(uint32_t *sp_out, void (*fn)(void *arg), void *arg): calls fn(arg), returns false. The
 * caller's registers are on the stack, from which mpj_fault_resume() returns a second time. */
    .global mpj_fault_call
    .type   mpj_fault_call, %function
mpj_fault_call:
    push    {r4-r11, lr}
    sub     sp, sp, #4
    vpush   {d8-d15}
    str     sp, [r0]
    mov     r0, r2
    blx     r1
    vpop    {d8-d15}
    mov     r0, #0
    add     sp, sp, #4
    pop     {r4-r11, pc}

/* mpj_fault_resume(uint32_t sp, uint32_t exception_sp, uint32_t cpsr): returns from a fault handler to
 * the call of mpj_fault_call(), which returns true; the handler's own stack is left empty. */
    .global mpj_fault_resume
    .type   mpj_fault_resume, %function
mpj_fault_resume:
    mov     sp, r1
    msr     cpsr_cxsf, r2
    mov     sp, r0
    clrex
    vpop    {d8-d15}
    mov     r0, #1
    add     sp, sp, #4
    pop     {r4-r11, pc}

/* ---- identification of an image ------------------------------------------------------------ */

    .section .note.mpjoule, "a", %note
    .align  2
    .word   8                           @ name length
    .word   4                           @ description length
    .word   1                           @ type: ABI version
    .asciz  "mpjoule"
    .word   MPJ_FIRMWARE_ABI
    .align  2
    .word   8
    .word   board_end - board
    .word   2                           @ type: the board's name, and the emulator's machine
    .asciz  "mpjoule"
board:
    .asciz  BOARD_NAME
    .asciz  BOARD_PLATFORM
board_end:
    .align  2
