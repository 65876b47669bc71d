/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instrumentation of translated blocks.
 *
 * What a block costs is known only after its last instruction, so the code at
 * the block's start is generated at the end and then moved to the front. What
 * is seldom executed follows the block's last exit.
 *
 * long file: all of it works on the one block that is being translated.
 */
#include "qemu/osdep.h"
#include "tcg/tcg.h"
#include "tcg/tcg-op.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/helper-gen.h"
#include "exec/translator.h"
#include "exec/mpj-core.h"
#include "mpj_branch.h"
#include "mpj_params.h"
#include "mpj_functions.h"

#define MPJ_OFS(field) \
    (offsetof(ArchCPU, neg.mpj.field) - offsetof(ArchCPU, env))

/* Number of cache lines that a block's start checks with one load. */
#define BLOCK_LINES 4

/* A branch's way out of the inline test of the predictor. */
typedef struct BranchStub {
    TCGLabel *slow, *back;
    target_ulong target, next;
    uint32_t info;
    int exit; /* link after a misprediction; 0: none */
} BranchStub;

/* The block being translated; one thread translates, see mpj-sched.c. */
static struct {
    struct mpj_insn_cost cost[TCG_MAX_INSNS];
    uint32_t insn[TCG_MAX_INSNS]; /* numbers, as mpj_flow.h knows them; 0: none */
    target_ulong pc[TCG_MAX_INSNS];
    uint32_t number;              /* the block's */
    /* The branch that ends the block, as the predictor wants it. */
    enum mpj_branch_kind branch_kind;
    target_ulong branch_pc, branch_target;
    uint32_t branch_info; /* of a branch to a constant address */
    bool thumb;
    bool branch; /* its last instruction is one */
    BranchStub stub[2]; /* a conditional branch ends in two ways */
    unsigned stubs;
    unsigned exits; /* links after mispredictions */
    TranslationBlock *tb;
    bool inside; /* begins where a block was full */
} block;

/* ---- costs ------------------------------------------------------------------ */

void mpj_gen_insn_start(DisasContextBase *db)
{
    struct mpj_insn_cost *c = &block.cost[db->num_insns - 1];

    memset(c, 0, sizeof(*c));
    block.insn[db->num_insns - 1] = 0;
    if (!mpj.full) {
        c->cycles = 1;
    }
}

/*
 * Generates the call of the debugger. Not in a block that repeats an access to
 * a device: its instruction has asked in the block before.
 */
void mpj_gen_debug(DisasContextBase *db)
{
    TCGLabel *on;
    TCGv_i32 ask;

    if (tb_cflags(db->tb) & CF_MEMI_ONLY) {
        return;
    }
    on = gen_new_label();
    ask = tcg_temp_new_i32();
    tcg_gen_ld8u_i32(ask, tcg_constant_ptr(mpj_debug_at),
                     mpj_debug_slot(db->pc_next));
    tcg_gen_st_i32(tcg_constant_i32(db->pc_next), cpu_env,
                   offsetof(CPUARMState, regs[15]));
    tcg_gen_brcondi_i32(TCG_COND_EQ, ask, 0, on);
    gen_helper_mpj_debug(cpu_env, tcg_constant_i32(db->pc_next));
    gen_set_label(on);
    tcg_temp_free_i32(ask);
}

void mpj_gen_insn(DisasContextBase *db, uint32_t opcode, bool thumb)
{
    unsigned i = db->num_insns - 1;
    struct mpj_insn_cost *c = &block.cost[i];

    if (!mpj.full) {
        return;
    }
    block.insn[i] = mpj_block_insn(mpj.chip, opcode, thumb, c);
    block.pc[i] = db->pc_next - (thumb && opcode <= 0xffff ? 2 : 4);
    if (mpj.insns) {
        mpj_insn_number(block.insn[i], block.pc[i]);
    }
    block.thumb = thumb;
    block.branch = c->branch;
    if (!c->branch) {
        return;
    }
    block.branch_kind = mpj_branch_kind(opcode, thumb, c->kind);
    /* A Thumb call's return address is where the predictor looks for it. */
    block.branch_pc = block.branch_kind == MPJ_BR_CALL ||
                      block.branch_kind == MPJ_BR_CALL_INDIRECT
                      ? db->pc_next - 4 : db->pc_next - (thumb ? 2 : 4);
}

