/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction.
 *   loop    subs, bne, 1000 times: 1000 branches, the second time through mispredicted only at
 *           the end
 *   never   a conditional branch that is never taken, 1000 times: none mispredicted but the loop's
 *           last
 *   random  a branch on a random bit, 4096 times: half of them, within 4 standard deviations
 *           (4 * 32), and the loop's own well predicted
 */
#include "app.h"
#include "known.h"

#define RANDOMS 4096U

static uint32_t bits[RANDOMS];

KNOWN_PROBE(branch_loop, "1:\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(branch_never, "1:\n\tcmp r9, #7\n\tbeq 2f\n\tadd r4, r4, #1\n\t"
                          "2:\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(branch_random, "1:\n\tldr r4, [r10], #4\n\ttst r4, #1\n\tbeq 2f\n\tadd r6, r6, #1\n\t"
                           "2:\n\tsubs r5, r5, #1\n\tbne 1b");

static void report(const char *name, known_probe *probe, uint32_t n)
{
    struct known_counts c = known_warm(probe, bits, n, MPJ_EVENT_BRANCH, MPJ_EVENT_BRANCH_MISPRED);

    known_print(name, "branch", c.event[0]);
    known_print(name, "mispred", c.event[1]);
    c = known_warm(probe, bits, n, MPJ_EVENT_BRANCH_NOTPRED, MPJ_EVENT_INSTR);
    known_print(name, "notpred", c.event[0]);
    if (probe != branch_random)
        known_print(name, "instr", c.event[1]);
}

int main(void)
{
    uint32_t seed = 12345;

    for (uint32_t i = 0; i < RANDOMS; i++)
        bits[i] = app_random(&seed) >> 24;
    mpj_monitors_take();
    report("loop", branch_loop, 1000);
    report("never", branch_never, 1000);
    report("random", branch_random, RANDOMS);
    return 0;
}
