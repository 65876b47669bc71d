/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is under way at a branch goes on behind it. Chains of one operation (L cycles from one to
 * the next: ldr 4, mul 5, fmuls 7, fdivd 32) that go on from block to block; cycles of 1000 times.
 * Each loop ends in subs, bne (1 and folded: 0), which fit between two operations. Predicted
 * branches to a constant address are folded, other ways take what is given.
 *   two, three   the blocks' ends are unconditional branches: 2 L, 3 L
 *   taken        cmp and a conditional branch, always taken; cmp fits into the wait: 2 L
 *   untaken      the same, never taken: in no BTAC entry, so it takes 1, which fits, too: 2 L
 *   call         operation, bl (1), operation, bx lr (4), operation. The third issues L after the
 *                second, but not before this one's issue (ldr, fmuls, fdivd 1, mul 2) and the
 *                return are over:
 *                ldr 4 + (1 + 4) + 4 = 13, mul 5 + (2 + 4) + 5 = 16, fmuls 3 * 7, fdivd 3 * 32
 *   pop          the same with a push of the link register first, and a return that loads it:
 *                4 cycles predicted. ldr: operation, bl, then push is due at 2, operation at 4,
 *                pop until 9, operation, subs, next at 13; the others likewise as above
 *   computed     operation, bx to a register: 5. ldr, mul: operation and bx, 1 + 5 or 2 + 5, are
 *                longer than the wait, then operation and L; fmuls: 7 = 1 + 6; fdivd 2 * 32
 *   wrong        a branch that is taken every other time: its two-bit counter is always wrong. The
 *                operation, tst, branch 1 + 5, every other time a mov, subs: 9 or 10, mul 10 or 11.
 *                What the operation takes goes on meanwhile: fdivd 32, the others have ended
 *   wrong_late   fdivd, then 20 cycles, then the same: 32 still, not 32 + 5
 *   size         a chain of 40, across the end of what is translated in one piece (128 bytes): 40 L
 *   page         a chain of 16 that begins 4 instructions before a multiple of 1 KB: 16 L
 *   size_fold    31 movs and subs fill such a piece, so the bne begins the next; it is folded all
 *                the same: 32
 *   size_unit    the same end between two fdivd that share nothing but the divider, 20 of them:
 *                20 * 29
 *   thumb        the same in Thumb code, ldr: a loop of one, two blocks, a function as in call, and
 *                80 in a row (160 bytes): 4, 2 * 4, 4 + 5 + 4, 80 * 4
 */
#include "known.h"

#define LOOP(body) "1:\n\t" body "subs r5, r5, #1\n\tbne 1b\n\t"
#define MOVS(n)    KNOWN_REPEAT(n, "mov r7, r9")
/* Chains begin where the setup says; r8 = 5, r9 = 1. */
#define SELF "mov r4, r10\n\t"

