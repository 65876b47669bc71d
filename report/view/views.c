/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of views: each row is `const struct mpj_view view_NAME` of a file in this folder. */
#include <string.h>

#include "report_int.h"

/* Views in the order of listings. */
#define VIEWS(X)                                                                                   \
    X(summary)                                                                                     \
    X(cores)                                                                                       \
    X(threads)                                                                                     \
    X(sync)                                                                                        \
    X(regions)                                                                                     \
    X(timeline)                                                                                    \
    X(memory)                                                                                      \
    X(energy)                                                                                      \
    X(samples)                                                                                     \
    X(groups)                                                                                      \
    X(functions)                                                                                   \
    X(calls)                                                                                       \
    X(flame)                                                                                       \
    X(energy_stack)                                                                                \
    X(events)                                                                                      \
    X(over_time)                                                                                   \
    X(adapt)

#define DECLARE(name) extern const struct mpj_view view_##name;
VIEWS(DECLARE)
#define ROW(name) &view_##name,
static const struct mpj_view *const views[] = {VIEWS(ROW)};
#define VIEW_COUNT (sizeof(views) / sizeof(views[0]))

void mpj_view_names(char out[MPJ_VIEW_NAMES_MAX], const char *mark)
{
    out[0] = '\0';
    for (size_t i = 0; i < VIEW_COUNT; i++)
        report_add_name(out, views[i]->name, mark);
}

const struct mpj_view *mpj_view_find(const char *name, struct mpj_err *err)
{
    char names[MPJ_VIEW_NAMES_MAX];

    for (size_t i = 0; i < VIEW_COUNT; i++) {
        if (strcmp(views[i]->name, name) == 0)
            return views[i];
    }
    mpj_view_names(names, "");
    mpj_err_set(err, MPJ_E_USAGE, "no view is called \"%s\" (%s)", name, names);
    return NULL;
}
