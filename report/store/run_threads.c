/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread-level profile from the store. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/store.h"
#include "report_int.h"
#include "store/store_int.h"
#include "store/thread_fields.h"
#include "tile_board.h"

static const char *const wait_names[] = {
    "other",    "mutex",    "condition", "barrier",     "join",         "semaphore", "rwlock",
    "once",     "sleep",    "host",      "omp barrier", "omp critical", "omp lock",  "omp ordered",
    "omp task", "omp idle", "pipe",      "poll",        "queue",
};

const char *mpj_wait_name(uint32_t kind)
{
    return wait_names[kind < sizeof(wait_names) / sizeof(wait_names[0]) ? kind : 0];
}

bool mpj_wait_is_block(uint32_t kind)
{
    return kind != 8 && kind != 9 && kind != 15; /* sleep, host, idle pool thread */
}

struct mpj_bin mpj_thread_bin(const struct mpj_thread_result *t, unsigned index)
{
    return index < t->first_bin ? (struct mpj_bin){.run_s = 0} : t->bin[index - t->first_bin];
}

/* Appends one zeroed element after n of an array that only this function extends; NULL and an
 * error: out of memory. The capacity doubles: it is the least power of two that holds n. */
static void *grow(struct loader *l, void *array, unsigned n, size_t size)
{
    void *const more = (n & (n - 1U)) == 0 ? realloc(array, (n > 0 ? 2U * n : 1U) * size) : array;

    if (more == NULL)
        mpj_err_nomem(l->err);
    else
        memset((char *)more + n * size, 0, size);
    return more;
}

static int by_id(const void *id, const void *thread)
{
    const uint32_t a = *(const uint32_t *)id;
    const uint32_t b = ((const struct mpj_thread_result *)thread)->id;

    return (a > b) - (a < b);
}

/* Finds a thread; they were read in the order of their ids. */
struct mpj_thread_result *run_thread(const struct mpj_run *run, uint32_t id)
{
    return run->threads == 0 ? NULL
                             : bsearch(&id, run->thread, run->threads, sizeof(*run->thread), by_id);
}

static struct mpj_where where(sqlite3_stmt *s, int address, int function)
{
    return (struct mpj_where){(uint32_t)sqlite3_column_int64(s, address), mpj_sql_text(s, function),
                              mpj_sql_text(s, function + 1), sqlite3_column_int(s, function + 2)};
}

static double seconds(const struct loader *l, sqlite3_stmt *s, int i)
{
    return (double)sqlite3_column_int64(s, i) / l->run->time_hz;
}

/* Returns the name to show: the program's, or one from its start function. */
static char *name_of(const struct mpj_thread_result *t, char *given)
{
    char text[80];

    if (given != NULL && given[0] != '\0')
        return given;
    free(given);
    if (t->flags & MPJ_THREAD_MAIN || t->id == 1)
        return strdup("main");
    if (t->flags & MPJ_THREAD_POOL)
        snprintf(text, sizeof(text), "omp worker");
    else if (t->entry.function != NULL)
        snprintf(text, sizeof(text), "%s", t->entry.function);
    else
        snprintf(text, sizeof(text), "thread at 0x%08" PRIx32, t->entry.address);
    return strdup(text);
}

/* 0 id, parent, flags, entry, 4 function, file, line, 7 created, ended, name, 10 core0..., then the
 * fields of the table */
#define THREAD_CORES   10
#define THREAD_COLUMNS (THREAD_CORES + (int)MPJ_CORES_MAX)

