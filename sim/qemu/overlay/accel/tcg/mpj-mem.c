/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses and fetches that generated code does not decide itself.
 *
 * long file: rows of data and of code are set and dropped by the same rules.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/mpj-core.h"
#include "mpj_params.h"
#include "hw/core/tcg-cpu-ops.h"
#include "sysemu/cpus.h"
#include "sysemu/mpj-sched.h"
#include "tcg/tcg.h"

/*
 * States in an unset row: all 0. Not constant, so that it takes no space in the
 * file.
 */
uint8_t mpj_zeros[(1 << 27) + sizeof(uint32_t)];

static uintptr_t zero_row(void)
{
    return (uintptr_t)mpj_zeros;
}

static inline uint8_t row_state(uintptr_t row, target_ulong addr)
{
    return *(const uint8_t *)(row + (addr >> MPJ_LINE_SHIFT));
}

static inline unsigned page_of(target_ulong addr)
{
    return addr >> MPJ_PAGE_SHIFT;
}

/*
 * Returns memory that is large and takes pages of the host where it is touched.
 */
static void *reserve(size_t bytes, int prot)
{
    void *p = mmap(NULL, bytes, prot,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED) {
        error_report("chip model: no memory for page tables of %zu bytes",
                     bytes);
        exit(1);
    }
    return p;
}

/*
 * Makes the rows of all pages writable. Beyond them is only read: it counts as
 * no memory.
 */
static void rows_writable(uintptr_t *rows)
{
    uintptr_t first = ROUND_DOWN((uintptr_t)rows, qemu_real_host_page_size());
    uintptr_t end = ROUND_UP((uintptr_t)(rows + MPJ_PAGES),
                             qemu_real_host_page_size());

    if (mprotect((void *)first, end - first, PROT_READ | PROT_WRITE) != 0) {
        error_report("chip model: no memory for page tables");
        exit(1);
    }
}

static void notes_init(MpjNotes *n)
{
    memset(n->section, 0, sizeof(n->section));
    for (unsigned i = 1; i < MPJ_PAGES_NOTED; i++) {
        n->next[i] = (i + 1) % MPJ_PAGES_NOTED;
    }
    n->free = 1; /* 0 is the end of a chain */
}

void mpj_mem_init(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);
    uintptr_t *rows;
    size_t skew;

    /* QEMU distinguishes pages with code, and one of its pages has one row. */
    assert(TARGET_PAGE_BITS == MPJ_PAGE_SHIFT);
    for (unsigned i = 0; i < MPJ_SECTIONS; i++) {
        m->irow[i] = zero_row();
    }
    m->row_count = 0;
    skew = cpu->cpu_index * 4 * MPJ_PAGE_SKEW;
    rows = reserve(MPJ_ROW_SETS * sizeof(MpjPages) + skew * sizeof(*rows),
                   PROT_READ);
    m->pages = (MpjPages *)(rows + skew);
    for (unsigned set = 0; set < MPJ_ROW_SETS; set++) {
        rows_writable(m->pages[set].read);
        rows_writable(m->pages[set].read_host);
        rows_writable(m->pages[set].write);
        rows_writable(m->pages[set].write_host);
    }
    m->notes = reserve(sizeof(MpjNotes), PROT_READ | PROT_WRITE);
    notes_init(m->notes);
}

static void page_clear(MpjCpu *m, unsigned page)
{
    for (unsigned set = 0; set < MPJ_ROW_SETS; set++) {
        m->pages[set].read[page] = m->pages[set].write[page] = 0;
    }
}

static void section_clear(MpjCpu *m, unsigned section)
{
    MpjNotes *n = m->notes;
    unsigned i = n->section[section], last = 0;

    while (i) {
        unsigned page = n->page[i];

        page_clear(m, page);
        n->noted[page / 32] &= ~(1u << page % 32);
        last = i;
        i = n->next[i];
    }
    if (last) {
        n->next[last] = n->free;
        n->free = n->section[section];
        n->section[section] = 0;
    }
}

void mpj_rows_reset(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    mpj_resume_drop(cpu);
    if (!m->notes) {
        return; /* nothing has run yet */
    }
    mpj_links_cut();
    for (unsigned i = 0; i < m->row_count; i++) {
        m->irow[m->rows[i]] = zero_row();
    }
    m->row_count = 0;
    for (unsigned i = 0; i < MPJ_SECTIONS; i++) {
        section_clear(m, i);
    }
    if (m->notes->code_noted) {
        memset(m->notes->code, 0, sizeof(m->notes->code));
        m->notes->code_noted = false;
    }
}

