/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What printf and scanf make of numbers and text: prints the same on Linux as on the target
 * (same.py compares). Nothing here depends on the size of long or of a pointer,
 * nor on denormal numbers: the VFP of the chip runs without them (RunFast), they are zero;
 * and no reals in base 16 are scanned, of which scanf reads the 0 (strtod reads them).
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const flags[] = {"",   "-",  "+",  " ",  "#",  "0",
                                    "-+", "+0", " 0", "#0", "-#", "#+ 0-"};
static const char *const sizes[] = {"",   "1",    "12",  "30",    ".0", ".1",
                                    ".5", "20.0", "3.7", "25.17", "."};

#define EACH_FORMAT(letters)                                                                       \
    for (const char *c = (letters); *c; c++)                                                       \
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)                                \
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)

static char format[40], out[2000];

/* One line: the format, what it gave and its length. */
static void show(const char *what, ...)
{
    va_list ap;
    va_start(ap, what);
    int n = vsnprintf(out, sizeof out, format, ap);
    va_end(ap);
    printf("%s %s: [%s] %d\n", format, what, out, n);
}

static void integers(void)
{
    static const long long values[] = {
        0, 1, -1, 42, -1234567, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 0x123456789abcdefLL};
    EACH_FORMAT("diuxXo")
    {
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            snprintf(format, sizeof format, "%%%s%sll%c", flags[i], sizes[k], *c);
            show("ll", values[v]);
        }
        snprintf(format, sizeof format, "%%%s%s%c", flags[i], sizes[k], *c);
        show("int", -123456);
        snprintf(format, sizeof format, "%%%s%sh%c", flags[i], sizes[k], *c);
        show("short", 0x12345);
        snprintf(format, sizeof format, "%%%s%shh%c", flags[i], sizes[k], *c);
        show("char", 0x1f3);
    }
    printf("%zu %zd %jd %ju %td %ld %lu %lx\n", (size_t)4000000000u, (ptrdiff_t)-5,
           (intmax_t)INT64_MIN, (uintmax_t)UINT64_MAX, (ptrdiff_t)-77, -2000000000L, 4000000000UL,
           0xdeadbeefUL);
    printf("%" PRId64 " %" PRIu32 " %" PRIx16 " %" PRIXMAX "\n", (int64_t)-5, (uint32_t)6,
           (uint16_t)0xabc, (uintmax_t)0xfeedULL);
}

static void text(void)
{
    EACH_FORMAT("s")
    {
        if (strchr(flags[i], '#') || strchr(flags[i], '0') || strchr(flags[i], '+') ||
            strchr(flags[i], ' '))
            continue; /* undefined for text */
        snprintf(format, sizeof format, "%%%s%ss", flags[i], sizes[k]);
        show("text", "hello, world");
        show("empty", "");
    }
    printf("[%c] [%3c] [%-3c] [%%] [%5s] [%.2s]\n", 'x', 'y', 'z', "ab", "abcdef");
    printf("[%*d] [%-*d] [%*d] [%.*f] [%.*f] [%*.*s]\n", 6, 42, 6, 42, -6, 42, 2, 3.14159, -1, 2.5,
           8, 3, "abcdef");
    printf("[%2$d %1$d] [%3$s] [%4$*5$d]\n", 1, 2, "three", 4, 5);
    char small[5];
    int n = snprintf(small, sizeof small, "%s", "too long for it");
    printf("%d '%s'\n", n, small);
    n = snprintf(NULL, 0, "%d and %d", 100, 200);
    printf("%d\n", n);
    int at = -1;
    printf("12345%n67", &at);
    printf(" %d\n", at);
    fprintf(stdout, "%s %d %c\n", "fprintf", 1, 'c');
    sprintf(out, "%05d|%x", 42, 255u);
    puts(out);
}

