/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_prof.h"

#include <stddef.h>
#include <string.h>

#include "hal_adc.h"
#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_hot.h"
#include "hal_l2cc.h"
#include "hal_scu.h"
#include "hal_sys.h"
#include "hal_timer.h"
#include "mpj_in.h"
#include "mpj_noinit.h"
#include "mpj_out.h"
#include "mpj_prof_thread.h"
#include "mpj_spread.h"
#include "mpj_stream.h"
#include "mpj_trace_records.h"
/* long file: all of it works on the one state below, in the order in which counters may be read */
#define HALF 0x80000000U
/* The sampler's timer holds 32 bits of half the core clock, and its interrupt reads the time. */
#define TIMER_HOLDS  ((uint32_t)((SEEN ? HALF / 2U : UINT32_MAX) * 2ULL * 1000000U / BOARD_CORE_HZ))
#define TIMER_US_MAX (TIMER_HOLDS < HAL_SYS_LOOK_US ? TIMER_HOLDS : HAL_SYS_LOOK_US)
/* Cycles after which the interrupt of an overflow has come or, on a board without that (SEEN), the
 * sampler's interrupt has checked for one. */
#define SEEN (BOARD_IRQ_PMU0 == 0 || BOARD_IRQ_SCU0 == 0)
#define SOON (SEEN ? HALF : 0x01000000U)

struct core_state {
    /* One cache line: all fields that the hooks of threads use. */
    struct mpj_prof_live live;
    bool inexact;
    uint8_t pair;
    uint8_t preset; /* counter that interrupts every `every` counts; a mask */
    uint32_t last_high[HAL_PMU_COUNTERS] __attribute__((aligned(32)));
    uint32_t high[HAL_PMU_COUNTERS];
    uint64_t wfi;
    uint64_t turn_cycles; /* CCNT when the present pair's turn began */
    uint64_t taken;       /* counts of the preset counter, until it was set */
    struct mpj_prof_sum sum[MPJ_PROF_PAIRS];
    uint32_t turn;
    struct mpj_spread spread[MPJ_PROF_PAIRS];
    /* Keeps cores from sharing a line they write at every WFI. */
} __attribute__((aligned(32)));

static void (*on_send)(void); /* outlives configurations */

static struct {
    struct mpj_config_rec cfg;
    unsigned cores;
    uint64_t begin, end;
    struct {
        unsigned pairs;
        uint16_t event[MPJ_PROF_PAIRS][MPJ_PMU_COUNTERS];
        bool rotates;
        unsigned shift;   /* of counts, before they are squared */
        uint32_t samples; /* samples between two turns */
        uint32_t left;
        void (*poke)(void);
        uint16_t chosen; /* event that interrupts ... */
        uint32_t every;  /* ... every `every` counts; 0: none */
    } ev;
    struct core_state core[MPJ_CORES_MAX];
    struct {
        hal_spinlock lock; /* SCU and L220 state below */
        uint32_t scu_high[HAL_SCU_COUNTERS];
        uint32_t l2_last[HAL_L2CC_COUNTERS];
        uint64_t l2_sum[HAL_L2CC_COUNTERS];
        bool inexact;
    } chip;
    struct {
        volatile uint32_t drain; /* one drain at a time: a lock of mpj_out.h */
        volatile uint32_t head;  /* written by the sampler */
        volatile uint32_t tail;  /* written by the drain */
        volatile uint32_t taken; /* all, lost ones included */
        volatile uint32_t lost;  /* found the ring full */
        uint32_t parts;          /* interrupts of the sampler's timer in a period */
        uint32_t left;           /* interrupts until the next sample */
        const bool *lent;        /* mpj_prof_lend() */
        uint32_t lent_ticks;
        bool on;
        bool stream;
    } adc;
} prof;

static MPJ_NOINIT struct mpj_adc_sample ring[MPJ_PROF_ADC_RING];
/* Number of each sample since the start, lost ones counted. */
static MPJ_NOINIT uint32_t ring_index[MPJ_PROF_ADC_RING];

HAL_HOT static bool counters_on(void)
{
    return (prof.cfg.flags & MPJ_CONFIG_NO_COUNTERS) == 0;
}

/* ---- configuration --------------------------------------------------------------- */

static bool known(enum mpj_event_source source, uint16_t event)
{
    return event == MPJ_EVENT_NONE || mpj_event_find(source, event) != NULL;
}

