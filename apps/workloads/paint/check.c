/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "paint.h"

uint32_t check_crc(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;

    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1u ? 0xedb88320u : 0);
    }
    return ~crc;
}

uint32_t check_adler(uint32_t adler, const void *data, size_t n)
{
    const unsigned char *p = data;
    uint32_t a = adler & 0xffff;
    uint32_t b = adler >> 16;

    for (size_t i = 0; i < n; i++) {
        a = (a + p[i]) % 65521u;
        b = (b + a) % 65521u;
    }
    return b << 16 | a;
}
