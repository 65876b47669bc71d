/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_CAMPAIGN_INT_H
#define RUN_CAMPAIGN_INT_H

#include "batch/campaign.h"

/* Returns the command of the external meter: that of the options, or the board's; NULL: none. */
const char *run_campaign_meter(const struct run_campaign *c);
/* Fills program[]: from the generator, or from the list. */
int run_campaign_programs(struct run_campaign *c, struct mpj_err *err);
void run_campaign_programs_free(struct run_campaign *c);
/* Compiles a C source of the list, with its options, by `mpjoule cc`, to out, an absolute path.
 * board: its kind; folder: base of relative paths. */
int run_campaign_compile(const char *folder, const char *board, const char *source,
                         const char *options, const char *out, struct mpj_err *err);

#endif
