/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that --help lists; --help-all lists all. */
#include "options_common.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Commands with many options, each with its common ones. The others list all. */
static const struct {
    const char *command, *names; /* names in spaces; of a short option: its letter */
} common[] = {
    {"mpjoule run",
     " cores events group model functions moments samples entries env dir stdin json output target "
     "calibration timeout jobs "},
    {"mpjoule report", " view format output details group model function depth sort top "},
    {"mpjoule tune",
     " cores env axis constraint objective cap strategy evaluations output json csv svg jobs "},
    {"mpjoule explore", " cores chip env constraint within output json csv svg jobs "},
    {"mpjoule sweep", " cores env output json jobs calibration "},
    {"mpjoule record", " for period marks output csv json calibration boards "},
    {"mpjoule boards", " boards json kinds emulate calibration "},
    {"mpjoule model campaign", " output count programs board target model calibration jobs csv "},
};

/* True if the common options of a command are named in full, or by their letter. */
static bool is_named(const char *names, const struct argp_option *o)
{
    char text[64];

    if (o->name != NULL)
        snprintf(text, sizeof(text), " %s ", o->name);
    else
        snprintf(text, sizeof(text), " %c ", o->key);
    return strstr(names, text) != NULL;
}

/* Copies that argp reads until the command ends; a table that does not fit lists all. */
static struct argp_option option[128];
static struct argp_child child[32];
static struct argp table[16];
static size_t options, children, tables;

/* True for an entry that is the heading of its group. */
static bool is_heading(const struct argp_option *o)
{
    return o->name == NULL && o->key == 0 && o->doc != NULL;
}

/* True if an entry is named, or is the heading of a group in which an option is. */
static bool is_listed(const struct argp_option *all, size_t n, const struct argp_option *o,
                      const char *names)
{
    if (!is_heading(o))
        return is_named(names, o);
    for (size_t i = 0; i < n; i++) {
        if (!is_heading(&all[i]) && all[i].group == o->group && is_named(names, &all[i]))
            return true;
    }
    return false;
}

static const struct argp_option *hide(const struct argp_option *all, const char *names)
{
    struct argp_option *const some = &option[options];
    size_t n = 0;
    size_t kept = 0;

    while (all[n].name != NULL || all[n].key != 0 || all[n].doc != NULL)
        n++;
    if (n + 1 > sizeof(option) / sizeof(*option) - options)
        return all;
    for (size_t i = 0; i < n; i++) {
        const bool listed = is_listed(all, n, &all[i], names);
        if (!listed && is_heading(&all[i]))
            continue;
        some[kept] = all[i];
        some[kept++].flags |= listed ? 0 : OPTION_HIDDEN;
    }
    options += n + 1;
    return some;
}

/* Returns a copy of a parser and its children in which options that are not named are hidden. */
static const struct argp *copy(const struct argp *all, const char *names)
{
    struct argp *const some = &table[tables];
    struct argp_child *const c = &child[children];
    size_t n = 0;

    while (all->children != NULL && all->children[n].argp != NULL)
        n++;
    if (tables == sizeof(table) / sizeof(*table) ||
        n + 1 > sizeof(child) / sizeof(*child) - children)
        return all;
    tables++;
    children += n + 1;
    *some = *all;
    if (all->options != NULL)
        some->options = hide(all->options, names);
    for (size_t i = 0; i < n; i++) {
        c[i] = all->children[i];
        c[i].argp = copy(c[i].argp, names);
    }
    some->children = n > 0 ? c : NULL;
    return some;
}

const struct argp *cli_common(const struct argp *all, const char *command)
{
    for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++) {
        if (strcmp(common[i].command, command) == 0)
            return copy(all, common[i].names);
    }
    return all;
}
