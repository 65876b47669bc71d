/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views of a run, as text for people and as JSON (docs/mpjoule-run.schema.json). */
#ifndef MPJ_REPORT_H
#define MPJ_REPORT_H

#include <stdio.h>

#include "mpj_run.h"

enum mpj_view {
    MPJ_VIEW_SUMMARY,  /* what a person wants to know first */
    MPJ_VIEW_CORES,    /* every counted event, per core and of the chip */
    MPJ_VIEW_THREADS,  /* life, run, block, other, cores, events and energy of each thread */
    MPJ_VIEW_SYNC,     /* who waits for whom, where, how long */
    MPJ_VIEW_REGIONS,  /* OpenMP constructs and the serial part */
    MPJ_VIEW_TIMELINE, /* threads over time, degree of parallelism */
};

/* Writes the view. MPJ_E_IO when the stream does not take it. */
int mpj_report_text(const struct mpj_run *run, enum mpj_view view, FILE *out, struct mpj_err *err);

/*
 * Writes "mpjoule-run/1": the whole run whatever the view, the same bytes for the same
 * store on every machine. Integers are exact; other numbers have 12 significant digits.
 */
int mpj_report_json(const struct mpj_run *run, FILE *out, struct mpj_err *err);

/* A table of the run (views cores, threads, sync, regions, timeline) as comma-separated values with
 * a head line. MPJ_E_USAGE for another view. */
int mpj_report_csv(const struct mpj_run *run, enum mpj_view view, FILE *out, struct mpj_err *err);

/* PerfSuite-like XML: folder/thread.ID.xml, and folder/region.N.thread.ID.xml (region 0: the serial
 * part). Makes the folder. */
int mpj_report_xml(const struct mpj_run *run, const char *folder, struct mpj_err *err);

/* Registers and call chain of a fault, or who waits for what in a deadlock, for people; nothing
 * when there was neither. */
void mpj_report_fault(const struct mpj_run *run, FILE *out);

#endif
