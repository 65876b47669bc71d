/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predictors: their formulas, and their counts on the chip, a core, a thread. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model_int.h"

#define PARTS 5U

enum kind { CORE, PER_CORE_CHIP, CHIP, RUN_CYCLES, OVERLAP };

/* A part of a predictor: 1 + row of mpj_event_table(), negative to subtract it; 0: unused.
 * PER_CORE_CHIP: the row of core 0, those of the other cores follow. */
#define P(ident) (MPJ_ROW_##ident + 1)

static const struct predictor {
    const char *name; /* NULL: its event's */
    enum kind kind;
    int sign; /* physical; 0: free */
    int part[PARTS];
    const char *formula; /* NULL: its name */
    bool spare;          /* a candidate only where the chip's own counts are not */
} known[] = {
    {"run_cycles", RUN_CYCLES, 1, {0}, "cycles - wfi_cycles", false},
/* Waiting (cycles) may cost less than the alternative activity; events cost energy. */
#define OF_CORE(ident, number, name, unit, meaning)                                                \
    {NULL, CORE, (unit)[0] == 'e', {P(ident)}, NULL, false},
    TILE_PMU_COUNTS(OF_CORE)
#undef OF_CORE
        {"dl1_access", CORE, 1, {P(DCACHE_RD), P(DCACHE_WR)}, "dcache_rd + dcache_wr", false},
    {"l1_miss",
     CORE,
     1,
     {P(ICACHE_MISS), P(DCACHE_RD_MISS), P(DCACHE_WR_MISS), P(DCACHE_EVICT)},
     "icache_miss + dcache_rd_miss + dcache_wr_miss + dcache_evict",
     true},
    {"scu_miss", PER_CORE_CHIP, 1, {P(SCU_MISS_CPU0)}, "scu_miss_cpu0..3", false},
    {"scu_c2c", PER_CORE_CHIP, 1, {P(SCU_C2C_CPU0)}, "scu_c2c_cpu0..3", false},
    {"coh_trans",
     PER_CORE_CHIP,
     1,
     {P(SCU_MISS_CPU0), P(SCU_C2C_CPU0)},
     "scu_miss_cpu0..3 + scu_c2c_cpu0..3",
     false},
#define ONE(ident)                                                                                 \
    {                                                                                              \
        NULL, CHIP, 1, {P(ident)}, NULL, false                                                     \
    }
    ONE(SCU_MIGRATION),
    ONE(SCU_EXT_RD),
    ONE(SCU_EXT_WR),
    ONE(L2_CASTOUT),
    ONE(L2_DRREQ),
    ONE(L2_DRHIT),
    ONE(L2_DWREQ),
    ONE(L2_DWHIT),
    ONE(L2_IRREQ),
    ONE(L2_WALLOC),
#undef ONE
    {"l2_access",
     CHIP,
     1,
     {P(L2_DRREQ), P(L2_DWREQ), P(L2_IRREQ)},
     "l2_drreq + l2_dwreq + l2_irreq",
     false},
    {"l2_dr_miss", CHIP, 1, {P(L2_DRREQ), -P(L2_DRHIT)}, "l2_drreq - l2_drhit", false},
    {"mem_lines",
     CHIP,
     1,
     {P(L2_DRREQ), -P(L2_DRHIT), P(L2_IRREQ), -P(L2_IRHIT), P(L2_CASTOUT)},
     "l2_drreq - l2_drhit + l2_irreq - l2_irhit + l2_castout",
     false},
    {"port_overlap",
     OVERLAP,
     1,
     {P(SCU_M0_RD_BUSY), P(SCU_M0_WR_BUSY), P(SCU_M1_RD_BUSY), P(SCU_M1_WR_BUSY)},
     "(scu_m0_rd_busy + scu_m0_wr_busy) * (scu_m1_rd_busy + scu_m1_wr_busy) / cycles",
     false},
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

_Static_assert(KNOWN <= MPJ_REGRESS_MAX, "every predictor may take part in a fit");

size_t mpj_predictors(void)
{
    return KNOWN;
}

const char *mpj_predictor_name(size_t index)
{
    if (index >= KNOWN)
        return NULL;
    if (known[index].name != NULL)
        return known[index].name;
    return mpj_event_table(&(size_t){0})[known[index].part[0] - 1].name;
}

const char *mpj_predictor_formula(size_t index)
{
    if (index >= KNOWN)
        return NULL;
    return known[index].formula != NULL ? known[index].formula : mpj_predictor_name(index);
}

int mpj_predictor_find(const char *name)
{
    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(mpj_predictor_name(i), name) == 0)
            return (int)i;
    }
    return -1;
}

