/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/blame_outlined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/blame.h"
#include "report_int.h"

#define OUTLINED "._omp_fn."

/* Returns the name of the function whose region the label is. Allocated; NULL: it is none. */
static char *owner_of(const char *label)
{
    const char *const at = strstr(label, OUTLINED);

    return at != NULL && at != label ? strndup(label, (size_t)(at - label)) : NULL;
}

static const json_t *functions(const json_t *side)
{
    return json_object_get(side, "functions");
}

/* Adds the owners of regions that only side a has. */
static void collect(const json_t *a, const json_t *b, json_t *owners)
{
    const char *label;
    json_t *row;

    json_object_foreach((json_t *)functions(a), label, row)
    {
        char *const owner = owner_of(label);
        if (owner != NULL && json_object_get(functions(b), label) == NULL &&
            (json_object_get(functions(a), owner) != NULL ||
             json_object_get(functions(b), owner) != NULL))
            json_object_set_new(owners, owner, json_true());
        free(owner);
    }
}

/* True for an item that adds up. */
static bool is_figure(const char *item)
{
    return strcmp(item, "line") != 0 && strcmp(item, MPJ_BLAME_SOURCE) != 0;
}

/* Adds the figures of a row to another one; calls of a region are not calls of its owner. */
static void add_row(json_t *to, const json_t *row, bool calls)
{
    const char *item;
    json_t *v;

    json_object_foreach((json_t *)row, item, v)
    {
        const json_t *const has = json_object_get(to, item);
        if (!calls && strcmp(item, "calls") == 0)
            continue;
        if (has == NULL)
            json_object_set(to, item, v);
        else if (json_is_integer(v) && json_is_integer(has) && is_figure(item))
            json_object_set_new(to, item,
                                json_integer(json_integer_value(has) + json_integer_value(v)));
        else if (json_is_number(v) && is_figure(item))
            json_object_set_new(to, item, json_real(json_number_value(has) + json_number_value(v)));
    }
}

static void add_to(json_t *table, const char *name, const json_t *row, bool calls)
{
    if (json_object_get(table, name) == NULL)
        json_object_set_new(table, name, json_object());
    add_row(json_object_get(table, name), row, calls);
}

/* Adds the rows of regions to those of their owners. */
static void join_functions(json_t *table, const json_t *owners)
{
    json_t *const rows = json_copy(table); /* owners may be new in the table */
    const char *label;
    json_t *row;

    json_object_foreach(rows, label, row)
    {
        char *const owner = owner_of(label);
        if (owner != NULL && json_object_get(owners, owner) != NULL) {
            add_to(table, owner, row, false);
            json_object_del(table, label);
        }
        free(owner);
    }
    json_decref(rows);
}

/* Lets owners call what their regions call ("NAME > CALLEE"). */
static void join_edges(json_t *table, const json_t *owners)
{
    json_t *const rows = json_copy(table);
    const char *edge;
    json_t *row;

    json_object_foreach(rows, edge, row)
    {
        const char *const callee = strstr(edge, MPJ_BLAME_CALLS);
        char *const caller = callee != NULL ? strndup(edge, (size_t)(callee - edge)) : NULL;
        char *const owner = caller != NULL ? owner_of(caller) : NULL;
        char *name = NULL;
        if (owner != NULL && json_object_get(owners, owner) != NULL &&
            asprintf(&name, "%s%s", owner, callee) >= 0) {
            add_to(table, name, row, true);
            json_object_del(table, edge);
            free(name);
        }
        free(owner);
        free(caller);
    }
    json_decref(rows);
}

int blame_join_outlined(const json_t *base, const json_t *now, json_t *out[2], struct mpj_err *err)
{
    json_t *const owners = json_object();
    const json_t *const side[2] = {base, now};

    collect(base, now, owners);
    collect(now, base, owners);
    for (unsigned s = 0; s < 2; s++) {
        out[s] =
            json_object_size(owners) > 0 ? json_deep_copy(side[s]) : json_incref((json_t *)side[s]);
        join_functions(json_object_get(out[s], "functions"), owners);
        join_edges(json_object_get(out[s], "runtime"), owners);
        join_edges(json_object_get(out[s], "callers"), owners);
    }
    if (owners != NULL && out[0] != NULL && out[1] != NULL) {
        json_decref(owners);
        return MPJ_E_OK;
    }
    json_decref(owners);
    json_decref(out[0]);
    json_decref(out[1]);
    return mpj_err_nomem(err);
}
