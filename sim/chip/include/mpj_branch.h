/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The predictor for branches with a constant target, where the emulator may inline it. */
#ifndef MPJ_BRANCH_H
#define MPJ_BRANCH_H

#include "mpj_chip.h"
#include "mpj_params.h"

#include <stdbool.h>

/*
 * A branch with a constant target, at pc, on a core whose branch prediction is on (hot->ev is not
 * NULL): what mpj_branch() does for MPJ_BR_DIRECT (may_fold) and MPJ_BR_DIRECT_FIRST. Returns the
 * cycles it takes beside its own one.
 */
static inline int32_t mpj_branch_direct(struct mpj_hot *h, const struct mpj_params *prm,
                                        uint32_t pc, uint32_t target, bool taken, bool conditional,
                                        bool may_fold)
{
    uint32_t *entry = &h->btac[(pc >> 3) & (MPJ_BTAC_ENTRIES - 1)];
    uint32_t ctr = (*entry >> 3) & 3U;
    bool guess;
    if (*entry == mpj_btac_entry(pc, ctr)) {
        guess = ctr >= 2;
        if (taken && ctr < 3)
            *entry = mpj_btac_entry(pc, ctr + 1);
        else if (!taken && ctr > 0)
            *entry = mpj_btac_entry(pc, ctr - 1);
        /* A branch to itself leaves nothing in the prefetch queue to fold it into. */
        if (guess == taken && may_fold && prm->branch_fold && target != pc) {
            h->folded++;
            return -1;
        }
        if (guess == taken)
            return 0;
    } else {
        h->ev[MPJ_EV_BRANCH_NOTPRED]++;
        guess = !conditional || target <= pc;
        if (taken) /* a branch never taken is best left to the static rule */
            *entry = mpj_btac_entry(pc, 2);
        if (guess == taken)
            return taken ? (int32_t)prm->branch_static_taken : 0;
    }
    h->ev[MPJ_EV_BRANCH_MISPRED]++;
    return (int32_t)prm->branch_mispredict;
}

#endif
