/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probing for a device or memory: code that may fault without ending the run. */
#ifndef MPJ_TRY_H
#define MPJ_TRY_H

#include <stdbool.h>
#include <stdint.h>

/* What ended the attempt. */
struct mpj_fault_caught {
    uint32_t kind;    /* 1 undefined instruction, 3 prefetch abort, 4 data abort */
    uint32_t status;  /* fault status register: of data accesses, or of instruction fetches */
    uint32_t address; /* of the access; meaningless when an imprecise abort came late */
    uint32_t pc;
};

/*
 * Runs fn(arg) expecting that it may fault: to find out whether something is there. True: it
 * returned. False: it faulted, ended where it was, and *c says how; what it held (locks,
 * memory, the interrupt mask's depth aside) it still holds. Imprecise aborts of its accesses are
 * waited for. Thread context; at most 8 at a time in all threads (more are not caught: a fault then
 * ends the run). Does not nest.
 */
bool mpj_fault_try(struct mpj_fault_caught *c, void (*fn)(void *arg), void *arg);

#endif
