/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of C99 and POSIX, printed and read. Prints the same lines on Linux and on the target. */
#define _GNU_SOURCE
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void through_va(const char *format, ...)
{
    char text[200];
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    printf(" = \"%s\" %d\n", text, n);
}

static void whole_numbers(void)
{
    printf("%zu %zd %zx|%td|%jd %ju|%hhd %hhu %hhx|%hd %hu\n", (size_t)7, (ssize_t)-7, (size_t)255,
           (ptrdiff_t)-3, (intmax_t)INT64_MIN, (uintmax_t)UINT64_MAX, 300, 300, -1, 70000, 70000);
    printf("%5zu|%-5zu|%05zu|%+td|%*zu|%-*zu|%.4zu\n", (size_t)42, (size_t)42, (size_t)42,
           (ptrdiff_t)42, 6, (size_t)42, 6, (size_t)42, (size_t)42);
    printf("%d %zu %lld %zu %f %zu %s\n", 1, (size_t)2, 3LL, (size_t)4, 5.5, (size_t)6, "seven");
    printf("%" PRId8 " %" PRIu16 " %" PRIx32 " %" PRIu64 " %" PRIuMAX " %" PRIdPTR "\n", (int8_t)-8,
           (uint16_t)16, (uint32_t)0xcafe, UINT64_MAX, UINTMAX_MAX, (intptr_t)-1);
    printf("%" PRIdLEAST8 " %" PRIdFAST16 " %" PRIdLEAST64 " %" PRIxFAST32 "\n", (int_least8_t)1,
           (int_fast16_t)2, (int_least64_t)3, (uint_fast32_t)4);
    printf("%08.3f|%+d|% d|%#x|%#o|%.3s|%*d|%-*d|%g %g\n", -1.5, 5, 5, 255U, 8U, "abcdef", 6, 42, 6,
           42, 1e-10, 1e20);
    printf("%'d %%%zu%%\n", 1234567, (size_t)1);
}

static void real_numbers(void)
{
    static const double value[] = {0.0,      -0.0,    1.0,     0.1,     -2.5,    1e300,    5e-324,
                                   DBL_MAX,  DBL_MIN, 4095.75, 0.5,     1.0 / 3, 255.0,    1e-5,
                                   INFINITY, NAN,     0x1.8p0, 0x1.5p3, 0x1.7p3, -INFINITY};

    for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
        const double v = value[i];
        printf("%a %A %.0a %.1a %.3a %.15a|%20a|%-20a|%+a|% a|%#.0a|%F\n", v, v, v, v, v, v, v, v,
               v, v, v, v > -1e9 && v < 1e9 ? v : -INFINITY);
    }
    printf("%Lf %Lg %Le %.3Lf %10.2Lf|\n", 1.5L, 2.5L, 3.5L, 4.5L, 5.5L);
    printf("%F %F %F\n", 1.25, INFINITY, -NAN < 0 ? 1.0 : NAN);
    printf("%.*a|%*.*f|%-*a|\n", 2, 1.1, 10, 3, 2.2, 12, 3.0);
}

static void by_position(void)
{
    printf("%2$s %1$s|%1$s\n", "world", "hello");
    printf("%3$*1$.*2$f|%4$zu|%1$d\n", 10, 2, 3.14159, (size_t)4);
    through_va("%2$lld %1$d %3$zu", 1, 2LL, (size_t)3);
}

static void anywhere(void)
{
    char small[8];
    char *made = NULL;
    char format[600];
    int n;

    through_va("%zu and %s and %a", (size_t)1, "two", 3.0);
    n = snprintf(small, sizeof(small), "%zu", (size_t)123456789);
    printf("%s %d\n", small, n);
    n = asprintf(&made, "%zx-%jd", (size_t)48879, (intmax_t)-5);
    printf("%s %d\n", made, n);
    free(made);
    fflush(stdout);
    dprintf(STDOUT_FILENO, "straight %zu\n", (size_t)9);
    fprintf(stdout, "stream %zu\n", (size_t)10);
    /* too long for the stack */
    strcpy(format, "%zu");
    for (int i = 0; i < 40; i++)
        strcat(format, " text %%");
    strcat(format, " %hhd\n");
    printf(format, (size_t)11, 513);
}

static void reading(void)
{
    signed char c[4] = {1, 2, 3, 4};
    unsigned char u = 9;
    size_t z = 0;
    ptrdiff_t t = 0;
    intmax_t j = 0;
    long double ld = 0;
    double d = 0;
    float f = 0;
    char word[16] = "";
    char set[16] = "";
    int i = 0;
    int at = 0;
    int n;

    n = sscanf("12 -7 99 5", "%zu %td %jd %d", &z, &t, &j, &i);
    printf("%d: %zu %td %jd %d\n", n, z, t, j, i);
    n = sscanf("-5,200", "%hhd,%hhu", &c[1], &u);
    printf("%d: %d %d %d %d, %u\n", n, c[0], c[1], c[2], c[3], u);
    n = sscanf("7 x", "%hhd %hhd", &c[0], &c[3]);
    printf("%d: %d %d\n", n, c[0], c[3]);
    n = sscanf("1.5 2.5 3.5", "%Lf %lf %f", &ld, &d, &f);
    printf("%d: %Lf %f %f\n", n, ld, d, (double)f);
    n = sscanf("abc]def 0x1f 42", "%[]a-c]%*s %zx %5hhd%n", set, &z, &c[2], &at);
    printf("%d: %s %zx %d %d\n", n, set, z, c[2], at);
    n = sscanf("word: 77%", "%15[a-z]: %zu%%%n", word, &z, &at);
    printf("%d: %s %zu %d\n", n, word, z, at);
}

int main(void)
{
    whole_numbers();
    real_numbers();
    by_position();
    anywhere();
    reading();
    return 0;
}
