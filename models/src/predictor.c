/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predictors: what they are made of, and how often they happened on the chip, a core, a thread. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "model_int.h"

#define PARTS 5U

enum kind { CORE, PER_CORE_CHIP, CHIP, RUN_CYCLES, OVERLAP };

/* PER_CORE_CHIP: events of the SCU with the core's number at the end. A part with "-" is taken off.
 */
static const struct predictor {
    const char *name;
    enum kind kind;
    int sign; /* physical; 0: free */
    const char *part[PARTS];
    const char *formula;
    bool spare; /* a candidate only where the chip's own counts are none */
} known[] = {
#define ONE(n, s)                                                                                  \
    {                                                                                              \
        n, CORE, s, {n}, n, false                                                                  \
    }
    {"run_cycles", RUN_CYCLES, 1, {NULL}, "cycles - wfi_cycles", false},
    ONE("icache_miss", 1),
    ONE("ifetch_stall", 0),
    ONE("ddep_stall", 0),
    ONE("iutlb_miss", 1),
    ONE("dutlb_miss", 1),
    ONE("branch", 1),
    ONE("branch_notpred", 1),
    ONE("branch_mispred", 1),
    ONE("instr", 1),
    ONE("folded", 1),
    ONE("dcache_rd", 1),
    ONE("dcache_rd_miss", 1),
    ONE("dcache_wr", 1),
    ONE("dcache_wr_miss", 1),
    ONE("dcache_evict", 1),
    ONE("pc_change", 1),
    ONE("tlb_miss", 1),
    ONE("ext_req", 1),
    ONE("lsu_stall", 0),
    ONE("sb_drain", 1),
    ONE("sb_merge", 1),
#undef ONE
    {"dl1_access", CORE, 1, {"dcache_rd", "dcache_wr"}, "dcache_rd + dcache_wr", false},
    {"l1_miss",
     CORE,
     1,
     {"icache_miss", "dcache_rd_miss", "dcache_wr_miss", "dcache_evict"},
     "icache_miss + dcache_rd_miss + dcache_wr_miss + dcache_evict",
     true},
    {"scu_miss", PER_CORE_CHIP, 1, {"scu_miss_cpu"}, "scu_miss_cpu0..3", false},
    {"scu_c2c", PER_CORE_CHIP, 1, {"scu_c2c_cpu"}, "scu_c2c_cpu0..3", false},
    {"coh_trans",
     PER_CORE_CHIP,
     1,
     {"scu_miss_cpu", "scu_c2c_cpu"},
     "scu_miss_cpu0..3 + scu_c2c_cpu0..3",
     false},
#define ONE(n)                                                                                     \
    {                                                                                              \
        n, CHIP, 1, {n}, n, false                                                                  \
    }
    ONE("scu_migration"),
    ONE("scu_ext_rd"),
    ONE("scu_ext_wr"),
    ONE("l2_castout"),
    ONE("l2_drreq"),
    ONE("l2_drhit"),
    ONE("l2_dwreq"),
    ONE("l2_dwhit"),
    ONE("l2_irreq"),
    ONE("l2_walloc"),
#undef ONE
    {"l2_access",
     CHIP,
     1,
     {"l2_drreq", "l2_dwreq", "l2_irreq"},
     "l2_drreq + l2_dwreq + l2_irreq",
     false},
    {"l2_dr_miss", CHIP, 1, {"l2_drreq", "-l2_drhit"}, "l2_drreq - l2_drhit", false},
    {"mem_lines",
     CHIP,
     1,
     {"l2_drreq", "-l2_drhit", "l2_irreq", "-l2_irhit", "l2_castout"},
     "l2_drreq - l2_drhit + l2_irreq - l2_irhit + l2_castout",
     false},
    {"port_overlap",
     OVERLAP,
     1,
     {"scu_m0_rd_busy", "scu_m0_wr_busy", "scu_m1_rd_busy", "scu_m1_wr_busy"},
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
    return index < KNOWN ? known[index].name : NULL;
}

const char *mpj_predictor_formula(size_t index)
{
    return index < KNOWN ? known[index].formula : NULL;
}

int mpj_predictor_find(const char *name)
{
    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(known[i].name, name) == 0)
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

/* Rows of mpj_event_table(), looked up once: predictions are made by the thousand. */
static struct {
    int part[KNOWN][PARTS][MPJ_CORES_MAX]; /* -1: the predictor has no such part */
    double sign[KNOWN][PARTS];
    int icache_miss, rd_miss, wr_miss, evict, ext_req, l2_dwreq;
    const struct predictor *coh_trans, *scu_miss, *scu_c2c;
} row;
static pthread_once_t rows_known = PTHREAD_ONCE_INIT;

static void find_rows(void)
{
    for (size_t i = 0; i < KNOWN; i++) {
        for (unsigned n = 0; n < PARTS; n++) {
            const char *part = known[i].part[n];
            row.sign[i][n] = part != NULL && part[0] == '-' ? -1 : 1;
            if (part != NULL && part[0] == '-')
                part++;
            for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
                char name[32] = "";
                if (part != NULL)
                    snprintf(name, sizeof(name), known[i].kind == PER_CORE_CHIP ? "%s%u" : "%s",
                             part, k);
                row.part[i][n][k] = part != NULL ? mpj_event_index(name) : -1;
            }
        }
    }
    row.icache_miss = mpj_event_index("icache_miss");
    row.rd_miss = mpj_event_index("dcache_rd_miss");
    row.wr_miss = mpj_event_index("dcache_wr_miss");
    row.evict = mpj_event_index("dcache_evict");
    row.ext_req = mpj_event_index("ext_req");
    row.l2_dwreq = mpj_event_index("l2_dwreq");
    row.coh_trans = &known[mpj_predictor_find("coh_trans")];
    row.scu_miss = &known[mpj_predictor_find("scu_miss")];
    row.scu_c2c = &known[mpj_predictor_find("scu_c2c")];
}

