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
#define MPJ_PAGE_SHIFT 12
#define MPJ_PAGES (1 << (32 - MPJ_PAGE_SHIFT))
#define MPJ_PAGES_NOTED 4096

/*
 * So many cycles before an exact end of a slice, which is more than a block takes,
 * only blocks are executed that will not run past it, at so many cycles for an
 * instruction, and else single instructions (mpj-step.c). Loads that miss, which
 * take longer, are blocks of their own from some time before.
 */
#define MPJ_NEAR 64
#define MPJ_NEAR_INSN 4
#define MPJ_NEAR_MISS 320

/*
 * Addresses of the data of pages of virtual addresses. The state byte of the
 * line that contains va is at mpj_zeros + read + (va >> 5) for a load and
 * mpj_zeros + write + (va >> 5) for a store, the byte itself at read_host + va
 * (write_host + va). A row is set only while the page is in the modelled micro
 * TLB and the memory is cacheable RAM that may be read (written, without notice
 * to QEMU, which needs it where there is code) at the privilege of the table.
 * Otherwise it is 0 and every access reads "not present" and takes the slow
 * path, where micro-TLB misses, uncached memory and devices are distinguished.
 * So one test answers for micro TLB and cache, whatever QEMU's own TLB holds,
 * and an access that passes it needs QEMU's TLB no more.
 *
 * Generated code finds the row of an access by the address rotated right by as
 * many bits as have to be 0 in an aligned one: what is not aligned reads beyond
 * the pages, where there is never a row.
 */
#define MPJ_PAGE_SLOTS ((MPJ_PAGES << 3) + MPJ_PAGE_SKEW)
/* So that a page's rows lie in different sets of the host's TLB and cache. */
#define MPJ_PAGE_SKEW ((4096 + 64) / sizeof(uintptr_t))

typedef struct MpjPages {
    uintptr_t read[MPJ_PAGE_SLOTS], read_host[MPJ_PAGE_SLOTS];
    uintptr_t write[MPJ_PAGE_SLOTS], write_host[MPJ_PAGE_SLOTS];
} MpjPages;

/* Notes by which the rows of a core are found when they are dropped. */
typedef struct MpjNotes {
    uint16_t section[1 << (32 - MPJ_SECTION_SHIFT)]; /* chain of its pages, 0: end */
    uint16_t free;                                   /* chain of unused notes */
    uint16_t next[MPJ_PAGES_NOTED];
    uint32_t page[MPJ_PAGES_NOTED];
    uint32_t noted[MPJ_PAGES / 32]; /* is the page in a chain? */
    /*
     * Place of the code that this core has executed in a section: see
     * mpj_code_whole(). 0: nothing is known.
     */
    uint32_t code[MPJ_SECTIONS];
    bool code_noted; /* any of them is not 0 */
} MpjNotes;

/* Never written; generated code reads up to four bytes at once. */
extern uint8_t mpj_zeros[(1 << 27) + sizeof(uint32_t)];

/*
 * Aligned to a line of the host's cache, and with it the registers that follow:
 * otherwise it depends on the length of a path on the command line whether the
 * flags, which are stored as one, lie across two pages, and a program that
 * compares a lot takes half as long again.
 */
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
    bool exact;       /* at the first end of an instruction, not of a block */
    uint64_t irq_at;  /* an interrupt is not taken before that core time */
    uint64_t flushed; /* core time up to which the chip knows about this core */
    uint64_t polled;  /* core time of the last poll of a watched line (mpj-poll.c) */
    uint64_t wake;    /* time of the interrupt that ended a wait; 0: none yet */
    bool idle;        /* waiting (WFI) since `flushed` */
    bool again;       /* the next access to a device has been charged already */
    bool leave;       /* budget is put aside to leave generated code */
    /*
     * In the middle of a block, before an access whose turn has not come: its
     * time, and whether it comes after all others of that time.
     */
    bool inside, after;
    bool dozes;       /* and rounds of a loop have not been executed yet (mpj-poll.c) */
    uint64_t turn;
    bool exclusive;   /* between load and store of one instruction */
    bool counted;     /* the model has seen the access that is being done */
    uint32_t insn;    /* of that access, as mpj_flow.h knows it */
    /*
     * The block that the last slice ended before, if nothing has changed what
     * this core executes next: the next slice begins with it.
     */
    struct TranslationBlock *resume;
    /*
     * Number of what the instructions before left in the pipes (mpj-gen.c):
     * part of what the next block is looked up by. As the PC, it is up to date
     * only where a block is left to another that it is not linked to.
     */
    uint32_t entry;

    uint32_t mxcsr;   /* scratch of generated code: the host's SSE status */
    uint32_t unrowed; /* address >> 5 of the last data access without a row */

    struct mpj_hot hot;

    MpjPages *pages; /* MPJ_ROW_SETS; generated code has it in a register */
    MpjNotes *notes;
    uintptr_t from; /* where generated code continues after the last slow access */

    /*
     * Rows for instructions, by section: byte irow[va >> 20] + (va >> 5) is not
     * 0 if the line is in L1I and the section in the micro TLB.
     */
    uintptr_t irow[MPJ_SECTIONS];
    uint16_t rows[MPJ_ROWS_MAX]; /* sections with a row */
    uint32_t row_count;
} QEMU_ALIGNED(64) MpjCpu;

static inline uint64_t mpj_time(const MpjCpu *m)
{
    return m->limit - (int64_t)m->left - m->hold;
}

static inline int64_t mpj_budget(const MpjCpu *m)
{
    return (int64_t)m->left + m->hold;
}

/*
 * Lets generated code leave at the next block boundary; time does not change.
 */
static inline void mpj_break(MpjCpu *m)
{
    m->hold += m->left;
    m->left = 0;
    m->leave = true;
}

/*
 * Returns what was put aside to the budget, except what generated code is to
 * leave before an exact end.
 */
static inline void mpj_restore(MpjCpu *m)
{
    int32_t aside = m->exact ? MPJ_NEAR : 0;

    m->left += m->hold - aside;
    m->hold = aside;
}

static inline void mpj_unbreak(MpjCpu *m)
{
    mpj_restore(m);
    m->leave = false;
}

/* Returns true if the slice's exact end is near. */
static inline bool mpj_near(const MpjCpu *m)
{
    return m->exact && mpj_budget(m) <= MPJ_NEAR;
}

#endif
