/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probing for a device or memory: code that may fault without ending the run. */
#ifndef MPJ_TRY_H
#define MPJ_TRY_H

#include <stdbool.h>
#include <stdint.h>

/* Fault that ended the attempt. */
struct mpj_fault_caught {
    uint32_t kind;    /* 1 undefined instruction, 3 prefetch abort, 4 data abort */
    uint32_t status;  /* fault status register: of data accesses, or of instruction fetches */
    uint32_t address; /* address of the access; meaningless when an imprecise abort came late */
    uint32_t pc;
};

/*
 * Runs fn(arg), which may fault, for instance to find out whether a device is present. Returns true
 * if fn returned. Returns false if it faulted: fn ended there, *c describes the fault, and whatever
 * fn held (locks, memory; but not the depth of the interrupt mask) is still held. Waits for
 * imprecise aborts of fn's accesses. Thread context; at most 8 attempts at a time in all threads
 * (further faults are not caught and end the run). Does not nest.
 */
bool mpj_fault_try(struct mpj_fault_caught *c, void (*fn)(void *arg), void *arg);

#endif
