/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile of functions, read from its store. */
#include "report/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_events.h"
#include "report/store.h"
#include "report_int.h"
#include "store/profile_fold.h"
#include "store/profile_int.h"

#define CAUSE "fj:"

static const char *const source_names[MPJ_PROF_SOURCES] = {"truth", "entries", "samples"};

struct reading {
    sqlite3 *db;
    const char *path;
    struct mpj_profile *p;
    uint32_t *func_id, *node_id; /* ascending, as in the store */
    size_t funcs, nodes;         /* of the store */
    struct fold fold;
    uint32_t *place; /* in preorder, of a node by its index */
    size_t room, node_room;
    unsigned version;
    struct mpj_err *err;
};

const char *mpj_profile_source_name(enum mpj_prof_source source)
{
    return source < MPJ_PROF_SOURCES ? source_names[source] : "";
}

int mpj_profile_source_find(const char *name)
{
    for (int i = 0; i < MPJ_PROF_SOURCES; i++) {
        if (strcmp(name, source_names[i]) == 0)
            return i;
    }
    return -1;
}

static int item_named(const struct mpj_profile *p, const char *name)
{
    for (unsigned i = 0; i < p->items; i++) {
        if (strcmp(p->item[i].name, name) == 0)
            return (int)i;
    }
    return MPJ_PROF_NONE;
}

int mpj_profile_item(const struct mpj_profile *p, const char *name)
{
    return item_named(p, strcmp(name, "energy") == 0 ? "energy_fj"
                         : strcmp(name, "time") == 0 ? "cycles"
                                                     : name);
}

static int no_memory(struct reading *r)
{
    return mpj_err_nomem(r->err);
}

/* Returns the array with space for one more element, grown by doubling; NULL: out of memory, and it
 * is unchanged. */
static void *grown(void *array, size_t used, size_t *room, size_t size)
{
    const size_t more = *room > 0 ? 2 * *room : 64;

    if (used < *room)
        return array;
    array = realloc(array, more * size);
    if (array != NULL)
        *room = more;
    return array;
}

