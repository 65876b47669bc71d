/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the target measured at entry and exit.
 *
 * Measurements of a part of the time are scaled to all of it: calls in the periods of a group times
 * (whole time / time of the group); calls that were only counted are assumed to cost as much as the
 * measured ones. A first call, before the periods, is not scaled.
 *
 * A record has the calls of a function from one call site, callees included. A function's self cost
 * is its total less the totals of the calls from it. The call tree follows from these pairs as in
 * gprof: a function's cost is divided among its callers in proportion to their calls' cost.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_trace_records.h"
#include "report/symbols.h"
#include "store/profile_put.h"

#define ITEMS     3U /* cycles, two events */
#define NO_FUNC   UINT32_MAX
#define DEPTH_MAX 40U
#define LEAST     1e-5 /* share of all cycles below which a call is not followed */

struct call { /* from one function to another one */
    uint32_t from, to;
    double calls, v[ITEMS];
};

struct func {
    uint32_t address;
    double calls, v[ITEMS]; /* callees included */
    double out[ITEMS];      /* cost of its callees, and of counting them */
    double passed[ITEMS];   /* of that: cost of counting */
    double put;             /* calls in the tree */
    bool called;            /* by another known function */
    bool on_path, seen;
};

struct store_entries {
    struct mpj_function_rec *rec;
    size_t count, room;
    struct mpj_moment_rec *at; /* calls one by one */
    size_t ats, at_room;
    struct mpj_func_groups_rec groups;
    double records, passes; /* measured calls, and calls only counted */
    struct mpj_symbols *symbols;
    struct func *func;
    size_t funcs, func_room;
    struct call *call;
    size_t calls, call_room;
    const char *item[ITEMS];
    uint32_t nodes;
    double all;
};

static bool make_room(struct import *m, void *list, size_t used, size_t *room, size_t size)
{
    void *bigger;
    void *old;

    if (used < *room)
        return true;
    memcpy(&old, list, sizeof(old));
    bigger = realloc(old, (*room * 2U + 64U) * size);
    if (bigger == NULL) {
        mpj_err_nomem(m->err);
        return false;
    }
    memcpy(list, &bigger, sizeof(bigger));
    *room = *room * 2U + 64U;
    return true;
}

static struct store_entries *entries_of(struct import *m)
{
    if (m->entries == NULL)
        m->entries = calloc(1, sizeof(*m->entries));
    if (m->entries == NULL)
        mpj_err_nomem(m->err);
    return m->entries;
}

int store_entry(struct import *m, const struct mpj_rec *rec)
{
    struct store_entries *const s = entries_of(m);

    if (s == NULL || !make_room(m, &s->rec, s->count, &s->room, sizeof(*s->rec)))
        return m->err->code;
    if (mpj_function_get(rec, &s->rec[s->count]) != MPJ_LINK_OK)
        return store_damaged(m, "FUNCTION");
    s->count++;
    return MPJ_E_OK;
}

int store_entry_call(struct import *m, const struct mpj_moment_rec *x)
{
    struct store_entries *const s = entries_of(m);

    if (s == NULL || !make_room(m, &s->at, s->ats, &s->at_room, sizeof(*s->at)))
        return m->err->code;
    if (x->n != MPJ_MOMENT_WORDS || x->core >= MPJ_CORES_MAX)
        return store_damaged(m, "MOMENTS");
    s->at[s->ats++] = *x;
    return MPJ_E_OK;
}

int store_entry_groups(struct import *m, const struct mpj_rec *rec)
{
    struct store_entries *const s = entries_of(m);

    if (s == NULL)
        return m->err->code;
    return mpj_func_groups_get(rec, &s->groups) == MPJ_LINK_OK ? MPJ_E_OK
                                                               : store_damaged(m, "FUNC_GROUPS");
}

/* ---- the graph of calls
 * --------------------------------------------------------------------------- */

static uint32_t func_of(struct import *m, uint32_t address)
{
    struct store_entries *const s = m->entries;

    for (uint32_t i = 0; i < s->funcs; i++) {
        if (s->func[i].address == address)
            return i;
    }
    if (!make_room(m, &s->func, s->funcs, &s->func_room, sizeof(*s->func)))
        return NO_FUNC;
    s->func[s->funcs] = (struct func){.address = address};
    return (uint32_t)s->funcs++;
}

/* Returns the first instruction of the function that contains an address; 0: unknown. */
static uint32_t start_of(struct import *m, uint32_t address)
{
    struct mpj_place p = {0};

    if (address != 0 && m->entries->symbols != NULL)
        mpj_symbols_lookup(m->entries->symbols, address, &p);
    return p.function != NULL ? address - p.offset : 0;
}

