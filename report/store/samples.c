/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions from the target's samples of the program counter.
 *
 * A sample has words that may be return addresses. A word is accepted as one when the call that
 * precedes it calls the function below it, or goes through a register; the others are skipped. So a
 * path has the proven frames, up to the outermost such frame, which need not be main(). A function
 * that ends in a jump to the one below it has no frame: it is found when it is the target of the
 * call.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_trace_records.h"
#include "report/symbols.h"
#include "store/profile_put.h"

#define FRAMES  (2U * MPJ_MOMENT_WORDS + 1U)
#define NO_FUNC UINT32_MAX
#define LONGEST 0x100000U /* bytes of a function that are searched */
#define ALWAYS  0xeU      /* condition of an instruction */

/* Cached result: does a function jump to the start of another one? */
struct jump {
    uint32_t from, to;
    bool is;
};

struct func {
    uint32_t address; /* first instruction; 0: without a name */
    enum mpj_prof_kind kind;
    char *name;
    char *file; /* NULL: unknown */
    int line;
    uint64_t samples;     /* in it */
    double self2, total2; /* squares of the cycles of these, and of those in what it called, too */
};

struct node {
    int64_t parent;
    uint32_t func, thread;
    uint64_t samples, cycles, events;
};

struct store_samples {
    struct mpj_moment_rec *m;
    size_t count, room;
    struct mpj_trace_config asked;
    struct mpj_symbols *symbols;
    struct func *func;
    uint32_t funcs, func_room;
    struct node *node;
    uint32_t nodes, node_room;
    struct jump *jump;
    size_t jumps, jump_room;
};

/* Returns the list with space for one more element; NULL: out of memory, and the list is
 * unchanged. */
static void *more(struct import *m, void *list, size_t used, size_t *room, size_t size)
{
    void *bigger;

    if (used < *room)
        return list;
    bigger = realloc(list, (*room * 2U + 64U) * size);
    if (bigger == NULL) {
        mpj_err_nomem(m->err);
        return NULL;
    }
    *room = *room * 2U + 64U;
    return bigger;
}

static struct store_samples *samples_of(struct import *m)
{
    if (m->samples == NULL)
        m->samples = calloc(1, sizeof(*m->samples));
    if (m->samples == NULL)
        mpj_err_nomem(m->err);
    return m->samples;
}

void store_samples_asked(struct import *m, const struct mpj_frame *f)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, f->payload, f->len);
    while (mpj_rec_next(&r, &rec) == 1) {
        if (rec.kind == MPJ_REC_TRACE && samples_of(m) != NULL)
            (void)mpj_trace_config_get(&rec, &m->samples->asked);
    }
    if (m->samples != NULL)
        m->brief = m->samples->asked.brief;
}

int store_moments(struct import *m, const struct mpj_rec *rec)
{
    struct store_samples *const s = samples_of(m);
    struct mpj_moments_rec block;

    if (s == NULL)
        return m->err->code;
    if (mpj_moments_get(rec, &block) != MPJ_LINK_OK)
        return store_damaged(m, "MOMENTS");
    for (uint32_t i = 0; i < block.count; i++) {
        struct mpj_moment_rec *const list = more(m, s->m, s->count, &s->room, sizeof(*s->m));

        if (list == NULL)
            return m->err->code;
        s->m = list;
        if (block.m[i].kind == MPJ_AT_CALL) {
            if (store_entry_call(m, &block.m[i]) != MPJ_E_OK)
                return m->err->code;
            continue;
        }
        if (block.m[i].core >= MPJ_CORES_MAX)
            return store_damaged(m, "MOMENTS");
        s->m[s->count++] = block.m[i];
    }
    return MPJ_E_OK;
}

/* ---- functions and paths ----------------------------------------------------------------------
 */

