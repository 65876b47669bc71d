/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The emulator's profile (docs/profile-file.md) as tables: nodes, costs, names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols.h"
#include "store/profile_bytes.h"
#include "store/profile_inline.h"
#include "store/profile_put.h"

#define VERSION   1U
#define PSEUDO    0xffffff00U /* above: no addresses */
#define ROOT      0xffffff00U
#define OTHERS    0xffffff01U
#define EXCEPTION 0xffffff80U

struct node {
    uint32_t parent; /* by number from 1; 0: no parent */
    uint32_t address, thread, core, func;
    int64_t region;
    uint64_t calls;
    bool told;    /* it has a row in the store */
    uint32_t row; /* the nearest node at or above it that has a row; 0: no such node */
};

struct profile {
    struct import *m;
    struct mpj_symbols *symbols; /* NULL: not available */
    struct node *node;           /* from 1 */
    size_t nodes;
    uint32_t *address; /* of the functions, ascending */
    size_t functions;
    int64_t *region; /* addresses of the regions' bodies */
    size_t regions;
    const char *item[PROFILE_ITEMS_MAX], *chip_item[PROFILE_ITEMS_MAX],
        *insn_item[PROFILE_ITEMS_MAX];
    struct inlines inlines; /* where there are instructions */
    uint32_t rows;          /* nodes in the store: those of inlined parts follow the others */
};

/* ---- functions -------------------------------------------------------------- */

static const char *pseudo_name(uint32_t address)
{
    static const char *const vector[] = {"(reset)",          "(undefined)",     "(supervisor call)",
                                         "(prefetch abort)", "(data abort)",    "(vector 5)",
                                         "(interrupt)",      "(fast interrupt)"};

    if (address == ROOT)
        return "(start)";
    return address == OTHERS ? MPJ_PROF_OTHERS : vector[(address - EXCEPTION) / 4 % 8];
}

static int put_function(const struct profile *p, uint32_t id)
{
    const uint32_t address = p->address[id];
    char unknown[24];
    struct profile_func f = {.id = id, .name = unknown, .address = address};
    struct mpj_place place = {.function = NULL};

    snprintf(unknown, sizeof(unknown), "0x%08x", (unsigned)address);
    if (address >= PSEUDO) {
        f.address = PROFILE_NONE;
        f.name = pseudo_name(address);
        f.kind = address >= EXCEPTION ? MPJ_FUNC_INTERRUPT : MPJ_FUNC_UNKNOWN;
        return profile_func(p->m, MPJ_PROF_TRUTH, &f);
    }
    f.kind = MPJ_FUNC_UNKNOWN;
    if (p->symbols != NULL)
        mpj_symbols_function(p->symbols, address, &place);
    if (p->symbols != NULL && place.function == NULL) /* assembly without sizes */
        place.function = mpj_symbols_start(p->symbols, address);
    if (place.function != NULL) {
        f.name = place.function;
        f.copy = place.copy;
        f.file = place.file;
        f.line = place.file != NULL ? place.line : 0;
        f.kind = store_func_kind(&place);
    }
    return profile_func(p->m, MPJ_PROF_TRUTH, &f);
}