int mpj_prof_configure(const struct mpj_config_rec *cfg, unsigned cores, const char **why)
{
    uint32_t period = cfg->adc_period_us == 0 ? MPJ_PROF_ADC_US : cfg->adc_period_us;

    *why = NULL;
    /* Searches the whole table, whatever is counted: the SCU remembers which lines this core once
     * had, and the neighbours of the table in memory belong to others. */
    (void)mpj_event_find(MPJ_SOURCE_L2, MPJ_EVENT_NONE);
    if (period < MPJ_PROF_ADC_US_MIN || period > MPJ_PROF_ADC_US_MAX)
        *why = "ADC period outside 50 us to 20 s";
    if ((cfg->cores_mask & 1U) == 0 || cfg->cores_mask >= (1U << cores))
        *why = "core mask lacks core 0 or names cores the chip does not have";
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
        for (unsigned j = 0; j < MPJ_PMU_COUNTERS; j++) {
            if (!known(MPJ_SOURCE_PMU, cfg->pmu[i][j]))
                *why = "unknown core event";
        }
    }
    for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++) {
        if (!known(MPJ_SOURCE_SCU, cfg->scu[i]))
            *why = "unknown SCU event";
    }
    for (unsigned i = 0; i < MPJ_L2_COUNTERS; i++) {
        if (!known(MPJ_SOURCE_L2, cfg->l2[i]))
            *why = "unknown L220 event";
    }
    if (*why != NULL)
        return MPJ_TERR_CONFIG;
    memset(&prof, 0, sizeof(prof));
    prof.cfg = *cfg;
    prof.cfg.adc_period_us = period;
    prof.cores = cores;
    prof.adc.on = BOARD_POWERS > 0 && (cfg->flags & MPJ_CONFIG_NO_ADC) == 0;
    prof.adc.stream = (prof.adc.on || BOARD_POWERS == 0) && (cfg->flags & MPJ_CONFIG_STREAM) != 0;
    prof.adc.parts = prof.adc.stream ? mpj_stream_parts(period, MPJ_STREAM_LOOK_US) : 1U;
    prof.adc.left = prof.adc.parts;
    mpj_prof_fills_configure(cfg->scu, counters_on(), (cfg->flags & MPJ_CONFIG_FILLS) != 0);
    mpj_prof_threads_reset((cfg->flags & MPJ_CONFIG_NO_THREADS) == 0);
    prof.ev.pairs = 1;
    for (unsigned i = 1; i < MPJ_CORES_MAX; i++) {
        if (memcmp(cfg->pmu[i], cfg->pmu[0], sizeof(cfg->pmu[0])) != 0)
            prof.ev.pairs = MPJ_CORES_MAX;
    }
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++)
        memcpy(prof.ev.event[i], cfg->pmu[i], sizeof(prof.ev.event[i]));
    return 0;
}

int mpj_prof_rotate(const struct mpj_rotation_rec *rotation, const char **why)
{
    const uint32_t us = prof.adc.on ? prof.cfg.adc_period_us : rotation->period_ms * 1000U;

    *why = NULL;
    if (rotation->period_ms == 0 || rotation->period_ms > MPJ_PROF_ADC_US_MAX / 1000U)
        *why = "rotation period outside 1 ms to 20 s";
    for (unsigned i = 0; i < rotation->count; i++) {
        if (!known(MPJ_SOURCE_PMU, rotation->event[i][0]) ||
            !known(MPJ_SOURCE_PMU, rotation->event[i][1]))
            *why = "unknown core event";
    }
    if (*why != NULL)
        return MPJ_TERR_CONFIG;
    prof.ev.pairs = rotation->count;
    memcpy(prof.ev.event, rotation->event, sizeof(prof.ev.event));
    prof.ev.rotates = rotation->count > 1U;
    prof.ev.samples = (rotation->period_ms * 1000U + us - 1U) / us;
    prof.ev.left = prof.ev.samples;
    /* Limits a turn's cycles to 24 bits: the sum of the squares of 65536 turns fits 64 bits. */
    while (rotation->period_ms * (uint64_t)(hal_sys_clock_hz() / 1000U) >> prof.ev.shift >> 24 != 0)
        prof.ev.shift++;
    if (!prof.adc.on)
        prof.cfg.adc_period_us = us;
    return 0;
}

void mpj_prof_on_rotate(void (*poke)(void))
{
    prof.ev.poke = poke;
}

const uint16_t *mpj_prof_pair(unsigned i)
{
    return prof.ev.event[i];
}

unsigned mpj_prof_pairs(void)
{
    return prof.ev.pairs;
}

uint64_t mpj_prof_begin_time(void)
{
    return prof.begin;
}

uint64_t mpj_prof_end_time(void)
{
    return prof.end;
}

/* ---- cores ------------------------------------------------------------------------ */

static uint8_t hardware_event(unsigned pair, unsigned i)
{
    uint16_t event = prof.ev.event[pair][i];

    return event == MPJ_EVENT_NONE ? HAL_PMU_EV_NONE_HW : (uint8_t)event;
}

