/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the next rounds of a loop do: counts in registers and in memory, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "mpj_loop.h"

#define CODE  0x1000U
#define DATA  0x8000U /* r0 */
#define STACK 0x9000U /* sp */
#define SP    13U

/* Instructions that the tests share; conditions and places of branches are their arguments. */
#define LDR_R3        0xe5903000U /* ldr r3, [r0]: the poll */
#define CMP_R3_R4     0xe1530004U
#define ADD_R2(n)     (0xe2822000U | (n))
#define B(cond, to)   ((cond) << 28 | 0x0a000000U | (((to)-2U) & 0xffffffU)) /* words from here */
#define BACK(cond, n) B(cond, 0U - (n))
#define EQ            0U
#define NE            1U
#define CS            2U
#define CC            3U
#define AL            14U
#define END           0xffffffffU

static struct {
    const uint32_t *code;
    unsigned words;
    uint8_t data[64], stack[64];
    bool shared; /* the line of the data */
    uint32_t regs[15];
    struct mpj_loop loop;
} m;

static bool code(void *peer, uint32_t address, uint32_t *insn)
{
    (void)peer;
    if (address < CODE || (address - CODE) / 4U >= m.words)
        return false;
    *insn = m.code[(address - CODE) / 4U];
    return true;
}

static uint8_t *at(uint32_t address)
{
    if (address - DATA < sizeof(m.data))
        return &m.data[address - DATA];
    return address - STACK < sizeof(m.stack) ? &m.stack[address - STACK] : NULL;
}

static bool load(void *peer, uint32_t address, unsigned bytes, uint32_t *value)
{
    (void)peer;
    *value = 0;
    if (at(address) == NULL)
        return false;
    memcpy(value, at(address), bytes); /* of a little-endian host */
    return true;
}

static bool store(void *peer, uint32_t address)
{
    (void)peer;
    return at(address) != NULL && !(m.shared && address - DATA < sizeof(m.data));
}

static void put(uint32_t address, uint32_t value)
{
    memcpy(at(address), &value, sizeof(value));
}

static int setup(void **state)
{
    (void)state;
    memset(&m, 0, sizeof(m));
    m.regs[0] = DATA;
    m.regs[SP] = STACK;
    m.regs[3] = 5; /* as loaded the last time */
    m.regs[4] = 7;
    put(DATA, 5);
    return 0;
}

static bool find(const uint32_t *words, unsigned n)
{
    const struct mpj_loop_memory memory = {.code = code, .load = load, .store = store};
    m.code = words;
    m.words = n;
    return mpj_loop_find(&m.loop, CODE, m.regs, &memory);
}
#define FIND(...) find((const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4U)

/* Nothing changes: a poll and a comparison. */
static void test_none(void **state)
{
    (void)state;
    assert_true(FIND(LDR_R3, CMP_R3_R4, BACK(NE, 2)));
    assert_int_equal(m.loop.changed, 0);
    assert_int_equal(m.loop.cells, 0);
    assert_int_equal(m.loop.loads, 1);
    assert_int_equal(m.loop.stores, 0);
    assert_int_equal(m.loop.lines, 1);
    assert_int_equal(m.loop.line[0], DATA >> 5);
    assert_int_equal(m.loop.rounds, MPJ_LOOP_ALWAYS);
}

/* 10 to 0: after nine rounds r2 is 1, and the next one does not branch. */
static void test_down(void **state)
{
    (void)state;
    m.regs[2] = 10;
    assert_true(FIND(LDR_R3, CMP_R3_R4, B(EQ, 9), 0xe2522001U /* subs r2, r2, #1 */, BACK(NE, 4)));
    assert_int_equal(m.loop.changed, 1U << 2);
    assert_int_equal(m.loop.each[2], UINT32_MAX);
    assert_int_equal(m.loop.rounds, 9);
}

/* 13, 16, ... 97 are less than 100: 29 rounds. */
static void test_up(void **state)
{
    (void)state;
    m.regs[2] = 10;
    m.regs[5] = 100;
    assert_true(FIND(LDR_R3, ADD_R2(3), 0xe1520005U /* cmp r2, r5 */, BACK(CC, 3)));
    assert_int_equal(m.loop.each[2], 3);
    assert_int_equal(m.loop.rounds, 29);
}

