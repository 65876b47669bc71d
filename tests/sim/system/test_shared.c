/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of all cores that one of them changes while the others use them, as an operating system
 * does it: each core drops its translations when the first one's interrupt asks for it.
 */
#include "system.h"

#define ROUNDS   24
#define DATA     0U /* pages */
#define CODE     1U
#define MEMORY   4U          /* page of common_memory that DATA is; CODE is the next one */
#define POISON   0xe7f000f0U /* undefined instruction */
#define FUNCTION 0x7e0U      /* in page CODE */

struct words {
    volatile uint32_t own[4]; /* in one line: each core adds to its own */
    uint32_t sum;             /* all add to it */
};

static volatile uint32_t asked, answered[4], writable, over;

static struct words *words_in(unsigned memory)
{
    return (struct words *)(uintptr_t)(common_memory[memory] + MEMORY * PAGE);
}

static uint32_t code_in(unsigned memory)
{
    return (uint32_t)(uintptr_t)common_memory[memory] + (MEMORY + CODE) * PAGE;
}

static void drop_both(void)
{
    __asm__ volatile("clrex");
    shared_drop(DATA);
    shared_drop(CODE);
}

void shared_answer(void)
{
    const unsigned core = core_id();
    const uint32_t number = asked;

    if (answered[core] == number)
        return;
    drop_both();
    answered[core] = number;
}

/* Returns when no core has an old translation. */
static void tell_others(unsigned core, unsigned cores)
{
    drop_both();
    answered[core] = asked + 1;
    asked = asked + 1;
    cores_interrupt(((1U << cores) - 1) & ~(1U << core));
    for (unsigned c = 0; c < cores; c++)
        while (answered[c] != asked)
            ;
}

/* A store to the page while it is copied: waits, and answers meanwhile. */
static bool wait_writable(unsigned core, uint32_t address)
{
    (void)core;
    while (!writable)
        shared_answer();
    drop_both();
    return address - SHARED < PAGE;
}

static void move_data(unsigned core, unsigned cores, unsigned round)
{
    const unsigned to = (round + 1) & 1;
    const struct words *from = words_in(!to);

    writable = 0;
    shared_map(DATA, (uint32_t)(uintptr_t)from, READ_ONLY);
    tell_others(core, cores);
    for (unsigned i = 0; i < PAGE / 4; i++)
        ((volatile uint32_t *)words_in(to))[i] = ((const volatile uint32_t *)from)[i];
    shared_map(DATA, (uint32_t)(uintptr_t)words_in(to), PRIVILEGED);
    if (round & 2) /* or a core that has the old one learns it by a fault */
        tell_others(core, cores);
    writable = 1;
}

/* r0: address of a word, which is one more then. */
static void write_function(unsigned memory)
{
    static const uint32_t function[] = {
        0xe5901000U, /* ldr r1, [r0] */
        0xe2811001U, /* add r1, r1, #1 */
        0xe5801000U, /* str r1, [r0] */
        0xe12fff1eU, /* bx lr */
    };

    for (unsigned i = 0; i < sizeof function / sizeof *function; i++)
        W(code_in(memory) + FUNCTION + 4 * i) = function[i];
    code_written(code_in(memory) + FUNCTION, sizeof function);
}

static void move_code(unsigned core, unsigned cores, unsigned round)
{
    const unsigned to = (round + 1) & 1;

    write_function(to);
    shared_map(CODE, code_in(to), PRIVILEGED);
    tell_others(core, cores);
    for (unsigned i = 0; i < 8; i++)
        W(code_in(!to) + FUNCTION + 4 * i) = POISON;
    code_written(code_in(!to) + FUNCTION, 32);
}

/* Adds to the words, in both ways; returns how often. */
static uint32_t add(unsigned core, uint32_t times)
{
    struct words *w = (struct words *)(uintptr_t)(SHARED + DATA * PAGE);
    void (*const function)(volatile uint32_t *) =
        (void (*)(volatile uint32_t *))(uintptr_t)(SHARED + CODE * PAGE + FUNCTION);

    for (uint32_t n = 0; n < times; n++) {
        if (n & 1)
            function(&w->own[core]);
        else
            w->own[core]++;
        __atomic_fetch_add(&w->sum, 1, __ATOMIC_RELAXED);
    }
    return times;
}

static void prepare(void)
{
    words_in(0)->sum = 0;
    for (unsigned i = 0; i < 4; i++)
        words_in(0)->own[i] = 0;
    write_function(0);
    shared_map(DATA, (uint32_t)(uintptr_t)words_in(0), PRIVILEGED);
    shared_map(CODE, code_in(0), PRIVILEGED);
    writable = 1;
    over = 0;
}

void test_shared(unsigned core, unsigned cores)
{
    static volatile uint32_t met, total;
    uint32_t meeting = 0, count;

    for (unsigned first = 0; first < cores; first++) {
        cores_meet(&met, ++meeting * cores);
        if (core == first) {
            total = 0;
            prepare();
        }
        cores_meet(&met, ++meeting * cores);
        drop_both();
        fault_remedy[core] = wait_writable;
        count = add(core, 2);
        for (unsigned round = 0; core == first && round < ROUNDS; round++) {
            move_data(core, cores, round);
            move_code(core, cores, round);
            count += add(core, 3);
        }
        if (core == first)
            over = 1;
        while (!over)
            count += add(core, 2);
        fault_remedy[core] = 0;
        __atomic_fetch_add(&total, count, __ATOMIC_SEQ_CST);
        cores_meet(&met, ++meeting * cores);
        expect("additions of a core", words_in(ROUNDS & 1)->own[core], count);
        expect("additions of all cores", words_in(ROUNDS & 1)->sum, total);
    }
}
