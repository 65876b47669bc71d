/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extracts what blame compares of a run: its functions, in whole numbers, by label. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "report/blame.h"
#include "report/profile.h"
#include "report_int.h"
#include "view/blame_calls.h"
#include "view/blame_source.h"

#define FJ_PER_NJ  1e6
#define CAUSE      "fj:"
#define NAME_BYTES 300

/* Adds to a member that is a whole number. */
static void add(json_t *row, const char *item, double v)
{
    const json_int_t sum = json_integer_value(json_object_get(row, item)) + llround(v);

    if (sum != 0 && isfinite(v))
        json_object_set_new(row, item, json_integer(sum));
}

static json_t *row_of(json_t *table, const char *name)
{
    json_t *row = json_object_get(table, name);

    if (row == NULL) {
        row = json_object();
        json_object_set_new(table, name, row);
    }
    return row;
}

static bool is_programs(const struct mpj_prof_func *f)
{
    return f->kind == MPJ_FUNC_PROGRAM || f->kind == MPJ_FUNC_INLINED;
}

static const char *base_name(const char *file)
{
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    return file;
}

/* Returns the name of a cause, distinct from that of an event. */
static const char *cause_name(const char *item)
{
    return strcmp(item, CAUSE "instr") == 0 ? "instructions" : item + strlen(CAUSE);
}

/* ---- functions --------------------------------------------------------------------------- */

/* State of reading a profile. */
struct reading {
    json_t *functions, *runtime, *callers;
    const struct mpj_run *run;
    const struct mpj_profile *p;
    struct blame_calls *calls;
    struct blame_source *source;
    uint32_t *owner;  /* of each node: that of the calling function of the program */
    uint32_t *entry;  /* for the runtime's nodes: that of the function that the owner called */
    double *waiting;  /* share of the time of each node that is waiting, by polling, too */
    double *critical; /* share of the rest that the run depended on, of each thread of the run */
    int instructions; /* item: energy of instructions; MPJ_PROF_NONE */
    const struct blame_inlining *inlining; /* executions of inlined functions, where known */
    size_t inlinings;
    struct mpj_err *err;
};

/* ---- critical time ----------------------------------------------------------------------- */

