/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snoop control unit (DDI 0360, "MPCore Private Memory Region"): coherence between the cores, their
 * power status, and a monitor of eight 32-bit event counters for the whole chip.
 *
 * One unit for all cores, and the functions read, modify and write: callers serialise among cores.
 * Callable from interrupt handlers under that rule.
 */
#ifndef HAL_SCU_H
#define HAL_SCU_H

#include <stdint.h>

#define HAL_SCU_COUNTERS 8U

/* Power status of a core: its field in the CPU Status Register. */
enum hal_scu_power {
    HAL_SCU_NORMAL = 0,
    HAL_SCU_DORMANT = 2,
    HAL_SCU_OFF = 3,
};

/* Returns the number of cores of the chip, 1..HAL_CORES_MAX (Configuration Register). */
unsigned hal_scu_cores(void);

/* Returns the Configuration Register: cores, SMP bits, sizes of the tag RAMs. */
uint32_t hal_scu_config(void);

/* Invalidates the duplicate tags of every core (Invalidate All Register). Before hal_scu_enable(),
 * with data caches off. */
void hal_scu_invalidate_all(void);

/* Enables the unit (Control Register); its other bits are kept. */
void hal_scu_enable(void);

/* Announces the power status of a core (CPU Status Register). Only the core itself may announce
 * less than NORMAL. */
void hal_scu_set_power(unsigned core, enum hal_scu_power status);

/* Returns the announced power status of a core. */
enum hal_scu_power hal_scu_power(unsigned core);

/* Stops the monitor, zeroes its counters, clears its flags and lets counter i count event[i]
 * (numbers of tile_events.h). irq_mask: bit i enables the overflow interrupt of counter i. */
void hal_scu_mon_setup(const uint8_t event[HAL_SCU_COUNTERS], uint8_t irq_mask);

/* Lets the counters run; their contents are kept. */
void hal_scu_mon_start(void);

/* Stops the counters; their contents are kept. */
void hal_scu_mon_stop(void);

/* Returns counter i, 0..HAL_SCU_COUNTERS-1. */
uint32_t hal_scu_mon_read(unsigned i);

/* Sets counter i. */
void hal_scu_mon_write(unsigned i, uint32_t value);

/* Returns the counters that have overflowed since their flag was cleared: bit i is counter i. */
uint32_t hal_scu_mon_overflow(void);

/* Clears the flags of the mask; the others stay. */
void hal_scu_mon_overflow_clear(uint32_t mask);

/* Returns the interrupt ID of counter i, 0: not connected. */
unsigned hal_scu_mon_irq(unsigned i);

#endif
