/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views of a run, and the formats they are written in. A view is a file of report/view, a format
 * one of report/export; each is one row of a table (view/views.c, export/exporters.c). */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "report/groups.h"
#include "report/run.h"

struct mpj_view;

/* The subject and options of a report. */
struct mpj_report {
    const struct mpj_view *view;
    const char *file;               /* store or raw log, for views that need the file */
    const char *name;               /* the user's name for it, for commands to type; NULL: file */
    const struct mpj_run *run;      /* for the other views */
    struct mpj_group *const *group; /* counter groups, for views that need them */
    unsigned groups;
    const char *folder;          /* for formats of several files; created if missing */
    const char *store;           /* for views and formats of moments and of power over time */
    const char *elf;             /* the program that was run, for formats of code; NULL: ... */
    const char *no_elf;          /* ... why there is none, and what to do; NULL: unknown */
    enum mpj_prof_source source; /* of the moments; MPJ_PROF_SOURCES: the first there is */
    const char *sort;            /* as mpj_profile_sort() takes it; NULL: the default */
    bool details;                /* with the components of combined figures */
    int top;                     /* rows of a table; 0: all; negative: the view's default */
};

/* Writes a report. Errors of the stream are checked by the caller. */
typedef int mpj_report_put(const struct mpj_report *r, FILE *out, struct mpj_err *err);

enum mpj_view_needs {
    MPJ_NEEDS_RUN,
    MPJ_NEEDS_GROUPS,  /* the run, and counter groups */
    MPJ_NEEDS_FILE,    /* the file, read sample by sample, of any length */
    MPJ_NEEDS_PROFILE, /* the run with its profile of functions */
    MPJ_NEEDS_MOMENTS, /* the run and its store */
};

struct mpj_view {
    const char *name;
    enum mpj_view_needs needs;
    /* NULL: not in that format. json: for a view that needs the run or its profile, the whole run
     * is written. */
    mpj_report_put *text, *csv, *json;
};

struct mpj_exporter {
    const char *name;
    const char *extension; /* of the files it creates */
    /* Returns the writer of a view in this format; NULL: not supported. */
    mpj_report_put *(*put_of)(const struct mpj_view *view);
    bool folder; /* it creates files in a folder, and writes nothing to the stream */
    bool code;   /* it shows code, if it has the program */
};

#define MPJ_VIEW_SUMMARY   "summary" /* overview; the default view */
#define MPJ_FORMAT_TEXT    "text"    /* the default format */
#define MPJ_VIEW_NAMES_MAX 240U

/* Returns the view of that exact name. NULL for an unknown one: MPJ_E_USAGE, and the line lists the
 * known ones. */
const struct mpj_view *mpj_view_find(const char *name, struct mpj_err *err);
const struct mpj_exporter *mpj_exporter_find(const char *name, struct mpj_err *err);
/* Writes all names, separated by ", "; the first, which is the default, is followed by `mark`. */
void mpj_view_names(char out[MPJ_VIEW_NAMES_MAX], const char *mark);
void mpj_exporter_names(char out[MPJ_VIEW_NAMES_MAX], const char *mark);

/* Writes r->view. MPJ_E_USAGE when it is not available in that format, MPJ_E_IO when writing to the
 * stream or the folder fails. */
int mpj_report_show(const struct mpj_report *r, const struct mpj_exporter *as, FILE *out,
                    struct mpj_err *err);
/* Writes a view of a run, both given by names, for formats that are one stream. */
int mpj_report_run(const struct mpj_run *run, const char *view, const char *format, FILE *out,
                   struct mpj_err *err);
/* Writes a view of a run as text. */
int mpj_report_text(const struct mpj_run *run, const char *view, FILE *out, struct mpj_err *err);

/*
 * Writes "mpjoule-run/1": the whole run whatever the view, the same bytes for the same
 * store on every machine. Integers are exact; other numbers have 12 significant digits.
 */
int mpj_report_json(const struct mpj_run *run, FILE *out, struct mpj_err *err);

/* Writes PerfSuite-like XML: folder/thread.ID.xml, and folder/region.N.thread.ID.xml (region 0: the
 * serial part). Creates the folder. */
int mpj_report_xml(const struct mpj_run *run, const char *folder, struct mpj_err *err);

/* Writes registers and call chain of a fault, or the waits of the threads in a deadlock, as text;
 * nothing when the run had neither. */
void mpj_report_fault(const struct mpj_run *run, FILE *out);

#endif