static int by_address(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static int put_functions(struct profile *p)
{
    size_t n = 0;
    int result = MPJ_E_OK;

    for (size_t i = 0; i < p->nodes; i++)
        p->address[i] = p->node[i + 1].address;
    qsort(p->address, p->nodes, sizeof(*p->address), by_address);
    for (size_t i = 0; i < p->nodes; i++) {
        if (n == 0 || p->address[n - 1] != p->address[i])
            p->address[n++] = p->address[i];
    }
    p->functions = n;
    for (uint32_t id = 0; id < n && result == MPJ_E_OK; id++)
        result = put_function(p, id);
    for (size_t i = 1; i <= p->nodes; i++) {
        const uint32_t *const at =
            bsearch(&p->node[i].address, p->address, n, sizeof(*p->address), by_address);
        p->node[i].func = (uint32_t)(at - p->address);
    }
    return result;
}

/* Skips the items of a node. */
static void skip_items(struct profile_bytes *b)
{
    (void)profile_take(b, 8U * (unsigned)__builtin_popcountll(profile_take(b, 8)));
}

/* ---- inlined functions -------------------------------------------------------- */

/* Reads inlining for the program's own functions: the internals of libraries are of no use to a
 * user. */
static int read_inlines(struct profile *p, struct profile_bytes b)
{
    while (p->symbols != NULL && b.at < b.end) {
        const uint32_t address = (uint32_t)profile_take(&b, 4);
        struct mpj_place place;
        (void)profile_take(&b, 4);
        const uint64_t executions = profile_take(&b, 8);
        const uint64_t cycles = profile_take(&b, 8);
        skip_items(&b);
        mpj_symbols_lookup(p->symbols, address, &place);
        if (place.function == NULL || store_func_kind(&place) != MPJ_FUNC_PROGRAM)
            continue;
        if (!inlines_add(&p->inlines, p->symbols, address - place.offset, address, executions,
                         cycles))
            return mpj_err_nomem(p->m->err);
    }
    return MPJ_E_OK;
}

/* A part, for sorting. */
struct sorted {
    struct inline_part *part;
};

/* Sorts by name and place: inlined functions that are the same are neighbours. */
static int by_inlined(const void *a, const void *b)
{
    const struct inline_part *const x = ((const struct sorted *)a)->part;
    const struct inline_part *const y = ((const struct sorted *)b)->part;
    int d = strcmp(x->name, y->name);

    if (d == 0)
        d = strcmp(x->file != NULL ? x->file : "", y->file != NULL ? y->file : "");
    if (d == 0)
        d = (x->line > y->line) - (x->line < y->line);
    return d;
}

/* Same, and of equal ones the first part first. */
static int by_inlined_order(const void *a, const void *b)
{
    const struct inline_part *const x = ((const struct sorted *)a)->part;
    const struct inline_part *const y = ((const struct sorted *)b)->part;
    const int d = by_inlined(a, b);

    return d != 0 ? d : (x > y) - (x < y);
}

/* Sets each part's func to the number of the first part that is the same function. */
static bool find_inlined(struct profile *p)
{
    struct sorted *const list = calloc(p->inlines.parts + 1, sizeof(*list));
    size_t head = 0;

    if (list == NULL)
        return false;
    for (size_t i = 0; i < p->inlines.parts; i++)
        list[i].part = &p->inlines.part[i];
    qsort(list, p->inlines.parts, sizeof(*list), by_inlined_order);
    for (size_t i = 0; i < p->inlines.parts; i++) {
        if (by_inlined(&list[head], &list[i]) != 0)
            head = i;
        list[i].part->func = (uint32_t)(list[head].part - p->inlines.part);
    }
    free(list);
    return true;
}

/* Writes each inlined function once, whatever the number of its callers. */
static int put_inlined_functions(struct profile *p)
{
    struct inline_part *const part = p->inlines.part;
    uint32_t id = (uint32_t)p->functions;
    int result = MPJ_E_OK;

    if (!find_inlined(p))
        return mpj_err_nomem(p->m->err);
    for (size_t i = 0; i < p->inlines.parts && result == MPJ_E_OK; i++) {
        if (part[i].func != i) { /* an earlier part, whose func is final */
            part[i].func = part[part[i].func].func;
            continue;
        }
        part[i].func = id++;
        result = profile_func(p->m, MPJ_PROF_TRUTH,
                              &(struct profile_func){.id = part[i].func,
                                                     .name = part[i].name,
                                                     .file = part[i].file,
                                                     .line = part[i].line,
                                                     .address = PROFILE_NONE,
                                                     .kind = MPJ_FUNC_INLINED});
    }
    return result;
}

__extension__ typedef __int128 wide;

/* Computes a part's share of a node's items; energy is the sum of its causes. */
static void part_items(const struct profile *p, const struct inline_part *part,
                       const struct inline_total *all, const int64_t *whole, int64_t *v)
{
    unsigned energy = PROFILE_ITEMS_MAX;
    int64_t causes = 0;

    for (unsigned i = 0; i < PROFILE_ITEMS_MAX; i++) {
        const char *const name = p->item[i];
        const bool executed = name != NULL && strcmp(name, "instr") == 0;
        const uint64_t of = executed ? part->executions : part->cycles;
        const uint64_t in = executed ? all->executions : all->cycles;
        v[i] = in > 0 ? (int64_t)((wide)whole[i] * (wide)of / (wide)in) : 0;
        if (name != NULL && strcmp(name, "energy_fj") == 0)
            energy = i;
        else if (name != NULL && strncmp(name, "fj:", 3) == 0)
            causes += v[i];
    }
    if (energy < PROFILE_ITEMS_MAX)
        v[energy] = causes;
}

static int put_costs(const struct profile *p, uint32_t row, const int64_t *v)
{
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < PROFILE_ITEMS_MAX && result == MPJ_E_OK; i++) {
        if (v[i] != 0 && p->item[i] == NULL)
            return profile_damaged(p->m, "it counts what has no name");
        if (v[i] != 0)
            result = profile_cost(p->m, MPJ_PROF_TRUTH, row, p->item[i], (uint64_t)v[i]);
    }
    return result;
}

