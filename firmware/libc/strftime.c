/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strftime() with what the GNU C library has between '%' and the letter: flags (no padding,
 * padding by blanks or zeros, capitals, the other case) and a width. newlib's knows none and gives
 * up. A conversion with one is done by newlib's alone, and changed afterwards.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ONE_MAX 128U /* the longest conversion: %c */

size_t __real_strftime(char *out, size_t max, const char *format, const struct tm *tm);
size_t __wrap_strftime(char *out, size_t max, const char *format, const struct tm *tm);

struct spec {
    char pad;   /* of "-_0"; '\0': the conversion's */
    bool upper; /* ^ */
    bool swap;  /* # */
    bool any;   /* something of these, or a width */
    size_t width;
    char format[4]; /* for newlib's */
    char conv;
    const char *end;
};

static struct spec read_spec(const char *at)
{
    struct spec s = {.any = false};
    unsigned n = 0;

    for (at++; *at != '\0' && strchr("-_0^#", *at) != NULL; at++) {
        s.any = true;
        if (*at == '^')
            s.upper = true;
        else if (*at == '#')
            s.swap = true;
        else
            s.pad = *at;
    }
    for (; isdigit((unsigned char)*at); at++) {
        s.any = true;
        s.width = s.width < ONE_MAX * ONE_MAX ? s.width * 10U + (size_t)(*at - '0') : s.width;
    }
    s.format[n++] = '%';
    if (*at == 'E' || *at == 'O')
        s.format[n++] = *at++;
    s.conv = *at;
    s.format[n] = *at;
    s.any |= *at == 's'; /* before 1970 newlib's is a day late */
    s.end = at + (*at != '\0');
    return s;
}

static bool needed(const char *format)
{
    for (const char *p = strchr(format, '%'); p != NULL; p = strchr(p, '%')) {
        const struct spec s = read_spec(p);

        if (s.any)
            return true;
        p = s.end;
    }
    return false;
}

static void change_case(const struct spec *s, char *text)
{
    const bool lower = s->swap && (s->conv == 'p' || s->conv == 'Z');
    const bool upper = s->upper || (s->swap && strchr("aAbBh", s->conv) != NULL);

    for (; *text != '\0'; text++) {
        if (lower)
            *text = (char)tolower((unsigned char)*text);
        else if (upper)
            *text = (char)toupper((unsigned char)*text);
    }
}

/* What stands for one conversion with flags: `text`, with *blanks of `fill` before it. */
static const char *padded(const struct spec *s, char *text, char *fill, size_t *blanks)
{
    const bool number = strchr("CdeGgHIjklmMsSuUVwWyY", s->conv) != NULL;
    const bool by_blanks = strchr("ekls", s->conv) != NULL;
    const char pad = s->pad != '\0' ? s->pad : number && !by_blanks ? '0' : '_';
    size_t width = s->width;

    *blanks = 0;
    if (number) {
        const size_t whole = strlen(text);

        /* the padding there is goes, and comes back as another */
        while ((*text == '0' || *text == ' ') && text[1] != '\0')
            text++;
        width = width > whole ? width : whole;
    }
    *fill = pad == '0' ? '0' : ' ';
    if ((pad != '-' || !number) && strlen(text) < width)
        *blanks = width - strlen(text);
    return text;
}

static void convert(const struct spec *s, char *text, const struct tm *tm)
{
    struct tm copy = *tm;

    text[0] = '\0';
    if (s->conv == 's')
        snprintf(text, ONE_MAX, "%lld", (long long)mktime(&copy));
    else if (__real_strftime(text, ONE_MAX, s->format, tm) == 0)
        text[0] = '\0'; /* nothing, as a zone without a name */
    change_case(s, text);
}

size_t __wrap_strftime(char *out, size_t max, const char *format, const struct tm *tm)
{
    char text[ONE_MAX];
    size_t n = 0;

    if (!needed(format))
        return __real_strftime(out, max, format, tm);
    while (*format != '\0') {
        const char *from = format;
        size_t length = 1, blanks = 0;
        char fill = ' ';

        if (*format == '%') {
            const struct spec s = read_spec(format);

            convert(&s, text, tm);
            from = s.any ? padded(&s, text, &fill, &blanks) : text;
            length = strlen(from);
            format = s.end;
        } else {
            format++;
        }
        if (blanks >= max - n || length >= max - n - blanks)
            return 0;
        memset(out + n, fill, blanks);
        memcpy(out + n + blanks, from, length);
        n += blanks + length;
    }
    if (n < max)
        out[n] = '\0';
    return n < max ? n : 0;
}
