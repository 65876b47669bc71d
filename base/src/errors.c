/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/errors.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool mpj_text_hides(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } range[] = {
        {0xad, 0xad},       /* soft hyphen */
        {0x61c, 0x61c},     /* Arabic mark of direction */
        {0x180e, 0x180e},   /* Mongolian separator */
        {0x200b, 0x200f},   /* without width; marks of direction */
        {0x2028, 0x202e},   /* ends of lines and paragraphs; embeddings, overrides */
        {0x2060, 0x206f},   /* joiners; isolates */
        {0xfeff, 0xfeff},   /* mark of byte order */
        {0xfff9, 0xfffb},   /* annotations */
        {0xe0000, 0xe007f}, /* tags */
    };

    for (unsigned i = 0; i < sizeof(range) / sizeof(range[0]); i++) {
        if (c >= range[i].first && c <= range[i].last)
            return true;
    }
    return false;
}

/* Returns the bytes of the UTF-8 character there; 0: none, or one that is not shown. */
static unsigned character(const unsigned char *p)
{
    const unsigned n = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    uint32_t c = n > 0 ? p[0] & (0x7fU >> n) : 0;

    for (unsigned i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fU);
    }
    return c < 0xa0 || mpj_text_hides(c) ? 0 : n;
}

static void clean(char *text, const char *kept)
{
    unsigned char *p = (unsigned char *)text;

    while (*p != '\0') {
        unsigned n = *p >= 0x20 && *p < 0x7f ? 1 : character(p);
        if (n == 0 && strchr(kept, *p) != NULL)
            n = 1;
        if (n == 0) {
            *p = ' ';
            n = 1;
        }
        p += n;
    }
}

void mpj_text_clean(char *text)
{
    clean(text, "");
}

void mpj_text_clean_lines(char *text)
{
    clean(text, "\n\t");
}

int mpj_err_set(struct mpj_err *e, int code, const char *fmt, ...)
{
    va_list ap;

    e->code = code;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof(e->text), fmt, ap);
    va_end(ap);
    mpj_text_clean(e->text);
    return code;
}

int mpj_err_nomem(struct mpj_err *e)
{
    return mpj_err_set(e, MPJ_E_NOMEM, "out of memory");
}

/* True if the name at the end of a format is empty: only the text before it was written. */
static bool ends_with_nothing(const char *fmt, size_t written, va_list ap)
{
    const size_t f = strlen(fmt);
    char before[256];

    if (f < 3 || f >= sizeof(before) || strcmp(fmt + f - 3, " %s") != 0)
        return false;
    memcpy(before, fmt, f - 2);
    before[f - 2] = '\0';
    return vsnprintf(NULL, 0, before, ap) == (int)written;
}

int mpj_err_errno(struct mpj_err *e, const char *fmt, ...)
{
    const int number = errno;
    va_list ap;
    bool nothing;
    size_t n;

    e->code = number == ENOSPC || number == EDQUOT || number == EFBIG ? MPJ_E_FULL
              : number == ENOMEM                                      ? MPJ_E_NOMEM
                                                                      : MPJ_E_IO;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof(e->text), fmt, ap);
    va_end(ap);
    n = strlen(e->text);
    va_start(ap, fmt);
    nothing = ends_with_nothing(fmt, n, ap);
    va_end(ap);
    snprintf(e->text + n, sizeof(e->text) - n, "%s: %s", nothing ? "\"\"" : "", strerror(number));
    mpj_text_clean(e->text);
    errno = number;
    return e->code;
}
