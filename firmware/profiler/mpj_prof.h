/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiler core: counts on every core (cycles and two events), in the SCU
 * (eight) and in the L220 (two), all extended to 64 bits, and samples the power
 * ADC, from mpj_prof_chip_start() to mpj_prof_chip_stop().
 *
 * Uses the hardware layer and the link only, so the host's unit tests run it on
 * hal/fake. The caller connects the interrupts (mpj_prof_irq_*) and runs the
 * per-core functions on their cores.
 *
 * Extension to 64 bits: an overflow raises the counter's flag and an interrupt;
 * the handler counts the flag. A reader with IRQ masked takes the value first,
 * then reads the flag: a flag with a small value means an overflow not yet
 * counted. So no read is off by 2^32, at whatever moment.
 */
#ifndef MPJ_PROF_H
#define MPJ_PROF_H

#include <stdbool.h>
#include <stdint.h>

#include "hal_pmu.h"
#include "mpj_records.h"
#include "mpj_sampler.h"
#include "tile_limits.h"

#define MPJ_PROF_ADC_US     ((uint32_t)TILE_SAMPLE_US_DEFAULT)
#define MPJ_PROF_ADC_US_MIN ((uint32_t)TILE_SAMPLE_US_MIN)
#define MPJ_PROF_ADC_US_MAX ((uint32_t)TILE_SAMPLE_US_MAX)
#define MPJ_PROF_ADC_RING   262144U /* samples kept until they are sent; a power of two */

/* ---- configuration: core 0, before the run -------------------------------------------------- */

/* Checks that the monitors count: CCNT and PMN0 advance, the SCU monitor counts cycles, the L220's
 * counter registers hold what is written, and, if adc, that the ADC reads something. Returns 0, or
 * enum mpj_target_error with *detail the value that was wrong. Must run before any other use of the
 * monitors; leaves them stopped. */
int mpj_prof_check(bool adc, uint32_t *detail);

/* Pairs of core events: one, or several that are multiplexed on all cores (rotation). */
#define MPJ_PROF_PAIRS MPJ_ROTATION_MAX

/* Counts of one pair of events, and the cycles in which they were counted. */
struct mpj_prof_sum {
    uint64_t cycles;
    uint64_t event[MPJ_PMU_COUNTERS];
};

/* Takes the configuration. cores: on the chip. Returns 0, or MPJ_TERR_CONFIG with *why a constant
 * text. */
int mpj_prof_configure(const struct mpj_config_rec *cfg, unsigned cores, const char **why);
/* Multiplexes these pairs of events instead of the configuration's; after mpj_prof_configure().
 * Returns the same. */
int mpj_prof_rotate(const struct mpj_rotation_rec *rotation, const char **why);
/* Makes the counter of that event interrupt every `every` counts, at least MPJ_TRACE_EVERY_MIN.
 * Returns false if that is impossible: the event must be one of the configuration's, and these not
 * multiplexed. Counts stay the same, except for a few at each such interrupt. */
bool mpj_prof_every(uint32_t event, uint32_t every);
/* Returns true if that is the reason of an interrupt of the calling core's monitor, and starts the
 * next interval. From the interrupt's handler, before mpj_prof_irq_pmu(). */
bool mpj_prof_every_due(void);
/* Sets a function that makes the other cores call mpj_prof_irq_pmu(), for a board whose monitors do
 * not interrupt. Called from the sampler's interrupt. */
void mpj_prof_on_poll(void (*poll)(void));

/* Sets a function for rotation that makes the other cores call mpj_prof_irq_rotate(). Called on
 * core 0 when a turn ends. */
void mpj_prof_on_rotate(void (*poke)(void));
/* Configures the counting of threads' linefills, for mpj_prof_configure(). scu: events of the SCU's
 * counters; counters: whether these run; always: read them even if they count something else. */
void mpj_prof_fills_configure(const uint16_t scu[MPJ_SCU_COUNTERS], bool counters, bool always);

/* ---- begin and end: on each core, IRQ masked ------------------------------------------------ */

