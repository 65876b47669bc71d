/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames in from the host, and the transport below mpj_out.h in sessions that acknowledge.
 *
 * Without acknowledgements (the emulator's socket) frames go straight to the UART and this holds
 * the receiver only. With them every numbered frame is kept in memory until the host has it and
 * goes to the UART as that takes it: by the call that made it, by the transmit interrupt, by the
 * sampler. The measured program waits MPJ_IN_BOUND_US at most.
 */
#ifndef MPJ_IN_H
#define MPJ_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpj_frame.h"

#define MPJ_IN_BOUND_US 1000U      /* longest wait for memory while the program runs */
#define MPJ_IN_KEEP     (8U << 20) /* bytes of frames kept */
#define MPJ_IN_NOTES    8U         /* notes of the host not yet in the record */

/* Start of a session: nothing received, no acknowledgements. hello: says HELLO (again). stop: the
 * host ends the run early; any context, does not return on the target. Core 0. */
void mpj_in_open(void (*hello)(void), void (*stop)(void));

/* Waits for the host's next numbered frame, in order and once; time stands still meanwhile in the
 * emulator (UARTCR.OUT1). out->payload is valid until the next call. Thread context, one caller at
 * a time. Before START it also answers the host's bit-rate proposals and repeats HELLO. */
void mpj_in_wait(struct mpj_frame *out);

/* The session acknowledges from here on. Call between the first mpj_in_wait() and the next. */
void mpj_in_reliable(void);
/* Whether it does. */
bool mpj_in_is_reliable(void);

/* The measured program is over: from here on a call may wait for the line. */
void mpj_in_patient(void);

/* For mpj_out: a frame onto the reliable link. must: not a frame of the running program's records,
 * so it may wait for memory as long as it takes. 0, or the link's negative code when there is none:
 * the frame is lost. Callers serialise. */
int mpj_in_send(uint8_t type, const void *payload, size_t len, bool must);

/* Waits until the line has carried what is queued, before the program runs: none of that is sent at
 * its expense. Thread context. */
void mpj_in_drain(void);

/* As mpj_in_send(), but never waits, for interrupt handlers: MPJ_LINK_ERR_SPACE when memory is
 * lacking. */
int mpj_in_try_send(uint8_t type, const void *payload, size_t len);

/* The board's watchdog runs: every turn here and every mpj_in_service() feeds it. */
void mpj_in_guarded(void);

/* Polls the receiver and feeds the transmitter. Any context, any core; does
 * nothing for the line without acknowledgements. */
void mpj_in_service(void);
/* A NOTE frame of the host, and when it was seen. */
struct mpj_in_note {
    uint32_t number;
    uint64_t time; /* ticks */
};
/* The oldest note, which stays the oldest until mpj_in_note_done(). False: there is none. One
 * consumer at a time; any context. */
bool mpj_in_note(struct mpj_in_note *out);
/* Removes it. */
void mpj_in_note_done(void);
/* Notes for which there was no place. */
uint32_t mpj_in_notes_lost(void);

/* The host asked for a graceful end of the program (FINISH). Any context. */
bool mpj_in_told_to_finish(void);

/* Handler of the UART's interrupt. */
void mpj_in_irq(unsigned id, void *arg);

/* After END: until the host has everything, or has sent nothing for 10 s. */
void mpj_in_finish(void);

/* The fault handler takes the line over from the code it interrupted. */
void mpj_in_seize(void);

#endif
