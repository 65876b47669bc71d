/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_adapt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal_cpu.h"
#include "hal_hot.h"
#include "hal_pmu.h"
#include "hal_sys.h"
#include "mpj_adapt_records.h"
#include "mpj_noinit.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "policy.h"

#define SHORT_TICKS ((uint64_t)ADAPT_SHORT_NS * HAL_SYS_TIME_HZ / 1000000000U)
#define NS_PER_TICK (1000000000.0F / (float)HAL_SYS_TIME_HZ)
/* uV times nA of one code each, in mW: 610e-6 V * 244000e-9 A * 1e3. */
#define MW_PER_PRODUCT ((float)TILE_ADC_UV_PER_STEP * (float)TILE_ADC_NA_PER_STEP * 1e-12F)

/* Conversions between 64 bits and floats are functions: sums and long times are converted in units
 * of so much. */
#define PRODUCTS 0x100
#define TICKS    0x400

static struct {
    bool read, on, dynamic;
    bool swapped; /* the run counts the predictor's events the other way round */
    struct adapt_policy policy;
    struct adapt_region region[ADAPT_REGIONS];
    uint32_t busy; /* an adapted region is being executed */
    /* It. */
    struct adapt_region *now;
    enum adapt_why why;
    bool decided; /* as adapt_decided() has it */
    bool count;
    unsigned most;
    uint32_t caller;
    uint64_t begin;
    uint32_t sample;
    uint32_t bad;        /* parts whose counts are not those of the part */
    uint32_t sum[3];     /* counts of its threads */
    uint32_t kept, lost; /* records */
    uint32_t sampled;    /* executions looked at closely with samples of the ADC */
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

/* An execution that is not one of a decided region. Returns 0: the region has no entry. */
static HAL_HOT __attribute__((noinline)) unsigned choose(uint32_t region, unsigned most,
                                                         bool *count)
{
    struct adapt_region *const r = adapt_find(ad.region, region);

    if (r == NULL)
        return 0;
    ad.now = r;
    return adapt_choose(&ad.policy, r, most, &ad.why, count);
}

HAL_HOT unsigned mpj_adapt_enter(uint32_t region, uint32_t caller, unsigned most, bool *count)
{
    struct adapt_region *const r = adapt_place(ad.region, region);
    hal_irq_state s;
    unsigned threads;

    if (adapt_skips(ad.region, region) || __atomic_exchange_n(&ad.busy, 1U, __ATOMIC_ACQUIRE) != 0)
        return 0;
    threads = r->region == region ? adapt_decided(r, most) : 0U;
    ad.decided = threads != 0;
    if (threads != 0) {
        ad.now = r;
        ad.why = r->state == ADAPT_WAITING ? ADAPT_FIRST : ADAPT_CHOSEN;
        *count = false;
    } else {
        threads = choose(region, most, count);
        if (threads == 0) {
            __atomic_store_n(&ad.busy, 0U, __ATOMIC_RELEASE);
            return 0;
        }
        ad.bad = 0;
        ad.sum[0] = ad.sum[1] = ad.sum[2] = 0;
    }
    ad.most = most;
    ad.caller = caller;
    ad.count = *count;
    ad.sample = mpj_prof_power_mark();
    s = hal_irq_save();
    ad.begin = mpj_prof_ticks(hal_cpu_id());
    hal_irq_restore(s);
    return threads;
}

/* The execution as a record, if there is room; NULL: none. */
static inline struct mpj_adapt_rec *keep(unsigned threads, uint64_t ticks)
{
    struct mpj_adapt_rec *const k = &kept[ad.kept];

    if (ad.kept == MPJ_ADAPT_RECORDS) {
        ad.lost++;
        return NULL;
    }
    ad.kept++;
    k->region = ad.now->region;
    k->caller = ad.caller;
    k->time = ad.begin;
    k->ticks = ticks;
    k->threads = threads;
    k->most = ad.most;
    k->why = (uint32_t)ad.why;
    k->believed_ns = ad.now->believed_ns;
    k->believed_uw = 0;
    k->uw = 0;
    k->samples = 0;
    k->elapsed = 0;
    k->cycles = 0;
    k->event[0] = k->event[1] = 0;
    return k;
}

/* Mean of the ADC's samples in the execution, mW; 0: none. */
static float power(uint32_t *samples)
{
    const uint64_t sum = mpj_prof_power_sum(ad.sample, samples);

    return *samples > 0
               ? (float)(uint32_t)(sum / PRODUCTS) * (PRODUCTS * MW_PER_PRODUCT) / (float)*samples
               : 0.0F;
}

/* What a record has of power, believed and measured; returns the latter, mW. */
static HAL_HOT __attribute__((noinline)) float keep_power(struct mpj_adapt_rec *k, unsigned threads)
{
    const float believed = threads <= ADAPT_THREADS ? ad.now->mw[threads] : 0.0F;
    uint32_t samples;
    const float mw = power(&samples);

    if (k != NULL) {
        k->believed_uw = believed > 0 ? (uint32_t)(1000.0F * believed) : 0U;
        k->uw = (uint32_t)(1000.0F * mw);
        k->samples = samples;
    }
    return mw;
}

/* An execution that the policy learns from. */
static HAL_HOT __attribute__((noinline)) void learn(unsigned threads, bool valid, uint64_t ticks)
{
    struct adapt_region *const r = ad.now;
    const float believed = threads <= ADAPT_THREADS ? r->ns[threads] : 0.0F;
    struct mpj_adapt_rec *const k = ad.why != ADAPT_BRIEF ? keep(threads, ticks) : NULL;
    struct adapt_result e = {0};

    e.ns = (float)(uint32_t)ticks * NS_PER_TICK;
    if (ticks > UINT32_MAX)
        e.ns = (float)UINT32_MAX * NS_PER_TICK;
    e.mw = keep_power(k, threads);
    e.counted = ad.count && valid && ad.bad == 0 && ad.sum[0] != 0;
    if (e.counted) {
        e.elapsed = e.ns * ((float)hal_sys_clock_hz() / 1e9F);
        e.cycles = (float)ad.sum[0];
        e.event[0] = (float)ad.sum[1U + ad.swapped];
        e.event[1] = (float)ad.sum[2U - ad.swapped];
    }
    if (k != NULL)
        k->believed_ns = believed < (float)UINT32_MAX
                             ? (uint32_t)believed
                             : (uint64_t)(uint32_t)(believed / TICKS) * TICKS;
    if (k != NULL && e.counted) {
        k->elapsed = (uint32_t)e.elapsed;
        k->cycles = ad.sum[0];
        k->event[0] = ad.sum[1];
        k->event[1] = ad.sum[2];
    }
    if (e.mw > 0)
        ad.policy.typical_mw += (e.mw - ad.policy.typical_mw) / (float)++ad.sampled;
    ad.policy.passed_ns =
        (float)(uint32_t)((ad.begin + ticks - mpj_prof_begin_time()) / TICKS) * TICKS * NS_PER_TICK;
    if (threads <= ADAPT_THREADS)
        adapt_learn(&ad.policy, r, threads, &e);
}

HAL_HOT void mpj_adapt_leave(unsigned threads, bool valid)
{
    hal_irq_state s = hal_irq_save();
    const uint64_t ticks = mpj_prof_ticks(hal_cpu_id()) - ad.begin;

    hal_irq_restore(s);
    if (ad.decided && threads == ad.now->best && ticks <= UINT32_MAX &&
        adapt_usual(ad.now, (float)(uint32_t)ticks * NS_PER_TICK)) {
        if (ticks >= SHORT_TICKS) {
            struct mpj_adapt_rec *const k = keep(threads, ticks);

            if (mpj_prof_power_mark() != ad.sample)
                (void)keep_power(k, threads);
        }
    } else {
        learn(threads, valid, ticks);
    }
    __atomic_store_n(&ad.busy, 0U, __ATOMIC_RELEASE);
}

HAL_HOT void mpj_adapt_part_begin(struct mpj_adapt_start *st)
{
    const hal_irq_state s = hal_irq_save();

    st->core = hal_cpu_id();
    hal_pmu_read_all(st->value);
    hal_irq_restore(s);
}

HAL_HOT uint32_t mpj_adapt_clock(void)
{
    return hal_pmu_cycles();
}

HAL_HOT void mpj_adapt_part_end(const struct mpj_adapt_start *st, uint32_t waited)
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
