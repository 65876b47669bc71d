/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_adapt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal_adc.h"
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

/* Conversions between 64 bits and floats are function calls: sums and long times are converted in
 * multiples of these. */
#define PRODUCTS 0x100
#define TICKS    0x400

/* Counts of one thread's part, in a line of the cache that only that thread writes. */
struct part {
    uint32_t cycles, event[2];
    bool bad; /* counts are not those of the part */
} __attribute__((aligned(32)));

/* Stored for each execution, a line of the cache ... */
struct kept {
    uint64_t time;
    uint32_t ticks, region, caller, believed_ns;
    uint16_t threads, most;
    uint8_t why;
    bool more;
} __attribute__((aligned(32)));

/* ... and for those with `more`. */
struct more {
    uint64_t ticks, believed_ns;
    uint32_t believed_uw, uw, samples, elapsed, cycles, event[2];
};

enum pending { NOTHING, RECORD, LEARN };

/* An execution: the present one, or the previous one until it is completely processed. */
struct execution {
    struct adapt_region *region;
    uint32_t caller;
    uint32_t core, ccnt; /* beginning, in the core's cycles */
    uint64_t begin;
    uint32_t sample; /* first sample of the ADC in it */
    uint16_t most;
    uint8_t why;  /* enum adapt_why */
    bool decided; /* result of adapt_decided() */
    /* Valid when it is over: */
    uint64_t ticks;
    uint32_t samples; /* first sample of the ADC after it */
    uint16_t threads;
    bool count, valid;
    uint8_t pending; /* enum pending */
} __attribute__((aligned(32)));

static struct {
    uint32_t busy; /* there is a present execution */
    uint32_t turn; /* execution[turn] is the present one, execution[!turn] the one before */
    const volatile uint32_t *power; /* samples of the ADC so far */
    uint32_t kept, lost;            /* records */
    uint32_t sampled; /* executions with samples of the ADC that were examined closely */
    bool swapped;     /* the run counts the predictor's events the other way round */
    bool read, on, dynamic;
    bool grown;     /* the program is no longer young */
    uint64_t asked; /* its age when that was found out last, in ticks; 0: never */
    bool parsed;    /* the predictor is, or there is none */
    struct execution execution[2];
    struct part part[2][ADAPT_THREADS];
    struct adapt_policy policy;
    struct adapt_region region[ADAPT_REGIONS];
} __attribute__((aligned(32))) ad;

uint32_t mpj_adapt_paused;

static MPJ_NOINIT struct kept kept[MPJ_ADAPT_RECORDS];
static MPJ_NOINIT struct more more[MPJ_ADAPT_RECORDS];

/* ---- measurements of an execution ----------------------------------------------------- */

/* Stores the execution as a record. Returns NULL if the table is full. */
static inline struct kept *keep(const struct execution *x)
{
    struct kept *const k = &kept[ad.kept];

    if (ad.kept == MPJ_ADAPT_RECORDS) {
        ad.lost++;
        return NULL;
    }
    ad.kept++;
    k->time = x->begin;
    k->ticks = (uint32_t)x->ticks;
    k->region = x->region->region;
    k->caller = x->caller;
    k->believed_ns = x->region->believed_ns;
    k->threads = x->threads;
    k->most = x->most;
    k->why = x->why;
    k->more = false;
    return k;
}

/* Returns the mean of the ADC's samples in the execution, in mW; 0: no samples. */
static HAL_HOT float power(const struct execution *x, uint32_t *samples)
{
    uint64_t sum;

    *samples = 0;
    if (x->samples == x->sample)
        return 0;
    sum = mpj_prof_power_sum(x->sample, x->samples, samples);
    return *samples > 0
               ? (float)(uint32_t)(sum / PRODUCTS) * (PRODUCTS * HAL_ADC_CORES_MW) / (float)*samples
               : 0.0F;
}

/* Stores the rest of a record, with the believed and the measured power. Returns the measured
 * power, mW. */