#define PROBES(name, op)                                                                           \
    KNOWN_PROBE(border_two_##name, SELF LOOP(op "\n\tb 2f\n2:\n\t" op "\n\t"));                    \
    KNOWN_PROBE(border_three_##name,                                                               \
                SELF LOOP(op "\n\tb 2f\n2:\n\t" op "\n\tb 3f\n3:\n\t" op "\n\t"));                 \
    KNOWN_PROBE(border_taken_##name,                                                               \
                SELF LOOP(op "\n\tcmp r9, #1\n\tbeq 2f\n\tmov r7, r9\n2:\n\t" op "\n\t"));         \
    KNOWN_PROBE(border_untaken_##name,                                                             \
                SELF LOOP(op "\n\tcmp r9, #7\n\tbeq 2f\n\t" op "\n\t") "2:\n\t");                  \
    KNOWN_PROBE(border_call_##name,                                                                \
                SELF LOOP(op "\n\tbl 8f\n\t" op "\n\t") "b 9f\n8:\n\t" op "\n\tbx lr\n9:\n\t");    \
    KNOWN_PROBE(border_pop_##name,                                                                 \
                SELF LOOP(op "\n\tbl 8f\n\t" op "\n\t") "b 9f\n8:\n\tpush {lr}\n\t" op             \
                                                        "\n\tpop {pc}\n9:\n\t");                   \
    KNOWN_PROBE(border_computed_##name,                                                            \
                SELF "adr r3, 2f\n\t" LOOP(op "\n\tbx r3\n\tmov r7, r9\n2:\n\t" op "\n\t"));       \
    KNOWN_PROBE(border_wrong_##name,                                                               \
                SELF LOOP(op "\n\ttst r5, #1\n\tbeq 2f\n\tmov r7, r9\n2:\n\t"));                   \
    KNOWN_PROBE(border_size_##name, SELF LOOP(KNOWN_REPEAT(40, op)));                              \
    KNOWN_PROBE(border_page_##name,                                                                \
                SELF "b 7f\n\t.balign 1024\n\t.space 1008\n7:\n\t" LOOP(KNOWN_REPEAT(16, op)))

PROBES(ldr, "ldr r4, [r4]");
PROBES(mul, "mul r4, r4, r8");
PROBES(fmuls, "fmuls s0, s0, s2");
PROBES(fdivd, "fdivd d0, d1, d0");

KNOWN_PROBE(border_wrong_late, LOOP("fdivd d0, d1, d0\n\t" MOVS(19) "tst r5, #1\n\tbeq 2f\n\t"
                                                                    "mov r7, r9\n2:\n\t"));
KNOWN_PROBE(border_size_fold, LOOP(MOVS(31)));
KNOWN_PROBE(border_size_unit, LOOP(MOVS(22) KNOWN_REPEAT(10, "fdivd d0, d1, d2\n\tfdivd d3, d1, "
                                                             "d2")));

/* Branches keep 8 bytes apart: an entry of the BTAC each. */
#define THUMB(body)                                                                                \
    SELF ".balign 8\n\tadd r3, pc, #1\n\tbx r3\n\t.thumb\n1:\n\t" body                             \
         "sub r5, #1\n\tbne 1b\n\t.balign 4\n\tbx pc\n\tnop\n\t.arm\n\tb 9f\n"
#define STEP "ldr r4, [r4]\n\t"

KNOWN_PROBE(border_thumb_one, THUMB(STEP) "9:\n\t");
KNOWN_PROBE(border_thumb_two, THUMB(STEP "b 2f\n2:\n\t" STEP) "9:\n\t");
KNOWN_PROBE(border_thumb_call,
            THUMB(STEP "bl 8f\n\t" STEP) "8:\n\t.thumb\n\t" STEP "bx lr\n\t.arm\n9:\n\t");
KNOWN_PROBE(border_thumb_size, THUMB(KNOWN_REPEAT(80, "ldr r4, [r4]")) "9:\n\t");

static uint32_t memory[8] __attribute__((aligned(32)));

static struct known_counts measure(known_probe *probe)
{
    return known_more(probe, memory, 1000, MPJ_EVENT_BRANCH_MISPRED, MPJ_EVENT_BRANCH_NOTPRED,
                      NULL);
}

static void report(const char *name, const char *what, known_probe *probe)
{
    known_print(name, what, measure(probe).cycles);
}

#define REPORT(name)                                                                               \
    report(#name, "two", border_two_##name);                                                       \
    report(#name, "three", border_three_##name);                                                   \
    report(#name, "taken", border_taken_##name);                                                   \
    report(#name, "untaken", border_untaken_##name);                                               \
    report(#name, "call", border_call_##name);                                                     \
    report(#name, "pop", border_pop_##name);                                                       \
    report(#name, "computed", border_computed_##name);                                             \
    report(#name, "wrong", border_wrong_##name);                                                   \
    known_print(#name, "wrong_mispred", measure(border_wrong_##name).event[0]);                    \
    report(#name, "size", border_size_##name);                                                     \
    report(#name, "page", border_page_##name)

int main(void)
{
    memory[0] = (uint32_t)(uintptr_t)memory;
    mpj_monitors_take();
    REPORT(ldr);
    REPORT(mul);
    REPORT(fmuls);
    REPORT(fdivd);
    report("fdivd", "wrong_late", border_wrong_late);
    report("thumb", "one", border_thumb_one);
    report("thumb", "two", border_thumb_two);
    report("thumb", "call", border_thumb_call);
    report("thumb", "size", border_thumb_size);
    report("size", "fold", border_size_fold);
    report("size", "unit", border_size_unit);
    return 0;
}
