/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The power ADC: is it at the assumed address, does it convert, does it follow the load? Its
 * registers' addresses are inferred: each access may fault. The four channels are similar at rest
 * (codes near 2000); the one that follows the processor is recognised by that.
 */
#include <stddef.h>

#include "hal_adc.h"
#include "hal_cpu.h"
#include "hal_map.h"
#include "hal_sys.h"
#include "mpj.h"
#include "selftest.h"

#if BOARD_POWERS > 0

#define CHANNELS   HAL_ADC_CHANNELS
#define WORDS      8U /* that the register block reserves for it */
#define LOOK_US    100000U
#define STEP_US    100U
#define QUIET_US   20000U /* until the load has settled */
#define CORE_STEPS 3U

struct look {
    uint32_t reads;
    uint64_t sum[CHANNELS];
    uint32_t low[CHANNELS], high[CHANNELS], changes[CHANNELS], last[CHANNELS];
};

static uintptr_t base;
static unsigned running; /* cores out of WFI */
static bool busy;        /* they compute; otherwise a branch to itself */
static struct look now;
static volatile uint32_t ended;
static uint32_t work[HAL_CORES_MAX][1024] __attribute__((aligned(32)));

static uint32_t code_of(unsigned channel)
{
    return (*(const volatile uint32_t *)(base + 4U * channel) >> 8) & 0xfffU;
}

static void look_once(struct look *l)
{
    for (unsigned ch = 0; ch < CHANNELS; ch++) {
        const uint32_t code = code_of(ch);

        if (l->reads == 0) {
            l->low[ch] = l->high[ch] = code;
        } else if (code != l->last[ch]) {
            l->changes[ch]++;
        }
        l->low[ch] = code < l->low[ch] ? code : l->low[ch];
        l->high[ch] = code > l->high[ch] ? code : l->high[ch];
        l->last[ch] = code;
        l->sum[ch] += code;
    }
    l->reads++;
}

/* Loads, adds and multiplies for about a tenth of a millisecond. */
static void compute(uint32_t *w)
{
    for (uint32_t i = 0; i < 1024; i++)
        w[i] = w[i] * 1664525U + w[(i * 7U) & 1023U] + 1013904223U;
}

static void rest(void *arg)
{
    const unsigned core = mpj_core_id();
    uint64_t begin;

    (void)arg;
    if (core != 0) {
        if (core >= running)
            mpj_sleep_us(LOOK_US + 2U * QUIET_US);
        else if (!busy)
            mpj_spin_us(LOOK_US + 2U * QUIET_US);
        while (busy && core < running && ended == 0)
            compute(work[core]);
        return;
    }
    begin = mpj_time_ns();
    while (mpj_time_ns() - begin < QUIET_US * 1000ULL) {
        if (busy)
            compute(work[0]);
        else
            mpj_spin_us(STEP_US);
    }
    begin = mpj_time_ns();
    while (mpj_time_ns() - begin < LOOK_US * 1000ULL) {
        if (busy)
            compute(work[0]);
        else
            mpj_spin_us(STEP_US);
        look_once(&now);
    }
    ended = 1;
}

static struct look look(unsigned cores, bool computing)
{
    now = (struct look){0};
    running = cores;
    busy = computing;
    ended = 0;
    mpj_on_all_cores(rest, NULL);
    return now;
}

static int32_t mean(const struct look *l, unsigned ch)
{
    /* Finer than a code: the noise is about one step. */
    return l->reads == 0
               ? 0
               : (int32_t)((uint64_t)hal_adc_micro(ch, 1000) * l->sum[ch] / l->reads / 1000U);
}

static const struct st_item answers = {
    "adc.answers", "", "BOARD_SYS_VOLTAGE", "channels that read neither 0 nor 4095", 4, 4};
static const struct st_item level[CHANNELS] = {
    {"adc.cpu_v", "uV", "BOARD_SYS_VOLTAGE", "processor's voltage at rest", 900000, 2400000},
    {"adc.pll_v", "uV", "BOARD_SYS_VOLTAGE", "PLL's voltage", 1100000, 1350000},
    {"adc.cpu_i", "uA", "BOARD_SYS_VOLTAGE", "processor's current at rest", 300000, 600000},
    {"adc.pll_i", "uA", "BOARD_SYS_VOLTAGE", "PLL's current", 10000, 30000},
};
static const struct st_item alive = {
    "adc.alive", "", "BOARD_SYS_VOLTAGE", "channels that are not stuck: their code changes", 4, 4};
static const struct st_item rate = {
    "adc.rate", "/s", "BOARD_SYS_VOLTAGE", "changes of the busiest channel's code", 100, 100000};
static const struct st_item noise = {
    "adc.noise", "steps", "BOARD_SYS_VOLTAGE", "spread of the processor's current at rest", 1, 20};
