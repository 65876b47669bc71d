/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Truth per function: a tree of calls for each software context (and for each core while it runs in
 * context 0), with the cycles, events and energy that each node used itself.
 *
 * The caller of the model reports calls, returns, other indirect branches and exceptions; a shadow
 * stack of (return address, stack pointer) per context says which node a core is in. Returns are
 * matched by address and stack pointer, so that recursion, longjmp() and thread switches come out
 * right; a tail call nests below the function it came from.
 *
 * Profiling changes nothing that the model returns. Over the nodes of a context, cycles, events and
 * femtojoules add up to the truth of that context. As there, only what happens inside of windows
 * counts (mpj_truth_window()).
 *
 * While it is off, none of the functions that report something may be called.
 */
#ifndef MPJ_FUNCTIONS_H
#define MPJ_FUNCTIONS_H

#include "mpj_chip.h"

/* Code of one function: the addresses [start, end), without a Thumb bit. end not above start: up
 * to the next function. */
struct mpj_prof_symbol {
    uint32_t start, end;
    uint32_t watch; /* MPJ_WATCH_..., for moments */
};
/* Kind of a function; the kind of a wait is in bits 15 to 8. */
#define MPJ_WATCH_WAIT   1U  /* a thread may wait in it, for the object in its first argument */
#define MPJ_WATCH_REGION 2U  /* an execution of a region */
#define MPJ_WATCH_END    4U  /* a thread ends in it */
#define MPJ_WATCH_YIELD  8U  /* a thread lets others go first */
#define MPJ_WATCH_INFO   16U /* waits go through it; its first argument says who holds the object */

#define MPJ_PROF_NODES   100000U /* the usual most_nodes: about 50 MB */

/*
 * Switches profiling on, permanently. sym: the functions, which are copied; of those that overlap
 * the later one ends the one before. Calls need no symbols; tail calls and longjmp() do. Above
 * most_nodes, the least important paths of a context are not distinguished: each function is one
 * node, below MPJ_PROF_OTHERS. Before anything runs. MPJ_ERR_NOMEM, else MPJ_OK.
 */
int mpj_prof_enable(struct mpj_chip *c, const struct mpj_prof_symbol *sym, size_t n,
                    uint32_t most_nodes);
bool mpj_prof_on(const struct mpj_chip *c);
/* Returns true if a function begins there. */
bool mpj_prof_is_start(const struct mpj_chip *c, uint32_t address);

/* "Functions" of nodes that are none: the root of a context's tree, an exception (or-ed with its
 * vector's offset, 0x04 to 0x1c), and the parent of functions when there were too many nodes. */
#define MPJ_PROF_ROOT      0xffffff00U
#define MPJ_PROF_OTHERS    0xffffff01U
#define MPJ_PROF_EXCEPTION 0xffffff80U

/* Below, time: the core's, at the end of the block that branches; sp: after it. Addresses without a
 * Thumb bit. */

/* Reports a branch that leaves its return address. arg: the first argument, r0. */
void mpj_prof_call(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t target, uint32_t ret,
                   uint32_t sp, uint32_t arg);
/* Reports a direct branch to the start of a function. */
void mpj_prof_tail(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t target, uint32_t arg);
/* Reports any other indirect branch. lr: the link register; next: the address after the branch. */
void mpj_prof_jump(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t target, uint32_t lr,
                   uint32_t next, uint32_t sp, uint32_t arg);
/* Reports an exception that is taken to that vector (offset); ret: where execution was. */
void mpj_prof_exception(struct mpj_chip *c, unsigned core, uint64_t time, unsigned vector,
                        uint32_t ret);
/* Reports a return from an exception. */
void mpj_prof_eret(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t target);

/* Begins and ends what a core does without time and counts, right after a flush: calls and returns
 * are reported and lead to where they do, but nothing of it counts. */
void mpj_prof_hold(struct mpj_chip *c, unsigned core, bool on);

/*
 * Events in time, with a profile only: threads that get and lose a core, wait for an object in one
 * of the watched functions, execute a region. At most that many, of 32 bytes each; further ones are
 * counted as lost. peek: a word of memory as that core sees it, 0: there is none; called when a
 * thread begins to wait. Before anything runs. MPJ_ERR_NOMEM, else MPJ_OK.
 */
typedef uint32_t mpj_trace_peek(unsigned core, uint32_t address);
int mpj_trace_moments(struct mpj_chip *c, size_t most, mpj_trace_peek *peek);
/*
 * Energy of each core, and of what belongs to none, in steps of so many microseconds (1 or more);
 * with or without a profile. Between two flushes of a core, its power is even. At 2^20 steps they
 * become twice as long. With them go eight events of each core, in at most 2^13 such steps.
 */
int mpj_trace_wave(struct mpj_chip *c, uint32_t us);

/* Sums of an instruction's executions: counts, and its static energy in steps of 62.5 fJ. Cycles
 * are those it issued in and those that were charged at it: a miss counts at the access, though
 * others wait for its value. */
struct mpj_prof_insn {
    uint32_t address;
    uint64_t executions, cycles, ddep, loads, stores, steps;
    uint64_t rd_miss, wr_miss, fetch_miss, mispred;
};

/* Writes what was found (docs/profile-file.md) to a stream that can seek and that the caller owns;
 * insn, n: by address. Every core has been flushed and the window is closed. Returns MPJ_OK or
 * MPJ_ERR_IO. */
int mpj_prof_write(const struct mpj_chip *c, const struct mpj_prof_insn *insn, size_t n, FILE *f);

#endif
