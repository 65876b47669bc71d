/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of differences. */
#ifndef DIFF_OUT_H
#define DIFF_OUT_H

#include "report/diff.h"

#define DIFF_CAUSE "fj:" /* prefix of the names of causes */

/* Fills the labels. MPJ_E_NOMEM. */
int diff_labels(struct mpj_diff *d, struct mpj_run *const run[2], struct mpj_err *err);
void diff_labels_free(struct mpj_diff *d);

mpj_diff_put diff_text, diff_json, diff_csv, diff_html, diff_folded;

/* The items whose change is explained, and their causes as lines of text and as JSON. */
extern const char *const diff_why_item[MPJ_DIFF_WHYS];
void diff_why_text(const struct mpj_diff *d, FILE *f);
json_t *diff_why_json(const struct mpj_diff *d);

#endif
