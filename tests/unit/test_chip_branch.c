/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch prediction and translation: answers that can be derived by hand. */
#include "chip_fixture.h"

static struct board b;
static const struct mpj_params *prm;

static int setup(void **state)
{
    (void)state;
    board_open(&b, "mprofiler", 1);
    prm = mpj_chip_params(b.chip);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    board_close(&b);
    return 0;
}

/* Conditional, the flags set by the instruction just before. */
static int32_t branch(uint32_t pc, uint32_t target, bool taken)
{
    return mpj_branch(b.chip, 0, pc, target, taken, 1, MPJ_BR_DIRECT);
}

/* What a wrong prediction of that costs: resolved in the second execution stage, 6 in all. */
#define WRONG (prm->branch_mispredict - 1)

/* A loop of 100 iterations: one BTAC miss (static guess right), one prediction that is not folded
 * yet, then folded, wrong at the exit. */
static void test_loop(void **state)
{
    (void)state;
    assert_int_equal(branch(0x8010, 0x8000, true), prm->branch_static_taken);
    assert_int_equal(branch(0x8010, 0x8000, true), 0);
    for (unsigned i = 2; i < 99; i++)
        assert_int_equal(branch(0x8010, 0x8000, true), -1);
    assert_int_equal(branch(0x8010, 0x8000, false), WRONG);
    mpj_flush(b.chip, 0, 100, 100, 0, NULL);
    assert_int_equal(board_event(&b, 0, MPJ_EV_BRANCH_NOTPRED), 1);
    assert_int_equal(board_event(&b, 0, MPJ_EV_BRANCH_MISPRED), 1);
    assert_int_equal(board_event(&b, 0, MPJ_EV_FOLDED), 97);
    /* Entered again the counter still predicts taken: 2-bit hysteresis. */
    assert_int_equal(branch(0x8010, 0x8000, true), -1);
}

static void test_static(void **state)
{
    (void)state;
    assert_int_equal(branch(0x8000, 0x9000, false), 0); /* forward, not taken: as guessed */
    assert_int_equal(board_event(&b, 0, MPJ_EV_BRANCH_NOTPRED), 1);
    assert_int_equal(branch(0x8000, 0x9000, false), 0); /* now in the BTAC */
    assert_int_equal(board_event(&b, 0, MPJ_EV_BRANCH_NOTPRED), 1);
    assert_int_equal(branch(0x8000, 0x9000, true), WRONG);
    assert_int_equal(branch(0x8000, 0x9000, true), WRONG); /* strongly not taken: twice */
    assert_int_equal(branch(0x8000, 0x9000, true), -1);
    assert_int_equal(board_event(&b, 0, MPJ_EV_BRANCH_NOTPRED), 1);
    assert_int_equal(branch(0xa008, 0x9000, false), WRONG); /* backward */
    assert_int_equal(branch(0xa008, 0x9000, false), 0);     /* it has learnt that */
    assert_int_equal(branch(0xa010, 0xb000, true), WRONG);  /* forward, taken */
    /* Unconditional: always guessed taken */
    assert_int_equal(mpj_branch(b.chip, 0, 0xb018, 0xc000, true, 0, MPJ_BR_DIRECT),
                     prm->branch_static_taken);
}

/* 7 in all less the distance to the instruction that set the flags, at least 5. */
static void test_flags_age(void **state)
{
    (void)state;
    static const int32_t all[] = {5, 6, 5, 5, 5}; /* by flags_age; 0: unconditional */
    for (unsigned age = 0; age < 5; age++) {
        if (age > 0) { /* forward and taken, for the first time */
            assert_int_equal(
                mpj_branch(b.chip, 0, 0x8000 + 8 * age, 0x9000, true, age, MPJ_BR_DIRECT) + 1,
                all[age]);
        }
        assert_int_equal(mpj_branch(b.chip, 0, 0xa000, 0x9000, true, age, MPJ_BR_INDIRECT) + 1,
                         all[age]);
    }
    assert_int_equal(mpj_branch(b.chip, 0, 0xa000, 0x9000, true, 255, MPJ_BR_INDIRECT) + 1, 5);
    assert_int_equal(mpj_branch(b.chip, 0, 0xa000, 0x9000, true, 1, MPJ_BR_INDIRECT_LOAD) + 1, 8);
    assert_int_equal(mpj_branch(b.chip, 0, 0xa000, 0x9000, false, 1, MPJ_BR_INDIRECT_LOAD), 0);
}

