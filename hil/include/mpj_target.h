/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Something that runs firmware and has a serial line: the emulator now, boards later.
 * A session (mpj_session.h) drives it; nothing above knows which kind it is.
 */
#ifndef MPJ_TARGET_H
#define MPJ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpj_err.h"

struct mpj_target;

/* What a kind of target provides. Every target structure begins with struct mpj_target. */
struct mpj_target_ops {
    /* Starts the target with its program; returns a non-blocking descriptor of the line. */
    int (*open)(struct mpj_target *t, struct mpj_err *err);
    /* The line broke: says why in *err, as far as the target knows. */
    int (*lost)(struct mpj_target *t, struct mpj_err *err);
    /* Ends the target. graceful: the session is over, let it finish by itself first. */
    int (*close)(struct mpj_target *t, bool graceful, struct mpj_err *err);
    /* What the target knows better than the firmware, after close; NULL: nothing. */
    const char *(*truth)(struct mpj_target *t, size_t *len);
    void (*free)(struct mpj_target *t);
};

struct mpj_target {
    const struct mpj_target_ops *ops;
    const char *name; /* for results: "sim", or the board's id */
};

/* Frees a target of any kind (closing it first if need be); NULL is fine. */
void mpj_target_free(struct mpj_target *t);

struct mpj_sim_options {
    const char *qemu;        /* path of our emulator */
    const char *elf;         /* program */
    const char *calibration; /* path of the calibration file; NULL: no chip model, any QEMU */
    const char *errors;      /* file that receives what the emulator prints */
    uint32_t quantum;        /* cycles; 0: the emulator's default */
    uint64_t seed;
    const char *machine; /* more machine properties, "name=value,..."; NULL: none */
    const char *extra;   /* more arguments, separated by spaces; NULL: none */
};

/* The emulator. Strings are copied. Nothing is started before open. */
int mpj_sim_new(struct mpj_target **out, const struct mpj_sim_options *opt, struct mpj_err *err);

#endif
