/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of a run: the program, the target, how it is measured, where the results go. */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "hil/plan.h"
#include "hil/target.h"
#include "mpj_settings.h"
#include "mpj_trace_records.h"
#include "tile_limits.h"

#define RUN_ENV_MAX          64
#define RUN_ARGS_MAX         512
#define RUN_NAMES_MAX        256   /* of functions in a filter, of each kind */
#define RUN_EMULATOR         "sim" /* the emulator's name as a target */
#define RUN_WHAT_IFS_MAX     32    /* costs that are changed */
#define RUN_STATUS_BOUND     123 /* exit status of `mpjoule run` that reached a --bound; others: */
#define RUN_STATUS_NO_PORT   117
#define RUN_STATUS_NO_ANSWER 118
#define RUN_STATUS_IDENTITY  119
#define RUN_STATUS_LINK      120
#define RUN_STATUS_FLASH     121
#define RUN_STATUS_FAILURE   125
#define RUN_NO_MODEL         "none" /* the calibration that is none: any QEMU, nothing measured */

/* Options of `mpjoule run` that a sweep, a tune and an explorer hand on, in addition to settings
 * (mpj_settings.h): X(identifier, name, argument). */
#define RUN_HANDED_ON(X)                                                                           \
    X(calibration, "calibration", "NAME")                                                          \
    X(quantum, "quantum", "CYCLES")                                                                \
    X(seed, "seed", "N")                                                                           \
    X(timeout, "timeout", "S")                                                                     \
    X(input, "stdin", "FILE")

#define RUN_SETTING_MEMBER(kind, option, ...) uint32_t option;
/* Strings are the caller's and outlive the run. Zero or NULL where nothing is said. */
struct run_options {
    const char *target;      /* RUN_EMULATOR, a board's id, or a port's path */
    const char *boards;      /* list of boards; NULL: the usual one */
    const char *kind;        /* of the emulated board that our own programs run on; NULL: default */
    unsigned wait_s;         /* for a board that another process holds */
    const char *calibration; /* name or file; NULL: the board's, or TILE_CALIBRATION_DEFAULT */
    uint32_t quantum;        /* cycles */
    uint64_t seed;
    unsigned timeout_s;  /* host's clock; 0: no limit */
    bool patient;        /* 0 was requested: a target may take any time to begin as well */
    uint32_t cores_mask; /* bit i: core i is in use; 0: all that the board has */

    struct mpj_selection selection; /* events to count */
    bool events;                    /* some are named */
    const char *predictor;          /* of the controller of regions; NULL: the target's */
    const char *predictor_of;       /* calibration that it was trained for; NULL: the target's */
    const char *model; /* energy model; NULL: the default one if its events are counted */
    MPJ_SETTINGS_ALL(RUN_SETTING_MEMBER) /* sample_us, ...: mpj_settings.h */
    bool rotate;                         /* core events are multiplexed within a run ... */
    uint32_t rotate_ms;                  /* ... each pair for this time; 0: at each ADC sample */
    bool no_threads;                     /* no accounting of threads */
    bool no_counters;                    /* leave the monitors off */
    struct mpj_trace_config trace; /* what is looked at inside the program; flags 0: nothing */
    const char *only[RUN_NAMES_MAX],
        *without[RUN_NAMES_MAX];     /* as in report/choose.h: functions ... */
    unsigned onlys, withouts, depth; /* ... that are measured; 0: all */
    bool functions;                  /* truth of functions, in the emulator */
    bool moments;                    /* ... and when threads ran and waited */
    bool instructions;               /* executions and costs of each instruction, in the emulator */
    uint32_t wave_us;                /* step of the power waveform, in the emulator; 0: none */
    struct mpj_emulator_bound bound[TILE_BOUNDS_MAX]; /* the run ends there, in the emulator */
    unsigned bounds;
    const char *meter; /* command of an external power meter; NULL: the board's; "": none */
    const char *gdb;   /* socket for a debugger, in the emulator; NULL: none */
    const char *what_if[RUN_WHAT_IFS_MAX]; /* costs that are changed, in the emulator */
    unsigned what_ifs;
    bool overhead; /* once more without any profiling, to compare */

    unsigned jobs;    /* at a time; 0: one per processor */
    unsigned retries; /* of a pass, after a fault of the infrastructure */

    const char *elf;
    const char *argv[RUN_ARGS_MAX]; /* NULL-terminated, argv[0] first */
    unsigned argc;
    const char *envp[RUN_ENV_MAX + 1];
    unsigned envc;
    const char *dir;                 /* folder of the program's files; NULL: none */
    const char *input;               /* file of its stdin; NULL: empty */
    bool out_terminal, err_terminal; /* what isatty() says of the program's stdout and stderr */
    const char *store;               /* or log, of a recording and a self-test */
};
#undef RUN_SETTING_MEMBER

#endif
