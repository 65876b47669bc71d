/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Depth of use of a stack: before a thread begins, words of its stack are painted; what is written
 * since has another value.
 *
 * Painting and looking happen while the measured program runs, and each word is a miss, so there
 * are few: every 256 bytes down to 2 KB below the top, every 1 KB down to 8 KB, then eight in each
 * doubling of the depth; all at addresses that are multiples of these distances. A depth is known
 * to the next word below it: to 256 bytes, 1 KB, or an eighth of it. It is never too small, but for
 * what a function reserved and did not write at the very end.
 */
#ifndef MPJ_PAINT_H
#define MPJ_PAINT_H

#include <stdbool.h>
#include <stdint.h>

#define MPJ_PAINT_FINE   256U     /* bytes between words ... */
#define MPJ_PAINT_NEAR   2048U    /* down to here */
#define MPJ_PAINT_STEP   1024U    /* ... and from there on */
#define MPJ_PAINT_DEEP   8192U    /* down to here; then */
#define MPJ_PAINT_OCTAVE 8U       /* words in each doubling of the depth */
#define MPJ_PAINT_READY  0xa00000 /* bytes of stacks made ready before the run: of eight threads */

/* Paints the stack [low, top), multiples of 4, below the address `from`, which is at most top, and
 * as deep as `depth` bytes below the top, or all of it. */
void mpj_paint(uintptr_t low, uintptr_t top, uintptr_t from, uint32_t depth);

/* Paints memory of stacks, multiples of 256 bytes, before it is known which: every stack there is
 * then painted completely. */
void mpj_paint_ready(uintptr_t low, uintptr_t high);

/*
 * Returns the depth to which the painted stack [low, top) was written since, in bytes: rounded up
 * as above, at most top - low. quick: looks at the words down to MPJ_PAINT_NEAR, and if the lower
 * half of that was written, on to four times the depth that was found last; else at all of them.
 */
uint32_t mpj_paint_depth(uintptr_t low, uintptr_t top, bool quick);

#endif
