/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each core's clock, monitor and caches, by programs whose counts are derived by hand. The
 * derivations are in tests/programs/known_*.c; differences are described with the item. Exact
 * counts are those of the modelled pipeline: on a board a difference is a finding, not a fault.
 */
#include <string.h>

#include "../../known.h"
#include "hal_cache.h"
#include "hal_gic.h"
#include "hal_map.h"
#include "hal_sys.h"
#include "mpj_irq.h"
#include "mpj_mmu.h"
#include "selftest.h"

#define CORES    ((unsigned)BOARD_CORES)
#define SHORT_OF 1000U
#define CLOCK_US 5000U
#define LINE     32U
#define BYTES16K (16U << 10)
#define BYTES64K (64U << 10)
#define BEHIND   (BOARD_RAM_BASE + 0x00400000U) /* the program's own code and data */
#define CALLS    12U /* functions, a megabyte apart: more than a micro-TLB holds */
#define CALLS_AT (BOARD_RAM_BASE + 0x04000000U)
#define BX_LR    0xe12fff1eU

KNOWN_PROBE(st_adds, KNOWN_REPEAT(1024, "add r4, r4, #1"));
KNOWN_PROBE(st_loaduse, KNOWN_REPEAT(512, "ldr r4, [r10]\n\tadd r6, r4, r8"));
KNOWN_PROBE(st_muls,
            KNOWN_REPEAT(32, KNOWN_REPEAT(28, "mul r4, r4, r8") KNOWN_REPEAT(4, "mov r7, r9")));
