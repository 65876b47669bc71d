/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The board in stores. Private to report/. */
#ifndef MACHINE_INT_H
#define MACHINE_INT_H

#include <stdbool.h>

#include <sqlite3.h>

#include "base/errors.h"
#include "report/machine.h"

/* Reads the board of pass 0 of a store of that version; *stated: false if the store does not
 * describe it and mpj_machine_unstated is used. MPJ_E_STORE for an impossible one. */
int machine_load(struct tile_machine *out, bool *stated, sqlite3 *db, const char *path,
                 unsigned version, struct mpj_err *err);

#endif
