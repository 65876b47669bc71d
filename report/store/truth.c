/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report_int.h"

#define FJ_PER_UJ 1e9

static uint64_t number(const json_t *o)
{
    const json_int_t v = json_integer_value(o);

    return v > 0 ? (uint64_t)v : 0;
}

static uint64_t count(const json_t *o, const char *key)
{
    return number(json_object_get(o, key));
}

static double microjoules(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key)) / FJ_PER_UJ;
}

static int unknown(struct mpj_err *err, const char *name)
{
    return mpj_err_set(err, MPJ_E_STORE, "the emulator's truth counts an unknown event \"%s\"",
                       name);
}

static int events(struct mpj_value *ev, const json_t *holder, struct mpj_err *err)
{
    const char *name;
    json_t *value;
    json_t *const from = json_object_get(holder, "events");

    json_object_foreach(from, name, value)
    {
        const int i = mpj_event_index(name);
        if (i < 0)
            return unknown(err, name);
        ev[i] = (struct mpj_value){.present = true, .value = number(value), .coverage = 1.0};
    }
    return MPJ_E_OK;
}

static int parse_threads(struct mpj_truth *t, const json_t *list, struct mpj_err *err)
{
    const size_t n = json_array_size(list);

    if (n == 0)
        return MPJ_E_OK;
    t->thread = calloc(n, sizeof(*t->thread));
    if (t->thread == NULL)
        return mpj_err_nomem(err);
    t->threads = (unsigned)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *const from = json_array_get(list, i);
        const char *name;
        json_t *value;
        t->thread[i].id = (unsigned)count(from, "ctx");
        t->thread[i].cycles = count(from, "cycles");
        t->thread[i].wfi_cycles = count(from, "wfi_cycles");
        t->thread[i].energy_uj = microjoules(from, "energy_fj");
        json_object_foreach(json_object_get(from, "events"), name, value)
        {
            const int k = mpj_event_index(name);
            if (k < 0)
                return unknown(err, name);
            t->thread[i].has[k] = true;
            t->thread[i].ev[k] = number(value);
        }
    }
    return MPJ_E_OK;
}

int truth_parse(struct mpj_run *run, const char *json, struct mpj_err *err)
{
    struct mpj_truth *const t = &run->truth;
    json_error_t where;
    json_t *const root = json_loads(json, 0, &where);
    const json_t *const window = json_object_get(root, "window");
    const json_t *core;
    size_t i;
    int result = MPJ_E_OK;

    if (root == NULL || strncmp(json_string_value(json_object_get(root, "schema")) != NULL
                                    ? json_string_value(json_object_get(root, "schema"))
                                    : "",
                                "mpjoule-truth/1", sizeof("mpjoule-truth/1")) != 0) {
        result = mpj_err_set(err, MPJ_E_STORE, "the emulator's truth cannot be read: %s",
                             root == NULL ? where.text : "unknown schema");
        goto out;
    }
    if (count(root, "windows") == 0)
        goto out; /* the program was never measured */
    t->cycles = count(window, "cycles");
    t->energy_uj = microjoules(window, "energy_fj");
    t->shared_energy_uj = microjoules(window, "shared_energy_fj");
    json_array_foreach(json_object_get(window, "cores"), i, core)
    {
        if (i >= MPJ_CORES_MAX)
            break;
        t->core[i].cycles = count(core, "cycles");
        t->core[i].wfi_cycles = count(core, "wfi_cycles");
        t->core[i].bounded_cycles = count(core, "bounded_cycles");
        t->core[i].energy_uj = microjoules(core, "energy_fj");
        if ((result = events(t->core[i].ev, core, err)) != MPJ_E_OK)
            goto out;
    }
    if ((result = events(t->chip, json_object_get(window, "scu"), err)) == MPJ_E_OK &&
        (result = events(t->chip, json_object_get(window, "l2"), err)) == MPJ_E_OK)
        result = parse_threads(t, json_object_get(root, "contexts"), err);
    run->have_truth = result == MPJ_E_OK;
out:
    json_decref(root);
    return result;
}