/*
 * Charges where generated code keeps the budget and the packed counters in
 * registers.
 */
static void gen_charge(uint32_t cycles, uint64_t pack_a, uint64_t pack_b)
{
#if TCG_TARGET_HAS_mpj
    tcg_gen_op3(INDEX_op_mpj_charge, cycles, pack_a, pack_b);
#endif
}

/*
 * Takes the counts of a conditional instruction that depend on its condition
 * out of the block's sum and adds them where it is executed. This comes after
 * the access, so an instruction that faults has not added anything.
 */
void mpj_gen_insn_end(DisasContextBase *db, bool conditional)
{
    struct mpj_insn_cost *c = &block.cost[db->num_insns - 1];
    unsigned issue;

    if (!mpj.full || !conditional || db->is_jmp == DISAS_NORETURN) {
        return;
    }
    issue = c->issue;
    if (issue > 1) {
        mpj_block_conditional(mpj.chip, issue - 1);
    }
    if (mpj.fast && (issue > 1 || c->loads || c->stores)) {
        gen_charge(MAX(issue, 1) - 1, MPJ_PACK_A(0, 0, c->loads, c->stores), 0);
        c->cycles -= MAX(issue, 1) - 1;
        c->loads = c->stores = 0;
        return;
    }
    if (issue > 1) {
        TCGv_i32 left = tcg_temp_new_i32();

        tcg_gen_ld_i32(left, cpu_env, MPJ_OFS(left));
        tcg_gen_subi_i32(left, left, issue - 1);
        tcg_gen_st_i32(left, cpu_env, MPJ_OFS(left));
        tcg_temp_free_i32(left);
        c->cycles -= issue - 1;
    }
    if (c->loads || c->stores) {
        TCGv_i64 pack = tcg_temp_new_i64();

        tcg_gen_ld_i64(pack, cpu_env, MPJ_OFS(hot.pack_a));
        tcg_gen_addi_i64(pack, pack, MPJ_PACK_A(0, 0, c->loads, c->stores));
        tcg_gen_st_i64(pack, cpu_env, MPJ_OFS(hot.pack_a));
        tcg_temp_free_i64(pack);
        c->loads = c->stores = 0;
    }
}

bool mpj_gen_fop(unsigned op, unsigned d, unsigned n, unsigned m)
{
    if (!mpj.fast) {
        return false;
    }
#if TCG_TARGET_HAS_mpj
    tcg_gen_op4(INDEX_op_mpj_fop, op, d, n, m);
#endif
    return true;
}

bool mpj_gen_block_full(DisasContextBase *db)
{
    return mpj.full && (db->pc_next >> MPJ_LINE_SHIFT) -
                       (db->pc_first >> MPJ_LINE_SHIFT) >= BLOCK_LINES;
}

void mpj_gen_row(unsigned i, MpjRow *row)
{
    const struct mpj_insn_cost *c = &block.cost[i];

    *row = (MpjRow) {
        .cycles = c->cycles,
        .ddep = c->ddep,
        .loads = c->loads,
        .stores = c->stores,
        .energy = c->energy,
        .branch = c->branch,
        .pc_change = c->pc_change,
        .instr = 1,
    };
}

static void add_row(MpjRow *sum, const MpjRow *row)
{
    sum->cycles += row->cycles;
    sum->ddep += row->ddep;
    sum->loads += row->loads;
    sum->stores += row->stores;
    sum->energy += row->energy;
    sum->branch += row->branch;
    sum->pc_change += row->pc_change;
    sum->instr += row->instr;
}

static uint64_t row_pack_a(const MpjRow *r)
{
    return MPJ_PACK_A(r->instr, r->ddep, r->loads, r->stores);
}

