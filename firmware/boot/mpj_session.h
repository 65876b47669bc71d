/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session with the host: handshake, end of the run, reset. */
#ifndef MPJ_SESSION_H
#define MPJ_SESSION_H

#include <stdbool.h>

#include "mpj_records.h"

struct mpj_session {
    struct mpj_config_rec config;
    struct mpj_rotation_rec rotation; /* count 0: none */
    int argc;
    char **argv;  /* argc + 1 pointers, the last NULL */
    char **envp;  /* ends with NULL */
    bool guarded; /* the resident loader left its watchdog running */
};

/* Says HELLO until the host sends START; fills *s (its strings live for the run). Ends the run
 * itself when START does not make sense. Core 0. */
void mpj_session_open(struct mpj_session *s, unsigned cores);

/* True once the host listens: from the end of mpj_session_open() on. Any context, also before .bss
 * is zeroed. */
bool mpj_session_is_open(void);

/* The program's name, argv[0] without folders; any context after mpj_session_open(). */
const char *mpj_session_program(void);

/* Sends END and resets the board. Thread context, monitors stopped, records sent. */
_Noreturn void mpj_session_end(int exit_status, enum mpj_end_reason reason);

/* From the fault handler: sends the record and END, resets. */
_Noreturn void mpj_session_fault(const struct mpj_fault *f);
_Noreturn void mpj_session_error(const struct mpj_error_rec *e);

/* Asks for the reset until it comes. */
_Noreturn void mpj_session_reset(void);

#endif