static int on_thread(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_run *const run = l->run;
    struct mpj_thread_result *t = grow(l, run->thread, run->threads, sizeof(*t));
    int at = THREAD_COLUMNS;

    if (t == NULL)
        return l->err->code;
    run->thread = t;
    t = &run->thread[run->threads++];
    t->id = (uint32_t)sqlite3_column_int64(s, 0);
    t->parent = (uint32_t)sqlite3_column_int64(s, 1);
    t->flags = (uint32_t)sqlite3_column_int64(s, 2);
    t->entry = where(s, 3, 4);
    t->created_s = seconds(l, s, 7);
    t->life_s = seconds(l, s, 8);
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        t->core_run_s[k] = seconds(l, s, THREAD_CORES + (int)k);
    for (unsigned i = 0; i < thread_field_count; i++) {
        if (thread_fields[i].name != NULL)
            thread_field_set(&thread_fields[i], t, (uint64_t)sqlite3_column_int64(s, at++),
                             run->time_hz);
    }
    t->other_s = t->life_s - t->run_s - t->block_s - t->host_s;
    if (t->other_s < 0) /* remainder of the rounding of ticks */
        t->other_s = 0;
    run->threads_folded += t->folded;
    t->name = name_of(t, mpj_sql_text(s, 9));
    if (t->folded > 0 && t->name != NULL) {
        char *const one = t->name;

        if (asprintf(&t->name, "%" PRIu64 " %s", t->folded + 1U, one) < 0)
            t->name = NULL;
        free(one);
    }
    return t->name != NULL ? MPJ_E_OK : mpj_err_nomem(l->err);
}

static int load_threads(struct loader *l)
{
    struct mpj_sql_step step = {.row = on_thread};
    char *const columns = thread_field_list("t.", "", l->version);
    char *const cores = store_columns("t.core", MPJ_CORES_MAX, "");
    char *sql = NULL;
    int result;

    if (columns == NULL || cores == NULL ||
        asprintf(&sql,
                 "SELECT t.id, t.parent, t.flags, t.entry, a.function, a.file, a.line, "
                 "max(t.created - p.time_begin, 0), t.ended - max(t.created, p.time_begin), "
                 "t.name, %s, %s "
                 "FROM thread t JOIN pass p ON p.id = 0 LEFT JOIN place a ON a.address = t.entry "
                 "WHERE t.pass = 0 ORDER BY t.id",
                 cores, columns) < 0) {
        sql = NULL;
        result = mpj_err_nomem(l->err);
    } else {
        step.sql = sql;
        result = mpj_sql_steps(l->db, l->path, &step, 1, l, l->err);
    }
    free(columns);
    free(cores);
    free(sql);
    return result;
}

struct mpj_value *run_slot(const struct mpj_run *run, struct mpj_value *ev, int index)
{
    const unsigned column = run->column[index];

    return column > 0 && ev != NULL ? &ev[column - 1U] : NULL;
}

struct columns {
    struct loader *l;
    bool used[MPJ_RUN_EVENTS_MAX];
};

static int on_counted(void *ctx, sqlite3_stmt *s)
{
    struct columns *const c = ctx;
    const int i = run_event(c->l, s, 0);

    if (i < 0)
        return c->l->err->code;
    c->used[i] = true;
    return MPJ_E_OK;
}

/* Determines the events that threads and regions have counts of. */
static int load_columns(struct loader *l)
{
    static const struct mpj_sql_step step = {
        "SELECT event FROM thread_counter UNION SELECT event FROM region_counter", on_counted};
    struct columns c = {.l = l};

    if (mpj_sql_steps(l->db, l->path, &step, 1, &c, l->err) != MPJ_E_OK)
        return l->err->code;
    mpj_run_columns(l->run, c.used);
    return MPJ_E_OK;
}

/* Allocates counts for n threads or parts of regions, contiguously; NULL and MPJ_E_OK: no
 * columns. */
static int make_counts(const struct loader *l, size_t n, struct mpj_value **out)
{
    *out = n > 0 && l->run->columns > 0 ? calloc(n * l->run->columns, sizeof(**out)) : NULL;
    return *out != NULL || n == 0 || l->run->columns == 0 ? MPJ_E_OK : mpj_err_nomem(l->err);
}

