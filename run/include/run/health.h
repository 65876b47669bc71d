/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the ends of sessions with a board, a line of JSON each, newest last: time, ok, error,
 * bit_rate, frames, damaged (frames on the line), resent (frames to the board, again), repeated
 * (frames of the board that came again). One file per board and user, in
 * XDG_STATE_HOME/mpjoule/boards.
 */
#ifndef RUN_HEALTH_H
#define RUN_HEALTH_H

#include <stdio.h>

#include "hil/board.h"
#include "hil/session.h"

#define RUN_HEALTH_ROW 3U /* sessions in a row that failed, before a board is put in quarantine */

/*
 * Notes the end of a session. code: how it ended, err its message. A board that has a tag and whose
 * last RUN_HEALTH_ROW sessions failed for another reason than the program is put in quarantine.
 * Nothing fails when the file cannot be written.
 */
void run_health_note(const struct mpj_board *board, int code, const struct mpj_err *err,
                     const struct mpj_session_result *result);
/* Copies the lines of a board to a stream. MPJ_E_IO: there are none, or they cannot be read. */
int run_health_show(const struct mpj_board *board, FILE *to, struct mpj_err *err);

#endif
