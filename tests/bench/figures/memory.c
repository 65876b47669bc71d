/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latency of dependent loads by size and stride; bandwidth by cores. */
#include "figures.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KB     1024U
#define MOST   (8192U * KB)
#define LOADS  20000U
#define PIECE  (2048U * KB) /* of each core, twice: from and to */
#define PASSES 2U
#define BLOCK  32U

void *loop_chase(uint32_t rounds, void *memory); /* tests/bench/loops */
typedef void move(uint32_t blocks, void *to, void *from);
move move_read, move_write, move_copy;

static void latency(char *memory, uint32_t bytes, uint32_t stride)
{
    const uint32_t nodes = bytes / stride;
    char name[40];
    double begin;
    void *at = memory;

    for (uint32_t i = 0; i < nodes; i++)
        *(void **)(memory + (size_t)i * stride) = memory + (size_t)((i + 1) % nodes) * stride;
    at = loop_chase(nodes, at); /* all of it once */
    begin = now_ns();
    (void)loop_chase(LOADS, at);
    snprintf(name, sizeof name, "load-%u-%u", (unsigned)(bytes / KB), (unsigned)stride);
    figure(name, (now_ns() - begin) / LOADS, "ns");
}

static const struct way {
    const char *name;
    move *run;
} ways[] = {{"read", move_read}, {"write", move_write}, {"copy", move_copy}};

static struct {
    const struct way *way;
    char *memory;
    pthread_barrier_t begin;
    double end[4];
} team;

static void *member(void *argument)
{
    const unsigned n = (unsigned)(uintptr_t)argument;
    char *to = team.memory + (size_t)n * 2 * PIECE;

    bind_to(n);
    pthread_barrier_wait(&team.begin);
    for (unsigned i = 0; i < PASSES; i++)
        team.way->run(PIECE / BLOCK, to, to + PIECE);
    team.end[n] = now_ns();
    return NULL;
}

static void bandwidth(const struct way *way, unsigned cores)
{
    pthread_t thread[4];
    char name[40];
    double begin, end = 0;

    team.way = way;
    pthread_barrier_init(&team.begin, NULL, cores + 1);
    for (uintptr_t n = 0; n < cores; n++)
        must(pthread_create(&thread[n], NULL, member, (void *)n) == 0, "pthread_create");
    pthread_barrier_wait(&team.begin);
    begin = now_ns();
    for (unsigned n = 0; n < cores; n++) {
        must(pthread_join(thread[n], NULL) == 0, "pthread_join");
        end = team.end[n] > end ? team.end[n] : end;
    }
    pthread_barrier_destroy(&team.begin);
    snprintf(name, sizeof name, "%s-%u", way->name, cores);
    figure(name, (double)cores * PASSES * PIECE / (end - begin) * 1e3, "MB/s");
}

void figures_memory(void)
{
    static const uint32_t sizes[] = {8, 16, 24, 32, 48, 64, 128, 256, 512, 1024, 2048, 8192};
    static const uint32_t strides[] = {32, 256, 4096};
    char *memory = aligned_alloc(MOST / 8, 8 * PIECE);

    must(memory != NULL, "no memory");
    memset(memory, 1, 8 * PIECE);
    for (unsigned s = 0; s < sizeof strides / sizeof *strides; s++)
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (sizes[i] * KB / strides[s] >= 2)
                latency(memory, sizes[i] * KB, strides[s]);
    team.memory = memory;
    for (unsigned w = 0; w < sizeof ways / sizeof *ways; w++)
        for (unsigned cores = 1; cores <= 4; cores++)
            bandwidth(&ways[w], cores);
    free(memory);
}
