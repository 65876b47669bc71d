/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of the monitors with values of their own on every core; each core waits for the host,
 * which saves the machine and loads it into another one meanwhile, and shows what it reads then. */
#include "bare.h"

#define FR (UART0 + 0x18)
#define CR (UART0 + 0x30)

void on_irq(unsigned core, uint32_t id)
{
    (void)core;
    (void)id;
}

static void fill_shared(void)
{
    W(SCU + 0x08) = 0xa8;
    W(SCU + 0x14) = 0x07060504;
    W(SCU + 0x18) = 0x0b0a0908;
    for (uint32_t i = 0; i < 8; i++)
        W(SCU + 0x1c + 4 * i) = 0x1000 + i;
    W(SCU + 0x10) = 0xa500;
    W(L220 + 0x204) = 8 << 2 | 1;
    W(L220 + 0x208) = 3 << 2;
    W(L220 + 0x20c) = 0x2001;
    W(L220 + 0x210) = 0x2000;
    W(L220 + 0x214) = 0x155;
    W(SYS + 0x08) = 0x5a;
}

static void show_shared(void)
{
    show("scu_status", W(SCU + 0x08));
    show("scu_control", W(SCU + 0x10));
    show("scu_events_low", W(SCU + 0x14));
    show("scu_events_high", W(SCU + 0x18));
    show("scu_first", W(SCU + 0x1c));
    show("scu_last", W(SCU + 0x38));
    show("l220_config0", W(L220 + 0x208));
    show("l220_config1", W(L220 + 0x204));
    show("l220_count0", W(L220 + 0x210));
    show("l220_count1", W(L220 + 0x20c));
    show("l220_mask", W(L220 + 0x214));
    show("leds", W(SYS + 0x08));
}

void on_core(unsigned core)
{
    wr_pmnc(0x12 << 20 | (0x0b + core) << 12 | 1 << 6 | 1 << 3);
    wr_ccnt(0xc0000000 + core);
    wr_pmn0(0xa0000000 + core);
    wr_pmn1(0xb0000000 + core);
    if (core == 0)
        fill_shared();
    show_core("waiting_", core, 1);
    W(CR) |= 1 << 12; /* waits for the host: time stands still */
    uint32_t polls = 0;
    while (W(FR) & 0x10)
        polls++;
    (void)W(UART0);
    W(CR) &= ~(1U << 12);
    show_core("polls_", core, polls);
    show_core("pmnc_", core, rd_pmnc());
    show_core("ccnt_", core, rd_ccnt());
    show_core("pmn0_", core, rd_pmn0());
    show_core("pmn1_", core, rd_pmn1());
    show_core("actlr_", core, rd_actlr());
    show_shared();
    put('\n');
}
