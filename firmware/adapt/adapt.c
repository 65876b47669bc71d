/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_adapt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal_cpu.h"
#include "hal_pmu.h"
#include "hal_sys.h"
#include "mpj_adapt_records.h"
#include "mpj_noinit.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "policy.h"

#define NS_PER_S 1000000000.0F
/* uV times nA of one code each, in mW: 610e-6 V * 244000e-9 A * 1e3. */
#define MW_PER_PRODUCT ((float)TILE_ADC_UV_PER_STEP * (float)TILE_ADC_NA_PER_STEP * 1e-12F)

static struct {
    bool read, on, dynamic;
    bool swapped; /* the run counts the predictor's events the other way round */
    struct adapt_policy policy;
    struct adapt_region region[ADAPT_REGIONS];
    uint32_t busy; /* an adapted region is being executed */
    /* It. */
    struct adapt_region *now;
    enum adapt_why why;
    bool count;
    unsigned most;
    uint32_t caller;
    uint64_t begin;
    uint32_t sample;
    uint32_t bad;        /* parts whose counts are not those of the part */
    uint32_t sum[3];     /* counts of its threads */
    uint32_t kept, lost; /* records */
    uint32_t sampled;    /* executions with samples of the ADC */
} ad;

static MPJ_NOINIT struct mpj_adapt_rec kept[MPJ_ADAPT_RECORDS];

/* ---- policy -------------------------------------------------------------------------- */

static void say(const char *a, const char *b, const char *c)
{
    const char *const part[] = {"mpj_adapt: ", a, b, c, "\n"};

    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        if (write(STDERR_FILENO, part[i], strlen(part[i])) < 0)
            return;
    }
}

static int put_adapt(struct mpj_writer *w, const void *rec)
{
    return mpj_adapt_put(w, rec);
}

static void send(void)
{
    for (uint32_t i = 0; i < ad.kept; i++)
        (void)mpj_out_record(put_adapt, &kept[i]);
    mpj_out_dropped(MPJ_REC_ADAPT, ad.lost);
}

/* What the run's own monitors count on this core. */
static bool counts(const uint16_t event[2])
{
    const uint16_t *const pair = mpj_prof_pair(0);

    ad.swapped = pair[0] == event[1];
    return !mpj_prof_rotates() && mpj_prof_pairs() == 1U && pair[ad.swapped] == event[0] &&
           pair[!ad.swapped] == event[1] && mpj_prof_counting(hal_cpu_id());
}

static void read_predictor(void)
{
    const char *const text = getenv("MPJ_ADAPT_PREDICTOR");
    struct adapt_predictor *const p = &ad.policy.predictor;
    const char *why;

    if (text == NULL)
        return;
    if (!adapt_parse_predictor(p, text, &why)) {
        say("MPJ_ADAPT_PREDICTOR is ignored: ", why, "; numbers of threads are measured instead");
        p->there = false;
    } else if (!counts(p->event)) {
        say("the run counts other events than the predictor's; ",
            "numbers of threads are measured instead", "");
        p->there = false;
    }
}

bool mpj_adapt_init(bool *dynamic)
{
    const char *text;
    const char *why;

    if (!ad.read) {
        ad.read = true;
        text = getenv("MPJ_ADAPT");
        if (text != NULL && *text != '\0' && !adapt_parse(&ad.policy, text, &why)) {
            say("MPJ_ADAPT=", text, " is ignored: ");
            say(why, "", "");
        } else if (text != NULL && *text != '\0') {
            ad.dynamic = ad.policy.kind == ADAPT_DYNAMIC;
            ad.on = !ad.dynamic;
            read_predictor();
            mpj_prof_on_send(send);
        }
    }
    if (dynamic != NULL)
        *dynamic = ad.dynamic;
    return ad.on;
}

/* ---- an execution -------------------------------------------------------------------- */

unsigned mpj_adapt_enter(uint32_t region, uint32_t caller, unsigned most, bool *count)
{
    struct adapt_region *r;
    hal_irq_state s;
    unsigned threads;

    if (adapt_skips(ad.region, region) || __atomic_exchange_n(&ad.busy, 1U, __ATOMIC_ACQUIRE) != 0)
        return 0;
    r = adapt_find(ad.region, region);
    if (r == NULL) {
        __atomic_store_n(&ad.busy, 0U, __ATOMIC_RELEASE);
        return 0;
    }
    threads = adapt_choose(&ad.policy, r, most, &ad.why, count);
    ad.now = r;
    ad.most = most;
    ad.caller = caller;
    ad.count = *count;
    ad.bad = 0;
    ad.sum[0] = ad.sum[1] = ad.sum[2] = 0;
    ad.sample = mpj_prof_power_mark();
    s = hal_irq_save();
    ad.begin = mpj_prof_ticks(hal_cpu_id());
    hal_irq_restore(s);
    return threads;
}

