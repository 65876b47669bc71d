/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several cores: code that another one has written, pages that another one maps. */
#include "system.h"

#define ROUNDS 40

static volatile uint32_t turn;
static uint32_t code[8] __attribute__((aligned(32)));

#define AT(memory, offset) ((uint32_t)(uintptr_t)common_memory[memory] + (offset))

/* Two functions: the first one, at a page's end, goes on to the second one in the next page. */
static void write_two(void)
{
    W(AT(0, 0)) = 0xe12fff1eU; /* bx lr: called first, so that the section is known */
    code_written(AT(0, 0), 4);
    W(AT(0, 2 * PAGE - 8)) = 0xe3a01003U; /* mov r1, #3 */
    W(AT(0, 2 * PAGE - 4)) = 0xeaffffffU; /* b to the next page */
    for (unsigned m = 0; m < 2; m++) {
        W(AT(m, 2 * PAGE)) = 0xe3a00010U + m; /* mov r0, #16 + m */
        W(AT(m, 2 * PAGE + 4)) = 0xe0800001U; /* add r0, r0, r1 */
        W(AT(m, 2 * PAGE + 8)) = 0xe12fff1eU; /* bx lr */
        code_written(AT(m, 2 * PAGE - 8), 24);
    }
}

/*
 * The same code at the same address, but for its second page, which is another one where the
 * section is mapped in pages: on every second core, or, at other times, on all or none.
 */
static void sections(unsigned core, unsigned cores)
{
    static volatile uint32_t met;
    uint32_t (*const function)(void) = (uint32_t(*)(void))(uintptr_t)(COMMON + 2 * PAGE - 8);
    uint32_t n = 0;

    for (unsigned r = 0; r < ROUNDS; r++) {
        const bool paged = ((r & 1) + core) & 1;

        cores_meet(&met, ++n * cores);
        if (core == r % cores)
            write_two();
        cores_meet(&met, ++n * cores);
        if (paged)
            common_paged(2);
        else
            common_section();
        ((void (*)(void))(uintptr_t)COMMON)();
        cores_meet(&met, ++n * cores);
        for (unsigned i = 0; i < 30; i++)
            expect("code of a section or a page", function(), 19 + paged);
    }
}

/* Each core in turn writes the function that all call next. */
static void written(unsigned core, unsigned cores)
{
    static volatile uint32_t called;

    for (unsigned r = 0; r < ROUNDS; r++) {
        if (r % cores == core) {
            code[0] = 0xe3a00000U | r; /* mov r0, #r */
            code[1] = 0xe12fff1eU;     /* bx lr */
            code_written((uint32_t)(uintptr_t)code, 8);
            turn = r + 1;
        }
        while (turn != r + 1)
            ;
        code_written((uint32_t)(uintptr_t)code, 8);
        expect("code of another core", ((uint32_t(*)(void))(uintptr_t)code)(), r);
        __atomic_fetch_add(&called, 1, __ATOMIC_SEQ_CST);
        while (called < (r + 1) * cores)
            ;
    }
}

void test_together(unsigned core, unsigned cores)
{
    written(core, cores);
    sections(core, cores);
}
