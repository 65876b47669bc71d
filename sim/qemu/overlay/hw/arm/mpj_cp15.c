/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CP15 of the MP11 core: performance monitors, and what concerns caches, TLB and contexts. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "target/arm/cpregs.h"
#include "exec/exec-all.h"
#include "exec/mpj.h"
#include "hw/misc/mpj_pmu.h"
#include "hw/arm/mpj_cp15.h"

#define SCTLR_DCACHE (1U << 2)
#define SCTLR_BRANCH (1U << 11)
#define SCTLR_ICACHE (1U << 12)

static unsigned core_of(CPUARMState *env)
{
    return env_cpu(env)->cpu_index;
}

/* ---- c15,c12 and c1 ------------------------------------------------------- */

static uint64_t pmu_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return mpj_pmu_read(core_of(env), ri->opc2);
}

static void pmu_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
    mpj_pmu_write(core_of(env), ri->opc2, value);
}

static uint64_t actlr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return mpj_actlr_read(core_of(env), env_archcpu(env)->reset_auxcr);
}

static void actlr_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
    mpj_actlr_write(core_of(env), value);
}

void mpj_sctlr_changed(CPUARMState *env, uint32_t value)
{
    if (mpj_on()) {
        mpj_sync(env_cpu(env));
        mpj_cache_enable(mpj.chip, core_of(env), value & SCTLR_ICACHE,
                         value & SCTLR_DCACHE, value & SCTLR_BRANCH);
    }
}

bool mpj_contextidr_changed(CPUARMState *env, uint32_t old, uint32_t value)
{
    if (!mpj_on()) {
        return false;
    }
    mpj_sync(env_cpu(env));
    mpj_context_switch(mpj.chip, core_of(env), value >> 8);
    return ((old ^ value) & 0xff) == 0;
}

void mpj_tlb_op(CPUARMState *env)
{
    if (mpj_on()) {
        mpj_tlb_flush(mpj.chip, core_of(env));
        mpj_tlb_changed(env_cpu(env));
        tlb_flush(env_cpu(env)); /* may hold only what the modelled one holds */
    }
}

/* ---- c7: maintenance and barriers ---------------------------------------- */

/*
 * Returns the operations on caches, from CRm: c5 I, c6 D, c7 both, c10 D, c14
 * D.
 */
static unsigned ops_of(const ARMCPRegInfo *ri)
{
    switch (ri->crm) {
    case 5:
        return MPJ_IC_INV;
    case 6:
        return MPJ_DC_INV;
    case 7:
        return MPJ_IC_INV | MPJ_DC_INV;
    case 10:
        return MPJ_DC_CLEAN;
    default:
        return MPJ_DC_CLEAN | MPJ_DC_INV;
    }
}

static void cache_all_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    CPUState *cs = env_cpu(env);

    if (mpj_on()) {
        mpj_sync(cs);
        mpj_charge(cs, mpj_cache_all_op(mpj.chip, core_of(env), ops_of(ri),
                                        mpj_core_now(cs)));
    }
}

static void cache_line_write(CPUARMState *env, const ARMCPRegInfo *ri,
                             uint64_t value)
{
    CPUState *cs = env_cpu(env);
    hwaddr page;
    uint32_t line;

    if (!mpj_on()) {
        return;
    }
    page = cpu_get_phys_page_debug(cs, value & TARGET_PAGE_MASK);
    if (page == -1) {
        return; /* not mapped: nothing of it can be in a cache */
    }
    line = mpj_line_index(mpj.chip, page | (value & ~TARGET_PAGE_MASK));
    if (line != MPJ_LINE_NONE) {
        mpj_sync(cs);
        mpj_charge(cs, mpj_cache_line_op(mpj.chip, core_of(env), line,
                                         ops_of(ri), mpj_core_now(cs)));
    }
}

/*
 * Handles an operation by set and way. Software walks all of them; the model
 * has no lookup by set and way, so the step that names set 0 of way 0 does the
 * whole walk.
 */
static void cache_index_write(CPUARMState *env, const ARMCPRegInfo *ri,
                              uint64_t value)
{
    if (value == 0) {
        cache_all_write(env, ri, value);
    }
}

static void barrier_write(CPUARMState *env, const ARMCPRegInfo *ri,
                          uint64_t value)
{
    CPUState *cs = env_cpu(env);

    if (mpj_on() && !mpj.held) {
        mpj_charge(cs, mpj_store_drain(mpj.chip, core_of(env),
                                       mpj_core_now(cs)));
    }
}

#define C7_TYPE(name_, crm_, opc2_, access_, fn_, type_)                       \
    { .name = name_, .cp = 15, .crn = 7, .crm = crm_, .opc1 = 0,               \
      .opc2 = opc2_, .access = access_, .writefn = fn_,                        \
      .type = ARM_CP_NO_RAW | ARM_CP_OVERRIDE | (type_) }
#define C7(name_, crm_, opc2_, access_, fn_)                                   \
    C7_TYPE(name_, crm_, opc2_, access_, fn_, ARM_CP_IO)

static const ARMCPRegInfo mpj_c7_reginfo[] = {
    C7("ICIALL", 5, 0, PL1_W, cache_all_write),
    C7("ICIMVA", 5, 1, PL1_W, cache_line_write),
    C7("ICISW", 5, 2, PL1_W, cache_index_write),
    C7("DCIALL", 6, 0, PL1_W, cache_all_write),
    C7("DCIMVA", 6, 1, PL1_W, cache_line_write),
    C7("DCISW", 6, 2, PL1_W, cache_index_write),
    C7("CIALL", 7, 0, PL1_W, cache_all_write),
    C7("DCCALL", 10, 0, PL1_W, cache_all_write),
    C7("DCCMVA", 10, 1, PL1_W, cache_line_write),
    C7("DCCSW", 10, 2, PL1_W, cache_index_write),
    C7_TYPE("DSB", 10, 4, PL0_W, barrier_write, ARM_CP_TIMED),
    C7_TYPE("DMB", 10, 5, PL0_W, barrier_write, ARM_CP_TIMED),
    C7("DCCIALL", 14, 0, PL1_W, cache_all_write),
    C7("DCCIMVA", 14, 1, PL1_W, cache_line_write),
    C7("DCCISW", 14, 2, PL1_W, cache_index_write),
};

#define C15(name_, opc2_)                                                      \
    { .name = name_, .cp = 15, .crn = 15, .crm = 12, .opc1 = 0,                \
      .opc2 = opc2_, .access = PL1_RW, .readfn = pmu_read,                     \
      .writefn = pmu_write,                                                    \
      .type = ARM_CP_NO_RAW | ARM_CP_IO | ARM_CP_OVERRIDE }

static const ARMCPRegInfo mpj_reginfo[] = {
    C15("PMNC", MPJ_PMNC),
    C15("CCNT", MPJ_CCNT),
    C15("PMN0", MPJ_PMN0),
    C15("PMN1", MPJ_PMN1),
    { .name = "MPJ_ACTLR", .cp = 15, .crn = 1, .crm = 0, .opc1 = 0, .opc2 = 1,
      .access = PL1_RW, .readfn = actlr_read, .writefn = actlr_write,
      .type = ARM_CP_NO_RAW | ARM_CP_IO | ARM_CP_OVERRIDE },
};

void mpj_define_cp15(ARMCPU *cpu)
{
    /*
     * Without a model these are what they are upstream: reads as zero, writes
     * do nothing, and the blocks that hold them are not cut.
     */
    if (mpj_on()) {
        define_arm_cp_regs(cpu, mpj_c7_reginfo);
        define_arm_cp_regs(cpu, mpj_reginfo);
    }
}
