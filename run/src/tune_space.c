/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The space of a tune, as YAML or option by option. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <yaml.h>

#include "kept.h"
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

int run_tune_axis(struct run_tune *t, const char *name, const char *values, struct mpj_err *err)
{
    struct run_tune_axis *a = NULL;

    if (new_axis(t, name, &a, err) != MPJ_E_OK)
        return err->code;
    return run_kept_values(values, add_value, a, err);
}

/* ---- YAML ------------------------------------------------------------------------ */

struct reading {
    const char *file;
    yaml_document_t doc;
    struct run_tune *t;
    struct mpj_err *err;
};

static int wrong(struct reading *r, const yaml_node_t *at, const char *what, const char *which)
{
    char text[256];

    snprintf(text, sizeof(text), "%s:%zu: %s%s%s", r->file, at->start_mark.line + 1, what,
             which[0] != '\0' ? ": " : "", which);
    mpj_text_clean(text);
    return mpj_err_set(r->err, MPJ_E_USAGE, "%s", text);
}

/* An error of what a node says gets its place. */
static int placed(struct reading *r, const yaml_node_t *at, int code)
{
    struct mpj_err inner = *r->err;

    return code == MPJ_E_USAGE ? wrong(r, at, inner.text, "") : code;
}

static const char *scalar(const yaml_node_t *n)
{
    return n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

typedef int reader(struct reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out);

/* Calls take for each pair of a mapping. */
static int pairs(struct reading *r, const yaml_node_t *n, reader *take, void *out)
{
    if (n->type != YAML_MAPPING_NODE)
        return wrong(r, n, "\"key: value\" lines belong here", "");
    for (const yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *const key = yaml_document_get_node(&r->doc, p->key);
        if (scalar(key) == NULL)
            return wrong(r, key, "a key is a word", "");
        for (const yaml_node_pair_t *q = n->data.mapping.pairs.start; q < p; q++) {
            if (strcmp(scalar(yaml_document_get_node(&r->doc, q->key)), scalar(key)) == 0)
                return wrong(r, key, "the same key twice", scalar(key));
        }
        if (take(r, key, yaml_document_get_node(&r->doc, p->value), out) != MPJ_E_OK)
            return r->err->code;
    }
    return MPJ_E_OK;
}

/* A single value, or each of a list, appended without a name. */
static int texts(struct reading *r, const yaml_node_t *n, struct run_tune_list *out)
{
    if (scalar(n) != NULL)
        return run_tune_put(out, NULL, scalar(n), r->err);
    if (n->type != YAML_SEQUENCE_NODE)
        return wrong(r, n, "a value or a list of values belongs here", "");
    for (const yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top;
         i++) {
        const yaml_node_t *const item = yaml_document_get_node(&r->doc, *i);
        if (scalar(item) == NULL)
            return wrong(r, item, "a list or mapping where one value belongs", "");
        if (run_tune_put(out, NULL, scalar(item), r->err) != MPJ_E_OK)
            return r->err->code;
    }
    return MPJ_E_OK;
}

static int named(struct reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    if (scalar(value) == NULL)
        return wrong(r, value, "a list or mapping where one value belongs", scalar(key));
    return run_tune_put(out, scalar(key), scalar(value), r->err);
}

/* 1..4 and 1,2,4 in one value; in a list each item is a value as it stands. */
static int axis(struct reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_tune_axis *a;
    struct run_tune_list items = {.n = 0};
    int result = placed(r, key, new_axis(out, scalar(key), &a, r->err));

    if (result == MPJ_E_OK && scalar(value) != NULL)
        return placed(r, value, run_kept_values(scalar(value), add_value, a, r->err));
    if (result == MPJ_E_OK)
        result = texts(r, value, &items);
    if (result == MPJ_E_OK && items.n == 0)
        result = wrong(r, value, "an axis without values", scalar(key));
    for (unsigned i = 0; i < items.n; i++) {
        if (result == MPJ_E_OK)
            result =
                placed(r, value, add_value(a, items.at[i].text, strlen(items.at[i].text), r->err));
        free(items.at[i].text);
    }
    free(items.at);
    return result;
}

static int source(struct reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    return named(r, key, value, &((struct run_tune *)out)->source);
}

/* A list of files, or files with options of their own. */
static int sources(struct reading *r, const yaml_node_t *n)
{
    struct run_tune_list *const l = &r->t->source;

    if (n->type == YAML_MAPPING_NODE)
        return pairs(r, n, source, r->t);
    if (texts(r, n, l) != MPJ_E_OK)
        return r->err->code;
    for (unsigned i = 0; i < l->n; i++) {
        l->at[i].name = l->at[i].text;
        l->at[i].text = strdup("");
        if (l->at[i].text == NULL)
            return mpj_err_set(r->err, MPJ_E_NOMEM, "out of memory");
    }
    return MPJ_E_OK;
}

static int one(struct reading *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    if (scalar(value) == NULL || scalar(value)[0] == '\0')
        return wrong(r, value, "one value belongs here", scalar(key));
    *out = strdup(scalar(value));
    return *out != NULL ? MPJ_E_OK : mpj_err_set(r->err, MPJ_E_NOMEM, "out of memory");
}

static int top(struct reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_tune *const t = out;
    const char *const name = scalar(key);
    const struct {
        const char *key;
        reader *take; /* of named values; NULL: a list */
        void *out;
    } known[] = {
        {"axes", axis, t},
        {"environment", named, &t->environment},
        {"run", named, &t->option},
        {"chip", named, &t->chip},
        {"arguments", NULL, &t->argument},
        {"constraints", NULL, &t->constraint},
        {"caps", NULL, &t->cap},
        {"objectives", NULL, &t->objective},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].key, name) == 0)
            return known[i].take != NULL ? pairs(r, value, known[i].take, known[i].out)
                                         : texts(r, value, known[i].out);
    }
    if (strcmp(name, "program") == 0)
        return one(r, key, value, &t->program);
    if (strcmp(name, "compiler") == 0)
        return one(r, key, value, &t->compiler);
    if (strcmp(name, "sources") == 0)
        return sources(r, value);
    return wrong(r, key,
                 "unknown key (known: axes, program, sources, compiler, arguments, environment, "
                 "run, chip, constraints, caps, objectives)",
                 name);
}