/*
 * Returns the calling function: the one whose call precedes the return address. If that call is to
 * another function than the entered one, the other one has jumped to it.
 */
static uint32_t caller_of(struct import *m, const struct mpj_function_rec *r)
{
    const uint32_t at = r->caller - 4U;
    const uint32_t called = r->caller != 0 && m->entries->symbols != NULL
                                ? mpj_symbols_branch(m->entries->symbols, at, true)
                                : 0;

    if (r->caller == 0)
        return 0;
    return called != 0 && called != r->entry ? called : start_of(m, at);
}

static struct call *call_of(struct import *m, uint32_t from, uint32_t to)
{
    struct store_entries *const s = m->entries;

    for (size_t i = 0; i < s->calls; i++) {
        if (s->call[i].from == from && s->call[i].to == to)
            return &s->call[i];
    }
    if (!make_room(m, &s->call, s->calls, &s->call_room, sizeof(*s->call)))
        return NULL;
    s->call[s->calls] = (struct call){.from = from, .to = to};
    return &s->call[s->calls++];
}

/* Returns the part of the run in which the calls of a record were measured; 0: not measured. */
static double share_of(const struct store_entries *s, const struct mpj_function_rec *r)
{
    double active = 0;

    if ((r->flags & MPJ_FUNCTION_FIRST) != 0)
        return 1;
    for (uint32_t i = 0; i < s->groups.count; i++) {
        if (i == r->group || (r->flags & MPJ_FUNCTION_ALWAYS) != 0)
            active += (double)s->groups.active[i];
    }
    return s->groups.ticks > 0 ? fmin(active / (double)s->groups.ticks, 1) : 0;
}

/* Returns the factor that scales the calls of a record. */
static double weight(const struct store_entries *s, const struct mpj_function_rec *r)
{
    const double share = share_of(s, r);

    if ((r->flags & MPJ_FUNCTION_FIRST) != 0) /* some never returned */
        return r->measured > 0 && r->calls > r->measured ? (double)r->calls / r->measured : 1;
    return share > 0 && r->measured > 0 ? 1 / share * r->calls / r->measured : 0;
}

/* Converts a sum. The target subtracts the cost of a measured call, which varies: a sum may be
 * below 0. */
static double count(uint64_t value)
{
    return fmax((double)(int64_t)value, 0);
}

/* Returns the calls of a record that were only counted. */
static double passes_of(const struct mpj_function_rec *r)
{
    if ((r->flags & MPJ_FUNCTION_FIRST) != 0 || r->records == 0 || r->measured == 0)
        return 0;
    return fmax((double)r->here * r->calls / r->measured - r->records, 0);
}

/* Adds the cost of these to their caller. */
static void add_passed(struct store_entries *s, const struct mpj_function_rec *r, struct func *from)
{
    const double passes = passes_of(r);

    s->records += r->records;
    s->passes += passes;
    for (unsigned i = 0; i < ITEMS; i++) {
        const double each = s->groups.passed[i == 0 ? ITEMS - 1U : i - 1U];

        from->passed[i] += passes * each;
        from->out[i] += passes * each;
    }
}

static int add_record(struct import *m, const struct mpj_function_rec *r)
{
    struct store_entries *const s = m->entries;
    const double times = weight(s, r);
    const double v[ITEMS] = {count(r->cycles), r->count > 0 ? count(r->ev[0].value) : 0,
                             r->count > 1 ? count(r->ev[1].value) : 0};
    const uint32_t from = func_of(m, caller_of(m, r));
    const uint32_t to = func_of(m, r->entry);
    struct call *const c = from != NO_FUNC && to != NO_FUNC ? call_of(m, from, to) : NULL;

    if (c == NULL)
        return m->err->code;
    c->calls += times * r->here;
    s->func[to].calls += times * r->here;
    s->func[to].called |= s->func[from].address != 0 && from != to;
    for (unsigned i = 0; i < ITEMS; i++) {
        c->v[i] += times * v[i];
        s->func[to].v[i] += times * v[i];
        s->func[from].out[i] += times * v[i];
    }
    add_passed(s, r, &s->func[from]);
    if (share_of(s, r) <= 0)
        return MPJ_E_OK;
    return store_put(m, "INSERT INTO entry_cost VALUES (?,?,?,?,?,?,?)", "iiiiiid",
                     (int64_t)m->pass, (int64_t)to, (int64_t)r->core, (int64_t)r->records,
                     (int64_t)llround(passes_of(r)), (int64_t)(r->flags != 0), share_of(s, r));
}

