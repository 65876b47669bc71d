/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of a profile. Whole subtrees are removed, and their cost moves to one node below their
 * caller, so that every sum is unchanged.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "report/profile.h"
#include "store/profile_int.h"

enum fate {
    DROP, /* callees included */
    PATH, /* leads to a requested function: its own cost is removed */
    KEEP,
};

struct filtering {
    struct mpj_profile *p;
    const struct mpj_prof_choice *c;
    unsigned char *fate;
    bool *only, *without; /* [func] */
    /* the new tree */
    struct mpj_prof_node *node;
    int64_t *self;
    uint32_t nodes;
    uint32_t left_out; /* function */
};

bool mpj_profile_named(const struct mpj_prof_func *f, const char *name)
{
    const int length = (int)(mpj_copy_suffix(name) - name);
    char *const plain = strndup(name, (size_t)length);
    char *const colon = plain != NULL ? strrchr(plain, ':') : NULL;
    const char *const pattern = colon != NULL ? colon + 1 : plain;
    bool is = plain != NULL && (strcmp(pattern, f->name) == 0 || fnmatch(pattern, f->name, 0) == 0);

    if (is && colon != NULL) { /* the file, or the end of its path */
        const char *const file = f->file != NULL ? f->file : "";
        const size_t in = strlen(file);
        const size_t of = (size_t)(colon - plain);
        is = of <= in && memcmp(file + in - of, plain, of) == 0 &&
             (of == in || file[in - of - 1U] == '/');
    }
    free(plain);
    return is;
}

const struct mpj_prof_func *mpj_profile_at(const struct mpj_profile *p, int64_t address)
{
    const struct mpj_prof_func *best = NULL;
    int64_t start = -1;

    for (unsigned i = 0; p != NULL && i < p->funcs; i++) {
        const struct mpj_prof_func *const f = &p->func[i];
        for (unsigned k = 0; f->kind != MPJ_FUNC_INLINED && k < f->copies; k++) {
            if (f->copy[k].address <= address && f->copy[k].address > start) {
                start = f->copy[k].address;
                best = f;
            }
        }
    }
    return best;
}

/* Marks functions that any of the patterns names; each must name one. */
static int match(const struct mpj_profile *p, const char *const *pattern, unsigned n, bool *hit,
                 struct mpj_err *err)
{
    for (unsigned k = 0; k < n; k++) {
        bool any = false;
        for (unsigned i = 0; i < p->funcs; i++) {
            if (!mpj_profile_named(&p->func[i], pattern[k]))
                continue;
            hit[i] = true;
            any = true;
        }
        if (!any)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "no function of the profile is called \"%.100s\" (--view functions "
                               "--top 0 lists all)",
                               pattern[k]);
    }
    return MPJ_E_OK;
}

static bool is_small(const struct filtering *f, uint32_t i)
{
    const struct mpj_profile *const p = f->p;
    const int64_t *const total = p->total + (size_t)i * p->items;
    const bool asked_time = f->c->least_s > 0 && p->cycles >= 0 && p->clock_hz > 0;
    const bool asked_energy = f->c->least_uj > 0 && p->energy >= 0;

    return (asked_time && (double)total[p->cycles] / p->clock_hz < f->c->least_s) ||
           (asked_energy && (double)total[p->energy] / 1e9 < f->c->least_uj);
}

/* Decides on each node. Forward, as a node's caller decides for it; then paths, backward. */
static int decide(struct filtering *f, struct mpj_err *err)
{
    const struct mpj_profile *const p = f->p;
    uint32_t *const level = calloc(p->nodes + 1, sizeof(*level)); /* 0: not below one of -F */
    bool any = false;

    if (level == NULL)
        return mpj_err_nomem(err);
    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct mpj_prof_node *const n = &p->node[i];
        const bool top = n->parent == MPJ_PROF_NO_PARENT;
        if (!top && level[n->parent] > 0)
            level[i] = level[n->parent] + 1;
        else if (f->c->onlys == 0 || f->only[n->func])
            level[i] = 1;
        f->fate[i] = level[i] > 0 ? KEEP : DROP;
        if (f->without[n->func] || (f->c->depth > 0 && level[i] > f->c->depth) || is_small(f, i) ||
            (!top && level[n->parent] > 0 && f->fate[n->parent] == DROP)) {
            f->fate[i] = DROP;
            level[i] = level[i] > 0 ? level[i] : UINT32_MAX / 2; /* nodes below it stay excluded */
        }
        any = any || f->fate[i] == KEEP;
    }
    for (uint32_t i = p->nodes; i-- > 0;) {
        const uint32_t up = p->node[i].parent;
        if (f->fate[i] != DROP && up != MPJ_PROF_NO_PARENT && f->fate[up] == DROP)
            f->fate[up] = PATH;
    }
    free(level);
    return any ? MPJ_E_OK
               : mpj_err_set(err, MPJ_E_USAGE, "the filters leave nothing of the profile");
}

static uint32_t add(struct filtering *f, const struct mpj_prof_node *like, uint32_t parent)
{
    struct mpj_prof_node *const n = &f->node[f->nodes];

    *n = *like;
    n->parent = parent;
    n->end = 0;
    n->depth = parent == MPJ_PROF_NO_PARENT ? 0 : f->node[parent].depth + 1;
    return f->nodes++;
}

