/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline from block to block. Random code is executed by two chips as the emulator does it:
 * one walks every block (the reference), the other charges what it foresaw and corrects it. Delays
 * of every kind fall on any instruction; times and stalls must be the same after each block.
 */
#include "chip_fixture.h"
#include "mpj_flow.h"

#define CODE  12U /* blocks of code, of up to INSNS instructions */
#define INSNS 14U
#define STEPS 20000U
#define KNOWN 4096U

static const uint32_t some[] = {
    0xe0810002, /* add r0, r1, r2 */
    0xe0833004, /* add r3, r3, r4 */
    0xe0010392, /* mul r1, r2, r3 */
    0xe0241695, /* mla r4, r5, r6, r1 */
    0xe0c21493, /* smull r1, r2, r3, r4 */
    0xe1a03412, /* lsl r3, r2, r4 */
    0xe3510000, /* cmp r1, #0 */
    0xe5921000, /* ldr r1, [r2] */
    0xe5935000, /* ldr r5, [r3] */
    0xe4946004, /* ldr r6, [r4], #4 */
    0xe8970007, /* ldm r7, {r0, r1, r2} */
    0xe5801000, /* str r1, [r0] */
    0xe8870078, /* stm r7, {r3, r4, r5, r6} */
    0xee300a81, /* fadds s0, s1, s2 */
    0xee210b02, /* fmuld d0, d1, d2 */
    0xee810b02, /* fdivd d0, d1, d2 */
    0xed900a00, /* flds s0, [r0] */
    0xed921b00, /* fldd d1, [r2] */
    0xeeb40a60, /* fcmps s0, s1 */
    0xeef1fa10, /* fmstat */
    0xee103a10, /* fmrs r3, s0 */
};
#define BEQ 0x0a000002U

struct variant {
    uint32_t code, entry, block, first, leaves;
    uint32_t cycles, ddep;
};

/* One chip and what the emulator has beside it. */
struct machine {
    struct board b;
    bool exact;
    uint32_t entry;
    uint64_t id;
    int64_t time, ddep; /* ddep: stalls for operands that were foreseen */
    struct variant known[KNOWN];
    unsigned count;
};

static uint32_t code[CODE][INSNS];
static unsigned length[CODE];
static bool folds[CODE];
static struct machine fast, exact;
static uint64_t state;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(state >> 33) % n;
}

static const struct variant *variant(struct machine *m, uint32_t which)
{
    for (unsigned i = 0; i < m->count; i++)
        if (m->known[i].code == which && m->known[i].entry == m->entry)
            return &m->known[i];
    struct mpj_chip *c = m->b.chip;
    struct variant *v = &m->known[m->count++];
    assert_true(m->count < KNOWN);
    *v = (struct variant){.code = which, .entry = m->entry};
    v->block = mpj_block_begin(c, m->entry);
    for (unsigned i = 0; i < length[which]; i++) {
        struct mpj_insn_cost cost;
        uint32_t n = mpj_block_insn(c, code[which][i], false, &cost);
        v->first = i == 0 ? n : v->first;
        v->cycles += cost.cycles;
        v->ddep += cost.ddep;
    }
    if (folds[which]) {
        mpj_block_folds(c, MPJ_FLOW_NOWHERE);
        v->cycles--;
    }
    v->leaves = m->exact ? 0 : mpj_block_residue(c, false, folds[which]);
    mpj_block_end(c);
    return v;
}

static void settle(struct machine *m)
{
    if (mpj_flow_busy(m->b.chip, 0))
        m->time += mpj_flow_finish(m->b.chip, 0);
}

static const struct variant *enter(struct machine *m, uint32_t which)
{
    const struct variant *v = variant(m, which);
    int32_t more = 0;
    settle(m);
    if (mpj_flow_busy(m->b.chip, 0)) {
        uint64_t id = m->id + length[which];
        switch (mpj_flow_enter(m->b.chip, 0, v->block, 0x8000, id, &more)) {
        case MPJ_FLOW_OTHER:
            assert_false(m->exact);
            m->entry = (uint32_t)more;
            v = variant(m, which);
            break;
        case MPJ_FLOW_WALKED:
            m->time += more;
            break;
        default:
            assert_int_equal(more, (int32_t)v->entry);
            break;
        }
    }
    m->time += v->cycles;
    m->ddep += v->ddep;
    m->id += length[which];
    return v;
}

static void check(const char *when)
{
    struct mpj_chip *f = fast.b.chip;
    struct mpj_chip *e = exact.b.chip;
    settle(&fast);
    settle(&exact);
    if (fast.time != exact.time)
        print_error("%s: %lld, reference %lld\n", when, (long long)fast.time,
                    (long long)exact.time);
    assert_true(fast.time == exact.time);
    assert_true(mpj_core_event(f, 0, MPJ_EV_LSU_STALL) == mpj_core_event(e, 0, MPJ_EV_LSU_STALL));
    /* Those that were foreseen are counted as the emulator does. */
    assert_true(fast.ddep + (int64_t)mpj_core_event(f, 0, MPJ_EV_DDEP_STALL) ==
                exact.ddep + (int64_t)mpj_core_event(e, 0, MPJ_EV_DDEP_STALL));
}