/* ---- the tree -----------------------------------------------------------------------------------
 */

static int put_costs(struct import *m, uint32_t node, const double v[ITEMS])
{
    for (unsigned i = 0; i < ITEMS; i++) {
        if (m->entries->item[i] != NULL &&
            profile_cost(m, MPJ_PROF_ENTRIES, node, m->entries->item[i],
                         v[i] > 0.5 ? (uint64_t)llround(v[i]) : 0U) != MPJ_E_OK)
            return m->err->code;
    }
    return MPJ_E_OK;
}

/* Writes a node and its subtree: v, the function's cost, is divided between it and its callees. */
static int put_tree(struct import *m, uint32_t func, int64_t parent, double calls,
                    const double v[ITEMS], unsigned depth)
{
    struct store_entries *const s = m->entries;
    struct func *const f = &s->func[func];
    const struct profile_node row = {.id = s->nodes++,
                                     .parent = parent,
                                     .func = func,
                                     .thread = PROFILE_NONE,
                                     .core = PROFILE_NONE,
                                     .region = PROFILE_NONE,
                                     .calls = (uint64_t)llround(calls)};
    double whole[ITEMS]; /* without the share of cycles in the graph */
    double own[ITEMS];
    double out[ITEMS] = {0};
    double used; /* by all its calls */
    int result = profile_node(m, MPJ_PROF_ENTRIES, &row);

    f->seen = f->on_path = true;
    f->put += (double)row.calls;
    memcpy(own, v, sizeof(own));
    memcpy(whole, f->v, sizeof(whole));
    for (size_t k = 0; k < s->calls; k++) {
        const struct call *const c = &s->call[k];

        for (unsigned i = 0; i < ITEMS && c->from == func; i++)
            *(s->func[c->to].on_path ? &whole[i] : &out[i]) +=
                s->func[c->to].on_path ? -c->v[i] : c->v[i];
    }
    used = whole[0];
    for (unsigned i = 0; i < ITEMS; i++) {
        whole[i] = fmax(whole[i], out[i] + f->passed[i]);
        own[i] -= whole[i] > 0 ? v[i] * f->passed[i] / whole[i] : 0;
    }
    for (size_t k = 0; k < s->calls && result == MPJ_E_OK && depth < DEPTH_MAX; k++) {
        const struct call c = s->call[k];
        double part[ITEMS];

        if (c.from != func || s->func[c.to].on_path || whole[0] <= 0)
            continue;
        for (unsigned i = 0; i < ITEMS; i++)
            part[i] = whole[i] > 0 ? v[i] * c.v[i] / whole[i] : 0;
        if (part[0] < LEAST * s->all)
            continue;
        for (unsigned i = 0; i < ITEMS; i++)
            own[i] -= part[i];
        result = put_tree(m, c.to, row.id, c.calls * v[0] / (used > 0 ? used : whole[0]), part,
                          depth + 1U);
    }
    s->func[func].on_path = false;
    return result == MPJ_E_OK ? put_costs(m, row.id, own) : result;
}

static int put_roots(struct import *m, bool all)
{
    struct store_entries *const s = m->entries;
    int result = MPJ_E_OK;

    for (uint32_t i = 0; i < s->funcs && result == MPJ_E_OK; i++) {
        struct func *const f = &s->func[i];

        if (f->seen || (f->called && !all))
            continue;
        for (unsigned k = 0; k < ITEMS; k++)
            f->v[k] = fmax(f->v[k], f->out[k]);
        result = put_tree(m, i, PROFILE_NONE, f->calls, f->v, 0);
    }
    return result;
}

/* Distributes calls without a node of their own, recursive ones and those too small to be followed,
 * over the function's nodes in proportion. */
static int put_recursive(struct import *m)
{
    const struct store_entries *const s = m->entries;
    int result = MPJ_E_OK;

    for (uint32_t i = 0; i < s->funcs && result == MPJ_E_OK; i++) {
        const struct func *const f = &s->func[i];

        if (f->put > 0 && f->calls >= f->put + 1)
            result = store_put(m,
                               "UPDATE prof_node SET calls = CAST(round(1.0 * calls * ?1 / ?2) AS "
                               "INTEGER) WHERE pass = ?3 AND source = ?4 AND func = ?5",
                               "iiiii", (int64_t)llround(f->calls), (int64_t)llround(f->put),
                               (int64_t)m->pass, (int64_t)MPJ_PROF_ENTRIES, (int64_t)i);
    }
    return result;
}

