/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that the cores share: SCU, L220, interrupt controller; and their private timers. */
#include <stddef.h>

#include "hal_cache.h"
#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_l2cc.h"
#include "hal_map.h"
#include "hal_pmu.h"
#include "hal_scu.h"
#include "hal_sys.h"
#include "hal_timer.h"
#include "hal_watchdog.h"
#include "mpj.h"
#include "mpj_events.h"
#include "mpj_irq.h"
#include "mpj_sampler.h"
#include "selftest.h"

#define CORES    ((unsigned)BOARD_CORES)
#define LINES    2048U /* of each core: 64 KB */
#define HANDED   256U  /* lines handed from core 0 to core 1 */
#define SHORT_OF 1000U
#define ST_SGI   9U
#define TIMER    100000U /* ticks */

static char memory[CORES][LINES * 32U] __attribute__((aligned(4096)));
static volatile uint32_t met;

/* Makes all cores of the run wait for each other; for a second at most. */
static void meet(uint32_t *turn)
{
    __atomic_add_fetch(&met, 1U, __ATOMIC_ACQ_REL);
    (void)st_wait(&met, mpj_core_count() * ++*turn, 1000000);
}

static void read_lines(const char *p, uint32_t lines)
{
    for (uint32_t i = 0; i < lines; i++)
        (void)*(const volatile char *)(p + 32U * i);
}

static void write_lines(char *p, uint32_t lines)
{
    for (uint32_t i = 0; i < lines; i++)
        *(volatile char *)(p + 32U * i) = (char)i;
}

/* ---- SCU and L220 while the cores read ------------------------------------------------ */

static uint32_t scu[2][HAL_SCU_COUNTERS], l2[2][HAL_L2CC_COUNTERS], handed[3];

static void monitors_start(const uint8_t s[HAL_SCU_COUNTERS], const uint8_t l[HAL_L2CC_COUNTERS])
{
    hal_scu_mon_setup(s, 0);
    hal_l2cc_mon_setup(l, false);
    hal_scu_mon_start();
    hal_l2cc_mon_start();
}

static void monitors_stop(uint32_t s[HAL_SCU_COUNTERS], uint32_t l[HAL_L2CC_COUNTERS])
{
    hal_scu_mon_stop();
    hal_l2cc_mon_stop();
    for (unsigned i = 0; i < HAL_SCU_COUNTERS; i++)
        s[i] = hal_scu_mon_read(i);
    for (unsigned i = 0; i < HAL_L2CC_COUNTERS; i++)
        l[i] = hal_l2cc_mon_read(i);
}

static void share(void *arg)
{
    static const uint8_t fills[HAL_SCU_COUNTERS] = {
        MPJ_EVENT_SCU_MISS_CPU0, MPJ_EVENT_SCU_MISS_CPU0 + 1U, MPJ_EVENT_SCU_MISS_CPU0 + 2U,
        MPJ_EVENT_SCU_MISS_CPU0 + 3U, MPJ_EVENT_SCU_EXT_RD};
    static const uint8_t hands[HAL_SCU_COUNTERS] = {MPJ_EVENT_SCU_C2C_CPU0, MPJ_EVENT_SCU_C2C_CPU1,
                                                    MPJ_EVENT_SCU_MIGRATION};
    static const uint8_t reads[HAL_L2CC_COUNTERS] = {MPJ_EVENT_L2_DRREQ, MPJ_EVENT_L2_DRHIT};
    const unsigned core = mpj_core_id();
    uint32_t turn = 0, ignored[HAL_SCU_COUNTERS], none[HAL_L2CC_COUNTERS];
    hal_irq_state irq = hal_irq_save();

    (void)arg;
    hal_cache_clean_invalidate();
    meet(&turn);
    for (unsigned pass = 0; pass < 2; pass++) { /* in the second pass all of it is in the L220 */
        if (core == 0)
            monitors_start(fills, reads);
        meet(&turn);
        read_lines(memory[core], LINES);
        meet(&turn);
        if (core == 0)
            monitors_stop(scu[pass], l2[pass]);
        meet(&turn);
    }
    if (core == 0)
        write_lines(memory[0], HANDED); /* dirty lines: readers get them from this core */
    meet(&turn);
    if (core == 0)
        monitors_start(hands, reads);
    meet(&turn);
    if (core == 1)
        read_lines(memory[0], HANDED);
    meet(&turn);
    if (core == 0) {
        monitors_stop(ignored, none);
        for (unsigned i = 0; i < 3; i++)
            handed[i] = ignored[i];
    }
    hal_irq_restore(irq);
}

