/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tile's interrupt controller (MPCore distributor and per-core interfaces,
 * which predate GICv1). IDs: 0..15 from core to core (SGI), 29 private timer,
 * 30 private watchdog, 32..63 shared.
 *
 * Unless said, any core may call these, also from a handler; distributor words
 * are written by one store each, so callers need no lock except where noted.
 */
#ifndef HAL_GIC_H
#define HAL_GIC_H

#include <stdbool.h>
#include <stdint.h>

#define HAL_GIC_IDS           64U
#define HAL_GIC_SPURIOUS      1023U
#define HAL_GIC_ID(ack)       ((ack)&0x3ffU)
#define HAL_GIC_SENDER(ack)   (((ack) >> 10) & 7U)

#define HAL_IRQ_PRIVATE_TIMER 29U
#define HAL_IRQ_SECOND_TIMER  30U
#define HAL_IRQ_SPI(n)        (32U + (n))

/* Disables every shared interrupt, gives all the same priority, switches the distributor on.
 * Once, by core 0. */
void hal_gic_dist_init(void);
/* Opens the interface of the calling core for every priority. */
void hal_gic_cpu_init(void);

/* Lets an interrupt through / holds it back. Private IDs: on the calling core only. */
void hal_gic_enable(unsigned id);
void hal_gic_disable(unsigned id);
/* Sends a shared interrupt (32..63) to the cores of the mask (bit i: core i). */
void hal_gic_target(unsigned id, unsigned core_mask);
/* Level-sensitive (false) or rising edge (true), shared interrupts. Not while another core
 * configures one: the register holds sixteen. */
void hal_gic_edge(unsigned id, bool edge);

/* Takes the pending interrupt of highest priority: a value for hal_gic_end(); its HAL_GIC_ID() is
 * HAL_GIC_SPURIOUS when there is none. */
uint32_t hal_gic_ack(void);
/* Whether one is pending for the calling core: what it would take. For code with IRQ masked. */
bool hal_gic_pending(void);
void hal_gic_end(uint32_t ack);

/* Interrupts the cores of the mask with SGI id (0..15). Stores before it are visible to them. */
void hal_gic_send(unsigned id, unsigned core_mask);

#endif
