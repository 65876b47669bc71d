/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_functions.h"

#include <stddef.h>
#include <string.h>

#include "func_int.h"
#include "hal_cpu.h"
#include "hal_sys.h"
#include "mpj_out.h"
#include "mpj_prof.h"

extern const uint32_t __func_entries[], __func_entries_end[];
extern uint32_t __func_veneers[], __text_end[];

#define fn          mpj_func

#define TICKS_SHIFT 16U   /* less than a period */
#define SMALL_ERROR 1000U /* as that part of the time that was measured */

struct mpj_func_state fn = {.group = -1};

/* ---- periods: core 0, IRQ masked ------------------------------------------------------------ */

/* Takes the number of calls since one was measured last. */
static uint32_t take_counted(struct mpj_func_cell *cell)
{
    const int32_t calls = cell->each - cell->left + cell->owed;

    cell->left = cell->each = 1;
    cell->owed = 0;
    return (uint32_t)calls;
}

/* Begins a period of --records: takes the calls that were counted since the records were complete,
 * on all cores. */
static void begin_records(uint32_t i)
{
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++)
        fn.func[i].calls += take_counted(mpj_func_cell_of(core, i, 0));
    fn.func[i].left = (int32_t)fn.records;
}

static void switch_group(int32_t next)
{
    const uint64_t now = hal_sys_ticks();
    const int32_t was = fn.group;

    fn.group = -1; /* nothing is counted during the switch */
    if (was >= 0)
        fn.active[was] += now - fn.since;
    for (uint32_t i = 0; i < fn.count && was >= 0 && next != was; i++) {
        const struct mpj_func *const f = &fn.func[i];

        if (f->seen && (next < 0 || (f->group == was && !f->always)))
            mpj_func_patch(i, false);
    }
    for (uint32_t i = (uint32_t)next; next >= 0 && i < fn.count; i += fn.cfg.groups) {
        if (fn.records != 0)
            begin_records(i);
        if (next != was)
            mpj_func_patch(i, true);
    }
    fn.since = now;
    fn.group = next;
    if (next != was)
        mpj_func_fetch();
}

/* Returns a square root, rounded down. */
static uint32_t root(uint64_t x)
{
    uint64_t r = 0;

    for (unsigned bit = 32; bit-- > 0;) {
        const uint64_t more = r | UINT64_C(1) << bit;

        if (more * more <= x)
            r = more;
    }
    return (uint32_t)r;
}

/* Returns the sum of squares of a function's error, for the calls that were measured. */
static uint64_t squares_of(uint32_t i)
{
    uint64_t sum = 0;

    for (unsigned core = 0; core < MPJ_CORES_MAX; core++) {
        for (uint32_t site = 0; site <= fn.sites; site += 4U)
            sum += mpj_func_cell_of(core, i, site)->squares;
    }
    return sum;
}

/* Returns the error of a group's functions that are measured in its periods only, for a fixed part
 * of its time. Functions whose error is small are left out, and noted: to measure more of their
 * calls would cost more than it is worth. */
static uint32_t error_of(uint32_t group)
{
    const uint64_t cycles =
        fn.active[group] * (hal_sys_clock_hz() / 1000U) / (HAL_SYS_TIME_HZ / 1000U);
    uint64_t sum = 0;

    for (uint32_t i = group; i < fn.count; i += fn.cfg.groups) {
        struct mpj_func *const f = &fn.func[i];
        uint64_t squares;

        if (!f->seen || f->always)
            continue;
        squares = squares_of(i);
        f->exact = (uint64_t)root(squares) << MPJ_FUNC_SQUARE_SHIFT < cycles / SMALL_ERROR;
        if (!f->exact)
            sum += squares;
    }
    return root(sum / ((fn.active[group] >> TICKS_SHIFT) + 1U));
}

/* Divides the periods of the coming rounds: one for each group, and as many again in proportion to
 * the groups' errors, so that the periods go where the error is widest, unless all are small. */
