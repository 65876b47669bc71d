/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links a program with its functions and data elsewhere: shows how much of a figure is layout
 * noise. */
#ifndef CC_LAYOUT_H
#define CC_LAYOUT_H

#include "base/errors.h"
#include "base/tempdir.h"

#define CC_LAYOUT      "--layout="
#define CC_LAYOUT_ARGS 6U
#define CC_LAYOUT_MAX  1000000U

struct cc_layout {
    struct mpj_tempdir folder;
    unsigned args;
    char *arg[CC_LAYOUT_ARGS]; /* of the compiler */
};

/*
 * Creates the options for a layout; number: 0 (the usual order) to CC_LAYOUT_MAX, the same number
 * gives the same layout. firmware: the runtime's folder. l is zero-initialised; call once.
 * MPJ_E_USAGE, MPJ_E_IO, MPJ_E_NOMEM. Free after the linker has ended, also after an error.
 */
int cc_layout_make(struct cc_layout *l, const char *number, const char *firmware,
                   struct mpj_err *err);
void cc_layout_free(struct cc_layout *l);

#endif
