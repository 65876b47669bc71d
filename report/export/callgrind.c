/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callgrind's profile format (valgrind's manual, "Callgrind Format Specification"), a part per
 * thread. A function that is called from within itself is NAME'2, as callgrind's --separate-recs
 * has it, so that the inclusive cost of NAME counts recursion once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/profile_out.h"
#include "report_int.h"
#include "view/profile_text.h"

/* A function, or its calls from within itself. */
struct place {
    uint32_t func;
    bool nested;
};

/* A node with its place; nodes of one place and callee are adjacent once sorted. */
struct entry {
    uint32_t node;
    struct place at, caller;
    bool called; /* an entry for the call; else for the node's own cost */
};

struct writing {
    const struct mpj_report *r;
    const struct mpj_profile *p;
    bool *nested;    /* [node] */
    bool *twice;     /* [node]: within a nested one */
    struct whole *w; /* [item] */
    int64_t *sum;    /* [item] */
    unsigned *shown; /* [item]: the written ones, and their number */
    unsigned n;
    FILE *f;
};

static int place_order(const struct place *a, const struct place *b)
{
    return a->func != b->func ? (a->func > b->func) - (a->func < b->func)
                              : (int)a->nested - (int)b->nested;
}

/* Compares by function; its own cost before its calls, these by callee. */
static int by_place(const void *a, const void *b)
{
    const struct entry *const x = a;
    const struct entry *const y = b;
    const struct place *const px = x->called ? &x->caller : &x->at;
    const struct place *const py = y->called ? &y->caller : &y->at;
    int d = place_order(px, py);

    if (d == 0)
        d = (int)x->called - (int)y->called;
    if (d == 0)
        d = place_order(&x->at, &y->at);
    return d != 0 ? d : (x->node > y->node) - (x->node < y->node);
}

static void put_name(const struct writing *c, const char *what, struct place at)
{
    fprintf(c->f, "%s=%s%s\n", what, c->p->func[at.func].name, at.nested ? "'2" : "");
}

static const char *file_of(const struct mpj_prof_func *func)
{
    return func->file != NULL ? func->file : "(unknown)";
}

static void put_values(struct writing *c, unsigned line, const int64_t *v)
{
    fprintf(c->f, "%u", line);
    for (unsigned i = 0; i < c->n; i++)
        fprintf(c->f, " %" PRId64, v[c->shown[i]]);
    fputc('\n', c->f);
}

/* Writes entries from a to b as one cost, or one callee. */
static void put_group(struct writing *c, const struct entry *a, const struct entry *b)
{
    const struct mpj_profile *const p = c->p;
    const struct place at = a->called ? a->caller : a->at;
    const unsigned line = (unsigned)p->func[at.func].line;
    uint64_t calls = 0;

    memset(c->sum, 0, p->items * sizeof(*c->sum));
    for (const struct entry *e = a; e < b; e++) {
        const int64_t *const v = (e->called ? p->total : p->self) + (size_t)e->node * p->items;
        calls += p->node[e->node].calls;
        for (unsigned i = 0; i < p->items && !(e->called && c->twice[e->node]); i++)
            c->sum[i] += v[i];
    }
    for (unsigned i = 0; i < p->items; i++)
        c->sum[i] = a->called ? c->sum[i] / c->w[i].per : (int64_t)whole_take(&c->w[i], c->sum[i]);
    if (a->called) {
        fprintf(c->f, "cfi=%s\n", file_of(&p->func[a->at.func]));
        put_name(c, "cfn", a->at);
        fprintf(c->f, "calls=%" PRIu64 " %d\n", calls > 0 ? calls : 1, p->func[a->at.func].line);
    }
    put_values(c, line, c->sum);
}

static int put_lane(struct writing *c, const struct lane *l, struct mpj_err *err)
{
    const struct mpj_profile *const p = c->p;
    struct entry *const entry = malloc((2 * (size_t)p->nodes + 1) * sizeof(*entry));
    size_t n = 0;

    if (entry == NULL)
        return mpj_err_nomem(err);
    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct mpj_prof_node *const node = &p->node[i];
        struct entry e = {.node = i, .at = {node->func, c->nested[i]}};
        if (!profile_in_lane(node, l))
            continue;
        entry[n++] = e;
        if (node->parent == MPJ_PROF_NO_PARENT)
            continue;
        e.called = true;
        e.caller = (struct place){p->node[node->parent].func, c->nested[node->parent]};
        entry[n++] = e;
    }
    qsort(entry, n, sizeof(*entry), by_place);
    for (size_t i = 0; i < n;) {
        const struct place at = entry[i].called ? entry[i].caller : entry[i].at;
        size_t end = i + 1;
        while (end < n && entry[end].called == entry[i].called &&
               place_order(&entry[end].at, &entry[i].at) == 0 &&
               (!entry[i].called || place_order(&entry[end].caller, &entry[i].caller) == 0))
            end++;
        if (!entry[i].called) {
            fprintf(c->f, "\nfl=%s\n", file_of(&p->func[at.func]));
            put_name(c, "fn", at);
        }
        put_group(c, &entry[i], &entry[end]);
        i = end;
    }
    free(entry);
    return MPJ_E_OK;
}

