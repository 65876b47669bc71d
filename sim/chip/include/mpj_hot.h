/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of a core that generated code reads and writes itself, and the tables of the events that
 * it counts there. What moves these counts, repeats them, drops them or splits them among functions
 * is generated from the tables.
 *
 * A count on the fast path is a row of the table of its hook, a function mpj_hot_HOOK_FIELD below
 * and tcg_out_mpj_HOOK_FIELD in the emulator's mpj-emit.c.inc, which emits code for the same. The
 * compiler reports each of the three that is missing.
 */
#ifndef MPJ_HOT_H
#define MPJ_HOT_H

#include <stdbool.h>
#include <stdint.h>

#define MPJ_BTAC_ENTRIES 128U
#define MPJ_RAS_ENTRIES  4U /* power of two above the configured depth (3) */

/* ---- counts known at translation: packed -------------------------------------- */

/*
 * Packed block counters. Generated code adds one constant per word at block entry and takes back
 * what it leaves unexecuted; mpj_flush() moves them to the 64-bit counters. Fields are signed,
 * since the flush may come between the two. None may leave -32768..32767 between two flushes: the
 * emulator flushes at least every TILE_QUANTUM_MAX cycles. Both words are full.
 */
#define MPJ_PACK_A(instr, ddep, rd, wr)                                                            \
    ((uint64_t)(instr) | ((uint64_t)(ddep) << 16) | ((uint64_t)(rd) << 32) | ((uint64_t)(wr) << 48))
/* energy: static instruction energy of the block, in picojoules/16 (62.5 fJ steps), 32 bits */
#define MPJ_PACK_B(energy, branch, pcchg)                                                          \
    ((uint64_t)(uint32_t)(energy) | ((uint64_t)(branch) << 32) | ((uint64_t)(pcchg) << 48))

/* X(field, EVENT): fields of each word that count events, from the lowest bits up. */
#define MPJ_PACK_A_EVENTS(X)                                                                       \
    X(instr, INSTR)                                                                                \
    X(ddep, DDEP_STALL)                                                                            \
    X(rd, DCACHE_RD)                                                                               \
    X(wr, DCACHE_WR)
#define MPJ_PACK_B_EVENTS(X)                                                                       \
    X(branch, BRANCH)                                                                              \
    X(pc_change, PC_CHANGE)

#define MPJ_HOT_FIELD(field, event) int64_t field;
struct mpj_counts_a {
    MPJ_PACK_A_EVENTS(MPJ_HOT_FIELD)
};

struct mpj_counts_b {
    int64_t energy;
    MPJ_PACK_B_EVENTS(MPJ_HOT_FIELD)
};
#undef MPJ_HOT_FIELD

/* Returns the lowest field of a word and leaves in *v what is above it. */
static inline int64_t mpj_unpack_next(uint64_t *v, unsigned bits)
{
    const int64_t field = bits == 16 ? (int16_t)*v : (int32_t)*v;
    *v = (*v - (uint64_t)field) >> bits;
    return field;
}

static inline struct mpj_counts_a mpj_unpack_a(uint64_t v)
{
    struct mpj_counts_a n;
#define MPJ_HOT_UNPACK(field, event) n.field = mpj_unpack_next(&v, 16);
    MPJ_PACK_A_EVENTS(MPJ_HOT_UNPACK)
    return n;
}

static inline struct mpj_counts_b mpj_unpack_b(uint64_t v)
{
    struct mpj_counts_b n;
    n.energy = mpj_unpack_next(&v, 32);
    MPJ_PACK_B_EVENTS(MPJ_HOT_UNPACK)
#undef MPJ_HOT_UNPACK
    return n;
}

/* ---- counts known at execution: one by one ------------------------------------- */

/* X(field, EVENT), by hook, the place in the emulator that counts:
 * STORE, a store to a line in state M, at an address;
 * BRANCH, a branch to a constant address that was predicted correctly, and whether it folds. */
#define MPJ_HOT_STORE_EVENTS(X)  X(sb_merge, SB_MERGE)
#define MPJ_HOT_BRANCH_EVENTS(X) X(folded, FOLDED)
#define MPJ_HOT_EVENTS(X)                                                                          \
    MPJ_HOT_STORE_EVENTS(X)                                                                        \
    MPJ_HOT_BRANCH_EVENTS(X)

/* Counts since the last flush, modulo 2^32. */
struct mpj_hot_counts {
#define MPJ_HOT_FIELD(field, event) uint32_t field;
    MPJ_HOT_EVENTS(MPJ_HOT_FIELD)
#undef MPJ_HOT_FIELD
};

