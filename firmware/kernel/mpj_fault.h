/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults and errors, which end a run early. */
#ifndef MPJ_FAULT_H
#define MPJ_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_irq.h"
#include "mpj_try.h"

#define MPJ_FAULT_KIND_SVC 2

/* Returns true for an address in a thread's guard page: a fault there is reported as a stack
 * overflow. Weak; the one here returns false. Called from the fault handler. */
bool mpj_fault_is_guard(uint32_t addr);

/* Finds the stack that holds an address, or whose guard does, and writes its bounds. False: none
 * that the scheduler knows. Weak; the one here returns false. Called from the fault handler, other
 * cores stopped. */
bool mpj_fault_stack(uint32_t addr, uint32_t *low, uint32_t *high);

/* Returns true if a word can be read at that address without a fault. Called from the fault
 * handler. */
bool mpj_fault_readable(uint32_t addr);

/* Reports the code of a frame as faulting and ends the run. Any context. */
_Noreturn void mpj_fault_context(unsigned kind, const struct mpj_context *c);

/* Requests the reset until it happens. Any context. */
_Noreturn void mpj_reset(void);

/* Reports an error of the runtime (enum mpj_target_error) with its number and one line of text, and
 * ends the run. Thread context. */
_Noreturn void mpj_fatal(uint32_t code, uint64_t detail, const char *text);

#endif
