/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "models/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of a program in core clock cycles, as far as its threads do not delay each other: 60 to
 * 140 ms at 210 MHz. All arithmetic is in integers, so that every machine generates the same
 * programs. */
#define CYCLES_MIN 12600000U
#define CYCLES_MAX 29400000U

#define WEIGHT_MAX 1000U
#define THEME_GAIN 4U /* factor of the weight of segments of the program's class */
#define QUIET      4U /* one program of so many is quiet: integer code on one core */

static const struct {
    const char *name;
    enum mpj_basis_class class;
    uint32_t cycles;
    bool crowd;
} segments[] = {
#define SEGMENT_ROW(name, class, cycles, crowd, meaning)                                           \
    {#name, MPJ_BASIS_##class, cycles, (crowd) != 0},
    MPJ_BASIS_SEGMENTS(SEGMENT_ROW)
#undef SEGMENT_ROW
};

static const char *const class_names[MPJ_BASIS_CLASSES] = {
    [MPJ_BASIS_ALU] = "alu",       [MPJ_BASIS_MUL] = "mul",       [MPJ_BASIS_VFP] = "vfp",
    [MPJ_BASIS_L1] = "l1",         [MPJ_BASIS_L2] = "l2",         [MPJ_BASIS_MEMORY] = "memory",
    [MPJ_BASIS_STORE] = "store",   [MPJ_BASIS_BRANCH] = "branch", [MPJ_BASIS_CODE] = "code",
    [MPJ_BASIS_TLB] = "tlb",       [MPJ_BASIS_SHARE] = "share",   [MPJ_BASIS_SYNC] = "sync",
    [MPJ_BASIS_KERNEL] = "kernel", [MPJ_BASIS_WAIT] = "wait",     [MPJ_BASIS_INTEGER] = "integer",
};

const char *mpj_basis_class_name(enum mpj_basis_class class)
{
    return class_names[class];
}

const char *mpj_basis_segment_name(enum mpj_basis_segment segment)
{
    return segments[segment].name;
}

/* ---- random numbers --------------------------------------------------------- */

static uint64_t splitmix64(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15U);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

void mpj_random_init(struct mpj_random *r, uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++)
        r->s[i] = splitmix64(&seed);
}