/* Programs and zeroes the core's monitor and enables its interrupt; it does not count yet. */
void mpj_prof_core_arm(void);
/* Starts the core's counters. */
void mpj_prof_core_start(void);
/* Stops the core's counters at once; the totals are read later. */
void mpj_prof_core_halt(void);
/* Stops the core's counters and keeps the totals for the report. */
void mpj_prof_core_stop(void);

/* Brings the hot code and the records that threads write first into the L220, if threads are
 * accounted for. Core 0, with cold caches, immediately before the run. In the middle of a program
 * each line would come from memory, for all cores at once. */
void mpj_prof_warm(void);
/* Programs SCU and L220. Core 0. */
void mpj_prof_chip_arm(void);
/* Starts SCU, L220, sampling and the board's mark of the run. Core 0. Returns the time (ticks) that
 * is zero for all counters. */
uint64_t mpj_prof_chip_start(void);
/* Lends the sampler's timer: while *lent, it fires for another handler, which sets it
 * (hal_timer_again()); first `ticks` after the start. Core 0, before the run. */
void mpj_prof_lend(const bool *lent, uint32_t ticks);
/* Stops what mpj_prof_chip_start() started; a due sample whose interrupt is pending is taken. Core
 * 0. Returns the time of the end. */
uint64_t mpj_prof_chip_stop(void);
/* Returns the time of the run's beginning, ticks. */
uint64_t mpj_prof_begin_time(void);
/* Returns the time of the run's end, ticks; 0 before. */
uint64_t mpj_prof_end_time(void);

/* Sends RUN_BEGIN. Thread context, after the start. */
void mpj_prof_send_begin(void);
/* Sends samples, counters, threads and RUN_END. Thread context, after the end. */
void mpj_prof_send_end(void);

/* ---- for the hooks: IRQ masked; `core` is the calling core ---------------------------------- */

/* Takes the counts of the calling core since the last call of this or of the next function, by enum
 * hal_pmu_counter. Returns the pair of events. */
unsigned mpj_prof_core_take(uint64_t step[HAL_PMU_COUNTERS]);
/* Takes counts like mpj_prof_core_take(), and makes `context` the core's software context at the
 * same moment (hal_pmu_read_switch()). *ccnt: the cycle counter. */
unsigned mpj_prof_core_switch(unsigned core, uint32_t context, uint64_t step[HAL_PMU_COUNTERS],
                              uint32_t *ccnt);
/* Reads the counts that mpj_prof_core_take() would take, without taking them, and the cycle
 * counter. Returns false if a counter has wrapped or the counters are stopped: call
 * mpj_prof_core_take(). */
bool mpj_prof_core_peek(unsigned core, uint32_t step[HAL_PMU_COUNTERS], uint32_t *ccnt);

/* A core's counters as they were last taken, for code that reads them itself: while `wraps` is
 * `seen` and the counters run, the counts since then are the difference to `low`, modulo 2^32;
 * otherwise call mpj_prof_core_take(). The pointer stays valid. */
struct mpj_prof_live {
    uint32_t low[HAL_PMU_COUNTERS]; /* by enum hal_pmu_counter */
    uint32_t wraps, seen;           /* wraps of all counters: so far; when `low` was taken */
    bool counting;
};
const struct mpj_prof_live *mpj_prof_live(unsigned core);

#define MPJ_PROF_FILLS 2U /* kinds of linefills: from the L220 or memory, from another core */
/* Returns true if the SCU counts every core's linefills of both kinds (events scu_miss_cpu0..3 and
 * scu_c2c_cpu0..3). */
bool mpj_prof_counts_fills(void);
/* Returns true if mpj_prof_core_fills() has to be called, even if only for the time it takes. */
bool mpj_prof_reads_fills(void);
/* Takes the linefills of the core since the last call, by kind. */
void mpj_prof_core_fills(unsigned core, uint64_t step[MPJ_PROF_FILLS]);

/* Returns the time in ticks, like hal_sys_ticks() within two ticks, but from the cycle counter
 * while that runs, which takes a tenth of the time. */
