/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the target measured at entry and exit.
 *
 * Measurements of a part of the time are scaled to all of it: calls in the periods of a group times
 * (whole time / time of the group); calls that were only counted are assumed to cost as much as the
 * measured ones. A first call, before the periods, is not scaled.
 *
 * A record has the calls of a function from one call site, callees included. They are the edges of
 * a graph (store/entries_graph.h). What the threads used in addition is in two nodes of its own:
 * the cost of measuring, and what ran outside of the measured functions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_records.h"
#include "mpj_trace_records.h"
#include "report/symbols.h"
#include "store/entries_code.h"
#include "store/entries_graph.h"
#include "store/entries_tails.h"
#include "store/profile_put.h"

#define ITEMS ENTRY_ITEMS

/* Uncertainty that does not become less with the number of calls: what measuring costs is
 * calibrated with warm caches. */
#define CALL_ERROR 6.0   /* cycles of a call, here and in all that is called */
#define COLD_ERROR 400.0 /* cycles of one that is measured because it is rare */
#define SCALE      0.004 /* of the cycles */

/* A thread that waits polls at most that long before it sleeps. Its polls depend on when other
 * threads are done, which measuring changes. */
#define POLL_CYCLES ((double)MPJ_WAIT_POLLS * MPJ_WAIT_POLL_CYCLES)

struct calls {
    double records, rare; /* measured, and those because they are rare */
};

