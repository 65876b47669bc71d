/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the parts of the model that are built into the accelerator:
 * scheduler, translation-time instrumentation and memory accesses.
 */
#ifndef EXEC_MPJ_CORE_H
#define EXEC_MPJ_CORE_H

#include "hw/core/cpu.h"
#include "cpu.h"
#include "exec/cpu-all.h"
#include "exec/memopidx.h"
#include "exec/mpj-cpu.h"
#include "exec/mpj.h"
#include "mpj_flow.h"
#include "mpj_loop.h"

static inline MpjCpu *cpu_mpj(CPUState *cpu)
{
    return &cpu_neg(cpu)->mpj;
}

struct DisasContextBase;
struct TCGv_i32_d;
struct TCGv_i64_d;

/* Names the execution of the block under way, see mpj_flow.h. */
static inline uint64_t mpj_execution(const MpjCpu *m)
{
    return *m->hot.instr + mpj_unpack_a(m->hot.pack_a).instr;
}

/* ---- mpj-insn.c: instructions, if mpj.insns ------------------------------- */

typedef struct MpjInsnEvents {
    uint64_t rd_miss, wr_miss, fetch_miss, mispred;
} MpjInsnEvents;

/*
 * Called while a block is translated: its instructions' numbers, then the code
 * that counts how often it begins.
 */
void mpj_insn_number(uint32_t number, target_ulong pc);
void mpj_gen_insn_count(uint32_t number, unsigned n, const target_ulong *pc);
target_ulong mpj_insn_pc(uint32_t number);
/*
 * Notes that block @number was left before its last @unexecuted instructions.
 */
void mpj_insn_left(uint32_t number, unsigned unexecuted);
/* Forgets the numbers of blocks, which will be given to others. */
void mpj_insn_forget(void);
/* Adds cycles to those that the translation of the instruction at @pc has. */
void mpj_insn_cycles(target_ulong pc, int32_t cycles);
/* Begins or ends what takes no time (mpj-hold.c). */
void mpj_insn_hold(bool on);
/*
 * Adds that many executions, each with what came between it and the next one.
 */
void mpj_insn_repeat(target_ulong pc, uint64_t times, uint64_t cycles);
/*
 * Adds what the core counts from a call with @begin to the one without to the
 * instruction at @pc.
 */
void mpj_insn_events(CPUState *cpu, target_ulong pc, MpjInsnEvents *was,
                     bool begin);

/*
 * Lets generated code notice at the start of the next block that the core's
 * pipes are not as foreseen. Time does not change.
 */
static inline void mpj_flow_arm(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    if (m->hot.busy && mpj.fast) {
        m->hold += m->left;
        m->left = 0;
    }
}

/* Charges all that has happened, before the core's time is read. */
static inline void mpj_flow_settle(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    if (m->hot.busy) {
        int32_t more = mpj_flow_finish(mpj.chip, cpu->cpu_index);

        m->hold -= more;
        if (unlikely(mpj.insns)) {
            mpj_insn_cycles(mpj_insn_pc(m->insn), more);
        }
        if (!m->leave) {
            mpj_restore(m);
            mpj_flow_arm(cpu);
        }
    }
}

/* ---- mpj-step.c: slices that end at an instruction --------------------------- */

/*
 * Returns true if a block of n instructions may be run near the slice's exact
 * end. The rule must not depend on what the pipes hold, which generated code
 * knows and helpers do not.
 */
static inline bool mpj_near_fits(const MpjCpu *m, unsigned n)
{
    return n == 1 || (int64_t)n * MPJ_NEAR_INSN <= mpj_budget(m);
}
/*
 * Returns true if the block that is to be run fits. False: its first
 * instruction is next.
 */
bool mpj_step(CPUState *cpu, const TranslationBlock *tb);
/*
 * Leaves the block before the load at @retaddr, to do it as a block of its own,
 * unless it is one already: it is not a hit, and the slice's exact end may come
 * before its end.
 */