static void divide_slots(void)
{
    uint32_t error[MPJ_TRACE_GROUPS_MAX];
    uint64_t all = 0;

    for (uint32_t g = 0; g < fn.cfg.groups; g++) {
        error[g] = error_of(g);
        all += error[g];
    }
    fn.slots = fn.cfg.groups;
    for (uint32_t g = 0; g < fn.cfg.groups; g++) {
        uint32_t more = all > 0 ? (uint32_t)((uint64_t)fn.cfg.groups * error[g] / all) : 0U;

        fn.order[g] = (uint8_t)g;
        while (more-- > 0)
            fn.order[fn.slots++] = (uint8_t)g;
    }
    fn.judge_at = 2U * fn.done;
}

/* Returns the next group. In each round of periods every group has one or more, in a random order:
 * a program may repeat itself with the period of a round. */
static int32_t next_group(void)
{
    if (fn.slot == fn.slots) {
        fn.slot = 0;
        if (fn.done >= fn.judge_at)
            divide_slots();
        for (uint32_t i = fn.slots; i-- > 1U;) { /* Fisher-Yates shuffle */
            const uint32_t k = mpj_func_random(&fn.core[0].random) % (i + 1U);
            const uint8_t was = fn.order[i];

            fn.order[i] = fn.order[k];
            fn.order[k] = was;
        }
    }
    return fn.order[fn.slot++];
}

/* Ends the warm-up. */
static void begin_periods(uint64_t now)
{
    fn.begun = true;
    for (uint32_t i = 0; i < fn.count; i++)
        mpj_func_patch(i, true);
    switch_group(0);
    fn.began = fn.since = now;
}

void mpj_functions_tick(void)
{
    if (!fn.on || ++fn.tick < (fn.begun ? fn.length : fn.warm))
        return;
    fn.tick = 0;
    if (!fn.begun) {
        begin_periods(hal_sys_ticks());
        return;
    }
    if (fn.began == 0) /* there was no warm-up */
        fn.began = fn.since = mpj_prof_begin_time();
    fn.done++;
    if (fn.cfg.periods != 0 && fn.done >= fn.cfg.periods)
        switch_group(-1);
    else
        switch_group(next_group());
}

/* ---- begin and end -------------------------------------------------------------------------- */

static void *memory(size_t bytes)
{
    void *const p = mpj_mem_sbrk((intptr_t)((bytes + 31U) & ~(size_t)31U));

    if (p == (void *)-1)
        return NULL;
    memset(p, 0, bytes);
    return p;
}