static HAL_HOT __attribute__((noinline)) float keep_more(struct kept *k, const struct execution *x)
{
    const float believed = x->threads <= ADAPT_THREADS ? x->region->mw[x->threads] : 0.0F;
    uint32_t samples;
    const float mw = power(x, &samples);
    struct more *m;

    if (k == NULL)
        return mw;
    m = &more[k - kept];
    m->ticks = x->ticks;
    m->believed_ns = k->believed_ns;
    m->believed_uw = believed > 0 ? (uint32_t)(1000.0F * believed) : 0U;
    m->uw = (uint32_t)(1000.0F * mw);
    m->samples = samples;
    m->elapsed = 0;
    m->cycles = 0;
    m->event[0] = m->event[1] = 0;
    __atomic_store_n(&k->more, true, __ATOMIC_RELEASE); /* the run may end in between */
    return mw;
}

/* Adds up the threads' counts. Returns false if they are unusable. */
static HAL_HOT bool sum_parts(const struct execution *x, uint32_t *cycles, uint32_t event[2])
{
    const struct part *const part = ad.part[x - ad.execution];

    *cycles = event[0] = event[1] = 0;
    if (!x->count || !x->valid || x->threads > ADAPT_THREADS)
        return false;
    for (unsigned i = 0; i < x->threads; i++) {
        if (part[i].bad)
            return false;
        *cycles += part[i].cycles;
        event[0] += part[i].event[0];
        event[1] += part[i].event[1];
    }
    return *cycles != 0;
}

/* Processes an execution that the policy learns from, or that was counted. */
static HAL_HOT void learn(const struct execution *x)
{
    struct adapt_region *const r = x->region;
    const float believed = x->threads <= ADAPT_THREADS ? r->ns[x->threads] : 0.0F;
    struct kept *const k = x->why != ADAPT_BRIEF ? keep(x) : NULL;
    struct adapt_result e = {
        .ns = (float)(x->ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)x->ticks) * NS_PER_TICK};
    uint32_t cycles;
    uint32_t event[2];

    e.mw = keep_more(k, x);
    e.counted = sum_parts(x, &cycles, event);
    if (k != NULL)
        more[k - kept].believed_ns = believed < (float)UINT32_MAX
                                         ? (uint32_t)believed
                                         : (uint64_t)(uint32_t)(believed / TICKS) * TICKS;
    if (e.counted) {
        e.elapsed = e.ns * ((float)hal_sys_clock_hz() * 1e-9F);
        e.cycles = (float)cycles;
        e.event[0] = (float)event[ad.swapped];
        e.event[1] = (float)event[!ad.swapped];
        if (k != NULL) {
            more[k - kept].elapsed = (uint32_t)e.elapsed;
            more[k - kept].cycles = cycles;
            more[k - kept].event[0] = event[0];
            more[k - kept].event[1] = event[1];
        }
    }
    if (x->why == ADAPT_ORDERED || x->threads > ADAPT_THREADS)
        return;
    if (e.mw > 0)
        ad.policy.typical_mw += (e.mw - ad.policy.typical_mw) / (float)++ad.sampled;
    ad.policy.passed_ns = (float)(uint32_t)((x->begin + x->ticks - mpj_prof_begin_time()) / TICKS) *
                          TICKS * NS_PER_TICK;
    adapt_learn(&ad.policy, r, x->threads, &e);
}