void mpj_step_load(CPUState *cpu, uintptr_t retaddr);

/* ---- mpj-debug.c: a debugger, if mpj.debug ---------------------------------- */

#define MPJ_DEBUG_SLOTS (1 << 16)

/* Non-zero at the slot of an instruction's address if it has to ask. */
extern uint8_t mpj_debug_at[MPJ_DEBUG_SLOTS];

static inline unsigned mpj_debug_slot(target_ulong pc)
{
    return (pc >> 1) % MPJ_DEBUG_SLOTS;
}

/* Generates the question before an instruction. */
void mpj_gen_debug(struct DisasContextBase *db);

/* ---- mpj-gen.c: translation ---------------------------------------------- */

void mpj_gen_tb_start(struct DisasContextBase *db);
void mpj_gen_tb_end(struct DisasContextBase *db);
/*
 * Called for every instruction of a block: before it, with its encoding, and
 * after it.
 */
void mpj_gen_insn_start(struct DisasContextBase *db);
void mpj_gen_insn(struct DisasContextBase *db, uint32_t opcode, bool thumb);
void mpj_gen_insn_end(struct DisasContextBase *db, bool conditional);
/*
 * Called when the instruction branches to a constant address, or its condition
 * failed.
 */
void mpj_gen_branch_direct(struct DisasContextBase *db, target_ulong target,
                           bool conditional);
void mpj_gen_branch_not_taken(struct DisasContextBase *db);
/* Called when the instruction has branched; the PC holds the target. */
void mpj_gen_branch_indirect(struct DisasContextBase *db, bool conditional);
/* Generates the entry of the next block where this one is left: its residue. */
void mpj_gen_carry(struct DisasContextBase *db);
/*
 * Generates a floating-point operation on words of env at these offsets, d =
 * op(d, n, m), with MPJ_FOP_DP in double precision. False: the code generator
 * has none.
 */
enum {
    MPJ_FOP_ADD,
    MPJ_FOP_SUB,
    MPJ_FOP_MUL,
    MPJ_FOP_DIV,
    MPJ_FOP_NMUL,
    MPJ_FOP_MLA, /* product and sum are rounded one after the other */
    MPJ_FOP_MLS,
    MPJ_FOP_NMLA,
    MPJ_FOP_NMLS,
    MPJ_FOP_DP = 16,
};
bool mpj_gen_fop(unsigned op, unsigned d, unsigned n, unsigned m);
/*
 * Executes such an operation where the host's arithmetic is not exact; offsets
 * d | n << 16, m.
 */
void helper_mpj_fop(CPUArchState *env, uint32_t op, uint32_t dn, uint32_t m);
/*
 * Returns true if the block touches as many cache lines as its entry can check.
 */
bool mpj_gen_block_full(struct DisasContextBase *db);

/*
 * Cost of the instructions of a block that were not executed, which is given
 * back when it is left in the middle. One row per instruction is stored with
 * the block's unwind data.
 */
typedef struct MpjRow {
    uint32_t cycles, ddep, loads, stores, energy, branch, pc_change, instr;
} MpjRow;

/* Sets the row of instruction @i of the block translated last. */
void mpj_gen_row(unsigned i, MpjRow *row);
void mpj_give_back(CPUState *cpu, const TranslationBlock *tb,
                   const MpjRow *sum);
/* Gives the cost back; what is in the pipes stays there. */
void mpj_give_back_rest(CPUState *cpu, const TranslationBlock *tb,
                        const MpjRow *sum);

/* ---- mpj-monitor.c: LDREX and STREX -------------------------------------- */

/* Sets, after LDREX has loaded from @addr, what the monitor watches. */
void mpj_gen_monitor_set(struct TCGv_i32_d *addr, int mmu_idx);
/*
 * Generates the accesses of STREX, if its monitor allows them: @failed is 1 if
 * memory does not hold the value that LDREX has loaded, or another core has
 * stored there since, which is known when the core has its turn, after the
 * load; memory is left as it is then.
 */