static uint64_t rotl(uint64_t x, unsigned k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t mpj_random_next(struct mpj_random *r)
{
    uint64_t *const s = r->s;
    const uint64_t result = rotl(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

uint32_t mpj_random_below(struct mpj_random *r, uint32_t n)
{
    const uint32_t reject = (uint32_t)(-n) % n; /* 2^32 mod n */
    uint32_t v;

    do {
        v = (uint32_t)(mpj_random_next(r) >> 32);
    } while (v < reject);
    return v % n;
}

static uint32_t between(struct mpj_random *r, uint32_t low, uint32_t high)
{
    return low + mpj_random_below(r, high - low + 1U);
}

static bool chance(struct mpj_random *r, uint32_t percent)
{
    return mpj_random_below(r, 100) < percent;
}

/* ---- programs --------------------------------------------------------------- */

struct mix {
    unsigned n;
    unsigned segment[MPJ_BASIS_STEPS_MAX];
    uint32_t weight[MPJ_BASIS_STEPS_MAX];
};

static bool has(const struct mix *m, unsigned segment)
{
    for (unsigned i = 0; i < m->n; i++) {
        if (m->segment[i] == segment)
            return true;
    }
    return false;
}

static void add(struct mix *m, unsigned segment, uint32_t weight)
{
    if (m->n == MPJ_BASIS_STEPS_MAX || has(m, segment))
        return;
    m->segment[m->n] = segment;
    m->weight[m->n++] = weight;
}

static unsigned of_class(struct mpj_random *r, enum mpj_basis_class class)
{
    unsigned s;

    do {
        s = mpj_random_below(r, MPJ_BASIS_SEGMENT_COUNT);
    } while (segments[s].class != class);
    return s;
}

/* True for classes that stay within a core and its L1 caches, and leave the VFP alone. */
static bool is_quiet(enum mpj_basis_class class)
{
    return class == MPJ_BASIS_ALU || class == MPJ_BASIS_MUL || class == MPJ_BASIS_L1 ||
           class == MPJ_BASIS_BRANCH || class == MPJ_BASIS_INTEGER;
}

/* Chooses one to three segments of the class, zero to five others, and occasionally waiting. The
 * weights are squares of uniform numbers: some segments prevail. A quiet program has quiet others.
 */
static void make_mix(struct mpj_random *r, enum mpj_basis_class theme, struct mix *m)
{
    const unsigned main_ones = between(r, 1, 3);
    const unsigned others = between(r, 0, 5);

    m->n = 0;
    for (unsigned i = 0; i < main_ones; i++) {
        const uint32_t w = between(r, 200, WEIGHT_MAX);
        add(m, of_class(r, theme), w * w / WEIGHT_MAX * THEME_GAIN + 1U);
    }
    for (unsigned i = 0; i < others; i++) {
        const unsigned s = mpj_random_below(r, MPJ_BASIS_SEGMENT_COUNT);
        const uint32_t w = between(r, 50, WEIGHT_MAX);
        if (theme == MPJ_BASIS_INTEGER ? is_quiet(segments[s].class)
                                       : segments[s].class != MPJ_BASIS_WAIT)
            add(m, s, w * w / WEIGHT_MAX + 1U);
    }
    if (theme != MPJ_BASIS_WAIT && chance(r, 30))
        add(m, chance(r, 80) ? MPJ_BASIS_SEG_sleep : MPJ_BASIS_SEG_spin,
            between(r, 50, 3U * WEIGHT_MAX));
}

/* Writes CORE=SEGMENT:COUNT,... for a share of the cycles given. crowd: busy cores. */
static void write_thread(char *out, size_t size, unsigned core, const struct mix *m,
                         uint64_t cycles, unsigned rounds, unsigned crowd)
{
    uint64_t sum = 0;
    size_t n = (size_t)snprintf(out, size, "%u=", core);

    for (unsigned i = 0; i < m->n; i++)
        sum += m->weight[i];
    for (unsigned i = 0; i < m->n; i++) {
        const unsigned s = m->segment[i];
        const uint64_t each = (uint64_t)segments[s].cycles * (segments[s].crowd ? crowd : 1U);
        uint64_t count = cycles * m->weight[i] / sum / rounds / each;
        if (count == 0)
            count = 1;
        n += (size_t)snprintf(out + n, size - n, "%s%s:%llu", i > 0 ? "," : "", segments[s].name,
                              (unsigned long long)count);
    }
}

/* Assigns cores to the threads: a core of its own to each while any is left. */
static void place(struct mpj_random *r, unsigned threads, unsigned cores, unsigned *core)
{
    unsigned order[MPJ_CORES_MAX];

    for (unsigned i = 0; i < cores; i++)
        order[i] = i;
    for (unsigned i = cores; i > 1; i--) {
        const unsigned j = mpj_random_below(r, i);
        const unsigned t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
    for (unsigned i = 0; i < threads; i++)
        core[i] = order[i % cores];
}

/* Returns the number of rounds, from 32 to 1000; each power of two is as likely. In short rounds
 * the segments take turns every few thousand cycles, like the functions of ordinary programs: each
 * finds the registers, and often the branch predictor, as another left them. */
static unsigned choose_rounds(struct mpj_random *r)
{
    const uint32_t low = 1U << between(r, 5, 9);
    const uint32_t n = between(r, low, 2U * low - 1U);

    return n < MPJ_BASIS_ROUNDS_MAX ? n : MPJ_BASIS_ROUNDS_MAX;
}

void mpj_generate(struct mpj_generated *out, uint64_t seed, unsigned id, unsigned cores)
{
    struct mpj_random r;
    uint64_t mixed = seed;
    struct mix mix = {0};
    unsigned core[MPJ_BASIS_THREADS_MAX] = {0};
    unsigned on_core[MPJ_CORES_MAX] = {0};
    unsigned crowd = 0;
    const bool quiet = id % QUIET == QUIET - 1U;
    const unsigned nth = id - id / QUIET; /* number among the others */
    enum mpj_basis_class theme;
    uint64_t cycles;
    unsigned rounds;
    bool alike;

    memset(out, 0, sizeof(*out));
    mpj_random_init(&r, splitmix64(&mixed) ^ id);
    /* every other class, and with each every number of threads, equally often */
    theme = quiet ? MPJ_BASIS_INTEGER : (enum mpj_basis_class)(nth % MPJ_BASIS_INTEGER);
    out->threads = quiet ? 1U : 1U + (nth / MPJ_BASIS_INTEGER + nth) % cores;
    if (chance(&r, 15) && !quiet) /* more threads than cores */
        out->threads = between(&r, out->threads, MPJ_BASIS_THREADS_MAX);
    alike = chance(&r, 50);
    rounds = choose_rounds(&r);
    cycles = between(&r, CYCLES_MIN, CYCLES_MAX);
    place(&r, out->threads, cores, core);
    for (unsigned i = 0; i < out->threads; i++) {
        crowd += on_core[core[i]] == 0;
        on_core[core[i]]++;
        out->cores_mask |= 1U << core[i];
    }

    snprintf(out->name, sizeof(out->name), "r%03u", id % 1000000U);
    out->family = class_names[theme];
    snprintf(out->arg[out->argc++], sizeof(out->arg[0]), "rounds=%u", rounds);
    snprintf(out->arg[out->argc++], sizeof(out->arg[0]), "seed=%u", mpj_random_below(&r, 1000000));
    for (unsigned i = 0; i < out->threads; i++) {
        /* threads of a core share its time; some have less to do and leave the core idle */
        const unsigned sharers = on_core[core[i]];
        uint64_t share = sharers > 1 ? cycles / sharers : cycles;
        if (i == 0 || !alike)
            make_mix(&r, theme, &mix);
        if (i > 0 && chance(&r, 40))
            share = share * between(&r, 20, 100) / 100U;
        write_thread(out->arg[out->argc++], sizeof(out->arg[0]), core[i], &mix, share, rounds,
                     crowd);
    }
}

/* Returns the segment that begins a text of the form NAME:COUNT; -1: none does. */
static int segment_at(const char *text)
{
    const size_t len = strcspn(text, ":");

    for (unsigned s = 0; s < MPJ_BASIS_SEGMENT_COUNT; s++) {
        if (strlen(segments[s].name) == len && strncmp(segments[s].name, text, len) == 0)
            return (int)s;
    }
    return -1;
}

double mpj_generated_pieces(const char *arguments)
{
    const char *at = strstr(arguments, "seed=");
    double sum = 0;
    double squares = 0;

    at = at != NULL ? strchr(at, ' ') : NULL; /* of the only thread */
    if (at == NULL || strchr(at + 1, ' ') != NULL || strchr(at, '=') == NULL)
        return 0;
    for (at = strchr(at, '='); at != NULL; at = strchr(at + 1, ',')) {
        const int s = segment_at(at + 1);
        const char *const count = strchr(at, ':');
        if (s < 0 || count == NULL)
            return 0;
        if (segments[s].class != MPJ_BASIS_WAIT) {
            const double cycles = strtod(count + 1, NULL) * segments[s].cycles;
            sum += cycles;
            squares += cycles * cycles;
        }
    }
    return squares > 0 ? sum * sum / squares : 0;
}
