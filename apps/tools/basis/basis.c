/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a random program: threads that are mixes of basis segments (mpj_basis.h), so that no
 * program has to be compiled for the fitting of an energy model.
 *
 *   basis [rounds=N] [seed=N] CORE=SEGMENT:COUNT[,SEGMENT:COUNT...] ...
 *       One argument per thread. COUNT repetitions of each segment, one segment after the other,
 *       all of it N times (default 1). Threads of one core take turns, a round each. Cores without
 *       a thread wait in WFI.
 *   basis time [SEGMENT...]
 *       Cycles of one repetition of each segment, alone on core 0.
 *   basis list
 */
#include "basis.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal_cache.h"
#include "hal_cpu.h"
#include "mpj.h"
#include "mpj_mmu.h"
#include "tile_board.h"

#define CORES ((unsigned)TILE_CORES)

struct step {
    basis_fn *fn;
    uint32_t reps;
};

struct thread {
    unsigned core;
    unsigned steps;
    struct step step[MPJ_BASIS_STEPS_MAX];
};

static const struct {
    const char *name;
    basis_fn *fn;
    enum mpj_basis_class class;
} segments[] = {
#define SEGMENT_ROW(name, class, cycles, crowd, meaning) {#name, seg_##name, MPJ_BASIS_##class},
    MPJ_BASIS_SEGMENTS(SEGMENT_ROW)
#undef SEGMENT_ROW
};

static struct thread thread[MPJ_BASIS_THREADS_MAX];
static unsigned threads;
static uint32_t rounds = 1, seed = 1;
static struct basis part[CORES];
static bool kernels, integers, code;

static _Noreturn void usage(const char *what, const char *text, size_t len)
{
    fprintf(stderr, "basis: %s: \"%.*s\"\n", what, (int)len, text);
    exit(2);
}

static uint32_t number(const char *what, const char *text, size_t len, uint32_t low, uint32_t high)
{
    char *end;
    unsigned long v;

    errno = 0;
    v = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || end != text + len || errno != 0 || v < low || v > high)
        usage(what, text, len);
    return (uint32_t)v;
}

static int segment_of(const char *name, size_t len)
{
    for (unsigned i = 0; i < MPJ_BASIS_SEGMENT_COUNT; i++) {
        if (strlen(segments[i].name) == len && memcmp(segments[i].name, name, len) == 0)
            return (int)i;
    }
    return -1;
}

static void needs(unsigned segment)
{
    kernels = kernels || segments[segment].class == MPJ_BASIS_KERNEL;
    integers = integers || segments[segment].class == MPJ_BASIS_INTEGER;
    code = code || segment == MPJ_BASIS_SEG_code_itlb;
}

static void parse_thread(const char *text)
{
    struct thread *const t = &thread[threads];

    if (threads == MPJ_BASIS_THREADS_MAX)
        usage("too many threads", text, strlen(text));
    t->core = number("no such core", text, strcspn(text, "="), 0, mpj_core_count() - 1U);
    text = strchr(text, '=') + 1;
    for (;;) {
        const size_t len = strcspn(text, ",");
        const size_t name = strcspn(text, ":,");
        const int segment = segment_of(text, name);

        if (segment < 0)
            usage("no such segment", text, name);
        if (name == len || t->steps == MPJ_BASIS_STEPS_MAX)
            usage(name == len ? "a segment needs a count" : "too many segments", text, len);
        needs((unsigned)segment);
        t->step[t->steps].fn = segments[segment].fn;
        t->step[t->steps++].reps =
            number("no such count", text + name + 1, len - name - 1, 1, MPJ_BASIS_REPS_MAX);
        if (text[len] == '\0')
            break;
        text += len + 1;
    }
    threads++;
}

static void parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *const value = strchr(argv[i], '=');

        if (value == NULL)
            usage("not NAME=VALUE", argv[i], strlen(argv[i]));
        if (strncmp(argv[i], "rounds=", 7) == 0)
            rounds = number("rounds", value + 1, strlen(value + 1), 1, MPJ_BASIS_ROUNDS_MAX);
        else if (strncmp(argv[i], "seed=", 5) == 0)
            seed = number("seed", value + 1, strlen(value + 1), 0, UINT32_MAX);
        else
            parse_thread(argv[i]);
    }
    if (threads == 0)
        usage("nothing to do", "", 0);
}