static uint64_t row_pack_b(const MpjRow *r)
{
    return MPJ_PACK_B(r->energy, r->branch, r->pc_change);
}

static void give_back(CPUState *cpu, const TranslationBlock *tb,
                      const MpjRow *sum, bool keep)
{
    MpjCpu *m = cpu_mpj(cpu);

    m->left += sum->cycles;
    if (mpj.full) {
        if (!mpj.held) {
            m->left += mpj_flow_leave(mpj.chip, cpu->cpu_index, tb->mpj_block,
                                      mpj_execution(m), sum->instr, keep);
        }
        m->hot.pack_a -= row_pack_a(sum);
        m->hot.pack_b -= row_pack_b(sum);
        if (unlikely(mpj.insns && !mpj.held)) {
            mpj_insn_left(tb->mpj_block, sum->instr);
        }
    }
}

void mpj_give_back(CPUState *cpu, const TranslationBlock *tb,
                   const MpjRow *sum)
{
    give_back(cpu, tb, sum, false);
}

void mpj_give_back_rest(CPUState *cpu, const TranslationBlock *tb,
                        const MpjRow *sum)
{
    give_back(cpu, tb, sum, true);
}

/* ---- branches ---------------------------------------------------------------- */

/*
 * Returns the number of what remains in the pipes at the block's end as
 * generated up to here. Where every block is walked, only what the translation
 * itself depends on.
 */
static uint32_t carry(bool folds)
{
    struct mpj_residue r = { .inside = !block.branch };

    return mpj.fast ? mpj_block_residue(mpj.chip, r.inside, folds)
                    : mpj_residue_number(mpj.chip, &r);
}

static void gen_set_entry(uint32_t number)
{
    tcg_gen_st_i32(tcg_constant_i32(number), cpu_env, MPJ_OFS(entry));
}

void mpj_gen_carry(DisasContextBase *db)
{
    if (mpj.full) {
        gen_set_entry(carry(block.branch_info & MPJ_BRANCH_FOLDS));
    }
}

/* Goes to @code, which is what helper_lookup_tb_ptr() has returned. */
static void gen_go(TCGv_ptr code)
{
    if (tcg_ctx->tb_cflags & CF_NO_GOTO_PTR) {
        tcg_gen_exit_tb(NULL, 0);
    } else {
        tcg_gen_op1i(INDEX_op_goto_ptr, tcgv_ptr_arg(code));
    }
    tcg_temp_free_ptr(code);
}

static void gen_lookup(void)
{
    TCGv_ptr code = tcg_temp_new_ptr();

    gen_helper_lookup_tb_ptr(code, cpu_env);
    gen_go(code);
}

/*
 * Generates a branch that calls the predictor. Where it takes longer than the
 * links to the next block assume, less remains in the pipes: a misprediction,
 * the usual case, has a link of its own (@exit), others look the block up.
 */
static void gen_branch_call(target_ulong target, uint32_t info,
                            target_ulong next, int exit)
{
    const struct mpj_params *prm = mpj_chip_params(mpj.chip);
    bool folds = info & MPJ_BRANCH_FOLDS;
    uint32_t number = mpj.fast ? carry(folds) : 0;
    uint32_t usual = mpj_branch_wrong(prm, info >> MPJ_BRANCH_AGE_SHIFT) +
                     folds;
    TCGLabel *linked, *other;
    TCGv_i32 late;
    TCGv_ptr code;

    if (!number) {
        gen_helper_mpj_branch(cpu_env, tcg_constant_tl(block.branch_pc),
                              tcg_constant_tl(target), tcg_constant_i32(info));
        return;
    }
    linked = gen_new_label();
    other = gen_new_label();
    late = tcg_temp_local_new_i32();
    (mpj.prof ? gen_helper_mpj_branch_prof : gen_helper_mpj_branch_late)(
        late, cpu_env, tcg_constant_tl(block.branch_pc),
        tcg_constant_tl(target), tcg_constant_i32(info));
    tcg_gen_brcondi_i32(TCG_COND_LE, late, 0, linked);
    if (exit && mpj_residue_aged(mpj.chip, number, usual) != number) {
        tcg_gen_brcondi_i32(TCG_COND_NE, late, usual, other);
        tcg_gen_goto_tb(exit);
        gen_set_entry(mpj_residue_aged(mpj.chip, number, usual));
        tcg_gen_st_i32(tcg_constant_i32(next), cpu_env,
                       offsetof(CPUARMState, regs[15]));
        tcg_gen_exit_tb(block.tb, exit);
        gen_set_label(other);
    }
    code = tcg_temp_new_ptr();
    gen_helper_mpj_carry(code, cpu_env, tcg_constant_i32(number), late,
                         tcg_constant_tl(next));
    gen_go(code);
    gen_set_label(linked);
    tcg_temp_free_i32(late);
}

