/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program on the target can use besides C: cores, time, counters,
 * marks. Included by programs built with `mpjoule cc`; nothing has to be
 * initialised. Thread context only, unless said.
 */
#ifndef MPJ_H
#define MPJ_H

#include <stdbool.h>
#include <stdint.h>

/* Number of the core that calls, 0..3. Any context. */
unsigned mpj_core_id(void);

/* Cores this run may use (the command's --cores), 1..4. They are cores 0 to n-1. */
unsigned mpj_core_count(void);

/*
 * Runs fn(arg) on every core of the run at the same time, the calling one included, and returns
 * when all have returned. fn finds out where it runs by mpj_core_id(). Waits in WFI, not polling.
 * Not from within fn. Each runs in a thread of its own, bound to its core; the caller runs its own
 * part. 0, or EAGAIN: no memory for the thread of a core, on which fn did not run; it ran on the
 * others.
 */
int mpj_on_all_cores(void (*fn)(void *arg), void *arg);

/* The same on the first n cores (1..mpj_core_count(); other n: clamped). */
int mpj_on_cores(unsigned n, void (*fn)(void *arg), void *arg);

/* Puts a mark with the present time into the record of the run. text: up to 200 bytes are kept. */
void mpj_mark(const char *text);
/* A mark with a number. */
void mpj_mark_value(const char *text, int64_t value);

/* Whether the host asked the program to end (Ctrl-C of `mpjoule record`): a program that polls this
 * and returns from main ends gracefully. Any context. In the emulator requests of the host arrive
 * only while the target waits for a reply. */
bool mpj_stop_wanted(void);
/* The same after a round trip to the host, which delivers pending requests and marks. Waits for its
 * reply. */
bool mpj_ask_stop(void);

/* Nanoseconds since reset, in steps of 41.7, the same clock on every core. Any context. */
uint64_t mpj_time_ns(void);

/* Cycles counted on the calling core since the run began. Any context. */
uint64_t mpj_cycles(void);

/* Waits on this core for at least so many microseconds, the core free for others or in
 * WFI. */
void mpj_sleep_us(uint32_t us);
/* The same, but in a branch to itself: the core stays out of WFI and does nothing. */
void mpj_spin_us(uint32_t us);

/* Samples of the power ADC taken since the run began. Any context. */
uint32_t mpj_adc_samples(void);

/* The program programs the monitors itself, through hal_pmu.h, hal_scu.h and hal_l2cc.h: stops ours
 * on the calling core. The run's record of that core, and those of SCU and L220, are marked
 * inexact. */
void mpj_monitors_take(void);

/*
 * Counting two events of one's own on the calling core (numbers of mpj_events.h). From the first
 * begin on, the run's record of that core is marked inexact. end() reads the counters; they
 * are 32 bits wide. Interrupts are not masked.
 */
struct mpj_counts {
    uint32_t cycles;
    uint32_t event[2];
};
void mpj_count_begin(unsigned event0, unsigned event1);
/* Stops them and gives the counts. */
void mpj_count_end(struct mpj_counts *out);

/*
 * A phase of the program that it divides among threads, for the controller (MPJ_ADAPT, as
 * `mpjoule help` and the manual have it; OpenMP's regions need no such calls). begin: `phase` is
 * any address that names it, not NULL; most: threads the program would use. Returns how many it is
 * to use, 1 to most; most itself without MPJ_ADAPT, or while another phase or region is being
 * adapted. end: the phase is over, all its threads have done their parts; threads: how many took
 * part. Both from the same thread. Counts of the phase are those of all threads in between, known
 * when at its end no other thread has a core (has ended, or sleeps); else the phase is measured
 * with different numbers of threads, not predicted.
 */
unsigned mpj_adapt_begin(const void *phase, unsigned most);
void mpj_adapt_end(unsigned threads);

#endif