uint64_t mpj_prof_ticks(unsigned core);
/* Returns the time at which the cycle counter was `ccnt`, some microseconds ago; occasionally, and
 * while the counters are stopped, the present time. */
uint64_t mpj_prof_ticks_at(unsigned core, uint32_t ccnt);
/* Stops using the cycle counter, which stops now. */
void mpj_prof_ticks_stop(unsigned core);

/* Returns true if the core's counters run. */
bool mpj_prof_counting(unsigned core);
/* Returns true if events are multiplexed. */
bool mpj_prof_rotates(void);
/* Returns the number of the calling core's present turn, with rotation. */
uint32_t mpj_prof_turn(void);
/* Returns the number of bits by which counts of a turn are shifted down before they are squared,
 * with rotation (mpj_spread.h). */
unsigned mpj_prof_shift(void);
/* Returns the number of pairs in use. */
unsigned mpj_prof_pairs(void);
/* Returns the events of pair i < mpj_prof_pairs(), MPJ_EVENT_NONE for none. Without rotation core i
 * counts pair i, or all cores pair 0 when their events are the same. */
const uint16_t *mpj_prof_pair(unsigned i);
/* Merges the sums of all pairs by event; each event's `active` is its share of `ticks`, by cycles.
 * Returns the number of events, at most MPJ_REC_EVENTS_MAX. */
unsigned mpj_prof_values(const struct mpj_prof_sum sum[MPJ_PROF_PAIRS], uint64_t ticks,
                         struct mpj_event_value *out);

/* ---- reading: any context ------------------------------------------------------------------- */

/* Returns the extended value of a counter of the calling core. */
uint64_t mpj_prof_core_read(enum hal_pmu_counter c);
/* Returns the extended value of the cycle counter of the calling core; IRQ masked, for milliseconds
 * at most. */
uint64_t mpj_prof_cycles(unsigned core);
/* Returns the extended value of SCU counter i, 0..7. Any core. */
uint64_t mpj_prof_scu_read(unsigned i);
/* Returns the extended value of L220 counter i, 0 or 1. Any core. */
uint64_t mpj_prof_l2_read(unsigned i);
/* Returns the number of samples since the start, lost ones included. */
uint32_t mpj_prof_samples(void);
/* Releases the monitors to the program: stops the profiler's counting on the calling core, and
 * marks the records of that core, of SCU and of L220 as inexact. */
void mpj_prof_release(void);

/* Returns the address of the ADC's number of samples so far, whose value marks the next sample.
 * Always valid; any core. */
const volatile uint32_t *mpj_prof_power_mark(void);
/* Returns the sum of products of the codes of the processor's voltage and current over the samples
 * in the ring from one mark to another, and their number. If there are very many, only the last
 * ones are used. Any core. */
uint64_t mpj_prof_power_sum(uint32_t mark, uint32_t until, uint32_t *n);
/* Sets a function that sends records of another layer at the end of the run, before RUN_END. Thread
 * context. */
void mpj_prof_on_send(void (*fn)(void));

/* ---- samples: thread context, any core ------------------------------------------------------ */

/* Sends the samples gathered so far; returns at once if another core is sending them. Signals of
 * the thread are held off (mpj_thread_hold()): a handler that ends the program waits for the
 * sender. */
void mpj_prof_drain(void);
/* Returns true if the ring is half full and should be drained by a thread that has the time. */
bool mpj_prof_wants_drain(void);
/* Runs fn while no drain or send is in progress. */
void mpj_prof_between(void (*fn)(void));

/* ---- interrupt handlers. The sampler's: mpj_sampler.h --------------------------------------- */

/* Handles a PMU overflow of the core that takes it. */
void mpj_prof_irq_pmu(unsigned id, void *arg);
/* Handles an overflow of an SCU counter. */
void mpj_prof_irq_scu(unsigned id, void *arg);
/* Handles an overflow of an L220 counter. */
void mpj_prof_irq_l2(unsigned id, void *arg);
/* Switches the core to the next pair of events. On each core, at the end of a turn. */
void mpj_prof_irq_rotate(unsigned id, void *arg);

#endif
