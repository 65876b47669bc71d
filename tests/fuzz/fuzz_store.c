/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any raw log into a store, its run and its views: errors, never a crash. The first byte says what
 * is done with what follows: 1 it has the log's header, 2 it is compressed first, 4 there is no
 * program, 8 there are two passes.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "fuzz_frames.h"
#include "fuzz_log.h"
#include "fuzz_show.h"
#include "log/log.h"
#include "report/store.h"

static const char *write_log(const uint8_t *data, size_t size)
{
    static uint8_t all[MPJ_LOG_HEADER_SIZE + 65536];
    size_t n = 0;

    if ((data[0] & 1U) == 0) {
        memcpy(all, MPJ_LOG_MAGIC "\x01\0\x10\0\0\0\0", MPJ_LOG_HEADER_SIZE);
        n = MPJ_LOG_HEADER_SIZE;
    }
    size = size - 1 < sizeof(all) - n ? size - 1 : sizeof(all) - n;
    memcpy(all + n, data + 1, size);
    return fuzz_file(all, n + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *logs[2];
    char store[80];
    struct mpj_err err;

    if (size == 0)
        return 0;
    logs[0] = logs[1] = write_log(data, size);
    snprintf(store, sizeof(store), "%s.mpj", logs[0]);
    if ((data[0] & 2U) != 0)
        mpj_log_compress(logs[0], &err);
    fuzz_show_energy(logs[0]); /* a recording is read as far as it goes */
    if (mpj_store_build(store, logs, (data[0] & 8U) != 0 ? 2 : 1,
                        (data[0] & 4U) != 0 ? NULL : FUZZ_PROGRAM, &err) == MPJ_E_OK)
        fuzz_show(store);
    else if (strchr(err.text, '\n') != NULL)
        abort();
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    if (cap < 1)
        return 0;
    out[0] = rng() % 4U != 0 ? 0 : (uint8_t)(rng() & 0xeU);
    return 1 + fuzz_log_seed(out + 1, cap - 1, rng);
}

size_t fuzz_fix(uint8_t *data, size_t size, size_t cap)
{
    return size < 2 || (data[0] & 1U) != 0 ? size
                                           : 1 + fuzz_fix_frames(data + 1, size - 1, cap - 1);
}