KNOWN_PROBE(st_loop, "1:\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(st_never, "1:\n\tcmp r9, #7\n\tbeq 2f\n\tadd r4, r4, #1\n\t"
                      "2:\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(st_read, "1:\n\tldr r4, [r10], #32\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(st_write, "1:\n\tstr r4, [r10], #32\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(st_burst, "1:\n\tstr r4, [r10]\n\tstr r4, [r10, #4]\n\tstr r4, [r10, #8]\n\t"
                      "str r4, [r10, #12]\n\tmcr p15, 0, r7, c7, c10, 4\n\t"
                      "subs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(st_jumps, "adr r4, 1f\n\t1:\n\tsubs r5, r5, #1\n\tmovne pc, r4");
KNOWN_PROBE(st_calls, "1:\n\tmov lr, pc\n\tbx r10\n\tadd r10, r10, #0x100000\n\t"
                      "subs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(st_megabytes, "1:\n\tldr r4, [r10], #32\n\tadd r10, r10, #0x100000\n\t"
                          "subs r5, r5, #1\n\tbne 1b");

/* Measurements on every core, in the order of items[]. */
enum {
    CLOCK,
    CCNT,
    PMN0,
    PMN1,
    STOPPED,
    DIV64,
    FLAGS,
    IRQS,
    IRQ_ID,
    QUIET,
    INSTR,
    DDEP_NONE,
    CYCLES,
    DDEP_LOAD,
    DDEP_MUL,
    BRANCH,
    MISPRED,
    NOTPRED,
    PC_CHANGE,
    RD,
    RD_MISS,
    RD_HIT,
    RD_AGAIN,
    EXT_REQ,
    WR,
    WR_MISS,
    EVICT,
    IC_MISS,
    IF_STALL,
    DUTLB,
    TLB,
    IUTLB,
    FOLDED,
    LSU_STALL,
    SB_DRAIN,
    SB_MERGE,
    COUNT
};

#define MODEL "sim/calibrations/realview-eb-mpcore.conf:"

static const struct st_item items[COUNT] = {
    [CLOCK] = {"clock.core", "Hz", "BOARD_CORE_HZ", "cycle counter in a second of the " ST_TIME,
               BOARD_CORE_HZ / 1000U * 999U, BOARD_CORE_HZ / 1000U * 1001U},
    [CCNT] = {"pmu.ccnt", "", "-", "cycle counter: cycles of 1024 additions", 1024, 1024},
    [PMN0] = {"pmu.pmn0", "", "-", "counter 0: 1024 instructions", 1024, 1024},
    [PMN1] = {"pmu.pmn1", "", "-", "counter 1: 1024 instructions", 1024, 1024},
    [STOPPED] = {"pmu.stopped", "", "-", "switched off, nothing counts", 0, 0},
    [DIV64] = {"pmu.div64", "", "-", "cycle counter divided by 64", 16, 16},
    [FLAGS] = {"pmu.overflow", "mask", "-", "overflow flags: PMN0, PMN1, CCNT", 7, 7},
    [IRQS] = {"pmu.irq", "", "BOARD_IRQ_PMU0", "overflow interrupts of the three counters", 3, 3},
    [IRQ_ID] = {"pmu.irq_id", "", "BOARD_IRQ_PMU0", "first core's number of that interrupt",
                BOARD_IRQ_PMU0, BOARD_IRQ_PMU0},
    [QUIET] = {"pmu.irq_off", "", "-", "no interrupt when it is not enabled", 0, 0},
    [INSTR] = {"event.instr", "", "-", "instructions of 512 loads, 512 additions", 1024, 1024},
    [DDEP_NONE] = {"event.ddep_none", "", MODEL "pipe_early", "stalls of 1024 additions", 0, 0},
    [CYCLES] = {"event.cycles", "", "-", "cycles as an event, 1024 additions", 1024, 1024},
    [DDEP_LOAD] = {"event.ddep_load", "", MODEL "pipe_load_latency", "stalls of 512 loads and uses",
                   1024, 1024},
    [DDEP_MUL] = {"event.ddep_mul", "", MODEL "pipe_mul_latency",
                  "stalls of chained multiplications", 2592, 2592},
    [BRANCH] = {"event.branch", "", "-", "branches of a loop of 1000", 1000, 1000},
    [MISPRED] = {"event.branch_mispred", "", MODEL "branch_mispredict", "mispredicted of those", 1,
                 2},
    [NOTPRED] = {"event.branch_notpred", "", MODEL "branch_indirect",
                 "not predicted: 999 moves to the PC", 999, 1001},
    [PC_CHANGE] = {"event.pc_change", "", "-", "PC written by 999 moves", 999, 1001},
    [RD] = {"event.dcache_rd", "", "-", "512 reads", 512, 512},
    [RD_MISS] = {"event.dcache_rd_miss", "", "-", "read misses, 16 KB in an empty cache", 512, 512},
    [RD_HIT] = {"cache.d_fits", "", MODEL "l1d_kb", "read misses, the same 16 KB again", 0, 4},
    [RD_AGAIN] = {"cache.d_size", "", MODEL "l1d_kb", "read misses, 64 KB again in a 32 KB cache",
                  2048, 2048},
    [EXT_REQ] = {"event.ext_req", "", "-", "external requests of 512 read misses", 512, 540},
    [WR] = {"event.dcache_wr", "", "-", "512 writes", 512, 512},
    [WR_MISS] = {"event.dcache_wr_miss", "", "-", "write misses, 16 KB in an empty cache", 512,
                 512},
    [EVICT] = {"event.dcache_evict", "", "-", "lines written back by 64 KB of writes, again", 2040,
               2052},
    [IC_MISS] = {"event.icache_miss", "", "-", "misses of 4 KB of code in an empty cache", 128,
                 140},
    [IF_STALL] = {"event.ifetch_stall", "", "-", "stalls of those: at least one cycle each", 128,
                  100000},
    [DUTLB] = {"event.dutlb_miss", "", "-", "data micro-TLB: 96 megabytes, a read each", 96, 110},
    [TLB] = {"event.tlb_miss", "", "-", "main TLB: the same, twice as many as it holds", 90, 110},
    [IUTLB] = {"event.iutlb_miss", "", "-", "instruction micro-TLB: calls to 12 megabytes", 12, 30},
    [FOLDED] = {"event.folded", "", "-", "folded branches of 1000 that could be", 1, 2000},
    [LSU_STALL] = {"event.lsu_stall", "", "-", "stalls of the load/store unit, 2048 misses", 1,
                   1000000},
    [SB_DRAIN] = {"event.sb_drain", "", "-", "store buffer drained 100 times", 100, 120},
    [SB_MERGE] = {"event.sb_merge", "", "-", "stores merged, of 300 that could be", 1, 400},
};

struct result {
    uint32_t v[COUNT];
    uint32_t noise; /* cost of a read of the clocks */
} __attribute__((aligned(32)));

/* Returns false for items without a test: the lines of the monitors' interrupts may be unknown. */
static bool tested(unsigned n)
{
    return BOARD_IRQ_PMU0 != 0 || (n != IRQS && n != IRQ_ID);
}

static struct result result[CORES];
static volatile uint32_t came[CORES], came_as[CORES];
static char memory[CORES][BYTES64K] __attribute__((aligned(4096)));
static uint32_t *self[8] __attribute__((aligned(32)));

static void on_overflow(unsigned id, void *arg)
{
    const unsigned core = hal_cpu_id();

    (void)arg;
    hal_pmu_overflow_clear(HAL_PMU_ALL);
    came[core]++;
    came_as[core] = id;
}

static void clock_rate(struct result *r)
{
    const struct hal_pmu_config c = {.event = {MPJ_EVENT_INSTR, MPJ_EVENT_CYCLES}};
    const uint32_t want = (uint32_t)hal_sys_ticks_of_us(CLOCK_US);
    hal_irq_state irq = hal_irq_save();
    uint32_t first, now, cycles, n = 0;

    hal_pmu_setup(&c);
    hal_pmu_start();
    first = hal_sys_ticks32();
    while ((now = hal_sys_ticks32()) == first && ++n < 1000000U)
        ;
    first = now;
    cycles = hal_pmu_cycles();
    while ((now = hal_sys_ticks32()) - first < want && ++n < 10000000U)
        ;
    cycles = hal_pmu_cycles() - cycles;
    hal_pmu_stop();
    hal_irq_restore(irq);
    r->v[CLOCK] =
        now == first ? 0 : (uint32_t)((uint64_t)cycles * HAL_SYS_TIME_HZ / (uint64_t)(now - first));
}

/* Runs adds from a counter set shortly before its end. Returns the counter. bits: interrupts. */
static uint32_t from(enum hal_pmu_counter which, uint32_t preset, known_probe *probe, uint32_t bits)
{
    const struct hal_pmu_config c = {.event = {MPJ_EVENT_INSTR, MPJ_EVENT_INSTR}};
    const uint32_t word = KNOWN_WORD(MPJ_EVENT_INSTR, MPJ_EVENT_INSTR) | bits;

    hal_pmu_setup(&c);
    hal_pmu_write(which, preset);
    probe(NULL, word | 1U, word, 0);
    return hal_pmu_read(which);
}

/* Returns the quicker of two tries: code that other code of the same set displaced is in the cache
 * for the second one. */
static struct known_counts warm(known_probe *probe, void *mem, uint32_t n, unsigned e0, unsigned e1)
{
    const struct known_counts first = known_warm(probe, mem, n, e0, e1);
    const struct known_counts second = known_warm(probe, mem, n, e0, e1);

    return first.cycles < second.cycles ? first : second;
}

static void monitor(struct result *r, unsigned core)
{
    const uint32_t word = KNOWN_WORD(MPJ_EVENT_INSTR, MPJ_EVENT_CYCLES);
    struct known_counts c = warm(st_adds, NULL, 0, MPJ_EVENT_INSTR, MPJ_EVENT_INSTR);
    hal_irq_state irq;

    r->v[CCNT] = c.cycles;
    r->v[PMN0] = c.event[0];
    r->v[PMN1] = c.event[1];
    irq = hal_irq_save();
    st_adds(NULL, word | 0x706U, word, 0);
    r->v[STOPPED] =
        hal_pmu_read(HAL_PMU_CCNT) + hal_pmu_read(HAL_PMU_PMN0) + hal_pmu_read(HAL_PMU_PMN1);
    st_adds(NULL, word | 0x70fU, word | 8U, 0);
    r->v[DIV64] = hal_pmu_read(HAL_PMU_CCNT);
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++) {
        (void)from((enum hal_pmu_counter)i, 0U - SHORT_OF, st_adds, 0x10U << i);
        r->v[FLAGS] |= hal_pmu_overflow() == HAL_PMU_BIT(i) ? HAL_PMU_BIT(i) : 0U;
        hal_irq_restore(irq);
        hal_irq_enable();
        (void)st_wait(&came[core], i + 1U, 50);
        irq = hal_irq_save();
        hal_pmu_overflow_clear(HAL_PMU_ALL);
    }
    r->v[IRQS] = came[core];
    r->v[IRQ_ID] = came[core] != 0 ? came_as[core] - core : 0;
    (void)from(HAL_PMU_PMN0, 0U - SHORT_OF, st_adds, 0);
    hal_irq_restore(irq);
    (void)st_wait(&came[core], came[core] + 1U, 20);
    r->v[QUIET] = came[core] - r->v[IRQS];
    hal_pmu_overflow_clear(HAL_PMU_ALL);
}