/* Starts the counter `every` counts before its overflow. */
static void preset(struct core_state *s, unsigned i)
{
    s->preset = (uint8_t)HAL_PMU_BIT(i);
    s->live.low[i] = 0U - prof.ev.every;
    hal_pmu_write((enum hal_pmu_counter)i, s->live.low[i]);
}

void mpj_prof_core_arm(void)
{
    unsigned core = hal_cpu_id();
    struct core_state *s = &prof.core[core];
    struct hal_pmu_config c = {.cycles_div64 = false, .irq_mask = HAL_PMU_ALL};

    if (!counters_on())
        return;
    memset(s, 0, offsetof(struct core_state, sum));
    memset(s->sum, 0, prof.ev.pairs * sizeof(s->sum[0]));
    s->turn = 0;
    if (prof.ev.rotates)
        memset(s->spread, 0, sizeof(s->spread));
    s->pair = prof.ev.pairs > 1U && !prof.ev.rotates ? (uint8_t)core : 0U;
    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++)
        c.event[i] = hardware_event(s->pair, i);
    hal_pmu_setup(&c);
    for (unsigned i = MPJ_PMU_COUNTERS; prof.ev.every != 0 && s->preset == 0 && i-- > 0;) {
        if (prof.ev.event[s->pair][i] == prof.ev.chosen)
            preset(s, i);
    }
    hal_gic_target(hal_pmu_irq(core), 1U << core);
    hal_gic_enable(hal_pmu_irq(core));
}

void mpj_prof_core_start(void)
{
    if (!counters_on())
        return;
    prof.core[hal_cpu_id()].live.counting = true;
    hal_pmu_start();
}

void mpj_prof_core_halt(void)
{
    mpj_prof_threads_leave(); /* as at a switch, so that it ends where the truth ends it */
    mpj_prof_ticks_stop(hal_cpu_id());
    if (prof.core[hal_cpu_id()].live.counting)
        hal_pmu_stop();
}

/* Ends the turn of the core's present pair. */
static void end_turn(struct core_state *s)
{
    struct mpj_prof_sum *sum = &s->sum[s->pair];
    const uint64_t cycles = mpj_prof_core_read(HAL_PMU_CCNT);
    const uint64_t event[] = {mpj_prof_core_read(HAL_PMU_PMN0), mpj_prof_core_read(HAL_PMU_PMN1)};

    if (prof.ev.rotates)
        mpj_spread_add(&s->spread[s->pair], cycles - s->turn_cycles, event, prof.ev.shift);
    s->turn++;
    sum->cycles += cycles - s->turn_cycles;
    s->turn_cycles = cycles;
    sum->event[0] += event[0];
    sum->event[1] += event[1];
}

bool mpj_prof_rotates(void)
{
    return prof.ev.rotates;
}

HAL_HOT uint32_t mpj_prof_turn(void)
{
    return prof.core[hal_cpu_id()].turn;
}

unsigned mpj_prof_shift(void)
{
    return prof.ev.shift;
}

void mpj_prof_core_stop(void)
{
    struct core_state *s = &prof.core[hal_cpu_id()];

    if (!s->live.counting)
        return;
    hal_pmu_stop();
    mpj_prof_ticks_stop(hal_cpu_id());
    mpj_prof_threads_rest();
    end_turn(s);
    s->live.counting = false;
}

HAL_HOT bool mpj_prof_counting(unsigned core)
{
    return prof.core[core].live.counting;
}

/* Computes the steps since the last reading. */
HAL_HOT static unsigned steps(struct core_state *s, const uint32_t value[HAL_PMU_COUNTERS],
                              uint64_t step[HAL_PMU_COUNTERS])
{
    const uint32_t flags = hal_pmu_overflow();

    /* Usual case: nothing wrapped since. */
    if (flags == 0 && s->live.wraps == s->live.seen) {
#pragma GCC unroll 3
        for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++) {
            step[i] = value[i] - s->live.low[i];
            s->live.low[i] = value[i];
        }
        return s->pair;
    }
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++) {
        const uint64_t last = ((uint64_t)s->last_high[i] << 32) | s->live.low[i];
        uint64_t now = ((uint64_t)s->high[i] << 32) | value[i];

        if ((s->preset & HAL_PMU_BIT(i)) != 0) {
            step[i] = value[i] - s->live.low[i];
            s->live.low[i] = value[i];
            continue;
        }
        if (flags != 0 && (flags & HAL_PMU_BIT(i)) != 0 && value[i] < HALF)
            now += 1ULL << 32; /* its interrupt is yet to come */
        step[i] = now - last;
        s->live.low[i] = value[i];
        s->last_high[i] = (uint32_t)(now >> 32);
    }
    /* The usual case applies again once the interrupts have counted all wraps that were seen
     * here. */
    if (memcmp(s->last_high, s->high, sizeof(s->high)) == 0)
        s->live.seen = s->live.wraps;
    else
        s->live.seen = s->live.wraps - 1U;
    return s->pair;
}