static void writes_reset_work(CPUState *cpu, run_on_cpu_data data)
{
    mpj_writes_reset(cpu);
}

void mpj_writes_reset(CPUState *cpu)
{
    MpjNotes *n = cpu_mpj(cpu)->notes;

    if (!n) {
        return;
    }
    if (!qemu_in_vcpu_thread()) {
        async_run_on_cpu(cpu, writes_reset_work, RUN_ON_CPU_NULL);
        return;
    }
    for (unsigned section = 0; section < MPJ_SECTIONS; section++) {
        for (unsigned i = n->section[section]; i; i = n->next[i]) {
            for (unsigned set = 0; set < MPJ_ROW_SETS; set++) {
                cpu_mpj(cpu)->pages[set].write[n->page[i]] = 0;
            }
        }
    }
}

void mpj_tlb_changed(CPUState *cpu)
{
    mpj_rows_reset(cpu);
}

/*
 * Returns true if there may be a row for this part of memory, of which paddr is
 * a byte.
 */
static bool row_possible(CPUState *cpu, const CPUTLBEntryFull *full,
                         unsigned shift, uint32_t paddr, uint32_t line)
{
    uint32_t mask = (1u << shift) - 1;
    uint32_t first = line - ((paddr & mask) >> MPJ_LINE_SHIFT);

    /* Debuggers' watchpoints want every access. */
    return full->lg_page_size >= shift && QTAILQ_EMPTY(&cpu->watchpoints) &&
           mpj_line_index(mpj.chip, paddr & ~mask) == first &&
           mpj_line_index(mpj.chip, paddr | mask) ==
           first + (mask >> MPJ_LINE_SHIFT);
}

static void page_note(CPUState *cpu, unsigned page)
{
    MpjNotes *n = cpu_mpj(cpu)->notes;
    unsigned section = page >> (MPJ_SECTION_SHIFT - MPJ_PAGE_SHIFT), i;

    if (n->noted[page / 32] >> page % 32 & 1) {
        return;
    }
    if (!n->free) {
        mpj_rows_reset(cpu);
    }
    i = n->free;
    n->free = n->next[i];
    n->page[i] = page;
    n->next[i] = n->section[section];
    n->section[section] = i;
    n->noted[page / 32] |= 1u << page % 32;
}

/* Sets the row for loads, and none for stores. @host: the byte at addr. */
static void data_row_set(CPUState *cpu, unsigned set,
                         const CPUTLBEntryFull *full, target_ulong addr,
                         uint32_t paddr, uint32_t line, void *host)
{
    MpjCpu *m = cpu_mpj(cpu);
    MpjPages *p = &m->pages[set];
    unsigned page = page_of(addr);

    if (!host || !(full->prot & PAGE_READ) ||
        !row_possible(cpu, full, MPJ_PAGE_SHIFT, paddr, line)) {
        return;
    }
    page_note(cpu, page);
    p->read[page] = (uintptr_t)m->hot.dline + line - (addr >> MPJ_LINE_SHIFT)
                    - (uintptr_t)mpj_zeros;
    p->read_host[page] = (uintptr_t)host - addr;
    p->write[page] = 0;
}

/* Sets the row for stores, too, if QEMU's TLB would let them pass. */
static void write_row_set(CPUArchState *env, MpjPages *p, target_ulong addr,
                          unsigned mmu_idx)
{
    unsigned page = page_of(addr);
    target_ulong have = tlb_addr_write(tlb_entry(env, mmu_idx, addr));

    if ((have & ~TLB_MPJ_SLOW) == (addr & TARGET_PAGE_MASK)) {
        p->write[page] = p->read[page];
        p->write_host[page] = p->read_host[page];
    }
}

