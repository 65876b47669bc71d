/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads gate.yaml. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate_int.h"
#include "search/tune_yaml.h"

#define USUAL_LIMIT "1 %"

struct limiting {
    struct mpj_gate_limits *out;
    enum mpj_gate_kind kind;
    const char *name; /* of the function, region or mark */
};

struct run_gate_program *run_gate_find(const struct run_gate *g, const char *name)
{
    for (unsigned i = 0; i < g->programs; i++) {
        if (strcmp(g->program[i].name, name) == 0)
            return &g->program[i];
    }
    return NULL;
}

/* Reads "time: 1 %", "energy: [1 %, 3 mJ]". */
static int limit(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    const struct limiting *const l = out;
    struct run_tune_list texts = {.n = 0};
    int result = tune_texts(r, value, &texts);

    if (result == MPJ_E_OK && texts.n == 0)
        result = mpj_yaml_wrong(r, value, "an empty list of limits", mpj_yaml_text(key));
    for (unsigned i = 0; i < texts.n; i++) {
        if (result == MPJ_E_OK)
            result =
                mpj_yaml_placed(r, value,
                                mpj_gate_limit_add(l->out, l->kind, l->name, mpj_yaml_text(key),
                                                   texts.at[i].text, r->err));
        free(texts.at[i].text);
    }
    free(texts.at);
    return result;
}

/* Reads "NAME: {time: 1 %}". */
static int part(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct limiting l = *(struct limiting *)out;

    l.name = mpj_yaml_text(key);
    return mpj_yaml_pairs(r, value, limit, &l);
}

static int program_key(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value,
                       void *out)
{
    static const struct {
        const char *key;
        enum mpj_gate_kind kind;
    } limits[] = {{"limits", MPJ_GATE_WHOLE},
                  {"functions", MPJ_GATE_FUNCTION},
                  {"regions", MPJ_GATE_REGION},
                  {"marks", MPJ_GATE_MARK}};
    static const char *const of_tune[] = {"program",     "sources", "compiler", "arguments",
                                          "environment", "run",     "chip"};
    struct run_gate_program *const p = out;
    const char *const name = mpj_yaml_text(key);

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct limiting l = {.out = &p->limits, .kind = limits[i].kind};
        if (strcmp(name, limits[i].key) == 0)
            return mpj_yaml_pairs(r, value, limits[i].kind == MPJ_GATE_WHOLE ? limit : part, &l);
    }
    for (size_t i = 0; i < sizeof(of_tune) / sizeof(of_tune[0]); i++) {
        if (strcmp(name, of_tune[i]) == 0)
            return tune_top(r, key, value, &p->tune);
    }
    return mpj_yaml_wrong(
        r, key,
        "unknown key (known: program, sources, compiler, arguments, environment, run, "
        "chip, limits, functions, regions, marks)",
        name);
}

static bool is_name(const char *name)
{
    static const char known[] = "0123456789_-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    return name[0] != '\0' && name[0] != '.' && name[0] != '-' &&
           name[strspn(name, known)] == '\0' && strlen(name) <= 64;
}

static int program(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_gate *const g = out;
    struct run_gate_program *const more = realloc(g->program, (g->programs + 1) * sizeof(*more));
    struct run_gate_program *p;

    if (more == NULL)
        return mpj_err_nomem(r->err);
    g->program = more;
    p = &more[g->programs++];
    memset(p, 0, sizeof(*p));
    if (!is_name(mpj_yaml_text(key)))
        return mpj_yaml_wrong(
            r, key, "a program's name has letters, digits, \"_\", \"-\" and \".\" (it names files)",
            mpj_yaml_text(key));
    p->name = strdup(mpj_yaml_text(key));
    if (p->name == NULL)
        return mpj_err_nomem(r->err);
    if (mpj_yaml_pairs(r, value, program_key, p) != MPJ_E_OK)
        return r->err->code;
    if (p->tune.program == NULL && p->tune.source.n == 0)
        return mpj_yaml_wrong(r, key,
                              "no program: name an ELF file (program:) or sources:", p->name);
    return MPJ_E_OK;
}

static int number(struct mpj_yaml *r, const yaml_node_t *value, unsigned *out)
{
    const char *const text = mpj_yaml_text(value);
    char *end = NULL;
    const unsigned long v = text != NULL ? strtoul(text, &end, 10) : 0;

    if (text == NULL || text[0] < '0' || text[0] > '9' || *end != '\0' || v < 1 ||
        v > RUN_GATE_MOST)
        return mpj_yaml_wrong(r, value, "expected a number from 1 to 99", text != NULL ? text : "");
    *out = (unsigned)v;
    return MPJ_E_OK;
}

