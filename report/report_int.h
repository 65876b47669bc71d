/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to report/. */
#ifndef REPORT_INT_H
#define REPORT_INT_H

#include <jansson.h>
#include <stdio.h>

#include "base/sql.h"
#include "report/report.h"
#include "report/run.h"

struct loader {
    sqlite3 *db;
    const char *path;
    unsigned version; /* of the store */
    struct mpj_run *run;
    bool begun;                  /* the first pass has a time_begin: ... */
    int64_t begin, end;          /* ... its ticks; end: of a partial run, as far as it is known */
    struct mpj_value *serial_ev; /* counts of the regions' serial part; NULL: no events */
    char meter[65];              /* RUN_METER_SUM; "": of a store without it */
    struct mpj_err *err;
};

/* The header that identifies a store. */
extern const struct mpj_sql_kind run_store_kind;
/* Opens a store for reading; MPJ_E_STORE when run_store_check() fails. A file that the calling
 * thread has checked and that has not been written since is not checked again. *db must be closed
 * in any case; version may be NULL. */
int run_store_open(sqlite3 **db, const char *path, unsigned *version, struct mpj_err *err);
/* Checks types, ranges and plausibility of all rows; MPJ_E_STORE with "PATH VERB: what". */
int run_store_check(sqlite3 *db, const char *path, const char *verb, unsigned version,
                    struct mpj_err *err);
/* Returns the row of mpj_event_table() of the event whose name is in a column; negative: no such
 * event, and the error names it. */
int run_event(const struct loader *l, sqlite3_stmt *s, int column);
/* Returns an event's value, scaled when it was counted for less than the length. */
struct mpj_value run_value(uint64_t value, double active, double length);

/* Returns the slot of a thread's or part's count of an event; NULL: it has no column. */
struct mpj_value *run_slot(const struct mpj_run *run, struct mpj_value *ev, int index);

/* Fills in what is known of a run that did not end. */
int run_partial(struct loader *l);
int run_load_marks(struct loader *l);
void run_free_marks(struct mpj_run *run);
/* Reads the external meter's power, if its file is next to the store; run->meter.problem has its
 * fault. MPJ_E_NOMEM. */
int run_load_meter(struct loader *l);
/* Read the thread profile; distribute the measured energy; free it. */
int run_load_threads(struct loader *l);
void run_attribute(struct mpj_run *run);
/* Key in `meta` of the time without profiling, s. */
#define RUN_BARE_TIME "bare_time_s"
/* Key in `meta` of the SHA-256 of the external meter's lines; "none": the run has no meter. */
#define RUN_METER_SUM "meter_sha256"
/* Writes a row of `meta` into a store that mpj_store_complete() has. */
int store_label(const char *path, const char *key, const char *value, struct mpj_err *err);
/* Stores a label of the store that concerns the run without profiling. */
void bare_label(struct mpj_run *run, const char *key, const char *value);
void run_free_threads(struct mpj_run *run);

/* Writes the thread profile into the JSON. */
struct json_out;
void json_threads(struct json_out *doc, const struct mpj_run *run);
/* Write what the run was given, and its marks. */
void json_given(json_t *root, const struct mpj_run *run);
/* Names the requested events that were not counted, if there are any. */
void json_uncounted(json_t *root, const struct mpj_run *run);
void json_marks(struct json_out *doc, const struct mpj_run *run);
/* Sets a field that is absent when the value is NAN. */
void json_energy(json_t *o, const char *key, double uj);
json_t *json_events(const struct mpj_value *ev, enum mpj_event_source source);
/* Writes the head of a text: what ran, where, how it ended; and parts of it. wrap: separates the
 * calibration from the target, a blank or a line's end and an indent; of: text after "passes". */
void text_head(const struct mpj_run *run, FILE *f);
void text_measured_on(const struct mpj_run *run, const char *wrap, FILE *f);
void text_time(const struct mpj_run *run, const char *of, FILE *f);
void text_outcome(const struct mpj_run *run, FILE *f);
/* Writes power and energy of a run without a sample of the ADC, by the emulator's truth. */
void text_true_energy(const struct mpj_run *run, const char *before, FILE *f);
/* Writes whether the model is within its stated error, after the difference from what was measured.
 * of: "the" or "the model's". */
