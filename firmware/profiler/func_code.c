/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "func_int.h"

#include <string.h>

#include "func_jump.h"
#include "hal_cache.h"
#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_mmu.h"
#include "hal_pmu.h"
#include "mpj_irq.h"
#include "mpj_prof.h"
#include "mpj_smp.h"

#define fn           mpj_func

#define NOP          0xe320f000U
#define NOP_OLD      0xe1a00000U /* mov r0, r0 */
#define BRANCH       0xea000000U
#define PIPELINE     8U
#define LINES_MAX    256U /* for more lines, the whole instruction cache is invalidated */
#define PROBES       16U
#define PASSES       8U
#define EMPTY_CYCLES 5U /* an empty function: a NOP and the return, whose target is predicted */
#define EMPTY_INSTR  2U

/*
 * Target of the branch at a measured entry; one for each function. Nearly all calls of short
 * functions only count down here; r0 and r1 are restored, flags need not be.
 */
static const uint32_t veneer[] = {
    0xe92d0003U, /* push {r0, r1} */
    0xee101fb0U, /* mrc p15, 0, r1, c0, c0, 5: number of the core ... */
    0xe59f0028U, /* ldr r0, [pc, #40]: the last word */
    0xe2011003U, /* and r1, r1, #3 */
    0xe0801001U, /* add r1, r0, r1, lsl #.. */
    0xe20e0000U, /* and r0, lr, #..: the call site */
    0xe0811180U, /* add r1, r1, r0, lsl #3 */
    0xe5910000U, /* ldr r0, [r1]: its cell */
    0xe2500001U, /* subs r0, r0, #1 */
    0xe5810000U, /* str r0, [r1] */
    0xe8bd0003U, /* pop {r0, r1} */
    0xca000000U, /* bgt past the entry */
    0xe92dd01fU, /* push {r0-r4, ip, lr, pc} */
    0xeb000000U, /* bl mpj_func_enter_stub */
    0,           /* address of the function's first cell on core 0 */
};
enum { AT_ADD = 4, AT_SITE = 5, AT_BACK = 11, AT_CALL = 13, AT_CELL = 14, ADD_SHIFT = 7 };
#define VENEER sizeof(veneer) /* size for which the linker script reserves memory */
_Static_assert(VENEER == 60U, "as in image.ld.in");

extern const uint32_t __func_entries[];
extern uint32_t __func_veneers[];
extern uint32_t longjmp[] __attribute__((weak));

extern uint32_t mpj_func_probed[];
void mpj_func_call_probe(void);
void mpj_func_probe(void);

/* An empty function with an entry of its own, and the only place that calls it. */
__asm__(".text\n"
        ".arm\n"
        ".global mpj_func_probe\n"
        ".type mpj_func_probe, %function\n"
        "mpj_func_probe:\n"
        "    .word 0xe320f000\n"
        "    bx lr\n"
        ".global mpj_func_call_probe\n"
        ".type mpj_func_call_probe, %function\n"
        "mpj_func_call_probe:\n"
        "    push {r4, lr}\n"
        "    bl mpj_func_probe\n"
        ".global mpj_func_probed\n"
        "mpj_func_probed:\n"
        "    pop {r4, pc}\n");

/* ---- code ----------------------------------------------------------------------------------- */

static uint32_t veneer_of(uint32_t i)
{
    return (uint32_t)__func_veneers + i * VENEER;
}

/* Writes an instruction. Core 0 before the run, or IRQ masked. Code is read-only: this core
 * bypasses the domain's permissions for that moment. */
static void write_code(uint32_t at, uint32_t insn)
{
    hal_mmu_set_domains(HAL_MMU_MANAGER);
    *(volatile uint32_t *)at = insn;
    hal_mmu_set_domains(HAL_MMU_CLIENT);
    hal_cache_clean_line(at);
}

static uint32_t offset(uint32_t from, uint32_t to)
{
    return (to - from - PIPELINE) >> 2 & 0xffffffU;
}

void mpj_func_patch(uint32_t i, bool on)
{
    const struct mpj_func *const f = &fn.func[i];

    if (!f->unfit)
        write_code(f->entry, on && !f->left_out ? BRANCH | offset(f->entry, veneer_of(i)) : NOP);
}

/* Makes the calling core fetch the entries again. IRQ masked. */
static void fetch_again(void)
{
    hal_dsb();
    if (fn.count > LINES_MAX) {
        hal_cache_drop_insn();
    } else {
        for (uint32_t i = 0; i < fn.count; i++)
            hal_cache_drop_insn_line(fn.func[i].entry);
    }
    hal_cache_drop_branches();
    hal_dsb();
    hal_isb();
}

/* Runs on other cores: until then they execute the old entries, which is harmless. */
static void on_code(unsigned id, void *arg)
{
    (void)id;
    (void)arg;
    fetch_again();
}

void mpj_func_fetch(void)
{
    const uint32_t others = mpj_smp_active() & ~1U;

    fetch_again();
    if (others != 0)
        hal_gic_send(MPJ_SGI_CODE, others);
}