/* The execution as a record, if there is room. */
static void keep(const struct adapt_result *e, unsigned threads, uint64_t ticks, uint32_t samples,
                 float ns, float mw)
{
    struct mpj_adapt_rec *const k = &kept[ad.kept];

    if (ad.kept == MPJ_ADAPT_RECORDS) {
        ad.lost++;
        return;
    }
    *k = (struct mpj_adapt_rec){
        .region = ad.now->region,
        .caller = ad.caller,
        .time = ad.begin,
        .ticks = ticks,
        .threads = threads,
        .most = ad.most,
        .why = (uint32_t)ad.why,
        .believed_ns = ns > 0 ? (uint64_t)ns : 0U,
        .believed_uw = mw > 0 ? (uint32_t)(1000.0F * mw) : 0U,
        .uw = (uint32_t)(1000.0F * e->mw),
        .samples = samples,
        .elapsed = e->counted ? (uint32_t)e->elapsed : 0U,
        .cycles = e->counted ? ad.sum[0] : 0U,
        .event = {e->counted ? ad.sum[1] : 0U, e->counted ? ad.sum[2] : 0U},
    };
    ad.kept++;
}

void mpj_adapt_leave(unsigned threads, bool valid)
{
    struct adapt_region *const r = ad.now;
    struct adapt_result e = {0};
    hal_irq_state s = hal_irq_save();
    const uint64_t ticks = mpj_prof_ticks(hal_cpu_id()) - ad.begin;
    uint32_t samples;
    uint64_t sum;
    float ns;
    float mw;

    hal_irq_restore(s);
    sum = mpj_prof_power_sum(ad.sample, &samples);
    e.ns = (float)ticks * (NS_PER_S / (float)HAL_SYS_TIME_HZ);
    e.mw = samples > 0 ? (float)sum * MW_PER_PRODUCT / (float)samples : 0.0F;
    e.counted = ad.count && valid && ad.bad == 0 && ad.sum[0] != 0;
    e.elapsed = (float)ticks * ((float)hal_sys_clock_hz() / (float)HAL_SYS_TIME_HZ);
    e.cycles = (float)ad.sum[0];
    e.event[0] = (float)ad.sum[1U + ad.swapped];
    e.event[1] = (float)ad.sum[2U - ad.swapped];
    ns = r->ns[threads <= ADAPT_THREADS ? threads : 0U];
    mw = r->mw[threads <= ADAPT_THREADS ? threads : 0U];
    if (ad.why != ADAPT_BRIEF)
        keep(&e, threads, ticks, samples, ns, mw);
    if (e.mw > 0)
        ad.policy.typical_mw += (e.mw - ad.policy.typical_mw) / (float)++ad.sampled;
    if (threads <= ADAPT_THREADS)
        adapt_learn(&ad.policy, r, threads, &e);
    __atomic_store_n(&ad.busy, 0U, __ATOMIC_RELEASE);
}

void mpj_adapt_part_begin(struct mpj_adapt_start *st)
{
    const hal_irq_state s = hal_irq_save();

    st->core = hal_cpu_id();
    hal_pmu_read_all(st->value);
    hal_irq_restore(s);
}

uint32_t mpj_adapt_clock(void)
{
    return hal_pmu_cycles();
}

void mpj_adapt_part_end(const struct mpj_adapt_start *st, uint32_t waited)
{
    const hal_irq_state s = hal_irq_save();
    const bool same = hal_cpu_id() == st->core;
    uint32_t value[HAL_PMU_COUNTERS];

    hal_pmu_read_all(value);
    hal_irq_restore(s);
    if (!same) {
        __atomic_fetch_add(&ad.bad, 1U, __ATOMIC_RELAXED);
        return;
    }
    __atomic_fetch_add(&ad.sum[0], value[HAL_PMU_CCNT] - st->value[HAL_PMU_CCNT] - waited,
                       __ATOMIC_RELAXED);
    __atomic_fetch_add(&ad.sum[1], value[HAL_PMU_PMN0] - st->value[HAL_PMU_PMN0], __ATOMIC_RELAXED);
    __atomic_fetch_add(&ad.sum[2], value[HAL_PMU_PMN1] - st->value[HAL_PMU_PMN1], __ATOMIC_RELAXED);
}