/* Moves the cost of inlined functions from a node's items into nodes below it. */
static int put_parts(struct profile *p, uint32_t node, int64_t *v)
{
    const struct node *const n = &p->node[node];
    const struct inline_total *const all = inlines_total(&p->inlines, n->address);
    int64_t whole[PROFILE_ITEMS_MAX];
    uint32_t base; /* row of part 0, if it were of this function */
    int result = MPJ_E_OK;

    if (all == NULL)
        return MPJ_E_OK;
    memcpy(whole, v, sizeof(whole));
    base = p->rows + 1U - (uint32_t)all->first;
    for (size_t i = 0; i < all->parts && result == MPJ_E_OK; i++) {
        const struct inline_part *const part = &p->inlines.part[all->first + i];
        int64_t own[PROFILE_ITEMS_MAX];
        p->rows++;
        result = profile_node(p->m, MPJ_PROF_TRUTH,
                              &(struct profile_node){
                                  .id = p->rows,
                                  .parent = part->parent > 0 ? base + part->parent - 1U : node,
                                  .func = part->func,
                                  .thread = n->thread > 0 ? (int64_t)n->thread : PROFILE_NONE,
                                  .core = n->thread > 0 ? PROFILE_NONE : (int64_t)n->core,
                                  .region = n->region,
                              });
        part_items(p, part, all, whole, own);
        for (unsigned k = 0; k < PROFILE_ITEMS_MAX; k++)
            v[k] -= own[k];
        if (result == MPJ_E_OK)
            result = put_costs(p, p->rows, own);
    }
    return result;
}

/* ---- nodes ------------------------------------------------------------------ */

/* Reads the bodies of the regions that the target has reported. */
static int read_regions(struct profile *p)
{
    static const char sql[] = "SELECT DISTINCT fn FROM region WHERE pass=? AND fn > 0";
    sqlite3_stmt *const s = store_statement(p->m, sql);
    int step;

    if (s == NULL)
        return p->m->err->code;
    sqlite3_bind_int(s, 1, p->m->pass);
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        int64_t *const more = realloc(p->region, (p->regions + 1) * sizeof(*more));
        if (more == NULL)
            break;
        p->region = more;
        p->region[p->regions++] = sqlite3_column_int64(s, 0);
    }
    sqlite3_reset(s);
    if (step == SQLITE_ROW)
        return mpj_err_nomem(p->m->err);
    return step == SQLITE_DONE ? MPJ_E_OK : store_db_error(p->m);
}

/* Returns the region that a node executes: of its function, otherwise that of its caller. */
static int64_t region_of(const struct profile *p, const struct node *n)
{
    for (size_t i = 0; i < p->regions; i++) {
        if (((uint32_t)p->region[i] & ~1U) == n->address)
            return p->region[i];
    }
    return n->parent > 0 ? p->node[n->parent].region : PROFILE_NONE;
}

