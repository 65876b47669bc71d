/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the parts of the stress share (stress.c). */
#ifndef STRESS_H
#define STRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PAGE 4096U

/* Adds a value to a sum; the order of the values counts. */
uint32_t mix(uint32_t sum, uint32_t value);
/* Ends the process with a line on the console unless the condition holds. */
void must(bool condition, const char *what, ...) __attribute__((format(printf, 2, 3)));
/* Waits for a child and returns its exit status; any other end is an error. */
uint32_t wait_for(pid_t pid);

/* Parts: each returns a sum that depends on @round only. */
uint32_t stress_fork(unsigned round);    /* trees of processes */
uint32_t stress_exec(unsigned round);    /* programs that replace each other */
uint32_t stress_cow(unsigned round);     /* pages shared until one of two writes */
uint32_t stress_pipes(unsigned round);   /* a token in a ring of processes */
uint32_t stress_map(unsigned round);     /* mappings that come, go, move and change */
uint32_t stress_blocks(unsigned round);  /* faults in the middle of multiple loads and stores */
uint32_t stress_signals(unsigned round); /* handlers that interrupt a computation */
uint32_t stress_threads(unsigned round); /* mutexes, condition variables, barriers */
uint32_t stress_futex(unsigned round);   /* hand-over between processes by shared words */
uint32_t stress_float(unsigned round);   /* floating point in more threads than cores */
uint32_t stress_code(unsigned round);    /* code that is written, copied and changed */

#endif
