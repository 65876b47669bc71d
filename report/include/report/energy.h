/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording of the ADC: power, energy between marks, and the plausibility of the samples. Read
 * from a raw log, complete or truncated, or from a store; samples are processed one at a time, so
 * memory does not grow with the length of the recording (but with the number of its marks).
 */
#ifndef REPORT_ENERGY_H
#define REPORT_ENERGY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/machine.h"
#include "report/run.h"

#define MPJ_ENERGY_CHECKS 8U

#define MPJ_RAILS         TILE_POWER_MAX /* consumers at most; the first one is the processor */

struct mpj_energy_sample {
    uint64_t index;                      /* of the recording; a jump is a loss */
    double time_s;                       /* since the recording began */
    const struct mpj_supplies *supplies; /* the consumers */
    double v_uv[MPJ_RAILS], i_ua[MPJ_RAILS], power_uw[MPJ_RAILS];
    const char *phase; /* NULL: no mark yet */
};

/* From a mark to the next. */
struct mpj_energy_phase {
    char *name;    /* the mark's text; NULL: before the first mark */
    int64_t value; /* the mark's number */
    bool by_host;
    uint64_t begin, end; /* ticks */
    uint64_t samples;
    struct mpj_rail rail[MPJ_RAILS];
};

enum mpj_verdict { MPJ_CHECK_OK, MPJ_CHECK_DOUBT, MPJ_CHECK_BAD };

struct mpj_energy_check {
    const char *name;
    enum mpj_verdict verdict;
    char text[240];
};

struct mpj_energy {
    /* labels; NULL when the log does not say */
    char *target, *program, *arguments, *firmware_sha256, *calibration;
    double planned_s; /* 0: no planned end */
    uint32_t time_hz;
    double period_s;
    uint64_t begin, end; /* ticks since the target's reset */
    double time_s;
    bool ended;       /* the run ended by itself or on demand, and the log says so */
    bool closed;      /* the log has its closing frame */
    int outcome;      /* enum mpj_code in that frame */
    char *message;    /* NULL: none */
    size_t cut_bytes; /* of an incomplete frame, at the end */
    char *damage;     /* the reason why reading ended early; NULL: it did not */
    uint64_t dropped; /* records that the target had no memory for */
    uint64_t lost_frames;

    struct tile_machine machine;  /* the board */
    struct mpj_supplies supplies; /* the quantities of its channels */
    uint64_t samples, lost, doubled;
    struct mpj_rail rail[MPJ_RAILS];
    double power_min_uw[MPJ_RAILS], power_max_uw[MPJ_RAILS];
    unsigned phases;
    struct mpj_energy_phase *phase; /* by time */
    unsigned marks;                 /* phases that begin with one */
    unsigned checks;
    struct mpj_energy_check check[MPJ_ENERGY_CHECKS];
};

/* Receives a sample; a result other than MPJ_E_OK ends the reading. */
typedef int (*mpj_energy_take)(void *ctx, const struct mpj_energy_sample *s, struct mpj_err *err);

/* Reads a recording. path: a .mplog, or a store. take may be NULL. *out is NULL on error. */
int mpj_energy_load(struct mpj_energy **out, const char *path, mpj_energy_take take, void *ctx,
                    struct mpj_err *err);
void mpj_energy_free(struct mpj_energy *e);

/* Adds a check made by the caller, such as that of the clocks. format: as printf. */
__attribute__((format(printf, 4, 5))) void mpj_energy_add_check(struct mpj_energy *e,
                                                                const char *name,
                                                                enum mpj_verdict verdict,
                                                                const char *format, ...);

/* Writes a view; MPJ_E_IO when the stream fails. text: human-readable. json: "mpjoule-energy/1"
 * (docs/mpjoule-energy.schema.json). csv: a line for each phase, the last for the whole
 * recording. */
int mpj_energy_text(const struct mpj_energy *e, FILE *f, struct mpj_err *err);
int mpj_energy_json(const struct mpj_energy *e, FILE *f, struct mpj_err *err);
int mpj_energy_csv(const struct mpj_energy *e, FILE *f, struct mpj_err *err);
/* Writes every sample of the file, as CSV or "mpjoule-samples/1"; path as above. */
int mpj_energy_samples(const char *path, bool json, FILE *f, struct mpj_err *err);

#endif