static int by_id(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Returns the number of an id, which exists: see check.c. */
static uint32_t number_of(const uint32_t *ids, size_t n, uint32_t id)
{
    const uint32_t *const at = bsearch(&id, ids, n, sizeof(id), by_id);

    return at != NULL ? (uint32_t)(at - ids) : 0;
}

static int64_t or_none(sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL ? MPJ_PROF_NONE
                                                         : sqlite3_column_int64(s, column);
}

static int ask(struct reading *r, const char *what, mpj_sql_row *row)
{
    char sql[400];
    const struct mpj_sql_step step = {sql, row};

    snprintf(sql, sizeof(sql), what, (int)r->p->source, (int)r->p->source);
    r->room = 0;
    return mpj_sql_steps(r->db, r->path, &step, 1, r, r->err);
}

/* ---- rows --------------------------------------------------------------------------- */

static int on_source(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;

    r->p->source = (enum mpj_prof_source)sqlite3_column_int(s, 0);
    return MPJ_E_OK;
}

static int on_clock(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;

    r->p->clock_hz = (uint32_t)sqlite3_column_int64(s, 0);
    return MPJ_E_OK;
}

static int on_func(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;
    struct mpj_profile *const p = r->p;
    size_t room = r->room;
    uint32_t *const ids = grown(r->func_id, p->funcs, &room, sizeof(*ids));
    struct mpj_prof_func *f;

    if (ids == NULL)
        return no_memory(r);
    r->func_id = ids;
    f = grown(p->func, p->funcs, &r->room, sizeof(*f));
    if (f == NULL)
        return no_memory(r);
    p->func = f;
    r->func_id[p->funcs] = (uint32_t)sqlite3_column_int64(s, 0);
    f = &p->func[p->funcs++];
    *f = (struct mpj_prof_func){.name = mpj_sql_text(s, 1),
                                .file = mpj_sql_text(s, 2),
                                .line = sqlite3_column_int(s, 3),
                                .address = or_none(s, 4),
                                .kind = (enum mpj_prof_kind)sqlite3_column_int(s, 5)};
    r->funcs++;
    return f->name != NULL ? MPJ_E_OK : no_memory(r);
}

static int on_node(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;
    struct mpj_profile *const p = r->p;
    uint32_t *const ids = grown(r->node_id, r->nodes, &r->room, sizeof(*ids));
    struct mpj_prof_node *n;
    uint32_t func;

    if (ids == NULL)
        return no_memory(r);
    r->node_id = ids;
    n = grown(p->node, p->nodes, &r->node_room, sizeof(*n));
    if (n == NULL)
        return no_memory(r);
    p->node = n;
    r->node_id[r->nodes] = (uint32_t)sqlite3_column_int64(s, 0);
    n = &p->node[p->nodes];
    *n = (struct mpj_prof_node){.parent = MPJ_PROF_NO_PARENT,
                                .thread = or_none(s, 3),
                                .core = or_none(s, 4),
                                .region = or_none(s, 5),
                                .calls = (uint64_t)sqlite3_column_int64(s, 6)};
    if (sqlite3_column_type(s, 1) != SQLITE_NULL)
        n->parent =
            r->fold.node[number_of(r->node_id, r->nodes, (uint32_t)sqlite3_column_int64(s, 1))];
    func = number_of(r->func_id, r->funcs, (uint32_t)sqlite3_column_int64(s, 2));
    r->nodes++;
    return fold_node(&r->fold, p, func) ? MPJ_E_OK : no_memory(r);
}

static int on_item(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;
    struct mpj_profile *const p = r->p;
    struct mpj_prof_item *const item = grown(p->item, p->items, &r->room, sizeof(*item));

    if (item == NULL)
        return no_memory(r);
    p->item = item;
    p->item[p->items].unit = "";
    p->item[p->items].name = mpj_sql_text(s, 0);
    if (p->item[p->items++].name == NULL)
        return no_memory(r);
    /* costs are found by it */
    return strcmp(p->item[p->items - 1U].name, (const char *)sqlite3_column_text(s, 0)) == 0
               ? MPJ_E_OK
               : mpj_err_set(r->err, MPJ_E_STORE,
                             "the profile in %s has a figure whose name is not plain text",
                             r->path);
}

static int on_cost(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;
    struct mpj_profile *const p = r->p;
    const uint32_t id = (uint32_t)sqlite3_column_int64(s, 0);
    const int item = item_named(p, (const char *)sqlite3_column_text(s, 1));

    p->self[(size_t)r->place[r->fold.node[number_of(r->node_id, r->nodes, id)]] * p->items +
            (size_t)item] += sqlite3_column_int64(s, 2);
    return MPJ_E_OK;
}

static int on_chip(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;
    const int item = item_named(r->p, (const char *)sqlite3_column_text(s, 0));

    r->p->chip[item] = sqlite3_column_int64(s, 1);
    return MPJ_E_OK;
}

static int on_error(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;
    const uint32_t id = (uint32_t)sqlite3_column_int64(s, 0);
    struct mpj_prof_func *const f = &r->p->func[r->fold.func[number_of(r->func_id, r->funcs, id)]];

    f->has_error = true;
    f->records += (uint64_t)sqlite3_column_int64(s, 1);
    f->self_error = hypot(f->self_error, sqlite3_column_double(s, 2));
    f->total_error = hypot(f->total_error, sqlite3_column_double(s, 3));
    return MPJ_E_OK;
}

static int on_tree(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;

    r->p->lost = (uint64_t)sqlite3_column_int64(s, 0);
    r->p->merged = sqlite3_column_int(s, 1) != 0;
    return MPJ_E_OK;
}

static int on_version(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;

    r->version = (unsigned)sqlite3_column_int(s, 0);
    return MPJ_E_OK;
}

/* Computes the share of the cycles whose callers are not known. */
static void share_merged(struct mpj_profile *p)
{
    int64_t cycles = 0;

    for (uint32_t i = 0; i < p->nodes && p->cycles >= 0; i++) {
        if (strcmp(p->func[p->node[i].func].name, MPJ_PROF_OTHERS) == 0)
            cycles += p->total[(size_t)i * p->items + (unsigned)p->cycles];
    }
    if (cycles > 0)
        p->merged_share = (double)cycles / (double)p->sum[p->cycles];
}

/* Reads how exact the profile is. */
static int read_exactness(struct reading *r)
{
    int result = ask(r, "PRAGMA user_version", on_version);

    if (result != MPJ_E_OK || r->version < MPJ_STORE_ERRORS)
        return result;
    result = ask(r, "SELECT lost, merged FROM prof_tree WHERE pass = 0 AND source = %d", on_tree);
    if (result != MPJ_E_OK)
        return result;
    return ask(
        r,
        "SELECT e.func, records, self, total FROM prof_error e JOIN prof_func f ON f.pass = "
        "e.pass AND f.source = e.source AND f.id = e.func WHERE e.pass = 0 AND e.source = %d",
        on_error);
}

/* ---- items ------------------------------------------------------------------------- */

/* Returns the rank of an item: cycles, energy, samples; events in the order of their table; others;
 * causes. */
static int rank(const char *name)
{
    static const char *const first[] = {"cycles", "energy_fj", "samples"};
    const int event = mpj_event_index(name);

    for (int i = 0; i < 3; i++) {
        if (strcmp(name, first[i]) == 0)
            return i;
    }
    if (event >= 0)
        return 10 + event;
    return strncmp(name, CAUSE, strlen(CAUSE)) == 0 ? 2000 : 1000;
}

static int by_rank(const void *a, const void *b)
{
    const struct mpj_prof_item *const x = a;
    const struct mpj_prof_item *const y = b;
    const int d = rank(x->name) - rank(y->name);

    return d != 0 ? d : strcmp(x->name, y->name);
}

static void name_items(struct mpj_profile *p)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    if (p->items > 0)
        qsort(p->item, p->items, sizeof(*p->item), by_rank);
    p->first_cause = p->items;
    for (unsigned i = p->items; i-- > 0;) {
        struct mpj_prof_item *const item = &p->item[i];
        const int event = mpj_event_index(item->name);
        if (strncmp(item->name, CAUSE, strlen(CAUSE)) == 0)
            p->first_cause = i;
        if (event >= 0)
            item->unit = table[event].unit;
        else if (strstr(item->name, "cycles") != NULL)
            item->unit = "cycles";
        else if (strcmp(item->name, "samples") == 0)
            item->unit = "samples";
        else if (i >= p->first_cause || strcmp(item->name, "energy_fj") == 0)
            item->unit = "fJ";
    }
    p->cycles = mpj_profile_item(p, "cycles");
    p->energy = mpj_profile_item(p, "energy_fj");
    p->samples = mpj_profile_item(p, "samples");
}