void mpj_gen_store_exclusive_i32(struct TCGv_i32_d *failed,
                                 struct TCGv_i32_d *addr,
                                 struct TCGv_i32_d *expected,
                                 struct TCGv_i32_d *value, int mmu_idx,
                                 MemOp op);
void mpj_gen_store_exclusive_i64(struct TCGv_i32_d *failed,
                                 struct TCGv_i32_d *addr,
                                 struct TCGv_i64_d *expected,
                                 struct TCGv_i64_d *value, int mmu_idx,
                                 MemOp op);

/* ---- cpu-exec.c ------------------------------------------------------------ */

/*
 * Runs a core from the block that its last slice ended before. True when its
 * budget is used up; false when cpu_exec() has to go on (after an interrupt, an
 * exception, a block that is not linked to the next one). cpu->jmp_env must be
 * set by the caller: a helper may leave by it; then mpj_exec_left() cleans up,
 * and cpu_exec() has to go on.
 */
bool mpj_exec_resume(CPUState *cpu);
void mpj_exec_left(CPUState *cpu);

#define MPJ_REGS_MAX 256

/* ---- mpj-poll.c: loops that wait for a line to change ----------------------- */

/*
 * Cycles after which, at the latest, all cores come to the end of a block. Only
 * then can the machine be stopped and saved.
 */
#define MPJ_BLOCK_ENDS (1 << 18)
#define MPJ_ROUND_POLLS 6
#define MPJ_ROUND_LINES 3
#define MPJ_ROUND_SITES 64
#define MPJ_ROUNDS_BRIEF 8
#define MPJ_ROUNDS_OTHER 64 /* of a loop that cannot be skipped, until the next try */
#define MPJ_DOZE_MIN 3      /* rounds that are worth it */
#define MPJ_DOZE_GAP 40     /* less than the smallest quantum for it */
#define MPJ_SITE_WORTH 32
/* The first poll of a loop that was steady. */
typedef struct MpjSite {
    uint32_t site;
    int32_t worth; /* rounds that were skipped, less the times that it was compared */
} MpjSite;

/*
 * The last poll of a core, and what lies between two polls of a loop. While no
 * core takes the line, such a loop repeats itself: the core is parked or dozes, and
 * when the line is taken, it is advanced directly to its next poll after that.
 */
typedef struct MpjPoll {
    uint64_t needs; /* lines of a loop that has been compared, bit n: n modulo 64 */
    bool live;   /* there has been one lately */
    bool again;  /* two followed each other in a loop */
    bool parked;
    bool seen;   /* the core at the last one is noted in full */
    bool steady; /* a loop of several loads, whose rounds are all the same */
    bool compares; /* from its begin, for that has been worth it */
    bool counts; /* ... but for what they add to registers and memory: loop */
    int rounds;  /* that seemed to be the same, up to MPJ_ROUNDS_BRIEF */
    uint32_t site; /* its instruction */
    uint64_t at;
    uint32_t line;
    uint32_t core_regs[15];
    unsigned lines; /* other ones that were polled since: */
    uint32_t other[MPJ_ROUND_LINES];
    unsigned polls; /* since the last one, with this one: */
    uint32_t offset[MPJ_ROUND_POLLS + 1]; /* cycles after it */
    unsigned count; /* polls of a round */
    MpjSite known[MPJ_ROUND_SITES]; /* sites of loops that were steady */
    struct mpj_loop loop;
    uintptr_t code; /* where generated code continued when it was determined */
    uint64_t left;  /* rounds of it until a count may end it */
    uint32_t accessed[MPJ_LOOP_LINES]; /* its lines, and its words: */
    void *host[MPJ_LOOP_CELLS];
    uint64_t period; /* of the loop, and what it adds to the counters */
    uint64_t each_a, each_b;
    struct mpj_hot_counts each_hot;
    struct mpj_counted each;
    /* The core at the last one. */
    size_t regs_bytes;
    uint8_t regs[MPJ_REGS_MAX];
    struct mpj_residue pipes;
    struct mpj_hot hot;
    struct mpj_counted counted;
    /* While the core dozes: */
    uint64_t begun; /* when it was at the first poll of a round */
    uint64_t now;   /* begin of the round of the poll that has its turn */
    unsigned next;  /* number of this poll in the round */
    uint64_t end;   /* polls before that time are all the same */
} MpjPoll;