/* Returns the number of a function, added if new. NO_FUNC: an error is set. */
static uint32_t number(struct import *m, uint32_t address, enum mpj_prof_kind kind,
                       const char *name, const struct mpj_place *first)
{
    struct store_samples *const s = m->samples;
    size_t room = s->func_room;
    struct func *list;
    struct func *f;

    for (uint32_t i = 0; i < s->funcs; i++) {
        if (s->func[i].address == address && s->func[i].kind == kind)
            return i;
    }
    list = more(m, s->func, s->funcs, &room, sizeof(*s->func));
    if (list == NULL)
        return NO_FUNC;
    s->func = list;
    s->func_room = (uint32_t)room;
    f = &s->func[s->funcs];
    *f = (struct func){.address = address, .kind = kind};
    f->name = store_line((struct mpj_bytes){(const uint8_t *)name, strlen(name)});
    if (first != NULL && first->file != NULL) {
        f->file = store_line((struct mpj_bytes){(const uint8_t *)first->file, strlen(first->file)});
        f->line = first->line;
    }
    s->funcs++;
    if (f->name != NULL && (f->file != NULL || first == NULL || first->file == NULL))
        return s->funcs - 1U;
    mpj_err_nomem(m->err);
    return NO_FUNC;
}

/* Returns the function that an instruction belongs to. */
static uint32_t func_at(struct import *m, uint32_t pc)
{
    struct mpj_place p = {0};
    struct mpj_place first = {0};
    char *name = NULL;
    uint32_t func;

    if (m->samples->symbols != NULL)
        mpj_symbols_lookup(m->samples->symbols, pc, &p);
    if (p.function == NULL)
        return number(m, 0, MPJ_FUNC_UNKNOWN, "(unknown)", NULL);
    mpj_symbols_function(m->samples->symbols, pc - p.offset, &first);
    if (asprintf(&name, "%s%s", first.function, first.copy != NULL ? first.copy : "") < 0) {
        mpj_err_nomem(m->err);
        return NO_FUNC;
    }
    func = number(m, pc - p.offset, store_func_kind(&first), name, &first);
    free(name);
    return func;
}

/* True if the function that begins at `from` jumps to `to`. */
static bool jumps(struct import *m, uint32_t from, uint32_t to)
{
    struct store_samples *const s = m->samples;
    struct jump *list;
    struct mpj_place p;
    bool is = false;

    for (size_t i = 0; i < s->jumps; i++) {
        if (s->jump[i].from == from && s->jump[i].to == to)
            return s->jump[i].is;
    }
    mpj_symbols_lookup(s->symbols, from, &p);
    for (uint32_t at = 0; p.function != NULL && at < p.size && at < LONGEST && !is; at += 4U)
        is = mpj_symbols_branch(s->symbols, from + at, false) == to;
    list = more(m, s->jump, s->jumps, &s->jump_room, sizeof(*list));
    if (list != NULL) {
        s->jump = list;
        s->jump[s->jumps++] = (struct jump){from, to, is};
    }
    return is;
}

/* True if a return address follows a call that leads to that function. *through: the called
 * function, when it jumps to that one; 0: a direct call, or unknown. */
static bool calls(struct import *m, uint32_t back, uint32_t callee, uint32_t *through)
{
    struct store_samples *const s = m->samples;
    uint32_t target;

    *through = 0;
    if (s->symbols == NULL)
        return false;
    target = mpj_symbols_branch(s->symbols, back - 4U, true);
    if (target == 0 || target == callee) /* through a register: checked by the target */
        return true;
    *through = target;
    return jumps(m, target, callee);
}

/* True if an instruction of the function is a branch to that one of it, or the function is too long
 * to search. */
static bool is_reached(struct import *m, const struct mpj_place *in, uint32_t pc)
{
    return in->size > LONGEST || jumps(m, pc - in->offset, pc);
}

/* Returns the PC of the instruction that was executing, or of its function; the sample's where that
 * is uncertain. A sample is taken at the next instruction (skid), which may be another function's:
 * at the start of a function the call was executing, and after a call the return. *returns_to: for
 * a return, the address that it leads to. */
