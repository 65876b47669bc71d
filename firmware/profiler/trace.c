/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_trace.h"

#include <stddef.h>

#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_pmu.h"
#include "hal_sys.h"
#include "hal_timer.h"
#include "mpj_functions.h"
#include "mpj_irq.h"
#include "mpj_noinit.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "mpj_sched.h"
#include "mpj_smp.h"
#include "thread_int.h"

#define BL_MASK  0x0f000000U /* any condition; 0xf: BLX to Thumb code */
#define BL       0x0b000000U
#define BLX_MASK 0x0ffffff0U
#define BLX      0x012fff30U

extern char __text_start[], __text_end[];

/* A line of the cache. */
struct note {
    uint32_t time_low;
    uint16_t time_high;
    uint8_t core : 4;
    uint8_t kind : 4;
    uint8_t idle : 4; /* other cores at that time: bits */
    uint8_t n : 3;
    uint8_t cycles : 1; /* time is in cycles, which cost less to read */
    uint32_t thread;
    uint32_t word[MPJ_MOMENT_WORDS];
} __attribute__((aligned(32)));

static MPJ_NOINIT struct note ring[MPJ_CORES_MAX][MPJ_TRACE_RING];

static struct {
    uint32_t flags;
    uint32_t period; /* of the sampler's timer, in its ticks */
    uint32_t wait;   /* ticks until the next random note */
    uint32_t random;
    uint32_t others; /* the other cores, a mask */
    bool chance;     /* the timer's next interrupt is for the random note */
    struct {
        volatile uint32_t head; /* written by the core */
        volatile uint32_t tail; /* written by core 0 */
        uint32_t lost;
        const struct mpj_prof_live *live;
    } __attribute__((aligned(32))) of[MPJ_CORES_MAX];
} trace;

/* ---- notes: IRQ masked ---------------------------------------------------------------------- */

/* Returns the next free note of the calling core's ring; NULL: none. */
static inline __attribute__((always_inline)) struct note *begin(unsigned core, unsigned kind)
{
    const uint32_t head = trace.of[core].head;
    const bool counts = trace.of[core].live->counting;
    const uint64_t now = counts ? mpj_prof_cycles(core) : mpj_prof_ticks(core);
    struct note *p = &ring[core][head % MPJ_TRACE_RING];

    if (head - trace.of[core].tail >= MPJ_TRACE_RING) {
        trace.of[core].lost++;
        return NULL;
    }
    p->time_low = (uint32_t)now;
    p->time_high = (uint16_t)(now >> 32);
    p->core = core & 0xfU;
    p->kind = kind & 0xfU;
    p->idle = 0;
    p->n = 0;
    p->cycles = counts;
    p->thread = hal_cpu_context();
    return p;
}

static void end(unsigned core)
{
    __atomic_store_n(&trace.of[core].head, trace.of[core].head + 1U, __ATOMIC_RELEASE);
}

static inline bool is_code(uint32_t word)
{
    return word - (uint32_t)__text_start - 4U < (uint32_t)__text_end - (uint32_t)__text_start;
}

/* Takes the word into the note if it is an address that follows a call. */
static inline unsigned take(struct note *p, unsigned n, uint32_t word)
{
    uint32_t before;

    if (!is_code(word) || (word & 3U) != 0 || n == MPJ_MOMENT_WORDS)
        return n;
    before = ((const uint32_t *)word)[-1];
    if ((before & BL_MASK) == BL || (before & BLX_MASK) == BLX)
        p->word[n++] = word;
    return n;
}

/* Collects the first return addresses among the words. Returns how many words the note then has.
 * Four words at a time, since most are none. */
static unsigned callers(struct note *p, const uint32_t *word, const uint32_t *last)
{
    unsigned n = 2;

    for (; last - word >= 4 && n < MPJ_MOMENT_WORDS; word += 4) {
        const uint32_t a = word[0];
        const uint32_t b = word[1];
        const uint32_t c = word[2];
        const uint32_t d = word[3];

        if (is_code(a) || is_code(b) || is_code(c) || is_code(d))
            n = take(p, take(p, take(p, take(p, n, a), b), c), d);
    }
    for (; word < last; word++) /* for a shallow stack */
        n = take(p, n, *word);
    return n;
}

