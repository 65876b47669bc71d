/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the files that read a profile. */
#ifndef PROFILE_INT_H
#define PROFILE_INT_H

#include <sqlite3.h>

#include "report/profile.h"

/* Reads a profile as mpj_profile_load(), from a store that is open and of version
 * MPJ_STORE_PROFILE. */
int profile_read(struct mpj_profile **out, sqlite3 *db, const char *path,
                 enum mpj_prof_source source, struct mpj_err *err);
/* Computes total and sum from self. Nothing overflows: profile_read() has rejected figures that
 * might. */
void profile_add_up(struct mpj_profile *p);

/* Sets what mpj_profile_note() returns. */
void profile_set_note(struct mpj_profile *p);

/* Frees what a function owns. */
void profile_func_free(struct mpj_prof_func *f);

#endif
