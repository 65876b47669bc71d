/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static pipeline model: cycle-timing vectors of the reference manuals. */
#include "chip_fixture.h"

static struct board board;
static const struct mpj_params *prm;

struct total {
    unsigned cycles, ddep, loads, stores, energy;
};

static struct total run(const uint32_t *ops, unsigned n, bool thumb)
{
    struct mpj_pipe pipe;
    struct total t = {0};
    mpj_pipe_begin(&pipe);
    for (unsigned i = 0; i < n; i++) {
        struct mpj_insn_cost cost;
        mpj_pipe_insn(prm, &pipe, ops[i], thumb, &cost);
        t.cycles += cost.cycles;
        t.ddep += cost.ddep;
        t.loads += cost.loads;
        t.stores += cost.stores;
        t.energy += cost.energy;
    }
    return t;
}

#define ARM(...)   run((uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4, false)
#define THUMB(...) run((uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4, true)

enum {
    LDR_R1 = 0xe5921000,     /* ldr r1, [r2] */
    ADD_R3_R1 = 0xe0813004,  /* add r3, r1, r4 */
    ADD_R1 = 0xe0821003,     /* add r1, r2, r3 */
    LDR_BY_R1 = 0xe5915000,  /* ldr r5, [r1] */
    LDR_OFF_R1 = 0xe7925001, /* ldr r5, [r2, r1] */
    ADD_R2_R1 = 0xe0812003,  /* add r2, r1, r3 */
    LDM_R1_R7 = 0xe89000fe,  /* ldmia r0, {r1-r7} */
    ADD_R10_R3 = 0xe08aa003, /* add r10, r10, r3 */
    ADD_R10_R7 = 0xe08aa007, /* add r10, r10, r7 */
    STM_R1_R7 = 0xe88000fe,  /* stmia r0, {r1-r7} */
    ADD_R6 = 0xe0886009,     /* add r6, r8, r9 */
    ADD_R8_R6 = 0xe0868009,  /* add r8, r6, r9 */
    MUL_R1 = 0xe0010392,     /* mul r1, r2, r3 */
    MULS_R1 = 0xe0110392,    /* muls r1, r2, r3 */
    MLA_ACC_R1 = 0xe0241695, /* mla r4, r5, r6, r1 */
    MUL_BY_R1 = 0xe0040591,  /* mul r4, r1, r5 */
    ADD_R4_R1 = 0xe0814005,  /* add r4, r1, r5 */
    NOP = 0xe320f000,
};

static void test_vectors(void **state)
{
    (void)state;
    assert_int_equal(ARM(LDR_R1, ADD_R3_R1).cycles, 4);
    assert_int_equal(ARM(ADD_R1, LDR_BY_R1).cycles, 3);
    assert_int_equal(ARM(LDR_R1, LDR_BY_R1).cycles, 5);
    assert_int_equal(ARM(ADD_R1, ADD_R2_R1).cycles, 2);
    assert_int_equal(ARM(LDM_R1_R7, ADD_R10_R3).cycles, 5);
    assert_int_equal(ARM(STM_R1_R7, ADD_R6).cycles, 5);
}

static void test_interlocks(void **state)
{
    (void)state;
    /* All of a load-use stall is data dependency; a structural wait is not. */
    assert_int_equal(ARM(LDR_R1, ADD_R3_R1).ddep, 2);
    assert_int_equal(ARM(LDM_R1_R7, 0xe599a000 /* ldr r10,[r9] */).ddep, 0);
    assert_int_equal(ARM(LDM_R1_R7, 0xe599a000).cycles, 5); /* load/store unit busy for 4 */
    assert_int_equal(ARM(LDR_R1, NOP, NOP, ADD_R3_R1).cycles, 4);
    assert_int_equal(ARM(LDR_R1, NOP, NOP, ADD_R3_R1).ddep, 0);
    assert_int_equal(ARM(ADD_R1, LDR_OFF_R1).cycles, 3);
    /* LDM latencies 3,3,4,4,5,5,6 */
    assert_int_equal(ARM(LDM_R1_R7, ADD_R10_R7).cycles, 7);
    /* Reading a register that an STM still has to read is no hazard. */
    assert_int_equal(ARM(STM_R1_R7, ADD_R8_R6).cycles, 2);
    /* ALU with immediate shift needs Rm early, register shift takes two. */
    assert_int_equal(
        ARM(0xe0832001 /* add r2,r3,r1 */, 0xe0851102 /* add r1,r5,r2,lsl #2 */).cycles, 3);
    assert_int_equal(ARM(0xe0821413 /* add r1,r2,r3,lsl r4 */, ADD_R3_R1).cycles, 3);
    /* Address forms */
    assert_int_equal(ARM(0xe7121003 /* ldr r1,[r2,-r3] */, ADD_R3_R1).cycles, 5);
    assert_int_equal(ARM(0xe7921103 /* ldr r1,[r2,r3,lsl #2] */, ADD_R3_R1).cycles, 4);
    assert_int_equal(ARM(0xe7921183 /* ldr r1,[r2,r3,lsl #3] */, ADD_R3_R1).cycles, 5);
    /* A base written back goes to the next address without delay. */
    assert_int_equal(ARM(0xe4921004 /* ldr r1,[r2],#4 */, 0xe5923000 /* ldr r3,[r2] */).cycles, 2);
    /* LDRD delivers both at 3. */
    assert_int_equal(ARM(0xe1c420d0 /* ldrd r2,[r4] */, 0xe0810003 /* add r0,r1,r3 */).cycles, 4);
}

