/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strtol() and its like. newlib's find no number in a "0x" without a digit after it; the right
 * result is the number 0, which ends at the x. newlib's also accept any base, and those of intmax_t
 * set errno if there is no number.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_base(int base)
{
    if (base == 0 || (base >= 2 && base <= 36))
        return true;
    errno = EINVAL;
    return false;
}

static const char *end_of(const char *text, const char *end, int base)
{
    const char *p = text;

    if (end != text || (base != 0 && base != 16))
        return end;
    while (isspace((unsigned char)*p))
        p++;
    p += *p == '+' || *p == '-';
    return p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? p + 1 : end;
}

#define MPJ_STRTO(type, f, by)                                                                     \
    type __real_##by(const char *text, char **end, int base);                                      \
    type __wrap_##f(const char *text, char **end, int base);                                       \
    type __wrap_##f(const char *text, char **end, int base)                                        \
    {                                                                                              \
        char *e = (char *)text;                                                                    \
        type value;                                                                                \
                                                                                                   \
        if (!is_base(base))                                                                        \
            return 0;                                                                              \
        value = __real_##by(text, &e, base);                                                       \
        if (end != NULL)                                                                           \
            *end = (char *)end_of(text, e, base);                                                  \
        return value;                                                                              \
    }

MPJ_STRTO(long, strtol, strtol)
MPJ_STRTO(unsigned long, strtoul, strtoul)
MPJ_STRTO(long long, strtoll, strtoll)
MPJ_STRTO(unsigned long long, strtoull, strtoull)
MPJ_STRTO(intmax_t, strtoimax, strtoll)
MPJ_STRTO(uintmax_t, strtoumax, strtoull)
