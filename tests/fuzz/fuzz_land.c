/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any file as a landscape, packed or not, and a search in it. The first byte says which strategy
 * is used; 128: the rest is packed first.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <zstd.h>

#include "fuzz_file.h"
#include "search/tune.h"

static const char *strategy(unsigned n)
{
    unsigned count = 0;

    while (run_tune_strategy_name(count, NULL) != NULL)
        count++;
    return n % (count + 1U) == 0 ? NULL : run_tune_strategy_name(n % (count + 1U) - 1U, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t packed[1U << 17];
    struct run_tune t = {.most = 40};
    struct mpj_err err;
    const char *path;

    if (size < 1)
        return 0;
    if ((data[0] & 128U) != 0) {
        const size_t n = ZSTD_compress(packed, sizeof(packed), data + 1, size - 1, 1);
        if (ZSTD_isError(n))
            abort();
        path = fuzz_file(packed, n);
    } else {
        path = fuzz_file(data + 1, size - 1);
    }
    t.strategy = strategy(data[0] & 127U);
    err.text[0] = '\0';
    if ((run_tune_landscape_read(&t, path, &err) != MPJ_E_OK || run_tune(&t, &err) != MPJ_E_OK) &&
        (err.text[0] == '\0' || strchr(err.text, '\n') != NULL))
        abort();
    run_tune_free(&t);
    return 0;
}

/* A landscape of two axes, with what may be wrong in it. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const row[] = {
        "[0.5, 2, 100]", "[1.5, 1e300, 7]", "[2, 0, 0]",   "\"it failed\"", "null",
        "[0.25, 9, 50]", "[3, null, 1]",    "[-1, \"x\"]", "[2, 3, 4, 5]",  "[0, 0, 0]"};
    const unsigned rows = rng() % 4U == 0 ? 10U : 7U; /* the last three are invalid */
    static const char *const lists[] = {"\"constraints\": [\"threads <= 4\"]",
                                        "\"objectives\": [\"time\", \"energy\"]",
                                        "\"objectives\": [\"time * energy\"]",
                                        "\"caps\": [\"energy < 100\"]",
                                        "\"roles\": [[\"threads\", \"threads\"]]",
                                        "\"baseline\": [[\"threads\", \"1\"]]",
                                        "\"constraints\": [\"(\"]",
                                        "\"roles\": [1, [\"a\"]]"};
    char text[2000];
    int n =
        snprintf(text, sizeof(text),
                 "{\"schema\": \"mpjoule-landscape/1\", \"axes\": [[\"threads\", [\"1\", \"2\", "
                 "\"4\"]], [\"size\", [\"a\", \"b\"]]], \"figures\": [\"time\", \"energy\", "
                 "\"instr\"], \"points\": [");

    for (unsigned i = 0; i < 6; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", i > 0 ? ", " : "",
                      row[rng() % rows]);
    n += snprintf(text + n, sizeof(text) - (size_t)n, "]");
    for (uint32_t i = rng() % 4U; i > 0; i--)
        n += snprintf(text + n, sizeof(text) - (size_t)n, ", %s",
                      lists[rng() % (sizeof(lists) / sizeof(lists[0]))]);
    n += snprintf(text + n, sizeof(text) - (size_t)n, "}");
    if ((size_t)n >= cap)
        return 0;
    out[0] = (uint8_t)rng();
    memcpy(out + 1, text, (size_t)n);
    return (size_t)n + 1;
}
