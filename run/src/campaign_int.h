/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_CAMPAIGN_INT_H
#define RUN_CAMPAIGN_INT_H

#include "run/campaign.h"

/* The command of the external meter: that of the options, or the board's; NULL: none. */
const char *run_campaign_meter(const struct run_campaign *c);
/* Fills program[]: from the generator, or from the list. */
int run_campaign_programs(struct run_campaign *c, struct mpj_err *err);
void run_campaign_programs_free(struct run_campaign *c);
/* Compiles a C source of the list, options behind it, with `mpjoule cc`: out, absolute, is made.
 * board: its kind; folder: where relative paths begin. */
int run_campaign_compile(const char *folder, const char *board, const char *source,
                         const char *options, const char *out, struct mpj_err *err);

#endif
