/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modelled time: what the accelerator's thread, the virtual clock and the
 * interrupt path need of the scheduler (accel/tcg/mpj-sched.c).
 */
#ifndef SYSEMU_MPJ_SCHED_H
#define SYSEMU_MPJ_SCHED_H

#include "exec/mpj.h"

/* Runs the vCPU thread's loop; called with the BQL held, does not return. */
void mpj_sched_loop(void);
/* Returns QEMU_CLOCK_VIRTUAL in nanoseconds, as the calling thread sees it. */
int64_t mpj_clock_ns(void);
/*
 * Returns modelled cycles of the executing core, or global time outside of one.
 */
uint64_t mpj_clock_cycles(void);
/* Notes that the first timer of QEMU_CLOCK_VIRTUAL has changed. */
void mpj_timer_changed(void);
/*
 * Notes that the vCPU thread has work other than running guest code (any
 * thread).
 */
void mpj_sched_kick(void);
/* Leaves generated code after cpu_exit() if it is our own core's. */
void mpj_cpu_exit(CPUState *cpu);
/* Notes that an interrupt was raised for @cpu from the vCPU thread. */
void mpj_interrupt_raised(CPUState *cpu);

/* Continues after a stop that a debugger may have made. */
void mpj_sched_resumed(void);

#endif