HAL_HOT unsigned mpj_prof_core_take(uint64_t step[HAL_PMU_COUNTERS])
{
    struct core_state *s = &prof.core[hal_cpu_id()];
    uint32_t value[HAL_PMU_COUNTERS];

    if (!s->live.counting) {
        step[0] = step[1] = step[2] = 0;
        return s->pair;
    }
    hal_pmu_read_all(value);
    return steps(s, value, step);
}

HAL_HOT bool mpj_prof_core_peek(unsigned core, uint32_t step[HAL_PMU_COUNTERS], uint32_t *ccnt)
{
    const struct core_state *s = &prof.core[core];
    uint32_t value[HAL_PMU_COUNTERS];

    if (!s->live.counting || s->live.wraps != s->live.seen)
        return false;
    hal_pmu_read_all(value);
    if (hal_pmu_overflow() != 0)
        return false;
#pragma GCC unroll 3
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++)
        step[i] = value[i] - s->live.low[i];
    *ccnt = value[HAL_PMU_CCNT];
    return true;
}

const struct mpj_prof_live *mpj_prof_live(unsigned core)
{
    return &prof.core[core].live;
}

HAL_HOT unsigned mpj_prof_core_switch(unsigned core, uint32_t context,
                                      uint64_t step[HAL_PMU_COUNTERS], uint32_t *ccnt)
{
    struct core_state *s = &prof.core[core];
    uint32_t value[HAL_PMU_COUNTERS];

    if (!s->live.counting) {
        hal_cpu_set_context(context);
        step[0] = step[1] = step[2] = 0;
        *ccnt = 0;
        return s->pair;
    }
    hal_pmu_read_switch(value, context);
    *ccnt = value[HAL_PMU_CCNT];
    return steps(s, value, step);
}

void mpj_prof_irq_rotate(unsigned id, void *arg)
{
    struct core_state *s = &prof.core[hal_cpu_id()];

    (void)id;
    (void)arg;
    if (!s->live.counting)
        return;
    mpj_prof_threads_rest();
    end_turn(s);
    s->pair = (uint8_t)((s->pair + 1U) % prof.ev.pairs);
    hal_pmu_change(hardware_event(s->pair, 0), hardware_event(s->pair, 1));
    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
        s->high[i] = 0;
        s->live.low[i] = 0;
        s->last_high[i] = 0;
    }
}

void mpj_prof_irq_pmu(unsigned id, void *arg)
{
    struct core_state *s = &prof.core[hal_cpu_id()];
    uint32_t flags = hal_pmu_overflow() & ~(uint32_t)s->preset;

    (void)id;
    (void)arg;
    hal_pmu_overflow_clear(flags);
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++) {
        if ((flags & HAL_PMU_BIT(i)) != 0)
            s->high[i]++;
    }
    s->live.wraps++;
}

bool mpj_prof_every(uint32_t event, uint32_t every)
{
    bool counted = false;

    for (unsigned i = 0; i < prof.ev.pairs && !prof.ev.rotates; i++)
        counted |= prof.ev.event[i][0] == event || prof.ev.event[i][1] == event;
    if (every < MPJ_TRACE_EVERY_MIN || every >= HALF || !counted || !counters_on() ||
        BOARD_IRQ_PMU0 == 0)
        return false;
    prof.ev.chosen = (uint16_t)event;
    prof.ev.every = every;
    return true;
}

bool mpj_prof_every_due(void)
{
    struct core_state *s = &prof.core[hal_cpu_id()];
    const unsigned i = s->preset >> 1; /* PMN0 is bit 0, PMN1 bit 1 */
    uint32_t back;

    if (!s->live.counting || (hal_pmu_overflow() & s->preset) == 0)
        return false;
    hal_pmu_overflow_clear(s->preset);
    back = (hal_pmu_read((enum hal_pmu_counter)i) / prof.ev.every + 1U) * prof.ev.every;
    hal_pmu_write((enum hal_pmu_counter)i, hal_pmu_read((enum hal_pmu_counter)i) - back);
    s->live.low[i] -= back;
    s->taken += back;
    return true;
}

