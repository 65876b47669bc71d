/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-core state of modelled time and of the chip model, as generated code
 * sees it. It lives in CPUNegativeOffsetState, so generated code reaches it at
 * a constant offset from env.
 */
#ifndef EXEC_MPJ_CPU_H
#define EXEC_MPJ_CPU_H

#include "mpj_chip.h"

#define MPJ_SECTION_SHIFT 20
#define MPJ_SECTIONS (1 << (32 - MPJ_SECTION_SHIFT))
#define MPJ_ROWS_MAX 64
#define MPJ_ROW_SETS 2 /* privileged, unprivileged */

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
    /*
     * The block that the last slice ended before, if nothing has changed what
     * this core executes next: the next slice begins with it.
     */
    struct TranslationBlock *resume;

    uint32_t mxcsr;   /* scratch of generated code: the host's SSE status */

    struct mpj_hot hot;

    /*
     * The state bytes of L1D and L1I by virtual address: byte drow[set][va >> 20]
     * + (va >> 5) is the state of the line that va is in. A row is set only
     * while the section of that address is in the modelled micro TLB, the
     * memory is cacheable RAM and (data) may be read at the privilege that the
     * set stands for; otherwise it points to zeros, so that every access reads
     * "not present" and takes the slow path, where micro-TLB misses, small
     * pages, uncached memory and devices are told apart. So one test answers
     * for micro TLB and cache, whatever QEMU's own TLB holds. A load that
     * passes it needs QEMU's TLB no more: dhost is what to add to va.
     */
    uintptr_t drow[MPJ_ROW_SETS][MPJ_SECTIONS];
    uintptr_t dhost[MPJ_ROW_SETS][MPJ_SECTIONS];
    uintptr_t irow[MPJ_SECTIONS];
    uint16_t rows[MPJ_ROWS_MAX]; /* sections with a row in any table */
    uint32_t row_count;
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