static void make_veneer(uint32_t i, uint32_t entry)
{
    const uint32_t at = veneer_of(i);
    struct mpj_func *const f = &fn.func[i];
    const uint32_t word = *(const uint32_t *)(entry & ~3U);

    f->entry = entry & ~3U;
    f->group = (uint16_t)(i % fn.cfg.groups);
    f->unfit = (entry & 3U) != 0 || (word != NOP && word != NOP_OLD);
    for (unsigned k = 0; k < VENEER / sizeof(veneer[0]); k++) {
        uint32_t insn = veneer[k];

        if (k == AT_ADD)
            insn |= (fn.cells + MPJ_FUNC_CELL_SHIFT) << ADD_SHIFT;
        else if (k == AT_SITE)
            insn |= fn.sites;
        else if (k == AT_BACK)
            insn |= offset(at + 4U * k, f->entry + 4U);
        else if (k == AT_CALL)
            insn |= offset(at + 4U * k, (uint32_t)mpj_func_enter_stub);
        else if (k == AT_CELL)
            insn = (uint32_t)mpj_func_cell_of(0, i, 0);
        write_code(at + 4U * k, insn);
    }
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++) {
        for (uint32_t site = 0; site <= fn.sites; site += 4U)
            *mpj_func_cell_of(core, i, site) = (struct mpj_func_cell){.left = 1, .each = 1};
    }
}

/* Calls the probe and counts the calling core's events meanwhile. left: the cell's value before the
 * first of each PASSES calls. */
static void call_probe(struct mpj_func_cell *cell, int32_t left, uint32_t used[HAL_PMU_COUNTERS])
{
    uint32_t before[HAL_PMU_COUNTERS];

    hal_pmu_read_all(before);
    for (unsigned i = 0; i < PROBES; i++) {
        cell->left = left;
        mpj_func_call_probe();
        cell->left = MPJ_FUNC_UNCOUNTED;
        for (unsigned k = 1; k < PASSES; k++)
            mpj_func_call_probe();
    }
    hal_pmu_read_all(used);
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++)
        used[i] -= before[i];
}

static void set_fixed(struct mpj_func_cell *cell, const struct mpj_func_shadow *s,
                      const uint32_t plain[HAL_PMU_COUNTERS],
                      const uint32_t counted[HAL_PMU_COUNTERS])
{
    uint32_t empty[HAL_PMU_COUNTERS] = {[HAL_PMU_CCNT] = EMPTY_CYCLES};
    uint32_t all[HAL_PMU_COUNTERS];
    uint64_t lost[HAL_PMU_COUNTERS];
    uint64_t v[HAL_PMU_COUNTERS];

    memcpy(lost, s->lost, sizeof(lost));
    memcpy(v, cell->last->v, sizeof(v));
    call_probe(cell, 1, all);
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++) {
        const uint32_t passed = counted[i] - plain[i];

        if (i != HAL_PMU_CCNT && mpj_prof_pair(0)[i] == MPJ_EVENT_INSTR)
            empty[i] = EMPTY_INSTR;
        fn.passed[i] = passed / (PROBES * PASSES);
        fn.fixed[MPJ_FUNC_WITHIN][i] = (uint32_t)(cell->last->v[i] - v[i]) / PROBES - empty[i];
        fn.fixed[MPJ_FUNC_AROUND][i] = (all[i] - plain[i] - passed / PASSES * (PASSES - 1U) -
                                        (uint32_t)(s->lost[i] - lost[i])) /
                                           PROBES -
                                       fn.fixed[MPJ_FUNC_WITHIN][i];
    }
}

/* Measures the part of a call's cost that the calls themselves do not read, by calls of an empty
 * function, with warm caches, on core 0: for a call that is measured, between others, and for one
 * that is only counted. */
static void calibrate(uint32_t i)
{
    struct mpj_prof_rec *const r = &mpj_prof_memory.rec[MPJ_PROF_THREADS - 1U];
    const hal_irq_state irq = hal_irq_save();
    struct mpj_func_cell *const cell = mpj_func_cell_of(0, i, (uint32_t)mpj_func_probed);
    struct mpj_func_shadow *const s = mpj_func_shadow_of(0, mpj_thread_self());
    uint32_t plain[HAL_PMU_COUNTERS];
    uint32_t counted[HAL_PMU_COUNTERS];

    memset(&r->sum, 0, sizeof(r->sum));
    mpj_prof_core_arm();
    mpj_prof_core_start();
    mpj_prof_threads.core[0].cur = r;
    call_probe(cell, MPJ_FUNC_UNCOUNTED, plain);
    call_probe(cell, MPJ_FUNC_UNCOUNTED, plain);
    fn.func[i].seen = fn.on = fn.all = true;
    fn.func[i].group = 0;
    fn.group = 0;
    mpj_func_patch(i, true);
    hal_cache_drop_insn();
    fetch_again();
    call_probe(cell, MPJ_FUNC_UNCOUNTED, counted);
    call_probe(cell, MPJ_FUNC_UNCOUNTED, counted);
    call_probe(cell, 1, (uint32_t[HAL_PMU_COUNTERS]){0});
    if (cell->last != NULL)
        set_fixed(cell, s, plain, counted);
    fn.on = false;
    fn.group = -1;
    mpj_prof_threads.core[0].cur = NULL;
    mpj_prof_core_stop();
    hal_irq_restore(irq);
    memset(fn.core[0].edge, 0, MPJ_FUNC_EDGES * sizeof(*fn.core[0].edge));
    fn.core[0].edges = 0;
    memset(s, 0, sizeof(*s));
}

/* Patches longjmp(), so that the calls it leaves end there. */
static void catch_jumps(void)
{
    const uint32_t at = (uint32_t)longjmp;

    if (at != 0 && longjmp[0] == MPJ_FUNC_JUMP)
        write_code(at, BRANCH | offset(at, (uint32_t)mpj_func_jump_stub));
}

void mpj_func_make(void)
{
    for (uint32_t i = 0; i < fn.count; i++)
        make_veneer(i, __func_entries[i]);
    make_veneer(fn.count, (uint32_t)mpj_func_probe);
    calibrate(fn.count);
    catch_jumps();
    mpj_irq_attach(MPJ_SGI_CODE, on_code, NULL);
}
