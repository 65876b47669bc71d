/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampling of the program's position: the interrupted PC of every core, and return addresses on its
 * stack, once between any two samples of the ADC, at a random time, and every N counts of an event.
 *
 * Nothing of it runs, and no handler is replaced, unless the host asked for it (record TRACE). Each
 * core writes a ring of its own. Code that masks interrupts is never sampled: its time is
 * attributed to the instruction that follows it.
 */
#ifndef MPJ_TRACE_H
#define MPJ_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_trace_records.h"

#define MPJ_TRACE_RING  16384U /* moments per core; a power of two */
#define MPJ_TRACE_STACK 24U    /* words searched for return addresses */

/* Takes the host's request, after mpj_prof_configure(), and attaches the handlers. sample_us:
 * period of the sampler. chosen: as for mpj_functions_configure(). Returns 0, or MPJ_TERR_CONFIG
 * with *why a constant text. Core 0, before the run, when the scheduler is ready. */
int mpj_trace_configure(const struct mpj_trace_config *cfg, const uint8_t *chosen,
                        uint32_t sample_us, const char **why);
/* Notes a call that was measured (MPJ_AT_CALL): five words. IRQ masked. */
void mpj_trace_call(unsigned core, const uint32_t word[MPJ_MOMENT_WORDS]);
/* Sends the remaining notes, and the number of lost ones. Thread context, after the end of the
 * run. */
void mpj_trace_send(void);

#endif
