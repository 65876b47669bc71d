/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends a file over a target's line by a program of the distribution (sb, gkermit). */
#ifndef UBOOT_SEND_H
#define UBOOT_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "hil/target.h"

struct uboot_send {
    struct mpj_target *target;
    int fd;                  /* of its line */
    const char *const *argv; /* argv[0] is looked up in PATH */
    const char *package;     /* of the distribution, which has argv[0] */
    const char *messages;    /* file for the program's output */
    bool (*cancelled)(void *ctx);
    void (*sent)(void *ctx, uint64_t bytes); /* given to the line so far; NULL: not wanted */
    void *ctx;
};

/*
 * Runs the program with the line as its stdin and stdout until it ends, or nothing has moved for
 * 30 s. MPJ_E_OK: it reports success. MPJ_E_LINK: it failed, *bytes were given to the line;
 * MPJ_E_TARGET: it is not installed; MPJ_E_CANCELLED, MPJ_E_IO.
 */
int uboot_send(const struct uboot_send *s, uint64_t *bytes, struct mpj_err *err);

#endif