HAL_HOT uint64_t mpj_prof_core_read(enum hal_pmu_counter c)
{
    hal_irq_state irq = hal_irq_save();
    const struct core_state *s = &prof.core[hal_cpu_id()];
    uint32_t high = s->high[c];
    uint32_t low = hal_pmu_read(c);
    uint64_t taken;

    if ((s->preset & HAL_PMU_BIT(c)) != 0) { /* whether its overflow was seen or not */
        taken = s->taken + (uint32_t)(low + prof.ev.every);
        hal_irq_restore(irq);
        return taken;
    }
    if ((hal_pmu_overflow() & HAL_PMU_BIT(c)) != 0 && low < HALF)
        high++;
    hal_irq_restore(irq);
    return ((uint64_t)high << 32) | low;
}

HAL_HOT uint64_t mpj_prof_cycles(unsigned core)
{
    const uint32_t low = hal_pmu_cycles();
    uint32_t high = prof.core[core].high[HAL_PMU_CCNT];

    if (low < SOON && (hal_pmu_overflow() & HAL_PMU_BIT(HAL_PMU_CCNT)) != 0)
        high++;
    return ((uint64_t)high << 32) | low;
}

HAL_HOT void mpj_prof_wfi(void)
{
    uint32_t before = hal_pmu_read(HAL_PMU_CCNT);

    hal_wfi();
    prof.core[hal_cpu_id()].wfi += hal_pmu_read(HAL_PMU_CCNT) - before;
}

void mpj_prof_release(void)
{
    hal_irq_state irq = hal_irq_save();

    mpj_prof_core_stop();
    prof.core[hal_cpu_id()].inexact = true;
    prof.chip.inexact = true;
    hal_irq_restore(irq);
}

/* ---- SCU and L220 -------------------------------------------------------------------- */

/* Sums the differences of the L220's counters, which share one overflow flag. Exact if called at
 * least once per 2^32 counts, which the overflow interrupt and the sampler ensure. */
static void l2_service(void)
{
    for (unsigned i = 0; i < HAL_L2CC_COUNTERS; i++) {
        uint32_t v = hal_l2cc_mon_read(i);

        prof.chip.l2_sum[i] += v - prof.chip.l2_last[i];
        prof.chip.l2_last[i] = v;
    }
}

void mpj_prof_irq_scu(unsigned id, void *arg)
{
    uint32_t flags;

    (void)id;
    (void)arg;
    hal_spin_lock(&prof.chip.lock);
    flags = hal_scu_mon_overflow();
    hal_scu_mon_overflow_clear(flags);
    for (unsigned i = 0; i < HAL_SCU_COUNTERS; i++) {
        if ((flags & (1U << i)) != 0)
            prof.chip.scu_high[i]++;
    }
    hal_spin_unlock(&prof.chip.lock);
}

void mpj_prof_irq_l2(unsigned id, void *arg)
{
    (void)id;
    (void)arg;
    hal_spin_lock(&prof.chip.lock);
    hal_l2cc_mon_overflow_clear();
    l2_service();
    hal_spin_unlock(&prof.chip.lock);
}

HAL_HOT uint64_t mpj_prof_scu_read(unsigned i)
{
    hal_irq_state irq = hal_spin_lock_irq(&prof.chip.lock);
    uint32_t high = prof.chip.scu_high[i];
    uint32_t low = hal_scu_mon_read(i);

    if ((hal_scu_mon_overflow() & (1U << i)) != 0 && low < HALF)
        high++;
    hal_spin_unlock_irq(&prof.chip.lock, irq);
    return ((uint64_t)high << 32) | low;
}

uint64_t mpj_prof_l2_read(unsigned i)
{
    hal_irq_state irq = hal_spin_lock_irq(&prof.chip.lock);
    uint64_t v;

    l2_service();
    v = prof.chip.l2_sum[i];
    hal_spin_unlock_irq(&prof.chip.lock, irq);
    return v;
}

void mpj_prof_chip_arm(void)
{
    uint8_t scu[HAL_SCU_COUNTERS];
    uint8_t l2[HAL_L2CC_COUNTERS];
    uint8_t used = 0;

    if (!counters_on())
        return;
    for (unsigned i = 0; i < HAL_SCU_COUNTERS; i++) {
        scu[i] = prof.cfg.scu[i] == MPJ_EVENT_NONE ? 0 : (uint8_t)prof.cfg.scu[i];
        if (scu[i] != 0)
            used |= (uint8_t)(1U << i);
        if (BOARD_IRQ_SCU0 == 0)
            continue;
        hal_gic_target(hal_scu_mon_irq(i), 1);
        hal_gic_enable(hal_scu_mon_irq(i));
    }
    for (unsigned i = 0; i < HAL_L2CC_COUNTERS; i++)
        l2[i] = prof.cfg.l2[i] == MPJ_EVENT_NONE ? 0 : (uint8_t)prof.cfg.l2[i];
    hal_scu_mon_setup(scu, used);
    hal_l2cc_mon_setup(l2, true);
    if (hal_l2cc_mon_irq() != 0) {
        hal_gic_target(hal_l2cc_mon_irq(), 1);
        hal_gic_enable(hal_l2cc_mon_irq());
    }
}

