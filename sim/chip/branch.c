/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction: 128-entry direct-mapped BTAC with 2-bit counters for branches
 * with a constant offset, static prediction by direction on a BTAC miss, return
 * stack, folding. The state lives in struct mpj_hot so that generated code can
 * handle the strong states itself (mpj_params.h lists what is equivalent).
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
    k->ev[MPJ_EV_BRANCH_MISPRED]++;
    return cycles;
}

static int32_t unpredicted(struct core *k, int32_t cycles)
{
    k->ev[MPJ_EV_BRANCH_NOTPRED]++;
    return cycles;
}

int32_t mpj_branch(struct mpj_chip *c, unsigned core, uint32_t pc, uint32_t target, bool taken,
                   bool conditional, enum mpj_branch_kind kind)
{
    struct core *k = &c->core[core];
    bool is_direct = kind == MPJ_BR_DIRECT || kind == MPJ_BR_DIRECT_FIRST || kind == MPJ_BR_CALL;
    if (!k->branch_pred) {
        if (taken)
            return unpredicted(k, is_direct ? c->prm.branch_mispredict : c->prm.branch_indirect);
        return 0;
    }
    if (taken && (kind == MPJ_BR_CALL || kind == MPJ_BR_CALL_INDIRECT))
        ras_push(c, k->hot, pc + 4);
    if (is_direct)
        return mpj_branch_direct(k->hot, &c->prm, pc, target, taken, conditional,
                                 kind == MPJ_BR_DIRECT);
    if (!taken)
        return 0;
    if (kind == MPJ_BR_INDIRECT || kind == MPJ_BR_CALL_INDIRECT)
        return unpredicted(k, c->prm.branch_indirect);

    bool load = kind == MPJ_BR_RETURN_LOAD;
    uint32_t top = ras_pop(k->hot);
    if (top == 0) {
        k->ev[MPJ_EV_PC_CHANGE]++;
        return unpredicted(k, load ? c->prm.branch_return_load_wrong : c->prm.branch_return_empty);
    }
    if ((top ^ target) >= 2) { /* bit 0 selects the instruction set */
        k->ev[MPJ_EV_PC_CHANGE]++;
        return mispredicted(k, load ? c->prm.branch_return_load_wrong : c->prm.branch_return_wrong);
    }
    return c->prm.branch_return_right;
}
