/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snoop control unit: coherence between the cores, their power status, and a
 * monitor of eight 32-bit event counters for the whole chip.
 *
 * One unit for all cores: callers serialise among cores (the functions read,
 * modify and write). Callable from an interrupt handler under that rule.
 */
#ifndef HAL_SCU_H
#define HAL_SCU_H

#include <stdint.h>

#define HAL_SCU_COUNTERS 8U

enum hal_scu_power {
    HAL_SCU_NORMAL = 0,
    HAL_SCU_DORMANT = 2,
    HAL_SCU_OFF = 3,
};

/* Cores the chip has, 1..4 (configuration register). */
unsigned hal_scu_cores(void);
/* The configuration register as it reads: cores, SMP bits, tag RAM sizes. */
uint32_t hal_scu_config(void);
/* Invalidates the duplicate tags of every core; before hal_scu_enable(), caches off. */
void hal_scu_invalidate_all(void);
void hal_scu_enable(void);

/* Announced power status of a core. Only the core itself may announce less than NORMAL. */
void hal_scu_set_power(unsigned core, enum hal_scu_power status);
enum hal_scu_power hal_scu_power(unsigned core);

/* Stops the monitor, zeroes its counters, clears flags and programs event[i] into counter i
 * (numbers of the event table). irq_mask: counters whose overflow interrupts (IDs 53..60). */
void hal_scu_mon_setup(const uint8_t event[HAL_SCU_COUNTERS], uint8_t irq_mask);
void hal_scu_mon_start(void);
void hal_scu_mon_stop(void);
/* Counter i, 0..7. */
uint32_t hal_scu_mon_read(unsigned i);
void hal_scu_mon_write(unsigned i, uint32_t value);
/* Mask of counters that have overflowed since their flag was cleared. */
uint32_t hal_scu_mon_overflow(void);
void hal_scu_mon_overflow_clear(uint32_t mask);
/* Interrupt ID of counter i. */
unsigned hal_scu_mon_irq(unsigned i);

#endif
