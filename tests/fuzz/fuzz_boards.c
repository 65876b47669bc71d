/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as boards.yaml: a list, or one line that says what is wrong. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "mpj_board.h"

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
        if (mpj_boards_find(all, all->board[i].id) == NULL)
            abort();
    }
    mpj_boards_free(all);
    return 0;
}