static void add_cost(struct filtering *f, uint32_t to, const int64_t *from)
{
    for (size_t k = 0; k < f->p->items; k++)
        f->self[to * (size_t)f->p->items + k] += from[k];
}

/* Returns the node for filtered costs below a new parent, or of a thread where no path is left. */
static uint32_t left_out(struct filtering *f, const struct mpj_prof_node *like, uint32_t parent)
{
    struct mpj_prof_node n = *like;

    for (uint32_t i = f->nodes; i-- > (parent == MPJ_PROF_NO_PARENT ? 0 : parent + 1);) {
        const struct mpj_prof_node *const there = &f->node[i];
        if (there->parent == parent && there->func == f->left_out &&
            there->thread == like->thread && there->core == like->core)
            return i;
    }
    n.func = f->left_out;
    n.address = MPJ_PROF_NONE;
    n.calls = 0;
    return add(f, &n, parent);
}

/* Rebuilds the tree. New nodes are in preorder, as the old ones: a node for filtered costs is a
 * leaf. */
static bool rebuild(struct filtering *f)
{
    struct mpj_profile *const p = f->p;
    const size_t items = p->items;
    uint32_t *const moved = calloc(p->nodes + 1, sizeof(*moved));

    f->node = calloc(2 * (size_t)p->nodes + 1, sizeof(*f->node));
    f->self = calloc(2 * (size_t)p->nodes * items + 1, sizeof(*f->self));
    if (moved == NULL || f->node == NULL || f->self == NULL) {
        free(moved);
        return false;
    }
    for (uint32_t i = 0; i < p->nodes;) {
        const struct mpj_prof_node *const n = &p->node[i];
        const uint32_t up = n->parent == MPJ_PROF_NO_PARENT ? n->parent : moved[n->parent];
        if (f->fate[i] == DROP) {
            add_cost(f, left_out(f, n, up), p->total + i * items);
            i = n->end;
            continue;
        }
        moved[i] = add(f, n, up);
        add_cost(f, f->fate[i] == KEEP ? moved[i] : left_out(f, n, moved[i]), p->self + i * items);
        i++;
    }
    free(moved);
    for (uint32_t i = f->nodes; i-- > 0;) {
        struct mpj_prof_node *const n = &f->node[i];
        struct mpj_prof_node *const up =
            n->parent == MPJ_PROF_NO_PARENT ? NULL : &f->node[n->parent];
        n->end = n->end > i ? n->end : i + 1;
        if (up != NULL && up->end < n->end)
            up->end = n->end;
    }
    return true;
}

static bool name_left_out(struct filtering *f)
{
    struct mpj_profile *const p = f->p;
    struct mpj_prof_func *const func = realloc(p->func, (p->funcs + 1) * sizeof(*func));

    if (func == NULL)
        return false;
    p->func = func;
    f->left_out = p->funcs;
    func[p->funcs] = (struct mpj_prof_func){.name = strdup(MPJ_PROF_LEFT_OUT),
                                            .label = strdup(MPJ_PROF_LEFT_OUT),
                                            .address = MPJ_PROF_NONE,
                                            .kind = MPJ_FUNC_UNKNOWN};
    p->funcs++;
    return func[f->left_out].name != NULL && func[f->left_out].label != NULL;
}

static int filter(struct filtering *f, struct mpj_err *err)
{
    struct mpj_profile *const p = f->p;
    int64_t *total;

    if (match(p, f->c->only, f->c->onlys, f->only, err) != MPJ_E_OK ||
        match(p, f->c->without, f->c->withouts, f->without, err) != MPJ_E_OK)
        return err->code;
    if (f->c->least_s > 0 && (p->cycles < 0 || p->clock_hz == 0))
        return mpj_err_set(err, MPJ_E_USAGE, "the profile has no times to filter by");
    if (f->c->least_uj > 0 && p->energy < 0)
        return mpj_err_set(err, MPJ_E_USAGE, "the profile has no energies to filter by");
    f->fate = calloc(p->nodes + 1, 1);
    if (f->fate == NULL)
        return mpj_err_nomem(err);
    if (decide(f, err) != MPJ_E_OK)
        return err->code;
    if (!name_left_out(f) || !rebuild(f))
        return mpj_err_nomem(err);
    total = calloc((size_t)f->nodes * p->items + 1, sizeof(*total));
    if (total == NULL)
        return mpj_err_nomem(err);
    free(p->node);
    free(p->self);
    free(p->total);
    p->node = f->node;
    p->self = f->self;
    p->total = total;
    p->nodes = f->nodes;
    p->filtered = true;
    f->node = NULL;
    f->self = NULL;
    profile_add_up(p);
    return MPJ_E_OK;
}

int mpj_profile_filter(struct mpj_profile *p, const struct mpj_prof_choice *c, struct mpj_err *err)
{
    struct filtering f = {.p = p, .c = c};
    int result;

    if (c->onlys == 0 && c->withouts == 0 && c->depth == 0 && !(c->least_s > 0) &&
        !(c->least_uj > 0))
        return MPJ_E_OK;
    f.only = calloc(p->funcs + 1, sizeof(*f.only));
    f.without = calloc(p->funcs + 1, sizeof(*f.without));
    result = f.only == NULL || f.without == NULL ? mpj_err_nomem(err) : filter(&f, err);
    free(f.only);
    free(f.without);
    free(f.fate);
    free(f.node);
    free(f.self);
    return result;
}
