/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses, fetches and branches that generated code does not decide itself.
 */
#include "qemu/osdep.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/mpj-core.h"

#define SECTION_LINES (1 << (MPJ_SECTION_SHIFT - MPJ_LINE_SHIFT))
#define SECTION_MASK ((1u << MPJ_SECTION_SHIFT) - 1)

/* What an unset row shows; generated code reads up to four bytes at once. */
static const uint8_t zeros[SECTION_LINES + sizeof(uint32_t)];

static uintptr_t zero_row(unsigned section)
{
    return (uintptr_t)zeros - (uintptr_t)section * SECTION_LINES;
}

static inline uint8_t row_state(uintptr_t row, target_ulong addr)
{
    return *(const uint8_t *)(row + (addr >> MPJ_LINE_SHIFT));
}

static void section_reset(MpjCpu *m, unsigned section)
{
    for (unsigned set = 0; set < MPJ_ROW_SETS; set++) {
        m->drow[set][section] = zero_row(section);
    }
    m->irow[section] = zero_row(section);
}

void mpj_mem_init(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    for (unsigned i = 0; i < MPJ_SECTIONS; i++) {
        section_reset(m, i);
    }
    m->row_count = 0;
}

void mpj_rows_reset(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    for (unsigned i = 0; i < m->row_count; i++) {
        section_reset(m, m->rows[i]);
    }
    m->row_count = 0;
    m->resume = NULL;
}

void mpj_tlb_changed(CPUState *cpu)
{
    mpj_rows_reset(cpu);
}

/* May a row stand for the section of addr, which is at paddr? */
static bool row_possible(CPUState *cpu, const CPUTLBEntryFull *full,
                         uint32_t paddr, uint32_t line)
{
    uint32_t base = paddr & ~SECTION_MASK;
    uint32_t first = line - ((paddr & SECTION_MASK) >> MPJ_LINE_SHIFT);

    /* Small pages have no row; debuggers' watchpoints want every access. */
    return full->lg_page_size >= MPJ_SECTION_SHIFT &&
           QTAILQ_EMPTY(&cpu->watchpoints) &&
           mpj_line_index(mpj.chip, base) == first &&
           mpj_line_index(mpj.chip, base + SECTION_MASK) ==
           first + SECTION_LINES - 1;
}

static void row_note(CPUState *cpu, unsigned section)
{
    MpjCpu *m = cpu_mpj(cpu);

    if (m->row_count == MPJ_ROWS_MAX) {
        mpj_rows_reset(cpu);
    }
    m->rows[m->row_count++] = section;
}

static void data_row_set(CPUState *cpu, unsigned set,
                         const CPUTLBEntryFull *full, target_ulong addr,
                         uint32_t paddr, uint32_t line)
{
    MpjCpu *m = cpu_mpj(cpu);
    unsigned section = addr >> MPJ_SECTION_SHIFT;
    uintptr_t host;

    if (!(full->prot & PAGE_READ) || !row_possible(cpu, full, paddr, line)) {
        return;
    }
    host = mpj_section_host(cpu, paddr & ~SECTION_MASK, full->attrs);
    if (host) {
        row_note(cpu, section);
        m->drow[set][section] = (uintptr_t)m->hot.dline + line
                                - (addr >> MPJ_LINE_SHIFT);
        m->dhost[set][section] = host - (addr & ~SECTION_MASK);
    }
}

static void insn_row_set(CPUState *cpu, const CPUTLBEntryFull *full,
                         target_ulong addr, uint32_t paddr, uint32_t line)
{
    MpjCpu *m = cpu_mpj(cpu);
    unsigned section = addr >> MPJ_SECTION_SHIFT;

    if (row_possible(cpu, full, paddr, line)) {
        row_note(cpu, section);
        m->irow[section] = (uintptr_t)m->hot.iline + line
                           - (addr >> MPJ_LINE_SHIFT);
    }
}

/* The page left a micro TLB: its accesses must come to the slow path again. */
static void rows_drop(MpjCpu *m, bool insn, uint32_t base, unsigned shift)
{
    unsigned section = base >> MPJ_SECTION_SHIFT;

    if (shift < MPJ_SECTION_SHIFT) {
        return;
    }
    for (unsigned n = 1u << (shift - MPJ_SECTION_SHIFT); n > 0; n--) {
        if (insn) {
            m->irow[section] = zero_row(section);
        } else {
            for (unsigned set = 0; set < MPJ_ROW_SETS; set++) {
                m->drow[set][section] = zero_row(section);
            }
        }
        section++;
    }
}

