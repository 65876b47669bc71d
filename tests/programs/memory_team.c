/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each thread of a team uses so much of its stack: 10 KB more than the one before
 * (tests/sim/memory.py). */
#include <alloca.h>
#include <omp.h>
#include <stddef.h>
#include <stdint.h>

static __attribute__((noinline)) void dig(size_t bytes)
{
    volatile uint32_t *const p = alloca(bytes);

    for (size_t i = 0; i < bytes / sizeof(*p); i++)
        p[i] = (uint32_t)i;
}

int main(void)
{
#pragma omp parallel num_threads(4)
    dig(10240U * (1U + (unsigned)omp_get_thread_num()));
    return 0;
}
