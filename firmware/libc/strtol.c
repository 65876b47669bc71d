/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's strtol() and its like find nothing in a "0x" without a digit behind it: it is a 0 that
 * ends at the x. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

static char *end_of(const char *text, char *end, int base)
{
    const char *p = text;

    if (end != text || (base != 0 && base != 16))
        return end;
    while (isspace((unsigned char)*p))
        p++;
    p += *p == '+' || *p == '-';
    return p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? (char *)p + 1 : end;
}

#define MPJ_STRTO(type, f)                                                                         \
    type __real_##f(const char *text, char **end, int base);                                       \
    type __wrap_##f(const char *text, char **end, int base);                                       \
    type __wrap_##f(const char *text, char **end, int base)                                        \
    {                                                                                              \
        char *e = (char *)text;                                                                    \
        const type value = __real_##f(text, &e, base);                                             \
                                                                                                   \
        if (end != NULL)                                                                           \
            *end = end_of(text, e, base);                                                          \
        return value;                                                                              \
    }

MPJ_STRTO(long, strtol)
MPJ_STRTO(unsigned long, strtoul)
MPJ_STRTO(long long, strtoll)
MPJ_STRTO(unsigned long long, strtoull)
MPJ_STRTO(intmax_t, strtoimax)
MPJ_STRTO(uintmax_t, strtoumax)
