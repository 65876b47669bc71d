/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw logs of runs that never were. */
#ifndef FUZZ_LOG_H
#define FUZZ_LOG_H

#include <stddef.h>
#include <stdint.h>

/* Frames of a log, without its header: every kind of record that a target sends, and what the host
 * adds; about one in sixteen is left out. All of it is plausible. Returns the length. */
size_t fuzz_log_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void));

/* The emulator's profile file of such a run (docs/profile-file.md), whose sums agree with the
 * truth in its log. */
size_t fuzz_profile_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void));

/* A frame behind n bytes of out; returns the new length, n when it does not fit. */
size_t fuzz_log_frame(uint8_t *out, size_t cap, size_t n, uint8_t type, const void *payload,
                      size_t len);
/* Frames of bytes in pieces; the same. */
size_t fuzz_log_bytes(uint8_t *out, size_t cap, size_t n, uint8_t type, const void *data,
                      size_t len);
/* The emulator's truth of fuzz_profile_seed(); the same. */
size_t fuzz_log_truth(uint8_t *out, size_t cap, size_t n);

#endif