static void delay_at(struct machine *m, const struct variant *v, unsigned insn, uint32_t late,
                     uint32_t blocked, int64_t *now)
{
    *now = m->time - mpj_flow_rest(m->b.chip, 0, v->first + insn, m->id);
    m->time += mpj_flow_late(m->b.chip, 0, v->first + insn, m->id, late, blocked);
}

static bool is_load(uint32_t op)
{
    return op == 0xe5921000 || op == 0xe5935000 || op == 0xe4946004 || op == 0xe8970007 ||
           op == 0xed900a00 || op == 0xed921b00;
}

static bool is_store(uint32_t op)
{
    return op == 0xe5801000 || op == 0xe8870078;
}

/* Executes a block on both; delays fall on about one in `rare` accesses. */
static void step(uint32_t which, uint32_t rare)
{
    const struct variant *f = enter(&fast, which);
    const struct variant *e = enter(&exact, which);
    if (below(rare) == 0) {
        uint32_t stall = 1 + below(40);
        fast.time += mpj_flow_stall(fast.b.chip, 0, f->block, fast.id, stall);
        exact.time += mpj_flow_stall(exact.b.chip, 0, e->block, exact.id, stall);
    }
    unsigned n = length[which];
    for (unsigned i = 0; i < n; i++) {
        bool load = is_load(code[which][i]);
        if ((!load && !is_store(code[which][i])) || below(rare) != 0)
            continue;
        uint32_t late = load ? 1 + below(below(2) ? 30 : 200) : 0;
        uint32_t blocked = !load || below(4) == 0 ? 1 + below(30) : 0;
        int64_t now[2];
        delay_at(&fast, f, i, late, blocked, &now[0]);
        delay_at(&exact, e, i, late, blocked, &now[1]);
        assert_true(now[0] == now[1]);
    }
    if (below(40) == 0) { /* left in the middle, as for a device or before a contended access */
        unsigned left = 1 + below(n);
        bool keep = below(2);
        int64_t unexecuted[2] = {0, 0};
        struct machine *both[2] = {&fast, &exact};
        const struct variant *v[2] = {f, e};
        for (unsigned i = 0; i < 2; i++) {
            struct machine *m = both[i];
            /* What a row of the emulator's table gives back for each instruction. */
            struct mpj_pipe p;
            mpj_pipe_begin_after(&p, mpj_residue_of(m->b.chip, v[i]->entry));
            for (unsigned j = 0; j < n; j++) {
                struct mpj_insn_cost cost;
                mpj_pipe_insn(mpj_chip_params(m->b.chip), &p, code[which][j], false, &cost);
                if (j >= n - left) {
                    unexecuted[i] += cost.cycles;
                    m->ddep -= cost.ddep;
                }
            }
            unexecuted[i] -= folds[which];
            m->time -= unexecuted[i];
            m->time -= mpj_flow_leave(m->b.chip, 0, v[i]->block, m->id, left, keep);
            m->id -= left;
            m->entry = 0;
        }
        check("left");
        return;
    }
    uint32_t more = below(3) == 0 ? below(7) : 0; /* of the branch */
    fast.time += more;
    exact.time += more;
    mpj_flow_age(fast.b.chip, 0, more);
    mpj_flow_age(exact.b.chip, 0, more);
    fast.entry = mpj_residue_aged(fast.b.chip, f->leaves, more);
    exact.entry = 0;
    if (below(3) == 0)
        check("at a block's end");
}

static void open_both(uint64_t seed)
{
    state = seed;
    memset(&fast, 0, sizeof(fast));
    memset(&exact, 0, sizeof(exact));
    board_open(&fast.b, "mprofiler", 1);
    board_open(&exact.b, "mprofiler", 1);
    exact.exact = true;
    mpj_flow_exact(exact.b.chip, true);
    for (unsigned i = 0; i < CODE; i++) {
        length[i] = 1 + below(INSNS - 1);
        for (unsigned j = 0; j < length[i]; j++)
            code[i][j] = some[below(sizeof(some) / sizeof(*some))];
        folds[i] = length[i] > 1 && below(2);
        if (folds[i])
            code[i][length[i] - 1] = BEQ;
    }
}

static void close_both(void)
{
    board_close(&fast.b);
    board_close(&exact.b);
}

