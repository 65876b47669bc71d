/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler's timer: the second private timer of core 0 (HAL_TIMER_SECOND), which the profiler
 * keeps running during the whole program. A program that borrows it returns it by:
 *
 *   mpj_irq_attach(HAL_IRQ_SECOND_TIMER, mpj_prof_irq_sample, NULL);
 *   mpj_sampler_start();
 */
#ifndef MPJ_SAMPLER_H
#define MPJ_SAMPLER_H

/* Period while nothing is sampled: keeps the L220's counters and the 64-bit clock up to date. */
#define MPJ_PROF_KEEPALIVE_US 8000000U

/* Handles the timer's interrupt. */
void mpj_prof_irq_sample(unsigned id, void *arg);

/* Starts the timer with the period of this run. Core 0. */
void mpj_sampler_start(void);

#endif