static void gen_ras_push(target_ulong address)
{
    const struct mpj_params *prm = mpj_chip_params(mpj.chip);
    TCGv_i32 top = tcg_temp_new_i32();
    TCGv_i32 ofs = tcg_temp_new_i32();
    TCGv_ptr entry = tcg_temp_new_ptr();

    tcg_gen_ld_i32(top, cpu_env, MPJ_OFS(hot.ras_top));
    tcg_gen_addi_i32(top, top, 1);
    tcg_gen_andi_i32(top, top, MPJ_RAS_ENTRIES - 1);
    tcg_gen_st_i32(top, cpu_env, MPJ_OFS(hot.ras_top));
    for (int i = 0; i < 2; i++) {
        tcg_gen_shli_i32(ofs, top, 2);
        tcg_gen_ext_i32_ptr(entry, ofs);
        tcg_gen_add_ptr(entry, entry, cpu_env);
        tcg_gen_st_i32(tcg_constant_i32(i == 0 ? address : 0), entry,
                       MPJ_OFS(hot.ras));
        if (prm->ras_depth >= MPJ_RAS_ENTRIES) {
            break;
        }
        /* The entry that falls out of a shallower stack. */
        tcg_gen_subi_i32(top, top, prm->ras_depth);
        tcg_gen_andi_i32(top, top, MPJ_RAS_ENTRIES - 1);
    }
    tcg_temp_free_i32(top);
    tcg_temp_free_i32(ofs);
    tcg_temp_free_ptr(entry);
}

static void gen_add_i32(size_t ofs, int32_t n)
{
    TCGv_i32 t = tcg_temp_new_i32();

    tcg_gen_ld_i32(t, cpu_env, ofs);
    tcg_gen_addi_i32(t, t, n);
    tcg_gen_st_i32(t, cpu_env, ofs);
    tcg_temp_free_i32(t);
}

/* Adds an operation of the code generator whose first argument is a label. */
static void gen_op_label(TCGOpcode opc, TCGLabel *label, TCGArg a1, TCGArg a2,
                         TCGArg a3)
{
    TCGOp *op = tcg_emit_op(opc);

    label->refs++;
    op->args[0] = label_arg(label);
    op->args[1] = a1;
    op->args[2] = a2;
    op->args[3] = a3;
}

/*
 * Generates a branch to a constant address. One that the predictor is sure of
 * changes nothing there: see mpj_params.h for what is equivalent to
 * mpj_branch().
 */
