/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board behind a serial port that acknowledges what it is sent and otherwise says what the input
 * says, in a time of its own: this file's clock, poll() and nanosleep() take the place of the
 * machine's, so that no input waits.
 */
#ifndef FUZZ_BOARD_H
#define FUZZ_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hil/target.h"
#include "mpj_records.h"

/* Begins a board that says what data tells, for as long as that lasts. hello: what a greeting and
 * the start are answered with; NULL: nothing. Reliable. */
struct mpj_target *fuzz_board(const uint8_t *data, size_t size, const struct mpj_hello *hello,
                              uint32_t rate);

/*
 * The input: an operation, a length, so many bytes.
 *   0..5  a numbered frame with that payload: LOADER_REPLY, DATA, IO_REQ, END, unknown, optional
 *   6     bytes as they are
 *   7     nothing, for so many tenths of a second
 *   8     the port goes away, for so many tries
 *   9     a HELLO: the bytes are its payload, or none: the one of fuzz_board()
 *   10    it begins anew
 *   11    an echo
 * Appends one to n bytes of out; returns the new length, n when it does not fit.
 */
enum fuzz_board_op {
    FUZZ_REPLY,
    FUZZ_DATA,
    FUZZ_IO,
    FUZZ_END,
    FUZZ_UNKNOWN,
    FUZZ_OPTIONAL,
    FUZZ_BYTES,
    FUZZ_SILENCE,
    FUZZ_AWAY,
    FUZZ_HELLO,
    FUZZ_ANEW,
    FUZZ_ECHO,
    FUZZ_OPS
};
size_t fuzz_board_say(uint8_t *out, size_t cap, size_t n, enum fuzz_board_op op, const void *data,
                      size_t len);
/* For fuzz_fix(): records in each frame end within it. */
size_t fuzz_board_fix(uint8_t *data, size_t size, size_t cap);

/* The clock goes on. */
void fuzz_board_wait(uint32_t ms);

#endif