static void sharing(void)
{
    static const struct st_item fill = {
        "scu.linefills", "",        "BOARD_SCU_BASE", "lines that a core reads and no other has",
        LINES,           LINES + 64};
    static const struct st_item out = {
        "scu.ext_rd",       "", "BOARD_SCU_BASE", "reads sent to memory meanwhile", LINES,
        CORES * LINES + 512};
    static const struct st_item c2c = {
        "scu.c2c", "", "BOARD_SCU_BASE", "lines core 1 gets from core 0", HANDED, HANDED + 64};
    static const struct st_item moved = {
        "scu.migration", "", "BOARD_SCU_BASE", "lines that moved, of those", HANDED, HANDED + 64};
    static const struct st_item requests = {
        "l220.drreq",      "",
        "BOARD_L220_BASE", "reads of the L220, 2048 of each core",
        CORES * LINES,     CORES * LINES + 512};
    static const struct st_item hits = {"l220.drhit",       "",
                                        "BOARD_L220_BASE",  "hits, the second time",
                                        CORES * LINES - 64, CORES * LINES + 512};

    if (mpj_core_count() < CORES) {
        st_skip(&fill, "needs all cores");
        return;
    }
    met = 0;
    mpj_on_all_cores(share, NULL);
    for (unsigned i = 0; i < CORES; i++)
        st_value(&fill, (int)i, scu[0][i]);
    st_value(&out, ST_NONE, scu[0][4]);
    st_value(&c2c, ST_NONE, handed[1]);
    st_value(&moved, ST_NONE, handed[2]);
    if (BOARD_L220_BYTES > 0) {
        st_value(&requests, ST_NONE, l2[0][0]);
        st_value(&hits, ST_NONE, l2[1][1]);
    }
}

/* ---- SCU: cycles, interrupts, status ---------------------------------------------------- */

static volatile uint32_t scu_came, scu_wrong;

static void on_scu(unsigned id, void *arg)
{
    const uint32_t flags = hal_scu_mon_overflow();
    const unsigned i = id - BOARD_IRQ_SCU0;

    (void)arg;
    hal_scu_mon_overflow_clear(1U << i);
    if ((flags & 1U << i) != 0)
        scu_came += 1U;
    else
        scu_wrong += 1U;
}

static void scu_status(void *arg)
{
    uint32_t *const seen = arg;
    const unsigned core = mpj_core_id();
    hal_irq_state irq;

    for (uint32_t turn = 0; turn < mpj_core_count(); turn++) {
        if (turn == core) { /* one after the other: one register for all */
            irq = hal_irq_save();
            hal_scu_set_power(core, HAL_SCU_DORMANT);
            seen[core] = hal_scu_power(core) == HAL_SCU_DORMANT;
            hal_scu_set_power(core, HAL_SCU_NORMAL);
            seen[core] += hal_scu_power(core) == HAL_SCU_NORMAL;
            hal_irq_restore(irq);
        }
        meet(&((uint32_t *)arg)[CORES + core]);
    }
}

