/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bare.h"

volatile uint32_t irq_count[4], irq_id[4];
static volatile uint32_t turn;

void irq_dispatch(void);
void entry(unsigned core);

void put(char c)
{
    W(UART0) = (uint32_t)c;
}

static void text(const char *s)
{
    while (*s)
        put(*s++);
}

static void number(uint32_t value)
{
    char digits[10];
    int n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n)
        put(digits[--n]);
    put('\n');
}

void show(const char *name, uint32_t value)
{
    text(name);
    put(' ');
    number(value);
}

void show_core(const char *name, unsigned core, uint32_t value)
{
    text(name);
    put((char)('0' + core));
    put(' ');
    number(value);
}

void irq_dispatch(void)
{
    uint32_t id = W(GIC_CPU + 0x0c);
    unsigned core;
    __asm__("mrc p15, 0, %0, c0, c0, 5" : "=r"(core));
    core &= 3;
    irq_id[core] = id & 0x3ff;
    irq_count[core]++;
    on_irq(core, id & 0x3ff);
    W(GIC_CPU + 0x10) = id;
}

void irq_setup(void)
{
    W(GIC_DIST) = 1;
    W(GIC_DIST + 0x100) = 0xffff0000;
    W(GIC_DIST + 0x104) = 0xffffffff;
    for (unsigned id = 48; id < 64; id += 4)
        W(GIC_DIST + 0x800 + id) = 0x01010101;
    for (unsigned core = 0; core < 4; core++) /* each core's own monitor interrupts it */
        B(GIC_DIST + 0x800 + 49 + core) = (uint8_t)(1U << core);
    W(GIC_CPU + 0x04) = 0xf0;
    W(GIC_CPU) = 1;
}

void entry(unsigned core)
{
    while (turn != core)
        ;
    irq_setup();
    on_core(core);
    irq_off();
    turn = core + 1;
    if (core == 3) { /* as on the board: unlock, then ask for a reset */
        W(SYS + 0x20) = 0xa05f;
        W(SYS + 0x40) = 8;
    }
    for (;;)
        __asm__ volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0));
}
