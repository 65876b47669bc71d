/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as the emulator's profile of a run that went well, with the emulator's truth when there
 * is an odd number of them. One in four of the stores is shown, by that number: it takes most of
 * the time. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_file.h"
#include "fuzz_log.h"
#include "fuzz_show.h"
#include "log/log.h"
#include "report/store.h"

#define ROOM (192U << 10)

static uint8_t head[16384];
static size_t head_size;

static uint32_t nothing_left_out(void)
{
    return 7; /* no truth, no failure, no profile (fuzz_log_seed) */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t all[ROOM];
    const char *const log = fuzz_file(data, 0);
    char store[80];
    struct mpj_err err;
    size_t n = 0;

    if (head_size == 0)
        head_size = fuzz_log_seed(head, sizeof(head), nothing_left_out);
    memcpy(all, MPJ_LOG_MAGIC "\x01\0\x10\0\0\0\0", MPJ_LOG_HEADER_SIZE);
    memcpy(all + MPJ_LOG_HEADER_SIZE, head, head_size);
    n = MPJ_LOG_HEADER_SIZE + head_size;
    if (size % 2U != 0)
        n = fuzz_log_truth(all, sizeof(all), n);
    n = fuzz_log_bytes(all, sizeof(all), n, MPJ_LOG_PROFILE, data, size);
    n = fuzz_log_frame(all, sizeof(all), n, MPJ_LOG_CLOSE, "\0", 2);
    (void)fuzz_file(all, n);
    snprintf(store, sizeof(store), "%s.mpj", log);
    if (mpj_store_build(store, &log, 1, FUZZ_PROGRAM, &err) != MPJ_E_OK) {
        if (strchr(err.text, '\n') != NULL)
            abort();
    } else if (size / 2U % 4U == 0) {
        fuzz_show(store);
    }
    unlink(store);
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    size_t n = fuzz_profile_seed(out, cap, rng);

    if (n > 0 && n < cap && rng() % 2U != 0)
        out[n++] = 0; /* an odd number */
    return n;
}

/* Each section ends within the file. */
size_t fuzz_fix(uint8_t *data, size_t size, size_t cap)
{
    (void)cap;
    for (size_t at = 16; at + 16 <= size;) {
        const size_t left = size - at - 16;
        uint64_t len = 0;

        for (unsigned i = 0; i < 8; i++)
            len |= (uint64_t)data[at + 8 + i] << (8U * i);
        for (unsigned i = 0; len > left && i < 8; i++)
            data[at + 8 + i] = (uint8_t)((uint64_t)left >> (8U * i));
        at += 16 + (size_t)(len < left ? len : left);
    }
    return size;
}
