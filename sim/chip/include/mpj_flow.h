/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From block to block: the state of the pipeline when a block of code ends.
 *
 * The reference is one in-order scoreboard per core that does not know blocks: an instruction
 * issues when its operands and its unit are ready, a load that misses delivers its value later,
 * independent of the instructions before its use. Walking (evaluating) that scoreboard for each
 * instruction is slow, so most of it is done when a block is translated:
 *
 *   The state a block leaves in the pipes without unforeseen events depends on the block and on
 *   the state it started with. It is stored (struct mpj_residue), gets a number,
 *   and the next block is translated for that number: the cost of a block is static.
 *
 *   An unforeseen event (a miss, a full store buffer, a fetch stall) changes the block's
 *   cost. All times in a scoreboard are maxima of sums, so walking the rest of the
 *   block with the late value gives exactly the result of the reference; the difference is charged.
 *   While the pipes differ from the state the next block was translated for (typically because
 *   of a loaded value that is still unused), that block is walked as well when it is entered.
 *   Usually the difference is gone after the instruction that waited.
 *
 * A core for which mpj_flow_exact() is on walks every block: that is the reference.
 *
 * Block, residue and instruction numbers depend on the order of translation and are in no
 * result. `id` identifies one execution of a block: the core's count of instructions, including
 * those of this block, which is constant within a block.
 */
#ifndef MPJ_FLOW_H
#define MPJ_FLOW_H

#include "mpj_chip.h"

/*
 * The state of the pipes at a block's end: for how many cycles from there on (+ 1; 0: none)
 * results and units are awaited. Blocks that leave the same bytes have the same effect on the next.
 */
struct mpj_residue {
    uint8_t ready[16 + 32 + 1];
    uint8_t late_class[16];
    uint8_t unit_free[4];
    uint8_t flags;
    uint8_t inside; /* not ended by a branch: the next block goes on as if in the same one */
};

/* Begins a scoreboard with this in the pipes (NULL: nothing). */
void mpj_pipe_begin_after(struct mpj_pipe *p, const struct mpj_residue *r);
/* Sets *out to what is left `later` cycles after (before, if negative) the next instruction would
 * issue. False: nothing. */
bool mpj_pipe_residue(const struct mpj_params *prm, const struct mpj_pipe *p, int32_t later,
                      struct mpj_residue *out);

/* Returns the number of a residue, the same for the same bytes. 0: nothing is left. */
uint32_t mpj_residue_number(struct mpj_chip *c, const struct mpj_residue *r);
/* Returns the residue of a number, NULL for 0. Valid until mpj_flow_forget(). */
const struct mpj_residue *mpj_residue_of(const struct mpj_chip *c, uint32_t number);
/* Returns the residue that many cycles later. */
uint32_t mpj_residue_aged(struct mpj_chip *c, uint32_t number, uint32_t cycles);

/* ---- translation: one block at a time -------------------------------------- */

/* Begins a block that finds `entry` in the pipes; returns its number (never 0). */
uint32_t mpj_block_begin(struct mpj_chip *c, uint32_t entry);
/* Adds the block's next instruction; see mpj_pipe_insn(). Returns the instruction's number. */
uint32_t mpj_block_insn(struct mpj_chip *c, uint32_t opcode, bool thumb, struct mpj_insn_cost *out);
/* Marks that many cycles of the last instruction as charged only where its condition holds. */
void mpj_block_conditional(struct mpj_chip *c, uint32_t cycles);
/* Marks the last instruction as a branch that folds: it takes no cycle, unless the code at unfolded
 * is next (MPJ_FLOW_NOWHERE: in no case). */
#define MPJ_FLOW_NOWHERE UINT32_MAX
void mpj_block_folds(struct mpj_chip *c, uint32_t unfolded);
/* Returns the residue of the block if it ends here; inside: it is not ended by a branch; folds: the
 * branch that ends it takes no cycle here. */
uint32_t mpj_block_residue(struct mpj_chip *c, bool inside, bool folds);
/* Ends the block. */
void mpj_block_end(struct mpj_chip *c);
/* Returns true if there is no space for another block of the largest size: mpj_flow_forget() is
 * due. */