static bool read_nodes(struct profile *p, struct profile_bytes b)
{
    for (size_t i = 1; i <= p->nodes; i++) {
        struct node *const n = &p->node[i];
        n->parent = (uint32_t)profile_take(&b, 4);
        n->address = (uint32_t)profile_take(&b, 4);
        n->thread = (uint32_t)profile_take(&b, 4);
        n->core = (uint32_t)profile_take(&b, 4);
        n->calls = profile_take(&b, 8);
        /* a root represents the time before the first call */
        n->told =
            n->address != ROOT || (b.end - b.at >= 8 && memcmp(b.at, "\0\0\0\0\0\0\0", 8) != 0);
        skip_items(&b);
        if (b.is_short || n->parent >= i)
            return false;
    }
    return b.at == b.end;
}

/* Reads the items that follow; false: truncated, or an item without a name. */
static bool read_items(struct profile_bytes *b, const char *const *names,
                       int64_t v[PROFILE_ITEMS_MAX])
{
    const uint64_t mask = profile_take(b, 8);

    for (unsigned i = 0; i < PROFILE_ITEMS_MAX; i++) {
        v[i] = mask >> i & 1U ? (int64_t)profile_take(b, 8) : 0;
        if ((mask >> i & 1U) != 0 && names[i] == NULL)
            return false;
    }
    return !b->is_short;
}

static int put_items(struct profile *p, struct profile_bytes *b, uint32_t node)
{
    int64_t v[PROFILE_ITEMS_MAX];
    int result = MPJ_E_OK;

    if (!read_items(b, p->item, v))
        return profile_damaged(p->m, "it counts what has no name");
    if (p->inlines.parts > 0)
        result = put_parts(p, node, v);
    return result == MPJ_E_OK ? put_costs(p, node, v) : result;
}

static int put_chip(struct profile *p, struct profile_bytes *b)
{
    int64_t v[PROFILE_ITEMS_MAX];
    int result = MPJ_E_OK;

    if (!read_items(b, p->chip_item, v))
        return profile_damaged(p->m, "the chip counts what has no name");
    for (unsigned i = 0; i < PROFILE_ITEMS_MAX && result == MPJ_E_OK; i++) {
        if (v[i] != 0)
            result = profile_chip(p->m, MPJ_PROF_TRUTH, p->chip_item[i], (uint64_t)v[i]);
    }
    return result;
}

static int put_node(struct profile *p, uint32_t id)
{
    struct node *const n = &p->node[id];
    const uint32_t above = n->parent > 0 ? p->node[n->parent].row : 0;

    n->region = region_of(p, n);
    n->row = n->told && n->address != ROOT ? id : above;
    if (!n->told)
        return MPJ_E_OK;
    return profile_node(p->m, MPJ_PROF_TRUTH,
                        &(struct profile_node){
                            .id = id,
                            .parent = above > 0 ? (int64_t)above : PROFILE_NONE,
                            .func = n->func,
                            .thread = n->thread > 0 ? (int64_t)n->thread : PROFILE_NONE,
                            .core = n->thread > 0 ? PROFILE_NONE : (int64_t)n->core,
                            .region = n->region,
                            .calls = n->calls,
                        });
}

static int put_nodes(struct profile *p, struct profile_bytes b)
{
    int result = MPJ_E_OK;

    for (uint32_t i = 1; i <= p->nodes && result == MPJ_E_OK; i++) {
        result = put_node(p, i);
        b.at += 24;
        if (result == MPJ_E_OK)
            result = put_items(p, &b, i);
    }
    return result;
}

/* Writes how exact the tree is; head: of the file, from the flags on. */
static int put_exactness(const struct profile *p, struct profile_bytes *head)
{
    uint32_t flags;
    uint64_t lost;

    (void)profile_take(head, 4); /* most nodes */
    flags = (uint32_t)profile_take(head, 4);
    (void)profile_take(head, 4);
    (void)profile_take(head, 8); /* cycles of the windows */
    (void)profile_take(head, 8); /* returns that skipped frames */
    lost = profile_take(head, 8);
    if (head->is_short)
        return profile_damaged(p->m, "its head is cut off");
    return store_put(p->m, "INSERT INTO prof_tree VALUES (?,?,?,?)", "iiii", (int64_t)p->m->pass,
                     (int64_t)MPJ_PROF_TRUTH, (int64_t)lost, (int64_t)(flags & 1U));
}

