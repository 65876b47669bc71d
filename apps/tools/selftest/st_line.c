/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line: a pattern from the host (stdin), compared here, and the same pattern back (stderr),
 * compared there. What the link repaired underneath is counted by the host.
 */
#include <stdio.h>
#include <unistd.h>

#include "selftest.h"

#define CHUNK 512U

/* Returns the next byte of the pattern, with the same numbers as on the host. Every byte value,
 * with runs of zeros. */
static uint8_t next_byte(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state & 0x60000000U) == 0 ? 0 : (uint8_t)(*state >> 16);
}

void st_line(uint32_t bytes)
{
    static const struct st_item came = {
        "line.to_board", "bytes", "-", "pattern received from the host", 1, ST_FREE};
    static const struct st_item wrong = {"line.to_board_wrong", "bytes", "-",
                                         "of them, wrong",      0,       0};
    struct st_item whole = came;
    static uint8_t chunk[CHUNK];
    uint32_t state = 1, have = 0, bad = 0;
    ssize_t n;

    st_part("line");
    while (have < bytes && (n = read(STDIN_FILENO, chunk, sizeof(chunk))) > 0) {
        for (ssize_t i = 0; i < n; i++)
            bad += chunk[i] != next_byte(&state);
        have += (uint32_t)n;
    }
    whole.low = whole.high = bytes;
    st_value(&whole, ST_NONE, have);
    st_value(&wrong, ST_NONE, bad);
    state = 1;
    for (have = 0; have < bytes; have += CHUNK) {
        for (uint32_t i = 0; i < CHUNK; i++)
            chunk[i] = next_byte(&state);
        (void)write(STDERR_FILENO, chunk, have + CHUNK <= bytes ? CHUNK : bytes - have);
    }
}