static void insn_row_set(CPUState *cpu, const CPUTLBEntryFull *full,
                         target_ulong addr, uint32_t paddr, uint32_t line)
{
    MpjCpu *m = cpu_mpj(cpu);
    unsigned section = addr >> MPJ_SECTION_SHIFT;

    if (row_possible(cpu, full, MPJ_SECTION_SHIFT, paddr, line)) {
        if (m->row_count == MPJ_ROWS_MAX) {
            mpj_rows_reset(cpu);
        }
        m->rows[m->row_count++] = section;
        m->irow[section] = (uintptr_t)m->hot.iline + line
                           - (addr >> MPJ_LINE_SHIFT);
    }
}

/* In MpjNotes.code: the address of what is mapped as a whole, or this. */
#define CODE_WHOLE 2
#define CODE_PAGES 1

/*
 * Notes that the core executes code there. Blocks that are linked for other
 * cores lead to what these have mapped: if that is different, they are to be
 * looked up.
 */
static void code_note(CPUState *cpu, const CPUTLBEntryFull *full,
                      target_ulong pc, uint32_t paddr)
{
    MpjNotes *n = cpu_mpj(cpu)->notes;
    unsigned section = pc >> MPJ_SECTION_SHIFT;
    bool whole = full->lg_page_size >= MPJ_SECTION_SHIFT ||
                 !mpj_mmu_enabled(cpu->env_ptr);
    uint32_t code = whole
                    ? paddr >> MPJ_SECTION_SHIFT << MPJ_SECTION_SHIFT | CODE_WHOLE
                    : CODE_PAGES;
    CPUState *other;

    if (n->code[section] == code) {
        return;
    }
    n->code[section] = code;
    n->code_noted = true;
    CPU_FOREACH(other) {
        uint32_t has = cpu_mpj(other)->notes->code[section];

        if (has && has != code) {
            mpj_links_cut();
        }
    }
}

bool mpj_code_whole(CPUState *cpu, target_ulong pc)
{
    unsigned section = pc >> MPJ_SECTION_SHIFT;
    uint32_t code = cpu_mpj(cpu)->notes->code[section];
    CPUState *other;

    if (!(code & CODE_WHOLE)) {
        return false;
    }
    CPU_FOREACH(other) {
        uint32_t has = cpu_mpj(other)->notes->code[section];

        if (has && has != code) {
            return false;
        }
    }
    return true;
}

/*
 * Drops the rows of a page that has left a micro TLB: its accesses must come to
 * the slow path again.
 */
static void rows_drop(MpjCpu *m, bool insn, uint32_t base, unsigned shift)
{
    unsigned section = base >> MPJ_SECTION_SHIFT;

    if (shift < MPJ_SECTION_SHIFT) {
        unsigned page = base >> MPJ_PAGE_SHIFT;

        for (unsigned n = 1u << (shift - MPJ_PAGE_SHIFT); n > 0 && !insn; n--) {
            page_clear(m, page++);
        }
        return;
    }
    for (unsigned n = 1u << (shift - MPJ_SECTION_SHIFT); n > 0; n--) {
        if (insn) {
            m->irow[section] = zero_row();
        } else {
            section_clear(m, section);
        }
        section++;
    }
}

/*
 * Looks up the micro TLB for an access without a row; returns 0 cycles if it
 * holds the page.
 */
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

/* Delays of one access, perhaps to two lines: see mpj_flow_late(). */
typedef struct Delay {
    uint32_t late, blocked;
} Delay;

/* Returns the time at which the access's instruction has issued. */
static uint64_t data_now(CPUState *cpu, MemOpIdx oi)
{
    MpjCpu *m = cpu_mpj(cpu);

    return mpj_time(m) - mpj_flow_rest(mpj.chip, cpu->cpu_index,
                                       mpj_oi_insn(oi), mpj_execution(m));
}

/*
 * Handles a miss. @after: cycles that the access has been waiting for something
 * else. Other cores may run in it: the budget is different afterwards.
 */
static inline __attribute__((always_inline)) void
line_miss(CPUState *cpu, MemOpIdx oi, uint32_t line, bool store, Delay *d,
          uint32_t after)
{
    uint32_t late;
    MpjInsnEvents events;

    cpu_mpj(cpu)->insn = mpj_oi_insn(oi);
    if (unlikely(mpj.insns)) {
        mpj_insn_events(cpu, 0, &events, true);
    }
    d->blocked += mpj_data_miss(mpj.chip, cpu->cpu_index, line, store,
                                data_now(cpu, oi) + after, &late);
    d->late = MAX(d->late, late);
    if (unlikely(mpj.insns)) {
        mpj_insn_events(cpu, mpj_insn_pc(mpj_oi_insn(oi)), &events, false);
    }
    mpj_flow_arm(cpu);
}

