/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks what mpjoule needs on this machine, with a remedy for what is missing. */
#ifndef RUN_DOCTOR_H
#define RUN_DOCTOR_H

#include <stdbool.h>

#include "base/errors.h"

enum run_finding {
    RUN_OK,
    RUN_NOTE,    /* works without, or is for some uses only */
    RUN_MISSING, /* programs are not built or not run */
};

struct run_check {
    enum run_finding finding;
    const char *what;  /* "compiler" */
    const char *found; /* one line: what was found, or what is wrong */
    const char *mend;  /* the next step; NULL when there is none to take */
};

/*
 * Checks the files of this installation and variables that name others, the compiler, the C
 * library, the emulator (a small program is built and run on it), the debugger, folders, the list
 * of boards and serial ports; row() is called for each, in this order; its strings last for the
 * call. Takes a few seconds; creates files in a temporary folder only.
 *
 * MPJ_E_OK, whatever was found, which only row() reports; MPJ_E_NOMEM.
 */
int run_doctor(void (*row)(void *ctx, const struct run_check *check), void *ctx,
               struct mpj_err *err);

#endif
