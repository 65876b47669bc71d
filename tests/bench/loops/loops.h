/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops of known length (loops.S) measured event by event, under Linux and on the bare tile: what
 * differs is count_begin() and count_end() only (under_linux.c, on_tile.c).
 *
 * A loop is run with `settle` and with `settle + rounds` rounds; the difference is what `rounds`
 * rounds count, without the calls that start and stop the counters and what these leave in caches.
 * Each is the median of some runs: a tick of the kernel in a few of them does not show.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include <stdint.h>

#define LOOPS_EVENTS 21U /* 0x00 to 0x14 */

struct loops_counts {
    uint32_t cycles, event[2];
};

/* Starts and stops counting two events and cycles on the calling core. */
void count_begin(unsigned event0, unsigned event1);
void count_end(struct loops_counts *out);

/* Measures all loops but the one with a partner, and prints a line for each loop and event:
 * `count LOOP ROUNDS EVENT COUNT CYCLES`. memory: LOOPS_MEMORY bytes at a multiple of 1 MB. */
#define LOOPS_MEMORY (140U << 20)
void loops_measure(void *memory);
/* The loop with a partner: loops_partner() has to run on another core from before until after; the
 * word at memory + 64 ends it. */
void loops_measure_contended(void *memory);
void loops_partner(void *memory);
/* Prints what a loop of a fifth of a second counts beyond its 5 cycles and 6 instructions a round:
 * `long CYCLES EXTRA_CYCLES EXTRA_INSTRUCTIONS`. */
void loops_measure_long(void);

#endif