static int make_thread_counts(struct loader *l)
{
    struct mpj_run *const run = l->run;

    if (make_counts(l, run->threads, &run->thread_ev) != MPJ_E_OK)
        return l->err->code;
    for (size_t i = 0; run->thread_ev != NULL && i < run->threads; i++)
        run->thread[i].ev = run->thread_ev + i * run->columns;
    return MPJ_E_OK;
}

/* Allocates counts with space for the serial part, at the end. */
static int make_part_counts(struct loader *l)
{
    struct mpj_run *const run = l->run;
    struct mpj_value *at;
    size_t parts = 1;

    for (unsigned i = 0; i < run->regions; i++)
        parts += run->region[i].parts;
    if (make_counts(l, parts, &run->part_ev) != MPJ_E_OK)
        return l->err->code;
    at = run->part_ev;
    for (unsigned i = 0; at != NULL && i < run->regions; i++) {
        for (unsigned k = 0; k < run->region[i].parts; k++, at += run->columns)
            run->region[i].part[k].ev = at;
    }
    l->serial_ev = at;
    return MPJ_E_OK;
}

/* Takes thread, event, value, active, run of the thread in that pass, its cycles, all threads',
 * pass. */
static int on_thread_counter(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    const struct mpj_thread_result *const t =
        run_thread(l->run, (uint32_t)sqlite3_column_int64(s, 0));
    const int i = run_event(l, s, 1);
    struct mpj_value *v;

    if (i < 0)
        return l->err->code;
    v = t != NULL ? run_slot(l->run, t->ev, i) : NULL;
    if (v == NULL || v->present)
        return MPJ_E_OK;
    *v = run_value((uint64_t)sqlite3_column_int64(s, 2), (double)sqlite3_column_int64(s, 3),
                   (double)sqlite3_column_int64(s, 4));
    v->pass = (unsigned)sqlite3_column_int64(s, 7);
    if (sqlite3_column_int64(s, 6) > 0)
        v->share = sqlite3_column_double(s, 5) / sqlite3_column_double(s, 6);
    return MPJ_E_OK;
}

/* Takes thread, kind, object, name, owner, caller, function, file, line, count, total, longest. */
static int on_wait(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_run *const run = l->run;
    struct mpj_wait_result *w = grow(l, run->wait, run->waits, sizeof(*w));

    if (w == NULL)
        return l->err->code;
    run->wait = w;
    w = &run->wait[run->waits++];
    w->thread = (uint32_t)sqlite3_column_int64(s, 0);
    w->kind = (uint32_t)sqlite3_column_int64(s, 1);
    w->object = (uint32_t)sqlite3_column_int64(s, 2);
    w->object_name = mpj_sql_text(s, 3);
    w->owner = (uint32_t)sqlite3_column_int64(s, 4);
    w->caller = where(s, 5, 6);
    w->count = (uint64_t)sqlite3_column_int64(s, 9);
    w->total_s = seconds(l, s, 10);
    w->longest_s = seconds(l, s, 11);
    return MPJ_E_OK;
}

static char *region_name(const struct mpj_where *fn)
{
    char text[300];
    const char *file;

    if (fn->address == 0)
        return strdup("serial");
    if (fn->file == NULL) {
        snprintf(text, sizeof(text), "0x%08" PRIx32, fn->address);
    } else {
        file = strrchr(fn->file, '/');
        snprintf(text, sizeof(text), "%s:%d", file != NULL ? file + 1 : fn->file, fn->line);
    }
    return strdup(text);
}

static struct mpj_region_result *add_region(struct loader *l, struct mpj_where fn)
{
    struct mpj_run *const run = l->run;
    struct mpj_region_result *g = grow(l, run->region, run->regions, sizeof(*g));

    if (g != NULL) {
        run->region = g;
        g = &run->region[run->regions++];
        g->fn = fn;
        g->name = region_name(&fn);
        if (g->name != NULL)
            return g;
        mpj_err_nomem(l->err);
    } else {
        free(fn.function);
        free(fn.file);
    }
    return NULL;
}