static void data_delay(CPUState *cpu, MemOpIdx oi, const Delay *d)
{
    MpjCpu *m = cpu_mpj(cpu);

    if (d->late | d->blocked) {
        int32_t more = mpj_flow_late(mpj.chip, cpu->cpu_index, mpj_oi_insn(oi),
                                     mpj_execution(m), d->late, d->blocked);

        m->left -= more;
        if (unlikely(mpj.insns)) {
            mpj_insn_cycles(mpj_insn_pc(mpj_oi_insn(oi)), more);
        }
        mpj_flow_arm(cpu);
    }
}

/*
 * The last access of each core that was not a hit: another one of the same
 * instruction finds it charged already.
 */
static struct {
    uint64_t id;
    uint32_t insn;
} slow[MPJ_CORES];

/*
 * Notes an access that is not a hit; returns true for the first one of its
 * instruction.
 */
static bool first_slow(CPUState *cpu, MemOpIdx oi)
{
    uint64_t id = mpj_execution(cpu_mpj(cpu));
    bool first = slow[cpu->cpu_index].id != id ||
                 slow[cpu->cpu_index].insn != mpj_oi_insn(oi);

    slow[cpu->cpu_index].id = id;
    slow[cpu->cpu_index].insn = mpj_oi_insn(oi);
    return first;
}

/* Returns true for a load that is to be a block of its own. */
static bool apart(CPUState *cpu, MemOpIdx oi, bool store)
{
    mpj_flow_settle(cpu);
    return !store && !mpj_oi_exclusive(oi) &&
           mpj_budget(cpu_mpj(cpu)) <= MPJ_NEAR_MISS;
}

static void __attribute__((noinline))
data_slow(CPUArchState *env, target_ulong addr, MemOpIdx oi, bool store,
          uintptr_t retaddr, Delay *d)
{
    CPUState *cpu = env_cpu(env);
    MpjCpu *m = cpu_mpj(cpu);
    unsigned core = cpu->cpu_index;
    unsigned set = mpj_row_set(get_mmuidx(oi));
    uintptr_t row = m->pages[set].read[page_of(addr)];
    uint32_t paddr, line = MPJ_LINE_NONE, cycles = 0;
    CPUTLBEntryFull *full;
    uint64_t now;
    void *host;

    if (first_slow(cpu, oi) && unlikely(m->exact) && apart(cpu, oi, store)) {
        mpj_step_load(cpu, retaddr);
    }
    m->from = retaddr;
    if (row) {
        /* The row says which line it is; nothing to translate. */
        line = (uintptr_t)mpj_zeros + row + (addr >> MPJ_LINE_SHIFT)
               - (uintptr_t)m->hot.dline;
        line_miss(cpu, oi, line, store, d, 0);
        return;
    }

    full = mpj_translate(env, addr, store ? MMU_DATA_STORE : MMU_DATA_LOAD,
                         get_mmuidx(oi), false, retaddr, &host);
    if (!host && !cpu->can_do_io) {
        return; /* will be executed again, as the last of a block */
    }
    if (unlikely(m->again)) {
        TranslationBlock *tb = tcg_tb_lookup(retaddr);

        m->again = false;
        cpu_restore_state(cpu, retaddr); /* gives back what the block charged */
        mpj_flow_again(mpj.chip, core, tb->mpj_block);
        return;
    }
    now = data_now(cpu, oi);
    paddr = full->phys_addr | (addr & ~TARGET_PAGE_MASK);
    m->unrowed = paddr >> MPJ_LINE_SHIFT;
    cycles = utlb_access(cpu, false, addr, full, now);
    if (mpj_cacheable(env, full, false)) {
        line = mpj_line_index(mpj.chip, paddr);
    }
    if (line == MPJ_LINE_NONE) {
        /* Nothing else happens meanwhile. */
        cycles += mpj_uncached(mpj.chip, core, paddr, store, now + cycles);
        m->left -= cycles;
        if (unlikely(mpj.insns)) {
            mpj_insn_cycles(mpj_insn_pc(mpj_oi_insn(oi)), cycles);
        }
        return;
    }
    data_row_set(cpu, set, full, addr, paddr, line, host);
    line_miss(cpu, oi, line, store, d, cycles);
    d->blocked += cycles;
    d->late += store ? 0 : cycles;
}