static void events(struct result *r)
{
    struct known_counts c = warm(st_loaduse, self, 0, MPJ_EVENT_INSTR, MPJ_EVENT_DDEP_STALL);

    r->v[INSTR] = c.event[0];
    r->v[DDEP_LOAD] = c.event[1];
    c = warm(st_adds, NULL, 0, MPJ_EVENT_CYCLES, MPJ_EVENT_DDEP_STALL);
    r->v[CYCLES] = c.event[0];
    r->v[DDEP_NONE] = c.event[1];
    r->v[DDEP_MUL] = warm(st_muls, NULL, 0, MPJ_EVENT_INSTR, MPJ_EVENT_DDEP_STALL).event[1];
    c = warm(st_loop, NULL, 1000, MPJ_EVENT_BRANCH, MPJ_EVENT_BRANCH_MISPRED);
    r->v[BRANCH] = c.event[0];
    r->v[MISPRED] = c.event[1];
    r->v[FOLDED] = warm(st_never, NULL, 1000, MPJ_EVENT_FOLDED, MPJ_EVENT_INSTR).event[0];
    c = warm(st_jumps, NULL, 1000, MPJ_EVENT_PC_CHANGE, MPJ_EVENT_BRANCH_NOTPRED);
    r->v[PC_CHANGE] = c.event[0];
    r->v[NOTPRED] = c.event[1];
}

