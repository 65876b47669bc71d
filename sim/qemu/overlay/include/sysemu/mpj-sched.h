/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modelled time: what the accelerator's thread, the virtual clock and the
 * interrupt path need of the scheduler (accel/tcg/mpj-sched.c).
 */
#ifndef SYSEMU_MPJ_SCHED_H
#define SYSEMU_MPJ_SCHED_H

#include "exec/mpj.h"

/* The vCPU thread's loop; called with the BQL held, does not return. */
void mpj_sched_loop(void);
/* QEMU_CLOCK_VIRTUAL in nanoseconds, as the calling thread sees it. */
int64_t mpj_clock_ns(void);
/* Modelled cycles of the executing core, or global time outside of one. */
uint64_t mpj_clock_cycles(void);
/* The first timer of QEMU_CLOCK_VIRTUAL has changed. */
void mpj_timer_changed(void);
/* The vCPU thread has work other than running guest code (any thread). */
void mpj_sched_kick(void);
/* cpu_exit() was called: leave generated code if it is our own core's. */
void mpj_cpu_exit(CPUState *cpu);
/* An interrupt was raised for @cpu from the vCPU thread. */
void mpj_interrupt_raised(CPUState *cpu);

/* The machine goes on after a stop that a debugger may have made. */
void mpj_sched_resumed(void);

#endif