static void scu_irqs(const uint8_t cycles[HAL_SCU_COUNTERS])
{
    static const struct st_item irqs = {
        "scu.irq", "", "BOARD_IRQ_SCU0", "overflow interrupts of the eight counters", 8, 8};
    static const struct st_item wrong = {
        "scu.irq_other", "", "BOARD_IRQ_SCU0", "of them, with another counter's number", 0, 0};

    if (BOARD_IRQ_SCU0 == 0)
        return;
    for (unsigned i = 0; i < HAL_SCU_COUNTERS; i++) {
        mpj_irq_attach(hal_scu_mon_irq(i), on_scu, NULL);
        hal_gic_target(hal_scu_mon_irq(i), 1U);
        hal_gic_enable(hal_scu_mon_irq(i));
    }
    hal_scu_mon_setup(cycles, 0xff);
    for (unsigned i = 0; i < HAL_SCU_COUNTERS; i++)
        hal_scu_mon_write(i, 0U - SHORT_OF * (i + 1U));
    hal_scu_mon_start();
    (void)st_wait(&scu_came, HAL_SCU_COUNTERS, 2000);
    hal_scu_mon_stop();
    for (unsigned i = 0; i < HAL_SCU_COUNTERS; i++)
        hal_gic_disable(hal_scu_mon_irq(i));
    st_value(&irqs, ST_NONE, scu_came);
    st_value(&wrong, ST_NONE, scu_wrong);
}

static void scu_unit(void)
{
    static const uint8_t cycles[HAL_SCU_COUNTERS] = {
        MPJ_EVENT_SCU_CYCLES, MPJ_EVENT_SCU_CYCLES, MPJ_EVENT_SCU_CYCLES, MPJ_EVENT_SCU_CYCLES,
        MPJ_EVENT_SCU_CYCLES, MPJ_EVENT_SCU_CYCLES, MPJ_EVENT_SCU_CYCLES, MPJ_EVENT_SCU_CYCLES};
    static const struct st_item counters = {"scu.counters",
                                            "permille",
                                            "BOARD_SCU_BASE",
                                            "each monitor counter's cycles against core 0's",
                                            980,
                                            1020};
    static const struct st_item status = {
        "scu.status", "", "BOARD_SCU_BASE", "CPU status: dormant, then normal, is read back", 2, 2};
    static const struct hal_pmu_config pmu = {.event = {MPJ_EVENT_INSTR, MPJ_EVENT_CYCLES}};
    uint32_t seen[2 * CORES] = {0};
    uint32_t ccnt;
    hal_irq_state irq = hal_irq_save();

    hal_pmu_setup(&pmu);
    hal_scu_mon_setup(cycles, 0);
    hal_pmu_start();
    hal_scu_mon_start();
    for (volatile uint32_t i = 0; i < 20000; i++)
        ;
    hal_pmu_stop();
    hal_scu_mon_stop();
    hal_irq_restore(irq);
    ccnt = hal_pmu_read(HAL_PMU_CCNT);
    for (unsigned i = 0; i < HAL_SCU_COUNTERS; i++)
        st_value(&counters, (int)i,
                 ccnt == 0 ? 0 : (int32_t)((uint64_t)hal_scu_mon_read(i) * 1000U / ccnt));
    scu_irqs(cycles);

    met = 0;
    mpj_on_all_cores(scu_status, seen);
    for (unsigned i = 0; i < mpj_core_count(); i++)
        st_value(&status, (int)i, seen[i]);
}

/* ---- L220: on, and its interrupt ---------------------------------------------------------- */

#if BOARD_L220_BYTES > 0
static volatile uint32_t l2_came;

static void on_l2(unsigned id, void *arg)
{
    (void)arg;
    *st_word(BOARD_L220_BASE + 0x208U) = 0; /* the counter's events off: once is enough */
    hal_l2cc_mon_overflow_clear();
    hal_gic_disable(id);
    l2_came++;
}