/* True for the runtime's functions in which a thread lets others run, or polls for them. */
static bool waits_in(const struct mpj_prof_func *f)
{
    static const char *const names[] = {"mpj_sched_block_locked", "mpj_sched_lock",
                                        "hal_spin_lock"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (f->kind == MPJ_FUNC_RUNTIME && strcmp(f->name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Sets how often threads blocked below each node. */
static void count_blocks(const struct mpj_profile *p, double *blocks)
{
    for (uint32_t i = p->nodes; i-- > 0;) {
        const struct mpj_prof_func *const f = &p->func[p->node[i].func];
        if (f->kind == MPJ_FUNC_RUNTIME && strcmp(f->name, "mpj_sched_block_locked") == 0)
            blocks[i] += (double)p->node[i].calls;
        if (p->node[i].parent != MPJ_PROF_NO_PARENT)
            blocks[p->node[i].parent] += blocks[i];
    }
}

/*
 * Sets the share of each node's time that is waiting: of a call from the program into the runtime
 * as much as calls of it blocked, which includes the work of blocking and going on; and all of the
 * functions that wait.
 */
static void share_waits(const struct reading *r, const double *blocks)
{
    for (uint32_t i = 0; i < r->p->nodes; i++) {
        const struct mpj_prof_node *const n = &r->p->node[i];
        const double calls = (double)r->p->node[r->entry[i]].calls;
        if (waits_in(&r->p->func[n->func]) ||
            (n->parent != MPJ_PROF_NO_PARENT && r->waiting[n->parent] >= 1 &&
             r->p->func[n->func].kind == MPJ_FUNC_RUNTIME))
            r->waiting[i] = 1;
        else if (r->owner[i] != i && calls > 0)
            r->waiting[i] = fmin(1, blocks[r->entry[i]] / calls);
    }
}

/* Sets the share of each thread's run time in which it does not wait by polling. */
static void share_work(const struct reading *r, double *work, double *all)
{
    for (uint32_t i = 0; i < r->p->nodes; i++) {
        const int64_t id = r->p->node[i].thread;
        const struct mpj_thread_result *const t = id >= 0 ? run_thread(r->run, (uint32_t)id) : NULL;
        const double cycles = (double)r->p->self[(size_t)i * r->p->items + (unsigned)r->p->cycles];
        if (t == NULL)
            continue;
        work[t - r->run->thread] += cycles * (1 - r->waiting[i]);
        all[t - r->run->thread] += cycles;
    }
    for (unsigned i = 0; i < r->run->threads; i++)
        work[i] = all[i] > 0 ? work[i] / all[i] : 1;
}

/*
 * Sets the share of each thread's work that the run depended on: where n threads work, a second of
 * each is 1/n of a second of the run, so that the shares of all threads add up to the time in which
 * any works. Who makes others wait works alone or with few. As the timeline has it, bin by bin.
 */
static void share_run(const struct reading *r, const double *work, double *sum)
{
    for (unsigned i = 0; i < r->run->threads; i++) {
        const struct mpj_thread_result *const t = &r->run->thread[i];
        for (unsigned b = t->first_bin; b < t->bins; b++)
            sum[b] += mpj_thread_bin(t, b).run_s * work[i];
    }
    for (unsigned i = 0; i < r->run->threads; i++) {
        const struct mpj_thread_result *const t = &r->run->thread[i];
        double critical = 0;
        double all = 0;
        for (unsigned b = t->first_bin; b < t->bins; b++) {
            const double own = mpj_thread_bin(t, b).run_s;
            /* less than the bin together: no other thread worked */
            critical += sum[b] > 0 ? own * fmin(1, t->bin_s / sum[b]) : 0;
            all += own;
        }
        r->critical[i] = all > 0 ? critical / all : 1;
    }
}

static int criticality(const struct reading *r)
{
    unsigned bins = 0;
    double *const blocks = calloc(r->p->nodes + 1U, sizeof(*blocks));
    double *const work = calloc(2U * r->run->threads + 2U, sizeof(*work));
    double *sum;

    for (unsigned i = 0; i < r->run->threads; i++)
        bins = r->run->thread[i].bins > bins ? r->run->thread[i].bins : bins;
    sum = calloc(bins + 1U, sizeof(*sum));
    if (blocks != NULL && work != NULL && sum != NULL) {
        count_blocks(r->p, blocks);
        share_waits(r, blocks);
        if (r->p->cycles >= 0)
            share_work(r, work, &work[r->run->threads + 1U]);
        share_run(r, work, sum);
    }
    free(blocks);
    free(work);
    free(sum);
    return blocks != NULL && work != NULL && sum != NULL ? MPJ_E_OK : mpj_err_nomem(r->err);
}

/* ---- costs ------------------------------------------------------------------------------- */

/* Returns the share of a node's time that is critical; that of no thread is not. */
static double critical_of(const struct reading *r, uint32_t node)
{
    const int64_t id = r->p->node[node].thread;
    const struct mpj_thread_result *const t = id >= 0 ? run_thread(r->run, (uint32_t)id) : NULL;

    return t != NULL ? r->critical[t - r->run->thread] : 0;
}

/* True for an item that is of the instructions a function executes, not of the time they take. */
static bool is_executed(const char *item)
{
    return strcmp(item, "instr") == 0 || strcmp(item, CAUSE "instr") == 0;
}

/* Returns the share of a node's item: of the energy that of its causes. */
static double share_of(const struct reading *r, uint32_t node, unsigned item, double share,
                       double executed)
{
    const struct mpj_profile *const p = r->p;
    const int64_t *const self = &p->self[(size_t)node * p->items];
    const double v = (double)self[item] * (is_executed(p->item[item].name) ? executed : share);

    return (int)item != p->energy || r->instructions < 0
               ? v
               : v + (double)self[r->instructions] * (executed - share);
}

/* Adds a share of a node's own time and energy, and of all its counts; executed: that of what comes
 * from its instructions. */
static void add_shares(const struct reading *r, json_t *row, uint32_t node, double share,
                       double executed, bool all)
{
    const struct mpj_profile *const p = r->p;

    for (unsigned i = 0; i < p->items; i++) {
        const double v = share_of(r, node, i, share, executed);
        if ((int)i == p->cycles) {
            add(row, "time", v * 1e9 / p->clock_hz);
            add(row, "critical",
                v * 1e9 / p->clock_hz * (1 - r->waiting[node]) * critical_of(r, node));
        }
        if ((int)i == p->energy)
            add(row, "energy", v / FJ_PER_NJ);
        else if (all && i >= p->first_cause)
            add(row, cause_name(p->item[i].name), v / FJ_PER_NJ);
        else if (all && mpj_event_by_name(p->item[i].name, strlen(p->item[i].name)) != NULL)
            add(row, p->item[i].name, v);
    }
}

static void add_costs(const struct reading *r, json_t *row, uint32_t node, double share, bool all)
{
    add_shares(r, row, node, share, share, all);
}

/* Returns the label of a function that is known by its name and file; its name, where the profile
 * does not have it. */
static const char *label_of(const struct reading *r, const char *name, const char *file)
{
    const char *label = name;

    for (unsigned i = 0; i < r->p->funcs; i++) {
        const struct mpj_prof_func *const f = &r->p->func[i];
        if (strcmp(f->name, name) != 0)
            continue;
        label = f->label;
        if (file == NULL || (f->file != NULL && strcmp(f->file, file) == 0))
            break;
    }
    return label;
}

/* True if a function is the inlined one, or none is inlined and it is not either. */
static bool is_inlined_as(const struct mpj_prof_func *f, const struct mpj_inlined *as)
{
    if (f->kind != MPJ_FUNC_INLINED || as->name == NULL)
        return f->kind != MPJ_FUNC_INLINED && as->name == NULL;
    return strcmp(f->name, as->name) == 0 &&
           (as->file == NULL || f->file == NULL || strcmp(f->file, as->file) == 0);
}

/* Returns the node whose code contains that of an inlined function, or the node itself. */
static uint32_t container_of(const struct reading *r, uint32_t node)
{
    while (r->p->func[r->p->node[node].func].kind == MPJ_FUNC_INLINED &&
           r->p->node[node].parent != MPJ_PROF_NO_PARENT)
        node = r->p->node[node].parent;
    return node;
}

/* Adds a node's costs to its function, but for the time in which it stalls for what another one
 * computes, of which one is inlined into the other: that is the latter's. */
static int add_with_stalls(const struct reading *r, uint32_t node, json_t *row)
{
    const struct mpj_profile *const p = r->p;
    const struct mpj_prof_func *const f = &p->func[p->node[node].func];
    const uint32_t up = p->node[node].parent;
    const struct mpj_prof_func *const by =
        up != MPJ_PROF_NO_PARENT ? &p->func[p->node[up].func] : f;
    const struct mpj_prof_node *const in = &p->node[container_of(r, node)];
    const struct blame_delay *d = NULL;
    double left = 1;
    size_t n = 0;

    if (in->address >= 0 && is_programs(f) &&
        blame_calls_delays(r->calls, (uint32_t)in->address, &d, &n, r->err) != MPJ_E_OK)
        return r->err->code;
    for (size_t i = 0; i < n; i++) {
        if (!is_inlined_as(f, &d[i].from) ||
            (d[i].from.name != NULL && !is_inlined_as(by, &d[i].by)))
            continue;
        add_shares(r,
                   row_of(r->functions, d[i].to.name != NULL
                                            ? label_of(r, d[i].to.name, d[i].to.file)
                                            : p->func[in->func].label),
                   node, d[i].share, 0, true);
        left -= d[i].share;
    }
    add_shares(r, row, node, left, 1, true);
    return MPJ_E_OK;
}

/* Adds the place of a function, and the hash of its source where that is known. */
static void add_place(const struct reading *r, const struct mpj_prof_func *f, json_t *row)
{
    char hash[BLAME_SOURCE_ROOM];

    json_put_text(row, "at", base_name(f->file));
    json_put_count(row, "line", f->line > 0 ? (uint64_t)f->line : 0);
    if (blame_source_hash(r->source, f->file, f->line, f->name, hash))
        json_put_text(row, MPJ_BLAME_SOURCE, hash);
}

/* Adds the costs of the program's own function, with its place. */
static int add_own(const struct reading *r, uint32_t node)
{
    const struct mpj_prof_func *const f = &r->p->func[r->p->node[node].func];
    json_t *const row = row_of(r->functions, f->label);

    if (f->file != NULL && is_programs(f) && json_object_get(row, "at") == NULL)
        add_place(r, f, row);
    add(row, "calls", (double)r->p->node[node].calls);
    return add_with_stalls(r, node, row);
}

/* Adds calls of one function of the program by another. */
static void add_edge(const struct reading *r, const char *caller, const char *callee, double calls)
{
    char name[2 * NAME_BYTES + 8];

    if (calls <= 0 || strcmp(caller, callee) == 0)
        return;
    snprintf(name, sizeof(name), "%.*s" MPJ_BLAME_CALLS "%.*s", NAME_BYTES, caller, NAME_BYTES,
             callee);
    add(row_of(r->callers, name), "calls", calls);
}

/* True if the executions of an inlined function's node are known. */
static bool is_counted(const struct reading *r, uint32_t node)
{
    const struct mpj_profile *const p = r->p;
    const struct mpj_prof_node *const in = &p->node[container_of(r, node)];
    const struct mpj_prof_func *const f = &p->func[p->node[node].func];
    size_t at = 0;
    size_t end = r->inlinings;

    while (at < end) {
        const size_t middle = at + (end - at) / 2;
        if (r->inlining[middle].function < in->address)
            at = middle + 1;
        else
            end = middle;
    }
    while (at < r->inlinings && r->inlining[at].function == in->address &&
           !is_inlined_as(f, &r->inlining[at].what))
        at++;
    return at < r->inlinings && r->inlining[at].function == in->address;
}

/* Adds the executions of inlined functions as calls by what they are inlined into. */
static void add_inlinings(const struct reading *r)
{
    for (size_t i = 0; i < r->inlinings; i++) {
        const struct blame_inlining *const x = &r->inlining[i];
        const struct mpj_prof_func *const in = mpj_profile_at(r->p, x->function);

        if (in == NULL || !is_programs(in))
            continue;
        add_edge(r, x->by.name != NULL ? label_of(r, x->by.name, x->by.file) : in->label,
                 label_of(r, x->what.name, x->what.file), (double)x->calls);
    }
}

/* Adds the calls of a node by the function of the program above it, or by those inlined there. */
static int add_caller(const struct reading *r, uint32_t node)
{
    const struct mpj_prof_node *const n = &r->p->node[node];
    const uint32_t up = n->parent != MPJ_PROF_NO_PARENT ? r->owner[n->parent] : node;
    const struct mpj_prof_func *const by = &r->p->func[r->p->node[up].func];
    const char *const callee = r->p->func[n->func].label;
    const struct blame_share *share = NULL;
    uint64_t calls = 0;
    unsigned shares = 0;

    if (up != node && r->p->func[n->func].kind == MPJ_FUNC_INLINED && n->calls == 0 &&
        !is_counted(r, node))
        add_edge(r, by->label, callee, (double)r->p->node[up].calls); /* so often at least */
    if (up == node || n->calls == 0 || !is_programs(by))
        return MPJ_E_OK;
    if (up == n->parent && r->p->node[up].address >= 0 && n->address >= 0 &&
        blame_calls_shares(r->calls, (uint32_t)r->p->node[up].address, (uint32_t)n->address, &share,
                           &shares, r->err) != MPJ_E_OK)
        return r->err->code;
    for (unsigned i = 0; i < shares; i++)
        calls += share[i].calls;
    for (unsigned i = 0; i < shares; i++)
        add_edge(r,
                 share[i].by.name != NULL ? label_of(r, share[i].by.name, share[i].by.file)
                                          : by->label,
                 callee, (double)n->calls * (double)share[i].calls / (double)calls);
    if (shares == 0)
        add_edge(r, by->label, callee, (double)n->calls);
    return MPJ_E_OK;
}

/* True for the functions of the scheduler: what they do depends on other threads. */
static bool meets_others(const struct mpj_prof_func *f)
{
    return f->kind == MPJ_FUNC_RUNTIME && strncmp(f->name, "mpj_sched_", 10) == 0;
}

/* Adds the runtime's costs to the function that called it, and separately: "function > callee".
 * caller: its label. */
static void add_called(const struct reading *r, uint32_t node, const char *caller, double share)
{
    const uint32_t entry = r->entry[node];
    char name[2 * NAME_BYTES + 8];
    json_t *row;

    snprintf(name, sizeof(name), "%.*s" MPJ_BLAME_CALLS "%.*s", NAME_BYTES, caller, NAME_BYTES,
             r->p->func[r->p->node[entry].func].name);
    row = row_of(r->runtime, name);
    if (node == entry)
        add(row, "calls", (double)r->p->node[node].calls * share);
    if (meets_others(&r->p->func[r->p->node[node].func]))
        add(row, "meets", (double)r->p->node[node].calls * share);
    add_costs(r, row, node, share, false);
    add_costs(r, row_of(r->functions, caller), node, share, true);
}

/* Distributes runtime costs by the calls of the functions inlined into the caller. */
static int add_runtime(const struct reading *r, uint32_t node)
{
    const struct mpj_prof_node *const from = &r->p->node[r->owner[node]];
    const struct mpj_prof_node *const to = &r->p->node[r->entry[node]];
    const char *const caller = r->p->func[from->func].label;
    const struct blame_share *share = NULL;
    uint64_t calls = 0;
    unsigned n = 0;

    if (from->address >= 0 && to->address >= 0 &&
        blame_calls_shares(r->calls, (uint32_t)from->address, (uint32_t)to->address, &share, &n,
                           r->err) != MPJ_E_OK)
        return r->err->code;
    for (unsigned i = 0; i < n; i++)
        calls += share[i].calls;
    for (unsigned i = 0; i < n; i++)
        add_called(r, node,
                   share[i].by.name != NULL ? label_of(r, share[i].by.name, share[i].by.file)
                                            : caller,
                   (double)share[i].calls / (double)calls);
    if (n == 0)
        add_called(r, node, caller, 1);
    return MPJ_E_OK;
}

/* Sets the owner and the entry of each node. */
static void find_owners(const struct reading *r)
{
    const struct mpj_profile *const p = r->p;

    for (uint32_t i = 0; i < p->nodes; i++) {
        const uint32_t up = p->node[i].parent;
        const bool called = p->func[p->node[i].func].kind == MPJ_FUNC_RUNTIME &&
                            up != MPJ_PROF_NO_PARENT &&
                            is_programs(&p->func[p->node[r->owner[up]].func]);
        r->owner[i] = called ? r->owner[up] : i;
        r->entry[i] = called && r->owner[up] != up ? r->entry[up] : i;
    }
}

static int add_nodes(const struct reading *r)
{
    const struct mpj_profile *const p = r->p;
    int result = MPJ_E_OK;

    for (uint32_t i = 0; i < p->nodes && result == MPJ_E_OK; i++) {
        const bool called = r->owner[i] != i;
        if (called)
            result = add_runtime(r, i);
        else
            result = add_own(r, i);
        if (result == MPJ_E_OK && !called && is_programs(&p->func[p->node[i].func]))
            result = add_caller(r, i);
    }
    return result;
}

/* Returns the label of the function that a wait was called from. */
static const char *waiter(const struct reading *r, const struct mpj_where *caller)
{
    const uint32_t call = caller->address - 1U; /* within the call */
    const struct mpj_inlined inlined = blame_calls_inlined(r->calls, call);
    const struct mpj_prof_func *const in = mpj_profile_at(r->p, call);
    const char *name = caller->function;
    const size_t length = (size_t)(mpj_copy_suffix(name) - name);

    if (inlined.name != NULL)
        return label_of(r, inlined.name, inlined.file);
    if (in != NULL && strlen(in->name) == length && strncmp(in->name, name, length) == 0)
        return in->label;
    return label_of(r, name, NULL);
}

static void add_waits(const struct reading *r, const struct mpj_run *run)
{
    for (unsigned i = 0; i < run->waits; i++) {
        const struct mpj_wait_result *const w = &run->wait[i];
        if (w->caller.function != NULL && mpj_wait_is_block(w->kind))
            add(row_of(r->functions, waiter(r, &w->caller)), "wait", w->total_s * 1e9);
    }
}

/*
 * Sums of cells in femtojoules are rounded once for each node: for some thousand nodes that is
 * below the resolution of a limit.
 */
static int read_profile(struct reading *r, const char *store, const char *elf)
{
    r->calls = blame_calls_open(store, elf);
    r->source = blame_source_open(store, elf);
    r->owner = calloc(r->p->nodes + 1U, sizeof(*r->owner));
    r->entry = calloc(r->p->nodes + 1U, sizeof(*r->entry));
    r->waiting = calloc(r->p->nodes + 1U, sizeof(*r->waiting));
    r->critical = calloc(r->run->threads + 1U, sizeof(*r->critical));
    if (r->calls == NULL || r->owner == NULL || r->entry == NULL || r->critical == NULL ||
        r->waiting == NULL)
        return mpj_err_nomem(r->err);
    r->instructions = mpj_profile_item(r->p, CAUSE "instr");
    if (blame_calls_inlinings(r->calls, &r->inlining, &r->inlinings, r->err) != MPJ_E_OK)
        return r->err->code;
    find_owners(r);
    if (criticality(r) != MPJ_E_OK || add_nodes(r) != MPJ_E_OK)
        return r->err->code;
    add_inlinings(r);
    add_waits(r, r->run);
    return MPJ_E_OK;
}

int mpj_blame_tables(json_t *o, const struct mpj_run *run, const char *store, const char *elf,
                     struct mpj_err *err)
{
    struct reading r = {.functions = row_of(o, "functions"),
                        .runtime = row_of(o, "runtime"),
                        .callers = row_of(o, "callers"),
                        .p = run->profile,
                        .run = run,
                        .err = err};
    const int result = run->profile != NULL ? read_profile(&r, store, elf) : MPJ_E_OK;

    free(r.owner);
    free(r.entry);
    free(r.waiting);
    free(r.critical);
    blame_calls_free(r.calls);
    blame_source_free(r.source);
    return result;
}