/* Notes that a core polls @line. True: as it did the last two times. */
bool mpj_poll(CPUState *cpu, MpjPoll *poll, uint32_t line, uint64_t at);
/*
 * Notes the same for loops of several polls a round, of one line or more, and for
 * those that count their rounds. True: it is the first poll of a round, and the
 * last two rounds were the same.
 */
bool mpj_poll_round(CPUState *cpu, MpjPoll *round, uint32_t line, uint64_t at);
/*
 * Begins to doze at the first poll of a round, at @at. False: not worth it, or a
 * slice may end within a round.
 */
bool mpj_doze_begin(CPUState *cpu, MpjPoll *round, uint64_t at);
/* Returns when the poll after the one of its turn is; moves the turn to it. */
uint64_t mpj_doze_next(const MpjPoll *round);
uint64_t mpj_doze_on(MpjPoll *round);
/* Moves the turn on by whole rounds; it stays before that time. */
void mpj_doze_skip(MpjPoll *round, uint64_t time);
/*
 * Ends it: executes all rounds but the last ones, so that the core is at the first
 * poll of a round again. Returns true if polls are left to be executed before the
 * one that has the turn.
 */
bool mpj_doze_end(CPUState *cpu, MpjPoll *round, MpjPoll *poll);
/* Returns true if it depends on the line what the rounds do. */
bool mpj_round_needs(const MpjPoll *round, uint32_t line);
/* Notes that such a line changes: the next rounds may be other ones. */
void mpj_round_changes(MpjPoll *round);
/* Advances the core, which is at a poll whose turn is noted, by @times rounds. */
void mpj_poll_repeat(CPUState *cpu, MpjPoll *poll, uint64_t times);
/*
 * Counters and energy of a core that runs are brought up to its time at the
 * first end of a block after each multiple of so many cycles. The registers are
 * sampled there, so these places must not depend on who ran when; nor on whether
 * a loop that polls was executed or skipped: its core waits for the next poll.
 */
#define MPJ_FLUSH_CYCLES 4096
void mpj_flush_running(CPUState *cpu);
/* A round of a loop that polls does not take longer: it is another loop then. */
#define MPJ_ROUND_MAX 1000

static inline uint64_t mpj_flush_due(const MpjCpu *m)
{
    return (m->flushed / MPJ_FLUSH_CYCLES + 1) * MPJ_FLUSH_CYCLES;
}

/* ---- mpj-hold.c: work that takes no modelled time ----------------------------- */

/* State in which the held core continues; asked and core: to be saved. */
typedef struct MpjHoldState {
    uint64_t time;
    uint32_t sb_line, monitor, ras_top, ras[MPJ_RAS_ENTRIES];
    uint32_t asked, core;
} MpjHoldState;

/* Returns true if the core is held or asks for it. */
bool mpj_hold_asked(const CPUState *cpu);
/* Return the core that is held, NULL: none; and its time. */
CPUState *mpj_hold_core(void);
uint64_t mpj_hold_time(void);
/* Holds the core, which has its turn, is between two blocks, and is flushed. */
void mpj_hold_begin(CPUState *cpu);
/* Begins the core's budget, which is used up, again. */
void mpj_hold_slice(void);
/* Ends holding the core, or its request for it. */
void mpj_hold_end(CPUState *cpu);
void mpj_hold_save(MpjHoldState *to);
void mpj_hold_load(const MpjHoldState *from);

