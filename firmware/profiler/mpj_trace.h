/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the program is: the interrupted PC of every core, and return addresses on its stack, once
 * between any two samples of the ADC, by chance, and at every so many counts of an event.
 *
 * Nothing of it runs, and no handler is another one, unless the host asked for it (record TRACE).
 * Each core writes a ring of its own. Code that masks interrupts is never seen: its time goes to
 * the instruction behind it.
 */
#ifndef MPJ_TRACE_H
#define MPJ_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_trace_records.h"

#define MPJ_TRACE_RING  16384U /* moments of each core; a power of two */
#define MPJ_TRACE_STACK 24U    /* words looked at for return addresses */

/* Takes what the host wants, after mpj_prof_configure(); attaches the handlers. 0, or
 * MPJ_TERR_CONFIG with *why a constant text. sample_us: of the sampler. chosen:
 * as for mpj_functions_configure(). Core 0, before the run, when the scheduler is ready. */
int mpj_trace_configure(const struct mpj_trace_config *cfg, const uint8_t *chosen,
                        uint32_t sample_us, const char **why);
/* Notes a call that was measured (MPJ_AT_CALL): five words. IRQ masked. */
void mpj_trace_call(unsigned core, const uint32_t word[MPJ_MOMENT_WORDS]);
/* Sends what is left of it, and how much was lost. Thread context, after the end of the run. */
void mpj_trace_send(void);

#endif
