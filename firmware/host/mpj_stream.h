/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live recording: samples and marks of the host are sent as they come, not when a buffer is full.
 * Called from the sampler's interrupt on core 0, which never waits.
 */
#ifndef MPJ_STREAM_H
#define MPJ_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* Longest time between two polls of the line by a stream. */
#define MPJ_STREAM_LOOK_US 10000U

/* Returns the number of equal parts of a sampling period, none longer than look_us, for the
 * sampler's timer. */
uint32_t mpj_stream_parts(uint32_t period_us, uint32_t look_us);

/* Begins the run at this tick. */
void mpj_stream_begin(uint64_t now);

/* Sends samples after one was taken. waiting: samples not sent yet; relieve: sends a block of them,
 * false: impossible at present. Whole blocks are sent as they come, and once a second the rest. */
void mpj_stream_turn(uint64_t now, uint32_t waiting, bool (*relieve)(void));

/* Puts marks that the host asked for into the record. */
void mpj_stream_notes(void);

#endif