static void empty(void)
{
    hal_cache_clean_invalidate();
}

static void caches(struct result *r, char *mem)
{
    hal_irq_state irq = hal_irq_save();
    struct known_counts c;

    /* Fetch the code, then empty the data cache, then run nothing but the probe. */
    (void)known_once(st_read, mem, 16, 0, 0);
    (void)known_once(st_write, mem, 16, 0, 0);
    empty();
    c = known_once(st_read, mem, BYTES16K / LINE, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_RD_MISS);
    r->v[RD] = c.event[0];
    r->v[RD_MISS] = c.event[1];
    c = known_once(st_read, mem, BYTES16K / LINE, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_RD_MISS);
    r->v[RD_HIT] = c.event[1];
    empty();
    c = known_once(st_read, mem, BYTES16K / LINE, MPJ_EVENT_EXT_REQ, MPJ_EVENT_LSU_STALL);
    r->v[EXT_REQ] = c.event[0];
    (void)known_once(st_read, mem, BYTES64K / LINE, 0, 0);
    c = known_once(st_read, mem, BYTES64K / LINE, MPJ_EVENT_DCACHE_RD_MISS, MPJ_EVENT_LSU_STALL);
    r->v[RD_AGAIN] = c.event[0];
    empty();
    c = known_once(st_write, mem, BYTES16K / LINE, MPJ_EVENT_DCACHE_WR, MPJ_EVENT_DCACHE_WR_MISS);
    r->v[WR] = c.event[0];
    r->v[WR_MISS] = c.event[1];
    (void)known_once(st_write, mem, BYTES64K / LINE, 0, 0);
    c = known_once(st_write, mem, BYTES64K / LINE, MPJ_EVENT_DCACHE_EVICT, MPJ_EVENT_LSU_STALL);
    r->v[EVICT] = c.event[0];
    r->v[LSU_STALL] = c.event[1];
    hal_cache_invalidate_insn();
    c = known_once(st_adds, mem, 0, MPJ_EVENT_ICACHE_MISS, MPJ_EVENT_IFETCH_STALL);
    r->v[IC_MISS] = c.event[0];
    r->v[IF_STALL] = c.event[1];
    c = warm(st_burst, mem, 100, MPJ_EVENT_SB_DRAIN, MPJ_EVENT_SB_MERGE);
    r->v[SB_DRAIN] = c.event[0];
    r->v[SB_MERGE] = c.event[1];
    mpj_mmu_flush();
    c = known_once(st_megabytes, (void *)BEHIND, 96, MPJ_EVENT_DUTLB_MISS, MPJ_EVENT_TLB_MISS);
    r->v[DUTLB] = c.event[0];
    hal_cache_invalidate_insn();
    mpj_mmu_flush();
    c = known_once(st_calls, (void *)CALLS_AT, CALLS, MPJ_EVENT_IUTLB_MISS, MPJ_EVENT_INSTR);
    r->v[IUTLB] = c.event[0];
    c = known_once(st_megabytes, (void *)BEHIND, 96, MPJ_EVENT_DUTLB_MISS, MPJ_EVENT_TLB_MISS);
    r->v[TLB] = c.event[1];
    hal_irq_restore(irq);
}

