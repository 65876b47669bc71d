/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One execution of a program on a target, into a raw log: the only way there is. */
#ifndef RUN_RECIPE_H
#define RUN_RECIPE_H

#include "mpj_image.h"
#include "mpj_loader.h"
#include "mpj_session.h"
#include "mpj_target.h"
#include "run/target.h"

struct run_recipe {
    const struct run_target *target;
    const struct mpj_image *image;
    const char *elf;
    const char *program;             /* its label in the log; NULL: argv[0] */
    const char *const *argv;         /* NULL-terminated, argv[0] first */
    const char *const *envp;         /* NULL-terminated; NULL: none */
    const char *dir, *input;         /* the program's files and stdin, as in mpj_io.h; NULL: none */
    bool out_terminal, err_terminal; /* what isatty() says of the program's stdout and stderr */
    const char *log, *errors; /* files that are made: the raw log, and what the emulator prints if
                                 it prints something; errors NULL: not kept */
    struct mpj_log **held;    /* the log does not take its place but is handed over, closed, for
                                 mpj_log_release(); NULL: it does. *held: the log, created before,
                                 or NULL: it is created */
    uint32_t quantum;         /* cycles */
    uint64_t seed;
    struct mpj_emulator_profile profile;    /* of the emulator */
    const struct mpj_emulator_bound *bound; /* likewise; NULL with bounds 0 */
    unsigned bounds;
    unsigned gdb;               /* likewise: port on which it waits for a debugger; 0: none */
    const char *const *what_if; /* likewise; NULL with what_ifs 0 */
    unsigned what_ifs;
    double planned_s; /* of a recording, a label in the log; 0: none */

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

/* Returns a recipe of what the options say: program, arguments, environment, files, timeout, seed,
 * quantum, and a configuration with the settings, for session 1 with file I/O. The rest is zero.
 * Arguments are borrowed. */
struct run_recipe run_recipe_of(const struct run_options *o, const struct run_target *target,
                                const struct mpj_image *image);

/*
 * Makes the log, its labels, the target; loads the program, runs it to its end, closes the log.
 * *made is set when this run's log is in its place, whatever became of the run; otherwise an older
 * recording is there: nothing was recorded, or it could not be. MPJ_E_OK when the program ended by
 * itself and everything is recorded; *out has its exit status.
 */
int run_recipe_make(const struct run_recipe *r, struct mpj_session_result *out, bool *made,
                    struct mpj_err *err);

/* Name of the file that grows while an emulator runs; allocated, NULL: out of memory. */
char *run_errors_new(const char *errors);
/*
 * What the emulator of a run has printed takes its place: with the run's log (take), or where no
 * older one exists. Empty, it is removed, and the older one too if take. Called when a held log is
 * released; run_recipe_make() does it for all others. errors: as in the recipe, or NULL.
 */
void run_errors_settle(const char *errors, bool take);

/* A failure of the infrastructure, which says nothing about the program: it may be repeated. */
bool run_may_retry(int code);

#endif
