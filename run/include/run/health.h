/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the ends of sessions with a board, a line of JSON each, newest last: time, ok, error,
 * bit_rate, frames, damaged (frames on the line), resent (frames to the board, again), repeated
 * (frames of the board that came again); adc ("ok", "doubt", "bad") and adc_says (samples lost, out
 * of range, stuck: what mpj_energy_load() finds); clock_ppm and clock_error_ppm (hil/drift.h), or
 * clock_speed when that is not about 1; lifted (true) alone: the end of a quarantine. One file per
 * board and user, in XDG_STATE_HOME/mpjoule/boards.
 */
#ifndef RUN_HEALTH_H
#define RUN_HEALTH_H

#include <stdio.h>

#include "hil/board.h"
#include "hil/session.h"

#define RUN_HEALTH_ROW 3U     /* bad sessions in a row, before a board is put in quarantine */
#define RUN_HEALTH_PPM 1000.0 /* by which a board's clock may differ without a warning */

/*
 * Notes the end of a session. code: how it ended, err its message; log: what was recorded. A board
 * that has a tag and whose last RUN_HEALTH_ROW sessions were bad is put in quarantine: they failed
 * for another reason than the program, or their samples are not plausible. Nothing fails when the
 * file cannot be written.
 */
void run_health_note(const struct mpj_board *board, int code, const struct mpj_err *err,
                     const struct mpj_session_result *result, const char *log);
/* Ends the board's quarantine, and notes it: bad sessions of this user before it no longer count.
 * Errors: as mpj_quarantine_lift(). */
int run_health_lift(const struct mpj_board *board, struct mpj_err *err);
/* Writes a line on what the last session found wrong with the board's samples or clock, "" when it
 * found nothing. */
void run_health_warning(const struct mpj_board *board, char *out, size_t cap);
/* Copies the lines of a board to a stream. MPJ_E_IO: there are none, or they cannot be read. */
int run_health_show(const struct mpj_board *board, FILE *to, struct mpj_err *err);

#endif