/* Writes the events of the file: names and descriptions. */
static void put_events(struct writing *c)
{
    const struct mpj_profile *const p = c->p;

    for (unsigned i = 0; i < p->items; i++) {
        if ((int)i != p->energy && i < p->first_cause && p->sum[i] + p->chip[i] > 0)
            c->shown[c->n++] = i;
        else if ((int)i == p->energy) {
            memmove(c->shown + 1, c->shown, c->n++ * sizeof(*c->shown));
            c->shown[0] = i;
        }
    }
    for (unsigned i = 0; i < c->n; i++) {
        const struct mpj_prof_item *const item = &p->item[c->shown[i]];
        if ((int)c->shown[i] == p->energy)
            fputs("event: nJ : energy in nJ\n", c->f);
        else
            fprintf(c->f, "event: %s : %s (%s)\n", item->name, item->name, item->unit);
    }
    fputs("events:", c->f);
    for (unsigned i = 0; i < c->n; i++)
        fprintf(c->f, " %s", (int)c->shown[i] == p->energy ? "nJ" : p->item[c->shown[i]].name);
    fputs("\n", c->f);
}

static int put_parts(struct writing *c, const struct lane *lane, unsigned lanes,
                     struct mpj_err *err)
{
    const struct mpj_profile *const p = c->p;
    int64_t *const all = calloc(p->items + 1, sizeof(*all));
    int result = MPJ_E_OK;

    if (all == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < lanes && result == MPJ_E_OK; i++) {
        if (i > 0)
            fprintf(c->f, "\npart: %u\nthread: %" PRId64 "\n", i + 1,
                    lane[i].thread >= 0 ? lane[i].thread : 0);
        result = put_lane(c, &lane[i], err);
    }
    for (unsigned i = 0; i < p->items; i++)
        all[i] = (int64_t)whole_take(&c->w[i], p->chip[i]);
    fputs("\nfl=(unknown)\nfn=" MPJ_PROF_CHIP "\n", c->f);
    put_values(c, 0, all);
    for (unsigned i = 0; i < p->items; i++)
        all[i] = (p->sum[i] + p->chip[i]) / c->w[i].per;
    fputs("\ntotals:", c->f);
    for (unsigned i = 0; i < c->n; i++)
        fprintf(c->f, " %" PRId64, all[c->shown[i]]);
    fputc('\n', c->f);
    free(all);
    return result;
}

/* Finds nodes that are recursive calls, and nodes within such ones of their function. */
static void find_nested(struct writing *c)
{
    const struct mpj_profile *const p = c->p;

    for (uint32_t i = 0; i < p->nodes; i++) {
        for (uint32_t up = p->node[i].parent; up != MPJ_PROF_NO_PARENT; up = p->node[up].parent) {
            if (p->node[up].func != p->node[i].func)
                continue;
            c->nested[i] = true;
            c->twice[i] = c->nested[up];
            break;
        }
    }
}

static int put_callgrind(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;
    struct writing c = {.r = r, .p = p, .f = f};
    struct lane *lane = NULL;
    unsigned lanes = 0;
    char text[400];
    int result = profile_out_check(r, false, err);

    if (result != MPJ_E_OK)
        return result;
    c.nested = calloc(p->nodes + 1U, sizeof(*c.nested));
    c.twice = calloc(p->nodes + 1U, sizeof(*c.twice));
    c.w = calloc(p->items + 1U, sizeof(*c.w));
    c.sum = calloc(p->items + 1U, sizeof(*c.sum));
    c.shown = calloc(p->items + 1U, sizeof(*c.shown));
    if (c.nested == NULL || c.twice == NULL || c.w == NULL || c.sum == NULL || c.shown == NULL)
        result = mpj_err_nomem(err);
    else
        result = profile_lanes(p, &lane, &lanes, err);
    if (result == MPJ_E_OK && lane != NULL) {
        find_nested(&c);
        for (unsigned i = 0; i < p->items; i++)
            c.w[i] = profile_whole(p, (int)i);
        profile_creator(r->run, text, sizeof(text));
        fprintf(f, "# callgrind format\nversion: 1\ncreator: %s\ncmd: %s %s\n", text,
                r->run->program != NULL ? r->run->program : "(unknown)",
                r->run->arguments != NULL ? r->run->arguments : "");
        profile_label(r->run, text, sizeof(text));
        fprintf(f, "part: 1\nthread: %" PRId64 "\ndesc: Run: %s\npositions: line\n",
                lanes > 0 && lane[0].thread >= 0 ? lane[0].thread : 0, text);
        put_events(&c);
        result = put_parts(&c, lane, lanes, err);
    }
    free(lane);
    free(c.nested);
    free(c.twice);
    free(c.w);
    free(c.sum);
    free(c.shown);
    return result;
}

static mpj_report_put *callgrind_of(const struct mpj_view *view)
{
    return profile_exports(view) ? put_callgrind : NULL;
}

const struct mpj_exporter exporter_callgrind = {"callgrind", "callgrind", callgrind_of, false,
                                                false};
