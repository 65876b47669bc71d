/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction: 128-entry direct-mapped BTAC with 2-bit counters for branches
 * with a constant offset, static prediction by direction on a BTAC miss, return
 * stack, folding. The state lives in struct mpj_hot so that generated code can
 * handle the strong states itself (mpj_params.h lists what is equivalent).
 * docs/branches.md has the rules and their sources.
 */
#include "chip_int.h"
#include "mpj_branch.h"

static void ras_push(const struct mpj_chip *c, struct mpj_hot *h, uint32_t address)
{
    h->ras_top = (h->ras_top + 1) & (MPJ_RAS_ENTRIES - 1);
    h->ras[h->ras_top] = address;
    if ((unsigned)c->prm.ras_depth < MPJ_RAS_ENTRIES)
        h->ras[(h->ras_top - (unsigned)c->prm.ras_depth) & (MPJ_RAS_ENTRIES - 1)] = 0;
}

static uint32_t ras_pop(struct mpj_hot *h)
{
    uint32_t top = h->ras[h->ras_top];
    h->ras[h->ras_top] = 0;
    h->ras_top = (h->ras_top - 1) & (MPJ_RAS_ENTRIES - 1);
    return top;
}

static int32_t mispredicted(struct core *k, int32_t cycles)
{
    k->hot->dirty |= MPJ_DIRTY_BRANCH;
    k->ev[MPJ_EV_BRANCH_MISPRED]++;
    return cycles;
}

static int32_t unpredicted(struct core *k, int32_t cycles)
{
    k->hot->dirty |= MPJ_DIRTY_BRANCH;
    k->ev[MPJ_EV_BRANCH_NOTPRED]++;
    return cycles;
}

/* Returns the cycles of a taken branch for which no prediction was tried. */
static int32_t unpredicted_cycles(const struct mpj_params *prm, unsigned flags_age,
                                  enum mpj_branch_kind kind)
{
    switch (kind) {
    case MPJ_BR_RETURN_LOAD:
        return prm->branch_return_load_wrong;
    case MPJ_BR_INDIRECT_LOAD:
        return prm->branch_indirect_load;
    case MPJ_BR_RETURN:
        return flags_age > 0 ? mpj_branch_wrong(prm, flags_age) : prm->branch_return_empty;
    case MPJ_BR_INDIRECT:
    case MPJ_BR_CALL_INDIRECT:
        return flags_age > 0 ? mpj_branch_wrong(prm, flags_age) : prm->branch_indirect;
    default:
        return mpj_branch_wrong(prm, flags_age);
    }
}

int32_t mpj_branch(struct mpj_chip *c, unsigned core, uint32_t pc, uint32_t target, bool taken,
                   unsigned flags_age, enum mpj_branch_kind kind)
{
    struct core *k = &c->core[core];
    bool is_direct = kind == MPJ_BR_DIRECT || kind == MPJ_BR_DIRECT_FIRST || kind == MPJ_BR_CALL;
    if (!k->branch_pred) {
        return taken ? unpredicted(k, unpredicted_cycles(&c->prm, flags_age, kind)) : 0;
    }
    if (taken && (kind == MPJ_BR_CALL || kind == MPJ_BR_CALL_INDIRECT))
        ras_push(c, k->hot, pc + 4);
    if (is_direct)
        return mpj_branch_direct(k->hot, &c->prm, pc, target, taken, flags_age,
                                 kind == MPJ_BR_DIRECT);
    if (!taken)
        return 0;
    bool load = kind == MPJ_BR_RETURN_LOAD;
    if (!load && kind != MPJ_BR_RETURN)
        return unpredicted(k, unpredicted_cycles(&c->prm, flags_age, kind));

    uint32_t top = ras_pop(k->hot);
    if (flags_age > 0 ||
        top == 0) { /* a conditional return takes its entry, but is not predicted */
        k->hot->dirty |= MPJ_DIRTY_BRANCH;
        k->ev[MPJ_EV_PC_CHANGE]++;
        return unpredicted(k, unpredicted_cycles(&c->prm, flags_age, kind));
    }
    if ((top ^ target) >= 2) { /* bit 0 selects the instruction set */
        k->hot->dirty |= MPJ_DIRTY_BRANCH;
        k->ev[MPJ_EV_PC_CHANGE]++;
        return mispredicted(k, load ? c->prm.branch_return_load_wrong : c->prm.branch_return_wrong);
    }
    return c->prm.branch_return_right;
}

/* ---- prefetch queue -------------------------------------------------------- */

#define WORD_SHIFT 3U /* what the instruction cache gives in a cycle: 64 bits */

/* Returns the cycles that the prefetch unit spends on [start, end) before it reads the next
 * instruction: a word that also contains that one is counted there. */
static unsigned words(uint32_t start, uint32_t end, uint32_t next)
{
    uint32_t last = (end - 1) >> WORD_SHIFT;
    return last - (start >> WORD_SHIFT) + (next == end && next >> WORD_SHIFT == last ? 0 : 1);
}

bool mpj_fetch_folds(unsigned lead, unsigned issue, uint32_t start, uint32_t end, uint32_t next)
{
    return lead + issue >= words(start, end, next);
}

unsigned mpj_fetch_lead(const struct mpj_params *prm, unsigned lead, unsigned issue, uint32_t start,
                        uint32_t end, uint32_t next)
{
    unsigned need = words(start, end, next);
    unsigned most = (unsigned)prm->fetch_buffer - 1;
    if (lead + issue <= need)
        return 0;
    return lead + issue - need < most ? lead + issue - need : most;
}

unsigned mpj_fetch_lead_assumed(const struct mpj_params *prm, uint32_t start, uint32_t branch,
                                uint32_t next)
{
    return branch == start || next == start ? 0 : (unsigned)prm->fetch_buffer - 1;
}
