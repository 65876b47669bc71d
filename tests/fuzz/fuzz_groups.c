/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a file of a counter group, and whatever is one, computed and printed. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_groups.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mpj_run run;
    struct mpj_group *g = NULL;
    struct mpj_err err;
    char *const text = malloc(size + 1);
    FILE *null;

    if (text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (mpj_group_parse(&g, "fuzz", text, &err) == MPJ_E_OK) {
        run.complete = run.core[0].present = run.core[0].have_wfi = true;
        run.time_s = 0.1;
        run.clock_hz = 210000000;
        run.core[0].cycles = 1000000;
        for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++)
            run.chip[e] = run.core[0].ev[e] =
                (struct mpj_value){.present = e % 5 != 0, .value = e * 1000, .coverage = 1.0};
        null = fopen("/dev/null", "w");
        mpj_group_print(g, &run, null, &err);
        fclose(null);
    } else if (g != NULL || strchr(err.text, '\n') != NULL) {
        abort();
    }
    mpj_group_free(g);
    free(text);
    return 0;
}
