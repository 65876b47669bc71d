/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a calibration: a chip, or one line that says what is wrong. It may include that of
 * the board, which lies beside it. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "mpj_chip.h"

#define BOARD "realview-eb-mpcore.conf"

static uint8_t text[65536];

/* One of the kept calibrations, its length. */
static size_t kept(const char *name)
{
    char path[300];
    FILE *f;
    size_t n;

    snprintf(path, sizeof(path), "%s/%s", FUZZ_CALIBRATIONS, name);
    f = fopen(path, "rb");
    if (f == NULL)
        abort();
    n = fread(text, 1, sizeof(text), f);
    fclose(f);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool begun;
    const struct mpj_config cfg = {
        .calibration = fuzz_file(data, size), .seed = 1, .ram_bytes = 1U << 20};
    struct mpj_chip *chip = NULL;
    char err[256] = "";

    if (!begun)
        (void)fuzz_file_as(BOARD, text, kept(BOARD));
    begun = true;
    if (mpj_chip_new(&chip, &cfg, err, sizeof(err)) == MPJ_OK)
        mpj_chip_free(chip);
    else if (chip != NULL || strchr(err, '\n') != NULL || err[0] == '\0')
        abort();
    return 0;
}

/* A kept one without its comments, and what may be wrong in its last line. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const last[] = {"",
                                       "name = other\n",
                                       "name = a/b\n",
                                       "e_instr = x\n",
                                       "e_instr = 99999999999\n",
                                       "no_such = 1\n",
                                       "no equals sign\n",
                                       "include\n",
                                       "include input\n",
                                       "include " BOARD "\n",
                                       "l1i_kb = 3\n",
                                       "l1d_kb = 3\n",
                                       "l2_ways = 3\n",
                                       "tlb_ways = 3\n"};
    const size_t size = kept(rng() % 2U ? "mprofiler.conf" : "epro-mp.conf");
    const char *const more = last[rng() % (sizeof(last) / sizeof(last[0]))];
    size_t n = 0;

    for (size_t i = 0; i < size && n < cap; i++) {
        const uint8_t *const end = memchr(text + i, '\n', size - i);

        if (text[i] == '#' && end != NULL)
            i = (size_t)(end - text) - 1; /* its line feed remains */
        else if (text[i] != '\n' || (n > 0 && out[n - 1] != '\n'))
            out[n++] = text[i];
    }
    if (strlen(more) > cap - n)
        return n;
    memcpy(out + n, more, strlen(more));
    return n + strlen(more);
}
