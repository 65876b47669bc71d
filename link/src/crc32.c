/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_frame.h"

/*
 * Reflected CRC-32, one nibble at a time: 64 bytes of table instead of a kilobyte,
 * which on the target would push a fifth of a small program out of the cache. On a
 * 64-bit host there is cache to spare, so four table bytes at a time are used there.
 */
#if UINTPTR_MAX > 0xffffffffU

static uint32_t step(uint32_t v)
{
    for (unsigned bit = 0; bit < 8; bit++)
        v = (v >> 1) ^ ((v & 1U) ? 0xedb88320U : 0U);
    return v;
}

static uint32_t slice[4][256];

/* Fills the table before main(), so that readers need no lock. */
__attribute__((constructor)) static void fill(void)
{
    for (uint32_t i = 0; i < 256; i++)
        slice[0][i] = step(i);
    for (unsigned k = 1; k < 4; k++) {
        for (uint32_t i = 0; i < 256; i++)
            slice[k][i] = (slice[k - 1][i] >> 8) ^ slice[0][slice[k - 1][i] & 0xffU];
    }
}

uint32_t mpj_crc32(uint32_t crc, const void *data, size_t len)
{
    const uint8_t *p = data;

    crc = ~crc;
    for (; len >= 4; len -= 4, p += 4) {
        crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = slice[3][crc & 0xffU] ^ slice[2][(crc >> 8) & 0xffU] ^ slice[1][(crc >> 16) & 0xffU] ^
              slice[0][crc >> 24];
    }
    for (; len > 0; len--, p++)
        crc = (crc >> 8) ^ slice[0][(crc ^ *p) & 0xffU];
    return ~crc;
}

#else

uint32_t mpj_crc32(uint32_t crc, const void *data, size_t len)
{
    static const uint32_t nibble[16] = {
        0x00000000U, 0x1db71064U, 0x3b6e20c8U, 0x26d930acU, 0x76dc4190U, 0x6b6b51f4U,
        0x4db26158U, 0x5005713cU, 0xedb88320U, 0xf00f9344U, 0xd6d6a3e8U, 0xcb61b38cU,
        0x9b64c2b0U, 0x86d3d2d4U, 0xa00ae278U, 0xbdbdf21cU,
    };
    const uint8_t *p = data;

    crc = ~crc;
    for (; len > 0; len--, p++) {
        crc = nibble[(crc ^ *p) & 0xfU] ^ (crc >> 4);
        crc = nibble[(crc ^ (uint32_t)(*p >> 4)) & 0xfU] ^ (crc >> 4);
    }
    return ~crc;
}

#endif
