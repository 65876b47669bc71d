/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instrumentation of translated blocks.
 *
 * What a block costs is known only after its last instruction, so the code at
 * the block's start is generated at the end and then moved to the front.
 */
#include "qemu/osdep.h"
#include "tcg/tcg.h"
#include "tcg/tcg-op.h"
#include "exec/exec-all.h"
#include "exec/translator.h"
#include "exec/mpj-core.h"

#define MPJ_OFS(field) \
    (offsetof(ArchCPU, neg.mpj.field) - offsetof(ArchCPU, env))

void mpj_gen_tb_start(DisasContextBase *db)
{
    tcg_ctx->exitreq_label = tb_cflags(db->tb) & CF_NOIRQ ? NULL
                                                         : gen_new_label();
}

/* Move everything after @last to the front of the block. */
static void mpj_move_to_front(TCGOp *last)
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
 * The budget is tested before the block's cost is subtracted, but subtracted
 * in any case: no value then lives across the branch. The way out gives back.
 */
static void mpj_gen_budget(uint32_t cycles)
{
    TCGv_i32 left = tcg_temp_new_i32();
    TCGv_i32 rest = tcg_temp_new_i32();

    tcg_gen_ld_i32(left, cpu_env, MPJ_OFS(left));
    tcg_gen_subi_i32(rest, left, cycles);
    tcg_gen_st_i32(rest, cpu_env, MPJ_OFS(left));
    /* Devices may be accessed by the last instruction of a block only. */
    tcg_gen_st_i32(tcg_constant_i32(0), cpu_env,
                   offsetof(ArchCPU, parent_obj.can_do_io) -
                   offsetof(ArchCPU, env));
    if (tcg_ctx->exitreq_label) {
        tcg_gen_brcondi_i32(TCG_COND_LE, left, 0, tcg_ctx->exitreq_label);
    }
    tcg_temp_free_i32(left);
    tcg_temp_free_i32(rest);
}

static void mpj_gen_add_i32(size_t ofs, uint32_t n)
{
    TCGv_i32 t = tcg_temp_new_i32();

    tcg_gen_ld_i32(t, cpu_env, ofs);
    tcg_gen_addi_i32(t, t, n);
    tcg_gen_st_i32(t, cpu_env, ofs);
    tcg_temp_free_i32(t);
}

void mpj_gen_tb_end(DisasContextBase *db)
{
    uint32_t cycles = db->num_insns;
    TCGOp *last;

    if (tcg_ctx->exitreq_label) {
        gen_set_label(tcg_ctx->exitreq_label);
        mpj_gen_add_i32(MPJ_OFS(left), cycles);
        tcg_gen_exit_tb(db->tb, TB_EXIT_REQUESTED);
    }

    last = tcg_last_op();
    mpj_gen_budget(cycles);
    mpj_move_to_front(last);
}
