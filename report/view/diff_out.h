/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of differences. */
#ifndef DIFF_OUT_H
#define DIFF_OUT_H

#include "report/diff.h"

#define DIFF_CAUSE "fj:" /* prefix of the names of causes */

mpj_diff_put diff_text, diff_json, diff_csv, diff_html, diff_folded;

#endif
