/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording watched live: samples and marks of the host go out as they come, not when a buffer is
 * full. Called from the sampler's interrupt on core 0, which never waits.
 */
#ifndef MPJ_STREAM_H
#define MPJ_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* A stream polls the line at least this often. */
#define MPJ_STREAM_LOOK_US 10000U

/* Equal parts of a sampling period, none longer than that, for the sampler's timer. */
uint32_t mpj_stream_parts(uint32_t period_us);

/* The run begins at this tick. */
void mpj_stream_begin(uint64_t now);

/* After a sample. waiting: samples not sent yet; relieve: sends a block of them, false: not now.
 * Whole blocks are sent as they come, and once a second what there is. */
void mpj_stream_turn(uint64_t now, uint32_t waiting, bool (*relieve)(void));

/* Marks the host asked for, into the record. */
void mpj_stream_notes(void);

#endif
