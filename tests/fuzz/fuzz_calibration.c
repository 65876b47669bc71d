/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a calibration: a chip, or one line that says what is wrong. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "mpj_chip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct mpj_config cfg = {
        .calibration = fuzz_file(data, size), .seed = 1, .ram_bytes = 1U << 20};
    struct mpj_chip *chip = NULL;
    char err[256] = "";

    if (mpj_chip_new(&chip, &cfg, err, sizeof(err)) == MPJ_OK)
        mpj_chip_free(chip);
    else if (chip != NULL || strchr(err, '\n') != NULL || err[0] == '\0')
        abort();
    return 0;
}
