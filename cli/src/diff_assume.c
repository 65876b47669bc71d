/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_assume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli.h"

void diff_conclude(struct conclusions *s, unsigned member, const struct mpj_diff *d)
{
    static const char *const cause[MPJ_DIFF_WHYS] = {"cause of time", "cause of energy"};

    conclude_change(s, member, "time", d->time_s[1] / d->time_s[0] - 1);
    conclude_change(s, member, "energy", d->energy_uj[1] / d->energy_uj[0] - 1);
    for (unsigned i = 0; i < MPJ_DIFF_WHYS; i++) {
        const struct mpj_blame *const b = &d->why[i];
        if (b->culprit != NULL)
            conclude_add(s, member, cause[i], "", strdup(b->culprit), NAN, NAN);
    }
}

struct written {
    const struct conclusions *s;
    const char *const *file;
};

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    const struct written *const w = what;
    json_t *const root = json_object();

    json_put_text(root, "schema", "mpjoule-diff-assumptions/1");
    json_put_text(root, "a", w->file[0]);
    json_put_text(root, "b", w->file[1]);
    conclude_json(w->s, root);
    return json_write(root, f, err);
}

int diff_conclusions(const struct conclusions *s, const char *const file[2], bool json,
                     struct mpj_err *err)
{
    const struct written w = {s, file};

    if (json)
        return cli_output(MPJ_E_OK, "-", put_json, &w, err);
    printf("From %s to %s, relative to the first\n", file[0], file[1]);
    conclude_text(s, stdout);
    return MPJ_E_OK;
}
