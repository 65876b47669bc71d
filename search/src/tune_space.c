/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the space of a tune, as YAML or option by option. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "run/cache.h"
#include "search/tune_yaml.h"
#include "tune_int.h"

/* ---- axes and lists -------------------------------------------------------------- */

int run_tune_put(struct run_tune_list *l, const char *name, const char *text, struct mpj_err *err)
{
    struct run_tune_pair *const more = realloc(l->at, (l->n + 1) * sizeof(*more));

    if (more == NULL)
        return mpj_err_nomem(err);
    l->at = more;
    l->at[l->n] =
        (struct run_tune_pair){.name = name != NULL ? strdup(name) : NULL, .text = strdup(text)};
    l->n++;
    return (name != NULL && l->at[l->n - 1].name == NULL) || l->at[l->n - 1].text == NULL
               ? mpj_err_nomem(err)
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
            return mpj_err_set(err, MPJ_E_USAGE, "axis %s: duplicate value %s", a->name,
                               a->value[i]);
    }
    a->value[a->values] = strndup(text, len);
    if (a->value[a->values] == NULL)
        return mpj_err_nomem(err);
    a->values++;
    return MPJ_E_OK;
}

static int new_axis(struct run_tune *t, const char *name, struct run_tune_axis **out,
                    struct mpj_err *err)
{
    static const char word[] = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    if (name[0] == '\0' || strspn(name, "0123456789") > 0 || name[strspn(name, word)] != '\0')
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the name of an axis has letters, digits and underscores; not \"%s\"",
                           name);
    for (unsigned i = 0; i < t->axes; i++) {
        if (strcasecmp(t->axis[i].name, name) == 0)
            return mpj_err_set(err, MPJ_E_USAGE, "duplicate axis %s", name);
    }
    if (t->axes == RUN_TUNE_AXES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u axes", RUN_TUNE_AXES_MAX);
    *out = &t->axis[t->axes];
    (*out)->name = strdup(name);
    if ((*out)->name == NULL)
        return mpj_err_nomem(err);
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
    return run_values_each(values, add_value, a, err);
}

/* ---- YAML ------------------------------------------------------------------------ */

int tune_texts(struct mpj_yaml *r, const yaml_node_t *n, struct run_tune_list *out)
{
    if (mpj_yaml_text(n) != NULL)
        return run_tune_put(out, NULL, mpj_yaml_text(n), r->err);
    if (n->type != YAML_SEQUENCE_NODE)
        return mpj_yaml_wrong(r, n, "expected a value or a list of values", "");
    for (const yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top;
         i++) {
        const yaml_node_t *const item = yaml_document_get_node(&r->doc, *i);
        if (mpj_yaml_text(item) == NULL)
            return mpj_yaml_wrong(r, item, "expected one value, not a list or mapping", "");
        if (run_tune_put(out, NULL, mpj_yaml_text(item), r->err) != MPJ_E_OK)
            return r->err->code;
    }
    return MPJ_E_OK;
}

/* Appends a pair of a mapping to a list. */
static int tune_named(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value,
                      void *out)
{
    if (mpj_yaml_text(value) == NULL)
        return mpj_yaml_wrong(r, value, "expected one value, not a list or mapping",
                              mpj_yaml_text(key));
    return run_tune_put(out, mpj_yaml_text(key), mpj_yaml_text(value), r->err);
}

/* Reads a role: of one axis, or of each of a list. */
static int role(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_tune_list *const l = out;
    unsigned n = l->n;
    const int result = tune_texts(r, value, l);

    for (; result == MPJ_E_OK && n < l->n; n++) {
        l->at[n].name = strdup(mpj_yaml_text(key));
        if (l->at[n].name == NULL)
            return mpj_err_nomem(r->err);
    }
    return result;
}

/* Reads an axis: 1..4 and 1,2,4 in one value; each item of a list is a value as written. */
static int axis(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_tune_axis *a = NULL;
    struct run_tune_list items = {.n = 0};
    int result = mpj_yaml_placed(r, key, new_axis(out, mpj_yaml_text(key), &a, r->err));

    if (a == NULL)
        return result;
    if (result == MPJ_E_OK && mpj_yaml_text(value) != NULL)
        return mpj_yaml_placed(r, value,
                               run_values_each(mpj_yaml_text(value), add_value, a, r->err));
    if (result == MPJ_E_OK)
        result = tune_texts(r, value, &items);
    if (result == MPJ_E_OK && items.n == 0)
        result = mpj_yaml_wrong(r, value, "an axis without values", mpj_yaml_text(key));
    for (unsigned i = 0; i < items.n; i++) {
        if (result == MPJ_E_OK)
            result = mpj_yaml_placed(
                r, value, add_value(a, items.at[i].text, strlen(items.at[i].text), r->err));
        free(items.at[i].text);
    }
    free(items.at);
    return result;
}