/* Micro TLB for an access without a row; 0 cycles if it holds the page. */
static uint32_t utlb_access(CPUState *cpu, bool insn, target_ulong addr,
                            const CPUTLBEntryFull *full, uint64_t now)
{
    MpjCpu *m = cpu_mpj(cpu);
    unsigned shift = full->lg_page_size, evicted_shift;
    uint32_t evicted, cycles;

    if (!mpj_mmu_enabled(cpu->env_ptr)) {
        return 0;
    }
    cycles = mpj_utlb_miss(mpj.chip, cpu->cpu_index, insn, addr, shift, now,
                           &evicted, &evicted_shift);
    if (evicted != UINT32_MAX) {
        rows_drop(m, insn, evicted, evicted_shift);
    }
    return cycles;
}

/* ---- data ----------------------------------------------------------------- */

static void __attribute__((noinline))
data_slow(CPUArchState *env, target_ulong addr, MemOpIdx oi, bool store,
          uintptr_t retaddr)
{
    CPUState *cpu = env_cpu(env);
    MpjCpu *m = cpu_mpj(cpu);
    unsigned core = cpu->cpu_index;
    uint64_t now = mpj_time(m) - (oi >> MPJ_OI_AHEAD_SHIFT);
    uint32_t use = store ? 0 : (oi >> MPJ_OI_USE_SHIFT) & MPJ_OI_USE_MAX;
    unsigned section = addr >> MPJ_SECTION_SHIFT;
    unsigned set = mpj_row_set(get_mmuidx(oi));
    uint32_t paddr, line = MPJ_LINE_NONE, cycles = 0;
    CPUTLBEntryFull *full;
    bool mmio;

    if (m->drow[set][section] != zero_row(section)) {
        /* The host fetches the data while the model works. */
        __builtin_prefetch((void *)(m->dhost[set][section] + addr));
        /* The row says which line it is; nothing to translate. */
        line = m->drow[set][section] + (addr >> MPJ_LINE_SHIFT)
               - (uintptr_t)m->hot.dline;
        m->left -= mpj_data_miss(mpj.chip, core, line, store, now, use);
        return;
    }

    full = mpj_translate(env, addr, store ? MMU_DATA_STORE : MMU_DATA_LOAD,
                         get_mmuidx(oi), false, retaddr, &mmio);
    if (mmio && !cpu->can_do_io) {
        return; /* will be executed again, as the last of a block */
    }
    paddr = full->phys_addr | (addr & ~TARGET_PAGE_MASK);
    cycles = utlb_access(cpu, false, addr, full, now);
    if (mpj_cacheable(full)) {
        line = mpj_line_index(mpj.chip, paddr);
    }
    if (line == MPJ_LINE_NONE) {
        cycles += mpj_uncached(mpj.chip, core, paddr, store, now + cycles);
    } else {
        data_row_set(cpu, set, full, addr, paddr, line);
        cycles += mpj_data_miss(mpj.chip, core, line, store, now + cycles, use);
    }
    m->left -= cycles;
}

static inline uint8_t data_state(const MpjCpu *m, target_ulong addr,
                                 MemOpIdx oi)
{
    unsigned set = mpj_row_set(get_mmuidx(oi));

    return row_state(m->drow[set][addr >> MPJ_SECTION_SHIFT], addr);
}

static inline void data_line(CPUArchState *env, MpjCpu *m, target_ulong addr,
                             MemOpIdx oi, bool store, uintptr_t retaddr)
{
    uint8_t state = data_state(m, addr, oi);

    if (unlikely(store ? state != MPJ_LINE_M : state == MPJ_LINE_I)) {
        data_slow(env, addr, oi, store, retaddr);
    }
}

