/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other cores: starting, interrupting, parking them. */
#ifndef MPJ_SMP_H
#define MPJ_SMP_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the number of cores of the machine: those that the chip has, and that the board says are
 * there. */
unsigned mpj_smp_cores(void);

/* Starts the other cores and waits until they are idle. Returns how many cores run, this one
 * included. Core 0, once, interrupts on. */
unsigned mpj_smp_start(void);

/* Parks the cores outside the mask (SCU CPU status, WFI) for the rest of the run. Core 0. */
void mpj_smp_park(uint32_t keep_mask);
/* Returns the cores that run: bit i core i. */
uint32_t mpj_smp_active(void);

/*
 * Runs fn(arg) in an interrupt of each other core in the mask (the calling core's bit is ignored)
 * and returns when all have run it. fn is an interrupt handler: short, no VFP, no console. Call
 * with IRQ unmasked; not from interrupts.
 */
void mpj_smp_interrupt(uint32_t mask, void (*fn)(void *arg), void *arg);

/* Begins mpj_smp_interrupt(): returns when the interrupts are sent (false: there is no such core,
 * and mpj_smp_interrupt_end() must not be called). Until the end the caller may mask IRQ. */
bool mpj_smp_interrupt_begin(uint32_t mask, void (*fn)(void *arg), void *arg);
/* Waits until all cores have run fn. */
void mpj_smp_interrupt_end(void);

/* Stops every other core where it is, for good; returns when they have stopped, or after 10 ms.
 * From a fault handler. */
void mpj_smp_stop_others(void);
/* Waits for the reset, on a stopped core. */
_Noreturn void mpj_smp_stopped(void);

/* Waits in WFI once, or for good when the core is asked to park. Called with IRQ masked; returns
 * masked. */
void mpj_smp_idle(void);

#endif