/* Allocates memory for all segments, and the code that some call. */
static void prepare(void)
{
    const uint32_t own = CORES * BASIS_PRIVATE;
    const uint32_t count = own + BASIS_FAR + BASIS_CODE;
    char *all = malloc((count + 1U) * BASIS_SECTION);

    if (all == NULL) {
        fprintf(stderr, "basis: no memory\n");
        exit(1);
    }
    all = (char *)(((uintptr_t)all + BASIS_SECTION - 1U) & ~(uintptr_t)(BASIS_SECTION - 1U));
    for (unsigned i = 0; i < CORES; i++) {
        part[i].core = i;
        part[i].random = (seed + i) * 2654435761U;
        part[i].mem = all + i * BASIS_PRIVATE * BASIS_SECTION;
        part[i].far = all + own * BASIS_SECTION;
        part[i].code = part[i].far + BASIS_FAR * BASIS_SECTION;
    }
    if (code) {
        const uint32_t first = (uint32_t)part[0].code;

        mpj_mmu_map(first, first + BASIS_CODE * BASIS_SECTION, MPJ_MMU_RWX);
        basis_code_init(part[0].code);
    }
}

/* Makes written code visible: the core that wrote it cleans its data cache, every core empties its
 * instruction cache and drops the old map. */
static void see_code(void *arg)
{
    hal_irq_state irq = hal_irq_save();

    (void)arg;
    hal_cache_clean_invalidate();
    hal_cache_invalidate_insn();
    mpj_mmu_flush();
    hal_irq_restore(irq);
}

static void work(void *arg)
{
    const unsigned core = mpj_core_id();
    bool any = false;

    (void)arg;
    for (unsigned i = 0; i < threads; i++)
        any = any || thread[i].core == core;
    if (!any)
        return;
    if (kernels)
        basis_kernels_init(&part[core]);
    if (integers)
        basis_integers_init(&part[core]);
    for (uint32_t r = 0; r < rounds; r++) {
        for (unsigned i = 0; i < threads; i++) {
            if (thread[i].core != core)
                continue;
            for (unsigned k = 0; k < thread[i].steps; k++)
                thread[i].step[k].fn(&part[core], thread[i].step[k].reps);
        }
    }
}

/* Measures one repetition of a segment in warm caches: the mean of many. */
static void time_segment(unsigned i)
{
    const uint32_t reps = segments[i].class == MPJ_BASIS_WAIT ? 20U : 400U;
    uint64_t begin;

    segments[i].fn(&part[0], reps);
    begin = mpj_cycles();
    segments[i].fn(&part[0], reps);
    printf("%s %lu\n", segments[i].name, (unsigned long)((mpj_cycles() - begin) / reps));
}

static int time_segments(int argc, char **argv)
{
    kernels = integers = code = true;
    prepare();
    see_code(NULL);
    basis_kernels_init(&part[0]);
    basis_integers_init(&part[0]);
    for (unsigned i = 0; i < MPJ_BASIS_SEGMENT_COUNT && argc == 2; i++)
        time_segment(i);
    for (int k = 2; k < argc; k++) {
        const int i = segment_of(argv[k], strlen(argv[k]));

        if (i < 0)
            usage("no such segment", argv[k], strlen(argv[k]));
        time_segment((unsigned)i);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (unsigned i = 0; i < MPJ_BASIS_SEGMENT_COUNT; i++)
            printf("%s\n", segments[i].name);
        return 0;
    }
    if (argc >= 2 && strcmp(argv[1], "time") == 0)
        return time_segments(argc, argv);
    parse(argc, argv);
    prepare();
    if (code)
        mpj_on_all_cores(see_code, NULL);
    mpj_on_all_cores(work, NULL);
    return 0;
}