static void gen_direct(DisasContextBase *db, target_ulong target,
                       uint32_t info, target_ulong next)
{
    /* A link under the same conditions as QEMU's. */
    int exit = db->is_jmp <= DISAS_NORETURN && block.exits < 2 &&
               translator_use_goto_tb(db, next) ? 2 + block.exits++ : 0;
    enum mpj_branch_kind kind = info & MPJ_BRANCH_KIND;
    bool taken = info & MPJ_BRANCH_TAKEN;
    unsigned i = (block.branch_pc >> 3) & (MPJ_BTAC_ENTRIES - 1);
    BranchStub *stub = &block.stub[block.stubs];

    if (!mpj.fast || block.stubs == ARRAY_SIZE(block.stub)) {
        gen_branch_call(target, info, next, exit);
        return;
    }
    block.stubs++;
    *stub = (BranchStub) {
        .slow = gen_new_label(),
        .back = gen_new_label(),
        .target = target,
        .next = next,
        .exit = exit,
        .info = info,
    };
    gen_op_label(INDEX_op_mpj_predicted, stub->slow,
                 mpj_btac_entry(block.branch_pc, taken ? 3 : 0), i,
                 (info & MPJ_BRANCH_FOLDS) != 0);
    if (kind == MPJ_BR_CALL && taken) {
        gen_ras_push(block.branch_pc + 4);
    }
    gen_set_label(stub->back);
}

static void gen_branch_stubs(void)
{
    for (unsigned i = 0; i < block.stubs; i++) {
        BranchStub *stub = &block.stub[i];

        gen_set_label(stub->slow);
        gen_branch_call(stub->target, stub->info, stub->next, stub->exit);
        tcg_gen_br(stub->back);
    }
}

static bool is_branch(DisasContextBase *db)
{
    return mpj.full && block.cost[db->num_insns - 1].branch;
}

/* Returns kind and age of the flags of the block's branch. */
static uint32_t branch_info(DisasContextBase *db, bool conditional)
{
    unsigned age = block.cost[db->num_insns - 1].flags_age;

    return block.branch_kind |
           (conditional ? MAX(age, 1) : 0) << MPJ_BRANCH_AGE_SHIFT;
}

/*
 * Returns true if the branch, when it is taken, leaves the instruction stream.
 * A rule of the code alone: stalls of other instructions, which give the
 * prefetch unit more time, do not count.
 */
static bool branch_folds(DisasContextBase *db, target_ulong target)
{
    const struct mpj_params *prm = mpj_chip_params(mpj.chip);
    uint32_t pc = db->pc_next - (block.thumb ? 2 : 4), issue = 0;
    unsigned lead = block.inside
                    ? prm->fetch_buffer - 1
                    : mpj_fetch_lead_assumed(prm, db->pc_first, pc, target);

    for (int i = 0; i < db->num_insns - 1; i++) {
        issue += block.cost[i].issue;
    }
    if (pc == db->pc_first && block.inside && target == pc - (db->pc_next - pc)) {
        /* A loop of two instructions, cut in the middle. */
        return mpj_branch_may_fold(prm, true) &&
               mpj_fetch_folds(0, 1, target, db->pc_next, target);
    }
    return mpj_branch_may_fold(prm, true) &&
           mpj_fetch_folds(lead, issue, db->pc_first, db->pc_next, target);
}

/* Charges one cycle where it is known that the block needs it. */
static void gen_charge_cycle(void)
{
    if (mpj.fast) {
        gen_charge(1, 0, 0);
    } else {
        gen_add_i32(MPJ_OFS(left), -1);
    }
}

/*
 * Generates the report of a branch, which has been charged: it may lead into
 * another function.
 */
static void gen_prof(target_ulong target)
{
    if (block.branch_kind == MPJ_BR_CALL) {
        gen_helper_mpj_prof_call(cpu_env, tcg_constant_tl(target),
                                 tcg_constant_tl(block.branch_pc + 4));
    } else if (mpj_prof_is_start(mpj.chip, target)) {
        gen_helper_mpj_prof_tail(cpu_env, tcg_constant_tl(target));
    }
}