static inline uint8_t data_state(const MpjCpu *m, target_ulong addr,
                                 MemOpIdx oi)
{
    unsigned set = mpj_row_set(get_mmuidx(oi));

    return row_state((uintptr_t)mpj_zeros + m->pages[set].read[page_of(addr)],
                     addr);
}

static inline void data_line(CPUArchState *env, MpjCpu *m, target_ulong addr,
                             MemOpIdx oi, bool store, uintptr_t retaddr,
                             Delay *d)
{
    uint8_t state = data_state(m, addr, oi);

    if (unlikely(!(store ? mpj_store_hits(state) : mpj_load_hits(state)))) {
        data_slow(env, addr, oi, store, retaddr, d);
    }
}

/* Returns true for a line in state M, watched or not. */
static inline bool modified(uint8_t state)
{
    return (state & ~MPJ_LINE_WATCHED) == MPJ_LINE_M;
}

/*
 * Notes the load of an instruction that loads and stores as one, which the
 * model took for the store: the store itself is not to wait for its turn.
 */
static inline void exclusive(MpjCpu *m, MemOpIdx oi, bool store, uint8_t state)
{
    m->exclusive = !store && mpj_oi_exclusive(oi) && !mpj_store_hits(state);
}

/* Clears the others' monitors of the line that a held core stores to. */
static void monitors_lose(CPUState *cpu, uint32_t line)
{
    CPUState *other;

    CPU_FOREACH(other) {
        if (other != cpu && cpu_mpj(other)->hot.monitor == line) {
            cpu_mpj(other)->hot.monitor = MPJ_LINE_NONE;
        }
    }
}

/*
 * Handles an access of a core that is held: the model does not see it. A line
 * that another core has is found here, since a store that passes the fast test
 * has one to itself. None of the others polls: they are between two blocks.
 */
static void __attribute__((noinline))
held_access(CPUArchState *env, target_ulong addr, MemOpIdx oi, bool store,
            uintptr_t retaddr)
{
    CPUState *cpu = env_cpu(env);
    MpjCpu *m = cpu_mpj(cpu);
    uintptr_t row = m->pages[mpj_row_set(get_mmuidx(oi))].read[page_of(addr)];
    CPUTLBEntryFull *full;
    uint32_t paddr, line;
    void *host;

    if (row) {
        line = (uintptr_t)mpj_zeros + row + (addr >> MPJ_LINE_SHIFT)
               - (uintptr_t)m->hot.dline;
    } else {
        full = mpj_translate(env, addr, store ? MMU_DATA_STORE : MMU_DATA_LOAD,
                             get_mmuidx(oi), false, retaddr, &host);
        if (!host) {
            m->again = m->again && !cpu->can_do_io;
            return;
        }
        paddr = full->phys_addr | (addr & ~TARGET_PAGE_MASK);
        m->unrowed = paddr >> MPJ_LINE_SHIFT;
        line = mpj_line_index(mpj.chip, paddr);
    }
    if (store && line != MPJ_LINE_NONE) {
        monitors_lose(cpu, line);
    }
}

void mpj_data_access(CPUArchState *env, target_ulong addr, MemOpIdx oi,
                     bool store, uintptr_t retaddr)
{
    MpjCpu *m = &env_neg(env)->mpj;
    MemOp op = get_memop(oi);
    target_ulong last = addr + memop_size(op) - 1;
    Delay d = {};
    bool write;

    if (unlikely(mpj.held)) {
        held_access(env, addr, oi, store, retaddr);
        return;
    }
    if (unlikely(m->counted)) {
        m->counted = false;
        return;
    }
    if (addr & ((1 << get_alignment_bits(op)) - 1)) {
        return; /* an alignment fault: no access */
    }
    write = store || mpj_oi_exclusive(oi);
    data_line(env, m, addr, oi, write, retaddr, &d);
    if (addr & (memop_size(op) - 1)) {
        uint32_t more = mpj.prm->pipe_unaligned;

        if ((addr ^ last) >> MPJ_LINE_SHIFT) {
            data_line(env, m, last, oi, write, retaddr, &d);
            mpj_second_access(mpj.chip, env_cpu(env)->cpu_index, store);
            more += mpj.prm->pipe_unaligned;
        }
        d.blocked += more;
        d.late += store ? 0 : more;
    }
    data_delay(env_cpu(env), oi, &d);
    exclusive(m, oi, store, data_state(m, addr, oi));
    if (store && modified(data_state(m, addr, oi))) {
        MpjPages *p = &m->pages[mpj_row_set(get_mmuidx(oi))];

        if (!p->write[page_of(addr)] && mpj.fast) {
            write_row_set(env, p, addr, get_mmuidx(oi));
        }
        mpj_hot_store(&m->hot, addr);
    }
}