bool mpj_flow_full(const struct mpj_chip *c);
/* Returns true if half of the space is used: a good time for mpj_flow_forget(). */
bool mpj_flow_many(const struct mpj_chip *c);
/* Discards all blocks. Residues, too, if they are many: keep[] (n numbers, those that are still
 * needed) is rewritten then. */
void mpj_flow_forget(struct mpj_chip *c, uint32_t *keep, unsigned n);

/* ---- execution ---------------------------------------------------------------- */

/* Switches on or off that every block of every core is walked (mpj_flow_enter()). To be called
 * before anything runs. */
void mpj_flow_exact(struct mpj_chip *c, bool on);
/* Returns true if the core's pipes are not as its next block was translated for: mpj_flow_enter()
 * is due. */
bool mpj_flow_busy(const struct mpj_chip *c, unsigned core);
/*
 * A block at pc is about to be entered, execution `id`.
 *   MPJ_FLOW_FORESEEN  the pipes hold what it was translated for after all
 *   MPJ_FLOW_WALKED    its cost differs by *more cycles from the static one
 *   MPJ_FLOW_OTHER     the block that finds residue *more is to be entered in its place
 */
enum mpj_flow_entry { MPJ_FLOW_FORESEEN, MPJ_FLOW_WALKED, MPJ_FLOW_OTHER };
enum mpj_flow_entry mpj_flow_enter(struct mpj_chip *c, unsigned core, uint32_t block, uint32_t pc,
                                   uint64_t id, int32_t *more);
/* Returns the flags' age (struct mpj_insn_cost) at the branch that ends the block under way, which
 * has been finished, and for which this one was foreseen. */
unsigned mpj_flow_flags_age(const struct mpj_chip *c, unsigned core, unsigned foreseen);
/* Finishes the block under way: the time of the core is about to be read, or the core has reached
 * the end of the block. Returns the cycles still to be charged for it. */
int32_t mpj_flow_finish(struct mpj_chip *c, unsigned core);
/* Returns how many cycles of this execution, which has just been entered, have been charged. */
int32_t mpj_flow_charged(struct mpj_chip *c, unsigned core, uint32_t block, uint64_t id);
/* Returns how many of the charged cycles of this execution come after the instruction has issued.
 * Negative if some are not charged yet, see mpj_flow_finish(). */
int32_t mpj_flow_rest(struct mpj_chip *c, unsigned core, uint32_t insn, uint64_t id);
/*
 * Delays the instruction's value by `late` cycles more than foreseen and the next access of the
 * load/store unit by `blocked` cycles. Returns by how many cycles the block's cost changes.
 */
int32_t mpj_flow_late(struct mpj_chip *c, unsigned core, uint32_t insn, uint64_t id, uint32_t late,
                      uint32_t blocked);
/* Does the same for `stall` cycles in which nothing issues, before the block's first
 * instruction. */
int32_t mpj_flow_stall(struct mpj_chip *c, unsigned core, uint32_t block, uint64_t id,
                       uint32_t stall);
/* Adds the cycles that the branch which ended the block took more than foreseen. */
void mpj_flow_age(struct mpj_chip *c, unsigned core, uint32_t cycles);
/*
 * Ends the execution of the block before its last `n` instructions. Returns how many cycles beyond
 * their static ones have been charged for them and are to be given back. The pipes are empty then,
 * or (keep) as they were before the first of the n instructions.
 */
int32_t mpj_flow_leave(struct mpj_chip *c, unsigned core, uint32_t block, uint64_t id, uint32_t n,
                       bool keep);
/* Sets *out to the content of the pipes when the instruction has issued, in this execution. */
void mpj_flow_look(struct mpj_chip *c, unsigned core, uint32_t insn, uint64_t id,
                   struct mpj_residue *out);
/* Gives execution `from` the name `to`. */
void mpj_flow_rename(struct mpj_chip *c, unsigned core, uint64_t from, uint64_t to);
/* Begins again a block that found the pipes empty, without a charge. */
void mpj_flow_again(struct mpj_chip *c, unsigned core, uint32_t block);
/* Empties the core's pipes: an exception, a wait. */
void mpj_flow_drop(struct mpj_chip *c, unsigned core);
/* Prepares a loaded chip: its next block was to find this (NULL: nothing) in the pipes, if they
 * were as foreseen when it was saved. The block may be one that finds them empty. */
void mpj_flow_resume(struct mpj_chip *c, unsigned core, const struct mpj_residue *r);

#endif
