/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops on all cores at once that share nothing: each takes what it takes alone, cycles of 1000
 * times (known_loop.c and known_border.c). The cores take turns within a loop, so what one has
 * under way must still be there when its turn comes again.
 *   fdivd   carried: 32
 *   mul     carried: 5
 *   ldr     a pointer to itself: 4
 *   call    an fmuls in the loop and one in a function: 7 + 7
 *   wrong   an fdivd and a branch that is always mispredicted: 32
 */
#include "known.h"

#define LOOP(body) "1:\n\t" body "subs r5, r5, #1\n\tbne 1b\n\t"

KNOWN_PROBE(together_fdivd, LOOP("fdivd d0, d1, d0\n\t"));
KNOWN_PROBE(together_mul, LOOP("mul r4, r4, r8\n\t"));
KNOWN_PROBE(together_ldr, LOOP("ldr r10, [r10]\n\t"));
KNOWN_PROBE(together_call, LOOP("fmuls s0, s0, s2\n\tbl 8f\n\t") "b 9f\n8:\n\tfmuls s0, s0, s2\n\t"
                                                                 "bx lr\n9:\n\t");
KNOWN_PROBE(together_wrong, LOOP("fdivd d0, d1, d0\n\ttst r5, #1\n\tbeq 2f\n\tmov r7, r9\n2:\n\t"));

struct core {
    uint32_t memory[8];
    uint32_t fdivd, mul, ldr, call, wrong;
} __attribute__((aligned(32))); /* a line of its own */
static struct core cores[4];

static uint32_t cycles(known_probe *probe, struct core *own)
{
    return known_more(probe, own->memory, 1000, MPJ_EVENT_INSTR, MPJ_EVENT_DDEP_STALL, NULL).cycles;
}

static void work(void *arg)
{
    struct core *own = &cores[mpj_core_id()];

    (void)arg;
    mpj_monitors_take();
    own->memory[0] = (uint32_t)(uintptr_t)own->memory;
    own->fdivd = cycles(together_fdivd, own);
    own->mul = cycles(together_mul, own);
    own->ldr = cycles(together_ldr, own);
    own->call = cycles(together_call, own);
    own->wrong = cycles(together_wrong, own);
}

int main(void)
{
    mpj_on_all_cores(work, NULL);
    for (unsigned i = 0; i < mpj_core_count(); i++) {
        char name[8];

        snprintf(name, sizeof(name), "core%u", i);
        known_print(name, "fdivd", cores[i].fdivd);
        known_print(name, "mul", cores[i].mul);
        known_print(name, "ldr", cores[i].ldr);
        known_print(name, "call", cores[i].call);
        known_print(name, "wrong", cores[i].wrong);
    }
    return 0;
}
