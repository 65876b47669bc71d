/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Without MMU, with the instruction cache: code that has run hits, data are never cached. A page
 * with both, which is forgotten and then accessed by the one first, or by the other. */
#include "bare.h"

#define WORDS 8U

extern const volatile uint32_t words[WORDS];
void code(void);

__asm__(".balign 4096\n"
        "code: .rept 7\n nop\n .endr\n bx lr\n"
        "words: .space 32\n"
        ".balign 4096\n");

void on_irq(unsigned core, uint32_t id)
{
    (void)core;
    (void)id;
}

static uint32_t of_code(void)
{
    uint32_t begin = rd_ccnt();
    code();
    return rd_ccnt() - begin;
}

static uint32_t of_data(void)
{
    uint32_t begin = rd_ccnt();
    for (unsigned i = 0; i < WORDS; i++)
        (void)words[i];
    return rd_ccnt() - begin;
}

static void forget(void)
{
    __asm__ volatile("mcr p15, 0, %0, c8, c7, 0\n mcr p15, 0, %0, c7, c5, 0" : : "r"(0) : "memory");
}

static void both(uint32_t *of_the_code, uint32_t *of_the_data)
{
    for (int i = 0; i < 3; i++) { /* the last round finds in the cache what is there */
        *of_the_code = of_code();
        *of_the_data = of_data();
    }
}

void on_core(unsigned core)
{
    uint32_t in_code, in_data;
    if (core)
        return;
    wr_sctlr(rd_sctlr() | 1U << 12);
    wr_pmnc(5);
    forget();
    code();
    both(&in_code, &in_data);
    show("code_after_code", in_code);
    show("data_after_code", in_data);
    forget();
    (void)words[0];
    both(&in_code, &in_data);
    show("code_after_data", in_code);
    show("data_after_data", in_data);
}