/* Notes the position at which the calling core was interrupted. */
static void note_place(unsigned core, unsigned kind, uint32_t idle)
{
    const struct mpj_context *const c = mpj_irq_context();
    struct note *const p = begin(core, kind);
    const uint32_t *const word = (const uint32_t *)(c + 1);
    const uint32_t *last;

    if (p == NULL)
        return;
    p->word[0] = c->pc;
    p->word[1] = c->lr;
    last = (const uint32_t *)mpj_thread_self()->stack_high;
    if (last > word + MPJ_TRACE_STACK)
        last = word + MPJ_TRACE_STACK;
    p->idle = idle & 0xfU;
    p->n = (p->thread == 0 ? 2U : callers(p, word, last)) & 7U;
    end(core);
}

/* Notes an event of a thread (enum mpj_trace_kind), on the core concerned. */
static void moment(unsigned core, unsigned kind, uint32_t thread, unsigned n, const uint32_t *word)
{
    struct note *const p = begin(core, kind);
    uint64_t now;

    if (p == NULL)
        return;
    now = mpj_prof_ticks(core); /* the time that the accounts of threads use */
    p->time_low = (uint32_t)now;
    p->time_high = (uint16_t)(now >> 32);
    p->cycles = false;
    p->thread = thread;
    for (unsigned i = 0; i < n; i++)
        p->word[i] = word[i];
    p->n = n & 7U;
    end(core);
}

void mpj_trace_call(unsigned core, const uint32_t word[MPJ_MOMENT_WORDS])
{
    moment(core, MPJ_AT_CALL, hal_cpu_context(), MPJ_MOMENT_WORDS, word);
}

/* ---- interrupts ----------------------------------------------------------------------------- */

/* Interrupts the other cores that run threads. Returns a mask of those without threads, which sleep
 * on. */
static uint32_t call_others(void)
{
    uint32_t idle = 0;

    if (mpj_prof_threads.on) {
#pragma GCC unroll 4
        for (unsigned core = 1; core < MPJ_CORES_MAX; core++)
            idle |= (mpj_prof_threads.core[core].cur == NULL ? 1U : 0U) << core;
    }
    idle &= trace.others;
    if (idle != trace.others)
        hal_gic_send(MPJ_SGI_SAMPLE, trace.others & ~idle);
    return idle;
}

static int put_moments(struct mpj_writer *w, const void *rec)
{
    return mpj_moments_put(w, rec);
}

/* Converts cycles of the core to ticks, rounded down. */
static uint64_t ticks_of(uint64_t cycles)
{
    const uint32_t hz = hal_sys_clock_hz();

    return cycles / hz * HAL_SYS_TIME_HZ + cycles % hz * HAL_SYS_TIME_HZ / hz;
}

/* Expands a note into moments: its own, and those of the cores that slept. */
static uint32_t expand(const struct note *p, struct mpj_moment_rec *m)
{
    uint64_t time = ((uint64_t)p->time_high << 32) | p->time_low;
    uint32_t n = 1;

    if (p->cycles) /* cycles, 48 bits */
        time = mpj_prof_begin_time() + ticks_of(time);
    *m = (struct mpj_moment_rec){
        .time = time, .core = p->core, .thread = p->thread, .kind = p->kind, .n = p->n};
    for (unsigned i = 0; i < p->n; i++)
        m->word[i] = p->word[i];
    for (uint32_t core = 0; core < MPJ_CORES_MAX; core++) {
        if ((p->idle & (1U << core)) != 0)
            m[n++] = (struct mpj_moment_rec){.time = m->time, .core = core, .kind = p->kind};
    }
    return n;
}

/* Gathers the oldest notes of a core's ring. Returns how many. */
static uint32_t gather(unsigned core, struct mpj_moments_rec *out)
{
    const uint32_t head = __atomic_load_n(&trace.of[core].head, __ATOMIC_ACQUIRE);
    const uint32_t tail = trace.of[core].tail;
    uint32_t n = 0;

    for (out->count = 0; tail + n != head && out->count + MPJ_CORES_MAX <= MPJ_MOMENTS_MAX; n++)
        out->count += expand(&ring[core][(tail + n) % MPJ_TRACE_RING], &out->m[out->count]);
    return n;
}

static struct mpj_moments_rec block; /* used by core 0's interrupt, or after the run */

/* Sends some notes of a ring that is half full. Checks the state of one core per call, since that
 * core writes it. */
static void relieve(void)
{
    static unsigned turn;
    const unsigned core = turn++ % MPJ_CORES_MAX;
    uint32_t n;

    if (trace.of[core].head - trace.of[core].tail <= MPJ_TRACE_RING / 2U)
        return;
    n = gather(core, &block);
    if (mpj_out_try_record(put_moments, &block) == MPJ_LINK_OK)
        __atomic_store_n(&trace.of[core].tail, trace.of[core].tail + n, __ATOMIC_RELEASE);
}