/* Completes an execution that is over. */
static HAL_HOT __attribute__((noinline)) void finish(struct execution *x)
{
    if (x->pending == LEARN) {
        learn(x);
    } else {
        struct kept *const k = keep(x);

        if (x->samples != x->sample)
            (void)keep_more(k, x);
    }
    x->pending = NOTHING;
}

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
    if (ad.execution[ad.turn].pending != NOTHING)
        finish(&ad.execution[ad.turn]);
    for (uint32_t i = 0; i < ad.kept; i++) {
        const struct kept *const k = &kept[i];
        struct mpj_adapt_rec rec = {.region = k->region,
                                    .caller = k->caller,
                                    .time = k->time,
                                    .ticks = k->ticks,
                                    .threads = k->threads,
                                    .most = k->most,
                                    .why = k->why,
                                    .believed_ns = k->believed_ns};

        if (k->more) {
            rec.ticks = more[i].ticks;
            rec.believed_ns = more[i].believed_ns;
            rec.believed_uw = more[i].believed_uw;
            rec.uw = more[i].uw;
            rec.samples = more[i].samples;
            rec.elapsed = more[i].elapsed;
            rec.cycles = more[i].cycles;
            rec.event[0] = more[i].event[0];
            rec.event[1] = more[i].event[1];
        }
        (void)mpj_out_record(put_adapt, &rec);
    }
    mpj_out_dropped(MPJ_REC_ADAPT, ad.lost);
}

/* Returns true if the run's own monitors count these events on this core. */
static bool counts(const uint16_t event[2])
{
    const uint16_t *const pair = mpj_prof_pair(0);

    ad.swapped = pair[0] == event[1];
    return !mpj_prof_rotates() && mpj_prof_pairs() == 1U && pair[ad.swapped] == event[0] &&
           pair[!ad.swapped] == event[1] && mpj_prof_counting(hal_cpu_id());
}

/* Parses the predictor before the first test: most programs without tests end before parsing would
 * pay. */
static __attribute__((noinline)) void read_predictor(void)
{
    const char *const text = getenv("MPJ_ADAPT_PREDICTOR");
    struct adapt_predictor *const p = &ad.policy.predictor;
    const char *why;

    ad.parsed = true;
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
            ad.power = mpj_prof_power_mark();
            mpj_prof_on_send(send);
        }
    }
    if (dynamic != NULL)
        *dynamic = ad.dynamic;
    return ad.on;
}

/* ---- an execution -------------------------------------------------------------------- */

/* Chooses the number of threads of an execution whose region is not decided. Returns 0 if the
 * region has no entry. */
static HAL_HOT __attribute__((noinline)) unsigned choose(struct execution *x, uint32_t region,
                                                         unsigned most, bool *count)
{
    struct adapt_region *const r = adapt_find(ad.region, region);
    enum adapt_why why;
    unsigned threads;

    if (r == NULL)
        return 0;
    if (ad.execution[ad.turn].pending == LEARN && ad.execution[ad.turn].region == r)
        finish(&ad.execution[ad.turn]);
    x->region = r;
    threads = adapt_choose(&ad.policy, r, most, &why, count);
    if (*count && why == ADAPT_TEST && !ad.parsed)
        read_predictor();
    x->why = (uint8_t)why;
    x->decided = adapt_decided(r, most) != 0; /* another region had its place in the table */
    return threads;
}

/* Returns true if the program has run for long enough. If not, the next executions do not ask, as
 * far as they are short. */
static HAL_HOT __attribute__((noinline)) bool has_grown(void)
{
    const uint64_t youth = adapt_youth(&ad.policy, HAL_SYS_TIME_HZ);
    const hal_irq_state s = hal_irq_save();
    const uint64_t age = mpj_prof_ticks(hal_cpu_id()) - mpj_prof_begin_time();

    hal_irq_restore(s);
    ad.grown = age >= youth;
    if (!ad.grown)
        __atomic_store_n(&mpj_adapt_paused, adapt_may_pause(age, ad.asked, youth),
                         __ATOMIC_RELAXED);
    ad.asked = age;
    return ad.grown;
}

