/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 (FIPS 180-4), for naming the program a result belongs to. */
#ifndef MPJ_SHA256_H
#define MPJ_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct mpj_sha256 {
    uint32_t h[8];
    uint64_t bytes;
    uint8_t block[64];
};

void mpj_sha256_init(struct mpj_sha256 *s);
void mpj_sha256_add(struct mpj_sha256 *s, const void *data, size_t len);
/* 64 hex digits and a terminator. s is used up. */
void mpj_sha256_hex(struct mpj_sha256 *s, char out[65]);

#endif