int mpj_functions_configure(const struct mpj_trace_config *cfg, const uint8_t *chosen,
                            uint32_t sample_us, const char **why)
{
    *why = NULL;
    fn.cfg = *cfg;
    fn.brief = cfg->brief;
    fn.records = cfg->records;
    fn.count = (uint32_t)(__func_entries_end - __func_entries);
    if (fn.count == 0)
        *why = "the program has no entries to measure: compile it with `mpjoule cc --functions`";
    else if (fn.count > MPJ_FUNC_MAX)
        *why = "the program has more than 16384 functions: compile fewer files with --functions";
    else if (hal_cpu_id() != 0 || __func_veneers > __text_end + 0x400000)
        *why = "the program's code is too large for entries to be measured";
    else if (cfg->groups == 0 || cfg->groups > MPJ_TRACE_GROUPS_MAX)
        *why = "functions are in 1 to 64 groups";
    if (*why != NULL)
        return MPJ_TERR_CONFIG;
    while (1U << fn.cells < (fn.count + 1U) << MPJ_FUNC_SITE_BITS)
        fn.cells++;
    fn.sites = cfg->records == 0 ? (MPJ_FUNC_SITES - 1U) << 2 : 0U;
    fn.func = memory((fn.count + 1U) * sizeof(*fn.func)); /* one more for the probe */
    fn.cell = memory(((size_t)MPJ_CORES_MAX << fn.cells) * sizeof(*fn.cell));
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++) {
        fn.core[core].edge = memory(MPJ_FUNC_EDGES * sizeof(*fn.core[0].edge));
        fn.core[core].live = mpj_prof_live(core);
    }
    fn.shadow = memory(MPJ_THREADS_MAX * sizeof(*fn.shadow));
    if (fn.func == NULL || fn.cell == NULL || fn.core[MPJ_CORES_MAX - 1U].edge == NULL ||
        fn.shadow == NULL) {
        *why = "no memory for the functions to be measured";
        return MPJ_TERR_CONFIG;
    }
    fn.warm = (cfg->warm_us + sample_us - 1U) / sample_us;
    fn.length = cfg->period_us == 0 ? 1U : (cfg->period_us + sample_us - 1U) / sample_us;
    for (uint32_t i = 0; i < cfg->groups; i++)
        fn.order[i] = (uint8_t)i;
    fn.slots = cfg->groups;
    fn.slot = 1; /* the first group has begun */
    fn.judge_at = 2U * cfg->groups;
    fn.code = fn.code_size = 0;
    for (uint32_t i = 0; i < fn.count; i++) {
        const uint32_t at = __func_entries[i] & ~3U;

        if (i == 0 || at < fn.code) {
            fn.code_size += i == 0 ? 0U : fn.code - at;
            fn.code = at;
        } else if (at - fn.code > fn.code_size) {
            fn.code_size = at - fn.code;
        }
    }
    mpj_func_make();
    fn.times = (cfg->flags & MPJ_TRACE_CALLS) != 0; /* not for the probe */
    for (uint32_t i = 0; i < fn.count && (cfg->flags & MPJ_TRACE_CHOICE) != 0; i++)
        fn.func[i].left_out = (chosen[i / 8U] & 1U << i % 8U) == 0;
    fn.all = cfg->brief == 0;
    fn.least = (uint64_t)cfg->least_ns * (hal_sys_clock_hz() / 1000000U) / 1000U;
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++)
        fn.core[core].used = 0;
    if (fn.warm == 0)
        begin_periods(0);
    fn.on = true;
    return 0;
}

static int put_function(struct mpj_writer *w, const void *rec)
{
    return mpj_function_put(w, rec);
}

static int put_groups(struct mpj_writer *w, const void *rec)
{
    return mpj_func_groups_put(w, rec);
}

/* Returns the address after the calls, with MPJ_FUNC_FIRST. */
static uint32_t caller_of(const struct mpj_func_edge *e)
{
    return e->outside ? e->caller ^ e->above << MPJ_FUNC_ABOVE : e->caller;
}

/* Returns the edge's cell; NULL: calls that are not scaled. */
static struct mpj_func_cell *cell_of(const struct mpj_func_edge *e, unsigned core)
{
    return (e->caller & MPJ_FUNC_FIRST) != 0 ? NULL
                                             : mpj_func_cell_of(core, e->func - 1U, caller_of(e));
}

static void send_edge(const struct mpj_func_edge *e, unsigned core)
{
    const struct mpj_func *const f = &fn.func[e->func - 1U];
    const uint16_t *const event = mpj_prof_pair(0);
    const bool first = (e->caller & MPJ_FUNC_FIRST) != 0;
    struct mpj_function_rec r = {.entry = f->entry,
                                 .caller = caller_of(e) & ~MPJ_FUNC_FIRST,
                                 .flags = first       ? MPJ_FUNCTION_FIRST
                                          : f->always ? MPJ_FUNCTION_ALWAYS
                                                      : 0U,
                                 .group = f->group,
                                 .calls = first             ? f->entered
                                          : fn.records == 0 ? e->calls + e->more
                                                            : f->calls,
                                 .measured = first             ? f->firsts
                                             : fn.records == 0 ? e->calls
                                                               : f->measured,
                                 .here = e->calls,
                                 .cycles = e->v[HAL_PMU_CCNT],
                                 .records = e->records,
                                 .core = core,
                                 .above = e->above > 0 ? fn.func[e->above - 1U].entry : 0U};
    struct mpj_func_cell *const cell = cell_of(e, core);

    r.usual = f->usual;
    if (cell != NULL) { /* of several edges of a cell the first has the squares of all */
        r.squares = cell->squares;
        cell->squares = 0;
    }

    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
        if (event[i] != MPJ_EVENT_NONE)
            r.ev[r.count++] = (struct mpj_event_value){event[i], e->v[i], 0};
    }
    (void)mpj_out_record(put_function, &r);
}