static int part_row(const struct predictor *q, unsigned part, unsigned core)
{
    return row.part[q - known][part][core];
}

int mpj_fill_event(unsigned kind, unsigned core)
{
    pthread_once(&rows_known, find_rows);
    return part_row(kind == 0 ? row.scu_miss : row.scu_c2c, 0, core);
}

struct mpj_dataset_part mpj_core_part(const struct mpj_dataset_program *p, unsigned k)
{
    struct mpj_dataset_part out = {.run_s = p->time_s};

    pthread_once(&rows_known, find_rows);
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

/* Count of a predictor of cores in a part. */
static double own(const struct predictor *q, const struct mpj_dataset_part *part)
{
    double sum = 0;

    if (q->kind == RUN_CYCLES)
        return part->cycles;
    for (unsigned i = 0; i < PARTS && part_row(q, i, 0) >= 0; i++)
        sum += part->ev[part_row(q, i, 0)];
    return sum;
}

/* Count of a predictor on one core, of what is counted per core. */
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
            v[i] = row.sign[q - known][i] * p->chip[part_row(q, i, 0)];
        return q->kind == CHIP ? v[0] + v[1] + v[2] + v[3] + v[4]
                               : (v[0] + v[1]) * (v[2] + v[3]) / (p->time_s * p->clock_hz);
    default:
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            sum += core_count(q, p, k);
        return sum;
    }
}

/* What the SCU counted of a part, core by core; NAN: nobody looked at the SCU when it came and
 * went. */
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
 * A part's count of what the SCU counts per core. Where it was not counted for the part: of its
 * linefills (dcache_rd_miss + dcache_wr_miss) the share that the cores it ran on had, by the time
 * on each.
 */
static double scu_count(const struct predictor *q, const struct mpj_dataset_program *p,
                        const struct mpj_dataset_part *part)
{
    const struct predictor *const all = row.coh_trans;
    const double counted = scu_own(q, part);
    const double chip_fills = chip_count(all, p);
    const double chip_ratio = chip_fills > 0 ? chip_count(q, p) / chip_fills : 0;
    const double fills = part->ev[row.rd_miss] + part->ev[row.wr_miss];
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

/* Lines written to the L2 for each that one core gets from another: what is dirty there is written
 * back when somebody reads it. NAN or infinite where nobody counted them. */
static double written_back(const struct mpj_dataset_program *p)
{
    double lines = p->chip[row.l2_dwreq];

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        lines -= p->core[k].present ? p->core[k].ev[row.evict] : 0;
    return fmax(lines, 0) / chip_count(row.scu_c2c, p) + 0 * lines;
}

/* A part's requests to what lies behind the level 1 caches and the SCU. */
static double requests(const struct mpj_dataset_program *p, const struct mpj_dataset_part *part)
{
    const double back = written_back(p) * scu_count(row.scu_c2c, p, part);

    return part->ev[row.icache_miss] + part->ev[row.evict] + scu_count(row.scu_miss, p, part) +
           (isfinite(back) ? back : 0);
}

static double external(const struct mpj_dataset_program *p, const struct mpj_dataset_part *part)
{
    (void)p;
    return part->ev[row.ext_req];
}

static double cycles(const struct mpj_dataset_program *p, const struct mpj_dataset_part *part)
{
    (void)p;
    return part->cycles;
}

/* A part's share of what was counted for the whole chip: by its requests, or the next best. */
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
        if (all > 0 && !isnan(mine)) /* not so with NAN */
            return mine / all;
    }
    return 0;
}

double mpj_predictor_rate(size_t index, const struct mpj_dataset_program *p, uint32_t core)
{
    const struct predictor *const q = &known[index];
    double n;

    pthread_once(&rows_known, find_rows);
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

    pthread_once(&rows_known, find_rows);
    if (mpj_predictor_of_core(index))
        return own(q, part);
    n = q->kind == PER_CORE_CHIP ? scu_count(q, p, part) : NAN;
    return isnan(n) ? chip_count(q, p) * share(p, part) : n;
}

static void want_part(const char *name, bool each_core, bool *want)
{
    char text[32];

    for (unsigned k = 0; k < (each_core ? MPJ_CORES_MAX : 1U); k++) {
        int e;
        snprintf(text, sizeof(text), each_core ? "%s%u" : "%s", name, k);
        e = mpj_event_index(text);
        if (e >= 0)
            want[e] = true;
    }
}

void mpj_predictor_events(size_t index, bool shares, bool *want)
{
    static const char *const by[] = {"icache_miss", "dcache_rd_miss", "dcache_wr_miss",
                                     "dcache_evict"};
    const struct predictor *const q = &known[index];

    for (unsigned i = 0; i < PARTS && q->part[i] != NULL; i++)
        want_part(q->part[i] + (q->part[i][0] == '-'), q->kind == PER_CORE_CHIP, want);
    if (!shares || mpj_predictor_of_core(index))
        return;
    for (unsigned i = 0; i < sizeof(by) / sizeof(by[0]); i++)
        want_part(by[i], false, want);
    mpj_predictor_events((size_t)mpj_predictor_find("coh_trans"), false, want);
}
