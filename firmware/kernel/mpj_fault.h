/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ends a run before its time. */
#ifndef MPJ_FAULT_H
#define MPJ_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_irq.h"

#define MPJ_FAULT_KIND_SVC 2

/* True for an address in a guard page of the caller's making: a fault there is reported as a stack
 * overflow. Weak; the one here says no. Called from the fault handler. */
bool mpj_fault_is_guard(uint32_t addr);

/* Reports the code of a frame as faulting and ends the run. Any context. */
_Noreturn void mpj_fault_context(unsigned kind, const struct mpj_context *c);

/* Asks for the reset until it comes. Any context. */
_Noreturn void mpj_reset(void);

/* Reports an error of ours (enum mpj_target_error) with its number and one line of text, and ends
 * the run. Thread context. */
_Noreturn void mpj_fatal(uint32_t code, uint64_t detail, const char *text);

/* A fault that was caught. */
struct mpj_fault_caught {
    uint32_t kind;    /* enum mpj_fault_kind of mpj_records.h */
    uint32_t status;  /* fault status register: of data accesses, or of instruction fetches */
    uint32_t address; /* of the access; meaningless when an imprecise abort came late */
    uint32_t pc;
};

/*
 * Runs fn(arg) expecting that it may fault: to find out whether something is there. True: it
 * returned. False: it faulted, ended where it was, and *c says how; what it held (locks,
 * memory, the interrupt mask's depth aside) it still holds. Imprecise aborts of its accesses are
 * waited for. Thread context; at most 8 at a time in all threads (more are not caught: a fault then
 * ends the run as ever). Does not nest.
 */
bool mpj_fault_try(struct mpj_fault_caught *c, void (*fn)(void *arg), void *arg);

#endif