static void l2_unit(void)
{
    static const struct st_item on = {"l220.on", "", "BOARD_L220_BASE", "the cache is switched on",
                                      1,         1};
    static const struct st_item irq = {
        "l220.irq", "", "BOARD_IRQ_L220", "interrupt of the event counters", 1, 1};
    static const uint8_t reads[HAL_L2CC_COUNTERS] = {MPJ_EVENT_L2_DRREQ, MPJ_EVENT_L2_DRHIT};

    st_value(&on, ST_NONE, hal_l2cc_enabled() ? 1 : 0);
    hal_l2cc_mon_setup(reads, true);
    mpj_irq_attach(hal_l2cc_mon_irq(), on_l2, NULL);
    hal_gic_target(hal_l2cc_mon_irq(), 1U);
    hal_gic_enable(hal_l2cc_mon_irq());
    /* At each increment, since an overflow takes hours. */
    *st_word(BOARD_L220_BASE + 0x208U) = (uint32_t)MPJ_EVENT_L2_DRREQ << 2 | 1U;
    hal_l2cc_mon_start();
    read_lines(memory[CORES - 1U], LINES);
    (void)st_wait(&l2_came, 1, 1000);
    hal_l2cc_mon_stop();
    hal_gic_disable(hal_l2cc_mon_irq());
    st_value(&irq, ST_NONE, l2_came);
}
#else
static void l2_unit(void)
{
    st_absent("id.l220", "no level-2 cache on this board");
}
#endif

/* ---- interrupts between cores, private timers ------------------------------------------------ */

static volatile uint32_t sgi_came[CORES];
static volatile uint32_t dog_came[CORES];

static struct timing {
    uint32_t ratio; /* core cycles of 1000 timer ticks */
    uint32_t slept; /* us of a sleep of 2000 */
} timing[CORES];

static void on_sgi(unsigned id, void *arg)
{
    (void)id;
    (void)arg;
    __atomic_add_fetch(&sgi_came[hal_cpu_id()], 1U, __ATOMIC_RELAXED);
}

static void on_watchdog(unsigned id, void *arg)
{
    (void)id;
    (void)arg;
    hal_timer_clear(HAL_TIMER_SECOND);
    dog_came[hal_cpu_id()]++;
}

static void time_core(void *arg)
{
    static const struct hal_pmu_config pmu = {.event = {MPJ_EVENT_INSTR, MPJ_EVENT_CYCLES}};
    const unsigned core = mpj_core_id();
    uint32_t turn = 0, cycles, left, n = 0, begin;
    hal_irq_state irq;

    (void)arg;
    for (unsigned sender = 0; sender < mpj_core_count(); sender++) {
        const uint32_t before = sgi_came[core];

        meet(&turn);
        if (sender == core)
            hal_gic_send(ST_SGI, ((1U << mpj_core_count()) - 1U) & ~(1U << core));
        else
            (void)st_wait(&sgi_came[core], before + 1U, 1000);
        meet(&turn);
    }

    irq = hal_irq_save();
    hal_pmu_setup(&pmu);
    hal_timer_start(HAL_TIMER_SECOND, 0x7fffffffU, false);
    hal_pmu_start();
    left = hal_timer_left(HAL_TIMER_SECOND);
    cycles = hal_pmu_cycles();
    while (left - hal_timer_left(HAL_TIMER_SECOND) < TIMER && ++n < 1000000U)
        ;
    left -= hal_timer_left(HAL_TIMER_SECOND);
    cycles = hal_pmu_cycles() - cycles;
    hal_pmu_stop();
    hal_timer_stop(HAL_TIMER_SECOND);
    timing[core].ratio = left == 0 ? 0 : (uint32_t)((uint64_t)cycles * 1000U / left);
    hal_irq_restore(irq);

    hal_gic_enable(HAL_IRQ_SECOND_TIMER);
    hal_timer_start(HAL_TIMER_SECOND, TIMER, false);
    (void)st_wait(&dog_came[core], 1, 5000);
    hal_timer_stop(HAL_TIMER_SECOND);

    begin = hal_sys_ticks32();
    mpj_sleep_us(2000);
    timing[core].slept = (uint32_t)hal_time_to_us(HAL_SYS_TIME_HZ, hal_sys_ticks32() - begin);
}