static void test_aliasing(void **state)
{
    (void)state;
    /* Bits [9:3] select the entry: 0x400 apart collide, 8 apart do not. */
    (void)branch(0x8000, 0x7000, true);
    (void)branch(0x8008, 0x7000, true);
    assert_int_equal(branch(0x8000, 0x7000, true), 0);
    assert_int_equal(branch(0x8000, 0x7000, true), -1);
    (void)branch(0x8400, 0x7000, true);
    assert_int_equal(branch(0x8000, 0x7000, true), prm->branch_static_taken);
    /* Two in one 64-bit word share an entry, too, also when one of them is never taken. */
    (void)branch(0x8004, 0xa000, false);
    assert_int_equal(branch(0x8000, 0x7000, true), prm->branch_static_taken);
}

static void test_no_fold(void **state)
{
    (void)state;
    /* A branch to itself and one that begins its block take their cycle. */
    for (unsigned i = 0; i < 3; i++)
        (void)branch(0x8000, 0x8000, true);
    assert_int_equal(branch(0x8000, 0x8000, true), 0);
    for (unsigned i = 0; i < 3; i++)
        (void)mpj_branch(b.chip, 0, 0x8020, 0x8000, true, 1, MPJ_BR_DIRECT_FIRST);
    assert_int_equal(mpj_branch(b.chip, 0, 0x8020, 0x8000, true, 1, MPJ_BR_DIRECT_FIRST), 0);
    /* Nor does one that goes on with the next instruction, as predicted. */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(branch(0x8028, 0x9000, false), 0);
    assert_int_equal(b.hot[0].count.folded, 0);
}

/*
 * The prefetch queue by hand. One 64-bit word a cycle, two ARM instructions; the block's first
 * word arrives `lead` cycles before it could issue. "next": to where the branch at the end goes.
 */
static void test_fetch_queue(void **state)
{
    (void)state;
    /* subs, bne in one word: the word is read again each cycle; issues in one: it folds. */
    assert_true(mpj_fetch_folds(0, 1, 0x8000, 0x8008, 0x8000));
    assert_int_equal(mpj_fetch_lead(prm, 0, 1, 0x8000, 0x8008, 0x8000), 0);
    /* In two words: two cycles a round, the branch has the second one for itself. */
    assert_false(mpj_fetch_folds(0, 1, 0x8004, 0x800c, 0x8004));
    assert_int_equal(mpj_fetch_lead(prm, 0, 2, 0x8004, 0x800c, 0x8004), 0);
    assert_true(mpj_fetch_folds(1, 1, 0x8004, 0x800c, 0x8004)); /* once, with a lead */
    assert_int_equal(mpj_fetch_lead(prm, 1, 1, 0x8004, 0x800c, 0x8004), 0);
    /* Two instructions and the branch are two words at most. */
    assert_true(mpj_fetch_folds(0, 2, 0x8000, 0x800c, 0x9000));
    assert_true(mpj_fetch_folds(0, 2, 0x8004, 0x8010, 0x9000));
    /* A branch alone after something that emptied the queue; not taken, the next instruction is
     * there if it is in the same word. */
    assert_false(mpj_fetch_folds(0, 0, 0x8000, 0x8004, 0x9000));
    assert_true(mpj_fetch_folds(0, 0, 0x8000, 0x8004, 0x8004));
    assert_false(mpj_fetch_folds(0, 0, 0x8004, 0x8008, 0x8008));
    /* Thumb: four in a word. */
    assert_true(mpj_fetch_folds(0, 1, 0x8000, 0x8004, 0x8000));
    assert_false(mpj_fetch_folds(0, 1, 0x8006, 0x800a, 0x8006));
    /* Eight instructions are four words: four cycles of lead, of which the buffer of four
     * instructions keeps three; the next block's four words in four cycles leave it so. */
    assert_int_equal(mpj_fetch_lead(prm, 0, 8, 0x8000, 0x8020, 0x9000), 3);
    assert_int_equal(mpj_fetch_lead(prm, 3, 4, 0x8000, 0x8020, 0x9000), 3);
    assert_int_equal(mpj_fetch_lead(prm, 0, 5, 0x8000, 0x8018, 0x9000), 2);
    /* Straight on within a word: read once, and not counted twice. */
    assert_int_equal(mpj_fetch_lead(prm, 0, 1, 0x8000, 0x8004, 0x8004), 1);
    assert_int_equal(mpj_fetch_lead(prm, 1, 1, 0x8004, 0x8008, 0x8008), 1);
    /* What is assumed of a block of which only itself is known. */
    assert_int_equal(mpj_fetch_lead_assumed(prm, 0x8000, 0x8000, 0x9000), 0);
    assert_int_equal(mpj_fetch_lead_assumed(prm, 0x8000, 0x8008, 0x8000), 0);
    assert_int_equal(mpj_fetch_lead_assumed(prm, 0x8000, 0x8008, 0x9000), 3);
}

