/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as boards.yaml: a list, or one line that says what is wrong. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "hil/board.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpj_boards *all = NULL;
    struct mpj_err err;

    if (mpj_boards_load(&all, fuzz_file(data, size), &err) != MPJ_E_OK) {
        if (all != NULL || strchr(err.text, '\n') != NULL)
            abort();
        return 0;
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct mpj_board *const b = mpj_boards_find(all, all->board[i].id);
        const struct mpj_identity seen = {
            .sys_id = 0x01400400, .proc_id = 0x06000000, .midr = 0x410fb024};

        if (b == NULL || mpj_boards_find(all, "") != NULL)
            abort();
        (void)mpj_identity_check(&b->identity, &seen, b->id, &err);
        if (mpj_identity_check(&b->identity, &b->identity, b->id, &err) != MPJ_E_OK)
            abort();
    }
    mpj_boards_free(all);
    return 0;
}

/* One or two boards, some keys of each with a value that may be wrong. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const line[] = {"port: /dev/ttyUSB0",
                                       "usb_serial: A1",
                                       "bit_rate: 921600",
                                       "bit_rate: 1",
                                       "bit_rate: -1",
                                       "bit_rate: 0x1c200",
                                       "boot: self",
                                       "boot: loader",
                                       "boot: command",
                                       "boot: other",
                                       "start: reset",
                                       "power_cycle: cycle",
                                       "platform: realview-eb-mpcore",
                                       "platform: other",
                                       "calibration: mprofiler",
                                       "notes: \"a\\nb\\e\"",
                                       "notes:",
                                       "start:",
                                       "start: [a]",
                                       "identity: {sys_id: 0x01400400, proc_id: 1, midr: 2}",
                                       "identity: {flash_id: 5, other: 1}",
                                       "identity: 5",
                                       "? [a]\n    : b"};
    char text[2000] = "boards:\n";
    size_t n = strlen(text);

    if (rng() % 16U == 0)
        n = (size_t)snprintf(text, sizeof(text), "other: 1\n");
    for (uint32_t b = 1 + rng() % 2U; b > 0; b--) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "  - id: tile%u\n",
                              (unsigned)(rng() % 2U));
        for (uint32_t i = rng() % 6U; i > 0; i--)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "    %s\n",
                                  line[rng() % (sizeof(line) / sizeof(line[0]))]);
    }
    n = n < cap ? n : cap;
    memcpy(out, text, n);
    return n;
}
