/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of boards that this installation has a runtime for: the folders of the firmware's build. */
#ifndef RUN_KINDS_H
#define RUN_KINDS_H

#include <stddef.h>

#include "mpj_kind.h"

struct run_kind {
    struct tile_machine machine;
    char *folder; /* of its runtime */
};

struct run_kinds {
    size_t count;
    struct run_kind *kind; /* by name */
};

/* All of them; an installation without a runtime has none. MPJ_E_TARGET for a folder whose
 * description is damaged or of a board of another name. Free with run_kinds_free(), after an error
 * too. */
int run_kinds_load(struct run_kinds *out, struct mpj_err *err);
void run_kinds_free(struct run_kinds *kinds);

/* The description of one, by its name. MPJ_E_USAGE when this installation has no board of that
 * name, with those that it has. */
int run_kind_load(struct tile_machine *out, const char *name, struct mpj_err *err);
/* Names of all, separated by ", ", for messages; allocated. NULL: out of memory. */
char *run_kinds_names(void);

#endif