/* Takes 0 fn, 1 function, file, line, 4 thread, size, calls, 7 wall, run, barrier, 10 cycles, 11
 * caller, function, file, line, 15 host. Records of one construct, from all its callers, are
 * contiguous. */
static int on_region(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_run *const run = l->run;
    const uint32_t fn = (uint32_t)sqlite3_column_int64(s, 0);
    const uint32_t thread = (uint32_t)sqlite3_column_int64(s, 4);
    struct mpj_region_result *g = run->regions > 0 ? &run->region[run->regions - 1] : NULL;
    struct mpj_region_part *p;

    if (g == NULL || g->fn.address != fn) {
        g = add_region(l, where(s, 0, 1));
        if (g == NULL)
            return l->err->code;
        g->caller = where(s, 11, 12);
    }
    p = g->parts > 0 ? &g->part[g->parts - 1] : NULL;
    if (p == NULL || p->thread != thread) {
        p = grow(l, g->part, g->parts, sizeof(*p));
        if (p == NULL)
            return l->err->code;
        g->part = p;
        p = &g->part[g->parts++];
        p->thread = thread;
    }
    if ((uint32_t)sqlite3_column_int64(s, 5) > g->size)
        g->size = (uint32_t)sqlite3_column_int64(s, 5);
    p->calls += (uint64_t)sqlite3_column_int64(s, 6);
    p->run_s += seconds(l, s, 8);
    p->barrier_s += seconds(l, s, 9);
    p->host_s += seconds(l, s, 15);
    p->cycles += (uint64_t)sqlite3_column_int64(s, 10);
    g->run_s += seconds(l, s, 8);
    g->barrier_s += seconds(l, s, 9);
    g->host_s += seconds(l, s, 15);
    g->cycles += (uint64_t)sqlite3_column_int64(s, 10);
    if (g->parts == 1) {
        g->calls += (uint64_t)sqlite3_column_int64(s, 6);
        g->wall_s += seconds(l, s, 7);
    }
    return MPJ_E_OK;
}

static int by_function(const void *a, const void *b)
{
    const struct mpj_region_result *const x = *(struct mpj_region_result *const *)a;
    const struct mpj_region_result *const y = *(struct mpj_region_result *const *)b;

    return (x->fn.address > y->fn.address) - (x->fn.address < y->fn.address);
}

static int of_thread(const void *thread, const void *part)
{
    const uint32_t a = *(const uint32_t *)thread;
    const uint32_t b = ((const struct mpj_region_part *)part)->thread;

    return (a > b) - (a < b);
}

struct region_counts {
    struct loader *l;
    struct mpj_region_result **order; /* by function */
};

/* Takes fn, thread, event, value, active, run. */
static int on_region_counter(void *ctx, sqlite3_stmt *s)
{
    const struct region_counts *const c = ctx;
    const struct mpj_region_result key = {.fn.address = (uint32_t)sqlite3_column_int64(s, 0)};
    const struct mpj_region_result *const wanted = &key;
    const uint32_t thread = (uint32_t)sqlite3_column_int64(s, 1);
    const int e = run_event(c->l, s, 2);
    struct mpj_region_result *const *g;
    const struct mpj_region_part *p;
    struct mpj_value *v;

    if (e < 0)
        return c->l->err->code;
    g = bsearch(&wanted, c->order, c->l->run->regions, sizeof(struct mpj_region_result *),
                by_function);
    p = g == NULL ? NULL : bsearch(&thread, (*g)->part, (*g)->parts, sizeof(*p), of_thread);
    v = p != NULL ? run_slot(c->l->run, p->ev, e) : NULL;
    if (v != NULL)
        *v = run_value((uint64_t)sqlite3_column_int64(s, 3), (double)sqlite3_column_int64(s, 4),
                       (double)sqlite3_column_int64(s, 5));
    return MPJ_E_OK;
}

