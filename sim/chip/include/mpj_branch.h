/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The predictor for branches with a constant target, where the emulator may inline it. */
#ifndef MPJ_BRANCH_H
#define MPJ_BRANCH_H

#include "mpj_chip.h"
#include "mpj_params.h"

#include <stdbool.h>

/* Returns the cycles, in addition to its own, that a wrong prediction costs: a branch is resolved
 * as soon as the flags are there, flags_age cycles after the instruction that set them (0: needs
 * none). */
static inline int32_t mpj_branch_wrong(const struct mpj_params *prm, unsigned flags_age)
{
    int32_t cycles = prm->branch_mispredict - (int32_t)flags_age;
    return flags_age == 0 || cycles < prm->branch_mispredict_min ? prm->branch_mispredict_min
                                                                 : cycles;
}

/* Returns true if a branch that goes there, as predicted, leaves the instruction stream. */
static inline bool mpj_branch_may_fold(const struct mpj_params *prm, bool taken)
{
    return prm->branch_fold > (taken ? 0 : 1);
}

/*
 * Executes a branch with a constant target, at pc, on a core whose branch prediction is on (hot->ev
 * is not NULL), as mpj_branch() does for MPJ_BR_DIRECT (may_fold) and MPJ_BR_DIRECT_FIRST. Returns
 * the cycles it takes in addition to its own one.
 */
static inline int32_t mpj_branch_direct(struct mpj_hot *h, const struct mpj_params *prm,
                                        uint32_t pc, uint32_t target, bool taken,
                                        unsigned flags_age, bool may_fold)
{
    uint32_t *entry = &h->btac[(pc >> 3) & (MPJ_BTAC_ENTRIES - 1)];
    uint32_t ctr = (*entry >> 3) & 3U;
    bool seen = !(*entry & MPJ_BTAC_NEW);
    bool guess;
    if ((*entry & ~MPJ_BTAC_NEW) == mpj_btac_entry(pc, ctr)) {
        guess = ctr >= 2;
        if (taken && ctr < 3)
            ctr++;
        else if (!taken && ctr > 0)
            ctr--;
        *entry = mpj_btac_entry(pc, ctr);
        /* A branch to itself leaves nothing in the prefetch queue to fold it into. */
        if (guess == taken) {
            bool folds = may_fold && seen && mpj_branch_may_fold(prm, taken) && target != pc;
            mpj_hot_branch(h, folds);
            return folds ? -1 : 0;
        }
    } else {
        h->dirty |= MPJ_DIRTY_BRANCH;
        h->ev[MPJ_EV_BRANCH_NOTPRED]++;
        guess = flags_age == 0 || target <= pc;
        *entry = mpj_btac_entry(pc, taken ? 2 : 1) | MPJ_BTAC_NEW;
        if (guess == taken)
            return taken ? (int32_t)prm->branch_static_taken : 0;
    }
    h->dirty |= MPJ_DIRTY_BRANCH;
    h->ev[MPJ_EV_BRANCH_MISPRED]++;
    return mpj_branch_wrong(prm, flags_age);
}

#endif
