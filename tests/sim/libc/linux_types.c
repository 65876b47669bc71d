/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs for Linux do with its types, and names of their own that other C libraries take. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <wchar.h>

#define SEATS 5

static pthread_mutex_t fork[SEATS]; /* no function, without <unistd.h> */
static const double infinity = 1e30;

static unsigned mix(unsigned *p, unsigned n);
static uint32_t mix(uint32_t *p, uint32_t n)
{
    uint32_t h = 0;

    while (n-- != 0)
        h = h * 31 + *p++;
    return h;
}

static void itoa(int n, char s[])
{
    sprintf(s, "<%d>", n);
}

static int fls(unsigned x)
{
    int n = 0;

    for (; x != 0; x >>= 1)
        n++;
    return n;
}

static char *strupr(char *s)
{
    for (char *p = s; *p != '\0'; p++)
        *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 32) : *p;
    return s;
}

static void show(time_t t)
{
    const struct tm *const tm = localtime(&t);
    char text[128];

    printf("%ld %ld %s %s", (long)t, tm->tm_gmtoff, tm->tm_zone, asctime(tm));
    printf("%d ",
           (int)strftime(text, sizeof(text), "%a %A %b %B %c %C %d %D %e %F %g %G %h %H %I", tm));
    printf("%s\n", text);
    strftime(text, sizeof(text),
             "%j %k %l %m %M %p %P %r %R %s %S %T %u %U %V %w %W %x %X %y %Y %z %Z %% %Q", tm);
    printf("%s|\n", text);
}

int main(void)
{
    struct timeval a = {5, 250000}, b = {7, 1};
    struct timespec u = {1, 250048625};
    unsigned word[2] = {1, 2};
    int32_t x = 3;
    uint32_t y = 4;
    char text[16] = "hello";
    wchar_t wide[4];
    char bytes[8];
    time_t t = 0;
    struct stat st;
    enum { SMALL } small = SMALL;

    printf("%ld us, %ld.%09ld s\n", (b.tv_sec - a.tv_sec) * 1000000 + b.tv_usec - a.tv_usec,
           u.tv_sec, u.tv_nsec);
    printf("%d %u %u\n", x, y, mix(word, 2));
    for (int i = 0; i < SEATS; i++)
        printf("%d", pthread_mutex_init(&fork[i], NULL));
    printf(" %g %s %d %d\n", infinity, strupr(text), fls(9), (int)sizeof(small));
    itoa(-42, text);
    puts(text);
    printf("%ld %s\n", localtime(&t)->tm_gmtoff, gmtime(&t)->tm_zone);
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    for (t = -100000000; t < 2000000000; t += 123456789)
        show(t);
    errno = 0;
    x = stat("nowhere/at/all", &st);
    printf("%d %d %s\n", x, errno, strerror(errno));
    errno = 0;
    printf("%d", (int)wcrtomb(bytes, (wchar_t)0x20ac, NULL));
    printf(" %d\n", errno);
    errno = 0;
    printf("%d\n", swprintf(wide, 2, L"%d", 1234));
    printf("%d %d %d %d %d %d\n", ENOSYS, EDEADLK, ETIMEDOUT, EOVERFLOW, EILSEQ, ENAMETOOLONG);
    printf("%.1f\n", difftime(2000000000, -2000000000));
    return 0;
}