void text_model_verdict(const struct mpj_run *run, const char *of, FILE *f);
/* Printed once for a run on a board without power channels. */
#define TEXT_NO_POWER                                                                              \
    "Energy       not measured here: the board has no power channels (--model, meter:)"
/* Writes a warning when the calibration's equation was used outside its range. */
void text_bound(const struct mpj_run *run, FILE *f);
/* Reads the metrics of the summary; *out is to be freed. */
int text_metrics(struct mpj_group **out, struct mpj_err *err);
/* Writes the summary with all its tables. */
int text_details(const struct mpj_run *run, FILE *out, struct mpj_err *err);
/* Writes the head of a view of threads; false: there are no threads, and a line reports it. */
bool text_begin_threads(const struct mpj_report *r, FILE *f);
/* Formats a thread: "2 worker", "-" for 0. Returns text. */
const char *text_thread(const struct mpj_run *run, uint32_t id, char *text, size_t size);
/* Compares pointers to regions, for qsort(3): the most expensive first. */
int text_by_region_cost(const void *a, const void *b);
/* Writes the threads of a run that did not end, by the emulator's truth; nothing without it. */
void text_partial_threads(const struct mpj_run *run, FILE *f);
/* Writes life, timeline and parallelism of the threads; nothing for a single thread. */
void text_threads(const struct mpj_run *run, FILE *f);
/* Writes the peak use of heap and of the deepest `rows` stacks; nothing if it is unknown. */
void text_memory(const struct mpj_run *run, unsigned rows, FILE *f);

/* Formats 1234567 as 1,234,567. */
#define TEXT_DIGITS 40
void text_digits(char out[TEXT_DIGITS], uint64_t v);
/* Writes the most expensive functions, at the end of a summary; nothing without a profile. */
int profile_summary(const struct mpj_run *run, FILE *f, struct mpj_err *err);
/* Writes functions and the profile they are from into the JSON; nothing without a profile. */
int json_functions(struct json_out *doc, const struct mpj_run *run, struct mpj_err *err);
/* Writes call paths of its profile likewise. */
void json_paths(struct json_out *doc, const struct mpj_profile *p);
/* Writes mpj_report_json(), with call paths if there are any and they are requested. */
int json_run(const struct mpj_run *run, bool paths, FILE *out, struct mpj_err *err);

/* Appends a name to a list; mark follows the first. */
void report_add_name(char out[MPJ_VIEW_NAMES_MAX], const char *name, const char *mark);

/* Write tables of views as CSV, with a head line. */
mpj_report_put csv_cores, csv_threads, csv_sync, csv_regions, csv_timeline, csv_groups;

/* Returns the thread of that id; NULL: no such thread. */
struct mpj_thread_result *run_thread(const struct mpj_run *run, uint32_t id);

/* Counter multiplexing. Sums over the turns in which an event was counted: cycles, counts, squares
 * and products. */
struct rotation_sums {
    double turns, c, x, cc, xc, xx;
};
/* Returns one standard error of the scaled value, relative to it; NAN: unknown. */
double rotation_error(const struct rotation_sums *s, double coverage);
/* Sets the errors of the values of cores and threads, once these are read. */
int rotation_load(struct loader *l);
/* True if any event is an estimate; writes the section about them, if so; writes coverage and
 * error_percent of a core, thread or region into its JSON, if so. */
bool rotation_present(const struct mpj_run *run);
void rotation_text(const struct mpj_run *run, FILE *f);
void rotation_json(json_t *o, const struct mpj_value *ev);

/* Fills run->truth from the emulator's "mpjoule-truth/1" text. */
int truth_parse(struct mpj_run *run, const char *json, struct mpj_err *err);

/* Returns the text of a deadlock's error record with a name after each address: variables, and
 * function and line of the calls. s may be NULL. malloc()ed; NULL: out of memory. */
struct mpj_symbols;
char *mpj_deadlock_names(struct mpj_symbols *s, const char *text);

#endif
