/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributes energy of no core by core time: each node pays rent for the chip for its cycles on a
 * core. By convention, not by cause: a function that takes half the time does not cause half the
 * leakage, but without it the chip could be switched off sooner.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile.h"
#include "store/profile_int.h"

/* Returns the part of `all` for the first `part` of `of` cycles: the last one gets exactly the
 * rest. */
static int64_t upto(int64_t all, int64_t part, int64_t of)
{
    return part == of ? all : (int64_t)llround((double)all * ((double)part / (double)of));
}

static void share_item(struct mpj_profile *p, unsigned item)
{
    const int64_t all = p->chip[item];
    const int64_t cycles = p->sum[p->cycles];
    int64_t before = 0; /* cycles of the previous nodes */

    for (uint32_t i = 0; i < p->nodes && all != 0; i++) {
        int64_t *const self = p->self + (size_t)i * p->items;
        const int64_t mine = self[p->cycles];
        self[item] += upto(all, before + mine, cycles) - upto(all, before, cycles);
        before += mine;
    }
    p->chip[item] = 0;
}

/* Distributes energy, which stays the sum of its causes where causes are known. */
static void share_energy(struct mpj_profile *p)
{
    const unsigned energy = (unsigned)p->energy;
    int64_t rest = p->chip[energy];

    for (unsigned k = p->first_cause; k < p->items; k++)
        rest -= p->chip[k];
    for (uint32_t i = 0; i < p->nodes; i++) {
        int64_t *const self = p->self + (size_t)i * p->items;
        for (unsigned k = p->first_cause; k < p->items; k++)
            self[energy] -= self[k];
    }
    p->chip[energy] = rest;
    for (unsigned k = p->first_cause; k < p->items; k++)
        share_item(p, k);
    share_item(p, energy);
    for (uint32_t i = 0; i < p->nodes; i++) {
        int64_t *const self = p->self + (size_t)i * p->items;
        for (unsigned k = p->first_cause; k < p->items; k++)
            self[energy] += self[k];
    }
}

int mpj_profile_share_chip(struct mpj_profile *p, struct mpj_err *err)
{
    if (p->energy < 0 || p->chip[p->energy] == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the profile has no energy of " MPJ_PROF_CHIP
                           " to share out: only the emulator's truth keeps it apart "
                           "(`mpjoule run --functions`)");
    if (p->cycles < 0 || p->sum[p->cycles] <= 0)
        return mpj_err_set(err, MPJ_E_USAGE, "the profile has no cycles to share energy out by");
    p->chip_shared = p->chip[p->energy];
    share_energy(p);
    profile_add_up(p);
    profile_set_note(p);
    return MPJ_E_OK;
}

void profile_set_note(struct mpj_profile *p)
{
    const char *const shared =
        p->chip_shared != 0 ? ", energy of " MPJ_PROF_CHIP " shared out by core time" : "";
    const char *const inexact =
        p->lost > 0 ? ", call tree inexact (a stack of calls was lost: some callers are wrong)"
                    : "";
    char merged[100] = "";

    if (p->merged)
        snprintf(merged, sizeof(merged),
                 ", callers not distinguished of %.1f %% of the cycles, below " MPJ_PROF_OTHERS
                 " (too many paths)",
                 100 * p->merged_share);
    snprintf(p->note, sizeof(p->note), "%s%s%s", shared, inexact, merged);
}

const char *mpj_profile_note(const struct mpj_profile *p)
{
    return p->note;
}
