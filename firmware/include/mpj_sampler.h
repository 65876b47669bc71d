/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler's timer: the second private timer of core 0 (HAL_TIMER_SECOND), which the profiler
 * keeps running during the whole program. A program that borrows it for a while gives it back so:
 *
 *   mpj_irq_attach(HAL_IRQ_SECOND_TIMER, mpj_prof_irq_sample, NULL);
 *   hal_timer_start(HAL_TIMER_SECOND,
 *                   hal_timer_hz() / 1000U * (MPJ_PROF_KEEPALIVE_US / 1000U), true);
 *
 * Only where the run samples no power (--sample-ms 0): the timer's period is another otherwise.
 */
#ifndef MPJ_SAMPLER_H
#define MPJ_SAMPLER_H

/* Its period while nothing is sampled, for the L220's counters and the 64-bit clock. */
#define MPJ_PROF_KEEPALIVE_US 8000000U

/* Its interrupt handler. */
void mpj_prof_irq_sample(unsigned id, void *arg);

#endif