void mpj_gen_branch_direct(DisasContextBase *db, target_ulong target,
                           bool conditional)
{
    if (!is_branch(db)) {
        return;
    }
    block.branch_target = target;
    if (block.branch_kind == MPJ_BR_DIRECT &&
        (!branch_folds(db, target) || (conditional && target == db->pc_next))) {
        /* One that goes to the next instruction either way is never folded. */
        block.branch_kind = MPJ_BR_DIRECT_FIRST;
    }
    block.branch_info = branch_info(db, conditional);
    if (block.branch_kind == MPJ_BR_DIRECT && target != block.branch_pc) {
        /* The usual case is what the block is charged; the helper corrects. */
        block.branch_info |= MPJ_BRANCH_FOLDS;
        block.cost[db->num_insns - 1].cycles--;
        mpj_block_folds(mpj.chip,
                        !conditional ||
                        mpj_branch_may_fold(mpj_chip_params(mpj.chip), false)
                        ? MPJ_FLOW_NOWHERE : db->pc_next);
    }
    gen_direct(db, target, block.branch_info | MPJ_BRANCH_TAKEN, target);
    if (mpj.prof) {
        gen_prof(target);
    }
}

void mpj_gen_branch_not_taken(DisasContextBase *db)
{
    if (!is_branch(db)) {
        return;
    }
    switch (block.branch_kind) {
    case MPJ_BR_DIRECT:
    case MPJ_BR_DIRECT_FIRST:
    case MPJ_BR_CALL:
        if ((block.branch_info & MPJ_BRANCH_FOLDS) &&
            !mpj_branch_may_fold(mpj_chip_params(mpj.chip), false)) {
            block.branch_info &= ~MPJ_BRANCH_FOLDS;
            gen_charge_cycle();
        }
        gen_direct(db, block.branch_target, block.branch_info, db->pc_next);
        break;
    default:
        /* A branch of another kind has no effect when its condition fails. */
        break;
    }
}

void mpj_gen_branch_indirect(DisasContextBase *db, bool conditional)
{
    if (is_branch(db)) {
        gen_helper_mpj_branch_indirect(cpu_env,
            tcg_constant_tl(block.branch_pc),
            tcg_constant_i32(branch_info(db, conditional) |
                             MPJ_BRANCH_TAKEN));
    }
}

/* ---- start and end of a block -------------------------------------------------- */

void mpj_gen_tb_start(DisasContextBase *db)
{
    tcg_ctx->exitreq_label = tb_cflags(db->tb) & CF_NOIRQ ? NULL
                                                         : gen_new_label();
    block.stubs = 0;
    block.exits = 0;
    block.tb = db->tb;
#if TCG_TARGET_HAS_mpj
    if (mpj.full && mpj.fast) {
        tcg_regset_set_reg(tcg_ctx->reserved_regs, TCG_REG_MPJ_PAGES);
        tcg_regset_set_reg(tcg_ctx->reserved_regs, TCG_REG_MPJ_LEFT);
        tcg_regset_set_reg(tcg_ctx->reserved_regs, TCG_REG_MPJ_PACK);
    }
#endif
    block.branch_info = 0;
    block.branch_kind = MPJ_BR_INDIRECT;
    block.branch = false;
    if (mpj.full) {
        const struct mpj_residue *r =
            mpj_residue_of(mpj.chip, db->tb->mpj_entry);

        block.inside = r && r->inside;
        block.number = mpj_block_begin(mpj.chip, db->tb->mpj_entry);
        db->tb->mpj_block = block.number;
    }
}

/* Moves everything after @last to the front of the block. */
static void move_to_front(TCGOp *last)
{
    TCGOp *pos = NULL, *op;

    while ((op = QTAILQ_NEXT(last, link))) {
        QTAILQ_REMOVE(&tcg_ctx->ops, op, link);
        if (pos) {
            QTAILQ_INSERT_AFTER(&tcg_ctx->ops, pos, op, link);
        } else {
            QTAILQ_INSERT_HEAD(&tcg_ctx->ops, op, link);
        }
        pos = op;
    }
}

/*
 * Clears can_do_io: devices may be accessed by the last instruction of a block
 * only.
 */
static void gen_no_io(void)
{
    tcg_gen_st_i32(tcg_constant_i32(0), cpu_env,
                   offsetof(ArchCPU, parent_obj.can_do_io) -
                   offsetof(ArchCPU, env));
}