static int source(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    return tune_named(r, key, value, &((struct run_tune *)out)->source);
}

/* Reads a list of files, or files with options of their own. */
static int sources(struct mpj_yaml *r, const yaml_node_t *n, struct run_tune *t)
{
    struct run_tune_list *const l = &t->source;

    if (n->type == YAML_MAPPING_NODE)
        return mpj_yaml_pairs(r, n, source, t);
    if (tune_texts(r, n, l) != MPJ_E_OK)
        return r->err->code;
    for (unsigned i = 0; i < l->n; i++) {
        l->at[i].name = l->at[i].text;
        l->at[i].text = strdup("");
        if (l->at[i].text == NULL)
            return mpj_err_nomem(r->err);
    }
    return MPJ_E_OK;
}

static int one(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    if (mpj_yaml_text(value) == NULL || mpj_yaml_text(value)[0] == '\0')
        return mpj_yaml_wrong(r, value, "expected one value", mpj_yaml_text(key));
    *out = strdup(mpj_yaml_text(value));
    return *out != NULL ? MPJ_E_OK : mpj_err_nomem(r->err);
}

int tune_top(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_tune *const t = out;
    const char *const name = mpj_yaml_text(key);
    const struct {
        const char *key;
        mpj_yaml_take *take; /* of named values; NULL: a list */
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
            return known[i].take != NULL ? mpj_yaml_pairs(r, value, known[i].take, known[i].out)
                                         : tune_texts(r, value, known[i].out);
    }
    if (strcmp(name, "program") == 0)
        return one(r, key, value, &t->program);
    if (strcmp(name, "compiler") == 0)
        return one(r, key, value, &t->compiler);
    if (strcmp(name, "sources") == 0)
        return sources(r, value, t);
    return mpj_yaml_wrong(
        r, key,
        "unknown key (known: axes, program, sources, compiler, arguments, environment, "
        "run, chip, constraints, caps, objectives, roles, baseline)",
        name);
}

static int top_of(struct mpj_yaml *r, const yaml_node_t *root, const yaml_node_t *same, void *out)
{
    (void)same;
    return mpj_yaml_pairs(r, root, tune_top, out);
}

int run_tune_read(struct run_tune *t, const char *file, struct mpj_err *err)
{
    struct mpj_yaml r = {.file = file, .err = err};

    return mpj_yaml_read(&r, "the space", "expected at least \"axes:\" and \"program:\"", top_of,
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

void run_tune_clear(struct run_tune *t)
{
    if (t->work != NULL) {
        run_tune_exprs_free(&t->work->exprs, t);
        json_decref(t->work->programs);
        free(t->work->version);
        free(t->work->job);
        free(t->work);
        t->work = NULL;
    }
    for (unsigned i = 0; t->point != NULL && i < t->points; i++) {
        free(t->point[i].reason);
        free(t->point[i].stem);
        free(t->point[i].key);
        json_decref(t->point[i].figures);
    }
    free(t->point);
    t->point = NULL;
    t->points = 0;
    for (unsigned i = 0; i < t->builds; i++) {
        free(t->build[i].key);
        free(t->build[i].elf);
        free(t->build[i].reason);
    }
    free(t->build);
    t->build = NULL;
    t->builds = 0;
    t->measured_now = 0;
    t->evaluations = 0;
}

void run_tune_drop_axis(struct run_tune *t)
{
    struct run_tune_axis *const a = &t->axis[--t->axes];

    free(a->name);
    for (unsigned v = 0; v < a->values; v++)
        free(a->value[v]);
    *a = (struct run_tune_axis){.name = NULL};
}

void run_tune_free(struct run_tune *t)
{
    struct run_tune_list *const lists[] = {
        &t->source,     &t->argument, &t->environment, &t->option, &t->chip,
        &t->constraint, &t->cap,      &t->objective,   &t->role,   &t->baseline};

    run_tune_clear(t);
    while (t->axes > 0)
        run_tune_drop_axis(t);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free_list(lists[i]);
    free(t->program);
    free(t->compiler);
    json_decref(t->landscape);
}
