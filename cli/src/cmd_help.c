/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule help: the manual pages, compiled in. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "mpj_events.h"
#include "pages.h" /* struct page pages[], made from docs/man */

static void list_events(void)
{
    static const char *const source[MPJ_SOURCE_COUNT] = {
        "per core, two at a time", "SCU, eight at a time", "L220, two at a time"};
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    int last = -1;

    for (size_t i = 0; i < n; i++) {
        if (table[i].source != last) {
            last = table[i].source;
            printf("%s%s\n", i > 0 ? "\n" : "", source[last]);
        }
        printf("  %-18s 0x%02x  %-7s %s\n", table[i].name, table[i].number, table[i].unit,
               table[i].meaning);
    }
}

int cmd_help(int argc, char **argv)
{
    const char *const name = argc > 1 ? argv[1] : "mpjoule";
    struct mpj_err err;

    if (strcmp(name, "events") == 0) {
        list_events();
        return 0;
    }
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        if (strcmp(pages[i].name, name) == 0) {
            fputs(pages[i].text, stdout);
            return 0;
        }
    }
    mpj_err_set(&err, MPJ_E_USAGE, "no manual page \"%s\": see `mpjoule help`", name);
    return cli_fail(&err);
}