void mpj_sampler_start(void)
{
    const bool periods = prof.adc.on || prof.ev.rotates || prof.adc.stream;
    const uint32_t us = periods ? prof.cfg.adc_period_us : MPJ_PROF_KEEPALIVE_US;
    uint32_t ticks;

    if (mpj_in_is_reliable() && !prof.adc.stream)
        prof.adc.parts = mpj_stream_parts(us, MPJ_IN_LOOK_US);
    while (us / prof.adc.parts > TIMER_US_MAX)
        prof.adc.parts++;
    prof.adc.left = prof.adc.parts;
    ticks = us / prof.adc.parts * (hal_timer_hz() / 1000000U);
    if (mpj_in_is_reliable())
        mpj_in_beat(us / prof.adc.parts < MPJ_IN_LOOK_US ? MPJ_IN_LOOK_US / (us / prof.adc.parts)
                                                         : 1U);
    hal_timer_start(HAL_TIMER_SECOND, ticks, true);
    if (prof.adc.lent != NULL)
        hal_timer_again(HAL_TIMER_SECOND, ticks, prof.adc.lent_ticks);
}

uint64_t mpj_prof_chip_start(void)
{
    hal_gic_enable(HAL_IRQ_SECOND_TIMER);
    if (counters_on()) {
        hal_scu_mon_start();
        hal_l2cc_mon_start();
    }
    prof.begin = hal_sys_ticks();
    mpj_stream_begin(prof.begin);
    mpj_sampler_start();
    mpj_prof_threads_begin(prof.begin);
    hal_sys_running(true);
    return prof.begin;
}

/* ---- sampler --------------------------------------------------------------------------- */

HAL_HOT static void sample(void)
{
    uint32_t head = prof.adc.head;
    struct mpj_adc_sample *s = &ring[head % MPJ_PROF_ADC_RING];

    if (!prof.adc.on)
        return;
    if (head - prof.adc.tail >= MPJ_PROF_ADC_RING) {
        prof.adc.taken++;
        prof.adc.lost++;
        return;
    }
    ring_index[head % MPJ_PROF_ADC_RING] = prof.adc.taken++;
    s->time = hal_sys_ticks();
    hal_adc_read_all(s->code);
    __atomic_store_n(&prof.adc.head, head + 1U, __ATOMIC_RELEASE);
}

void mpj_prof_lend(const bool *lent, uint32_t ticks)
{
    prof.adc.lent = lent;
    prof.adc.lent_ticks = ticks;
}

uint64_t mpj_prof_chip_stop(void)
{
    hal_sys_running(false);
    prof.end = hal_sys_ticks();
    if (hal_timer_fired(HAL_TIMER_SECOND) && prof.adc.left == 1U &&
        (prof.adc.lent == NULL || !*prof.adc.lent))
        sample();
    hal_timer_stop(HAL_TIMER_SECOND);
    if (counters_on() && !prof.chip.inexact) {
        hal_scu_mon_stop();
        hal_l2cc_mon_stop();
    }
    return prof.end;
}

uint32_t mpj_prof_samples(void)
{
    return prof.adc.taken;
}

static int put_adc(struct mpj_writer *w, const void *rec)
{
    return mpj_adc_put(w, rec);
}

HAL_HOT bool mpj_prof_wants_drain(void)
{
    return prof.adc.head - prof.adc.tail > MPJ_PROF_ADC_RING / 2U;
}

static struct mpj_adc_rec block; /* owned by the holder of adc.drain */

/* Gathers the next samples, up to head, into the block. Returns the tail after they are sent. */
static uint32_t gather(uint32_t head)
{
    uint32_t tail = prof.adc.tail;

    block.first = ring_index[tail % MPJ_PROF_ADC_RING];
    block.period = hal_sys_ticks_of_us(prof.cfg.adc_period_us);
    block.count = 0;
    /* A block has consecutive samples: it ends where some were lost. */
    while (tail != head && block.count < MPJ_ADC_BLOCK_MAX &&
           ring_index[tail % MPJ_PROF_ADC_RING] == block.first + block.count)
        block.s[block.count++] = ring[tail++ % MPJ_PROF_ADC_RING];
    return tail;
}

/* Sends a block of samples from the sampler's interrupt, when the ring is filling and no thread
 * does it. Records that do not fit stay in the ring. */