static uint32_t under_way(struct import *m, const struct mpj_moment_rec *x, uint32_t *returns_to)
{
    const uint32_t pc = x->word[0];
    struct mpj_symbols *const s = m->samples->symbols;
    struct mpj_place in = {0};
    uint32_t target;
    uint32_t insn;

    *returns_to = 0;
    if (s != NULL)
        mpj_symbols_lookup(s, pc, &in);
    if (in.function == NULL || in.thumb)
        return pc;
    if (in.offset == 0)
        return x->n > 1 && mpj_symbols_branch(s, x->word[1] - 4U, true) == pc &&
                       !is_reached(m, &in, pc)
                   ? x->word[1] - 4U
                   : pc;
    target = mpj_symbols_branch(s, pc - 4U, true);
    if (target == 0 || !mpj_symbols_word(s, pc - 4U, &insn) || insn >> 28 != ALWAYS ||
        is_reached(m, &in, pc))
        return pc;
    *returns_to = pc;
    return target;
}

/* Returns a node's number; an error is set for NO_FUNC. */
static uint32_t node_of(struct import *m, int64_t parent, uint32_t func, uint32_t thread)
{
    struct store_samples *const s = m->samples;
    size_t room = s->node_room;
    struct node *list;

    if (func == NO_FUNC)
        return NO_FUNC;
    for (uint32_t i = parent < 0 ? 0 : (uint32_t)parent + 1U; i < s->nodes; i++) {
        if (s->node[i].parent == parent && s->node[i].func == func && s->node[i].thread == thread)
            return i;
    }
    list = more(m, s->node, s->nodes, &room, sizeof(*s->node));
    if (list == NULL)
        return NO_FUNC;
    s->node = list;
    s->node_room = (uint32_t)room;
    s->node[s->nodes] = (struct node){.parent = parent, .func = func, .thread = thread};
    return s->nodes++;
}

/* Builds the path, innermost first; returns its length, 0: an error is set. *caller: the return
 * address, 0: unknown. */
static unsigned path_of(struct import *m, const struct mpj_moment_rec *x, uint32_t func[FRAMES],
                        uint32_t *caller)
{
    const bool idle = x->thread == 0 || x->n == 0;
    unsigned n = 0;

    *caller = 0;
    func[n++] =
        idle ? number(m, 0, MPJ_FUNC_IDLE, "(idle)", NULL) : func_at(m, under_way(m, x, caller));
    if (*caller != 0 && func[0] != NO_FUNC)
        func[n++] = func_at(m, *caller - 4U);
    for (unsigned k = 1; k < x->n && !idle && func[n - 1U] != NO_FUNC; k++) {
        uint32_t through;

        if (k == 1 && x->word[k] == *caller) /* left over from the call that has returned */
            continue;
        if (!calls(m, x->word[k], m->samples->func[func[n - 1U]].address, &through))
            continue;
        if (*caller == 0)
            *caller = x->word[k];
        if (through != 0)
            func[n++] = func_at(m, through);
        if (func[n - 1U] != NO_FUNC)
            func[n++] = func_at(m, x->word[k] - 4U);
    }
    return func[n - 1U] == NO_FUNC ? 0 : n;
}

/* ---- into the store -----------------------------------------------------------------------------
 */

static int by_time(const void *a, const void *b)
{
    const struct mpj_moment_rec *const x = a;
    const struct mpj_moment_rec *const y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->core > y->core) - (x->core < y->core);
}

/* Computes the cycles that a sample of each core represents. */
static int weigh(struct import *m, uint64_t weight[MPJ_CORES_MAX])
{
    static const char sql[] = "SELECT core, cycles FROM core WHERE pass = ?";
    const struct store_samples *const s = m->samples;
    sqlite3_stmt *const stmt = store_statement(m, sql);
    uint64_t count[MPJ_CORES_MAX] = {0};
    int step;
    int result = MPJ_E_OK;

    if (stmt == NULL)
        return m->err->code;
    for (size_t i = 0; i < s->count; i++)
        count[s->m[i].core] += s->m[i].kind == MPJ_AT_SAMPLE;
    sqlite3_bind_int(stmt, 1, m->pass);
    while ((step = sqlite3_step(stmt)) == SQLITE_ROW) {
        const int core = sqlite3_column_int(stmt, 0);
        const uint64_t cycles = (uint64_t)sqlite3_column_int64(stmt, 1);

        if (core >= 0 && core < (int)MPJ_CORES_MAX && count[core] > 0)
            weight[core] = (cycles + count[core] / 2U) / count[core];
    }
    if (step != SQLITE_DONE)
        result = store_db_error(m);
    sqlite3_reset(stmt);
    return result;
}

