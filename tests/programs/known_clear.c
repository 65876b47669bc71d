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
static uint32_t misses[4];

static void measure(void *arg)
{
    struct known_counts c;

    /* The first time for the probe's own code. */
    c = known_measure(call, text + 4U * LINE_WORDS, 0, MPJ_EVENT_ICACHE_MISS, MPJ_EVENT_INSTR);
    c = known_measure(call, arg, 0, MPJ_EVENT_ICACHE_MISS, MPJ_EVENT_INSTR);
    misses[mpj_core_id()] = c.event[0];
}

static void print(const char *name)
{
    mpj_on_all_cores(measure, text);
    for (unsigned i = 0; i < 4; i++)
        printf("%s_core%u %lu\n", name, i, (unsigned long)misses[i]);
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
    print("new");
    print("warm");
    __builtin___clear_cache((char *)(text + 2U * LINE_WORDS), (char *)(text + 3U * LINE_WORDS));
    print("other");
    __builtin___clear_cache((char *)text, (char *)(text + 1));
    print("line");
    (void)cacheflush(text, 4096, ICACHE);
    print("page");
    (void)cacheflush((char *)text - 65536, 131072, ICACHE);
    print("all");
    return 0;
}