/* ---- the tree ---------------------------------------------------------------------- */

/*
 * Sorts nodes into preorder, siblings in the order of their ids. A subtree's size is known once its
 * later nodes are; a node's place follows the subtrees of its earlier siblings.
 */
static int put_in_order(struct reading *r)
{
    struct mpj_profile *const p = r->p;
    struct mpj_prof_node *const sorted = calloc(p->nodes + 1, sizeof(*sorted));
    uint32_t *const size = calloc(p->nodes + 1, sizeof(*size));
    uint32_t *const next = calloc(p->nodes + 1, sizeof(*next)); /* place of the next child */
    uint32_t top = 0;

    r->place = calloc(p->nodes + 1, sizeof(*r->place));
    if (sorted == NULL || size == NULL || next == NULL || r->place == NULL) {
        free(sorted);
        free(size);
        free(next);
        return no_memory(r);
    }
    for (uint32_t i = p->nodes; i-- > 0;) {
        size[i]++;
        if (p->node[i].parent != MPJ_PROF_NO_PARENT)
            size[p->node[i].parent] += size[i];
    }
    for (uint32_t i = 0; i < p->nodes; i++) {
        const uint32_t up = p->node[i].parent;
        uint32_t *const at = up == MPJ_PROF_NO_PARENT ? &top : &next[up];
        struct mpj_prof_node *const n = &sorted[*at];
        r->place[i] = *at;
        next[i] = *at + 1;
        *n = p->node[i];
        n->end = *at + size[i];
        n->parent = up == MPJ_PROF_NO_PARENT ? up : r->place[up];
        n->depth = up == MPJ_PROF_NO_PARENT ? 0 : sorted[n->parent].depth + 1;
        *at += size[i];
    }
    free(p->node);
    p->node = sorted;
    free(size);
    free(next);
    return MPJ_E_OK;
}

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* True if the figures of an item, for any subset of the nodes, sum up within an int64_t. */
static bool adds_up(const struct mpj_profile *p, unsigned item)
{
    uint64_t room = (uint64_t)INT64_MAX;

    if (magnitude(p->chip[item]) > room)
        return false;
    room -= magnitude(p->chip[item]);
    for (size_t i = 0; i < p->nodes; i++) {
        const uint64_t v = magnitude(p->self[i * p->items + item]);
        if (v > room)
            return false;
        room -= v;
    }
    return true;
}

void profile_add_up(struct mpj_profile *p)
{
    const size_t items = p->items;

    memcpy(p->total, p->self, p->nodes * items * sizeof(*p->total));
    memset(p->sum, 0, items * sizeof(*p->sum));
    for (uint32_t i = p->nodes; i-- > 0;) {
        const uint32_t up = p->node[i].parent;
        int64_t *const to = up == MPJ_PROF_NO_PARENT ? p->sum : p->total + up * items;
        for (size_t k = 0; k < items; k++)
            to[k] += p->total[i * items + k];
    }
}

