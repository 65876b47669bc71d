/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of the tile, measured the same way under Linux and on the bare tile. */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdbool.h>
#include <stdint.h>

/* Prints a line: figure NAME VALUE UNIT. */
void figure(const char *name, double value, const char *unit);
/* Nanoseconds of the monotonic clock. */
double now_ns(void);
/* Ends the program with a line unless the condition holds. */
void must(bool condition, const char *what);
/* Binds the calling thread to a core. */
void bind_to(unsigned core);
/* Two threads on two cores run this at the same time, member 0 and 1; returns nanoseconds. */
double pair(void (*run)(unsigned member), unsigned core0, unsigned core1);

void figures_memory(void);    /* latency and bandwidth */
void figures_threads(void);   /* locks, hand-over, pipes between threads */
void figures_processes(void); /* Linux alone: system calls, faults, processes */

#endif
