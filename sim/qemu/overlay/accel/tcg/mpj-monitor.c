/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exclusive monitors, as generated code sees them.
 *
 * QEMU's STREX succeeds where memory holds the value that LDREX has loaded. That
 * is not enough: another core may have stored that very value again. So with the
 * model a core's monitor also has a line, which the chip takes out of it when
 * another core stores there. What ends a monitor on its own core (STREX, CLREX)
 * is left to QEMU, and so is a store of the core itself in between: it makes
 * STREX fail if it changes the value, which the architecture allows (the Cortex-A9
 * ignores it; what this core does was not found).
 */
#include "qemu/osdep.h"
#include "tcg/tcg.h"
#include "tcg/tcg-op.h"
#include "exec/mpj-core.h"

#define MPJ_OFS(field) \
    (offsetof(ArchCPU, neg.mpj.field) - offsetof(ArchCPU, env))

static void gen_load_host(TCGv_i64 value, TCGv_ptr base, intptr_t ofs)
{
    if (sizeof(uintptr_t) == sizeof(uint64_t)) {
        tcg_gen_ld_i64(value, base, ofs);
    } else {
        tcg_gen_ld32u_i64(value, base, ofs);
    }
}

void mpj_gen_monitor_set(TCGv_i32 addr, int mmu_idx)
{
    const intptr_t rows = mpj_row_set(mmu_idx) * sizeof(MpjPages) +
                          offsetof(MpjPages, read);
    TCGv_i64 line, row, other;
    TCGv_ptr page, pages;
    TCGv_i32 offset;

    if (!mpj.full) {
        return;
    }
    line = tcg_temp_new_i64();
    row = tcg_temp_new_i64();
    other = tcg_temp_new_i64();
    page = tcg_temp_new_ptr();
    pages = tcg_temp_new_ptr();
    offset = tcg_temp_new_i32();

    /* The access has just been made: a page that can have a row has it. */
    tcg_gen_shri_i32(offset, addr, MPJ_PAGE_SHIFT);
    tcg_gen_muli_i32(offset, offset, sizeof(uintptr_t));
    tcg_gen_ext_i32_ptr(page, offset);
    tcg_gen_ld_ptr(pages, cpu_env, MPJ_OFS(pages));
    tcg_gen_add_ptr(pages, pages, page);
    gen_load_host(row, pages, rows);

    /* The row leads to the line's state byte, whose index is the line. */
    tcg_gen_extu_i32_i64(line, addr);
    tcg_gen_shri_i64(line, line, MPJ_LINE_SHIFT);
    tcg_gen_add_i64(line, line, row);
    gen_load_host(other, cpu_env, MPJ_OFS(hot.dline));
    tcg_gen_sub_i64(line, line, other);
    tcg_gen_addi_i64(line, line, (uintptr_t)mpj_zeros);

    tcg_gen_ld32u_i64(other, cpu_env, MPJ_OFS(unrowed));
    tcg_gen_movcond_i64(TCG_COND_NE, line, row, tcg_constant_i64(0), line,
                        other);
    tcg_gen_st32_i64(line, cpu_env, MPJ_OFS(hot.monitor));

    tcg_temp_free_i64(line);
    tcg_temp_free_i64(row);
    tcg_temp_free_i64(other);
    tcg_temp_free_ptr(page);
    tcg_temp_free_ptr(pages);
    tcg_temp_free_i32(offset);
}

/*
 * Sets @failed, which so far is 1 if memory holds another value, also if the
 * monitor has lost its line.
 */
static void gen_monitor_lost(TCGv_i32 failed)
{
    TCGv_i32 monitor;

    if (!mpj.full) {
        return;
    }
    monitor = tcg_temp_new_i32();
    tcg_gen_ld_i32(monitor, cpu_env, MPJ_OFS(hot.monitor));
    tcg_gen_setcondi_i32(TCG_COND_EQ, monitor, monitor, (int32_t)MPJ_LINE_NONE);
    tcg_gen_or_i32(failed, failed, monitor);
    tcg_temp_free_i32(monitor);
}

void mpj_gen_store_exclusive_i32(TCGv_i32 failed, TCGv_i32 addr,
                                 TCGv_i32 expected, TCGv_i32 value, int mmu_idx,
                                 MemOp op)
{
    TCGv_i32 found = tcg_temp_new_i32();

    tcg_gen_qemu_ld_i32(found, addr, mmu_idx, op);
    tcg_gen_setcond_i32(TCG_COND_NE, failed, found, expected);
    gen_monitor_lost(failed);
    tcg_gen_movcond_i32(TCG_COND_NE, found, failed, tcg_constant_i32(0), found,
                        value);
    tcg_gen_qemu_st_i32(found, addr, mmu_idx, op);
    tcg_temp_free_i32(found);
}

void mpj_gen_store_exclusive_i64(TCGv_i32 failed, TCGv_i32 addr,
                                 TCGv_i64 expected, TCGv_i64 value, int mmu_idx,
                                 MemOp op)
{
    TCGv_i64 found = tcg_temp_new_i64(), other = tcg_temp_new_i64();

    tcg_gen_qemu_ld_i64(found, addr, mmu_idx, op);
    tcg_gen_setcond_i64(TCG_COND_NE, other, found, expected);
    tcg_gen_extrl_i64_i32(failed, other);
    gen_monitor_lost(failed);
    tcg_gen_extu_i32_i64(other, failed);
    tcg_gen_movcond_i64(TCG_COND_NE, found, other, tcg_constant_i64(0), found,
                        value);
    tcg_gen_qemu_st_i64(found, addr, mmu_idx, op);
    tcg_temp_free_i64(found);
    tcg_temp_free_i64(other);
}
