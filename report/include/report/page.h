/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a run (`--format html`) as an input file: it contains the store or log it was created
 * from. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>

#include "base/errors.h"

/* True if the file begins as a page does. */
bool mpj_page_is(const char *path);
/*
 * Writes the store (or the raw log of a recording) that the page contains into the folder, as
 * page.mpj or page.mplog; *file is its path, to be freed. MPJ_E_USAGE: the page contains no store
 * (it shows two runs, or the run was too large); MPJ_E_STORE: the page is damaged. *file is NULL on
 * error.
 */
int mpj_page_take(char **file, const char *page, const char *folder, struct mpj_err *err);

#endif
