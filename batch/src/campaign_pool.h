/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The boards of a campaign whose target is a tag: each measures one pass at a time. */
#ifndef CAMPAIGN_POOL_H
#define CAMPAIGN_POOL_H

#include "batch/campaign.h"

/* Takes, in addition to the campaign's target, boards with its tag that are free now, as many as it
 * may use at a time. MPJ_E_BOARDS: their calibrations differ. */
int campaign_pool_take(struct run_campaign *c, struct mpj_err *err);
void campaign_pool_release(struct run_campaign *c);
/* Returns how many passes may be made at a time. */
unsigned campaign_pool_size(const struct run_campaign *c);

/* Returns a target that no other pass uses; give it back. Any thread; at most as many at a time as
 * the size says. */
const struct run_target *campaign_pool_get(const struct run_campaign *c);
void campaign_pool_put(const struct run_campaign *c, const struct run_target *t);

#endif