void *mpj_page_access(CPUArchState *env, target_ulong addr, MemOpIdx oi,
                      unsigned size, bool store, uintptr_t retaddr)
{
    MpjCpu *m = &env_neg(env)->mpj;
    const MpjPages *p = &m->pages[mpj_row_set(get_mmuidx(oi))];
    unsigned page = page_of(addr);
    bool write = store || mpj_oi_exclusive(oi);
    uintptr_t row = write ? p->write[page] : p->read[page];
    const uint8_t *state = mpj_zeros + row + (addr >> MPJ_LINE_SHIFT);
    void *host = (void *)((write ? p->write_host : p->read_host)[page] + addr);

    if (!row || (addr & (size - 1)) != 0 || unlikely(mpj.held)) {
        return NULL;
    }
    if (!(write ? mpj_store_hits(*state) : mpj_load_hits(*state))) {
        CPUState *cpu = env_cpu(env);
        Delay d = {};

        if (unlikely(m->exact)) {
            return NULL;
        }
        /* The host fetches the data while the model works. */
        __builtin_prefetch(host);
        first_slow(cpu, oi);
        m->from = retaddr;
        line_miss(cpu, oi, state - m->hot.dline, write, &d, 0);
        data_delay(cpu, oi, &d);
    }
    exclusive(m, oi, store, *state);
    if (store && modified(*state)) {
        mpj_hot_store(&m->hot, addr);
    }
    if (unlikely(write && !p->write[page])) {
        /* Other cores ran and translated code, perhaps from this page. */
        m->counted = true;
        return NULL;
    }
    return host;
}

void *mpj_data_host(CPUState *cpu, target_ulong addr, bool store,
                    uint32_t *line)
{
    MpjCpu *m = cpu_mpj(cpu);
    int mmu_idx = cpu_mmu_index(cpu->env_ptr, false);
    const MpjPages *p = &m->pages[mpj_row_set(mmu_idx)];
    unsigned page = page_of(addr);
    uintptr_t row = store ? p->write[page] : p->read[page];

    if (!row) {
        return NULL;
    }
    *line = (uintptr_t)mpj_zeros + row + (addr >> MPJ_LINE_SHIFT)
            - (uintptr_t)m->hot.dline;
    return (void *)((store ? p->write_host : p->read_host)[page] + addr);
}

G_NORETURN void mpj_access_again(CPUState *cpu)
{
    uint64_t data[TARGET_INSN_START_WORDS];

    if (!mpj.full) {
        cpu_restore_state(cpu, cpu->mem_io_pc);
    } else if (cpu_unwind_state_data(cpu, cpu->mem_io_pc, data)) {
        /* The last instruction of its block: all that was charged stays. */
        cpu->cc->tcg_ops->restore_state_to_opc(cpu,
            tcg_tb_lookup(cpu->mem_io_pc), data);
        cpu_mpj(cpu)->again = true;
        cpu_mpj(cpu)->resume = NULL;
    }
    mpj_sched_kick();
    cpu_exit(cpu);
    cpu_loop_exit_noexc(cpu);
}

/* ---- instructions ---------------------------------------------------------- */

