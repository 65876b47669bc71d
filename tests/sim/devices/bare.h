/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the bare-metal device tests share: no runtime, caches and MMU off unless said. */
#ifndef BARE_H
#define BARE_H

#include <stdint.h>

#define W(address) (*(volatile uint32_t *)(address))
#define B(address) (*(volatile uint8_t *)(address))

#define SYS        0x10000000U
#define UART0      0x10009000U
#define SCU        0x10100000U
#define GIC_CPU    0x10100100U
#define TIMER      0x10100600U
#define WATCHDOG   0x10100620U
#define GIC_DIST   0x10101000U
#define L220       0x10102000U
#define NOR        0x40000000U

#define CP15(name, crn, crm, op2)                                                                  \
    static inline uint32_t rd_##name(void)                                                         \
    {                                                                                              \
        uint32_t v;                                                                                \
        __asm__ volatile("mrc p15, 0, %0, " #crn ", " #crm ", " #op2 : "=r"(v) : : "memory");      \
        return v;                                                                                  \
    }                                                                                              \
    static inline void wr_##name(uint32_t v)                                                       \
    {                                                                                              \
        __asm__ volatile("mcr p15, 0, %0, " #crn ", " #crm ", " #op2 : : "r"(v) : "memory");       \
    }
CP15(pmnc, c15, c12, 0)
CP15(ccnt, c15, c12, 1)
CP15(pmn0, c15, c12, 2)
CP15(pmn1, c15, c12, 3)
CP15(actlr, c1, c0, 1)
CP15(sctlr, c1, c0, 0)
CP15(context, c13, c0, 1)

/* Interrupts of each core since start, and the last one's ID. */
extern volatile uint32_t irq_count[4], irq_id[4];
/* Called with interrupts off for each one: must silence its source. */
void on_irq(unsigned core, uint32_t id);
/* Each core comes here, core 0 first; the others when core 0 has returned and in order. */
void on_core(unsigned core);
void put(char c);
/* One line "name value", value in decimal. */
void show(const char *name, uint32_t value);
/* The same with the core's number appended to the name. */
void show_core(const char *name, unsigned core, uint32_t value);
void irq_setup(void);
static inline void irq_on(void)
{
    __asm__ volatile("cpsie i" : : : "memory");
}
static inline void irq_off(void)
{
    __asm__ volatile("cpsid i" : : : "memory");
}
/* n turns of a two-instruction loop, not optimised away. */
static inline void spin(uint32_t n)
{
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(n) : : "cc");
}

#endif