/* Nothing compares the count. It may pass the end of its range. */
static void test_no_limit(void **state)
{
    (void)state;
    m.regs[2] = UINT32_MAX;
    assert_true(FIND(LDR_R3, ADD_R2(1), CMP_R3_R4, BACK(NE, 3)));
    assert_int_equal(m.loop.each[2], 1);
    assert_int_equal(m.loop.rounds, MPJ_LOOP_ALWAYS);
}

/* Once the count is negative, a comparison has another result: 0x7ffffffe and 0x7fffffff are not.
 */
static void test_wrap(void **state)
{
    (void)state;
    m.regs[2] = 0x7ffffffdU;
    m.regs[5] = 16;
    assert_true(FIND(LDR_R3, ADD_R2(1), 0xe1520005U /* cmp r2, r5 */, BACK(CS, 3)));
    assert_int_equal(m.loop.rounds, 2);
}

/* 17, 18 ... 23 have one of the lowest three bits set. */
static void test_bits(void **state)
{
    (void)state;
    m.regs[2] = 16;
    assert_true(FIND(LDR_R3, ADD_R2(1), 0xe3120007U /* tst r2, #7 */, BACK(NE, 3)));
    assert_int_equal(m.loop.rounds, 7);
}

/* 100, 99 ... 37 are not 36: what GCC makes of `left != next ? left--` in memory. */
static void test_memory(void **state)
{
    (void)state;
    put(STACK + 8, 100);
    put(STACK + 12, 36);
    m.regs[1] = 36;
    m.regs[2] = 100;
    assert_true(FIND(LDR_R3, CMP_R3_R4, B(EQ, 9), 0xe59d2008U /* ldr r2, [sp, #8] */,
                     0xe59d100cU /* ldr r1, [sp, #12] */, 0xe1520001U /* cmp r2, r1 */, B(EQ, 5),
                     0xe2422001U /* sub r2, r2, #1 */, 0xe58d2008U /* str r2, [sp, #8] */,
                     BACK(AL, 9)));
    assert_int_equal(m.loop.changed, 1U << 2);
    assert_int_equal(m.loop.cells, 1);
    assert_int_equal(m.loop.cell[0].address, STACK + 8);
    assert_int_equal(m.loop.cell[0].each, UINT32_MAX);
    assert_int_equal(m.loop.loads, 3);
    assert_int_equal(m.loop.stores, 1);
    assert_int_equal(m.loop.lines, 2);
    assert_int_equal(m.loop.line[1], STACK >> 5);
    assert_int_equal(m.loop.rounds, 64);
}

/* Loads of bytes and halves; the sign decides whether it goes on. */
static void test_small(void **state)
{
    (void)state;
    put(DATA, 0x12340080U);
    m.regs[1] = 0x1234;
    m.regs[3] = m.regs[4] = 0xffffff80U;
    assert_true(FIND(0xe1d030d0U /* ldrsb r3, [r0] */, 0xe1d010b2U /* ldrh r1, [r0, #2] */,
                     CMP_R3_R4, BACK(EQ, 3)));
    assert_int_equal(m.loop.loads, 2);
    assert_int_equal(m.loop.changed, 0);
}

/* A call, a barrier and a return. */
static void test_call(void **state)
{
    (void)state;
    m.regs[14] = CODE + 4U;
    assert_true(FIND(0xeb000002U /* bl f */, CMP_R3_R4, BACK(NE, 2), END, LDR_R3,
                     0xee071fbaU /* mcr p15, 0, r1, c7, c10, 5 */, 0xe12fff1eU /* bx lr */));
    assert_int_equal(m.loop.changed, 0);
    assert_int_equal(m.loop.rounds, MPJ_LOOP_ALWAYS);
}