int run_tune_read(struct run_tune *t, const char *file, struct mpj_err *err)
{
    struct reading r = {.file = file, .t = t, .err = err};
    yaml_parser_t parser;
    FILE *const f = fopen(file, "re");
    int result;

    if (f == NULL)
        return mpj_err_errno(err, "cannot read the space %s", file);
    if (!yaml_parser_initialize(&parser)) {
        fclose(f);
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    }
    yaml_parser_set_input_file(&parser, f);
    if (!yaml_parser_load(&parser, &r.doc)) {
        result = mpj_err_set(err, MPJ_E_USAGE, "%s:%zu: %s", file, parser.problem_mark.line + 1,
                             parser.problem != NULL ? parser.problem : "not YAML");
    } else {
        const yaml_node_t *const root = yaml_document_get_root_node(&r.doc);
        result = root != NULL ? pairs(&r, root, top, t)
                              : mpj_err_set(err, MPJ_E_USAGE,
                                            "%s is empty: it needs at least \"axes:\" and "
                                            "\"program:\"",
                                            file);
        yaml_document_delete(&r.doc);
    }
    yaml_parser_delete(&parser);
    fclose(f);
    return result;
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
    struct run_tune_list *const lists[] = {&t->source, &t->argument, &t->environment,
                                           &t->option, &t->chip,     &t->constraint,
                                           &t->cap,    &t->objective};

    for (unsigned i = 0; t->point != NULL && i < t->points; i++) {
        free(t->point[i].reason);
        free(t->point[i].stem);
        free(t->point[i].key);
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
}