bool mpj_predictor_of_core(size_t index)
{
    return known[index].kind == CORE || known[index].kind == RUN_CYCLES;
}

bool mpj_predictor_spare(size_t index)
{
    return known[index].spare;
}

int mpj_predictor_sign(size_t index)
{
    return known[index].sign;
}

/* ---- counts ----------------------------------------------------------------- */

/* Looked up once: thousands of predictions are computed. */
static struct {
    const struct predictor *coh_trans, *scu_miss, *scu_c2c;
} named;
static pthread_once_t names_known = PTHREAD_ONCE_INIT;

static void find_names(void)
{
    named.coh_trans = &known[mpj_predictor_find("coh_trans")];
    named.scu_miss = &known[mpj_predictor_find("scu_miss")];
    named.scu_c2c = &known[mpj_predictor_find("scu_c2c")];
}

/* Returns the row of a part; -1: the predictor has no such part. */
static int part_row(const struct predictor *q, unsigned part, unsigned core)
{
    return abs(q->part[part]) - 1 +
           (q->kind == PER_CORE_CHIP && q->part[part] != 0 ? (int)core : 0);
}

int mpj_fill_event(unsigned kind, unsigned core)
{
    return (int)((kind == 0 ? MPJ_ROW_SCU_MISS_CPU0 : MPJ_ROW_SCU_C2C_CPU0) + core);
}

struct mpj_dataset_part mpj_core_part(const struct mpj_dataset_program *p, unsigned k)
{
    struct mpj_dataset_part out = {.run_s = p->time_s};

    pthread_once(&names_known, find_names);
    out.core_share[k] = 1;
    if (!p->core[k].present)
        return out;
    out.cycles = p->core[k].cycles - p->core[k].wfi_cycles;
    memcpy(out.ev, p->core[k].ev, sizeof(out.ev));
    for (unsigned kind = 0; kind < MPJ_FILL_KINDS; kind++) {
        for (unsigned n = 0; n < MPJ_CORES_MAX; n++) {
            const int e = mpj_fill_event(kind, n);
            out.ev[e] = n == k ? p->chip[e] : 0;
        }
    }
    return out;
}

/* Returns the count of a predictor of cores in a part. */
static double own(const struct predictor *q, const struct mpj_dataset_part *part)
{
    double sum = 0;

    if (q->kind == RUN_CYCLES)
        return part->cycles;
    for (unsigned i = 0; i < PARTS && part_row(q, i, 0) >= 0; i++)
        sum += part->ev[part_row(q, i, 0)];
    return sum;
}

/* Returns the count of a predictor on one core, for events counted per core. */
static double core_count(const struct predictor *q, const struct mpj_dataset_program *p, unsigned k)
{
    double sum = 0;

    if (!p->core[k].present)
        return 0;
    if (q->kind == RUN_CYCLES)
        return p->core[k].cycles - p->core[k].wfi_cycles;
    for (unsigned i = 0; i < PARTS && part_row(q, i, k) >= 0; i++) {
        const int e = part_row(q, i, k);
        sum += q->kind == PER_CORE_CHIP ? p->chip[e] : p->core[k].ev[e];
    }
    return sum;
}

static double chip_count(const struct predictor *q, const struct mpj_dataset_program *p)
{
    double v[PARTS] = {0};
    double sum = 0;

    switch (q->kind) {
    case CHIP:
    case OVERLAP:
        for (unsigned i = 0; i < PARTS && part_row(q, i, 0) >= 0; i++)
            v[i] = (q->part[i] < 0 ? -1 : 1) * p->chip[part_row(q, i, 0)];
        return q->kind == CHIP ? v[0] + v[1] + v[2] + v[3] + v[4]
                               : (v[0] + v[1]) * (v[2] + v[3]) / (p->time_s * p->clock_hz);
    default:
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            sum += core_count(q, p, k);
        return sum;
    }
}

/* Returns the SCU's count for a part, core by core; NAN: the SCU was not read when the thread was
 * switched to and from its core. */
static double scu_own(const struct predictor *q, const struct mpj_dataset_part *part)
{
    double sum = 0;

    for (unsigned i = 0; i < PARTS && part_row(q, i, 0) >= 0; i++) {
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            sum += part->ev[part_row(q, i, k)];
    }
    return sum;
}

/*
 * Returns a part's count of an event that the SCU counts per core. Where it was not counted for the
 * part: its linefills (dcache_rd_miss + dcache_wr_miss) times the share of the event in those of
 * its cores, weighted by the time on each.
 */
