/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * __clear_cache() is for all cores: a function in memory of its own, which is in every core's
 * instruction cache, has to be fetched again by each after one of them has called it, and is not
 * for another line. Four such functions, in sets of the cache far from each other: code that runs
 * between two steps may push one of them out, and what all of them have in common counts.
 */
#include <sys/cachectl.h>
#include <sys/mman.h>

#include "known.h"

#define LINE_WORDS 8U
#define SITES      4U
#define SITE_WORDS (32U * LINE_WORDS)

KNOWN_PROBE(call, "blx r10");

static uint32_t *text;
static const char *const step[] = {"new", "warm", "other", "line", "page", "all"};
static uint32_t misses[sizeof(step) / sizeof(step[0])][4];
static unsigned steps;

/* The least misses of a call to a function at any of the sites. */
static void measure(void *arg)
{
    uint32_t *const first = arg;
    uint32_t least = UINT32_MAX;
    struct known_counts c;

    /* The first time for the probe's own code. */
    c = known_measure(call, first + 4U * LINE_WORDS, 0, MPJ_EVENT_ICACHE_MISS, MPJ_EVENT_INSTR);
    for (unsigned i = 0; i < SITES; i++) {
        c = known_measure(call, first + i * SITE_WORDS, 0, MPJ_EVENT_ICACHE_MISS, MPJ_EVENT_INSTR);
        if (c.event[0] < least)
            least = (uint32_t)c.event[0];
    }
    misses[steps][mpj_core_id()] = least;
}

/* The words that begin so many lines behind each site have to be fetched again. */
static void clear(unsigned line, unsigned words)
{
    for (unsigned i = 0; i < SITES; i++) {
        uint32_t *const at = text + i * SITE_WORDS + line * LINE_WORDS;
        __builtin___clear_cache((char *)at, (char *)(at + words));
    }
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
    text[4U * LINE_WORDS] = 0xe12fff1eU; /* bx lr */
    for (unsigned i = 0; i < SITES; i++)
        text[i * SITE_WORDS] = 0xe12fff1eU;
    (void)cacheflush(text, 4096, BCACHE);
    count();
    count();
    clear(2, LINE_WORDS);
    count();
    clear(0, 1);
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