/*
 * Generates the portable form of mpj_enter. The budget is tested before the
 * block's cost is subtracted, but subtracted in any case: no value then lives
 * across the branch. The way out gives back.
 */
static void gen_budget(uint32_t cycles)
{
    TCGv_i32 left = tcg_temp_new_i32();
    TCGv_i32 rest = tcg_temp_new_i32();

    tcg_gen_ld_i32(left, cpu_env, MPJ_OFS(left));
    tcg_gen_subi_i32(rest, left, cycles);
    tcg_gen_st_i32(rest, cpu_env, MPJ_OFS(left));
    gen_no_io();
    if (tcg_ctx->exitreq_label) {
        tcg_gen_brcondi_i32(TCG_COND_LE, left, 0, tcg_ctx->exitreq_label);
    }
    tcg_temp_free_i32(left);
    tcg_temp_free_i32(rest);
}

/*
 * Generates the exit without budget: the slice is over, the core is to be left,
 * or (@enter) its pipes are not as this block was translated for.
 */
static void gen_budget_exit(DisasContextBase *db, uint32_t give_back,
                            TCGLabel *enter)
{
    gen_set_label(tcg_ctx->exitreq_label);
    if (enter) {
        TCGv_i32 where = tcg_temp_local_new_i32();
        TCGLabel *out = gen_new_label();

        gen_helper_mpj_enter(where, cpu_env, tcg_constant_tl(db->pc_first),
                             tcg_constant_i32(block.number),
                             tcg_constant_i32(db->num_insns));
        tcg_gen_brcondi_i32(TCG_COND_EQ, where, 1, enter);
        tcg_gen_brcondi_i32(TCG_COND_EQ, where, 0, out);
        gen_lookup();
        gen_set_label(out);
        tcg_temp_free_i32(where);
    }
    if (give_back) {
        gen_add_i32(MPJ_OFS(left), give_back);
    }
    tcg_gen_exit_tb(db->tb, TB_EXIT_REQUESTED);
}

static void gen_pack(size_t ofs, uint64_t sum)
{
    TCGv_i64 pack = tcg_temp_new_i64();

    tcg_gen_ld_i64(pack, cpu_env, ofs);
    tcg_gen_addi_i64(pack, pack, sum);
    tcg_gen_st_i64(pack, cpu_env, ofs);
    tcg_temp_free_i64(pack);
}

/*
 * Generates a test of the state bytes of up to four lines, all 1 if the lines
 * are in the micro TLB and L1I. Otherwise the helper looks at each.
 */
static void gen_fetch(DisasContextBase *db, TCGLabel *slow)
{
    unsigned lines = ((db->pc_next - 1) >> MPJ_LINE_SHIFT) -
                     (db->pc_first >> MPJ_LINE_SHIFT) + 1;
    target_long ofs = db->pc_first >> MPJ_LINE_SHIFT;

    gen_op_label(INDEX_op_mpj_fetched, slow,
                 MPJ_OFS(irow[db->pc_first >> MPJ_SECTION_SHIFT]), ofs,
                 MIN(lines, BLOCK_LINES));
}

static void gen_fetch_call(DisasContextBase *db)
{
    gen_helper_mpj_fetch(cpu_env, tcg_constant_tl(db->pc_first),
                         tcg_constant_i32(db->pc_next - db->pc_first),
                         tcg_constant_i32(block.number));
}

/* Generates a counter of how often the block has begun. */
static void gen_count(DisasContextBase *db)
{
    if (mpj.insns) {
        mpj_gen_insn_count(block.number, db->num_insns, block.pc);
    }
}

/*
 * Returns true if the instruction that starts with this op loads and stores, as
 * STREX and SWP.
 */
static bool loads_and_stores(TCGOp *op)
{
    bool loads = false, stores = false;

    while ((op = QTAILQ_NEXT(op, link)) && op->opc != INDEX_op_insn_start) {
        loads |= op->opc == INDEX_op_qemu_ld_i32 ||
                 op->opc == INDEX_op_qemu_ld_i64;
        stores |= op->opc == INDEX_op_qemu_st_i32 ||
                  op->opc == INDEX_op_qemu_st_i64 ||
                  op->opc == INDEX_op_qemu_st8_i32;
    }
    return loads && stores;
}

