/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * API for programs on the target, in addition to that of C: cores, time, counters, marks. Programs
 * built with `mpjoule cc` include it; nothing has to be initialised. Thread context only, unless
 * noted.
 */
#ifndef MPJ_H
#define MPJ_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the number of the calling core, 0..3. Any context. */
unsigned mpj_core_id(void);

/* Returns the number of cores that this run may use (the command's --cores), 1..4. They are cores 0
 * to n-1. */
unsigned mpj_core_count(void);

/*
 * Runs fn(arg) on every core of the run at the same time, including the calling one, and returns
 * when all calls have returned. fn gets the number of its core from mpj_core_id(). The caller waits
 * in WFI, without polling. Must not be called from within fn. Each call runs in a thread of its own
 * that is bound to its core; the caller runs its own part. Returns 0, or EAGAIN if there was no
 * memory for the thread of some core: fn did not run on that core, but ran on the others.
 */
int mpj_on_all_cores(void (*fn)(void *arg), void *arg);

/* Runs fn(arg) like mpj_on_all_cores(), on the first n cores only (1..mpj_core_count(); other n are
 * clamped). */
int mpj_on_cores(unsigned n, void (*fn)(void *arg), void *arg);

/* Adds a mark with the present time to the record of the run. text: the first 200 bytes are
 * kept. */
void mpj_mark(const char *text);
/* Adds a mark with a number. */
void mpj_mark_value(const char *text, int64_t value);

/* Returns true if the host asked the program to end (Ctrl-C of `mpjoule record`): a program that
 * polls this and returns from main ends gracefully. Any context. In the emulator, requests of the
 * host arrive only while the target waits for a reply. */
bool mpj_stop_wanted(void);
/* Returns the same as mpj_stop_wanted(), after a round trip to the host, which delivers pending
 * requests and marks. Waits for the host's reply. */
bool mpj_ask_stop(void);

/* Returns the nanoseconds since reset, in steps of 41.7 ns; the clock is the same on every core.
 * Any context. */
uint64_t mpj_time_ns(void);

/* Returns the cycles counted on the calling core since the run began. Any context. */
uint64_t mpj_cycles(void);

/* Waits on this core for at least `us` microseconds, during which the core runs other threads or is
 * in WFI. */
void mpj_sleep_us(uint32_t us);
/* Waits for at least `us` microseconds in a branch to itself: the core stays out of WFI and does
 * nothing. */
void mpj_spin_us(uint32_t us);

/* Returns the number of samples that the power ADC has taken since the run began. Any context. */
uint32_t mpj_adc_samples(void);

/* Hands the monitors to the program, which then uses hal_pmu.h, hal_scu.h and hal_l2cc.h itself:
 * stops the profiler's counters on the calling core. The run's records of that core, of SCU and of
 * L220 are marked inexact. */
void mpj_monitors_take(void);

/* Counts of two events of the program's choice on the calling core (32 bits wide). */
struct mpj_counts {
    uint32_t cycles;
    uint32_t event[2];
};
/* Starts counting two events on the calling core (numbers of mpj_events.h). From the first call on,
 * the run's record of that core is marked inexact. Interrupts are not masked. */
void mpj_count_begin(unsigned event0, unsigned event1);
/* Stops the counters and stores the counts in *out. */
void mpj_count_end(struct mpj_counts *out);

/*
 * Begins a phase of the program that it divides among threads, for the controller (MPJ_ADAPT,
 * described by `mpjoule help` and the manual; regions of OpenMP need no such calls). `phase` is any
 * address that identifies the phase, not NULL; most: threads that the program would use. Returns
 * how many it is to use, 1 to most; most itself without MPJ_ADAPT, or while another phase or region
 * is being adapted.
 */
unsigned mpj_adapt_begin(const void *phase, unsigned most);
/*
 * Ends the phase, when all its threads have done their parts; threads: how many took part. Must be
 * called from the thread that began the phase. The phase's counts are those of all threads between
 * the two calls. They are known if no other thread has a core at the end (all others have ended or
 * sleep); otherwise the phase is measured with different numbers of threads, not predicted.
 */
void mpj_adapt_end(unsigned threads);

#endif
