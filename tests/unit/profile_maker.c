/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile_maker.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "log_maker.h"
#include "report/store.h"
#include "store/profile_put.h"

#define NONE   PROFILE_NONE
#define REGION 0x8100
#define BEGIN  100000U
#define LENGTH 50000U /* us */
#define STEP   10U    /* us, of the waveform */
#define MUTEX  1      /* kind of wait, as the target reports it */

const struct maker_node maker_nodes[MAKER_NODES] = {
    {1, NONE, "main", 1, NONE, NONE, 1, 1000000, 10},
    {2, 1, "fib", 1, NONE, NONE, 1, 100000, 0},
    {3, 2, "fib", 1, NONE, NONE, 2, 200000, 0},
    {4, 3, "fib", 1, NONE, NONE, 4, 400000, 0},
    {5, 1, "work", 1, NONE, NONE, 10, 3000000, 5000},
    {6, 5, "helper", 1, NONE, NONE, 10, 700000, 0},
    {7, 6, "memcpy", 1, NONE, NONE, 5, 300000, 2000},
    {8, 5, "tail", 1, NONE, NONE, 10, 900000, 0},
    {9, 5, "on_timer", 1, NONE, NONE, 1, 50000, 1},
    {10, 5, "fib", 1, NONE, NONE, 1, 30000, 0},
    {11, NONE, "worker", 2, NONE, NONE, 1, 2000000, 0},
    {12, 11, "work", 2, NONE, REGION, 3, 1500000, 700},
    {13, 12, "helper", 2, NONE, REGION, 3, 210000, 0},
    {14, 12, "memcpy", 2, NONE, REGION, 2, 120000, 300},
    {15, 1, "odd;name \"x\" <é>", 1, NONE, NONE, 7, 70000, 0},
    {16, NONE, "idle", NONE, 1, NONE, 1, 4000000, 0},
};

static const struct profile_func funcs[] = {
    {1, "main", NULL, "app.c", 10, 0x8000, MPJ_FUNC_PROGRAM},
    {2, "fib", NULL, "app.c", 20, 0x8020, MPJ_FUNC_PROGRAM},
    {3, "work", NULL, "app.c", 30, 0x8040, MPJ_FUNC_PROGRAM},
    {4, "helper", NULL, "app.c", 40, NONE, MPJ_FUNC_INLINED},
    {5, "memcpy", NULL, NULL, 0, 0x9000, MPJ_FUNC_RUNTIME},
    {6, "tail", NULL, "app.c", 50, 0x8060, MPJ_FUNC_PROGRAM},
    {7, "on_timer", NULL, NULL, 0, 0x9100, MPJ_FUNC_INTERRUPT},
    {8, "worker", NULL, "sub dir/par.c", 60, REGION, MPJ_FUNC_PROGRAM},
    {9, "odd;name \"x\" <é>", NULL, "a\"b,c.c", 70, 0x8180, MPJ_FUNC_PROGRAM},
    {10, "idle", NULL, NULL, 0, NONE, MPJ_FUNC_IDLE},
};

static struct mpj_err err;

static uint64_t energy(const struct maker_node *n)
{
    return n->cycles * MAKER_FJ_CYCLE + n->misses * MAKER_FJ_MISS;
}

/* ---- the log: threads, a mark, the truth ---------------------------------------------- */

static void add_thread(uint32_t id, const char *name, uint64_t run)
{
    const struct mpj_thread_rec t = {.id = id,
                                     .parent = id - 1,
                                     .created = BEGIN + 100 * (id - 1),
                                     .ended = BEGIN + LENGTH - 100 * (id - 1),
                                     .run = run,
                                     .switches = 2,
                                     .cycles = run * 210,
                                     .core_run = {run},
                                     .name = {(const uint8_t *)name, strlen(name)}};

    log_data(mpj_thread_put(log_payload(), &t));
}

