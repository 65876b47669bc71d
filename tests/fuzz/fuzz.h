/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry: must survive any input; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A valid input for the driver to damage; returns its length (at most cap). */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void));

#endif
