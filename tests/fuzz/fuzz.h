/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a fuzz target provides, for libFuzzer and its mutator (mutate.c) or for driver.c. Of the
 * three, a target may do without the last two.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry: must survive any input; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A valid input, another one for other numbers of rng(); returns its length (at most cap), 0: there
 * is none. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void));

/* Repairs lengths and checksums of an input that was changed, so that the change gets past them;
 * returns the new length (at most cap). */
size_t fuzz_fix(uint8_t *data, size_t size, size_t cap);

#endif