static void test_alternating(void **state)
{
    (void)state;
    /* Taken, not taken, ... starting at 2 (weakly taken) after the first: always wrong, never
     * learnt. */
    uint64_t wrong = board_event(&b, 0, MPJ_EV_BRANCH_MISPRED);
    for (unsigned i = 0; i < 200; i++)
        (void)branch(0x8000, 0x7000, !(i & 1));
    wrong = board_event(&b, 0, MPJ_EV_BRANCH_MISPRED) - wrong;
    assert_int_equal(wrong, 199); /* 2 -> wrong, 1 -> wrong, 2 ... */
}

static int32_t call(uint32_t pc)
{
    return mpj_branch(b.chip, 0, pc, 0x9000, true, 0, MPJ_BR_CALL);
}

static int32_t ret(uint32_t target)
{
    return mpj_branch(b.chip, 0, 0x9010, target, true, 0, MPJ_BR_RETURN);
}

static void test_return_stack(void **state)
{
    (void)state;
    assert_int_equal(ret(0x8004), prm->branch_return_empty);
    (void)call(0x8000);
    assert_int_equal(call(0x8000), 0); /* in the BTAC, but calls do not fold */
    assert_int_equal(ret(0x8004), prm->branch_return_right);
    assert_int_equal(ret(0x8005), prm->branch_return_right); /* to Thumb code */
    assert_int_equal(ret(0x8004), prm->branch_return_empty);
    /* Four calls deep: the outermost return address is lost. */
    for (unsigned i = 0; i < 4; i++)
        (void)call(0x8000 + 0x100 * i);
    for (unsigned i = 3; i > 0; i--)
        assert_int_equal(ret(0x8004 + 0x100 * i), prm->branch_return_right);
    assert_int_equal(ret(0x8004), prm->branch_return_empty);
    (void)call(0x8000);
    assert_int_equal(ret(0x8888), prm->branch_return_wrong);
    (void)call(0x8000);
    assert_int_equal(mpj_branch(b.chip, 0, 0x9010, 0x1234, true, 0, MPJ_BR_RETURN_LOAD),
                     prm->branch_return_load_wrong);
    assert_int_equal(board_event(&b, 0, MPJ_EV_BRANCH_MISPRED), 2);
    assert_int_equal(board_event(&b, 0, MPJ_EV_PC_CHANGE), 5);
    assert_int_equal(mpj_branch(b.chip, 0, 0x9010, 0x1234, true, 0, MPJ_BR_INDIRECT),
                     prm->branch_indirect);
    assert_int_equal(mpj_branch(b.chip, 0, 0x9010, 0x1234, true, 0, MPJ_BR_CALL_INDIRECT),
                     prm->branch_indirect);
    assert_int_equal(ret(0x9014), prm->branch_return_right);
}

