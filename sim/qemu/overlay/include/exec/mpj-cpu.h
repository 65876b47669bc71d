/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-core state of modelled time and of the chip model, as generated code
 * sees it. It lives in CPUNegativeOffsetState, so generated code reaches it at
 * a constant offset from env.
 */
#ifndef EXEC_MPJ_CPU_H
#define EXEC_MPJ_CPU_H

#include "mpj_chip.h"

typedef struct MpjCpu {
    /*
     * Cycles left in this time slice. Generated code tests it at the start of
     * a block and subtracts the block's cost: a block runs when any budget is
     * left, so it may overshoot. `hold` is budget put aside to make generated
     * code leave early (an interrupt for the executing core); modelled time is
     * limit - left - hold at any moment, so neither changes it.
     */
    int32_t left;
    int32_t hold;
    uint64_t limit;   /* core time at which the slice ends */
    uint64_t flushed; /* core time up to which the chip knows about this core */
    uint64_t wake;    /* time of the interrupt that ended a wait; 0: none yet */
    bool idle;        /* waiting (WFI) since `flushed` */

    struct mpj_hot hot;
} MpjCpu;

static inline uint64_t mpj_time(const MpjCpu *m)
{
    return m->limit - (int64_t)m->left - m->hold;
}

static inline int64_t mpj_budget(const MpjCpu *m)
{
    return (int64_t)m->left + m->hold;
}

/* Let generated code leave at the next block boundary; time does not change. */
static inline void mpj_break(MpjCpu *m)
{
    m->hold += m->left;
    m->left = 0;
}

static inline void mpj_unbreak(MpjCpu *m)
{
    m->left += m->hold;
    m->hold = 0;
}

#endif
