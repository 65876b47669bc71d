/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes the difference of two runs to functions, with the mechanism of gates. */
#include <stdlib.h>

#include "report/diff.h"
#include "report_int.h"
#include "view/diff_out.h"

const char *const diff_why_item[MPJ_DIFF_WHYS] = {"time", "energy"};

int mpj_diff_blame(struct mpj_diff *d, struct mpj_run *const run[2], const char *const store[2],
                   const char *const elf[2], struct mpj_err *err)
{
    const double change[MPJ_DIFF_WHYS] = {(d->time_s[1] - d->time_s[0]) * 1e9,
                                          (d->energy_uj[1] - d->energy_uj[0]) * 1e3};
    json_t *side[2] = {json_object(), json_object()};
    int result = side[0] != NULL && side[1] != NULL ? MPJ_E_OK : mpj_err_nomem(err);

    for (int s = 0; s < 2 && result == MPJ_E_OK && d->source >= 0; s++)
        result = mpj_blame_tables(side[s], run[s], store[s], elf[s], err);
    for (unsigned i = 0; i < MPJ_DIFF_WHYS && result == MPJ_E_OK && d->source >= 0; i++)
        result = mpj_blame_change(side[0], side[1], diff_why_item[i], change[i], &d->why[i], err);
    json_decref(side[0]);
    json_decref(side[1]);
    return result;
}

void diff_why_text(const struct mpj_diff *d, FILE *f)
{
    for (unsigned i = 0; i < MPJ_DIFF_WHYS; i++) {
        if (d->why[i].culprit == NULL)
            continue;
        fprintf(f, "Why %-10s", diff_why_item[i]);
        mpj_blame_say(&d->why[i], false, f);
        fputc('\n', f);
    }
}

/* Returns the sentence of a culprit. NULL: out of memory. */
static char *sentence(const struct mpj_blame *b)
{
    char *text = NULL;
    size_t size;
    FILE *const f = open_memstream(&text, &size);

    if (f == NULL)
        return NULL;
    mpj_blame_say(b, false, f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

json_t *diff_why_json(const struct mpj_diff *d)
{
    json_t *const o = json_object();

    for (unsigned i = 0; i < MPJ_DIFF_WHYS; i++) {
        json_t *const one = json_object();
        char *const text = d->why[i].culprit != NULL ? sentence(&d->why[i]) : NULL;
        if (text != NULL) {
            json_object_set_new(one, "text", json_string(text));
            mpj_blame_json(&d->why[i], one);
            json_object_set(o, diff_why_item[i], one);
        }
        json_decref(one);
        free(text);
    }
    return o;
}
