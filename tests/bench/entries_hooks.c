/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What others do at each call, to compare with: gprof's counting of arcs (-pg), and Safari's
 * question to a Bloom filter at the entry and exit of each function (-finstrument-functions) once
 * all are in it.
 */
#include <stdint.h>

#define NONE  __attribute__((no_instrument_function))
#define ARCS  4096U
#define BLOOM 65536U /* bits */

static struct {
    uint32_t from, to, count;
} arc[ARCS];
static uint32_t bloom[BLOOM / 32U];

void mpj_bench_mcount(uint32_t from, uint32_t to);
void __cyg_profile_func_enter(void *function, void *site) NONE;
void __cyg_profile_func_exit(void *function, void *site) NONE;

/* As GCC calls it for Arm: the return address of the function is on the stack. */
__asm__(".text\n"
        ".arm\n"
        ".global __gnu_mcount_nc\n"
        ".type __gnu_mcount_nc, %function\n"
        "__gnu_mcount_nc:\n"
        "    push {r0-r3, ip, lr}\n"
        "    mov r1, lr\n"
        "    ldr r0, [sp, #24]\n"
        "    bl mpj_bench_mcount\n"
        "    pop {r0-r3, ip, lr}\n"
        "    mov ip, lr\n"
        "    pop {lr}\n"
        "    bx ip\n");

NONE void mpj_bench_mcount(uint32_t from, uint32_t to)
{
    uint32_t i = (from >> 2 ^ to << 5) % ARCS;

    while (arc[i].to != 0 && (arc[i].from != from || arc[i].to != to))
        i = (i + 1U) % ARCS;
    arc[i].from = from;
    arc[i].to = to;
    __atomic_fetch_add(&arc[i].count, 1U, __ATOMIC_RELAXED);
}

NONE static int known(uint32_t function)
{
    const uint32_t a = function * 2654435761U >> 16;
    const uint32_t b = (function ^ function >> 7) * 40503U % BLOOM;
    const int both = (bloom[a / 32U] >> a % 32U & 1U) != 0 && (bloom[b / 32U] >> b % 32U & 1U) != 0;

    if (!both) {
        __atomic_or_fetch(&bloom[a / 32U], 1U << a % 32U, __ATOMIC_RELAXED);
        __atomic_or_fetch(&bloom[b / 32U], 1U << b % 32U, __ATOMIC_RELAXED);
    }
    return both;
}

static volatile uint32_t measured;

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (!known((uint32_t)(uintptr_t)function))
        measured++;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    if (!known((uint32_t)(uintptr_t)function))
        measured++;
}
