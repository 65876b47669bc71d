/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Performance monitor of the executing core (DDI 0360, "c15, Performance Monitor Control Register
 * (PMNC)"): one cycle counter (CCNT) and two event counters (PMN0, PMN1), 32 bits each.
 *
 * Every function acts on the calling core and may be called from an interrupt handler. Functions
 * that change PMNC read, modify and write it: mask IRQ around them when a handler uses them too.
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
    uint8_t event[2];  /* events of PMN0 and PMN1: numbers of tile_events.h */
    bool cycles_div64; /* CCNT counts every 64th cycle */
    uint8_t irq_mask;  /* counters (HAL_PMU_BIT) whose overflow interrupts: IDs 49..52 by core */
};

/* Stops the monitor, zeroes the three counters, clears overflow flags, programs the events. The
 * counters do not count until hal_pmu_start(). */
void hal_pmu_setup(const struct hal_pmu_config *cfg);

/* Lets the three counters run (PMNC.E); their contents are kept. */
void hal_pmu_start(void);

/* Stops the three counters; their contents are kept. */
void hal_pmu_stop(void);

/* Returns true while the counters run. */
bool hal_pmu_running(void);

/* Reads the three counters, in the order of enum hal_pmu_counter. */
void hal_pmu_read_all(uint32_t value[HAL_PMU_COUNTERS]);

/* Reads the three counters, then writes the software context (hal_cpu_set_context()): always by the
 * same few instructions, so that everything counted from one such call to the next belongs to that
 * context. IRQ masked. */
void hal_pmu_read_switch(uint32_t value[HAL_PMU_COUNTERS], uint32_t context);

/* Returns the cycle counter, at the least cost. */
uint32_t hal_pmu_cycles(void);

/* Switches to other events, which count from zero, without stopping; CCNT and its flag are kept. */
void hal_pmu_change(uint8_t event0, uint8_t event1);

/* Returns the present value of a counter. */
uint32_t hal_pmu_read(enum hal_pmu_counter c);

/* Sets a counter, for instance to just before its overflow. */
void hal_pmu_write(enum hal_pmu_counter c, uint32_t value);

/* Returns the counters that have overflowed since their flag was cleared (mask of HAL_PMU_BIT). */
uint32_t hal_pmu_overflow(void);

/* Clears the flags of the mask; the others stay. The interrupt is pending while any flag of an
 * enabled counter is set. */
void hal_pmu_overflow_clear(uint32_t mask);

/* Returns the interrupt ID of a core's monitor, 0: not connected. */
unsigned hal_pmu_irq(unsigned core);

#endif
