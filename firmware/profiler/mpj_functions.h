/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions measured at their entries and exits, in the manner of Safari: after a warm-up, periods;
 * in each of them the functions of one group are measured, each at most a given number of times.
 *
 * A program compiled with -fpatchable-function-entry has a NOP at each entry and a table of them.
 * An entry that is measured is a branch to a veneer of its own: one word, so that it can change
 * while threads are anywhere. The veneer's stub notes the thread's counts so far, and replaces the
 * return address by that of another stub; the original one is kept on a shadow stack. All other
 * entries cost their NOP. A short function's veneer counts its calls down, and only some of them
 * are measured, more rarely the more there are.
 *
 * Figures are those of the thread, without the cost of this code. Frames that a longjmp or the end
 * of a thread leaves are dropped when the stack is found to be above them.
 */
#ifndef MPJ_FUNCTIONS_H
#define MPJ_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_trace_records.h"

#define MPJ_FUNC_EDGES 4096U /* pairs of a function and a call site, per core; a power of 2 */
#define MPJ_FUNC_DEPTH 32U   /* nested measured calls of a thread */

/* Takes the parameters and allocates the memory. chosen: with MPJ_TRACE_CHOICE, a bit for each of
 * MPJ_FUNC_MAX functions. Returns 0, or MPJ_TERR_CONFIG with *why a constant text. Core 0, before
 * the run, when the scheduler is ready. */
int mpj_functions_configure(const struct mpj_trace_config *cfg, const uint8_t *chosen,
                            uint32_t sample_us, const char **why);
/* Advances by a period of the sampler. From its interrupt, core 0. */
void mpj_functions_tick(void);
/* Sends the results. Thread context, after the end of the run. */
void mpj_functions_send(void);

#endif