static void random_code(uint64_t seed, uint32_t rare)
{
    open_both(seed);
    uint32_t at = 0;
    for (unsigned i = 0; i < STEPS / rare + 500; i++) {
        step(at, rare);
        if (below(3) == 0) /* else the loop goes on */
            at = below(CODE);
    }
    check("at the end");
    close_both();
}

static void test_reference(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 12; seed++)
        random_code(seed, (uint32_t[]){2, 5, 30}[seed % 3]);
}

/* Straight through one long block or cut into two: the same cycles. */
static void test_cut(void **unused)
{
    (void)unused;
    open_both(99);
    static const uint32_t ops[] = {0xee810b02, 0xe5921000, 0xe0810002, 0xee300a81, 0xe0010392};
    for (unsigned cut = 1; cut < 5; cut++) {
        struct mpj_insn_cost cost;
        struct mpj_chip *c = fast.b.chip;
        uint32_t whole = 0;
        uint32_t parts = 0;
        uint32_t entry = 0;
        (void)mpj_block_begin(c, 0);
        for (unsigned i = 0; i < 5; i++) {
            (void)mpj_block_insn(c, ops[i], false, &cost);
            whole += cost.cycles;
        }
        mpj_block_end(c);
        for (unsigned part = 0; part < 2; part++) {
            (void)mpj_block_begin(c, entry);
            for (unsigned i = part ? cut : 0; i < (part ? 5 : cut); i++) {
                (void)mpj_block_insn(c, ops[i], false, &cost);
                parts += cost.cycles;
            }
            entry = mpj_block_residue(c, true, false);
            mpj_block_end(c);
        }
        assert_int_equal(parts, whole);
    }
    close_both();
}

/* x = a / x takes the divider's latency less the forwarding, from whatever block it is. */
static void test_loop(void **unused)
{
    (void)unused;
    open_both(1);
    struct mpj_chip *c = fast.b.chip;
    const struct mpj_params *prm = mpj_chip_params(c);
    uint32_t entry = 0;
    struct mpj_insn_cost cost;
    uint32_t cycles = 0;
    for (unsigned round = 0; round < 4; round++) {
        (void)mpj_block_begin(c, entry);
        cycles = 0;
        for (unsigned i = 0; i < 3; i++) {
            static const uint32_t ops[] = {0xee810b00 /* fdivd d0, d1, d0 */,
                                           0xe2500001 /* subs r0, r0, #1 */, 0x1afffffc /* bne */};
            (void)mpj_block_insn(c, ops[i], false, &cost);
            cycles += cost.cycles;
        }
        mpj_block_folds(c, MPJ_FLOW_NOWHERE);
        entry = mpj_block_residue(c, false, true);
        mpj_block_end(c);
    }
    assert_int_equal(cycles - 1, prm->vfp_div_double_latency - prm->vfp_forward);
    /* A misprediction of 5 cycles is 5 less to wait for. */
    (void)mpj_block_begin(c, mpj_residue_aged(c, entry, 5));
    (void)mpj_block_insn(c, 0xee810b00, false, &cost);
    assert_int_equal(cost.ddep, prm->vfp_div_double_latency - prm->vfp_forward - 2 - 5);
    mpj_block_end(c);
    close_both();
}

/* A load that misses stalls where its value is used. */
static void test_use(void **unused)
{
    (void)unused;
    open_both(1);
    static const uint32_t ops[] = {0xe5921000, 0xe1a04005, 0xe1a06007, 0xe1a08009, 0xe0813004};
    struct mpj_chip *c = fast.b.chip;
    struct mpj_insn_cost cost;
    uint32_t block = mpj_block_begin(c, 0);
    uint32_t load = 0;
    for (unsigned i = 0; i < 5; i++) {
        uint32_t n = mpj_block_insn(c, ops[i], false, &cost);
        load = i == 0 ? n : load;
    }
    mpj_block_end(c);
    assert_true(block > 0);
    /* Used four cycles after it has issued; a hit's value is there after three. */
    assert_int_equal(mpj_flow_late(c, 0, load, 100, 26, 0) + mpj_flow_finish(c, 0), 26 - 1);
    assert_int_equal(mpj_flow_late(c, 0, load, 200, 118, 0) + mpj_flow_finish(c, 0), 118 - 1);
    assert_int_equal(mpj_flow_late(c, 0, load, 300, 1, 0) + mpj_flow_finish(c, 0), 0);
    /* Not used at all: it costs nothing here. */
    block = mpj_block_begin(c, 0);
    load = mpj_block_insn(c, ops[0], false, &cost);
    (void)mpj_block_insn(c, ops[1], false, &cost);
    mpj_block_end(c);
    assert_int_equal(mpj_flow_late(c, 0, load, 400, 118, 0) + mpj_flow_finish(c, 0), 0);
    assert_true(mpj_flow_busy(c, 0));
    mpj_flow_drop(c, 0);
    assert_false(mpj_flow_busy(c, 0));
    close_both();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
