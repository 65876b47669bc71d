/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule groups: lists the counter groups. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "commands.h"
#include "hil/plan.h"
#include "run/paths.h"

static unsigned passes(const struct mpj_group *g)
{
    struct mpj_selection selection = {{false}};

    for (unsigned i = 0; i < MPJ_PLAN_EVENTS_MAX; i++)
        selection.want[i] = g->want[i];
    return mpj_plan_passes(&selection, false);
}

static int list(const char *folder, struct mpj_err *err)
{
    struct mpj_group **all;
    size_t n;

    if (mpj_group_all(&all, &n, folder, err) != MPJ_E_OK)
        return err->code;
    for (size_t i = 0; i < n; i++) {
        const unsigned k = passes(all[i]);
        printf("%-12s %2u %s  %s\n", all[i]->name, k, k == 1 ? "pass  " : "passes", all[i]->title);
        mpj_group_free(all[i]);
    }
    free(all);
    return MPJ_E_OK;
}

static void show(const struct mpj_group *g)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    printf("%s: %s\n\nEvents\n", g->name, g->title);
    for (size_t i = 0; i < n; i++) {
        if (g->want[i])
            printf("  %-18s %s\n", table[i].name, table[i].meaning);
    }
    puts("\nMetrics");
    for (unsigned i = 0; i < g->metrics; i++)
        printf("  %s (%s, %s)\n      %s\n", g->metric[i].name,
               g->metric[i].scope == MPJ_METRIC_CORE ? "core" : "chip", g->metric[i].unit,
               g->metric[i].formula);
}

int cmd_groups(int argc, char **argv)
{
    char *const folder = run_path_groups();
    struct mpj_group *g = NULL;
    struct mpj_err err;
    int result;

    if (folder == NULL)
        result = mpj_err_nomem(&err);
    else if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
        result = mpj_err_set(&err, MPJ_E_USAGE, "usage: mpjoule groups [NAME]");
    else if (argc == 2)
        result = mpj_group_load(&g, folder, argv[1], &err);
    else
        result = list(folder, &err);
    if (g != NULL)
        show(g);
    mpj_group_free(g);
    free(folder);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