static void timers(void)
{
    static const struct st_item sgi = {"gic.sgi",         "",
                                       "BOARD_GICD_BASE", "interrupts from the other cores",
                                       BOARD_CORES - 1,   BOARD_CORES - 1};
    static const struct st_item ratio = {
        "timer.rate", "permille", "BOARD_TIMER_BASE", "core cycles in a tick of the private timers",
        1980,         2020};
    static const struct st_item dog = {
        "timer.irq", "", "BOARD_TIMER2_BASE", "interrupt of the watchdog as a timer", 1, 1};
    static const struct st_item slept = {
        "timer.sleep", "us", "BOARD_CORE_HZ", "a sleep of 2000 us by the " ST_TIME, 1995, 2100};
    const unsigned cores = mpj_core_count();

    mpj_irq_attach(ST_SGI, on_sgi, NULL);
    mpj_irq_attach(HAL_IRQ_SECOND_TIMER, on_watchdog, NULL);
    met = 0;
    mpj_on_all_cores(time_core, NULL);
    mpj_irq_attach(HAL_IRQ_SECOND_TIMER, mpj_prof_irq_sample, NULL);
    mpj_sampler_start();
    for (unsigned i = 0; i < cores; i++)
        st_value(&sgi, (int)i, (int32_t)(sgi_came[i] + CORES - cores));
    for (unsigned i = 0; i < cores; i++)
        st_value(&ratio, (int)i, timing[i].ratio);
    for (unsigned i = 0; i < cores; i++)
        st_value(&dog, (int)i, dog_came[i]);
    for (unsigned i = 0; i < cores; i++)
        st_value(&slept, (int)i, timing[i].slept);
}

#if BOARD_WATCHDOG_HZ > 0
/* Measures the baseboard's watchdog, unless the loader has started it for its programs. */
static void board_watchdog(void)
{
    static const struct st_item rate = {"watchdog.rate",
                                        "Hz",
                                        "BOARD_WATCHDOG_HZ",
                                        "the board's watchdog in a second of the " ST_TIME,
                                        BOARD_WATCHDOG_HZ / 1000U * 995U,
                                        BOARD_WATCHDOG_HZ / 1000U * 1005U};
    static const struct st_item there = {"watchdog.rate",        "Hz", "BOARD_WATCHDOG_BASE",
                                         "the board's watchdog", 0,    0};
    const uint32_t want = (uint32_t)hal_sys_ticks_of_us(5000U);
    uint32_t control, value, begin, n = 0;
    struct mpj_fault_caught c;
    hal_irq_state irq;

    if (!st_peek(BOARD_WATCHDOG_BASE + 8U, &control, &c)) {
        st_fault(&there, ST_NONE, &c);
        return;
    }
    if ((control & 1U) == 0)
        hal_watchdog_start(HAL_WATCHDOG_MS_MAX);
    irq = hal_irq_save();
    begin = hal_sys_ticks32();
    value = *st_word(BOARD_WATCHDOG_BASE + 4U);
    while (hal_sys_ticks32() - begin < want && ++n < 1000000U)
        ;
    value -= *st_word(BOARD_WATCHDOG_BASE + 4U);
    begin = hal_sys_ticks32() - begin;
    hal_irq_restore(irq);
    if ((control & 1U) == 0)
        hal_watchdog_stop();
    st_value(&rate, ST_NONE, begin == 0 ? 0 : (int32_t)((uint64_t)value * HAL_SYS_TIME_HZ / begin));
}

#else
static void board_watchdog(void)
{
    st_absent("watchdog.rate", "no watchdog on this board");
}
#endif

void st_chip(void)
{
    st_part("chip");
    sharing();
    scu_unit();
    l2_unit();
    st_part("timers");
    timers();
    board_watchdog();
}