HAL_HOT unsigned mpj_adapt_enter(uint32_t region, uint32_t caller, unsigned most, bool *count)
{
    struct adapt_region *const r = adapt_place(ad.region, region);
    struct execution *x;
    unsigned threads;
    hal_irq_state s;

    if ((!ad.grown && !has_grown()) || adapt_skips(ad.region, region) ||
        __atomic_exchange_n(&ad.busy, 1U, __ATOMIC_ACQUIRE) != 0)
        return 0;
    x = &ad.execution[!ad.turn];
    threads = r->region == region &&
                      (ad.execution[ad.turn].pending != LEARN || ad.execution[ad.turn].region != r)
                  ? adapt_decided(r, most)
                  : 0U;
    if (threads != 0) {
        x->decided = true;
        x->region = r;
        x->why = r->state == ADAPT_WAITING ? ADAPT_FIRST : ADAPT_CHOSEN;
        *count = false;
    } else {
        threads = choose(x, region, most, count);
        if (threads == 0) {
            __atomic_store_n(&ad.busy, 0U, __ATOMIC_RELEASE);
            return 0;
        }
    }
    ad.turn = !ad.turn;
    x->count = *count;
    x->most = (uint16_t)most;
    x->caller = caller;
    x->sample = *ad.power;
    s = hal_irq_save();
    x->core = hal_cpu_id();
    x->ccnt = hal_pmu_cycles();
    hal_irq_restore(s);
    return threads;
}

HAL_HOT void mpj_adapt_forked(void)
{
    struct execution *const x = &ad.execution[ad.turn];
    struct execution *const before = &ad.execution[!ad.turn];
    const hal_irq_state s = hal_irq_save();
    const unsigned core = hal_cpu_id();

    x->begin = core == x->core ? mpj_prof_ticks_at(core, x->ccnt) : mpj_prof_ticks(core);
    hal_irq_restore(s);
    if (before->pending != NOTHING)
        finish(before);
}

HAL_HOT void mpj_adapt_leave(unsigned threads, bool valid)
{
    struct execution *const x = &ad.execution[ad.turn];
    const hal_irq_state s = hal_irq_save();

    x->ticks = mpj_prof_ticks(hal_cpu_id()) - x->begin;
    hal_irq_restore(s);
    x->samples = *ad.power;
    x->threads = (uint16_t)threads;
    x->valid = valid;
    x->pending = LEARN;
    if (x->decided && threads == x->region->best && x->ticks <= UINT32_MAX &&
        adapt_usual(x->region, (float)(uint32_t)x->ticks * NS_PER_TICK))
        x->pending = x->ticks >= SHORT_TICKS ? RECORD : NOTHING;
    __atomic_store_n(&ad.busy, 0U, __ATOMIC_RELEASE);
}

HAL_HOT void mpj_adapt_part_begin(struct mpj_adapt_start *st)
{
    const hal_irq_state s = hal_irq_save();

    st->core = hal_cpu_id();
    hal_pmu_read_all(st->value);
    hal_irq_restore(s);
}

void mpj_adapt_whole(uint32_t cycles, const uint32_t event[2])
{
    struct part *const part = ad.part[ad.turn];

    memset(part, 0, sizeof(ad.part[0]));
    part->cycles = cycles;
    memcpy(part->event, event, sizeof(part->event));
}

HAL_HOT uint32_t mpj_adapt_clock(void)
{
    return hal_pmu_cycles();
}

HAL_HOT void mpj_adapt_part_end(const struct mpj_adapt_start *st, unsigned thread, uint32_t waited)
{
    const hal_irq_state s = hal_irq_save();
    const bool same = hal_cpu_id() == st->core;
    struct part *const p = &ad.part[ad.turn][thread % ADAPT_THREADS];
    uint32_t value[HAL_PMU_COUNTERS];

    hal_pmu_read_all(value);
    hal_irq_restore(s);
    p->bad = !same;
    p->cycles = value[HAL_PMU_CCNT] - st->value[HAL_PMU_CCNT] - waited;
    p->event[0] = value[HAL_PMU_PMN0] - st->value[HAL_PMU_PMN0];
    p->event[1] = value[HAL_PMU_PMN1] - st->value[HAL_PMU_PMN1];
}