static bool relieve(void)
{
    uint32_t tail;
    bool done;

    if (!mpj_out_try_lock(&prof.adc.drain))
        return false;
    tail = gather(prof.adc.head);
    done = mpj_out_try_record(put_adc, &block) == MPJ_LINK_OK;
    if (done)
        __atomic_store_n(&prof.adc.tail, tail, __ATOMIC_RELEASE);
    mpj_out_unlock_tried(&prof.adc.drain);
    return done;
}

/* Switches every core to its next pair of events when the turn is over. */
static void take_turns(void)
{
    if (!prof.ev.rotates || --prof.ev.left != 0)
        return;
    prof.ev.left = prof.ev.samples;
    if (prof.ev.poke != NULL)
        prof.ev.poke();
    mpj_prof_irq_rotate(0, NULL);
}

#if BOARD_IRQ_PMU0 == 0 || BOARD_IRQ_SCU0 == 0
static void (*poll_others)(void);

void mpj_prof_on_poll(void (*poll)(void))
{
    poll_others = poll;
}

/* Does the work of the overflow interrupts. */
static void look_at_counters(void)
{
    if (!counters_on() || prof.chip.inexact)
        return;
    if (BOARD_IRQ_PMU0 == 0) {
        mpj_prof_irq_pmu(0, NULL);
        if (poll_others != NULL)
            poll_others();
    }
    if (BOARD_IRQ_SCU0 == 0)
        mpj_prof_irq_scu(0, NULL);
}
#endif

HAL_HOT static void tick(void)
{
    hal_timer_clear(HAL_TIMER_SECOND);
#if BOARD_IRQ_PMU0 == 0 || BOARD_IRQ_SCU0 == 0
    look_at_counters();
#endif
    if (--prof.adc.left != 0) {
        hal_sys_look();
        mpj_in_service();
        mpj_stream_notes();
        return;
    }
    prof.adc.left = prof.adc.parts;
    take_turns();
    sample();
    if (prof.adc.stream)
        mpj_stream_turn(hal_sys_ticks(), prof.adc.head - prof.adc.tail, relieve);
    else if (mpj_prof_wants_drain())
        (void)relieve();
    mpj_in_service();
    mpj_stream_notes();
    if (prof.adc.on && prof.cfg.adc_period_us < MPJ_PROF_KEEPALIVE_US && !prof.chip.inexact &&
        (prof.adc.taken & 63U) != 0)
        return; /* every 64th is often enough for the L220 */
    (void)hal_sys_ticks();
    if (counters_on() && !prof.chip.inexact)
        (void)mpj_prof_l2_read(0);
}

/* Runs without branch prediction: an entry of a branch of the program that this code evicted might
 * stay missing for the rest of the run, since a branch enters the predictor only when it is
 * taken. */
HAL_HOT void mpj_prof_irq_sample(unsigned id, void *arg)
{
    const bool predicts = hal_cpu_predict(false);

    (void)id;
    (void)arg;
    tick();
    (void)hal_cpu_predict(predicts);
}

void mpj_prof_drain(void)
{
    uint32_t head;

    if (!mpj_out_try_lock(&prof.adc.drain))
        return;
    head = __atomic_load_n(&prof.adc.head, __ATOMIC_ACQUIRE);
    while (prof.adc.tail != head) {
        const uint32_t tail = gather(head);

        if (mpj_out_record(put_adc, &block) != MPJ_LINK_OK)
            mpj_out_dropped(MPJ_REC_ADC, block.count);
        __atomic_store_n(&prof.adc.tail, tail, __ATOMIC_RELEASE);
    }
    mpj_out_unlock_tried(&prof.adc.drain);
}

const volatile uint32_t *mpj_prof_power_mark(void)
{
    return &prof.adc.head;
}

uint64_t mpj_prof_power_sum(uint32_t mark, uint32_t until, uint32_t *n)
{
    const uint32_t head = __atomic_load_n(&prof.adc.head, __ATOMIC_ACQUIRE);
    const uint32_t oldest = head - MPJ_PROF_ADC_RING / 2U; /* older ones may be overwritten */
    uint64_t sum = 0;

    if (head - mark > MPJ_PROF_ADC_RING / 2U)
        mark = head - until > MPJ_PROF_ADC_RING / 2U ? until : oldest;
    *n = until - mark;
    for (; mark != until; mark++) {
        const struct mpj_adc_sample *const s = &ring[mark % MPJ_PROF_ADC_RING];

        sum += (uint32_t)s->code[HAL_ADC_CORES_V] * s->code[HAL_ADC_CORES_I];
    }
    return sum;
}

void mpj_prof_on_send(void (*fn)(void))
{
    on_send = fn;
}

void mpj_prof_between(void (*fn)(void))
{
    mpj_out_lock(&prof.adc.drain); /* sleeps while a less urgent thread of this core drains */
    mpj_out_between(fn);
    mpj_out_unlock(&prof.adc.drain);
}