/* Takes its entry from the stack, but the fetch does not follow it. */
static void test_conditional_return(void **state)
{
    (void)state;
    (void)call(0x8000);
    (void)call(0x8100);
    assert_int_equal(mpj_branch(b.chip, 0, 0x9010, 0x8104, true, 1, MPJ_BR_RETURN) + 1, 6);
    assert_int_equal(ret(0x8004), prm->branch_return_right);
    (void)call(0x8000);
    assert_int_equal(mpj_branch(b.chip, 0, 0x9010, 0x8004, true, 3, MPJ_BR_RETURN) + 1, 5);
    (void)call(0x8000);
    assert_int_equal(mpj_branch(b.chip, 0, 0x9010, 0x8004, true, 1, MPJ_BR_RETURN_LOAD) + 1, 9);
    (void)call(0x8000); /* its condition fails: nothing happens */
    assert_int_equal(mpj_branch(b.chip, 0, 0x9010, 0x8004, false, 1, MPJ_BR_RETURN_LOAD), 0);
    assert_int_equal(ret(0x8004), prm->branch_return_right);
    assert_int_equal(board_event(&b, 0, MPJ_EV_BRANCH_MISPRED), 0);
}

/* The fast path of mpj_params.h, done inline by generated code, against the call. */
static void test_fast_path(void **state)
{
    (void)state;
    uint64_t x = 5;
    unsigned fast = 0;
    for (unsigned i = 0; i < 100000; i++) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        uint32_t z = (uint32_t)(x >> 33);
        uint32_t pc = 0x8000 + (z & 0x3ff) * 4;
        uint32_t target = pc + 0x100 - (z >> 10 & 1) * 0x200;
        bool taken = (z >> 11 & 15) != (pc >> 4 & 15); /* biased per branch */
        struct mpj_hot *h = &b.hot[0];
        unsigned e = (pc >> 3) & 127;
        bool strong = h->btac[e] == mpj_btac_entry(pc, taken ? 3 : 0);
        struct mpj_hot before = *h;
        uint64_t wrong = board_event(&b, 0, MPJ_EV_BRANCH_MISPRED);
        uint64_t not_predicted = board_event(&b, 0, MPJ_EV_BRANCH_NOTPRED);
        int32_t extra = branch(pc, target, taken);
        if (!strong)
            continue;
        fast++;
        before.count.folded += taken;
        assert_int_equal(extra, taken ? -1 : 0);
        assert_memory_equal(&before, h, sizeof(before));
        assert_int_equal(board_event(&b, 0, MPJ_EV_BRANCH_MISPRED), wrong);
        assert_int_equal(board_event(&b, 0, MPJ_EV_BRANCH_NOTPRED), not_predicted);
    }
    assert_true(fast > 1000);
}

static void test_prediction_off(void **state)
{
    (void)state;
    mpj_cache_enable(b.chip, 0, true, true, false);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(branch(0x8000, 0x7000, true), WRONG);
    assert_int_equal(branch(0x8000, 0x7000, false), 0);
    assert_int_equal(b.hot[0].btac[0], 0);
}

/* What runs without prediction takes nothing of what the predictor has learnt. */
static void test_off_for_a_while(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        (void)branch(0x8010, 0x8000, true);
    (void)mpj_branch(b.chip, 0, 0x9000, 0xa000, true, 0, MPJ_BR_CALL);
    mpj_cache_enable(b.chip, 0, true, true, false);
    mpj_cache_enable(b.chip, 0, true, true, false);
    assert_int_equal(branch(0x8010, 0x8000, true), WRONG);
    assert_int_equal(branch(0xc010, 0xc000, true), WRONG); /* the same entry */
    (void)mpj_branch(b.chip, 0, 0xb000, 0xc000, true, 0, MPJ_BR_CALL);
    mpj_cache_enable(b.chip, 0, true, true, true);
    assert_int_equal(branch(0x8010, 0x8000, true), -1);
    assert_int_equal(mpj_branch(b.chip, 0, 0xa010, 0x9004, true, 0, MPJ_BR_RETURN),
                     prm->branch_return_right);
    /* But for what empties the predictor meanwhile. */
    mpj_cache_enable(b.chip, 0, true, true, false);
    (void)mpj_cache_all_op(b.chip, 0, MPJ_IC_INV, 0);
    mpj_cache_enable(b.chip, 0, true, true, true);
    assert_int_equal(branch(0x8010, 0x8000, true), prm->branch_static_taken);
}