/* ---- mpj-io.c: accesses to devices ----------------------------------------- */

/*
 * Prepares an access to a device at @retaddr, in the middle of a block. True:
 * the core's state is that before the instruction, and it is set up to do it as
 * a block of its own; all that remains is to leave the block.
 */
bool mpj_io_again(CPUState *cpu, uintptr_t retaddr);
/* Notes the block of one instruction that was found for it otherwise. */
void mpj_io_block(TranslationBlock *tb);
/* Forget what was noted of blocks, all of which are discarded. */
void mpj_io_forget(void);
void mpj_blocks_forget(void);
/*
 * Asks to discard all blocks: the running core has found no space for another
 * one.
 */
void mpj_blocks_full(void);
/* Drops the block that the core was to resume with. */
void mpj_resume_drop(CPUState *cpu);
/* Does what cpu_restore_state() does but the restoring (translate-all.c). */
bool mpj_unwind(TranslationBlock *tb, uintptr_t host_pc, uint64_t *data,
                MpjRow *unexecuted);

/* ---- tb-maint.c ------------------------------------------------------------ */

/*
 * Allow links between pages. QEMU links blocks of one page only: what follows
 * in another one may change with the page tables. A section that is mapped as a
 * whole is as good as a page; its links (counted by mpj_link_note()) are cut
 * when a TLB is flushed. Not if another core has mapped it otherwise: all cores
 * have the same blocks.
 */
bool mpj_link_possible(target_ulong from, target_ulong to);
bool mpj_link_note(TranslationBlock *tb, int n);
void mpj_links_cut(void);

/* ---- mpj-prof.c: functions, if mpj.prof ----------------------------------- */

/* Report a taken branch at the end of a block, whose cost has been charged. */
void mpj_prof_direct(CPUArchState *env, target_ulong pc, target_ulong target,
                     uint32_t info);
void mpj_prof_indirect(CPUArchState *env, target_ulong pc, target_ulong target,
                       uint32_t info);

/* ---- mpj-whatif.c: costs that are changed, if mpj.what_if ------------------ */

/* Returns, in 65536ths, what the code at @pc takes of its cycles. */
uint32_t mpj_what_if_factor(target_ulong pc);
/* Returns true if the code at @pc is that of a lock which may be free. */
bool mpj_what_if_locks(target_ulong pc);
/*
 * Corrects the core's time, between two blocks, by what its code takes less or
 * more.
 */
void mpj_what_if_settle(CPUState *cpu);
/*
 * Excludes the time up to now, in which the core has waited, from the
 * correction.
 */
void mpj_what_if_skip(CPUState *cpu);

/* ---- mpj-mem.c: accesses and fetches -------------------------------------- */

/*
 * Above the memory operation in a MemOpIdx: the instruction (mpj_flow.h), and
 * whether this is the load of one that loads and stores as one (STREX, SWP). To
 * the model it is the store: the line must be there to be written, and no other
 * core may come in between.
 */
#define MPJ_OI_INSN_SHIFT 12
#define MPJ_OI_EXCLUSIVE (1u << 31)

static inline uint32_t mpj_oi_insn(MemOpIdx oi)
{
    return (oi & ~MPJ_OI_EXCLUSIVE) >> MPJ_OI_INSN_SHIFT;
}

static inline bool mpj_oi_exclusive(MemOpIdx oi)
{
    return oi & MPJ_OI_EXCLUSIVE;
}

/*
 * Argument of the branch helpers: enum mpj_branch_kind, flags, and above them
 * the flags' age (see mpj_branch()), 0 for an unconditional branch.
 */
#define MPJ_BRANCH_KIND 0x0f
#define MPJ_BRANCH_TAKEN 0x10
#define MPJ_BRANCH_FOLDS 0x20 /* the block was charged as if it was folded */
#define MPJ_BRANCH_AGE_SHIFT 8

