/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that the reader and the writer of data sets share. */
#ifndef DATASET_INT_H
#define DATASET_INT_H

#include <sqlite3.h>

#include "base/errors.h"

/* Checks the structure of a data set, and each row: it may be from anywhere, and another program's
 * schema may run whatever it likes. MPJ_E_STORE with one line. Reads the whole file. */
int dataset_check(sqlite3 *db, const char *path, int version, struct mpj_err *err);

#endif
