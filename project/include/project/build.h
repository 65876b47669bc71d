/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds another project by its own build system for the target, and runs its tests on the emulated
 * tile. Prints nothing.
 */
#ifndef PROJECT_BUILD_H
#define PROJECT_BUILD_H

#include <stdbool.h>

#include "base/errors.h"

#define RUN_BUILD_FOLDER "build-mpjoule" /* in the project, unless another one is named */

/* One execution of a program in the emulator. */
struct run_build_ran {
    char *text; /* program and arguments, paths of the build folder without it */
    int status; /* as a shell has it */
    bool measured;
    double time_s, energy_j; /* modelled, of the processor; 0 if not measured */
};

enum run_build_verdict { RUN_BUILD_PASSED, RUN_BUILD_FAILED, RUN_BUILD_SKIPPED };

/* A test of the project, as its build system names it, or `make TARGET` as a whole. */
struct run_build_test {
    char *name;
    enum run_build_verdict verdict;
    char *why; /* one line, if the build system reports more than the failure; NULL: nothing */
    struct run_build_ran *ran; /* in the order of their end */
    unsigned rans;
};

/* Zero-initialise, fill the first part. Strings are the caller's. */
struct run_build {
    const char *source;     /* the project's folder */
    const char *folder;     /* where it is built; NULL: RUN_BUILD_FOLDER in it */
    const char *system;     /* cmake, meson, autoconf, make; NULL: the first that is found */
    char *const *configure; /* options of its configure step, NULL-terminated; NULL: none */
    char *const *args;      /* targets and variables of its build step, NULL-terminated */
    unsigned jobs;          /* at a time; 0: one per processor */
    unsigned timeout_s;     /* of a program in the emulator, host's clock; 0: that of exec */
    bool no_tests;          /* build only */
    /* Called when a step begins: "configure", "build", "test". NULL: not wanted. */
    void (*step)(void *ctx, const char *name);
    void *ctx;

    /* Results. */
    const char *found;           /* name of the build system; NULL: none was found */
    char also[64];               /* others that were found, ", " between them; "": none */
    char *out;                   /* folder of the build, absolute */
    char *log;                   /* of the last step */
    struct run_build_test *test; /* in the order of the build system */
    unsigned tests;
    char nothing[96]; /* why there are no tests, if there are none */
};

/*
 * Configures, builds and tests, as far as that is not done yet; the build system decides what has
 * to be rebuilt. CMake and Meson build out of the tree, the others in a copy of it: the project's
 * own files are only read. Changes the environment of this process, on which the tools depend.
 *
 * MPJ_E_OK, also when tests failed. MPJ_E_USAGE: no build system, or a folder that cannot be used;
 * MPJ_E_TARGET: a tool is missing, or a step failed: the line has the first error and the path of
 * the log; MPJ_E_BUSY, MPJ_E_IO, MPJ_E_CANCELLED, MPJ_E_NOMEM. Free with run_build_free() in any
 * case.
 */
int run_build(struct run_build *b, struct mpj_err *err);
void run_build_free(struct run_build *b);

/* Variables that run_build() sets for `mpjoule exec`. */
#define RUN_BUILD_RECORDS "MPJOULE_RECORDS" /* folder of the records, one file a run */
#define RUN_BUILD_DRIVER  "MPJOULE_DRIVER"  /* process that starts the tests */
#define RUN_BUILD_ENVIRON                                                                          \
    "MPJOULE_ENVIRON"                 /* file: environment before the tests, NUL-separated         \
                                       */
#define RUN_BUILD_EXEC "MPJOULE_EXEC" /* mpjoule, for the preloaded library */

/*
 * Writes the record of a run into the folder: argv (program and arguments), its exit status, time
 * and energy of the store, and the command lines of the processes from it up to the driver.
 * MPJ_E_IO, MPJ_E_NOMEM.
 */
int run_build_record(const char *folder, char *const *argv, int status, const char *store,
                     struct mpj_err *err);

/*
 * Calls add for each variable that the tests of a project have set, in the order of their names:
 * those of environ that differ from the ones in the file of RUN_BUILD_ENVIRON, except those that
 * build systems set for themselves, and OMP_*, GOMP_* and MPJ_* in any case. If add returns true,
 * the search ends.
 */
void run_build_variables(bool (*add)(void *ctx, const char *variable), void *ctx);

#endif