/* Adds a sample's square to the functions of its path, each once. */
static void add_squares(struct store_samples *s, const uint32_t func[FRAMES], unsigned n,
                        double cycles)
{
    s->func[func[0]].samples++;
    s->func[func[0]].self2 += cycles * cycles;
    for (unsigned i = 0; i < n; i++) {
        unsigned k = 0;

        while (func[k] != func[i])
            k++;
        if (k == i)
            s->func[func[i]].total2 += cycles * cycles;
    }
}

static int put_sample(struct import *m, uint32_t seq, const struct mpj_moment_rec *x,
                      const uint64_t weight[MPJ_CORES_MAX])
{
    uint32_t func[FRAMES];
    uint32_t caller;
    const unsigned length = path_of(m, x, func, &caller);
    unsigned n = length;
    int64_t at = -1;
    struct node *leaf;

    if (n == 0)
        return m->err->code;
    while (n-- > 0) {
        at = node_of(m, at, func[n], x->thread);
        if (at == NO_FUNC)
            return m->err->code;
    }
    leaf = &m->samples->node[at];
    if (x->kind == MPJ_AT_EVENT) {
        leaf->events += m->samples->asked.every;
    } else {
        leaf->samples++;
        leaf->cycles += weight[x->core];
        add_squares(m->samples, func, length, (double)weight[x->core]);
    }
    return profile_moment(m, MPJ_PROF_SAMPLES,
                          &(struct profile_moment){.seq = seq,
                                                   .time = x->time,
                                                   .core = x->core,
                                                   .thread = x->thread,
                                                   .kind = MPJ_MOMENT_SAMPLE,
                                                   .object = x->n > 0 ? x->word[0] : 0,
                                                   .other = caller,
                                                   .value = x->kind == MPJ_AT_EVENT});
}

/* Writes an event of a thread as a row of the table. */
static int put_happened(struct import *m, uint32_t seq, const struct mpj_moment_rec *x)
{
    const bool wait = x->kind == MPJ_AT_WAITS;
    struct profile_moment p = {.seq = seq,
                               .time = x->time,
                               .core = x->core,
                               .thread = x->thread > 0 ? (int64_t)x->thread : PROFILE_NONE,
                               .kind = (enum mpj_moment_kind)x->kind};

    if (x->kind == MPJ_AT_STOPS) {
        p.value = x->n > 0 ? x->word[0] : 0;
    } else {
        p.object = x->n > 0 ? x->word[0] : 0;
        p.other = x->n > 1 ? x->word[1] : 0;
        p.value = x->n > 2 ? x->word[2] : 0;
    }
    if (wait && p.other == 0)
        p.other = PROFILE_NONE;
    return profile_moment(m, MPJ_PROF_SAMPLES, &p);
}

static int put_node(struct import *m, uint32_t id, const char *event)
{
    const struct node *const p = &m->samples->node[id];
    const struct profile_node row = {.id = id,
                                     .parent = p->parent,
                                     .func = p->func,
                                     .thread = p->thread > 0 ? (int64_t)p->thread : PROFILE_NONE,
                                     .core = PROFILE_NONE,
                                     .region = PROFILE_NONE};

    if (profile_node(m, MPJ_PROF_SAMPLES, &row) != MPJ_E_OK ||
        profile_cost(m, MPJ_PROF_SAMPLES, id, "samples", p->samples) != MPJ_E_OK ||
        profile_cost(m, MPJ_PROF_SAMPLES, id, "cycles", p->cycles) != MPJ_E_OK)
        return m->err->code;
    return event == NULL ? MPJ_E_OK : profile_cost(m, MPJ_PROF_SAMPLES, id, event, p->events);
}

/* Writes the standard errors of a function's cycles: a number of samples scatters by its root. */
static int put_error(struct import *m, uint32_t i)
{
    const struct func *const f = &m->samples->func[i];

    if (!(f->total2 > 0))
        return MPJ_E_OK; /* samples of an event only */
    return store_put(m, "INSERT INTO prof_error VALUES (?,?,?,?,?,?)", "iiiidd", (int64_t)m->pass,
                     (int64_t)MPJ_PROF_SAMPLES, (int64_t)i, (int64_t)f->samples, sqrt(f->self2),
                     sqrt(f->total2));
}

