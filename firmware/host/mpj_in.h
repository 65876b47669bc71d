/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames from the host, and the transport below mpj_out.h in sessions that acknowledge.
 *
 * Without acknowledgements (the emulator's socket) frames go straight to the UART and this holds
 * the receiver only. With them every numbered frame is kept in memory until the host has it, and
 * goes to the UART as fast as that takes it: by the call that created it, by the transmit
 * interrupt, by the sampler. The measured program waits MPJ_IN_BOUND_US at most.
 */
#ifndef MPJ_IN_H
#define MPJ_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpj_frame.h"

#define MPJ_IN_BOUND_US 1000U      /* longest wait for memory while the program runs */
#define MPJ_IN_KEEP     (8U << 20) /* bytes of unacknowledged frames */
#define MPJ_IN_NOTES    8U         /* notes of the host that are not yet in the record */

/* Starts a session: nothing received, no acknowledgements. hello: sends HELLO (again). stop: called
 * when the host ends the run early; any context, does not return on the target. Core 0. */
void mpj_in_open(void (*hello)(void), void (*stop)(void));

/* Waits for the host's next numbered frame, in order and once; in the emulator modelled time stops
 * meanwhile (UARTCR.OUT1). out->payload is valid until the next call. Thread context, one caller at
 * a time. Before START it also answers the host's bit-rate proposals and repeats HELLO. Until the
 * first frame, a line of text and a silence of 250 ms end the wait, too: out->type is 0, a person
 * at a terminal has pressed Enter. */
void mpj_in_wait(struct mpj_frame *out);

/* Switches the session to acknowledgements. To be called between the first mpj_in_wait() and the
 * next. */
void mpj_in_reliable(void);
/* Returns true if the session acknowledges. */
bool mpj_in_is_reliable(void);

/* Allows calls to wait for the line, from the end of the measured program on. */
void mpj_in_patient(void);

/* Sends a frame over the reliable link, for mpj_out. must: not a frame of the running program's
 * records, so it may wait for memory as long as it takes. Returns 0, or the link's negative code
 * when there is no memory: the frame is lost. Callers serialise. */
int mpj_in_send(uint8_t type, const void *payload, size_t len, bool must);

/* Waits until the line has carried what is queued, before the program runs, so that none of that is
 * sent at its expense. Thread context. */
void mpj_in_drain(void);

/* Sends like mpj_in_send(), but never waits, for interrupt handlers. Returns MPJ_LINK_ERR_SPACE
 * when memory is lacking. */
int mpj_in_try_send(uint8_t type, const void *payload, size_t len);

/* Makes every wait for the host and every mpj_in_service() feed the board's watchdog, which
 * runs. */
void mpj_in_guarded(void);

/* Longest time between two of these polls while the program runs, whatever the sampling period. */
#define MPJ_IN_LOOK_US 250000U
/* Makes every so many-th poll send a status when nothing else has been sent since the one before,
 * so that the host detects a living board; 0: none. */
void mpj_in_beat(uint32_t polls);

/* Polls the receiver and feeds the transmitter. Any context, any core; does nothing on a line
 * without acknowledgements. */
void mpj_in_service(void);
/* A NOTE frame of the host, and its time of arrival. */
struct mpj_in_note {
    uint32_t number;
    uint64_t time; /* ticks */
};
/* Returns the oldest note, which stays the oldest until mpj_in_note_done(); false: there is none.
 * One consumer at a time; any context. */
bool mpj_in_note(struct mpj_in_note *out);
/* Removes the oldest note. */
void mpj_in_note_done(void);
/* Returns the number of notes that were lost because the queue was full. */
uint32_t mpj_in_notes_lost(void);

/* Returns true if the host asked for a graceful end of the program (FINISH). Any context. */
bool mpj_in_told_to_finish(void);

/* Handles the UART's interrupt. */
void mpj_in_irq(unsigned id, void *arg);

/* Waits, after END, until the host has everything or has sent nothing for 10 s. */
void mpj_in_finish(void);

/* Takes the line over from the code that a fault interrupted. From the fault handler. */
void mpj_in_seize(void);

#endif
