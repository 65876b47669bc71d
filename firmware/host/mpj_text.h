/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program without the host: its output as lines of text on the UART, for any terminal. Chosen
 * before the session by Enter at a terminal (mpj_in_wait()); records are then not sent. Everything
 * blocks until the UART has taken it.
 */
#ifndef MPJ_TEXT_H
#define MPJ_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpj_records.h"

/* Switches to text. reset: resets the board; called by the core that writes. Core 0, before the
 * program. */
void mpj_text_begin(void (*reset)(void));
/* Returns true after mpj_text_begin(). Any context. */
bool mpj_text_on(void);

/* Tells a person at a terminal what to press, before a program has started. */
void mpj_text_invite(void);

/* Writes output of the program, a line end as CR and LF. Resets the board if what has been received
 * is not text: the host is there; or Ctrl-C. Callers serialise. */
void mpj_text_write(const void *data, size_t len);

/* Each writes a line: the processor's fault, an error of the runtime, the program's end. Any
 * context. */
void mpj_text_fault(const struct mpj_fault *f);
void mpj_text_error(const struct mpj_error_rec *e);
void mpj_text_end(int32_t status);

/* Returns true if a terminal can send the byte for a line of text. */
bool mpj_text_byte(uint8_t byte);

#endif
