/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/pb.h"

#include <stdlib.h>
#include <string.h>

enum wire { VARINT = 0, FIXED64 = 1, LENGTH = 2 };

static void put(struct pb *m, const void *data, size_t len)
{
    if (m->len + len > m->room) {
        const size_t room = 2 * (m->len + len) + 64;
        unsigned char *const more = realloc(m->at, room);
        m->failed = m->failed || more == NULL;
        if (more == NULL)
            return;
        m->at = more;
        m->room = room;
    }
    if (len > 0)
        memcpy(m->at + m->len, data, len);
    m->len += len;
}

void pb_clear(struct pb *m)
{
    m->len = 0;
}

void pb_free(struct pb *m)
{
    free(m->at);
    *m = (struct pb){0};
}

void pb_varint(struct pb *m, uint64_t v)
{
    unsigned char byte[10];
    size_t n = 0;

    do {
        byte[n++] = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        v >>= 7;
    } while (v > 0);
    put(m, byte, n);
}

void pb_number(struct pb *m, unsigned field, uint64_t v)
{
    pb_varint(m, field << 3 | VARINT);
    pb_varint(m, v);
}

void pb_fixed64(struct pb *m, unsigned field, uint64_t v)
{
    unsigned char byte[8];

    for (unsigned i = 0; i < 8; i++)
        byte[i] = (unsigned char)(v >> (8 * i));
    pb_varint(m, field << 3 | FIXED64);
    put(m, byte, sizeof(byte));
}

void pb_real(struct pb *m, unsigned field, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    pb_fixed64(m, field, bits);
}

void pb_bytes(struct pb *m, unsigned field, const void *data, size_t len)
{
    pb_varint(m, field << 3 | LENGTH);
    pb_varint(m, len);
    put(m, data, len);
}

void pb_text(struct pb *m, unsigned field, const char *text)
{
    pb_bytes(m, field, text, strlen(text));
}

void pb_message(struct pb *m, unsigned field, const struct pb *part)
{
    m->failed = m->failed || part->failed;
    pb_bytes(m, field, part->at, part->len);
}