/* Draws the time of the random note, in ticks after a sample. Samples of the ADC are equidistant;
 * between any two of them the timer interrupts once more for a note, at a random time: a program
 * that repeats itself would otherwise always be sampled at the same few places. */
static uint32_t draw(void)
{
    trace.random = trace.random * 1664525U + 1013904223U; /* constants of Numerical Recipes */
    return 1U + (uint32_t)((uint64_t)trace.random * (trace.period - 1U) >> 32);
}

static void on_chance(void)
{
    hal_timer_clear(HAL_TIMER_SECOND);
    hal_timer_again(HAL_TIMER_SECOND, trace.period, trace.period - trace.wait);
    trace.chance = false;
    note_place(0, MPJ_AT_SAMPLE, call_others());
}

/* Replaces the sampler's handler on core 0. */
static void on_sampler(unsigned id, void *arg)
{
    if (trace.chance) {
        on_chance();
        return;
    }
    if ((trace.flags & MPJ_TRACE_FUNCTIONS) != 0)
        mpj_functions_tick();
    mpj_prof_irq_sample(id, arg);
    relieve();
    if ((trace.flags & MPJ_TRACE_SAMPLES) == 0)
        return;
    trace.wait = draw();
    hal_timer_again(HAL_TIMER_SECOND, trace.period, trace.wait);
    trace.chance = true;
}

static void on_call(unsigned id, void *arg)
{
    (void)id;
    (void)arg;
    if (mpj_prof_counting(hal_cpu_id()))
        note_place(hal_cpu_id(), MPJ_AT_SAMPLE, 0);
}

/* Replaces the monitor's handler. */
static void on_monitor(unsigned id, void *arg)
{
    if (mpj_prof_every_due())
        note_place(hal_cpu_id(), MPJ_AT_EVENT, 0);
    mpj_prof_irq_pmu(id, arg);
}

/* ---- begin and end -------------------------------------------------------------------------- */

int mpj_trace_configure(const struct mpj_trace_config *cfg, const uint8_t *chosen,
                        uint32_t sample_us, const char **why)
{
    *why = NULL;
    if ((cfg->flags & MPJ_TRACE_EVENT) != 0 && !mpj_prof_every(cfg->event, cfg->every))
        *why =
            BOARD_IRQ_PMU0 == 0
                ? "samples cannot follow an event: the monitors of this board do not interrupt"
                : "the event that samples are to follow is not counted, or the number is too small";
    if (*why != NULL)
        return MPJ_TERR_CONFIG;
    trace.flags = cfg->flags;
    trace.period = sample_us * (hal_timer_hz() / 1000000U);
    if ((cfg->flags & MPJ_TRACE_SAMPLES) != 0) {
        trace.wait = draw();
        trace.chance = true;
        mpj_prof_lend(&trace.chance, trace.wait);
    }
    if ((cfg->flags & MPJ_TRACE_MOMENTS) != 0)
        mpj_prof_threads.moment = moment;
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++)
        trace.of[core].live = mpj_prof_live(core);
    trace.others = mpj_smp_active() & ~1U;
    if ((cfg->flags & MPJ_TRACE_FUNCTIONS) != 0 &&
        mpj_functions_configure(cfg, chosen, sample_us, why) != 0)
        return MPJ_TERR_CONFIG;
    if ((cfg->flags & (MPJ_TRACE_SAMPLES | MPJ_TRACE_FUNCTIONS | MPJ_TRACE_MOMENTS)) != 0) {
        mpj_irq_attach(HAL_IRQ_SECOND_TIMER, on_sampler, NULL);
        mpj_irq_attach(MPJ_SGI_SAMPLE, on_call, NULL);
    }
    for (unsigned core = 0; core < MPJ_CORES_MAX && (cfg->flags & MPJ_TRACE_EVENT) != 0; core++)
        mpj_irq_attach(hal_pmu_irq(core), on_monitor, NULL);
    return 0;
}

void mpj_trace_send(void)
{
    if (trace.flags == 0)
        return;
    mpj_functions_send();
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++) {
        for (uint32_t n; (n = gather(core, &block)) != 0; trace.of[core].tail += n) {
            if (mpj_out_record(put_moments, &block) != MPJ_LINK_OK)
                mpj_out_dropped(MPJ_REC_MOMENTS, block.count);
        }
        mpj_out_dropped(MPJ_REC_MOMENTS, trace.of[core].lost);
    }
}
