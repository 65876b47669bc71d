/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of project/build.h. */
#ifndef BUILD_INT_H
#define BUILD_INT_H

#include <jansson.h>

#include "project/build.h"
#include "run/cache.h"

#define BUILD_STATE ".mpjoule" /* in the folder of a build: logs, records, links to the tools */
#define BUILD_HOST  "arm-none-eabi"

struct build_system;

/* A build in progress. */
struct build {
    struct run_build *o;
    const struct build_system *system;
    char *source, *out, *state; /* absolute */
    char *firmware;             /* folder of the runtime's files */
    unsigned jobs;
};

struct build_system {
    const char *name;
    const char *const *marks; /* files of which one is in the project; NULL-terminated */
    const char *const *tools; /* programs it needs; NULL-terminated */
    bool copied;              /* it is built in a copy of the tree */
    /* Adds the command that configures, in the folder of the build; NULL: there is no such step. */
    void (*configure)(const struct build *b, struct run_words *w);
    void (*make)(const struct build *b, struct run_words *w);
    /* Runs the tests and fills o->test; codes of run_build(). */
    int (*test)(struct build *b, struct mpj_err *err);
};

/* Finds the system of that name, or the first whose mark is in the folder; the others' names in
 * o->also. NULL and err. */
const struct build_system *build_system_find(struct run_build *o, const char *source,
                                             struct mpj_err *err);
/* True if the folder has a file or folder of the name. */
bool build_has(const char *folder, const char *name);

/* Copies what is new or changed in the project into the folder of the build, except the latter,
 * version control and what builds for this machine have left, and removes there what is no longer
 * in the project. */
int build_copy(const struct build *b, struct mpj_err *err);
/* Removes all that is in the folder except BUILD_STATE. */
int build_clear(const char *folder, struct mpj_err *err);

/*
 * Runs a command in the folder of the build, its output in STATE/STEP.log, which becomes o->log.
 * *status: as a shell reports it. The driver of the records is this command.
 */
int build_command(struct build *b, const char *step, const struct run_words *w, int *status,
                  struct mpj_err *err);
/* Sets err to the failure of the step: first error in the log, and the log's path. */
int build_failed(const struct build *b, const char *what, int status, struct mpj_err *err);

/* Begins a test phase: no records, variables of today. Codes of run_build(). */
int build_records_begin(const struct build *b, struct mpj_err *err);
/* Reads all records, in the order of their end, as an array of objects. NULL and err. */
json_t *build_records(const struct build *b, struct mpj_err *err);
/* Adds a last test and returns it; NULL: no memory. */
struct run_build_test *build_test_add(struct build *b, const char *name,
                                      enum run_build_verdict verdict, const char *why);
/* Gives a record to a test; false: no memory. */
bool build_test_ran(const struct build *b, struct run_build_test *t, const json_t *record);
/* Returns how well a record matches a test with this command line: its driver has started it. */
bool build_record_of_command(const json_t *record, const json_t *command);
/* Returns how well a record matches a test that automake's driver calls NAME. */
bool build_record_of_name(const json_t *record, const char *name);

/* Run the tests of each system: build_tests.c */
int build_test_cmake(struct build *b, struct mpj_err *err);
int build_test_meson(struct build *b, struct mpj_err *err);
int build_test_make(struct build *b, struct mpj_err *err);
/* Adds make, and for a project without configure the target's tools. */
void build_make_words(const struct build *b, struct run_words *w);

#endif