static uint32_t touch(bool insn, uint32_t vaddr, unsigned shift, uint32_t *evicted)
{
    unsigned evicted_shift;
    return mpj_utlb_miss(b.chip, 0, insn, vaddr, shift, 0, evicted, &evicted_shift);
}

static void test_utlb(void **state)
{
    (void)state;
    uint32_t out;
    uint32_t refill = (uint32_t)prm->utlb_refill_cycles;
    uint32_t walk = (uint32_t)prm->tlb_walk_cycles;
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(touch(false, i << 20, 20, &out), refill + walk);
        assert_int_equal(out, UINT32_MAX);
    }
    /* Still there: no miss, whoever asks */
    assert_int_equal(touch(false, (3U << 20) + 12345, 20, &out), 0);
    assert_int_equal(board_event(&b, 0, MPJ_EV_DUTLB_MISS), 8);
    assert_int_equal(board_event(&b, 0, MPJ_EV_TLB_MISS), 8);
    /* The ninth pushes out the first; asking for that again is a main TLB hit. */
    assert_int_equal(touch(false, 8U << 20, 20, &out), refill + walk);
    assert_int_equal(out, 0);
    assert_int_equal(touch(false, 0, 20, &out), refill);
    assert_int_equal(out, 1U << 20);
    assert_int_equal(board_event(&b, 0, MPJ_EV_TLB_MISS), 9);
    /* The instruction side is separate; small pages need two descriptors. */
    assert_int_equal(touch(true, 0x40000000, 12, &out), refill + 2 * walk);
    assert_int_equal(board_event(&b, 0, MPJ_EV_IUTLB_MISS), 1);
    assert_int_equal(board_event(&b, 0, MPJ_EV_IFETCH_STALL), refill + 2 * walk);
    mpj_tlb_flush(b.chip, 0);
    assert_int_equal(touch(false, 0, 20, &out), refill + walk);
    assert_int_equal(out, UINT32_MAX);
}

static void test_main_tlb(void **state)
{
    (void)state;
    uint32_t out;
    for (unsigned pass = 0; pass < 10; pass++)
        for (uint32_t i = 0; i < 64; i++)
            (void)touch(false, i << 12, 12, &out);
    assert_int_equal(board_event(&b, 0, MPJ_EV_DUTLB_MISS), 640);
    assert_int_equal(board_event(&b, 0, MPJ_EV_TLB_MISS), 64);
    mpj_chip_reset(b.chip);
    for (unsigned pass = 0; pass < 10; pass++) /* 96 pages, three per two-way set: always out */
        for (uint32_t i = 0; i < 96; i++)
            (void)touch(false, i << 12, 12, &out);
    assert_int_equal(board_event(&b, 0, MPJ_EV_TLB_MISS), 960);
}

/* A section of data is 256 translations, one of instructions is one. */
static void test_small_pages(void **state)
{
    struct board other;
    const struct mpj_params *p;
    unsigned shift;
    uint32_t out;
    (void)state;
    board_open(&other, "assumptions/small-pages", 1);
    p = mpj_chip_params(other.chip);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(mpj_utlb_miss(other.chip, 0, false, i << 12, 20, 0, &out, &shift),
                         p->utlb_refill_cycles + 2 * p->tlb_walk_cycles);
    assert_int_equal(out, 0);
    assert_int_equal(shift, 12);
    assert_int_equal(mpj_utlb_miss(other.chip, 0, false, 0x8ffc, 20, 0, &out, &shift), 0);
    assert_int_equal(mpj_utlb_miss(other.chip, 0, true, 0, 20, 0, &out, &shift),
                     p->utlb_refill_cycles + p->tlb_walk_cycles);
    assert_int_equal(mpj_utlb_miss(other.chip, 0, true, 0xff000, 20, 0, &out, &shift), 0);
    board_close(&other);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_loop),        T(test_static),         T(test_flags_age),
        T(test_aliasing),    T(test_no_fold),        T(test_fetch_queue),
        T(test_alternating), T(test_return_stack),   T(test_conditional_return),
        T(test_fast_path),   T(test_prediction_off), T(test_off_for_a_while),
        T(test_utlb),        T(test_main_tlb),       T(test_small_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