static void add_truth(void)
{
    uint64_t cycles = 0;
    uint64_t misses = 0;
    uint64_t fj = 0;
    char *text = NULL;

    for (unsigned i = 0; i < MAKER_NODES; i++) {
        cycles += maker_nodes[i].cycles;
        misses += maker_nodes[i].misses;
        fj += energy(&maker_nodes[i]);
    }
    assert_true(
        asprintf(&text,
                 "{\"schema\":\"mpjoule-truth/1\",\"windows\":1,\"window\":{\"cycles\":%d,"
                 "\"energy_fj\":%" PRIu64 ",\"shared_energy_fj\":%" PRIu64
                 ",\"cores\":[{\"core\":0,\"cycles\":%" PRIu64 ",\"wfi_cycles\":4000000,"
                 "\"energy_fj\":%" PRIu64 ",\"bounded_cycles\":0,\"events\":{\"instr\":%" PRIu64
                 ",\"dcache_rd_miss\":%" PRIu64 "}}],\"scu\":{\"events\":{\"scu_ext_rd\":1234}},"
                 "\"l2\":{\"events\":{\"l2_drreq\":1000}}},\"contexts\":[]}",
                 10500000, fj + MAKER_CHIP_FJ, MAKER_CHIP_FJ, cycles, fj, cycles / 2, misses) > 0);
    mpj_put_raw(log_payload(), text, strlen(text));
    log_frame(MPJ_LOG_TRUTH);
    free(text);
}

static void make_log(const char *path, const char *target)
{
    static const uint8_t mark[] = "half";
    const struct mpj_mark k = {.time = BEGIN + 25000,
                               .core = 0,
                               .thread = 1,
                               .name = {mark, sizeof(mark) - 1},
                               .value = 42};
    const struct mpj_region_rec region = {.fn = REGION,
                                          .thread = 2,
                                          .size = 2,
                                          .calls = 1,
                                          .wall = 8714,
                                          .run = 8714,
                                          .cycles = 1830000};

    const bool modelled = strcmp(target, "sim") == 0;

    log_begin(path, target, BEGIN);
    log_meta("program", "made.elf");
    log_meta("calibration", "mprofiler"); /* a board's: that of its entry in boards.yaml */
    if (modelled)
        log_meta("quantum", "500");
    log_meta("firmware_sha256", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
    for (unsigned i = 0; i < LENGTH / LOG_PERIOD; i++)
        log_sample(i, BEGIN + 5000 + i * LOG_PERIOD, 2000, 1700);
    log_data(mpj_mark_put(log_payload(), &k));
    add_thread(1, "main", 32142);
    add_thread(2, "run", 18238);
    log_data(mpj_region_put(log_payload(), &region));
    if (modelled)
        add_truth();
    log_end(BEGIN + LENGTH, 0);
}

/* ---- the profile ---------------------------------------------------------------------- */

static uint32_t func_id(const char *name)
{
    for (unsigned i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++) {
        if (strcmp(funcs[i].name, name) == 0)
            return funcs[i].id;
    }
    fail();
    return 0;
}

static void add_node(struct import *m, const struct maker_node *n, uint64_t extra)
{
    const struct profile_node node = {n->id,   n->parent, func_id(n->func), n->thread,
                                      n->core, n->region, n->calls};
    const uint64_t c = n->cycles;

    assert_int_equal(profile_node(m, MPJ_PROF_TRUTH, &node), 0);
    assert_int_equal(profile_cost(m, MPJ_PROF_TRUTH, n->id, "cycles", c + extra), 0);
    assert_int_equal(profile_cost(m, MPJ_PROF_TRUTH, n->id, "instr", c / 2), 0);
    assert_int_equal(profile_cost(m, MPJ_PROF_TRUTH, n->id, "dcache_rd_miss", n->misses), 0);
    assert_int_equal(profile_cost(m, MPJ_PROF_TRUTH, n->id, "energy_fj", energy(n)), 0);
    assert_int_equal(profile_cost(m, MPJ_PROF_TRUTH, n->id, "fj:clock", c * 60000), 0);
    assert_int_equal(profile_cost(m, MPJ_PROF_TRUTH, n->id, "fj:leakage", c * 30000), 0);
    assert_int_equal(profile_cost(m, MPJ_PROF_TRUTH, n->id, "fj:instr", c * 10000), 0);
    assert_int_equal(profile_cost(m, MPJ_PROF_TRUTH, n->id, "fj:memory", n->misses * MAKER_FJ_MISS),
                     0);
}

static void add_moments(struct import *m, enum mpj_prof_source source, uint32_t more)
{
    static const struct profile_moment known[] = {
        {0, 0, 0, 1, MPJ_MOMENT_RUNS, 0, 0, 0},
        {0, 100, 1, 2, MPJ_MOMENT_RUNS, 0, 0, 0},
        {0, 5000, 1, 2, MPJ_MOMENT_REGION_BEGIN, REGION, 0, 2},
        {0, 10000, 1, 2, MPJ_MOMENT_WAITS, 0x9800, 1, MUTEX},
        {0, 10000, 1, 2, MPJ_MOMENT_STOPS, 0, 0, MPJ_STOP_BLOCKED},
        {0, 20000, 0, 1, MPJ_MOMENT_SAMPLE, 0x8044, 0x8010, 0},
        {0, 25000, 0, 1, MPJ_MOMENT_MARK, 0, 0, 42},
        {0, 30000, 1, 2, MPJ_MOMENT_WAITED, 0x9800, 0, 0},
        {0, 30000, 1, 2, MPJ_MOMENT_RUNS, 0, 0, 0},
        {0, 33000, 1, 2, MPJ_MOMENT_REGION_END, REGION, 0, 0},
        {0, 43000, 1, 2, MPJ_MOMENT_STOPS, 0, 0, MPJ_STOP_ENDED},
        {0, 50000, 0, 1, MPJ_MOMENT_STOPS, 0, 0, MPJ_STOP_ENDED},
    };
    uint32_t seq = 0;

    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct profile_moment x = known[i];
        x.seq = seq++;
        x.time += BEGIN;
        assert_int_equal(profile_moment(m, source, &x), 0);
    }
    for (uint32_t i = 0; i < more; i++) {
        const bool on = i % 2 == 0;
        const struct profile_moment x = {seq++,
                                         BEGIN + i,
                                         2,
                                         1,
                                         on ? MPJ_MOMENT_RUNS : MPJ_MOMENT_STOPS,
                                         0,
                                         0,
                                         on ? 0 : MPJ_STOP_PREEMPTED};
        assert_int_equal(profile_moment(m, source, &x), 0);
    }
    assert_int_equal(profile_lost(m, source, 3), 0);
}