static int read_costs(struct reading *r)
{
    struct mpj_profile *const p = r->p;
    const size_t cells = (size_t)p->nodes * p->items;

    if (cells > MPJ_PROF_CELLS_MAX)
        return mpj_err_set(r->err, MPJ_E_STORE,
                           "the profile in %s is too large to show: %u call paths with %u figures "
                           "each; the limit is %u figures (query its tables with sqlite3, or "
                           "profile fewer functions)",
                           r->path, (unsigned)p->nodes, p->items, MPJ_PROF_CELLS_MAX);
    p->self = calloc(cells + 1, sizeof(*p->self));
    p->total = calloc(cells + 1, sizeof(*p->total));
    p->chip = calloc(p->items + 1, sizeof(*p->chip));
    p->sum = calloc(p->items + 1, sizeof(*p->sum));
    if (p->self == NULL || p->total == NULL || p->chip == NULL || p->sum == NULL)
        return no_memory(r);
    if (ask(r, "SELECT node, item, value FROM prof_cost WHERE pass = 0 AND source = %d", on_cost) !=
            MPJ_E_OK ||
        ask(r, "SELECT item, value FROM prof_chip WHERE pass = 0 AND source = %d", on_chip) !=
            MPJ_E_OK)
        return r->err->code;
    for (unsigned i = 0; i < p->items; i++) {
        if (!adds_up(p, i))
            return mpj_err_set(r->err, MPJ_E_STORE,
                               "%s is damaged: its profile of %s adds up to more than can be",
                               r->path, p->item[i].name);
    }
    profile_add_up(p);
    return MPJ_E_OK;
}

static int read_profile(struct reading *r)
{
    if (ask(r, "SELECT clock_hz FROM pass WHERE id = 0", on_clock) != MPJ_E_OK ||
        ask(r,
            "SELECT id, name, file, line, address, kind FROM prof_func "
            "WHERE pass = 0 AND source = %d ORDER BY id",
            on_func) != MPJ_E_OK)
        return r->err->code;
    if (!fold_functions(&r->fold, r->p))
        return no_memory(r);
    if (ask(r,
            "SELECT id, parent, func, thread, core, region, calls FROM prof_node "
            "WHERE pass = 0 AND source = %d ORDER BY id",
            on_node) != MPJ_E_OK ||
        ask(r,
            "SELECT item FROM prof_cost WHERE pass = 0 AND source = %d UNION "
            "SELECT item FROM prof_chip WHERE pass = 0 AND source = %d",
            on_item) != MPJ_E_OK)
        return r->err->code;
    name_items(r->p);
    if (put_in_order(r) != MPJ_E_OK)
        return r->err->code;
    if (read_costs(r) != MPJ_E_OK || read_exactness(r) != MPJ_E_OK)
        return r->err->code;
    if (r->p->merged)
        share_merged(r->p);
    profile_set_note(r->p);
    return MPJ_E_OK;
}

int profile_read(struct mpj_profile **out, sqlite3 *db, const char *path,
                 enum mpj_prof_source source, struct mpj_err *err)
{
    struct reading r = {.db = db, .path = path, .err = err};
    char sql[200];
    const struct mpj_sql_step step = {sql, on_source};
    int result;

    *out = NULL;
    r.p = calloc(1, sizeof(*r.p));
    if (r.p == NULL)
        return no_memory(&r);
    r.p->source = MPJ_PROF_SOURCES;
    snprintf(sql, sizeof(sql),
             "SELECT source FROM prof_node WHERE pass = 0 AND (source = %d OR %d = %d) "
             "ORDER BY source LIMIT 1",
             (int)source, (int)source, (int)MPJ_PROF_SOURCES);
    result = mpj_sql_steps(db, path, &step, 1, &r, err);
    if (result == MPJ_E_OK && r.p->source != MPJ_PROF_SOURCES)
        result = read_profile(&r);
    if (result == MPJ_E_OK && r.p->source != MPJ_PROF_SOURCES)
        *out = r.p;
    else
        mpj_profile_free(r.p);
    fold_free(&r.fold);
    free(r.func_id);
    free(r.node_id);
    free(r.place);
    return result;
}

int mpj_profile_load(struct mpj_profile **out, const char *store, enum mpj_prof_source source,
                     struct mpj_err *err)
{
    sqlite3 *db = NULL;
    unsigned version = 0;
    int result = run_store_open(&db, store, &version, err);

    *out = NULL;
    if (result == MPJ_E_OK && version >= MPJ_STORE_PROFILE)
        result = profile_read(out, db, store, source, err);
    sqlite3_close(db);
    return result;
}

void mpj_profile_free(struct mpj_profile *p)
{
    if (p == NULL)
        return;
    for (unsigned i = 0; i < p->items; i++)
        free(p->item[i].name);
    for (unsigned i = 0; i < p->funcs; i++)
        profile_func_free(&p->func[i]);
    free(p->item);
    free(p->func);
    free(p->node);
    free(p->self);
    free(p->total);
    free(p->chip);
    free(p->sum);
    free(p);
}