static int load_region_counts(struct loader *l)
{
    static const struct mpj_sql_step step = {
        "SELECT g.fn, g.thread, c.event, sum(c.value), sum(c.active), sum(g.run) "
        "FROM region_counter c JOIN region g ON g.pass = c.pass AND g.seq = c.seq "
        "GROUP BY g.pass, g.fn, g.thread, c.event ORDER BY g.pass DESC",
        on_region_counter};
    struct mpj_run *const run = l->run;
    struct region_counts c = {l, NULL};
    int result;

    if (run->regions == 0)
        return MPJ_E_OK;
    c.order = malloc(run->regions * sizeof(struct mpj_region_result *));
    if (c.order == NULL)
        return mpj_err_nomem(l->err);
    for (unsigned i = 0; i < run->regions; i++)
        c.order[i] = &run->region[i];
    qsort(c.order, run->regions, sizeof(struct mpj_region_result *), by_function);
    result = mpj_sql_steps(l->db, l->path, &step, 1, &c, l->err);
    free(c.order);
    return result;
}

/* Takes thread, bin, width, run, block, host. */
static int on_bin(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_thread_result *const t = run_thread(l->run, (uint32_t)sqlite3_column_int64(s, 0));
    const int64_t bin = sqlite3_column_int64(s, 1);
    struct mpj_bin *more;

    if (t == NULL || bin < 0 || bin >= 65536)
        return MPJ_E_OK;
    if (t->bins == 0)
        t->first_bin = t->bins = (unsigned)bin;
    if ((unsigned)bin >= t->bins) { /* they are in ascending order */
        const size_t had = t->bins - t->first_bin;
        const size_t n = (unsigned)bin + 1U - t->first_bin;
        more = realloc(t->bin, n * sizeof(*more));
        if (more == NULL)
            return mpj_err_nomem(l->err);
        t->bin = more;
        memset(more + had, 0, (n - had) * sizeof(*more));
        t->bins = (unsigned)bin + 1U;
    }
    t->bin_s = seconds(l, s, 2);
    t->bin[(unsigned)bin - t->first_bin] =
        (struct mpj_bin){(float)seconds(l, s, 3), (float)seconds(l, s, 4), (float)seconds(l, s, 5)};
    return MPJ_E_OK;
}

static int on_parallel(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    const int k = sqlite3_column_int(s, 0);

    if (k >= 0 && k <= (int)MPJ_CORES_MAX) {
        l->run->have_parallel = true;
        l->run->parallel_s[k] = seconds(l, s, 1);
    }
    return MPJ_E_OK;
}

static int on_memory(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;

    l->run->have_memory = true;
    l->run->heap_peak = (uint64_t)sqlite3_column_int64(s, 0);
    l->run->heap_end = (uint64_t)sqlite3_column_int64(s, 1);
    l->run->heap_room = (uint64_t)sqlite3_column_int64(s, 2);
    return MPJ_E_OK;
}

/* True if forked from the body of another construct, whose own time and counts then include it. A
 * construct forked by a function that a body calls is not recognised. */
static bool inner(const struct mpj_region_result *g)
{
    return g->caller.function != NULL && strstr(g->caller.function, "._omp_fn.") != NULL;
}