static void reals(void)
{
    static const double values[] = {0.0,
                                    -0.0,
                                    1.0,
                                    -1.5,
                                    0.5,
                                    2.5,
                                    3.5,
                                    0.1,
                                    1.0 / 3,
                                    2.0 / 3,
                                    9.995,
                                    99999.25,
                                    123456789.0,
                                    1e15,
                                    1e16,
                                    1e17,
                                    1e21,
                                    1e22,
                                    1e23,
                                    1.7976931348623157e308,
                                    2.2250738585072014e-308,
                                    1e-5,
                                    1e-4,
                                    0.00012345678,
                                    6.02214076e23,
                                    3.141592653589793,
                                    1e100,
                                    4503599627370497.5,
                                    0.000001,
                                    1e-7,
                                    100.0,
                                    1024.0,
                                    INFINITY,
                                    -INFINITY};
    EACH_FORMAT("feEgGaAF")
    {
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            snprintf(format, sizeof format, "%%%s%s%c", flags[i], sizes[k], *c);
            show("", values[v]);
        }
    }
    printf("%f %e %g %a\n", fabs((double)NAN), fabs((double)NAN), fabs((double)NAN),
           fabs((double)NAN));
    printf("%.50f\n%.60e\n%.0f %.0f %.0f %.0f\n", 0.1, 1.0 / 3, 0.5, 1.5, 2.5, 1e22);
    printf("%.330f\n", DBL_MIN);
    printf("%f\n", DBL_MAX);
    printf("%lf %Lf\n", 2.25, (long double)2.25);
    printf("%g %g %g %g %g\n", 100000.0, 1000000.0, 1e-4, 1e-5, 123456.5);
    uint64_t x = 88172645463325252ULL;
    for (int i = 0; i < 3000; i++) { /* any bits */
        double d;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(&d, &x, sizeof d);
        if (!isnormal(d))
            continue;
        printf("%.17g %g %.3e %.15g\n", d, d, d, d);
        snprintf(out, sizeof out, "%.17g", d);
        if (strtod(out, NULL) != d)
            printf("%s does not come back\n", out);
    }
}

static void scans(void)
{
    static const char *const numbers[] = {"42",
                                          "-17",
                                          "+8",
                                          "017",
                                          "  99 ",
                                          "2147483648",
                                          "-9223372036854775808",
                                          "18446744073709551615",
                                          "",
                                          "x",
                                          "1e3",
                                          "12abc"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        long long ll = -1;
        unsigned long long ull = 1;
        int d = -1, n = -1;
        double f = -1;
        int r;
        printf("'%s': ", numbers[i]);
        r = sscanf(numbers[i], "%lld%n", &ll, &n);
        printf("%d %lld %d; ", r, ll, n);
        r = sscanf(numbers[i], "%lli", &ll);
        printf("%d %lld; ", r, ll);
        r = sscanf(numbers[i], "%llx", &ull);
        printf("%d %llx; ", r, ull);
        r = sscanf(numbers[i], "%3d", &d);
        printf("%d %d; ", r, d);
        r = sscanf(numbers[i], "%lf", &f);
        printf("%d %g; ", r, f);
        printf("%lld %llu %g\n", strtoll(numbers[i], NULL, 0), strtoull(numbers[i], NULL, 10),
               strtod(numbers[i], NULL));
    }
    static const char *const decimals[] = {"3.25",
                                           "-1e-3",
                                           "1e400",
                                           "inf",
                                           "nan",
                                           ".5",
                                           "5.",
                                           "1e",
                                           "2.2250738585072016e-308",
                                           "9007199254740993",
                                           "0.1e1x",

                                           "123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof decimals / sizeof decimals[0]; i++) {
        double f = -1;
        float s = -1;
        char *end;
        int n = sscanf(decimals[i], "%lf", &f);
        printf("'%s': %d %.17g; ", decimals[i], n, fabs(f));
        n = sscanf(decimals[i], "%f", &s);
        printf("%d %.9g; ", n, fabs((double)s));
        f = strtod(decimals[i], &end);
        printf("%.17g '%s'\n", fabs(f), end);
    }
    short h = 0;
    signed char hh = 0;
    size_t z = 0;
    char word[20] = "", set[20] = "", c = '?';
    int n = sscanf("300 400 5000000 word set:rest!x", "%hd %hhd %zu %s %[a-z]:%*4[a-z]%c", &h, &hh,
                   &z, word, set, &c);
    printf("%d %d %d %zu %s %s %c\n", n, h, hh, z, word, set, c);
    n = sscanf("7,8 ,9", "%d,%d ,%d", &n, &n, &n);
    printf("%d\n", n);
    n = sscanf("abc", "%2s%n", word, &n);
    printf("%d %s\n", n, word);
}

int main(void)
{
    integers();
    text();
    reals();
    scans();
    return 0;
}