/* Power of core 0 rises, that of the chip is what is left of the truth's energy. */
static void add_wave(struct import *m)
{
    static uint64_t core[LENGTH / STEP];
    static uint64_t chip[LENGTH / STEP];
    const size_t steps = LENGTH / STEP;
    uint64_t all = MAKER_CHIP_FJ;

    for (unsigned i = 0; i < MAKER_NODES; i++)
        all += energy(&maker_nodes[i]);
    for (size_t i = 0; i < steps; i++) {
        core[i] = 100000000 + i * 1000;
        all -= core[i];
    }
    for (size_t i = 0; i < steps; i++)
        chip[i] = all / steps + (i == steps - 1 ? all % steps : 0);
    assert_int_equal(profile_wave(m, 0, BEGIN, STEP, core, steps), 0);
    assert_int_equal(profile_wave(m, PROFILE_NONE, BEGIN, STEP, chip, steps), 0);
}

/* Instructions of core 0: twice as many in the second half. */
static void add_counts(struct import *m)
{
    static uint64_t n[LENGTH / STEP];
    const size_t steps = LENGTH / STEP;
    uint64_t all = 0;

    for (unsigned i = 0; i < MAKER_NODES; i++)
        all += maker_nodes[i].cycles;
    all /= 2;
    for (size_t i = 0; i < steps; i++)
        n[i] = 2 * all * (i < steps / 2 ? 1 : 2) / (3 * steps);
    for (size_t i = 0; i < steps; i++)
        all -= n[i];
    n[steps - 1] += all;
    assert_int_equal(profile_counts(m, 0, "instr", BEGIN, STEP, n, LENGTH / STEP), 0);
}

static void add_insns(struct import *m)
{
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t at = 0x8040 + 4 * i;
        assert_int_equal(profile_insn(m, at, 1000 * (i + 1), 2000 * (i + 1)), 0);
        assert_int_equal(profile_insn_cost(m, at, "energy_fj", 3000000 * (i + 1)), 0);
    }
    assert_int_equal(profile_insn_cost(m, 0x8044, "dcache_rd_miss", 5000), 0);
}