static int file_key(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    struct run_gate *const g = out;
    struct limiting l = {.out = &g->limits, .kind = MPJ_GATE_WHOLE};
    const char *const name = mpj_yaml_text(key);

    if (strcmp(name, "limits") == 0)
        return mpj_yaml_pairs(r, value, limit, &l);
    if (strcmp(name, "layouts") == 0)
        return number(r, value, &g->layouts);
    if (strcmp(name, "repeat") == 0)
        return number(r, value, &g->repeat);
    if (strcmp(name, "baseline") == 0) {
        if (mpj_yaml_text(value) == NULL || mpj_yaml_text(value)[0] == '\0')
            return mpj_yaml_wrong(r, value, "expected a file name", name);
        g->baseline = strdup(mpj_yaml_text(value));
        return g->baseline != NULL ? MPJ_E_OK : mpj_err_nomem(r->err);
    }
    if (strcmp(name, "programs") == 0)
        return mpj_yaml_pairs(r, value, program, g);
    return mpj_yaml_wrong(r, key,
                          "unknown key (known: programs, limits, layouts, repeat, baseline)", name);
}

static int root(struct mpj_yaml *r, const yaml_node_t *node, const yaml_node_t *same, void *out)
{
    const struct run_gate *const g = out;

    (void)same;
    if (mpj_yaml_pairs(r, node, file_key, out) != MPJ_E_OK)
        return r->err->code;
    return g->programs > 0
               ? MPJ_E_OK
               : mpj_yaml_wrong(r, node, "no programs: name at least one below \"programs:\"", "");
}

static bool has_limit(const struct mpj_gate_limits *l, const char *item)
{
    for (unsigned i = 0; i < l->n; i++) {
        if (l->at[i].kind == MPJ_GATE_WHOLE && strcmp(l->at[i].item, item) == 0)
            return true;
    }
    return false;
}

/* Orders the limits, the whole program's first: their findings as well. */
static void order(struct mpj_gate_limits *l)
{
    for (unsigned i = 1; i < l->n; i++) {
        const struct mpj_gate_limit moved = l->at[i];
        unsigned k = i;
        for (; k > 0 && l->at[k - 1].kind > moved.kind; k--)
            l->at[k] = l->at[k - 1];
        l->at[k] = moved;
    }
}

/* Copies the file's limits for all to a program that does not limit the item itself. */
static int inherit(const struct run_gate *g, struct run_gate_program *p, struct mpj_err *err)
{
    static const char *const usual[] = {"time", "energy"};
    const bool nothing = p->limits.n == 0 && g->limits.n == 0;
    struct mpj_gate_limits own = {.n = 0};
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < p->limits.n && result == MPJ_E_OK; i++) {
        if (p->limits.at[i].kind == MPJ_GATE_WHOLE)
            result = mpj_gate_limit_add(&own, MPJ_GATE_WHOLE, NULL, p->limits.at[i].item,
                                        p->limits.at[i].text, err);
    }
    for (unsigned i = 0; i < g->limits.n && result == MPJ_E_OK; i++) {
        if (!has_limit(&own, g->limits.at[i].item))
            result = mpj_gate_limit_add(&p->limits, MPJ_GATE_WHOLE, NULL, g->limits.at[i].item,
                                        g->limits.at[i].text, err);
    }
    for (size_t i = 0; nothing && i < 2 && result == MPJ_E_OK; i++)
        result = mpj_gate_limit_add(&p->limits, MPJ_GATE_WHOLE, NULL, usual[i], USUAL_LIMIT, err);
    mpj_gate_limits_free(&own);
    order(&p->limits);
    return result == MPJ_E_OK ? mpj_gate_limits_check(&p->limits, err) : result;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct run_gate_program *)a)->name,
                  ((const struct run_gate_program *)b)->name);
}

int run_gate_read(struct run_gate *g, const char *file, struct mpj_err *err)
{
    struct mpj_yaml r = {.file = file, .err = err};

    if (mpj_yaml_read(&r, "the gate", "expected at least \"programs:\"", root, g) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < g->programs; i++) {
        struct mpj_err inner;
        if (inherit(g, &g->program[i], &inner) != MPJ_E_OK)
            return mpj_err_set(err, inner.code, "%.100s: program %s: %.300s", file,
                               g->program[i].name, inner.text);
    }
    qsort(g->program, g->programs, sizeof(*g->program), by_name);
    g->file = strdup(file);
    return g->file != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}
