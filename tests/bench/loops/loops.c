/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measuring the loops (loops.h), the same under Linux and on the bare tile. */
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>

#define LINE        32U
#define L2_SIZE     (1U << 20)
#define RUNS        9U
#define RING_OFFSET (8U << 20) /* of rings over many pages, behind the others' memory */
#define PAGE_STRIDE ((1U << 20) + 4096U + LINE) /* another section, page, set of the L1 */
#define LONG_ROUNDS 8000000U
#define INSTR       0x08U

typedef void *loop(uint32_t rounds, void *memory);
loop loop_add, loop_mul, loop_load, loop_chase, loop_store, loop_store_lines, loop_store_words;
loop loop_branch_right, loop_branch_wrong, loop_call, loop_vfp, loop_fetch, loop_contended;
loop loop_partner, loop_indirect, loop_drain;

struct entry {
    const char *name;
    loop *run;
    uint32_t settle, rounds;
    uint32_t nodes, stride; /* of the ring that it follows; 0: none */
    uint32_t step;          /* bytes that a round goes on by through memory; 0: stays */
};

static const struct entry entries[] = {
    {"add", loop_add, 1000, 30000, 0, 0, 0},
    {"mul", loop_mul, 500, 10000, 0, 0, 0},
    {"load", loop_load, 1000, 30000, 0, 0, 0},
    {"chase-l1", loop_chase, 1024, 40960, 512, LINE, 0},
    {"chase-l2", loop_chase, 4096, 4096, 4096, LINE, 0},
    {"chase-memory", loop_chase, 1024, 2048, 131072, LINE, 0},
    {"chase-16-pages", loop_chase, 1024, 20480, 16, PAGE_STRIDE, 0},
    {"chase-128-pages", loop_chase, 512, 2560, 128, PAGE_STRIDE, 0},
    {"store", loop_store, 1000, 30000, 0, 0, 0},
    {"store-lines", loop_store_lines, 1024, 2048, 0, 0, LINE},
    {"store-words", loop_store_words, 8192, 16384, 0, 0, 4},
    {"branch-right", loop_branch_right, 1000, 30000, 0, 0, 0},
    {"branch-wrong", loop_branch_wrong, 1000, 20000, 0, 0, 0},
    {"call", loop_call, 1000, 20000, 0, 0, 0},
    {"indirect", loop_indirect, 1000, 20000, 0, 0, 0},
    {"drain", loop_drain, 1000, 20000, 0, 0, 0},
    {"vfp", loop_vfp, 200, 5000, 0, 0, 0},
    {"fetch", loop_fetch, 1, 2, 0, 0, 0},
};

static const struct entry contended = {"contended", loop_contended, 1000, 4000, 0, 0, 0};

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static uint32_t median(uint32_t values[RUNS])
{
    qsort(values, RUNS, sizeof values[0], compare);
    return values[RUNS / 2];
}

/* Nodes that point to the next one each; returns the first. */
static void *ring(char *memory, uint32_t nodes, uint32_t stride)
{
    for (uint32_t i = 0; i < nodes; i++)
        *(void **)(memory + (size_t)i * stride) = memory + (size_t)((i + 1) % nodes) * stride;
    return memory;
}

/* A run of the loop; what it counts goes to the i-th place of cycles and both events. */
static void once(const struct entry *e, uint32_t rounds, void **at, unsigned event, unsigned i,
                 uint32_t counts[3][RUNS])
{
    struct loops_counts c;

    count_begin(event, event + 1);
    *at = e->run(rounds, *at);
    count_end(&c);
    counts[0][i] = c.cycles;
    counts[1][i] = c.event[0];
    counts[2][i] = c.event[1];
}

/* For a loop that goes through memory: as much of it before as the L2 has, so that each line that
 * the loop pushes out there is the loop's own and has to be written back, none the kernel's. */
static void prepare(const struct entry *e, char *memory, void **at)
{
    if (e->step == 0)
        return;
    if ((char *)*at + L2_SIZE + (e->settle + e->rounds) * e->step > memory + RING_OFFSET)
        *at = memory;
    *at = e->run(L2_SIZE / e->step, *at);
}

static void pair(const struct entry *e, char *memory, void **at, unsigned event)
{
    uint32_t few[3][RUNS], more[3][RUNS];
    int count[3];

    for (unsigned i = 0; i < RUNS; i++) {
        prepare(e, memory, at);
        once(e, e->settle, at, event, i, few);
        prepare(e, memory, at);
        once(e, e->settle + e->rounds, at, event, i, more);
    }
    for (unsigned i = 0; i < 3; i++)
        count[i] = (int)(median(more[i]) - median(few[i]));
    for (unsigned i = 0; i < 2 && event + i < LOOPS_EVENTS; i++)
        printf("count %s %u %u %d %d\n", e->name, (unsigned)e->rounds, event + i, count[1 + i],
               count[0]);
}

static void measure(const struct entry *e, char *memory)
{
    void *at = memory;

    if (e->stride > 4096)
        memory += RING_OFFSET;
    if (e->nodes)
        at = ring(memory, e->nodes, e->stride);
    else
        for (uint32_t i = 0; i < RING_OFFSET && e->step; i += LINE)
            memory[i] = 1; /* mapped, and the caches full of lines to be written back */
    at = e->run(e->settle, at);
    for (unsigned event = 0; event < LOOPS_EVENTS; event += 2)
        pair(e, memory, &at, event);
}

void loops_measure(void *memory)
{
    for (unsigned i = 0; i < sizeof entries / sizeof entries[0]; i++)
        measure(&entries[i], memory);
}

void loops_measure_contended(void *memory)
{
    measure(&contended, memory);
    ((volatile uint32_t *)memory)[16] = 1;
}

void loops_partner(void *memory)
{
    (void)loop_partner(1, memory);
}

void loops_measure_long(void)
{
    struct loops_counts c;

    count_begin(INSTR, INSTR);
    (void)loop_add(LONG_ROUNDS, NULL);
    count_end(&c);
    printf("long %u %d %d\n", (unsigned)c.cycles, (int)(c.cycles - 5 * LONG_ROUNDS),
           (int)(c.event[0] - 6 * LONG_ROUNDS));
}