/* Models a data access of generated code that is about to happen. */
void mpj_data_access(CPUArchState *env, target_ulong addr, MemOpIdx oi,
                     bool store, uintptr_t retaddr);
/*
 * Models an access to plain memory that is naturally aligned, where the page
 * has a row; returns the host address at which to do it. NULL: it is another
 * access, for mpj_data_access().
 */
void *mpj_page_access(CPUArchState *env, target_ulong addr, MemOpIdx oi,
                      unsigned size, bool store, uintptr_t retaddr);
/*
 * Returns the host's address of data at @addr, and its line; NULL if the core
 * has no row for such an access.
 */
void *mpj_data_host(CPUState *cpu, target_ulong addr, bool store,
                    uint32_t *line);
/* For mpj_chip_order(): returns when it is the access's turn. */
uint64_t mpj_turn(void *opaque, unsigned core, uint32_t line, uint64_t at,
                  enum mpj_turn turn);
/*
 * Returns true if the section of this code is mapped as a whole and is the same
 * memory on all cores that have executed code there.
 */
bool mpj_code_whole(CPUState *cpu, target_ulong pc);
/* Forgets what was derived from page tables and micro TLB. */
void mpj_rows_reset(CPUState *cpu);
/* Makes stores to some pages visible to QEMU from now on. */
void mpj_writes_reset(CPUState *cpu);
void mpj_mem_init(CPUState *cpu);

/*
 * Returns the TLB entry of an access; faults as the access would unless
 * @nonfault, then NULL. *host: where the byte is, NULL for a device, which only
 * the last instruction of a block may access.
 */
CPUTLBEntryFull *mpj_translate(CPUArchState *env, target_ulong addr,
                               MMUAccessType type, int mmu_idx, bool nonfault,
                               uintptr_t retaddr, void **host);

/* ---- the target ----------------------------------------------------------- */

bool mpj_mmu_enabled(CPUArchState *env);
/*
 * Returns the predictor's kind of a branch that the pipeline model knows as
 * @kind.
 */
enum mpj_branch_kind mpj_branch_kind(uint32_t opcode, bool thumb,
                                     enum mpj_insn_kind kind);
/* Returns the row set (of MPJ_ROW_SETS) for accesses with this MMU index. */
static inline unsigned mpj_row_set(int mmu_idx)
{
    return mmu_idx == (ARMMMUIdx_E10_0 & ARM_MMU_IDX_COREIDX_MASK);
}
/*
 * Returns true for an access to inner cacheable normal memory. Without MMU the
 * kind of access decides, and not @full: QEMU has one entry for code and data,
 * with the attributes of the access that filled it.
 */
bool mpj_cacheable(CPUArchState *env, const CPUTLBEntryFull *full, bool insn);
target_ulong mpj_branch_target(CPUArchState *env);

/*
 * Copies everything that a program can change of a core without any memory, at
 * most MPJ_REGS_MAX bytes; returns how many.
 */
size_t mpj_all_regs(CPUState *cpu, void *to);
/* Copies core registers r0..r14 for the power model; provided by the target. */
void mpj_sample_regs(CPUState *cpu, uint32_t regs[16]);
/* Returns where they are. */
const uint32_t *mpj_core_regs(CPUState *cpu);
/*
 * Determines the loop that the core is in, at an access of it from generated
 * code. False: no such loop (mpj_loop.h), or registers that it changes may be in
 * use by generated code.
 */
bool mpj_loop_here(CPUState *cpu, MpjPoll *round);
/* Adds to registers and memory what so many rounds add to them. */
void mpj_loop_skip(CPUState *cpu, const MpjPoll *round, uint64_t times);
/* Returns the processor's mode: it changes when an exception is taken. */
uint32_t mpj_core_mode(CPUState *cpu);

#endif
