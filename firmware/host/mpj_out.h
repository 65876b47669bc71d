/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records to the host: gathered into frames, frames written to the UART.
 *
 * Thread context on any core; a lock serialises cores. Never from interrupt handlers (a frame takes
 * up to 90 ms at 115200 bits/s): those leave data in rings that thread context drains.
 */
#ifndef MPJ_OUT_H
#define MPJ_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpj_records.h"

/* Writes one record; the mpj_*_put functions of the link with their second argument untyped. */
typedef int (*mpj_out_put)(struct mpj_writer *w, const void *rec);

/* Empties the buffer, restarts the sequence at 0. */
void mpj_out_init(void);

/* Puts a record into the present frame; sends the frame first if it is full. Returns 0, or the
 * link's negative code for a record that does not fit any frame (counted as dropped). */
int mpj_out_record(mpj_out_put put, const void *rec);

/* Puts a record like mpj_out_record(), from any context, interrupt handlers included: never waits,
 * neither for a thread that is writing a record nor for memory. Returns MPJ_LINK_ERR_SPACE if that
 * is impossible at present; nothing is lost or counted. */
int mpj_out_try_record(mpj_out_put put, const void *rec);

/* Sends console bytes (kind MPJ_REC_CONSOLE_OUT or _ERR) of any length. */
void mpj_out_console(uint32_t kind, const void *data, size_t len);

/* Sends the gathered records. */
void mpj_out_flush(void);

/* Flushes from any context, never waiting; returns false if that is impossible at present. */
bool mpj_out_try_flush(void);

/* Returns the number of DATA frames sent so far. */
uint32_t mpj_out_frames(void);

/* Sends one separate, unsequenced frame (HELLO). */
void mpj_out_frame(uint8_t type, const void *payload, size_t len);

/* Flushes, then sends END as the last frame; fills in its record counts. */
void mpj_out_end(struct mpj_end *end);

/* Counts records that were lost before they got here. */
void mpj_out_dropped(uint32_t kind, uint64_t n);

/* Takes the lock of these functions, a word that is 0 when it is free (out_lock.c): a thread that
 * finds it taken sleeps; one that has it is not interrupted. Thread context. */
void mpj_out_lock(volatile uint32_t *word);
/* Takes the lock if it is free, and returns true. Any context; a thread holds its interruptions off
 * (mpj_thread_hold()) until it has released the lock. */
bool mpj_out_try_lock(volatile uint32_t *word);
/* Releases the lock. */
void mpj_out_unlock(volatile uint32_t *word);
/* Releases the lock after mpj_out_try_lock(). Any context. */
void mpj_out_unlock_tried(volatile uint32_t *word);

/* Runs fn while none of these functions is in progress. */
void mpj_out_between(void (*fn)(void));

/* Recovers in a fault: breaks the lock, ends a half-sent frame (the receiver drops it), keeps the
 * gathered records if they are consistent. */
void mpj_out_seize(void);

#endif
