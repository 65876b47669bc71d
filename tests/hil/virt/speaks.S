/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program for QEMU's machine virt that U-Boot starts: prints a line on the PL011 again and again. The line
 * is one that the host shows for a program whose start-up faults (MPJ_WORDS); its note makes it a program of ours.
 * Two parts that are far from each other, as those of the runtime's programs are.
 */
#define UART    0x09000000
#define FLAGS   0x18
#define FULL    0x20

    .section .note.mpjoule, "a", %note
    .word   8, 4, 1
    .asciz  "mpjoule"
    .word   ABI

    .text
    .globl  _start
_start:
    ldr     r0, =UART
1:  ldr     r1, =text
2:  ldrb    r2, [r1], #1
    cmp     r2, #0
    beq     1b
3:  ldr     r3, [r0, #FLAGS]
    tst     r3, #FULL
    bne     3b
    str     r2, [r0]
    b       2b

    .data
text:
    .asciz  "mpjoule: start-up: U-Boot has started this\n"
    .space  5000, 0x5a