/* Returns how far the counts are past `was`. */
static inline struct mpj_hot_counts mpj_hot_since(const struct mpj_hot_counts *now,
                                                  const struct mpj_hot_counts *was)
{
    struct mpj_hot_counts n;
#define MPJ_HOT_SINCE(field, event) n.field = now->field - was->field;
    MPJ_HOT_EVENTS(MPJ_HOT_SINCE)
#undef MPJ_HOT_SINCE
    return n;
}

/* Adds `each` the given number of times. */
static inline void mpj_hot_add(struct mpj_hot_counts *to, struct mpj_hot_counts each,
                               uint64_t times)
{
#define MPJ_HOT_ADD(field, event) to->field += (uint32_t)times * each.field;
    MPJ_HOT_EVENTS(MPJ_HOT_ADD)
#undef MPJ_HOT_ADD
}

/* Returns true if any of the counts is not 0. */
static inline bool mpj_hot_any(const struct mpj_hot_counts *n)
{
    uint32_t any = 0;
#define MPJ_HOT_ANY(field, event) any |= n->field;
    MPJ_HOT_EVENTS(MPJ_HOT_ANY)
#undef MPJ_HOT_ANY
    return any != 0;
}

/* ---- state of a core -------------------------------------------------------------- */

/* Kinds of counts in hot->dirty, which has the
 * bit of each that was counted since it was cleared: those of branches (not predicted,
 * mispredicted, PC changes), and all others. */
#define MPJ_DIRTY_BRANCH 1U
#define MPJ_DIRTY_MISS   2U

/* Owned by the emulator's CPU state (or a test); registered with mpj_chip_attach(). */
struct mpj_hot {
    uint64_t pack_a;
    uint64_t pack_b;
    bool busy;             /* mpj_flow_busy(); chip-owned */
    uint8_t *dline;        /* one enum mpj_line_state per line index; chip-owned */
    uint8_t *iline;        /* non-zero: line present in this core's L1I; chip-owned */
    uint64_t *ev;          /* the core's counts; NULL: its branch prediction is off; chip-owned */
    const uint64_t *instr; /* its count of instructions before those in pack_a; chip-owned */
    uint32_t sb_line;      /* address >> 3 of the newest store, for merging */
    struct mpj_hot_counts count;
    uint32_t dirty;   /* MPJ_DIRTY_: for the truth per function alone, which clears it */
    uint32_t ras_top; /* index of the newest return address */
    uint32_t ras[MPJ_RAS_ENTRIES];
    /* address >> 5 that the exclusive monitor watches: set by LDREX, MPJ_LINE_NONE once another
     * core has stored there: STREX then fails. The emulator tracks whether the core itself has
     * cleared it (CLREX, STREX). */
    uint32_t monitor;
    /* BTAC, indexed by address bits [9:3]: see mpj_btac_entry(); 0: empty */
    uint32_t btac[MPJ_BTAC_ENTRIES];
};

/* Returns the entry for the branch at pc with its 2-bit counter (>= 2 predicts taken), which takes
 * the place of the address bits that are the index. MPJ_BTAC_NEW is or-ed in until the first
 * prediction. */
#define MPJ_BTAC_NEW 0x40U
static inline uint32_t mpj_btac_entry(uint32_t pc, uint32_t counter)
{
    return (pc & ~((MPJ_BTAC_ENTRIES - 1U) << 3)) | 0x20U | counter << 3;
}

/* ---- hooks ------------------------------------------------------------------------- */

/* Counts a store that joins the newest one in the store buffer. */
static inline void mpj_hot_store_sb_merge(struct mpj_hot *h, uint32_t addr)
{
    if (h->sb_line == addr >> 3)
        h->count.sb_merge++;
    else
        h->sb_line = addr >> 3;
}

static inline void mpj_hot_branch_folded(struct mpj_hot *h, bool folds)
{
    if (folds)
        h->count.folded++;
}

#define MPJ_HOT_STORE(field, event)  mpj_hot_store_##field(h, addr);
#define MPJ_HOT_BRANCH(field, event) mpj_hot_branch_##field(h, folds);
/* Counts the events of a store to a line in state M. */
static inline void mpj_hot_store(struct mpj_hot *h, uint32_t addr)
{
    MPJ_HOT_STORE_EVENTS(MPJ_HOT_STORE)
}

/* Counts the events of a branch to a constant address that was predicted correctly. */
static inline void mpj_hot_branch(struct mpj_hot *h, bool folds)
{
    MPJ_HOT_BRANCH_EVENTS(MPJ_HOT_BRANCH)
}
#undef MPJ_HOT_STORE
#undef MPJ_HOT_BRANCH

#endif