/* ---- records of the run ------------------------------------------------------------------- */

static int put_core(struct mpj_writer *w, const void *rec)
{
    return mpj_core_put(w, rec);
}

static int put_scu(struct mpj_writer *w, const void *rec)
{
    return mpj_chip_put(w, MPJ_REC_SCU, rec);
}

static int put_l2(struct mpj_writer *w, const void *rec)
{
    return mpj_chip_put(w, MPJ_REC_L2, rec);
}

static int put_begin(struct mpj_writer *w, const void *rec)
{
    return mpj_run_put(w, MPJ_REC_RUN_BEGIN, rec);
}

static int put_end(struct mpj_writer *w, const void *rec)
{
    return mpj_run_put(w, MPJ_REC_RUN_END, rec);
}

/* Returns a setting (mpj_settings.h) to the host with the value that is in effect. */
#define RETURN(kind, option, field, ...) r.field = prof.cfg.field;

static struct mpj_run_rec run_record(uint64_t time)
{
    struct mpj_run_rec r = {.time = time, .cores_mask = prof.cfg.cores_mask};

    r.adc_period_us = prof.adc.on ? prof.cfg.adc_period_us : 0U;
    MPJ_SETTINGS_LATER(RETURN)
    return r;
}

void mpj_prof_send_begin(void)
{
    struct mpj_run_rec r = run_record(prof.begin);

    (void)mpj_out_record(put_begin, &r);
}

static void send_chip(void)
{
    struct mpj_chip_rec c = {.flags = MPJ_COUNTER_FINAL, .time = prof.end};
    uint64_t active = prof.end - prof.begin;

    if (prof.chip.inexact)
        c.flags |= MPJ_COUNTER_INEXACT;
    for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++) {
        if (prof.cfg.scu[i] != MPJ_EVENT_NONE)
            c.ev[c.count++] =
                (struct mpj_event_value){prof.cfg.scu[i], mpj_prof_scu_read(i), active};
    }
    if (c.count > 0)
        (void)mpj_out_record(put_scu, &c);
    c.count = 0;
    if (BOARD_L220_BYTES == 0)
        return;
    for (unsigned i = 0; i < MPJ_L2_COUNTERS; i++) {
        if (prof.cfg.l2[i] != MPJ_EVENT_NONE)
            c.ev[c.count++] = (struct mpj_event_value){prof.cfg.l2[i], mpj_prof_l2_read(i), active};
    }
    if (c.count > 0)
        (void)mpj_out_record(put_l2, &c);
}

/* Merges a core's values by event. Without rotation a core counts its own pair, and the same event
 * twice if the host configured that. */
static unsigned core_values(unsigned core, struct mpj_event_value *ev)
{
    const struct core_state *s = &prof.core[core];
    const uint64_t ticks = prof.end - prof.begin;
    unsigned n = 0;

    if (prof.ev.rotates)
        return mpj_prof_values(s->sum, ticks, ev);
    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
        const uint16_t event = prof.ev.event[s->pair][i];

        if (event != MPJ_EVENT_NONE)
            ev[n++] = (struct mpj_event_value){event, s->sum[s->pair].event[i], ticks};
    }
    return n;
}

/* Sends the totals of the stopped cores, as they were when they stopped. */
static void send_cores(void)
{
    for (unsigned core = 0; core < prof.cores; core++) {
        struct core_state *s = &prof.core[core];
        struct mpj_core_rec c = {.core = core, .flags = MPJ_COUNTER_FINAL | MPJ_COUNTER_WFI};

        if ((prof.cfg.cores_mask & (1U << core)) == 0)
            continue;
        if (s->inexact)
            c.flags |= MPJ_COUNTER_INEXACT;
        c.time = prof.end;
        for (unsigned i = 0; i < MPJ_PROF_PAIRS; i++)
            c.cycles += s->sum[i].cycles;
        c.wfi_cycles = s->wfi;
        c.count = core_values(core, c.ev);
        (void)mpj_out_record(put_core, &c);
        if (prof.ev.rotates)
            mpj_spread_send(MPJ_SPREAD_CORE, core, s->spread);
    }
}

void mpj_prof_send_end(void)
{
    struct mpj_run_rec r = run_record(prof.end);

    mpj_in_patient();
    mpj_stream_notes();
    mpj_prof_drain();
    mpj_out_dropped(MPJ_REC_MARK, mpj_in_notes_lost());
    mpj_out_dropped(MPJ_REC_ADC, prof.adc.lost);
    if (counters_on()) {
        send_cores();
        send_chip();
    }
    mpj_prof_threads_send();
    if (on_send != NULL)
        on_send();
    (void)mpj_out_record(put_end, &r);
}