static const struct st_item load = {
    "adc.load", "uA", "BOARD_SYS_VOLTAGE", "more current with four busy cores", 5000, 200000};
static const struct st_item order = {
    "adc.order",         "",
    "BOARD_SYS_VOLTAGE", "channel that follows the load most: processor's current",
    HAL_ADC_CORES_I,     HAL_ADC_CORES_I};
static const struct st_item park = {
    "power.wfi", "uA", "-", "less current when 4, 3, 2 cores run and one goes to WFI", 300, 60000};

static void skip_rest(const char *why)
{
    for (unsigned ch = 0; ch < CHANNELS; ch++)
        st_skip(&level[ch], why);
    st_skip(&alive, why);
    st_skip(&rate, why);
    st_skip(&noise, why);
    st_skip(&load, why);
    st_skip(&order, why);
    st_skip(&park, why);
}

/* Prints the neighbouring words, as a help to find the right ones. */
static void show_words(void)
{
    for (unsigned i = 0; i < WORDS; i++) {
        const uintptr_t at = BOARD_SYS_VOLTAGE(0) + 4U * i;
        struct mpj_fault_caught c;
        uint32_t v;

        if (st_peek(at, &v, &c))
            st_note("0x%08lx reads 0x%08lx: code %lu", (unsigned long)at, (unsigned long)v,
                    (unsigned long)((v >> 8) & 0xfffU));
        else
            st_note("0x%08lx: nothing there", (unsigned long)at);
    }
}

static void judge(const struct look *idle, const struct look *full, unsigned cores)
{
    unsigned moving = 0, most = 0, best = 0;
    uint32_t changes = 0;

    for (unsigned ch = 0; ch < CHANNELS; ch++) {
        const int64_t rise = (int64_t)mean(full, ch) * 1000 / (mean(idle, ch) + 1);

        moving += idle->high[ch] > idle->low[ch] ? 1U : 0U;
        changes = idle->changes[ch] > changes ? idle->changes[ch] : changes;
        st_value(&level[ch], ST_NONE, mean(idle, ch));
        if (rise > (int64_t)best) {
            best = (unsigned)rise;
            most = ch;
        }
    }
    st_value(&alive, ST_NONE, moving);
    st_value(&rate, ST_NONE, (int32_t)((uint64_t)changes * 1000000U / LOOK_US));
    st_value(&noise, ST_NONE, idle->high[HAL_ADC_CORES_I] - idle->low[HAL_ADC_CORES_I]);
    st_value(&load, ST_NONE, mean(full, HAL_ADC_CORES_I) - mean(idle, HAL_ADC_CORES_I));
    st_value(&order, ST_NONE, moving == 0 ? -1 : (int)most);
    st_note("%u cores at rest: processor %ld uV, %ld uA; busy: %ld uV, %ld uA", cores,
            (long)mean(idle, HAL_ADC_CORES_V), (long)mean(idle, HAL_ADC_CORES_I),
            (long)mean(full, HAL_ADC_CORES_V), (long)mean(full, HAL_ADC_CORES_I));
}

void st_adc(uintptr_t first)
{
    const unsigned cores = mpj_core_count();
    struct look idle[CORE_STEPS + 1U], full;
    struct mpj_fault_caught c;
    unsigned good = 0;

    st_part("power ADC");
    base = first;
    for (unsigned ch = 0; ch < CHANNELS; ch++) {
        uint32_t v;

        if (!st_peek(base + 4U * ch, &v, &c)) {
            st_fault(&answers, ST_NONE, &c);
            show_words();
            skip_rest("the ADC does not answer");
            return;
        }
        good += code_of(ch) != 0 && code_of(ch) != 0xfffU ? 1U : 0U;
    }
    st_value(&answers, ST_NONE, good);
    if (good != CHANNELS)
        show_words();
    if (good == 0) {
        skip_rest("the ADC does not answer");
        return;
    }
    for (unsigned n = 0; n < cores; n++)
        idle[n] = look(cores - n, false);
    full = look(cores, true);
    judge(&idle[0], &full, cores);
    for (unsigned n = 0; n + 1U < cores; n++)
        st_value(&park, (int)n,
                 mean(&idle[n], HAL_ADC_CORES_I) - mean(&idle[n + 1U], HAL_ADC_CORES_I));
    st_note("current with %u to 1 cores not in WFI, uA: %ld %ld %ld %ld", cores,
            (long)mean(&idle[0], HAL_ADC_CORES_I),
            cores > 1 ? (long)mean(&idle[1], HAL_ADC_CORES_I) : 0L,
            cores > 2 ? (long)mean(&idle[2], HAL_ADC_CORES_I) : 0L,
            cores > 3 ? (long)mean(&idle[3], HAL_ADC_CORES_I) : 0L);
}

#else

void st_adc(uintptr_t first)
{
    (void)first;
    st_absent("adc.answers", "no power meter on this board");
}

#endif