static double scu_count(const struct predictor *q, const struct mpj_dataset_program *p,
                        const struct mpj_dataset_part *part)
{
    const struct predictor *const all = named.coh_trans;
    const double counted = scu_own(q, part);
    const double chip_fills = chip_count(all, p);
    const double chip_ratio = chip_fills > 0 ? chip_count(q, p) / chip_fills : 0;
    const double fills = part->ev[MPJ_ROW_DCACHE_RD_MISS] + part->ev[MPJ_ROW_DCACHE_WR_MISS];
    double ratio = 0;
    double weight = 0;

    if (!isnan(counted) || isnan(chip_fills))
        return counted;
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        const double n = core_count(all, p, k);
        ratio += part->core_share[k] * (n > 0 ? core_count(q, p, k) / n : chip_ratio);
        weight += part->core_share[k];
    }
    return fills * (weight > 0 ? ratio / weight : chip_ratio);
}

/* Returns the lines written to the L2 for each line that one core gets from another: dirty lines
 * are written back when another core reads them. NAN or infinite where they were not counted. */
static double written_back(const struct mpj_dataset_program *p)
{
    double lines = p->chip[MPJ_ROW_L2_DWREQ];

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        lines -= p->core[k].present ? p->core[k].ev[MPJ_ROW_DCACHE_EVICT] : 0;
    return fmax(lines, 0) / chip_count(named.scu_c2c, p) + 0 * lines;
}

/* Returns a part's requests to the memory system beyond the level 1 caches and the SCU. */
static double requests(const struct mpj_dataset_program *p, const struct mpj_dataset_part *part)
{
    const double back = written_back(p) * scu_count(named.scu_c2c, p, part);

    return part->ev[MPJ_ROW_ICACHE_MISS] + part->ev[MPJ_ROW_DCACHE_EVICT] +
           scu_count(named.scu_miss, p, part) + (isfinite(back) ? back : 0);
}

static double external(const struct mpj_dataset_program *p, const struct mpj_dataset_part *part)
{
    (void)p;
    return part->ev[MPJ_ROW_EXT_REQ];
}

static double cycles(const struct mpj_dataset_program *p, const struct mpj_dataset_part *part)
{
    (void)p;
    return part->cycles;
}

/* Returns a part's share of the chip's counts: by its requests, or the next best. */
static double share(const struct mpj_dataset_program *p, const struct mpj_dataset_part *part)
{
    static double (*const by[])(const struct mpj_dataset_program *,
                                const struct mpj_dataset_part *) = {requests, external, cycles};

    for (unsigned b = 0; b < sizeof(by) / sizeof(by[0]); b++) {
        const double mine = by[b](p, part);
        double all = 0;
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            const struct mpj_dataset_part core = mpj_core_part(p, k);
            all += by[b](p, &core);
        }
        if (all > 0 && !isnan(mine)) /* false with NAN */
            return mine / all;
    }
    return 0;
}

double mpj_predictor_rate(size_t index, const struct mpj_dataset_program *p, uint32_t core)
{
    const struct predictor *const q = &known[index];
    double n;

    pthread_once(&names_known, find_names);
    if (!(p->time_s > 0))
        return NAN;
    if (core == MPJ_MODEL_CHIP) {
        n = chip_count(q, p);
    } else if (q->kind == CHIP || q->kind == OVERLAP) {
        const struct mpj_dataset_part part = mpj_core_part(p, core);
        n = chip_count(q, p) * share(p, &part);
    } else {
        n = core_count(q, p, core);
    }
    return n / p->time_s;
}

double mpj_predictor_count(size_t index, const struct mpj_dataset_program *p,
                           const struct mpj_dataset_part *part)
{
    const struct predictor *const q = &known[index];
    double n;

    pthread_once(&names_known, find_names);
    if (mpj_predictor_of_core(index))
        return own(q, part);
    n = q->kind == PER_CORE_CHIP ? scu_count(q, p, part) : NAN;
    return isnan(n) ? chip_count(q, p) * share(p, part) : n;
}

void mpj_predictor_events(size_t index, bool shares, bool *want)
{
    const struct predictor *const q = &known[index];

    for (unsigned i = 0; i < PARTS && q->part[i] != 0; i++) {
        for (unsigned k = 0; k < (q->kind == PER_CORE_CHIP ? MPJ_CORES_MAX : 1U); k++)
            want[part_row(q, i, k)] = true;
    }
    if (!shares || mpj_predictor_of_core(index))
        return;
    want[MPJ_ROW_ICACHE_MISS] = true;
    want[MPJ_ROW_DCACHE_RD_MISS] = true;
    want[MPJ_ROW_DCACHE_WR_MISS] = true;
    want[MPJ_ROW_DCACHE_EVICT] = true;
    mpj_predictor_events((size_t)mpj_predictor_find("coh_trans"), false, want);
}