static void measure(void *arg)
{
    struct result *const r = arg;
    const unsigned core = mpj_core_id();

    mpj_monitors_take();
    clock_rate(r);
    monitor(r, core);
    events(r);
    caches(r, memory[core]);
}

static struct mpj_fault_caught caught[CORES];
static bool whole[CORES];

static void examine(void *arg)
{
    const unsigned core = mpj_core_id();

    (void)arg;
    whole[core] = mpj_fault_try(&caught[core], measure, &result[core]);
}

/* Writes functions that only return, in memory that no program of this size uses. */
static void make_calls(bool on)
{
    for (uint32_t i = 0; i < CALLS && on; i++)
        *(volatile uint32_t *)(CALLS_AT + i * MPJ_SECTION_BYTES) = BX_LR;
    mpj_mmu_map(CALLS_AT, CALLS_AT + CALLS * MPJ_SECTION_BYTES, on ? MPJ_MMU_CODE : MPJ_MMU_DATA);
    if (on) {
        const hal_irq_state irq = hal_irq_save();

        hal_cache_clean_invalidate();
        hal_irq_restore(irq);
    }
}

void st_cores(void)
{
    static const struct st_item access = {
        "pmu.access", "", "-", "reading and writing the monitor", 0, 0};
    const unsigned cores = mpj_core_count();

    st_part("cores");
    self[0] = (uint32_t *)self;
    for (unsigned i = 0; i < cores && BOARD_IRQ_PMU0 != 0; i++) {
        mpj_irq_attach(hal_pmu_irq(i), on_overflow, NULL);
        hal_gic_target(hal_pmu_irq(i), 1U << i);
        hal_gic_enable(hal_pmu_irq(i));
    }
    make_calls(true);
    mpj_on_all_cores(examine, NULL);
    make_calls(false);
    for (unsigned i = 0; i < cores; i++) {
        if (!whole[i])
            st_fault(&access, (int)i, &caught[i]);
    }
    for (unsigned n = 0; n < COUNT; n++) {
        for (unsigned i = 0; i < cores && tested(n); i++)
            st_value(&items[n], (int)i, result[i].v[n]);
    }
}