static void fetch_slow(CPUArchState *env, target_ulong pc, uint32_t bytes,
                       uint32_t block)
{
    CPUState *cpu = env_cpu(env);
    MpjCpu *m = cpu_mpj(cpu);
    unsigned core = cpu->cpu_index;
    uint64_t id = mpj_execution(m);
    uint64_t now = mpj_time(m) - mpj_flow_charged(mpj.chip, core, block, id);
    uint32_t paddr, line = MPJ_LINE_NONE, cycles;
    CPUTLBEntryFull *full;
    MpjInsnEvents events;
    int32_t more;
    void *host;

    if (unlikely(mpj.insns)) {
        mpj_insn_events(cpu, pc, &events, true);
    }

    full = mpj_translate(env, pc, MMU_INST_FETCH, cpu_mmu_index(env, true),
                         true, 0, &host);
    if (!full) {
        return;
    }
    paddr = full->phys_addr | (pc & ~TARGET_PAGE_MASK);
    code_note(cpu, full, pc, paddr);
    cycles = utlb_access(cpu, true, pc, full, now);
    if (mpj_cacheable(env, full, true)) {
        line = mpj_line_index(mpj.chip, paddr);
    }
    if (line == MPJ_LINE_NONE) {
        /* The prefetch unit reads 64 bits at a time. */
        for (uint32_t n = (paddr + bytes - 1) / 8 - paddr / 8 + 1; n > 0; n--) {
            cycles += mpj_uncached(mpj.chip, core, paddr, false, now + cycles);
            paddr += 8;
        }
    } else {
        if (m->irow[pc >> MPJ_SECTION_SHIFT] == zero_row()) {
            insn_row_set(cpu, full, pc, paddr, line);
        }
        cycles += mpj_fetch_miss(mpj.chip, core, line, now + cycles);
    }
    more = mpj_flow_stall(mpj.chip, core, block, id, cycles);
    m->left -= more;
    if (unlikely(mpj.insns)) {
        mpj_insn_events(cpu, pc, &events, false);
        mpj_insn_cycles(pc, more);
    }
    mpj_flow_arm(cpu);
}

/* Fetches the lines of a block at pc, charged already. */
void HELPER(mpj_fetch)(CPUArchState *env, target_ulong pc, uint32_t bytes,
                       uint32_t block)
{
    MpjCpu *m = &env_neg(env)->mpj;
    target_ulong end = mpj.held ? pc : pc + bytes;

    while (pc < end) {
        target_ulong next = MIN(end, (pc | ((1 << MPJ_LINE_SHIFT) - 1)) + 1);

        if (!row_state(m->irow[pc >> MPJ_SECTION_SHIFT], pc)) {
            fetch_slow(env, pc, next - pc, block);
        }
        pc = next;
    }
}

/* ---- the pipeline from block to block --------------------------------------- */

/*
 * Enters the block of n instructions at @pc, with no budget left. Returns 0:
 * the budget really is used up, or the core is to be left. 1: the block may
 * run; what was not foreseen is charged. 2: another block for the same code is
 * to be looked up.
 */
uint32_t HELPER(mpj_enter)(CPUArchState *env, target_ulong pc, uint32_t block,
                           uint32_t n)
{
    CPUState *cpu = env_cpu(env);
    MpjCpu *m = cpu_mpj(cpu);
    enum mpj_flow_entry how;
    int32_t more;

    mpj_flow_settle(cpu);
    if (m->leave || mpj_budget(m) <= 0 ||
        (mpj_near(m) && !mpj_near_fits(m, n))) {
        return 0;
    }
    how = mpj_flow_enter(mpj.chip, cpu->cpu_index, block, pc,
                         mpj_execution(m) + n, &more);
    mpj_unbreak(m);
    if (how == MPJ_FLOW_OTHER) {
        m->entry = more;
        env->regs[15] = pc;
        return 2;
    }
    if (how == MPJ_FLOW_WALKED) {
        m->left -= more;
        if (unlikely(mpj.insns)) {
            mpj_insn_cycles(pc, more);
        }
        mpj_flow_arm(cpu);
    }
    cpu->can_do_io = 0;
    return 1;
}

/* Enters a block where every block is walked; this one has been charged. */
void HELPER(mpj_walk)(CPUArchState *env, target_ulong pc, uint32_t block)
{
    MpjCpu *m = &env_neg(env)->mpj;
    int32_t more;

    if (mpj.held) {
        return;
    }
    mpj_flow_enter(mpj.chip, env_cpu(env)->cpu_index, block, pc,
                   mpj_execution(m), &more);
    m->left -= more;
    if (unlikely(mpj_near(m)) && m->left > 0) { /* a block of no cycles */
        m->hold += m->left;
        m->left = 0;
    }
    if (unlikely(mpj.insns)) {
        mpj_insn_cycles(pc, more);
    }
}