/* Returns the next pair of all cores from *at on, and its core; NULL: there is none. */
static struct mpj_func_edge *next_edge(uint32_t *at, unsigned *core)
{
    while (*at < MPJ_CORES_MAX * MPJ_FUNC_EDGES) {
        const uint32_t i = (*at)++;
        struct mpj_func_edge *const e = &fn.core[i / MPJ_FUNC_EDGES].edge[i % MPJ_FUNC_EDGES];

        *core = i / MPJ_FUNC_EDGES;
        if (e->func != 0)
            return e;
    }
    return NULL;
}

/* Distributes the calls that were counted after the last measured one: like the calls that measured
 * ones of the same cell represent. Measured calls that represent only themselves are left out. */
static void share_counted(void)
{
    struct mpj_func_edge *e;
    unsigned core;

    for (uint32_t i = 0; i < (MPJ_CORES_MAX << fn.cells); i++) {
        fn.cell[i].owed = (int32_t)take_counted(&fn.cell[i]);
        fn.cell[i].left = 0;
    }
    for (uint32_t at = 0; (e = next_edge(&at, &core)) != NULL;) {
        struct mpj_func_cell *const cell = cell_of(e, core);

        if (cell != NULL && e->calls > e->records)
            cell->left += (int32_t)e->calls;
    }
    for (uint32_t at = 0; (e = next_edge(&at, &core)) != NULL;) {
        const struct mpj_func_cell *const cell = cell_of(e, core);

        if (cell != NULL && e->calls > e->records)
            e->more = (uint32_t)((uint64_t)(uint32_t)cell->owed * e->calls / (uint32_t)cell->left);
    }
}

/* Adds up the calls of each function in periods of its group. */
static void add_up(void)
{
    const struct mpj_func_edge *e;
    unsigned core;

    for (uint32_t i = 0; i < fn.count; i++) {
        fn.func[i].firsts = 0; /* concurrent ones may have been missed */
        for (core = 0; core < MPJ_CORES_MAX && fn.records != 0; core++)
            fn.func[i].calls += take_counted(mpj_func_cell_of(core, i, 0));
    }
    for (uint32_t at = 0; (e = next_edge(&at, &core)) != NULL;) {
        struct mpj_func *const f = &fn.func[e->func - 1U];

        *((e->caller & MPJ_FUNC_FIRST) != 0 ? &f->firsts : &f->measured) += e->calls;
    }
    if (fn.records == 0)
        share_counted();
}

void mpj_functions_send(void)
{
    static struct mpj_func_groups_rec g;
    const struct mpj_func_edge *e;
    unsigned events = 0;
    unsigned core;

    if (!fn.on)
        return;
    fn.on = false;
    if (fn.began == 0 && fn.begun)
        fn.began = fn.since = mpj_prof_begin_time();
    if (fn.group >= 0)
        fn.active[fn.group] += mpj_prof_end_time() - fn.since;
    fn.group = -1;
    mpj_func_close_all();
    g = (struct mpj_func_groups_rec){.functions = fn.count,
                                     .periods = fn.done,
                                     .ticks = fn.began != 0 ? mpj_prof_end_time() - fn.began : 0U,
                                     .deep = fn.deep,
                                     .count = fn.cfg.groups};
    memcpy(g.active, fn.active, sizeof(g.active));
    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
        if (mpj_prof_pair(0)[i] != MPJ_EVENT_NONE)
            g.passed[events++] = fn.passed[i];
    }
    g.passed[MPJ_PMU_COUNTERS] = fn.passed[HAL_PMU_CCNT];
    for (core = 0; core < MPJ_CORES_MAX; core++)
        g.used += fn.core[core].used;
    add_up();
    (void)mpj_out_record(put_groups, &g);
    for (uint32_t at = 0; (e = next_edge(&at, &core)) != NULL;) {
        if (!fn.func[e->func - 1U].left_out)
            send_edge(e, core);
    }
    mpj_out_dropped(MPJ_REC_FUNCTION, fn.lost);
}
