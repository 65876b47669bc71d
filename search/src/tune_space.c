/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the space of a tune, as YAML or option by option. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "run/kept.h"
#include "search/tune_yaml.h"
#include "tune_int.h"

/* ---- axes and lists -------------------------------------------------------------- */

int run_tune_put(struct run_tune_list *l, const char *name, const char *text, struct mpj_err *err)
{
    struct run_tune_pair *const more = realloc(l->at, (l->n + 1) * sizeof(*more));

    if (more == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    l->at = more;
    l->at[l->n] =
        (struct run_tune_pair){.name = name != NULL ? strdup(name) : NULL, .text = strdup(text)};
    l->n++;
    return (name != NULL && l->at[l->n - 1].name == NULL) || l->at[l->n - 1].text == NULL
               ? mpj_err_set(err, MPJ_E_NOMEM, "out of memory")
               : MPJ_E_OK;
}

static int add_value(void *ctx, const char *text, size_t len, struct mpj_err *err)
{
    struct run_tune_axis *const a = ctx;

    if (a->values == RUN_TUNE_VALUES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "axis %s: more than %u values", a->name,
                           RUN_TUNE_VALUES_MAX);
    for (unsigned i = 0; i < a->values; i++) {
        if (strlen(a->value[i]) == len && strncmp(a->value[i], text, len) == 0)
            return mpj_err_set(err, MPJ_E_USAGE, "axis %s: the value %s twice", a->name,
                               a->value[i]);
    }
    a->value[a->values] = strndup(text, len);
    if (a->value[a->values] == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    a->values++;
    return MPJ_E_OK;
}

static int new_axis(struct run_tune *t, const char *name, struct run_tune_axis **out,
                    struct mpj_err *err)
{
    static const char word[] = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    if (name[0] == '\0' || strspn(name, "0123456789") > 0 || name[strspn(name, word)] != '\0')
        return mpj_err_set(err, MPJ_E_USAGE,
                           "an axis is a word of letters, digits and underscores, not \"%s\"",
                           name);
    for (unsigned i = 0; i < t->axes; i++) {
        if (strcasecmp(t->axis[i].name, name) == 0)
            return mpj_err_set(err, MPJ_E_USAGE, "two axes are called %s", name);
    }
    if (t->axes == RUN_TUNE_AXES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u axes", RUN_TUNE_AXES_MAX);
    *out = &t->axis[t->axes];
    (*out)->name = strdup(name);
    if ((*out)->name == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    t->axes++;
    return MPJ_E_OK;
}

int run_tune_new_axis(struct run_tune *t, const char *name, struct mpj_err *err)
{
    struct run_tune_axis *ignored;

    return new_axis(t, name, &ignored, err);
}

int run_tune_add_value(struct run_tune *t, const char *value, struct mpj_err *err)
{
    return add_value(&t->axis[t->axes - 1], value, strlen(value), err);
}

int run_tune_axis(struct run_tune *t, const char *name, const char *values, struct mpj_err *err)
{
    struct run_tune_axis *a = NULL;

    if (new_axis(t, name, &a, err) != MPJ_E_OK)
        return err->code;
    return run_kept_values(values, add_value, a, err);
}

/* ---- YAML ------------------------------------------------------------------------ */

/* Reads a role: of one axis, or of each of a list. */
static int role(struct tune_reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_tune_list *const l = out;
    unsigned n = l->n;
    const int result = tune_texts(r, value, l);

    for (; result == MPJ_E_OK && n < l->n; n++) {
        l->at[n].name = strdup(tune_scalar(key));
        if (l->at[n].name == NULL)
            return mpj_err_set(r->err, MPJ_E_NOMEM, "out of memory");
    }
    return result;
}

/* Reads an axis: 1..4 and 1,2,4 in one value; each item of a list is a value as written. */
static int axis(struct tune_reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_tune_axis *a = NULL;
    struct run_tune_list items = {.n = 0};
    int result = tune_placed(r, key, new_axis(out, tune_scalar(key), &a, r->err));

    if (a == NULL)
        return result;
    if (result == MPJ_E_OK && tune_scalar(value) != NULL)
        return tune_placed(r, value, run_kept_values(tune_scalar(value), add_value, a, r->err));
    if (result == MPJ_E_OK)
        result = tune_texts(r, value, &items);
    if (result == MPJ_E_OK && items.n == 0)
        result = tune_wrong(r, value, "an axis without values", tune_scalar(key));
    for (unsigned i = 0; i < items.n; i++) {
        if (result == MPJ_E_OK)
            result = tune_placed(r, value,
                                 add_value(a, items.at[i].text, strlen(items.at[i].text), r->err));
        free(items.at[i].text);
    }
    free(items.at);
    return result;
}

static int source(struct tune_reading *r, const yaml_node_t *key, const yaml_node_t *value,
                  void *out)
{
    return tune_named(r, key, value, &((struct run_tune *)out)->source);
}

/* Reads a list of files, or files with options of their own. */
static int sources(struct tune_reading *r, const yaml_node_t *n)
{
    struct run_tune_list *const l = &r->t->source;

    if (n->type == YAML_MAPPING_NODE)
        return tune_pairs(r, n, source, r->t);
    if (tune_texts(r, n, l) != MPJ_E_OK)
        return r->err->code;
    for (unsigned i = 0; i < l->n; i++) {
        l->at[i].name = l->at[i].text;
        l->at[i].text = strdup("");
        if (l->at[i].text == NULL)
            return mpj_err_set(r->err, MPJ_E_NOMEM, "out of memory");
    }
    return MPJ_E_OK;
}

static int one(struct tune_reading *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    if (tune_scalar(value) == NULL || tune_scalar(value)[0] == '\0')
        return tune_wrong(r, value, "one value belongs here", tune_scalar(key));
    *out = strdup(tune_scalar(value));
    return *out != NULL ? MPJ_E_OK : mpj_err_set(r->err, MPJ_E_NOMEM, "out of memory");
}

int tune_top(struct tune_reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_tune *const t = out;
    const char *const name = tune_scalar(key);
    const struct {
        const char *key;
        tune_reader *take; /* of named values; NULL: a list */
        void *out;
    } known[] = {
        {"axes", axis, t},
        {"environment", tune_named, &t->environment},
        {"run", tune_named, &t->option},
        {"chip", tune_named, &t->chip},
        {"baseline", tune_named, &t->baseline},
        {"roles", role, &t->role},
        {"arguments", NULL, &t->argument},
        {"constraints", NULL, &t->constraint},
        {"caps", NULL, &t->cap},
        {"objectives", NULL, &t->objective},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].key, name) == 0)
            return known[i].take != NULL ? tune_pairs(r, value, known[i].take, known[i].out)
                                         : tune_texts(r, value, known[i].out);
    }
    if (strcmp(name, "program") == 0)
        return one(r, key, value, &t->program);
    if (strcmp(name, "compiler") == 0)
        return one(r, key, value, &t->compiler);
    if (strcmp(name, "sources") == 0)
        return sources(r, value);
    return tune_wrong(
        r, key,
        "unknown key (known: axes, program, sources, compiler, arguments, environment, "
        "run, chip, constraints, caps, objectives, roles, baseline)",
        name);
}

static int top_of(struct tune_reading *r, const yaml_node_t *root, void *out)
{
    return tune_pairs(r, root, tune_top, out);
}

int run_tune_read(struct run_tune *t, const char *file, struct mpj_err *err)
{
    struct tune_reading r = {.file = file, .t = t, .err = err};

    return tune_document(&r, "the space", "it needs at least \"axes:\" and \"program:\"", top_of,
                         t);
}

static void free_list(struct run_tune_list *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        free(l->at[i].name);
        free(l->at[i].text);
    }
    free(l->at);
}

void run_tune_free(struct run_tune *t)
{
    struct run_tune_list *const lists[] = {
        &t->source,     &t->argument, &t->environment, &t->option, &t->chip,
        &t->constraint, &t->cap,      &t->objective,   &t->role,   &t->baseline};

    if (t->work != NULL) {
        run_tune_exprs_free(&t->work->exprs, t);
        json_decref(t->work->programs);
        free(t->work->version);
        free(t->work->job);
        free(t->work);
    }
    for (unsigned i = 0; t->point != NULL && i < t->points; i++) {
        free(t->point[i].reason);
        free(t->point[i].stem);
        free(t->point[i].key);
        json_decref(t->point[i].figures);
    }
    free(t->point);
    for (unsigned i = 0; i < t->builds; i++) {
        free(t->build[i].key);
        free(t->build[i].elf);
        free(t->build[i].reason);
    }
    free(t->build);
    for (unsigned i = 0; i < t->axes; i++) {
        free(t->axis[i].name);
        for (unsigned v = 0; v < t->axis[i].values; v++)
            free(t->axis[i].value[v]);
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free_list(lists[i]);
    free(t->program);
    free(t->compiler);
    json_decref(t->landscape);
}
