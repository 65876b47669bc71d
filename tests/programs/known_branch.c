/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction.
 *   loop    subs, bne in one 64-bit word, 1000 times: 1000 branches, the second time through
 *           mispredicted only at the end; the others fold: 1 cycle a round, and 6 for the last
 *           branch, whose flags were set just before
 *   split   the same in two words: the prefetch unit reads one a cycle, so 2 cycles a round and
 *           nothing folds but the first branch, before which it is still ahead
 *   far     two instructions between subs and bne: 3 cycles a round, 5 for the last branch
 *   never   a conditional branch that is never taken, 1000 times: none mispredicted but the loop's
 *           last; it is in the BTAC, but takes its cycle: 4 a round, and 6
 *   share   beq, never taken, and bne, always taken, in one word: they push each other out of the
 *           BTAC's entry, and the static rule is wrong of bne: cmp 1, mov 1, beq 1, bne 5, subs 1
 *           are 9 a round, and 6
 *   call    bl 1, bx lr 4, subs 1 are 6 a round; 6 for the last bne, 1 for mov and 1 for the
 *           branch behind it, which folds if it is still in the BTAC from the run before; mov
 *           keeps the two branches out of one word
 *   condret as call, but with cmp 1, bxne lr: not predicted, 6 since its flags are that young: 9 a
 *           round
 *   random  a branch on a random bit, 4096 times: half of them, within 4 standard deviations
 *           (4 * 32), and the loop's own well predicted
 */
#include "app.h"
#include "known.h"

#define RANDOMS 4096U

static uint32_t bits[RANDOMS];

KNOWN_PROBE(branch_loop, "1:\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(branch_split, "mov r4, r4\n1:\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(branch_far, "1:\n\tsubs r5, r5, #1\n\tmov r4, r4\n\tmov r6, r6\n\tbne 1b");
KNOWN_PROBE(branch_share, "1:\n\tcmp r9, #7\n\tmov r4, r4\n\tbeq 2f\n\tbne 2f\n"
                          "2:\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(branch_call,
            "1:\n\tbl 2f\n\tsubs r5, r5, #1\n\tbne 1b\n\tmov r4, r4\n\tb 3f\n2:\n\tbx lr\n3:");
KNOWN_PROBE(branch_condret, "1:\n\tbl 2f\n\tsubs r5, r5, #1\n\tbne 1b\n\tmov r4, r4\n\tb 3f\n"
                            "2:\n\tcmp r9, #7\n\tbxne lr\n3:");
KNOWN_PROBE(branch_never, "1:\n\tcmp r9, #7\n\tbeq 2f\n\tadd r4, r4, #1\n\t"
                          "2:\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(branch_random, "1:\n\tldr r4, [r10], #4\n\ttst r4, #1\n\tbeq 2f\n\tadd r6, r6, #1\n\t"
                           "2:\n\tsubs r5, r5, #1\n\tbne 1b");

/* With the branches forgotten that ran before, and the probe's own seen once. */
static struct known_counts measure(known_probe *probe, uint32_t n, unsigned e0, unsigned e1)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 6" : : "r"(0) : "memory"); /* flush the BTAC */
    return known_warm(probe, bits, n, e0, e1);
}

static void report(const char *name, known_probe *probe, uint32_t n)
{
    struct known_counts c = measure(probe, n, MPJ_EVENT_BRANCH, MPJ_EVENT_BRANCH_MISPRED);

    known_print(name, "branch", c.event[0]);
    known_print(name, "mispred", c.event[1]);
    c = measure(probe, n, MPJ_EVENT_BRANCH_NOTPRED, MPJ_EVENT_INSTR);
    known_print(name, "notpred", c.event[0]);
    if (probe == branch_random)
        return;
    known_print(name, "instr", c.event[1]);
    known_print(name, "cycles", c.cycles);
    c = measure(probe, n, MPJ_EVENT_FOLDED, MPJ_EVENT_INSTR);
    known_print(name, "folded", c.event[0]);
}

int main(void)
{
    uint32_t seed = 12345;

    for (uint32_t i = 0; i < RANDOMS; i++)
        bits[i] = app_random(&seed) >> 24;
    mpj_monitors_take();
    report("loop", branch_loop, 1000);
    report("split", branch_split, 1000);
    report("far", branch_far, 1000);
    report("never", branch_never, 1000);
    report("share", branch_share, 1000);
    report("call", branch_call, 1000);
    report("condret", branch_condret, 1000);
    report("random", branch_random, RANDOMS);
    return 0;
}