/* Writes the cost of the whole run. */
static int put_run(struct import *m)
{
    const struct store_entries *const s = m->entries;

    return store_put(m, "INSERT INTO entry_run VALUES (?,?,?,?,?,?,?,?)", "iiiiiiii",
                     (int64_t)m->pass, (int64_t)s->groups.count, (int64_t)s->groups.periods,
                     (int64_t)m->brief, (int64_t)s->records, (int64_t)s->groups.used,
                     (int64_t)llround(s->passes), (int64_t)s->groups.passed[ITEMS - 1U]);
}

static int put_func(struct import *m, uint32_t id)
{
    struct store_entries *const s = m->entries;
    struct mpj_place p = {0};
    struct profile_func f = {.id = id, .name = "(unknown)", .kind = MPJ_FUNC_UNKNOWN};

    f.address = s->func[id].address != 0 ? (int64_t)s->func[id].address : PROFILE_NONE;
    if (s->symbols != NULL && s->func[id].address != 0)
        mpj_symbols_function(s->symbols, s->func[id].address, &p);
    if (p.function != NULL) {
        f.name = p.function;
        f.copy = p.copy;
        f.file = p.file;
        f.line = p.line;
        f.kind = store_func_kind(&p);
    }
    return profile_func(m, MPJ_PROF_ENTRIES, &f);
}

/* ---- over time ----------------------------------------------------------------------------------
 */

static int by_time(const void *a, const void *b)
{
    const struct mpj_moment_rec *const x = a;
    const struct mpj_moment_rec *const y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->core > y->core) - (x->core < y->core);
}

static int put_calls(struct import *m)
{
    static const char bins[] =
        "INSERT INTO entry_time SELECT c.address, min(max(100 * (c.time - p.time_begin) / "
        "(p.time_end - p.time_begin + 1), 0), 99), count(*), sum(c.calls), sum(c.calls * "
        "c.cycles), NULL FROM entry_call c JOIN pass p ON p.id = c.pass WHERE c.pass = 0 GROUP BY "
        "1, 2";
    const struct store_entries *const s = m->entries;
    int result = MPJ_E_OK;

    if (s->ats > 0)
        qsort(s->at, s->ats, sizeof(*s->at), by_time);
    for (size_t i = 0; i < s->ats && result == MPJ_E_OK; i++) {
        const struct mpj_moment_rec *const x = &s->at[i];
        result = store_put(m, "INSERT INTO entry_call VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                           "iiiiiiiisisi", (int64_t)m->pass, (int64_t)i, (int64_t)x->time,
                           (int64_t)x->core, (int64_t)x->thread, (int64_t)x->word[0],
                           (int64_t)x->word[1], (int64_t)x->word[2], s->item[1],
                           (int64_t)x->word[3], s->item[2], (int64_t)x->word[4]);
    }
    if (result == MPJ_E_OK && m->pass == 0 && s->ats > 0)
        result = store_put(m, bins, "");
    return result;
}

int store_entries_end(struct import *m)
{
    struct store_entries *const s = m->entries;
    struct mpj_err ignored;
    int result = MPJ_E_OK;

    if (s == NULL || s->count == 0)
        return MPJ_E_OK;
    if (m->elf != NULL) /* without it names and callers are unknown */
        (void)mpj_symbols_open(&s->symbols, m->elf, &ignored);
    s->item[0] = "cycles";
    for (uint32_t i = 0; i < s->rec[0].count; i++) {
        const struct mpj_event_info *const e =
            mpj_event_find(MPJ_SOURCE_PMU, s->rec[0].ev[i].event);
        s->item[i + 1U] = e != NULL ? e->name : NULL;
    }
    for (size_t i = 0; i < s->count && result == MPJ_E_OK; i++)
        result = add_record(m, &s->rec[i]);
    for (size_t i = 0; i < s->funcs; i++)
        s->all = fmax(s->all, s->func[i].v[0]);
    for (uint32_t i = 0; i < s->funcs && result == MPJ_E_OK; i++)
        result = put_func(m, i);
    if (result == MPJ_E_OK)
        result = put_run(m);
    if (result == MPJ_E_OK)
        result = put_roots(m, false);
    if (result == MPJ_E_OK)
        result = put_roots(m, true);
    if (result == MPJ_E_OK)
        result = put_recursive(m);
    return result == MPJ_E_OK ? put_calls(m) : result;
}

void store_entries_free(struct import *m)
{
    struct store_entries *const s = m->entries;

    if (s == NULL)
        return;
    mpj_symbols_free(s->symbols);
    free(s->func);
    free(s->call);
    free(s->rec);
    free(s->at);
    free(s);
    m->entries = NULL;
}
