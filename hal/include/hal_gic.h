/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupt controller of the tile (DDI 0360, "MPCore Distributed Interrupt Controller"; it
 * predates GICv1): a distributor, and an interface per core. IDs: 0..15 software interrupts between
 * cores (SGI), 29 private timer, 30 second timer, 32..63 shared.
 *
 * Callable from any core and from interrupt handlers, unless noted. Distributor words are written
 * by one store each, so callers need no lock except where noted.
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
#define HAL_IRQ_SECOND_TIMER  30U /* the core's private watchdog in timer mode */
#define HAL_IRQ_SPI(n)        (32U + (n))

/* Disables every shared interrupt, gives all of them the same priority, and enables the
 * distributor. Once, by core 0, before interrupts are unmasked. */
void hal_gic_dist_init(void);

/* Enables the calling core's interface for every priority. Once per core. */
void hal_gic_cpu_init(void);

/* Enables an interrupt. Private IDs: on the calling core only. */
void hal_gic_enable(unsigned id);

/* Disables an interrupt; a pending one stays pending. Private IDs: on the calling core only. */
void hal_gic_disable(unsigned id);

/* Routes a shared interrupt (32..63) to the cores of the mask (bit i: core i). */
void hal_gic_target(unsigned id, unsigned core_mask);

/* Makes a shared interrupt level-sensitive (false) or edge-triggered, rising (true). Not while
 * another core configures one, since one register holds sixteen. */
void hal_gic_edge(unsigned id, bool edge);

/* Acknowledges the pending interrupt of highest priority. Its HAL_GIC_ID() is HAL_GIC_SPURIOUS if
 * none is pending; otherwise hal_gic_end() must follow. */
uint32_t hal_gic_ack(void);

/* Returns true if an interrupt is pending for the calling core. For code with IRQ masked. */
bool hal_gic_pending(void);

/* Ends the interrupt that hal_gic_ack() returned. */
void hal_gic_end(uint32_t ack);

/* Sends SGI id (0..15) to the cores of the mask. Stores before the call are visible to them. */
void hal_gic_send(unsigned id, unsigned core_mask);

#endif