/* Adds the serial part: the first thread's activity outside the constructs. */
static int add_serial(struct loader *l)
{
    struct mpj_run *const run = l->run;
    const struct mpj_thread_result *const first = run->threads > 0 ? &run->thread[0] : NULL;
    const struct mpj_where none = {0};
    struct mpj_region_part part = {.calls = 1};
    struct mpj_region_result *g;
    struct mpj_region_result serial;
    double wall = run->time_s;

    if (run->regions == 0 || first == NULL || run->region[0].fn.address == 0)
        return MPJ_E_OK;
    part.thread = first->id;
    part.run_s = first->run_s;
    part.host_s = first->host_s;
    part.cycles = first->cycles;
    part.ev = l->serial_ev;
    if (part.ev != NULL)
        memcpy(part.ev, first->ev, run->columns * sizeof(*part.ev));
    for (unsigned i = 0; i < run->regions; i++) {
        g = &run->region[i];
        if (inner(g))
            continue;
        for (unsigned k = 0; k < g->parts; k++) {
            const struct mpj_region_part *const p = &g->part[k];
            if (p->thread != first->id)
                continue;
            part.run_s -= p->run_s;
            part.host_s -= p->host_s;
            part.cycles -= p->cycles < part.cycles ? p->cycles : part.cycles;
            for (unsigned e = 0; part.ev != NULL && e < run->columns; e++) {
                if (!part.ev[e].present || !p->ev[e].present)
                    part.ev[e].present = false;
                else
                    part.ev[e].value -=
                        p->ev[e].value < part.ev[e].value ? p->ev[e].value : part.ev[e].value;
            }
        }
        wall -= g->wall_s;
    }
    g = add_region(l, none);
    if (g == NULL)
        return l->err->code;
    g->part = malloc(sizeof(part));
    if (g->part == NULL)
        return mpj_err_nomem(l->err);
    if (part.run_s < 0)
        part.run_s = 0;
    if (part.host_s < 0)
        part.host_s = 0;
    *g->part = part;
    g->parts = 1;
    g->size = 1;
    g->calls = 1;
    g->run_s = part.run_s;
    g->host_s = part.host_s;
    g->cycles = part.cycles;
    g->wall_s = wall > 0 ? wall : 0;
    serial = *g;
    memmove(run->region + 1, run->region, (run->regions - 1) * sizeof(*run->region));
    run->region[0] = serial;
    return MPJ_E_OK;
}

/* Regions and timelines; stores have host time since version 4. */
#define REGIONS(host)                                                                              \
    "SELECT g.fn, a.function, a.file, a.line, g.thread, g.size, g.calls, g.wall, g.run, "          \
    "g.barrier, g.cycles, g.caller, c.function, c.file, c.line, " host " FROM region g "           \
    "JOIN (SELECT fn, min(seq) AS came FROM region WHERE pass = 0 GROUP BY fn) f "                 \
    "ON f.fn = g.fn "                                                                              \
    "LEFT JOIN place a ON a.address = g.fn LEFT JOIN place c ON c.address = g.caller "             \
    "WHERE g.pass = 0 ORDER BY f.came, g.thread, g.seq"
#define BINS(host)                                                                                 \
    "SELECT thread, bin, width, run, block, " host " FROM timeline WHERE pass = 0 "                \
    "ORDER BY thread, bin"

static int load_parts(struct loader *l)
{
    static const struct mpj_sql_step steps[] = {{REGIONS("g.host"), on_region},
                                                {BINS("host"), on_bin}};
    static const struct mpj_sql_step until_3[] = {{REGIONS("0"), on_region}, {BINS("0"), on_bin}};

    return mpj_sql_steps(l->db, l->path, l->version >= MPJ_STORE_PROFILE ? steps : until_3, 2, l,
                         l->err);
}

static int load_memory(struct loader *l)
{
    static const struct mpj_sql_step step = {
        "SELECT heap_peak, heap_end, heap_room FROM memory WHERE pass = 0", on_memory};

    return l->version >= MPJ_STORE_MEMORY ? mpj_sql_steps(l->db, l->path, &step, 1, l, l->err)
                                          : MPJ_E_OK;
}

