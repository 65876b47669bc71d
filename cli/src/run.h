/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between `mpjoule run`'s command line and the passes it makes. */
#ifndef RUN_H
#define RUN_H

#include <argp.h>
#include <stdio.h>

#include "mpj_board.h"
#include "mpj_groups.h"
#include "mpj_plan.h"
#include "mpj_session.h"
#include "tile_limits.h"

#define RUN_ENV_MAX     64
#define RUN_JOBS_MAX    64
#define RUN_GROUPS_MAX  8
#define RUN_NO_MODEL    "none"                   /* the calibration that is none */
#define RUN_CALIBRATION TILE_CALIBRATION_DEFAULT /* unless another is named */

#define RUN_SIM         "sim" /* the target that is the emulator */

struct options {
    const char *target;
    const char *boards;  /* list; NULL: the usual one */
    unsigned wait_s;     /* for a board somebody else has */
    unsigned retries;    /* of a pass, after a fault of the infrastructure */
    uint32_t cores_mask; /* bit i: core i is in use */
    struct mpj_wish wish;
    const char *model;                       /* NULL: the default one if its events are counted */
    struct mpj_group *group[RUN_GROUPS_MAX]; /* counter groups to count and to show */
    unsigned groups;
    uint32_t sample_us;
    bool rotate;        /* core events take turns within a run */
    uint32_t rotate_ms; /* 0: at each ADC sample */
    const char *calibration;
    uint32_t quantum;
    uint64_t seed;
    unsigned timeout_s;
    const char *json;
    const char *store;
    const char *dir;   /* folder of the program's files; NULL: none */
    const char *input; /* file of its stdin; NULL: empty */
    unsigned jobs;     /* 0: one per processor */
    bool compress;
    bool events;      /* some are named */
    bool no_threads;  /* no accounting of threads */
    bool no_counters; /* leave the monitors off */
    bool overhead;    /* once more without any profiling, to compare */
    bool quiet;
    const char *elf;
    const char *argv[RUN_ENV_MAX * 4];
    unsigned argc;
    const char *envp[RUN_ENV_MAX + 1];
    unsigned envc;
};

/* One execution of the program. */
struct pass {
    char *log;    /* raw log */
    char *errors; /* what the emulator prints */
    struct mpj_session_result result;
    int code; /* enum mpj_code, once it was made */
    bool made;
    bool bare; /* without any profiling: not part of the result, but compared with it */
    struct mpj_err err;
};

struct run {
    struct options o;
    struct mpj_image image;
    char *qemu, *calibration; /* paths; calibration NULL: no model */
    unsigned passes;
    struct pass *pass;
    struct mpj_boards *boards;     /* NULL: the emulator or a bare port */
    struct mpj_board port_board;   /* the board on a bare port */
    const struct mpj_board *board; /* NULL: the emulator */
    struct mpj_lock *lock;
    FILE *input; /* what a pipe said, for more than one pass; NULL: there is none */
    char input_path[32];
    int output; /* errno of the first write to stdout that failed; 0: none did */
};

/* Options for argp's children; their input is the struct options. Of the target: --boards, --wait,
 * --calibration, --seed, --timeout; of measuring: --target, --sample-ms, --quantum, --jobs; of the
 * program: --json, --env, --dir, --stdin, --compress, --quiet. */
extern const struct argp run_target_argp, run_measuring_argp, run_program_argp;

/* --rotate[=MS]; arg: NULL without MS. And what must hold of it when the sampling period is known:
 * events take turns when the ADC is read, each time or every few times. Errors end the command. */
void run_rotate(struct argp_state *state, struct options *o, const char *arg);
void run_rotate_end(struct argp_state *state, struct options *o);

/* The target the command line means: NULL board: the emulator. find: looks it up. take: takes a
 * board for ourselves. make: for one pass. */
static inline bool run_on_board(const struct run *r)
{
    return r->board != NULL;
}
int run_find_target(struct run *r, struct mpj_err *err);
int run_take_target(struct run *r, struct mpj_err *err);
int run_make_target(struct mpj_target **out, const struct run *r, const char *errors,
                    struct mpj_err *err);
/* A board that lives in its loader gets the program and starts it: the target is open then. Nothing
 * to do elsewhere. */
int run_load_target(const struct run *r, struct mpj_target *t, bool (*cancelled)(void *ctx),
                    void *ctx, struct mpj_err *err);
void run_release_target(struct run *r);
/* What is written down as the calibration: its name, of a file the base name; NULL: unknown. */
const char *run_calibration_name(const struct run *r);
/* Labels of the run into its log. */
int run_write_meta(struct mpj_log *log, const struct run *r, struct mpj_err *err);
/* A pipe can be read once: when there are more passes, or may be, its content is kept for them. */
int run_keep_input(struct run *r, struct mpj_err *err);
/* A failure that says nothing about the program. */
bool run_may_retry(int code);

/*
 * Makes all passes, several at a time; shows the output of the first and, on a terminal,
 * progress. *made: how many, from the first on, have a log. The first failure in the order of
 * the passes ends the run and is in *err.
 */
int run_passes(struct run *r, unsigned *made, struct mpj_err *err);

/* SIGPIPE is ignored while something is recorded, which must be closed in order. After restore it
 * is as it was before ignore: by default it ends the command without a word. */
void run_ignore_pipe(void);
void run_restore_pipe(void);
/* Ends the command as writing to a pipe that nobody reads ends others; comes back when our parent
 * ignores SIGPIPE. */
void run_end_unread(void);

#endif
