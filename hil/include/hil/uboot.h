/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts a board from the prompt of U-Boot, on the serial line of the later session: finds the
 * prompt, uploads the program into RAM, compares checksums, starts it. Every function waits.
 */
#ifndef HIL_UBOOT_H
#define HIL_UBOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errors.h"
#include "hil/loader.h"
#include "hil/target.h"

/* Settings of the list of boards (key `uboot`). NULL and 0: the default. */
struct mpj_uboot {
    char *prompt;    /* "=> " */
    char *stop_when; /* text in the boot log after which stop_keys are sent ("autoboot");
                        MPJ_UBOOT_ALWAYS: ten times a second until the prompt is there */
    char *stop_keys; /* " " */
    char *transfer;  /* MPJ_UBOOT_LOADY, ..._LOADB or ..._TFTP; NULL: loady */
    char *folder;    /* tftp: where the server looks for files; it is written to */
    char *before;    /* commands to execute before the upload; NULL: none */
    uint32_t wait_s; /* how long to wait for the prompt: 60 */
    bool fresh;      /* executes U-Boot's `reset` before each program */
    bool unverified; /* does not compare checksums */
};

#define MPJ_UBOOT_ALWAYS "always"
#define MPJ_UBOOT_LOADY  "loady"
#define MPJ_UBOOT_LOADB  "loadb"
#define MPJ_UBOOT_TFTP   "tftp"

struct mpj_uboot_start {
    const struct mpj_uboot *settings;
    const struct mpj_content *program; /* of mpj_content_read_ram() */
    mpj_loader_progress_fn progress;   /* NULL: none; only phase 'u' */
    void *progress_ctx;
    bool (*cancelled)(void *ctx); /* asked while waiting; NULL: never */
    void *ctx;
};

/*
 * Opens the target and starts the program on it. If no prompt answers within 1.5 s, the target's
 * restart command is executed. Afterwards the target is open and the line is the program's, for
 * mpj_session_run(). On an error the target is closed: MPJ_E_NO_ANSWER (no prompt in time; the text
 * has what came instead), MPJ_E_LINK (interrupted transfer, other checksum, damaged commands),
 * MPJ_E_TARGET (U-Boot lacks a command, or this machine the program that sends), MPJ_E_CANCELLED,
 * MPJ_E_IO.
 */
int mpj_uboot_boot(struct mpj_target *t, const struct mpj_uboot_start *s, struct mpj_err *err);

#endif
