/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Performance monitors of each core; SCU and L220 monitors; timers; ADC. */
#include "bare.h"

enum { E = 1, P = 2, C = 4, D = 8, IE_PMN0 = 1 << 4, IE_CCNT = 1 << 6, FL_SHIFT = 8 };
#define EVENTS(pmn0, pmn1) ((uint32_t)(pmn0) << 20 | (uint32_t)(pmn1) << 12)
enum { EV_INSTR = 0x08, EV_BRANCH = 0x05, EV_CYCLES = 0xff };

static volatile uint32_t ccnt_at_irq;

void on_irq(unsigned core, uint32_t id)
{
    (void)core;
    if (id >= 49 && id <= 52) {
        ccnt_at_irq = rd_ccnt();
        wr_pmnc(rd_pmnc()); /* writes the overflow flags back: clears them */
    } else if (id >= 53 && id <= 60)
        W(SCU + 0x10) = W(SCU + 0x10);
    else if (id == 61)
        W(L220 + 0x220) = 1;
    else if (id == 29)
        W(TIMER + 0x0c) = 1;
    else if (id == 30)
        W(WATCHDOG + 0x0c) = 1;
}

static void pmu(unsigned core)
{
    show_core("pmnc_reset_", core, rd_pmnc());
    show_core("actlr_reset_", core, rd_actlr());

    /* Exact counts: 100 additions and the reading of the counter itself. */
    wr_pmnc(E | P | C | EVENTS(EV_INSTR, EV_BRANCH));
    uint32_t before = rd_pmn0();
    __asm__ volatile(".rept 100\n add r0, r0, #1\n .endr" : : : "r0");
    show_core("instructions_", core, rd_pmn0() - before);
    before = rd_pmn1();
    spin(50);
    show_core("branches_", core, rd_pmn1() - before);

    /* Disabled counters keep their values; P and C reset them separately. */
    wr_pmnc(EVENTS(EV_INSTR, EV_BRANCH));
    before = rd_pmn0();
    uint32_t cycles = rd_ccnt();
    spin(50);
    show_core("held_", core, rd_pmn0() == before && rd_ccnt() == cycles && before && cycles);
    wr_pmnc(P | EVENTS(EV_INSTR, EV_BRANCH));
    show_core("reset_p_", core, rd_pmn0() == 0 && rd_pmn1() == 0 && rd_ccnt() == cycles);
    wr_pmnc(C);
    show_core("reset_c_", core, rd_ccnt());
    wr_pmnc(EVENTS(0x12, 0x34) | D | IE_CCNT);
    show_core("pmnc_kept_", core, rd_pmnc() == (EVENTS(0x12, 0x34) | D | IE_CCNT));

    /* Every 64th cycle against each cycle. */
    wr_pmnc(P | C);
    wr_pmnc(E | P | C | D | EVENTS(EV_CYCLES, EV_CYCLES));
    spin(3000);
    uint32_t every = rd_pmn0(), divided = rd_ccnt(), later = rd_pmn0();
    show_core("divider_", core, divided >= every / 64 && divided <= later / 64 && divided > 90);

    /* Overflow without interrupt: the flag, cleared by writing it. */
    wr_pmnc(P | C | 7 << FL_SHIFT);
    wr_pmn0(0xffffffff - 9);
    wr_pmnc(E | EVENTS(EV_INSTR, EV_BRANCH));
    spin(50);
    show_core("flags_", core, rd_pmnc() >> FL_SHIFT & 7);
    show_core("wrapped_", core, rd_pmn0() < 200);
    wr_pmnc(E | 1 << FL_SHIFT | EVENTS(EV_INSTR, EV_BRANCH));
    show_core("flags_cleared_", core, rd_pmnc() >> FL_SHIFT & 7);
    show_core("no_interrupt_", core, irq_count[core]);

    /* Overflow interrupts: cycles and instructions. */
    wr_sctlr(rd_sctlr() | 1 << 12); /* so that entry does not take thousands of cycles */
    irq_on();
    wr_pmnc(0);
    wr_ccnt((uint32_t)-20000);
    wr_pmnc(E | IE_CCNT);
    while (irq_count[core] == 0)
        ;
    show_core("ccnt_irq_", core, irq_id[core]);
    show_core("ccnt_late_", core, ccnt_at_irq);
    wr_pmnc(0);
    wr_pmn0((uint32_t)-3000);
    wr_pmnc(E | IE_PMN0 | EVENTS(EV_INSTR, 0));
    while (irq_count[core] == 1)
        ;
    show_core("pmn0_irq_", core, irq_id[core]);
    show_core("irqs_", core, irq_count[core]);
    wr_pmnc(7 << FL_SHIFT);
    irq_off();
}

