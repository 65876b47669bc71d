/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paint.h"

#define STORED 65535u /* bytes of a deflate block that is not compressed */

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

#if defined(HAVE_HTONL) && HAVE_HTONL
#include <arpa/inet.h>
#else
static uint32_t htonl(uint32_t v)
{
    const unsigned char b[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16),
                                (unsigned char)(v >> 8), (unsigned char)v};

    memcpy(&v, b, sizeof(v));
    return v;
}
#endif

static unsigned char *put32(unsigned char *to, uint32_t v)
{
    v = htonl(v);
    memcpy(to, &v, sizeof(v));
    return to + 4;
}

static uint32_t get32(const unsigned char *from)
{
    uint32_t v;

    memcpy(&v, from, sizeof(v));
    return htonl(v);
}

/* Writes the rest of a chunk around its n bytes of data, which begin 8 bytes after `at`. */
static unsigned char *close_chunk(unsigned char *at, const char *type, size_t n)
{
    put32(at, (uint32_t)n);
    memcpy(at + 4, type, 4);
    return put32(at + 8 + n, check_crc(0, at + 4, n + 4));
}

size_t file_ppm(const struct picture *p, unsigned char **out)
{
    const size_t n = (size_t)p->width * p->height * 3;
    char head[40];
    const size_t h = (size_t)snprintf(head, sizeof(head), "P6\n%u %u\n255\n", p->width, p->height);

    *out = malloc(h + n);
    if (!*out)
        return 0;
    memcpy(*out, head, h);
    memcpy(*out + h, p->rgb, n);
    return h + n;
}

size_t file_png(const struct picture *p, unsigned char **out)
{
    const size_t row = (size_t)p->width * 3 + 1; /* one byte for the number of its filter: none */
    const size_t n = row * p->height;
    const size_t parts = (n + STORED - 1) / STORED;
    unsigned char *lines = malloc(n);
    unsigned char *to;
    unsigned char *from;

    *out = malloc(sizeof(signature) + 25 + 12 + 6 + 5 * parts + n + 12);
    if (!*out || !lines) {
        free(lines);
        free(*out);
        return 0;
    }
    for (unsigned y = 0; y < p->height; y++) {
        lines[y * row] = 0;
        memcpy(lines + y * row + 1, p->rgb + y * (row - 1), row - 1);
    }
    to = *out;
    memcpy(to, signature, sizeof(signature));
    to += sizeof(signature);
    memcpy(put32(put32(to + 8, p->width), p->height), "\10\2\0\0", 5); /* 8 bits, red green blue */
    to = close_chunk(to, "IHDR", 13);
    from = to;
    to += 8;
    *to++ = 0x78;
    *to++ = 0x01;
    for (size_t at = 0; at < n; at += STORED) {
        const size_t part = n - at < STORED ? n - at : STORED;

        *to++ = at + part == n;
        *to++ = (unsigned char)part;
        *to++ = (unsigned char)(part >> 8);
        *to++ = (unsigned char)~part;
        *to++ = (unsigned char)(~part >> 8);
        memcpy(to, lines + at, part);
        to += part;
    }
    to = put32(to, check_adler(1, lines, n));
    to = close_chunk(from, "IDAT", (size_t)(to - from) - 8);
    to = close_chunk(to, "IEND", 0);
    free(lines);
    return (size_t)(to - *out);
}

int file_is(const struct picture *p, const unsigned char *png, size_t n)
{
    const size_t row = (size_t)p->width * 3 + 1;
    size_t line = 0; /* bytes of lines so far */
    size_t at = sizeof(signature);
    uint32_t adler = 1;
    int ended = 0;

    if (n < at || memcmp(png, signature, at) != 0)
        return 0;
    while (at + 12 <= n) {
        const size_t size = get32(png + at);
        const unsigned char *from = png + at + 10;

        if (size > n - at - 12 ||
            get32(png + at + 8 + size) != check_crc(0, png + at + 4, size + 4))
            return 0;
        if (memcmp(png + at + 4, "IHDR", 4) == 0 &&
            (get32(png + at + 8) != p->width || get32(png + at + 12) != p->height))
            return 0;
        for (int last = memcmp(png + at + 4, "IDAT", 4) != 0; !last;) {
            const size_t part = from[1] | (size_t)from[2] << 8;

            last = from[0];
            from += 5;
            adler = check_adler(adler, from, part);
            for (size_t i = 0; i < part; i++, line++) {
                const size_t x = line % row;

                if (line >= row * p->height ||
                    *from++ != (x ? p->rgb[line / row * (row - 1) + x - 1] : 0))
                    return 0;
            }
            if (last && get32(from) != adler)
                return 0;
        }
        ended = memcmp(png + at + 4, "IEND", 4) == 0;
        at += size + 12;
    }
    return ended && at == n && line == row * p->height;
}
