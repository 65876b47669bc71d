/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts and exception frames. */
#ifndef MPJ_IRQ_H
#define MPJ_IRQ_H

#include <stdint.h>

/* Frame that an interrupt or supervisor call pushes on the interrupted stack, and resumes from. A
 * scheduler starts a thread by building one at the top of its stack. */
struct mpj_context {
    uint32_t r[13];
    uint32_t lr;
    uint32_t pc;
    uint32_t cpsr;
};

/* VFP registers. They are not in the frame, since handlers are compiled without VFP: a scheduler
 * keeps one set per thread and calls the functions below when it switches. 8-byte aligned. */
struct mpj_vfp {
    uint64_t d[16];
    uint32_t fpscr;
    uint32_t reserved;
};
/* Saves the VFP registers of the calling core. */
void mpj_vfp_save(struct mpj_vfp *to);
/* Loads the VFP registers of the calling core. */
void mpj_vfp_load(const struct mpj_vfp *from);

/* CPSR of code that runs with interrupts on: System mode, ARM state, FIQ masked. */
#define MPJ_CPSR_THREAD 0x5fU

/* Software interrupts between cores. */
enum mpj_sgi {
    MPJ_SGI_WAKE = 0,   /* leave WFI and check for work; nothing else */
    MPJ_SGI_CALL = 1,   /* mpj_smp_interrupt() */
    MPJ_SGI_SCHED = 2,  /* for a scheduler: reschedule */
    MPJ_SGI_STOP = 3,   /* a fault on another core: wait for the reset */
    MPJ_SGI_EVENTS = 4, /* the profiler: count the next pair of events */
    MPJ_SGI_SAMPLE = 5, /* the profiler: note where the core is */
    MPJ_SGI_CODE = 6,   /* the profiler: entries of functions have changed */
    MPJ_SGI_POLL = 7,   /* the profiler: see whether a counter has overflowed */
};

/* Runs with IRQ masked on the Supervisor stack of the interrupted core; must not use VFP, block, or
 * write to the console. */
typedef void (*mpj_irq_handler)(unsigned id, void *arg);

/* Sets the handler of an interrupt ID (0..63) for all cores. NULL: the interrupt is disabled on the
 * core that takes it. */
void mpj_irq_attach(unsigned id, mpj_irq_handler handler, void *arg);

/* Returns the frame of what this core's interrupt interrupted. Only within a handler, which may
 * change the registers in it. */
struct mpj_context *mpj_irq_context(void);

/* Runs once per interrupt, before its handlers. Weak; the default does nothing. */
void mpj_irq_enter(void);

/* Runs once per interrupt, after its handlers, with the frame that will be resumed; returns the
 * frame to resume. Weak; the default returns its argument. A scheduler defines its own. */
struct mpj_context *mpj_irq_leave(struct mpj_context *c);

/* Handles the SVC instruction; c->pc is the address of the next instruction. Weak; the default
 * reports a fault. */
struct mpj_context *mpj_svc(struct mpj_context *c);

#endif
