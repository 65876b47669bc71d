/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Costs of a profile by function, thread, core and region, and their order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile.h"

/* A row's key, as the members of struct mpj_prof_row. */
struct key {
    int64_t func, thread, core, region;
};

static int sign(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_key(const void *a, const void *b)
{
    const struct key *const x = a;
    const struct key *const y = b;
    int d = sign(x->func, y->func);

    if (d == 0)
        d = sign(x->thread, y->thread);
    if (d == 0)
        d = sign(x->core, y->core);
    return d != 0 ? d : sign(x->region, y->region);
}

static struct key key_of(const struct mpj_prof_node *n, unsigned by)
{
    return (struct key){
        .func = by & MPJ_BY_FUNC ? (int64_t)n->func : MPJ_PROF_NONE,
        .thread = by & MPJ_BY_THREAD ? n->thread : MPJ_PROF_NONE,
        .core = by & MPJ_BY_CORE ? n->core : MPJ_PROF_NONE,
        .region = by & MPJ_BY_REGION ? n->region : MPJ_PROF_NONE,
    };
}

static unsigned keep_one_of_each(struct key *keys, uint32_t n)
{
    unsigned kept = 0;

    qsort(keys, n, sizeof(*keys), by_key);
    for (uint32_t i = 0; i < n; i++) {
        if (kept == 0 || by_key(&keys[kept - 1], &keys[i]) != 0)
            keys[kept++] = keys[i];
    }
    return kept;
}

int mpj_profile_table(const struct mpj_profile *p, unsigned by, struct mpj_prof_table *out,
                      struct mpj_err *err)
{
    const size_t items = p->items;
    struct key *const keys = malloc((p->nodes + 1) * sizeof(*keys));
    uint32_t *within = NULL; /* of each row: end of its subtree that is being visited */

    memset(out, 0, sizeof(*out));
    if (keys == NULL)
        return mpj_err_nomem(err);
    for (uint32_t i = 0; i < p->nodes; i++)
        keys[i] = key_of(&p->node[i], by);
    out->rows = keep_one_of_each(keys, p->nodes);
    out->row = calloc(out->rows + 1, sizeof(*out->row));
    out->cell = calloc(out->rows * items * 2 + 1, sizeof(*out->cell));
    within = calloc(out->rows + 1, sizeof(*within));
    if (out->row == NULL || out->cell == NULL || within == NULL) {
        free(keys);
        free(within);
        return mpj_err_nomem(err);
    }
    for (unsigned i = 0; i < out->rows; i++)
        out->row[i] = (struct mpj_prof_row){.func = keys[i].func,
                                            .thread = keys[i].thread,
                                            .core = keys[i].core,
                                            .region = keys[i].region,
                                            .self = out->cell + 2 * i * items,
                                            .total = out->cell + (2 * i + 1) * items};
    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct key key = key_of(&p->node[i], by);
        const struct key *const at = bsearch(&key, keys, out->rows, sizeof(key), by_key);
        const size_t r = (size_t)(at - keys);
        int64_t *const self = out->cell + 2 * r * items;
        out->row[r].calls += p->node[i].calls;
        for (size_t k = 0; k < items; k++)
            self[k] += p->self[i * items + k];
        if (i < within[r])
            continue; /* recursion: the outermost call includes it */
        within[r] = p->node[i].end;
        for (size_t k = 0; k < items; k++)
            self[items + k] += p->total[i * items + k];
    }
    free(keys);
    free(within);
    return MPJ_E_OK;
}

void mpj_profile_table_free(struct mpj_prof_table *t)
{
    free(t->row);
    free(t->cell);
    memset(t, 0, sizeof(*t));
}

/* ---- order ------------------------------------------------------------------------- */

/* Lists the items, as far as they fit. */
static void names(const struct mpj_profile *p, char *out, size_t size)
{
    size_t used = 0;

    *out = '\0';
    for (unsigned i = 0; i < p->items && used + 40 < size; i++) {
        const char *const name = (int)i == p->cycles   ? "time"
                                 : (int)i == p->energy ? "energy"
                                                       : p->item[i].name;
        used += (size_t)snprintf(out + used, size - used, "%s, ", name);
    }
    snprintf(out + used, size - used, "calls");
}

int mpj_profile_sort(const struct mpj_profile *p, const char *name, struct mpj_prof_sort *out,
                     struct mpj_err *err)
{
    static const char total[] = "total-";
    char known[400];

    *out = (struct mpj_prof_sort){.item = MPJ_PROF_NONE};
    if (name == NULL) {
        out->item = p->energy >= 0 ? p->energy : p->cycles >= 0 ? p->cycles : p->samples;
        return MPJ_E_OK;
    }
    out->total = strncmp(name, total, strlen(total)) == 0;
    name += out->total ? strlen(total) : 0;
    out->item = mpj_profile_item(p, name);
    if (out->item != MPJ_PROF_NONE || strcmp(name, "calls") == 0)
        return MPJ_E_OK;
    names(p, known, sizeof(known));
    return mpj_err_set(err, MPJ_E_USAGE, "the profile cannot be sorted by \"%.40s\" (%s)", name,
                       known);
}

struct ordering {
    const struct mpj_profile *p;
    struct mpj_prof_sort by;
};

static int64_t weight(const struct mpj_prof_row *r, struct mpj_prof_sort by)
{
    return by.item == MPJ_PROF_NONE ? (int64_t)r->calls
           : by.total               ? r->total[by.item]
                                    : r->self[by.item];
}

static int by_weight(const void *a, const void *b, void *ctx)
{
    const struct ordering *const o = ctx;
    const struct mpj_prof_row *const x = a;
    const struct mpj_prof_row *const y = b;
    const int64_t v = weight(x, o->by);
    const int64_t w = weight(y, o->by);
    int d = (v < w) - (v > w);

    if (d == 0 && x->func >= 0 && y->func >= 0)
        d = strcmp(o->p->func[x->func].name, o->p->func[y->func].name);
    if (d == 0)
        d = sign(x->func, y->func);
    if (d == 0)
        d = sign(x->thread, y->thread);
    if (d == 0)
        d = sign(x->core, y->core);
    return d != 0 ? d : sign(x->region, y->region);
}

void mpj_profile_order(const struct mpj_profile *p, struct mpj_prof_table *t,
                       struct mpj_prof_sort by)
{
    struct ordering o = {p, by};

    qsort_r(t->row, t->rows, sizeof(*t->row), by_weight, &o);
}
