/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several cores: code that another one has written, pages that another one maps. */
#include "system.h"

#define ROUNDS 40

static volatile uint32_t turn;
static uint32_t code[8] __attribute__((aligned(32)));

/* Each core in turn writes the function that all call next. */
void test_together(unsigned core, unsigned cores)
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