/* Writes into each access which instruction it belongs to. */
static void patch_accesses(void)
{
    uint32_t exclusive = 0;
    int i = -1;
    TCGOp *op;

    QTAILQ_FOREACH(op, &tcg_ctx->ops, link) {
        const TCGOpDef *def = &tcg_op_defs[op->opc];

        switch (op->opc) {
        case INDEX_op_insn_start:
            i++;
            exclusive = loads_and_stores(op) ? MPJ_OI_EXCLUSIVE : 0;
            break;
        case INDEX_op_qemu_ld_i32:
        case INDEX_op_qemu_ld_i64:
        case INDEX_op_qemu_st_i32:
        case INDEX_op_qemu_st_i64:
        case INDEX_op_qemu_st8_i32:
            op->args[def->nb_oargs + def->nb_iargs] |=
                block.insn[i] << MPJ_OI_INSN_SHIFT | exclusive;
            break;
        default:
            break;
        }
    }
}

/*
 * Generates the change of cost of the block before, which ends here, and the
 * return from a lock that is free.
 */
static void gen_what_if(DisasContextBase *db)
{
    if (!mpj.what_if) {
        return;
    }
    gen_helper_mpj_what_if(cpu_env,
        tcg_constant_i32(mpj_what_if_factor(db->pc_first)));
    if (mpj_what_if_locks(db->pc_first)) {
        TCGv_i32 free = tcg_temp_local_new_i32();
        TCGLabel *on = gen_new_label();

        gen_helper_mpj_what_if_lock(free, cpu_env,
                                    tcg_constant_tl(db->pc_first));
        tcg_gen_brcondi_i32(TCG_COND_EQ, free, 0, on);
        gen_lookup();
        gen_set_label(on);
        tcg_temp_free_i32(free);
    }
}

void mpj_gen_tb_end(DisasContextBase *db)
{
    TCGLabel *fetch_slow = NULL, *fetched = NULL, *enter = NULL;
    MpjRow sum = {};
    TCGOp *last;
    bool native = mpj.full && mpj.fast;

    for (int i = 0; i < db->num_insns; i++) {
        MpjRow row;

        mpj_gen_row(i, &row);
        add_row(&sum, &row);
    }
    if (mpj.full) {
        mpj_block_end(mpj.chip);
        patch_accesses();
    }

    /* After the block: what is seldom executed. */
    if (tcg_ctx->exitreq_label) {
        enter = native ? gen_new_label() : NULL;
        gen_budget_exit(db, native ? 0 : sum.cycles, enter);
    }
    gen_branch_stubs();
    if (native) {
        fetch_slow = gen_new_label();
        fetched = gen_new_label();
        gen_set_label(fetch_slow);
        gen_fetch_call(db);
        tcg_gen_br(fetched);
    }

    last = tcg_last_op();
    gen_what_if(db);
    if (native) {
        if (enter) {
            gen_op_label(INDEX_op_mpj_enter, tcg_ctx->exitreq_label, 0, 0, 0);
            gen_set_label(enter); /* both ways have done what gen_no_io() does */
        } else {
            gen_no_io();
        }
        gen_charge(sum.cycles, row_pack_a(&sum), row_pack_b(&sum));
        gen_count(db);
        gen_fetch(db, fetch_slow);
        gen_set_label(fetched);
    } else {
        gen_budget(sum.cycles);
        if (mpj.full) {
            gen_pack(MPJ_OFS(hot.pack_a), row_pack_a(&sum));
            gen_pack(MPJ_OFS(hot.pack_b), row_pack_b(&sum));
            gen_count(db);
            gen_helper_mpj_walk(cpu_env, tcg_constant_tl(db->pc_first),
                                tcg_constant_i32(block.number));
            gen_fetch_call(db);
        }
    }
    move_to_front(last);
}