static int put_profile(struct import *m)
{
    const struct store_samples *const s = m->samples;
    const struct mpj_event_info *const e = (s->asked.flags & MPJ_TRACE_EVENT) != 0
                                               ? mpj_event_find(MPJ_SOURCE_PMU, s->asked.event)
                                               : NULL;
    int result = MPJ_E_OK;

    for (uint32_t i = 0; i < s->funcs && result == MPJ_E_OK; i++) {
        const struct func *const f = &s->func[i];

        result = profile_func(
            m, MPJ_PROF_SAMPLES,
            &(struct profile_func){.id = i,
                                   .name = f->name,
                                   .file = f->file,
                                   .line = f->line,
                                   .address = f->address != 0 ? (int64_t)f->address : PROFILE_NONE,
                                   .kind = f->kind});
    }
    for (uint32_t i = 0; i < s->nodes && result == MPJ_E_OK; i++)
        result = put_node(m, i, e != NULL ? e->name : NULL);
    for (uint32_t i = 0; i < s->funcs && result == MPJ_E_OK; i++)
        result = put_error(m, i);
    return result;
}

/* Adds marks, which are records of their own, to the moments in order. */
static int add_marks(struct import *m)
{
    struct store_samples *const x = m->samples;
    sqlite3_stmt *const s =
        store_statement(m, "SELECT seq, time, core, thread FROM mark WHERE pass = ?");
    int step;
    int result = MPJ_E_OK;

    if (s == NULL)
        return m->err->code;
    sqlite3_bind_int(s, 1, m->pass);
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        struct mpj_moment_rec *const list = more(m, x->m, x->count, &x->room, sizeof(*x->m));

        if (list == NULL)
            break;
        x->m = list;
        x->m[x->count++] = (struct mpj_moment_rec){.time = (uint64_t)sqlite3_column_int64(s, 1),
                                                   .core = (uint32_t)sqlite3_column_int64(s, 2),
                                                   .thread = (uint32_t)sqlite3_column_int64(s, 3),
                                                   .kind = MPJ_MOMENT_MARK,
                                                   .n = 1,
                                                   .word = {(uint32_t)sqlite3_column_int64(s, 0)}};
    }
    if (step != SQLITE_DONE) /* a row: no memory for it */
        result = step == SQLITE_ROW ? m->err->code : store_db_error(m);
    sqlite3_reset(s);
    return result;
}

int store_samples_end(struct import *m)
{
    struct store_samples *const s = m->samples;
    uint64_t weight[MPJ_CORES_MAX] = {0};
    struct mpj_err ignored;
    int result;

    if (s == NULL || s->count == 0)
        return MPJ_E_OK;
    /* if the program cannot be read, only the names are missing from the samples */
    if (m->elf != NULL)
        (void)mpj_symbols_open(&s->symbols, m->elf, &ignored);
    if ((s->asked.flags & MPJ_TRACE_MOMENTS) != 0 && add_marks(m) != MPJ_E_OK)
        return m->err->code;
    qsort(s->m, s->count, sizeof(*s->m), by_time);
    result = weigh(m, weight);
    for (size_t i = 0; i < s->count && result == MPJ_E_OK; i++)
        result = s->m[i].kind < MPJ_AT_SAMPLE ? put_happened(m, (uint32_t)i, &s->m[i])
                                              : put_sample(m, (uint32_t)i, &s->m[i], weight);
    return result == MPJ_E_OK ? put_profile(m) : result;
}

void store_samples_free(struct import *m)
{
    struct store_samples *const s = m->samples;

    if (s == NULL)
        return;
    for (uint32_t i = 0; i < s->funcs; i++) {
        free(s->func[i].name);
        free(s->func[i].file);
    }
    mpj_symbols_free(s->symbols);
    free(s->func);
    free(s->node);
    free(s->jump);
    free(s->m);
    free(s);
    m->samples = NULL;
}
