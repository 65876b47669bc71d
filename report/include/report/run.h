/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run as read from its store: the passes merged, quantities in physical units. */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errors.h"
#include "mpj_records.h"
#include "report/given.h"
#include "report/interval.h"
#include "report/machine.h"
#include "report/meter.h"
#include "report/profile.h"
#include "report/threads.h"

#define MPJ_RUN_FRAMES_MAX 32U

struct mpj_core_result {
    bool present;
    bool have_wfi;
    bool inexact; /* an overflow may have been missed */
    uint64_t cycles;
    uint64_t wfi_cycles;
    struct mpj_value ev[MPJ_RUN_EVENTS_MAX]; /* by index into mpj_event_table() */
    double energy_uj;                        /* by the model, if any */
};

/* Results of an energy model for the run; mpj_model_apply() of models/ fills them, and then the
 * energy of cores, threads and regions is the model's, too. */
struct mpj_run_model {
    bool present;
    char name[64];
    double power_mw, energy_uj; /* of the processor */
    double stated_percent;      /* the model's stated error; NAN: unknown */
    double adc_percent; /* model less measured energy, relative to the latter; NAN: not measured */
    bool by_meter;      /* measured by the external meter, not the ADC: ... */
    char meter[40];     /* ... its name; otherwise "the ADC" */
    char outside[32];   /* a predictor outside its range in the fit; "": all inside */
    struct mpj_interval interval;
    double interval_uj; /* half of it, of energy_uj; NAN: none */
};

/* A run of the program without counters, accounting and sampling (`run --overhead`). */
struct mpj_bare {
    bool present;
    double time_s;
    uint64_t instr; /* the emulator's truth, all cores; 0: unknown */
};

/* One ADC rail: means over the run, and V * I integrated over it. */
struct mpj_rail {
    double v_avg_uv;
    double i_avg_ua;
    double energy_uj;
};

struct mpj_run_mark {
    char *name;
    double time_s; /* since the run's begin; NAN: that is not known */
    int64_t value;
    unsigned core;
    int64_t thread; /* -1: set from the host */
};

struct mpj_frame_line {
    uint32_t depth; /* 0: the faulting frame; a jump: frames are omitted */
    uint32_t address;
    uint32_t offset;
    int line;       /* 0: unknown */
    char *function; /* NULL: unknown */
    char *file;     /* NULL: unknown */
};

/* The emulator's truth for the measured window. */
struct mpj_truth {
    uint64_t cycles;
    double energy_uj;        /* processor: the reading of an ideal meter on its rail */
    double shared_energy_uj; /* of which attributed to no core: SCU, L2, bus, clock, static */
    struct {
        uint64_t cycles, wfi_cycles;
        uint64_t
            bounded_cycles; /* running, but the calibration gives less than WFI: raised to it */
        double energy_uj;
        struct mpj_value ev[MPJ_RUN_EVENTS_MAX];
    } core[MPJ_CORES_MAX];
    struct mpj_value chip[MPJ_RUN_EVENTS_MAX];
    struct {
        unsigned id;
        uint64_t cycles, wfi_cycles;
        double energy_uj;
        uint64_t ev[MPJ_RUN_EVENTS_MAX];
        bool has[MPJ_RUN_EVENTS_MAX];
    } * thread; /* software contexts that ran; 0: kernel and idle */
    unsigned threads;
};

#define MPJ_RUN_SETTING(kind, option, field, ...) uint32_t field;
struct mpj_run {
    /* labels; NULL when the log does not say */
    char *target, *program, *firmware_sha256, *calibration, *quantum, *seed, *arguments, *version;
    char *compiler, *runtime_sha256, *emulator_sha256, *calibration_sha256;
    char *predictor_sha256; /* of the text that the controller of regions was sent */
    struct mpj_given given;
    unsigned passes;
    bool alike; /* each core took the same number of cycles in every pass: identical execution */

    /* of the first pass */
    unsigned cores; /* on the chip */
    uint32_t cores_mask;
    uint32_t clock_hz, time_hz;
    bool complete; /* begin and end are recorded: time_s is known */
    bool partial; /* not complete, but measured until then: time_s, cores and energy are of the part
                     that the emulator's truth has, or, on a board, the ADC's samples */
    double time_s;
    uint64_t cycles; /* of the busiest core: the run's length in core clocks */
    bool have_exit;
    int exit_status;
    int outcome;   /* enum mpj_code; MPJ_E_LOG when the log was truncated */
    char *message; /* the recorder's line on a failure; NULL: none */
    uint64_t dropped;
    MPJ_SETTINGS_ALL(MPJ_RUN_SETTING) /* adc_period_us, ...: mpj_settings.h; 0: not known */

    struct mpj_core_result core[MPJ_CORES_MAX];
    struct mpj_value chip[MPJ_RUN_EVENTS_MAX]; /* SCU and L2 */

    /* Requested, but in no pass counted for any time: multiplexing (--rotate) ended before their
     * turn, or had no place for them. By index into mpj_event_table(). */
    bool uncounted[MPJ_RUN_EVENTS_MAX];

    /* Events that threads and regions have counts of: a run may have a hundred thousand threads,
     * and most runs count a few events. mpj_run_columns() */
    unsigned columns;
    uint8_t column[MPJ_RUN_EVENTS_MAX]; /* 1 + index into ev[] of a thread or part; 0: none */
    struct mpj_value *thread_ev,
        *part_ev; /* the memory that these point into; NULL: the caller's */