static void test_refused(void **state)
{
    (void)state;
    static const uint32_t insn[] = {
        0xe1903f9fU, /* ldrex r3, [r0] */
        0xe0020192U, /* mul r2, r2, r1 */
        0xe5c02000U, /* strb r2, [r0] */
        0xe0822002U, /* add r2, r2, r2: by another amount in each round */
        0xe52d2004U, /* push {r2} */
        0xe4903004U, /* ldr r3, [r0], #4 */
        0xe5903001U, /* ldr r3, [r0, #1] */
        0xe5903080U, /* ldr r3, [r0, #128]: not in the cache */
        0xe1003092U, /* swp r3, r2, [r0] */
        0xee002a10U, /* vmov s0, r2 */
        0xe12fff12U, /* bx r2 */
    };
    m.regs[2] = 4;
    for (unsigned i = 0; i < sizeof(insn) / sizeof(*insn); i++)
        assert_false(FIND(LDR_R3, insn[i], CMP_R3_R4, BACK(NE, 3)));
    /* What a count decides. */
    assert_false(
        FIND(LDR_R3, ADD_R2(1), 0xe7903002U /* ldr r3, [r0, r2] */, CMP_R3_R4, BACK(NE, 4)));
    assert_false(FIND(LDR_R3, ADD_R2(1), 0xe1a010a2U /* lsr r1, r2, #1 */, CMP_R3_R4, BACK(NE, 4)));
    assert_false(FIND(LDR_R3, ADD_R2(1), 0xe2121006U /* ands r1, r2, #6 */, BACK(NE, 3)));
    assert_false(FIND(LDR_R3, 0xe2922001U /* adds r2, r2, #1 */, BACK(NE, 2)));
    /* Flags from before, and no loop. */
    assert_false(FIND(BACK(NE, 0U - 1U), LDR_R3, CMP_R3_R4, BACK(NE, 3)));
    assert_false(FIND(LDR_R3, CMP_R3_R4, BACK(EQ, 2), END));
    /* Another value has been loaded: the round that comes is not as the one before. */
    m.regs[3] = 6;
    assert_false(FIND(LDR_R3, CMP_R3_R4, BACK(NE, 2)));
}

/* A store that another core would notice. */
static void test_shared(void **state)
{
    (void)state;
    m.regs[2] = 4;
    m.shared = true;
    put(DATA + 4, 4);
    assert_false(FIND(LDR_R3, 0xe5802004U /* str r2, [r0, #4] */, CMP_R3_R4, BACK(NE, 3)));
    m.shared = false;
    assert_true(FIND(LDR_R3, 0xe5802004U, CMP_R3_R4, BACK(NE, 3)));
    assert_int_equal(m.loop.cell[0].each, 0);
}

static void fill(uint32_t *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        words[i] = 0xe320f000U; /* nop */
    words[0] = LDR_R3;
    words[n - 2] = CMP_R3_R4;
    words[n - 1] = BACK(NE, n - 1);
}

/* The longest round, the most words and lines. */
static void test_limits(void **state)
{
    (void)state;
    uint32_t words[MPJ_LOOP_INSNS + 1];

    fill(words, MPJ_LOOP_INSNS);
    assert_true(find(words, MPJ_LOOP_INSNS));
    fill(words, MPJ_LOOP_INSNS + 1);
    assert_false(find(words, MPJ_LOOP_INSNS + 1));
    for (unsigned stores = MPJ_LOOP_CELLS; stores <= MPJ_LOOP_CELLS + 1; stores++) {
        fill(words, stores + 3);
        for (unsigned i = 0; i < stores; i++)
            words[1 + i] = 0xe58d2000U | 4U * i; /* str r2, [sp, #4 i] */
        assert_int_equal(find(words, stores + 3), stores == MPJ_LOOP_CELLS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_none, setup),   cmocka_unit_test_setup(test_down, setup),
        cmocka_unit_test_setup(test_up, setup),     cmocka_unit_test_setup(test_no_limit, setup),
        cmocka_unit_test_setup(test_wrap, setup),   cmocka_unit_test_setup(test_bits, setup),
        cmocka_unit_test_setup(test_memory, setup), cmocka_unit_test_setup(test_small, setup),
        cmocka_unit_test_setup(test_call, setup),   cmocka_unit_test_setup(test_refused, setup),
        cmocka_unit_test_setup(test_shared, setup), cmocka_unit_test_setup(test_limits, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