static void scu(void)
{
    show("scu_config", W(SCU + 4));
    wr_actlr(rd_actlr() | 0x20);
    show("scu_config_smp", W(SCU + 4));
    W(SCU + 8) = 0xa8;
    show("cpu_status", W(SCU + 8));
    B(SCU + 8) = 0;
    show("cpu_status_byte", W(SCU + 8));

    W(SCU + 0x14) = 0x0403021f;
    B(SCU + 0x1b) = 0x1f; /* MN7 */
    show("selectors", B(SCU + 0x14) + (B(SCU + 0x1b) << 8));
    W(SCU + 0x10) = 3;
    spin(1000);
    W(SCU + 0x10) = 0;
    uint32_t first = W(SCU + 0x1c), last = W(SCU + 0x38);
    spin(1000);
    show("scu_same_event", first == last && first > 1000);
    show("scu_held", W(SCU + 0x1c) == first);
    W(SCU + 0x38) = 0xffffffff;
    W(SCU + 0x10) = 1;
    spin(1000);
    show("scu_flags", W(SCU + 0x10) >> 16);
    B(SCU + 0x12) = 0x80;
    show("scu_flags_cleared", W(SCU + 0x10) >> 16);

    irq_on();
    irq_count[0] = 0;
    W(SCU + 0x1c) = (uint32_t)-20000;
    W(SCU + 0x10) = 1 | 0x01 << 8;
    while (irq_count[0] == 0)
        ;
    show("mn0_irq", irq_id[0]);
    W(SCU + 0x38) = (uint32_t)-20000;
    W(SCU + 0x10) = 1 | 0x80 << 8;
    while (irq_count[0] == 1)
        ;
    show("mn7_irq", irq_id[0]);
    W(SCU + 0x10) = 2;
    show("scu_reset_all", W(SCU + 0x38));
    irq_off();
}

static void l220(void)
{
    show("l220_id", W(L220));
    W(L220 + 0x100) = 1;
    W(L220 + 0x208) = 8 << 2; /* counter 0: instruction read request */
    W(L220 + 0x204) = 8 << 2;
    W(L220 + 0x200) = 7;
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 0" : : "r"(0));
    spin(100);
    uint32_t misses = W(L220 + 0x210);
    show("l220_counts", misses > 0 && W(L220 + 0x20c) >= misses);
    W(L220 + 0x200) = 0;
    misses = W(L220 + 0x210);
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 0" : : "r"(0));
    spin(100);
    show("l220_held", W(L220 + 0x210) == misses);

    irq_on();
    irq_count[0] = 0;
    W(L220 + 0x214) = 1;
    W(L220 + 0x20c) = 0xffffffff;
    W(L220 + 0x204) = 8 << 2 | 2; /* interrupt on overflow */
    W(L220 + 0x200) = 1;
    while (irq_count[0] == 0)
        __asm__ volatile("mcr p15, 0, %0, c7, c5, 0" : : "r"(0));
    show("l220_irq", irq_id[0]);
    show("l220_cleared", W(L220 + 0x21c));
    W(L220 + 0x214) = 0;
    W(L220 + 0x200) = 0;
    irq_off();
}

static void timers(void)
{
    /* Both tick at half the core clock: nothing is lost between two readings. */
    wr_pmnc(E | C);
    W(TIMER) = 0xffffffff;
    W(TIMER + 8) = 1;
    W(WATCHDOG) = 0xffffffff;
    W(WATCHDOG + 8) = 1;
    uint32_t t0 = W(TIMER + 4), c0 = rd_ccnt();
    spin(100000);
    uint32_t t1 = W(TIMER + 4), c1 = rd_ccnt();
    uint32_t error = 2 * (t0 - t1) - (c1 - c0) + 4;
    show("timer_rate", error <= 8);
    show("watchdog_ticks", W(WATCHDOG + 4) < 0xffffff00);
    W(TIMER + 8) = 1 | 7 << 8; /* an eighth */
    t0 = W(TIMER + 4), c0 = rd_ccnt();
    spin(100000);
    t1 = W(TIMER + 4), c1 = rd_ccnt();
    error = 16 * (t0 - t1) - (c1 - c0) + 32;
    show("prescaler", error <= 64);
    uint32_t m0 = W(SYS + 0x5c);
    c0 = rd_ccnt();
    spin(100000);
    uint32_t m1 = W(SYS + 0x5c);
    c1 = rd_ccnt();
    error = 35 * (m1 - m0) - 4 * (c1 - c0) + 150; /* 24 MHz : 210 MHz = 4 : 35 */
    show("clock_24mhz", error <= 300);

    irq_on();
    irq_count[0] = 0;
    W(TIMER + 8) = 0;
    W(TIMER) = 5000;
    W(TIMER + 8) = 5;
    while (irq_count[0] == 0)
        ;
    show("timer_irq", irq_id[0]);
    W(WATCHDOG + 8) = 0;
    W(WATCHDOG) = 5000;
    W(WATCHDOG + 8) = 5;
    while (irq_count[0] == 1)
        ;
    show("watchdog_irq", irq_id[0]);
    irq_off();
}

static void adc(void)
{
    W(SYS + 0xa0) = 0x5a;
    wr_pmnc(E | C);
    while (rd_ccnt() < 2100000) /* 10 ms: past the first conversion */
        ;
    uint32_t volts = (W(SYS + 0xa0) >> 8) * 610, amps = (W(SYS + 0xa8) >> 8) * 244;
    show("dac", W(SYS + 0xa0) & 0xff);
    show("processor_uv", volts);
    show("processor_ua", amps);
    show("pll_uv", (W(SYS + 0xa4) >> 8) * 610);
    show("pll_step_na", (W(SYS + 0xac) >> 8) * 12200);
}

void on_core(unsigned core)
{
    pmu(core);
    if (core == 0) {
        scu();
        l220();
        timers();
        adc();
        W(SYS + 0x40) = 8; /* locked: no reset */
        show("still_here", 1);
    }
}
