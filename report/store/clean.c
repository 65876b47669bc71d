/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sanitises text chosen by a program for output: to a terminal, as JSON, as XML. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "store/store_int.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Decodes the character at p, n > 0 bytes. Returns its number of bytes; 0: invalid. */
static size_t decode(const uint8_t *p, size_t n, uint32_t *character)
{
    static const struct {
        uint8_t mask, value;
        uint32_t least; /* smallest code point; overlong encodings are not allowed */
    } form[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    size_t len = 0;
    uint32_t c;

    while (len < 4 && (p[0] & form[len].mask) != form[len].value)
        len++;
    if (len == 4 || len + 1 > n)
        return 0;
    c = p[0] & (uint8_t)~form[len].mask;
    for (size_t i = 1; i <= len; i++) {
        if ((p[i] & 0xc0U) != 0x80U)
            return 0;
        c = c << 6 | (p[i] & 0x3fU);
    }
    if (c < form[len].least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *character = c;
    return len + 1;
}

static bool can_be_shown(uint32_t c, bool lines)
{
    if (c == '\n' || c == '\t')
        return lines;
    return c >= ' ' && !(c >= 0x7f && c <= 0x9f) && c != 0xfffe && c != 0xffff &&
           !mpj_text_hides(c);
}

static char *clean(struct mpj_bytes b, bool lines)
{
    char *const out = malloc(b.len * (sizeof(REPLACEMENT) - 1) + 1);
    char *to = out;
    size_t used;

    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < b.len; i += used) {
        uint32_t c = 0;
        const size_t len = decode(b.p + i, b.len - i, &c);
        used = len > 0 ? len : 1;
        if (len > 0 && can_be_shown(c, lines)) {
            memcpy(to, b.p + i, len);
            to += len;
        } else {
            memcpy(to, REPLACEMENT, sizeof(REPLACEMENT) - 1);
            to += sizeof(REPLACEMENT) - 1;
        }
    }
    *to = '\0';
    return out;
}

char *store_text(struct mpj_bytes b)
{
    return clean(b, true);
}

char *store_line(struct mpj_bytes b)
{
    return clean(b, false);
}
