/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CP15 performance monitor of the executing core: one cycle counter (CCNT) and
 * two event counters (PMN0, PMN1), 32 bits each.
 *
 * Every function acts on the core that calls it; callable from an interrupt
 * handler. Functions that change the control register read, modify and write
 * it: mask IRQ around them when a handler uses them too.
 */
#ifndef HAL_PMU_H
#define HAL_PMU_H

#include <stdbool.h>
#include <stdint.h>

enum hal_pmu_counter { HAL_PMU_PMN0 = 0, HAL_PMU_PMN1 = 1, HAL_PMU_CCNT = 2 };
#define HAL_PMU_COUNTERS   3U
#define HAL_PMU_BIT(c)     (1U << (c)) /* mask of one counter */
#define HAL_PMU_ALL        7U

#define HAL_PMU_EV_NONE_HW 0xffU /* event number for an unused counter: cycles, harmless */

struct hal_pmu_config {
    uint8_t event[2];  /* what PMN0 and PMN1 count: numbers of the event table */
    bool cycles_div64; /* CCNT counts every 64th cycle */
    uint8_t irq_mask;  /* counters (HAL_PMU_BIT) whose overflow interrupts: IDs 49..52 by core */
};

/* Stops the monitor, zeroes the three counters, clears overflow flags, programs the events.
 * The counters stand still until hal_pmu_start(). */
void hal_pmu_setup(const struct hal_pmu_config *cfg);

/* Lets the three counters run / stand still (PMNC.E). Contents are kept. */
void hal_pmu_start(void);
void hal_pmu_stop(void);
bool hal_pmu_running(void);

/* The three counters, by enum hal_pmu_counter. The second writes the software context
 * (hal_cpu_set_context()) right behind the reading: the same few instructions every time, so that
 * what is counted from one such call to the next is what that context did. IRQ masked. */
void hal_pmu_read_all(uint32_t value[HAL_PMU_COUNTERS]);
void hal_pmu_read_switch(uint32_t value[HAL_PMU_COUNTERS], uint32_t context);

/* The cycle counter, at the least cost. */
uint32_t hal_pmu_cycles(void);

/* Counts other events from zero on, without standing still; CCNT and its flag are left alone. */
void hal_pmu_change(uint8_t event0, uint8_t event1);

/* Present value of a counter, and setting it (for instance short of an overflow). */
uint32_t hal_pmu_read(enum hal_pmu_counter c);
void hal_pmu_write(enum hal_pmu_counter c, uint32_t value);

/* Counters that have overflowed since their flag was last cleared (mask of HAL_PMU_BIT). */
uint32_t hal_pmu_overflow(void);
/* Clears those flags, and with the last of them the interrupt; leaves the others alone. */
void hal_pmu_overflow_clear(uint32_t mask);

/* Interrupt ID of a core's monitor on the tile's controller. */
unsigned hal_pmu_irq(unsigned core);

#endif
