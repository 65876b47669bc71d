/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One execution of a program on a target, into a raw log: the only way there is. */
#ifndef RUN_RECIPE_H
#define RUN_RECIPE_H

#include "hil/image.h"
#include "hil/loader.h"
#include "hil/session.h"
#include "hil/target.h"
#include "run/run_target.h"

/* Files that a run creates; during the run, log and errors are NAME.new. */
struct run_files {
    const char *log, *errors; /* of a result: the raw log, and the emulator's output if it prints
                                 something; errors NULL: not kept */
    const char *failed, *failed_errors; /* of an attempt that is not a result; NULL: not kept */
};

struct run_recipe {
    const struct run_target *target;
    const struct mpj_image *image;
    const char *elf;
    const char *program; /* its label in the log; NULL: argv[0] */
    const struct run_options
        *given;              /* the log says all of it (report/given.h); NULL: it does not */
    const char *const *argv; /* NULL-terminated, argv[0] first */
    const char *const *envp; /* NULL-terminated; NULL: none */
    const char *dir, *input; /* the program's files and stdin, as in hil/io.h; NULL: none */
    bool out_terminal, err_terminal; /* what isatty() says of the program's stdout and stderr */
    struct run_files files;
    struct mpj_log **held; /* the log is not renamed into place but is handed over, ended, for
                              run_commit(); NULL: it does. *held: the log, created before, or NULL:
                              it is created */
    uint32_t quantum;      /* cycles */
    uint64_t seed;
    struct mpj_emulator_profile profile;    /* of the emulator */
    const struct mpj_emulator_bound *bound; /* likewise; NULL with bounds 0 */
    unsigned bounds;
    const char *gdb;            /* likewise: socket on which it waits for a debugger; NULL: none */
    const char *const *what_if; /* likewise; NULL with what_ifs 0 */
    unsigned what_ifs;
    double planned_s; /* of a recording, a label in the log; 0: none */
    bool lost;        /* the attempt before lost the board: it is switched off and on first */

    /* config, rotation, timeout, callbacks and what they need; the rest is filled in. */
    struct mpj_session_opts session;
    /* Ends the upload into a board; NULL: session.cancelled. Called with session.ctx. */
    bool (*load_cancelled)(void *ctx);
    mpj_loader_progress_fn upload; /* progress of that upload; NULL: not wanted */
    void *upload_ctx;
    /* The last word on how it ended, before the log is closed with it: changes *err, returns the
     * code; err->text is "" when all went well. Called with session.ctx. NULL: as it is. */
    int (*outcome)(void *ctx, int code, struct mpj_err *err);
};

/* In a message about a failed attempt: the name of its file follows. */
#define RUN_KEPT_IN "; what was measured is in "

/* Appends it and the path to the message, which is cut if there is no space. */
void run_say_kept(struct mpj_err *err, const char *path);

/* The files that exist of a run. */
enum run_made {
    RUN_MADE_NOTHING,
    RUN_MADE_FAILED, /* an attempt: the recording is at files.failed, and what was at files.log
                        before still is */
    RUN_MADE_WHOLE,  /* a result, at files.log */
};

/* Returns a recipe of what the options say: program, arguments, environment, files, timeout, seed,
 * quantum, and a configuration with the settings, for session 1 with file I/O. The rest is zero.
 * Arguments are borrowed. */
struct run_recipe run_recipe_of(const struct run_options *o, const struct run_target *target,
                                const struct mpj_image *image);

/*
 * Makes the log, its labels, the target; loads the program, runs it to its end, closes the log.
 * A result is a run that the program ended, well or with a fault, a deadlock or another error of
 * its own, or that reached its bound, and whose log is whole. All else (a signal, --timeout, a lost
 * link, a target that does not start or cannot measure, a full disk) is a failed attempt. *made:
 * what there is now; of a held log, what it is to become. MPJ_E_OK when the program ended by itself
 * and everything is recorded; *out has its exit status.
 */
int run_recipe_make(const struct run_recipe *r, struct mpj_session_result *out, enum run_made *made,
                    struct mpj_err *err);
/*
 * Commits a held log, which may be NULL, and the emulator's output: renames them to log and errors
 * (take), or to failed and failed_errors. Returns what exists then. RUN_MADE_FAILED or
 * RUN_MADE_NOTHING with take: *err has the reason.
 */
enum run_made run_commit(struct mpj_log *log, const struct run_files *f, bool take,
                         struct mpj_err *err);
/* Creates the log; one that a killed process left is first kept as a failed attempt. */
int run_open_log(struct mpj_log **log, const struct run_files *f, struct mpj_err *err);
/* The file's name for a failed attempt: NAME.failed.mpj of NAME.mpj, of .mplog, of .emulator.log,
 * of .json; NAME.failed otherwise. Allocated, NULL: out of memory. */
char *run_failed_name(const char *path);
/* Checks the name that a user gives a store or a log: MPJ_E_USAGE when it is stdout's, "-", or that
 * of a failed attempt, which the next one would replace. */
int run_name_check(const char *path, struct mpj_err *err);

/* Name of the file that grows while an emulator runs; allocated, NULL: out of memory. */
char *run_errors_new(const char *errors);
/* A failure of the infrastructure, which says nothing about the program: it may be repeated. */
bool run_may_retry(int code);
/* A failure that leaves the board in an unknown state. */
bool run_lost_board(int code);

#endif