/* ---- instructions ------------------------------------------------------------- */

static int put_insns(struct profile *p, struct profile_bytes b)
{
    int result = MPJ_E_OK;

    while (b.at < b.end && result == MPJ_E_OK) {
        const uint32_t address = (uint32_t)profile_take(&b, 4);
        (void)profile_take(&b, 4);
        const uint64_t executions = profile_take(&b, 8);
        const uint64_t cycles = profile_take(&b, 8);
        const uint64_t mask = profile_take(&b, 8);
        result = profile_insn(p->m, address, executions, cycles);
        for (unsigned i = 0; i < PROFILE_ITEMS_MAX && result == MPJ_E_OK; i++) {
            if (!(mask >> i & 1U))
                continue;
            const uint64_t v = profile_take(&b, 8);
            if (p->insn_item[i] == NULL || b.is_short)
                return profile_damaged(p->m, "an instruction is cut off");
            result = profile_insn_cost(p->m, address, p->insn_item[i], v);
        }
    }
    return result;
}

/* ---- whole profile ----------------------------------------------------------- */

static int put_all(struct profile *p, const struct profile_bytes *file)
{
    struct profile_bytes head = profile_section(file, "HEAD");
    const struct profile_bytes nodes = profile_section(file, "NODE");
    struct profile_bytes chip = profile_section(file, "CHIP");
    uint64_t clock_hz;
    int result;

    clock_hz = profile_take(&head, 4);
    (void)profile_take(&head, 4);
    p->nodes = (size_t)profile_take(&head, 4);
    if (head.is_short || p->nodes > (size_t)(nodes.end - nodes.at) / 32U ||
        !profile_names(profile_section(file, "ITEM"), p->item) ||
        !profile_names(profile_section(file, "CITM"), p->chip_item) ||
        !profile_names(profile_section(file, "IITM"), p->insn_item))
        return profile_damaged(p->m, "it is cut off");
    p->node = calloc(p->nodes + 1, sizeof(*p->node));
    p->address = calloc(p->nodes + 1, sizeof(*p->address));
    if (p->node == NULL || p->address == NULL)
        return mpj_err_nomem(p->m->err);
    if (!read_nodes(p, nodes))
        return profile_damaged(p->m, "its nodes are not as their number says");
    p->rows = (uint32_t)p->nodes;
    result = read_regions(p);
    if (result == MPJ_E_OK)
        result = put_functions(p);
    if (result == MPJ_E_OK && p->nodes > 0)
        result = read_inlines(p, profile_section(file, "INSN"));
    if (result == MPJ_E_OK)
        result = put_inlined_functions(p);
    if (result == MPJ_E_OK)
        result = put_nodes(p, nodes);
    if (result == MPJ_E_OK && p->nodes > 0)
        result = put_exactness(p, &head);
    if (result == MPJ_E_OK && !chip.is_short)
        result = put_chip(p, &chip);
    if (result == MPJ_E_OK)
        result = put_insns(p, profile_section(file, "INSN"));
    if (result == MPJ_E_OK)
        result = profile_times(p->m, file, clock_hz);
    return result;
}

int store_profile(struct import *m, const void *data, size_t len)
{
    struct profile p = {.m = m};
    struct profile_bytes file = {data, (const unsigned char *)data + len, false};
    struct mpj_err ignored;
    int result;

    if (len < 16 || memcmp(file.at, "MPJPROF\n", 8) != 0 || file.at[8] != VERSION)
        return profile_damaged(m,
                               "it is of another version, read it with the mpjoule that made it");
    /* if the program cannot be read, only the names are missing */
    if (m->elf != NULL)
        (void)mpj_symbols_open(&p.symbols, m->elf, &ignored);
    result = put_all(&p, &file);
    mpj_symbols_free(p.symbols);
    free(p.node);
    free(p.address);
    free(p.region);
    inlines_free(&p.inlines);
    return result;
}
