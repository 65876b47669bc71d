/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For targets that have neither. */
#include "fuzz.h"

__attribute__((weak)) size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    (void)out;
    (void)cap;
    (void)rng;
    return 0;
}

__attribute__((weak)) size_t fuzz_fix(uint8_t *data, size_t size, size_t cap)
{
    (void)data;
    (void)cap;
    return size;
}