struct store_entries {
    struct mpj_function_rec *rec;
    size_t count, room;
    struct mpj_moment_rec *at; /* calls one by one */
    size_t ats, at_room;
    struct mpj_func_groups_rec groups;
    double records, passes; /* measured calls, and calls only counted */
    struct entry_code code;
    struct entry_graph graph;
    struct entry_tails tails;
    uint32_t *id;     /* of the graph's functions in table prof_func */
    struct calls *of; /* calls of and by these */
    const char *item[ITEMS];
    uint32_t ids;
    double sum[ITEMS]; /* over the nodes */
    struct import *m;
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

/* ---- the graph of calls ----------------------------------------------------------------------
 */

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

/* Returns the variance of a record's sum of cycles, scaled: each measured call represents others
 * that differ from it. */
static double variance_of(const struct store_entries *s, const struct mpj_function_rec *r,
                          double times)
{
    const double calls = times * r->here;
    const double unit = (double)(1U << 2U * MPJ_FUNC_SQUARE_SHIFT);
    const double sum = count(r->cycles);
    const double off = r->here > 0 ? sum / r->here - r->usual : 0; /* of the mean */
    const double about = r->records > 0 ? (double)r->here * r->here / r->records * off * off : 0;
    const double squares = fmax((double)r->squares * unit - about, 0);

    if ((r->flags & MPJ_FUNCTION_FIRST) != 0 || r->records == 0 || calls <= r->records ||
        share_of(s, r) <= 0)
        return 0;
    /* without squares, of an older target: as if calls differed as much as their mean */
    return times * times * (r->squares > 0 ? squares : sum * sum / r->records) *
           (1 - r->records / calls) * (1 + 2.0 / r->records);
}

/* Returns the standard error of a record's sum of cycles, scaled, as only some periods measured it:
 * a program does not do the same in all of them, but, say, the function in half of them. */
static double period_error_of(const struct store_entries *s, const struct mpj_function_rec *r,
                              double times)
{
    const double share = share_of(s, r);
    const double periods = fmax(share * (s->groups.periods + 1.0), 1);

    return times * count(r->cycles) * sqrt((1 - share) / periods);
}

/* True for functions without an entry. */
static bool is_outside(void *ctx, uint32_t address)
{
    struct store_entries *const s = ctx;
    const uint32_t i = entry_func_find(&s->graph, address, ENTRY_NONE);

    return i == ENTRY_NONE || !s->graph.func[i].is_measured;
}

/* Returns the measured function that code without an entry runs for: the one that the target found
 * it in, if it can reach that code, else another one that can; none, at the bottom of a stack. */
static uint32_t outer_of(struct store_entries *s, const struct mpj_function_rec *r,
                         uint32_t outside)
{
    uint32_t only = 0;
    unsigned found = 0;

    if (r->above == 0)
        return ENTRY_NONE;
    if (!entry_code_reaches(&s->code, r->above, outside, is_outside, s)) {
        /* an interrupted function, one that calls by pointer, or its caller was not measured then
         */
        for (size_t i = 0; i < s->count && found < 2U; i++) {
            const uint32_t other = s->rec[i].above;

            if (other != 0 && other != only && other != r->above &&
                entry_code_reaches(&s->code, other, outside, is_outside, s)) {
                only = other;
                found++;
            }
        }
    }
    return entry_func_of(&s->graph, found == 1U ? only : r->above, ENTRY_NONE);
}

/* Returns the number of the calling function; ENTRY_NONE: out of memory. */
static uint32_t caller_of(struct store_entries *s, const struct mpj_function_rec *r)
{
    const uint32_t address = entry_code_caller(&s->code, r->entry, r->caller);
    const uint32_t i = entry_func_find(&s->graph, address, ENTRY_NONE);

    const uint32_t jumped = entry_func_find(&s->graph, r->caller - 4U, ENTRY_NONE);

    if (i != ENTRY_NONE && s->graph.func[i].is_measured)
        return i;
    if (jumped != ENTRY_NONE && s->graph.func[jumped].is_measured) /* through other code */
        return jumped;
    return entry_func_of(&s->graph, address, outer_of(s, r, address));
}

/* Returns the measured function whose calls contain those that a function makes; the function, if
 * it is measured or there is none. */
static uint32_t payer_of(const struct entry_graph *g, uint32_t i)
{
    return g->func[i].is_measured || g->func[i].outer == ENTRY_NONE ? i : g->func[i].outer;
}

/* Returns the target's event or cycles of an item. */
static double passed_of(const struct store_entries *s, unsigned item)
{
    return s->groups.passed[item == 0 ? ITEMS - 1U : item - 1U];
}

/* Adds the calls of a record to those by return address. False: out of memory. */
static bool add_site(struct store_entries *s, const struct mpj_function_rec *r, double times,
                     const struct entry_site *ends)
{
    const double share = share_of(s, r);
    struct entry_site x = *ends;

    if ((r->flags & MPJ_FUNCTION_FIRST) != 0)
        return true;
    x.back = r->caller;
    x.group = r->group;
    x.always = (r->flags & MPJ_FUNCTION_ALWAYS) != 0;
    x.calls = times * r->here;
    x.records = r->records;
    x.error = x.calls * sqrt((1 - share) / fmax(share * (s->groups.periods + 1.0), 1));
    x.passes = passes_of(r);
    return entry_tails_add(&s->tails, &x);
}

/* Adds the cost of calls that were only counted to their caller. */
static void add_passed(struct store_entries *s, const struct mpj_function_rec *r, uint32_t from)
{
    const double passes = passes_of(r);

    s->records += r->records;
    s->passes += passes;
    from = payer_of(&s->graph, from);
    for (unsigned i = 0; i < ITEMS && s->graph.func[from].is_measured; i++)
        s->graph.func[from].passed[i] += passes * passed_of(s, i);
}

static int add_record(struct import *m, const struct mpj_function_rec *r)
{
    struct store_entries *const s = m->entries;
    const double times = weight(s, r);
    const double v[ITEMS] = {count(r->cycles), r->count > 0 ? count(r->ev[0].value) : 0,
                             r->count > 1 ? count(r->ev[1].value) : 0};
    const uint32_t from = caller_of(s, r);
    const uint32_t to = entry_func_of(&s->graph, r->entry, ENTRY_NONE);
    const uint32_t at =
        from != ENTRY_NONE && to != ENTRY_NONE ? entry_call_of(&s->graph, from, to) : ENTRY_NONE;
    struct entry_site site = {.from = from, .to = to};
    struct entry_call *c;

    for (unsigned i = 0; i < ITEMS; i++)
        site.v[i] = times * v[i];
    if (at == ENTRY_NONE || !add_site(s, r, times, &site))
        return mpj_err_nomem(m->err);
    c = &s->graph.call[at];
    c->calls += times * r->here;
    c->records += r->records;
    c->rare += (r->flags & MPJ_FUNCTION_FIRST) != 0 ? r->records : 0;
    c->variance += variance_of(s, r, times);
    c->by_period += period_error_of(s, r, times);
    for (unsigned i = 0; i < ITEMS; i++)
        c->v[i] += site.v[i];
    add_passed(s, r, from);
    return MPJ_E_OK;
}

/* Writes what a function's measurements cost on a core. */
static int put_cost(struct import *m, const struct mpj_function_rec *r)
{
    struct store_entries *const s = m->entries;
    const double share = share_of(s, r);
    const uint32_t to = entry_func_find(&s->graph, r->entry, ENTRY_NONE);

    if (share <= 0 || to == ENTRY_NONE)
        return MPJ_E_OK;
    return store_put(m, "INSERT INTO entry_cost VALUES (?,?,?,?,?,?,?)", "iiiiiid",
                     (int64_t)m->pass, (int64_t)s->id[to], (int64_t)r->core, (int64_t)r->records,
                     (int64_t)llround(passes_of(r)), (int64_t)(r->flags != 0), share);
}

/* Returns the function of the graph for which the code at an address runs; ENTRY_NONE: unknown. */
static uint32_t function_at(struct store_entries *s, uint32_t address)
{
    const uint32_t start = entry_code_start(&s->code, address);
    uint32_t i = entry_func_find(&s->graph, start, ENTRY_NONE);

    if (i == ENTRY_NONE || !s->graph.func[i].is_measured) {
        for (i = 0; i < s->graph.funcs && s->graph.func[i].address != start; i++)
            ;
    }
    return start != 0 && i < s->graph.funcs ? payer_of(&s->graph, i) : ENTRY_NONE;
}

/* Adds the uncertainty of what threads polled for: of each wait, in this run and in one where
 * nothing is measured, anything from 0 to twice the mean, and at most what is polled. */
static int read_waits(struct import *m)
{
    static const char sql[] =
        "SELECT w.caller, w.count, 2.0 * w.total / w.count * p.clock_hz / p.time_hz FROM wait w "
        "JOIN pass p ON p.id = w.pass WHERE w.pass = ?1 AND w.count > 0";
    struct store_entries *const s = m->entries;
    sqlite3_stmt *const q = store_statement(m, sql);
    int result = MPJ_E_OK;
    int step;

    if (q == NULL)
        return m->err->code;
    sqlite3_bind_int(q, 1, m->pass);
    while ((step = sqlite3_step(q)) == SQLITE_ROW) {
        const uint32_t caller = (uint32_t)sqlite3_column_int64(q, 0);
        const uint32_t i = caller != 0 ? function_at(s, caller - 4U) : ENTRY_NONE;
        const double most = fmin(sqlite3_column_double(q, 2), POLL_CYCLES);

        if (i != ENTRY_NONE)
            s->graph.func[i].waits += 2 * sqlite3_column_double(q, 1) * most * most / 12;
    }
    if (step != SQLITE_DONE)
        result = store_db_error(m);
    sqlite3_reset(q);
    return result;
}

/* Makes the graph of all records. */
static int make_graph(struct import *m)
{
    struct store_entries *const s = m->entries;
    double passed[ITEMS];
    int result = MPJ_E_OK;

    for (size_t i = 0; i < s->count; i++) {
        const uint32_t to = entry_func_of(&s->graph, s->rec[i].entry, ENTRY_NONE);

        if (to == ENTRY_NONE)
            return mpj_err_nomem(m->err);
        s->graph.func[to].is_measured = true;
    }
    for (size_t i = 0; i < s->count && result == MPJ_E_OK; i++)
        result = add_record(m, &s->rec[i]);
    for (unsigned i = 0; i < ITEMS; i++)
        passed[i] = passed_of(s, i);
    s->graph.periods = s->groups.periods + 1.0;
    if (result == MPJ_E_OK)
        result = read_waits(m);
    if (result == MPJ_E_OK && (!entry_tails_divide(&s->tails, &s->graph, &s->code, passed) ||
                               !entry_graph_solve(&s->graph)))
        result = mpj_err_nomem(m->err);
    return result;
}

/* ---- the tree -----------------------------------------------------------------------------------
 */

static int put_costs(struct import *m, uint32_t node, const double v[ITEMS])
{
    struct store_entries *const s = m->entries;

    for (unsigned i = 0; i < ITEMS; i++) {
        const uint64_t value = v[i] > 0.5 ? (uint64_t)llround(v[i]) : 0U;

        s->sum[i] += (double)value;
        if (s->item[i] != NULL &&
            profile_cost(m, MPJ_PROF_ENTRIES, node, s->item[i], value) != MPJ_E_OK)
            return m->err->code;
    }
    return MPJ_E_OK;
}

static bool put_node(void *ctx, const struct entry_node *n)
{
    struct store_entries *const s = ctx;
    const struct profile_node row = {.id = n->id,
                                     .parent = n->parent != ENTRY_NONE ? (int64_t)n->parent
                                                                       : PROFILE_NONE,
                                     .func = s->id[n->func],
                                     .thread = PROFILE_NONE,
                                     .core = PROFILE_NONE,
                                     .region = PROFILE_NONE,
                                     .calls = (uint64_t)llround(n->calls)};

    return profile_node(s->m, MPJ_PROF_ENTRIES, &row) == MPJ_E_OK &&
           put_costs(s->m, n->id, n->self) == MPJ_E_OK;
}

/* Reads what all threads used: cycles, events. */
static int read_used(struct import *m, double used[ITEMS])
{
    static const char cycles[] = "SELECT sum(cycles) FROM thread WHERE pass = ?1 OR ?2 IS NULL";
    static const char events[] =
        "SELECT sum(value) FROM thread_counter WHERE pass = ?1 AND event = ?2";
    const struct store_entries *const s = m->entries;

    for (unsigned i = 0; i < ITEMS; i++) {
        sqlite3_stmt *const q = store_statement(m, i == 0 ? cycles : events);

        used[i] = 0;
        if (q == NULL)
            return m->err->code;
        sqlite3_bind_int(q, 1, m->pass);
        sqlite3_bind_text(q, 2, s->item[i] != NULL ? s->item[i] : "", -1, SQLITE_TRANSIENT);
        if (sqlite3_step(q) != SQLITE_ROW) { /* a sum always has one */
            const int result = store_db_error(m);
            sqlite3_reset(q);
            return result;
        }
        used[i] = (double)sqlite3_column_int64(q, 0);
        sqlite3_reset(q);
    }
    return MPJ_E_OK;
}

/* Writes a node for costs that no function has. */
static int put_rest(struct import *m, uint32_t node, const char *name, const double v[ITEMS])
{
    const struct profile_func f = {
        .id = m->entries->ids++, .name = name, .address = PROFILE_NONE, .kind = MPJ_FUNC_UNKNOWN};
    const struct profile_node row = {.id = node,
                                     .parent = PROFILE_NONE,
                                     .func = f.id,
                                     .thread = PROFILE_NONE,
                                     .core = PROFILE_NONE,
                                     .region = PROFILE_NONE};

    if (!(v[0] > 0.5))
        return MPJ_E_OK;
    if (profile_func(m, MPJ_PROF_ENTRIES, &f) != MPJ_E_OK ||
        profile_node(m, MPJ_PROF_ENTRIES, &row) != MPJ_E_OK)
        return m->err->code;
    return put_costs(m, node, v);
}

/* Writes the tree, and the rest: cycles of all nodes are those of the threads. The cost
 * of measuring, in events, is known for calls that were only counted. */
static int put_tree(struct import *m)
{
    struct store_entries *const s = m->entries;
    const uint32_t nodes = entry_graph_tree(&s->graph, put_node, s);
    double used[ITEMS] = {0};
    double spent[ITEMS];
    int result = nodes != ENTRY_NONE        ? read_used(m, used)
                 : m->err->code != MPJ_E_OK ? (int)m->err->code
                                            : mpj_err_nomem(m->err);

    if (result != MPJ_E_OK)
        return result;
    for (unsigned i = 0; i < ITEMS; i++) {
        spent[i] = s->passes * passed_of(s, i);
        spent[i] += i == 0 ? (double)s->groups.used : 0;
        spent[i] = fmax(fmin(spent[i], used[i] - s->sum[i]), 0);
    }
    result = put_rest(m, nodes, MPJ_PROF_MEASURING, spent);
    for (unsigned i = 0; i < ITEMS; i++)
        used[i] = fmax(used[i] - s->sum[i], 0);
    return result == MPJ_E_OK ? put_rest(m, nodes + 1U, MPJ_PROF_NOT_MEASURED, used) : result;
}

/* Writes the standard errors of a function's cycles. */
static int put_error(struct import *m, uint32_t i)
{
    const struct store_entries *const s = m->entries;
    const struct entry_func *const f = &s->graph.func[i];
    const double steady = CALL_ERROR * (f->calls + f->below) + COLD_ERROR * s->of[i].rare;
    const double self = steady + SCALE * f->self[0];
    const double all = steady + SCALE * f->in[0];

    if (!f->is_measured)
        return MPJ_E_OK;
    return store_put(m, "INSERT INTO prof_error VALUES (?,?,?,?,?,?)", "iiiidd", (int64_t)m->pass,
                     (int64_t)MPJ_PROF_ENTRIES, (int64_t)s->id[i],
                     (int64_t)llround(s->of[i].records), sqrt(f->self_variance + self * self),
                     sqrt(f->all_variance + all * all));
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

/* Writes a function once, however many nodes of the graph it is. */
static int put_func(struct import *m, uint32_t i)
{
    struct store_entries *const s = m->entries;
    const uint32_t address = s->graph.func[i].address;
    uint32_t first = 0;
    struct mpj_place p = {0};
    struct profile_func f = {.name = "(unknown)", .kind = MPJ_FUNC_UNKNOWN};

    while (s->graph.func[first].address != address)
        first++;
    if (first < i) {
        s->id[i] = s->id[first];
        return MPJ_E_OK;
    }
    s->id[i] = f.id = s->ids++;
    f.address = address != 0 ? (int64_t)address : PROFILE_NONE;
    if (s->code.symbols != NULL && address != 0)
        mpj_symbols_function(s->code.symbols, address, &p);
    if (p.function != NULL) {
        f.name = p.function;
        f.copy = p.copy;
        f.file = p.file;
        f.line = p.line;
        f.kind = store_func_kind(&p);
    }
    return profile_func(m, MPJ_PROF_ENTRIES, &f);
}

static void add_calls(struct calls *of, const struct entry_call *c)
{
    of->rare += c->rare;
}

static int put_funcs(struct import *m)
{
    struct store_entries *const s = m->entries;
    const struct entry_graph *const g = &s->graph;
    int result = MPJ_E_OK;

    s->id = calloc(g->funcs + 1U, sizeof(*s->id));
    s->of = calloc(g->funcs + 1U, sizeof(*s->of));
    if (s->id == NULL || s->of == NULL)
        return mpj_err_nomem(m->err);
    for (uint32_t k = 0; k < g->calls; k++) {
        add_calls(&s->of[payer_of(g, g->call[k].from)], &g->call[k]);
        add_calls(&s->of[g->call[k].to], &g->call[k]);
        s->of[g->call[k].to].records += g->call[k].records;
    }
    for (uint32_t i = 0; i < g->funcs && result == MPJ_E_OK; i++)
        result = put_func(m, i);
    for (uint32_t i = 0; i < g->funcs && result == MPJ_E_OK; i++)
        result = put_error(m, i);
    for (size_t i = 0; i < s->count && result == MPJ_E_OK; i++)
        result = put_cost(m, &s->rec[i]);
    return result;
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
    int result;

    if (s == NULL || s->count == 0)
        return MPJ_E_OK;
    s->m = m;
    if (m->elf != NULL) /* without it names and callers are unknown */
        (void)mpj_symbols_open(&s->code.symbols, m->elf, &ignored);
    s->item[0] = "cycles";
    for (uint32_t i = 0; i < s->rec[0].count; i++) {
        const struct mpj_event_info *const e =
            mpj_event_find(MPJ_SOURCE_PMU, s->rec[0].ev[i].event);
        s->item[i + 1U] = e != NULL ? e->name : NULL;
    }
    result = make_graph(m);
    if (result == MPJ_E_OK)
        result = put_funcs(m);
    if (result == MPJ_E_OK)
        result = put_run(m);
    if (result == MPJ_E_OK)
        result = put_tree(m);
    return result == MPJ_E_OK ? put_calls(m) : result;
}

void store_entries_free(struct import *m)
{
    struct store_entries *const s = m->entries;

    if (s == NULL)
        return;
    entry_code_free(&s->code);
    entry_graph_free(&s->graph);
    entry_tails_free(&s->tails);
    free(s->id);
    free(s->of);
    free(s->rec);
    free(s->at);
    free(s);
    m->entries = NULL;
}
