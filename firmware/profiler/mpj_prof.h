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
 * then looks at the flag: a flag with a small value means an overflow not yet
 * counted. So no read is off by 2^32, whenever it comes.
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

/* Checks that the monitors count: CCNT and PMN0 tick, the SCU monitor counts cycles, the L220's
 * counter registers hold what is written, the ADC reads something. 0, or enum mpj_target_error with
 * *detail the value that was wrong. Core 0, before anything else uses the monitors; leaves them
 * stopped. */
int mpj_prof_check(bool adc, uint32_t *detail);

/* Pairs of core events: one or, with rotation, several that all cores take in turn. */
#define MPJ_PROF_PAIRS MPJ_ROTATION_MAX

/* Counts of one pair of events, and the cycles during which they were counted. */
struct mpj_prof_sum {
    uint64_t cycles;
    uint64_t event[MPJ_PMU_COUNTERS];
};

/* Takes the configuration. 0, or MPJ_TERR_CONFIG with *why a constant text. cores: on the chip. */
int mpj_prof_configure(const struct mpj_config_rec *cfg, unsigned cores, const char **why);
/* Event pairs in turn instead of the configuration's, after it; the same results. */
int mpj_prof_rotate(const struct mpj_rotation_rec *rotation, const char **why);

/* Per core, IRQ masked. arm: programs and zeroes the monitor, its interrupt open, not counting yet.
 * start: it counts. halt: it stands still, at once; stop: the same, and keeps the totals for the
 * report. */
void mpj_prof_core_arm(void);
void mpj_prof_core_start(void);
void mpj_prof_core_halt(void);
void mpj_prof_core_stop(void);

/* Core 0, with cold caches, right before the run: brings the code of the hooks and the records that
 * threads write first into the L220, if threads are accounted for. In the midst of a program each
 * would come from memory, on all cores at once. IRQ masked. */
void mpj_prof_warm(void);

/* Core 0. arm: programs SCU and L220. start: they count, sampling begins, the lamp of the run goes
 * on; returns the time (ticks) that is zero for all counters. stop: the reverse; a sample whose
 * time has come but whose interrupt has not is taken. Returns the time of the end. IRQ masked. */
void mpj_prof_chip_arm(void);
uint64_t mpj_prof_chip_start(void);
uint64_t mpj_prof_chip_stop(void);

/*
 * What the calling core has counted since the last of these calls, by enum hal_pmu_counter; returns
 * the pair of events it was. IRQ masked. The second makes `context` the software context of the
 * calling core, whose number the caller knows, at the same moment (hal_pmu_read_switch()), and
 * gives the cycle counter.
 */
unsigned mpj_prof_core_take(uint64_t step[HAL_PMU_COUNTERS]);
unsigned mpj_prof_core_switch(unsigned core, uint32_t context, uint64_t step[HAL_PMU_COUNTERS],
                              uint32_t *ccnt);
/* The same as the first without taking it, with the cycle counter, on the calling core; false when
 * it takes more than a look, because a counter has wrapped or the counters stand still. */
bool mpj_prof_core_peek(unsigned core, uint32_t step[HAL_PMU_COUNTERS], uint32_t *ccnt);
/* Whether the SCU counts every core's linefills of both kinds (events scu_miss_cpu0..3 and
 * scu_c2c_cpu0..3). Then mpj_prof_core_fills() gives those of the calling core, whose number the
 * caller knows, since the last such call: from the L220 or memory, from another core. IRQ masked.
 */
#define MPJ_PROF_FILLS 2U
/* scu: what the SCU's counters count; counters: whether they do; always: read even if it is
 * something else. By mpj_prof_configure(). */
void mpj_prof_fills_configure(const uint16_t scu[MPJ_SCU_COUNTERS], bool counters, bool always);
bool mpj_prof_counts_fills(void);
/* Whether mpj_prof_core_fills() is called, if only to take the time it takes. */
bool mpj_prof_reads_fills(void);
void mpj_prof_core_fills(unsigned core, uint64_t step[MPJ_PROF_FILLS]);
/* The time, ticks, on the calling core: like hal_sys_ticks(), within two ticks, but from its cycle
 * counter while that counts, which takes a tenth of the time. IRQ masked. */
uint64_t mpj_prof_ticks(unsigned core);
/* The time when the cycle counter was `ccnt`, some microseconds ago; rarely, and while the counters
 * stand still, the present time. */
void mpj_prof_ticks_stop(unsigned core); /* the cycle counter stands still from now on */
uint64_t mpj_prof_ticks_at(unsigned core, uint32_t ccnt);
/* Whether the core's counters run. */
bool mpj_prof_counting(unsigned core);
/* Events of pair i on a core: MPJ_EVENT_NONE for none. Pairs in use: 0 .. mpj_prof_pairs() - 1;
 * without rotation core i counts pair i,
 * or all of them pair 0 when that is the same. */
const uint16_t *mpj_prof_pair(unsigned i);
unsigned mpj_prof_pairs(void);
/* Values by event of the sums of all pairs, merged; active: ticks, shared out by cycles. Returns
 * how many, at most MPJ_REC_EVENTS_MAX. */
unsigned mpj_prof_values(const struct mpj_prof_sum sum[MPJ_PROF_PAIRS], uint64_t ticks,
                         struct mpj_event_value *out);
/* With rotation: number of the calling core's present turn; how far counts of a turn are shifted
 * down before they are squared (mpj_spread.h). */
bool mpj_prof_rotates(void);
uint32_t mpj_prof_turn(void);
unsigned mpj_prof_shift(void);
/* The core goes on to the next pair. Interrupt context of every core, when the sampler says so:
 * `poke`, given with rotation, is called on core 0 for the others. */
void mpj_prof_irq_rotate(unsigned id, void *arg);
void mpj_prof_on_rotate(void (*poke)(void));
/* The run's beginning and end, ticks; the end is 0 until it came. */
uint64_t mpj_prof_begin_time(void);
uint64_t mpj_prof_end_time(void);

/* Extended value of a counter of the calling core. Any context. */
uint64_t mpj_prof_core_read(enum hal_pmu_counter c);
/* Extended value of SCU counter i (0..7) / L220 counter i (0, 1). Any core, any context. */
uint64_t mpj_prof_scu_read(unsigned i);
uint64_t mpj_prof_l2_read(unsigned i);

/* Samples taken since the start, lost ones included. Any context. */
uint32_t mpj_prof_samples(void);

/* The program uses the monitors itself from now on: stops ours on the calling core and marks what
 * is reported of it, and of SCU and L220, as inexact. */
void mpj_prof_release(void);

/* Interrupt handlers: PMU overflow of the core that takes it; SCU counter id - 53; L220. The
 * sampler's: mpj_sampler.h. */
void mpj_prof_irq_pmu(unsigned id, void *arg);
void mpj_prof_irq_scu(unsigned id, void *arg);
void mpj_prof_irq_l2(unsigned id, void *arg);

/* Sends the samples gathered so far. Thread context, any core; returns at once while another core
 * is at it. */
void mpj_prof_drain(void);
/* Runs fn at a moment when nobody is in the middle of a drain, or of sending anything. */
void mpj_prof_between(void (*fn)(void));
/* True when the ring is filling and somebody with time to spare should drain it. */
bool mpj_prof_wants_drain(void);
/* Sends RUN_BEGIN at the start of the run / samples, counters and RUN_END after its end. */
void mpj_prof_send_begin(void);
void mpj_prof_send_end(void);

#endif
