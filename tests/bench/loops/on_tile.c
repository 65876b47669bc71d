/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loops on the bare tile, by the firmware's own counting (mpj.h). Needs two cores. */
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>

#include "mpj.h"

void count_begin(unsigned event0, unsigned event1)
{
    mpj_count_begin(event0, event1);
}

void count_end(struct loops_counts *out)
{
    struct mpj_counts c;

    mpj_count_end(&c);
    *out = (struct loops_counts){c.cycles, {c.event[0], c.event[1]}};
}

static void on_two(void *memory)
{
    if (mpj_core_id() == 0)
        loops_measure_contended(memory);
    else
        loops_partner(memory);
}

int main(void)
{
    char *memory = aligned_alloc(1U << 20, LOOPS_MEMORY);

    if (!memory || mpj_core_count() < 2) {
        fprintf(stderr, "loops: %s\n", memory ? "need two cores" : "no memory");
        return 1;
    }
    loops_measure(memory);
    for (unsigned i = 0; i < 32; i++)
        ((uint32_t *)memory)[i] = 0;
    mpj_on_cores(2, on_two, memory);
    loops_measure_long();
    puts("loops: done");
    return 0;
}