void mpj_data_access(CPUArchState *env, target_ulong addr, MemOpIdx oi,
                     bool store, uintptr_t retaddr)
{
    MpjCpu *m = &env_neg(env)->mpj;
    MemOp op = get_memop(oi);
    target_ulong last = addr + memop_size(op) - 1;

    if (addr & ((1 << get_alignment_bits(op)) - 1)) {
        return; /* an alignment fault: no access */
    }
    data_line(env, m, addr, oi, store, retaddr);
    if (unlikely((addr ^ last) >> MPJ_LINE_SHIFT)) {
        data_line(env, m, last, oi, store, retaddr);
    }
    if (store && data_state(m, addr, oi) == MPJ_LINE_M) {
        if (m->hot.sb_line == addr >> 3) {
            m->hot.sb_merge++;
        } else {
            m->hot.sb_line = addr >> 3;
        }
    }
}

void *mpj_load_host(CPUArchState *env, target_ulong addr, MemOpIdx oi)
{
    MpjCpu *m = &env_neg(env)->mpj;
    unsigned set = mpj_row_set(get_mmuidx(oi));

    if (data_state(m, addr, oi) == MPJ_LINE_I) {
        return NULL;
    }
    return (void *)(m->dhost[set][addr >> MPJ_SECTION_SHIFT] + addr);
}

/* ---- instructions ---------------------------------------------------------- */

static void fetch_slow(CPUArchState *env, target_ulong pc, uint32_t bytes,
                       uint32_t ahead)
{
    CPUState *cpu = env_cpu(env);
    MpjCpu *m = cpu_mpj(cpu);
    unsigned core = cpu->cpu_index;
    uint64_t now = mpj_time(m) - ahead;
    uint32_t paddr, line = MPJ_LINE_NONE, cycles;
    CPUTLBEntryFull *full;
    bool mmio;

    full = mpj_translate(env, pc, MMU_INST_FETCH, cpu_mmu_index(env, true),
                         true, 0, &mmio);
    if (!full) {
        return;
    }
    paddr = full->phys_addr | (pc & ~TARGET_PAGE_MASK);
    cycles = utlb_access(cpu, true, pc, full, now);
    if (mpj_cacheable(full)) {
        line = mpj_line_index(mpj.chip, paddr);
    }
    if (line == MPJ_LINE_NONE) {
        /* The prefetch unit reads 64 bits at a time. */
        for (uint32_t n = (paddr + bytes - 1) / 8 - paddr / 8 + 1; n > 0; n--) {
            cycles += mpj_uncached(mpj.chip, core, paddr, false, now + cycles);
            paddr += 8;
        }
    } else {
        if (m->irow[pc >> MPJ_SECTION_SHIFT] ==
            zero_row(pc >> MPJ_SECTION_SHIFT)) {
            insn_row_set(cpu, full, pc, paddr, line);
        }
        cycles += mpj_fetch_miss(mpj.chip, core, line, now + cycles);
    }
    m->left -= cycles;
}

/* Block of info >> 16 bytes at pc; its cost, info & 0xffff, is charged already. */
void HELPER(mpj_fetch)(CPUArchState *env, target_ulong pc, uint32_t info)
{
    MpjCpu *m = &env_neg(env)->mpj;
    target_ulong end = pc + (info >> 16);

    while (pc < end) {
        target_ulong next = MIN(end, (pc | ((1 << MPJ_LINE_SHIFT) - 1)) + 1);

        if (!row_state(m->irow[pc >> MPJ_SECTION_SHIFT], pc)) {
            fetch_slow(env, pc, next - pc, info & 0xffff);
        }
        pc = next;
    }
}

/* ---- branches --------------------------------------------------------------- */

static void branch(CPUArchState *env, target_ulong pc, target_ulong target,
                   uint32_t info)
{
    CPUState *cpu = env_cpu(env);
    int32_t cycles = mpj_branch(mpj.chip, cpu->cpu_index, pc, target,
                                info & MPJ_BRANCH_TAKEN,
                                info & MPJ_BRANCH_COND,
                                info & MPJ_BRANCH_KIND);

    if (info & MPJ_BRANCH_FOLDS) {
        cycles++;
    }
    cpu_mpj(cpu)->left -= cycles;
}

void HELPER(mpj_branch)(CPUArchState *env, target_ulong pc, target_ulong target,
                        uint32_t info)
{
    branch(env, pc, target, info);
}

void HELPER(mpj_branch_indirect)(CPUArchState *env, target_ulong pc,
                                 uint32_t info)
{
    branch(env, pc, mpj_branch_target(env), info);
}
