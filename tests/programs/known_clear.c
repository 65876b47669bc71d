/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * __clear_cache() is for all cores: a function in memory of its own, which is in every core's
 * instruction cache, has to be fetched again by each after one of them has called it, and is not
 * for another line.
 */
#include <sys/cachectl.h>
#include <sys/mman.h>

#include "known.h"

#define LINE_WORDS 8U

KNOWN_PROBE(call, "blx r10");

static uint32_t *text;
static const char *const step[] = {"new", "warm", "other", "line", "page", "all"};
static uint32_t misses[sizeof(step) / sizeof(step[0])][4];
static unsigned steps;

static void measure(void *arg)
{
    struct known_counts c;

    /* The first time for the probe's own code. */
    c = known_measure(call, text + 4U * LINE_WORDS, 0, MPJ_EVENT_ICACHE_MISS, MPJ_EVENT_INSTR);
    c = known_measure(call, arg, 0, MPJ_EVENT_ICACHE_MISS, MPJ_EVENT_INSTR);
    misses[steps][mpj_core_id()] = c.event[0];
}

/* Nothing is printed before the last step: printf()'s code would push the function out. */
static void count(void)
{
    mpj_on_all_cores(measure, text);
    steps++;
}

int main(void)
{
    text = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED || mpj_core_count() < 4) {
        printf("needs four cores and memory\n");
        return 1;
    }
    text[0] = text[4U * LINE_WORDS] = 0xe12fff1eU; /* bx lr */
    (void)cacheflush(text, 4096, BCACHE);
    count();
    count();
    __builtin___clear_cache((char *)(text + 2U * LINE_WORDS), (char *)(text + 3U * LINE_WORDS));
    count();
    __builtin___clear_cache((char *)text, (char *)(text + 1));
    count();
    (void)cacheflush(text, 4096, ICACHE);
    count();
    (void)cacheflush((char *)text - 65536, 131072, ICACHE);
    count();
    for (unsigned s = 0; s < steps; s++) {
        for (unsigned i = 0; i < 4; i++)
            printf("%s_core%u %lu\n", step[s], i, (unsigned long)misses[s][i]);
    }
    return 0;
}