int profile_add(const char *path, uint64_t extra_cycles, uint32_t moments)
{
    struct import m = {.log = "made.mplog", .err = &err};
    sqlite3_stmt *s = NULL;
    int result;

    assert_int_equal(sqlite3_open(path, &m.db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(m.db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    for (unsigned i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++)
        assert_int_equal(profile_func(&m, MPJ_PROF_TRUTH, &funcs[i]), 0);
    for (unsigned i = 0; i < MAKER_NODES; i++)
        add_node(&m, &maker_nodes[i], i == 0 ? extra_cycles : 0);
    assert_int_equal(profile_chip(&m, MPJ_PROF_TRUTH, "energy_fj", MAKER_CHIP_FJ), 0);
    assert_int_equal(profile_chip(&m, MPJ_PROF_TRUTH, "fj:clock", MAKER_CHIP_FJ / 4 * 3), 0);
    assert_int_equal(profile_chip(&m, MPJ_PROF_TRUTH, "fj:leakage", MAKER_CHIP_FJ / 4), 0);
    assert_int_equal(profile_chip(&m, MPJ_PROF_TRUTH, "scu_ext_rd", 1234), 0);
    assert_int_equal(profile_chip(&m, MPJ_PROF_TRUTH, "l2_drreq", 1000), 0);
    add_moments(&m, MPJ_PROF_TRUTH, moments);
    add_wave(&m);
    add_counts(&m);
    add_insns(&m);
    assert_int_equal(sqlite3_prepare_v2(m.db, "SELECT json FROM truth", -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    m.truth = strdup((const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    result = profile_check_sums(&m);
    if (result != MPJ_E_OK)
        print_message("%s\n", err.text);
    while (m.cached > 0)
        sqlite3_finalize(m.cache[--m.cached].stmt);
    assert_int_equal(sqlite3_exec(m.db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    free(m.truth);
    sqlite3_close(m.db);
    return result;
}

void profile_make(const char *path, uint32_t moments)
{
    char *log = NULL;

    assert_true(asprintf(&log, "%s.mplog", path) > 0);
    make_log(log, "sim");
    assert_int_equal(mpj_store_build(path, (const char *const *)&log, 1, NULL, &err), 0);
    free(log);
    assert_int_equal(profile_add(path, 0, moments), 0);
}

/* ---- on the target -------------------------------------------------------------------- */

#define SAMPLE_CYCLES 10000U

/* Whether such a profile knows of a function. */
static bool known(enum mpj_prof_source source, const char *name)
{
    const enum mpj_prof_kind kind = funcs[func_id(name) - 1U].kind;

    return source == MPJ_PROF_ENTRIES ? kind == MPJ_FUNC_PROGRAM
                                      : kind != MPJ_FUNC_INLINED && kind != MPJ_FUNC_INTERRUPT;
}

static void add_on_target(struct import *m, enum mpj_prof_source source, const struct maker_node *n)
{
    const bool entries = source == MPJ_PROF_ENTRIES;
    struct profile_node node = {n->id, n->parent, func_id(n->func), NONE, NONE, NONE, 0};

    if (!known(source, n->func))
        return;
    while (node.parent != NONE && !known(source, maker_nodes[node.parent - 1].func))
        node.parent = maker_nodes[node.parent - 1].parent;
    node.thread = entries ? NONE : n->thread;
    node.calls = entries ? n->calls : 0;
    assert_int_equal(profile_node(m, source, &node), 0);
    assert_int_equal(profile_cost(m, source, n->id, "cycles", n->cycles), 0);
    assert_int_equal(profile_cost(m, source, n->id, "dcache_rd_miss", n->misses), 0);
    if (entries)
        assert_int_equal(profile_cost(m, source, n->id, "energy_fj", energy(n)), 0);
    else
        assert_int_equal(profile_cost(m, source, n->id, "samples", n->cycles / SAMPLE_CYCLES), 0);
}

void profile_make_on_target(const char *path, enum mpj_prof_source source, bool moments)
{
    struct import m = {.log = "made.mplog", .err = &err};
    char *log = NULL;

    assert_true(asprintf(&log, "%s.mplog", path) > 0);
    make_log(log, "tile0");
    assert_int_equal(mpj_store_build(path, (const char *const *)&log, 1, NULL, &err), 0);
    free(log);
    assert_int_equal(sqlite3_open(path, &m.db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(m.db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    for (unsigned i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++) {
        if (known(source, funcs[i].name))
            assert_int_equal(profile_func(&m, source, &funcs[i]), 0);
    }
    for (unsigned i = 0; i < MAKER_NODES; i++)
        add_on_target(&m, source, &maker_nodes[i]);
    for (uint32_t i = 0; i < 3 && source == MPJ_PROF_SAMPLES; i++) {
        const struct profile_moment x = {
            i, BEGIN + 10000 * (i + 1), 0, 1, MPJ_MOMENT_SAMPLE, 0x8044, 0x8010, 0};
        assert_int_equal(profile_moment(&m, source, &x), 0);
    }
    if (moments)
        add_moments(&m, MPJ_PROF_SAMPLES, 0);
    while (m.cached > 0)
        sqlite3_finalize(m.cache[--m.cached].stmt);
    assert_int_equal(sqlite3_exec(m.db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(m.db);
}