static void test_multiplies(void **state)
{
    (void)state;
    assert_int_equal(ARM(MUL_R1, ADD_R4_R1).cycles, 5);
    assert_int_equal(ARM(MUL_R1, MUL_BY_R1).cycles, 7);  /* early operand */
    assert_int_equal(ARM(MUL_R1, MLA_ACC_R1).cycles, 5); /* accumulate operand, one less */
    assert_int_equal(ARM(MULS_R1).cycles, 5);
    assert_int_equal(ARM(0xe0c21493 /* smull r1,r2,r3,r4 */, 0xe0815001 /* add r5,r1,r1 */).cycles,
                     5);
    assert_int_equal(ARM(0xe0c21493, 0xe0825002 /* add r5,r2,r2 */).cycles, 6);
    assert_int_equal(ARM(0xe0d21493 /* smulls */).cycles, 6);
    assert_int_equal(ARM(0xe0421493 /* umaal r1,r2,r3,r4 */).cycles, 3);
    assert_int_equal(ARM(0xe1014382 /* smlabb r1,r2,r3,r4 */, ADD_R4_R1).cycles, 4);
    assert_int_equal(ARM(0xe1421483 /* smlalbb r1,r2,r3,r4 */, 0xe0825002).cycles, 5);
    assert_int_equal(ARM(0xe751f312 /* smmul r1,r2,r3 */, ADD_R4_R1).cycles, 5);
    assert_int_equal(ARM(0xe6521f93 /* uadd8 r1,r2,r3 */, ADD_R4_R1).cycles, 2);
}

static void test_vfp(void **state)
{
    (void)state;
    /* latency 8, less 1 by forwarding */
    assert_int_equal(ARM(0xee300a81 /* fadds s0,s1,s2 */, 0xee701a02 /* fadds s3,s0,s4 */).cycles,
                     8);
    /* double multiplies issue every second cycle */
    assert_int_equal(ARM(0xee210b02 /* fmuld d0,d1,d2 */, 0xee243b05 /* fmuld d3,d4,d5 */).cycles,
                     3);
    assert_int_equal(ARM(0xee210b02, 0xee303b06 /* faddd d3,d0,d6 */).cycles, 9);
    /* the divide pipe is busy, the multiply pipe is not */
    assert_int_equal(ARM(0xee810b02 /* fdivd d0,d1,d2 */, 0xee843b05 /* fdivd d3,d4,d5 */).cycles,
                     30);
    assert_int_equal(ARM(0xee810b02, 0xee243b05).cycles, 2);
    assert_int_equal(ARM(0xee800a81 /* fdivs s0,s1,s2 */, 0xee701a02).cycles, 19);
    /* transfers, loads */
    assert_int_equal(ARM(0xee101a10 /* fmrs r1,s0 */, ADD_R3_R1).cycles, 3);
    assert_int_equal(ARM(0xed900a00 /* flds s0,[r0] */, 0xee701a02).cycles, 4);
    assert_int_equal(ARM(0xecb00b08 /* fldmiad r0!,{d0-d3} */).loads, 4);
    /* compare, fetch the flags, use them */
    assert_int_equal(
        ARM(0xeeb40a60 /* fcmps s0,s1 */, 0xeef1fa10 /* fmstat */, 0x12811001 /* addne r1,r1,#1 */)
            .cycles,
        7);
}

static void test_counts(void **state)
{
    (void)state;
    assert_int_equal(ARM(LDM_R1_R7).loads, 4);
    assert_int_equal(ARM(STM_R1_R7).stores, 4);
    assert_int_equal(ARM(0xe1031092 /* swp r1,r2,[r3] */).loads, 1);
    assert_int_equal(ARM(0xe1031092).stores, 1);
    assert_int_equal(ARM(0xe1921f9f /* ldrex r1,[r2] */).loads, 1);
    assert_int_equal(ARM(0xe1831f92 /* strex r1,r2,[r3] */).stores, 1);
    assert_int_equal(ARM(0xe1d210b2 /* ldrh r1,[r2,#2] */).loads, 1);
    assert_int_equal(ARM(0xe1c420f0 /* strd r2,[r4] */).stores, 1);
    assert_int_equal(ARM(NOP).cycles, 1);
    /* 24 pJ in steps of 62.5 fJ */
    assert_int_equal(ARM(ADD_R1).energy, 384);
}

