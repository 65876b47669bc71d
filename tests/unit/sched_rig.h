/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler on the fake machine, without the switch of threads: kernel/sched.c is not there. */
#ifndef SCHED_RIG_H
#define SCHED_RIG_H

#include <stdint.h>

#include "core.h"
#include "hal_gic.h"
#include "hal_map.h"

#define SCHED_TIMER_LOAD    BOARD_TIMER_BASE
#define SCHED_TIMER_CONTROL (BOARD_TIMER_BASE + 8U)
#define SCHED_GIC_ENABLE    (BOARD_GICD_BASE + 0x100U)
#define SCHED_GIC_SGI       (BOARD_GICD_BASE + 0xf00U)
#define SCHED_GIC_PENDING   (BOARD_GICC_BASE + 0x18U)

/* Resets the machine and the scheduler: four cores that run their idle threads, core 0 calling, no
 * timer armed, the time `ticks`. cores: those that threads may run on. */
void sched_rig_reset(uint32_t ticks, uint32_t cores);
/* Sets the time, less than 2^31 ticks after the last one. */
void sched_rig_time(uint64_t ticks);
/* Makes a thread that may run on all cores. */
void sched_rig_thread(struct mpj_thread *t, uint32_t id, unsigned priority);
/* Lets a core run a thread. */
void sched_rig_run(unsigned core, struct mpj_thread *t);
/* Makes a thread blocked until a deadline. */
void sched_rig_block(struct mpj_thread *t, uint64_t deadline);
/* Lets an interrupt happen on a core: calls its handler. */
void sched_rig_interrupt(unsigned core, unsigned id);
/* Returns how many words were written to a register since the last call of sched_rig_forget(). */
unsigned sched_rig_writes(uintptr_t addr);
/* Returns the cores that MPJ_SGI_SCHED was sent to since then. */
uint32_t sched_rig_sent(void);
/* Forgets the writes so far. */
void sched_rig_forget(void);
/* Returns how often a thread gave its core away since the reset. */
unsigned sched_rig_given_away(void);

#endif