int run_load_threads(struct loader *l)
{
    static const struct mpj_sql_step steps[] = {
        {"SELECT c.thread, c.event, c.value, c.active, t.run, t.cycles, a.cycles, c.pass "
         "FROM thread_counter c JOIN thread t ON t.pass = c.pass AND t.id = c.thread "
         "JOIN (SELECT pass, sum(cycles) AS cycles FROM thread GROUP BY pass) a ON a.pass = c.pass "
         "ORDER BY c.pass, c.thread, c.event",
         on_thread_counter},
        {"SELECT w.thread, w.kind, w.object, o.function, w.owner, w.caller, a.function, a.file, "
         "a.line, w.count, w.total, w.longest FROM wait w "
         "LEFT JOIN place a ON a.address = w.caller LEFT JOIN place o ON o.address = w.object "
         "WHERE w.pass = 0 ORDER BY w.total DESC, w.seq",
         on_wait},
        {"SELECT cores, ticks FROM parallel WHERE pass = 0 ORDER BY cores", on_parallel},
    };
    struct mpj_run *const run = l->run;

    if (run->time_hz == 0)
        return MPJ_E_OK; /* the target never sent a frame */
    if (load_columns(l) != MPJ_E_OK || load_threads(l) != MPJ_E_OK ||
        make_thread_counts(l) != MPJ_E_OK ||
        mpj_sql_steps(l->db, l->path, steps, sizeof(steps) / sizeof(steps[0]), l, l->err) !=
            MPJ_E_OK ||
        load_parts(l) != MPJ_E_OK || make_part_counts(l) != MPJ_E_OK ||
        load_region_counts(l) != MPJ_E_OK || load_memory(l) != MPJ_E_OK)
        return l->err->code;
    for (unsigned i = 0; i < run->regions; i++) {
        struct mpj_region_result *const g = &run->region[i];
        const double room = g->wall_s * g->parts;
        g->imbalance = room > 0 ? g->barrier_s / room : 0.0;
    }
    return add_serial(l);
}

/*
 * Distributes measured energy over threads and regions by their time on cores: a busy core weighs
 * 1, a waiting one TILE_WAITING_WEIGHT, so that a thread on one core gets a quarter of the constant
 * part. A model is more exact: mpj_model_apply() replaces these figures.
 */
void run_attribute(struct mpj_run *run)
{
    double busy = 0.0;
    double all;
    double each; /* uJ per second of a busy core; NAN: unknown */

    for (unsigned i = 0; i < run->threads; i++)
        busy += run->thread[i].run_s;
    all = run->cores * run->time_s - busy;
    all = busy + TILE_WAITING_WEIGHT * (all > 0 ? all : 0);
    each = run->have_adc && all > 0 ? run->processor.energy_uj / all : NAN;
    run->idle_energy_uj = run->have_adc ? run->processor.energy_uj : NAN;
    for (unsigned i = 0; i < run->threads; i++) {
        run->thread[i].energy_uj = each * run->thread[i].run_s;
        run->idle_energy_uj -= run->thread[i].energy_uj;
    }
    for (unsigned i = 0; i < run->regions; i++) {
        struct mpj_region_result *const g = &run->region[i];
        for (unsigned k = 0; k < g->parts; k++) {
            g->part[k].energy_uj = each * g->part[k].run_s;
            g->energy_uj += g->part[k].energy_uj;
        }
    }
}

static void free_where(struct mpj_where *w)
{
    free(w->function);
    free(w->file);
}

void run_free_threads(struct mpj_run *run)
{
    for (unsigned i = 0; i < run->threads; i++) {
        free_where(&run->thread[i].entry);
        free(run->thread[i].name);
        free(run->thread[i].bin);
    }
    for (unsigned i = 0; i < run->waits; i++) {
        free_where(&run->wait[i].caller);
        free(run->wait[i].object_name);
    }
    for (unsigned i = 0; i < run->regions; i++) {
        free_where(&run->region[i].fn);
        free_where(&run->region[i].caller);
        free(run->region[i].name);
        free(run->region[i].part);
    }
    free(run->thread_ev);
    free(run->part_ev);
    free(run->thread);
    free(run->wait);
    free(run->region);
}