    /* the thread-level profile of the first pass, events of all; empty: not recorded */
    unsigned threads;
    struct mpj_thread_result *thread; /* by id */
    unsigned waits;
    struct mpj_wait_result *wait; /* longest total first */
    unsigned regions;
    struct mpj_region_result *region; /* the serial part first, then in order of first execution */
    bool have_parallel;
    double parallel_s[MPJ_CORES_MAX + 1]; /* with that number of cores running threads */
    uint64_t threads_folded; /* without a row of their own: added to those of others (folded) */
    unsigned marks;          /* of the first pass, in their order */
    struct mpj_run_mark *mark;
    bool have_memory;
    uint64_t heap_peak, heap_end, heap_room; /* bytes; resolution 4 KB */
    double idle_energy_uj;                   /* attributed to no thread; NAN: unknown */
    struct mpj_run_model model;
    struct mpj_bare bare;

    struct tile_machine machine;  /* the board; for an older log mpj_machine_unstated */
    bool machine_stated;          /* the log describes the board */
    struct mpj_supplies supplies; /* the quantities of its power channels: rail[] in their order */

    bool have_adc;
    unsigned adc_samples;
    unsigned adc_lost; /* missing sample numbers */
    struct mpj_rail rail[TILE_POWER_MAX];
    struct mpj_rail processor; /* the first of them: its energy is the run's */
    struct mpj_meter meter;    /* readings of an external meter for the processor */
    unsigned meter_channel;    /* 1 + the meter's channel that mpj_run_choose_meter() selected */

    bool have_truth;
    struct mpj_truth truth;

    struct mpj_profile *profile; /* of functions, the most exact one; NULL: not recorded */

    bool have_fault;
    uint32_t fault_kind, fault_core, fault_thread;
    uint32_t fault_cpsr, fault_dfsr, fault_dfar, fault_ifsr, fault_ifar;
    char *fault_regs;
    uint32_t error_code; /* enum mpj_target_error of the first error record; 0: no error */
    char *error_text;
    unsigned frames;
    struct mpj_frame_line frame[MPJ_RUN_FRAMES_MAX];
    unsigned chain_end; /* enum mpj_chain_end (report/symbols.h); a store before version 7: 0 */
    uint32_t chain_gap_depth; /* frames are missing before this one; 0: no frame is missing */
    uint32_t chain_gap_bytes; /* of stack that was not recorded */
};

/* Returns half of the interval [uJ] of the energy of a thread, a region, or a thread's part of one,
 * from its core cycles; NAN: the run's model has none. */
double mpj_run_interval_uj(const struct mpj_run *run, double energy_uj, uint64_t cycles);
#undef MPJ_RUN_SETTING

/* Reads a store. *out is NULL on error. */
int mpj_run_load(struct mpj_run **out, const char *path, struct mpj_err *err);
/* Reads a store that this process has just built: its contents, which mpj_store_build() has
 * checked, are not checked again. */
int mpj_run_load_built(struct mpj_run **out, const char *path, struct mpj_err *err);
void mpj_run_free(struct mpj_run *run);

/* Returns the index of an event in mpj_event_table(), by name; -1: no such event. */
int mpj_event_index(const char *name);
/* Gives threads and regions a column for each event with used[] (MPJ_RUN_EVENTS_MAX flags, by index
 * into mpj_event_table(); NULL: for all), in that order; their ev[] have run->columns elements. */
void mpj_run_columns(struct mpj_run *run, const bool *used);
/* Returns a thread's or part's count of an event, by index into mpj_event_table(). ev: its counts.
 * Absent without a column. */
struct mpj_value mpj_run_value(const struct mpj_run *run, const struct mpj_value *ev, int index);
/* Writes all counts to out[MPJ_RUN_EVENTS_MAX]. */
void mpj_run_values(const struct mpj_run *run, const struct mpj_value *ev, struct mpj_value *out);
/* Returns the sum over the cores that counted the event; absent when no core did. */
struct mpj_value mpj_run_total(const struct mpj_run *run, int index);
/* Returns the number of events that were requested, and of those that were not counted. */
unsigned mpj_run_uncounted(const struct mpj_run *run, unsigned *requested);
/* Returns the truth's instructions on all cores; 0: no truth. */
uint64_t mpj_run_true_instr(const struct mpj_run *run);
/* Returns the number of cores of the chip, for output per core; MPJ_CORES_MAX if the log does not
 * state it. */
unsigned mpj_run_cores(const struct mpj_run *run);
/* Returns the ADC's means for a consumer by its name ("pll"); NULL: it is not measured. */
const struct mpj_rail *mpj_run_rail(const struct mpj_run *run, const char *name);
/* The instrument that measured the run's energy. */
struct mpj_run_power {
    bool present;
    const char *meter; /* channel of the external meter, "" if it has no name; NULL: the ADC */
    unsigned samples;
    double energy_uj;
};
/* Returns the selected channel of the meter; otherwise the ADC; without an ADC, the meter's first
 * channel. */
struct mpj_run_power mpj_run_power(const struct mpj_run *run);
/* Selects a channel of the meter as the run's power, instead of the ADC; "": the first one.
 * MPJ_E_USAGE: no channel of that name; MPJ_E_LOG: there is no meter, or the run was not found in
 * its readings. */
int mpj_run_choose_meter(struct mpj_run *run, const char *channel, struct mpj_err *err);
/* Returns the increase of the run's time over the bare run, in per cent; NAN: unknown. */
double mpj_run_overhead(const struct mpj_run *run);
/* Returns the count of the event `name` on core `index`; absent when not counted. name: a PMU
 * event. */
struct mpj_value mpj_core_value(const struct mpj_core_result *core, const char *name);

#endif