static struct mpj_insn_cost one(uint32_t op, bool thumb)
{
    struct mpj_pipe pipe;
    struct mpj_insn_cost cost;
    mpj_pipe_begin(&pipe);
    mpj_pipe_insn(prm, &pipe, op, thumb, &cost);
    return cost;
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        uint32_t op;
        bool thumb;
        uint8_t kind, branch, pc_change;
    } cases[] = {
        {0xe12fff1e, false, MPJ_K_RETURN, 1, 0},          /* bx lr */
        {0xe1a0f00e, false, MPJ_K_RETURN, 1, 0},          /* mov pc, lr */
        {0xe8bd8010, false, MPJ_K_RETURN, 1, 0},          /* pop {r4, pc} */
        {0xe49df004, false, MPJ_K_RETURN, 1, 0},          /* pop {pc} */
        {0xe791f102, false, MPJ_K_BRANCH_INDIRECT, 1, 1}, /* ldr pc, [r1, r2, lsl #2] */
        {0xe12fff33, false, MPJ_K_BRANCH_INDIRECT, 1, 1}, /* blx r3 */
        {0xeafffffe, false, MPJ_K_BRANCH_DIRECT, 1, 0},   /* b . */
        {0xebfffffe, false, MPJ_K_CALL, 1, 0},            /* bl . */
        {0xfafffffe, false, MPJ_K_CALL, 1, 0},            /* blx . */
        {0xee070f9a, false, MPJ_K_SYSTEM, 0, 0},          /* mcr p15 */
        {0xe10f0000, false, MPJ_K_SYSTEM, 0, 0},          /* mrs */
        {0xef000000, false, MPJ_K_SYSTEM, 0, 0},          /* svc */
        {0xf5d1f000, false, MPJ_K_ALU, 0, 0},             /* pld */
        {0xe16f1f12, false, MPJ_K_ALU, 0, 0},             /* clz */
        {0x4770, true, MPJ_K_RETURN, 1, 0},               /* bx lr */
        {0xbd10, true, MPJ_K_RETURN, 1, 0},               /* pop {r4, pc} */
        {0xd0fe, true, MPJ_K_BRANCH_DIRECT, 1, 0},        /* beq . */
        {0xf800f000, true, MPJ_K_CALL, 1, 0},             /* bl pair */
        {0x4348, true, MPJ_K_MUL, 0, 0},                  /* mul r0, r1 */
        {0x6808, true, MPJ_K_LOAD, 0, 0},                 /* ldr r0, [r1] */
        {0xb510, true, MPJ_K_STORE, 0, 0},                /* push {r4, lr} */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mpj_insn_cost cost = one(cases[i].op, cases[i].thumb);
        if (cost.kind != cases[i].kind)
            print_error("opcode %08x\n", (unsigned)cases[i].op);
        assert_int_equal(cost.kind, cases[i].kind);
        assert_int_equal(cost.branch, cases[i].branch);
        assert_int_equal(cost.pc_change, cases[i].pc_change);
        assert_true(cost.cycles >= 1);
    }
}

static void test_thumb(void **state)
{
    (void)state;
    assert_int_equal(THUMB(0x6808 /* ldr r0,[r1] */, 0x1843 /* adds r3,r0,r1 */).cycles, 4);
    assert_int_equal(THUMB(0x1843, 0x1844).cycles, 2);
    assert_int_equal(THUMB(0xb5f0 /* push {r4-r7,lr} */).stores, 3);
    assert_int_equal(THUMB(0xbdf0 /* pop {r4-r7,pc} */).loads, 3);
}

/* Every opcode must decode to something that takes time and counts sanely. */
static void test_any_opcode(void **state)
{
    (void)state;
    uint32_t x = 1;
    struct mpj_pipe pipe;
    mpj_pipe_begin(&pipe);
    for (unsigned i = 0; i < 2000000; i++) {
        struct mpj_insn_cost cost;
        x = x * 1664525U + 1013904223U;
        mpj_pipe_insn(prm, &pipe, x ^ (x >> 15), i & 1, &cost);
        assert_in_range(cost.cycles, 1, 64);
        assert_true(cost.ddep < cost.cycles);
        assert_true(cost.loads <= 16 && cost.stores <= 16);
        if (i % 64 == 0)
            mpj_pipe_begin(&pipe);
    }
}

static int setup(void **state)
{
    (void)state;
    board_open(&board, "mprofiler", 1);
    prm = mpj_chip_params(board.chip);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    board_close(&board);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),    cmocka_unit_test(test_interlocks),
        cmocka_unit_test(test_multiplies), cmocka_unit_test(test_vfp),
        cmocka_unit_test(test_counts),     cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_thumb),      cmocka_unit_test(test_any_opcode),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
