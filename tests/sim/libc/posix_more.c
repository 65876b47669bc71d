/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers, functions and clocks that ordinary packages use. The same on Linux and on the target. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>

#if !defined(_POSIX_CPUTIME) || !defined(_POSIX_THREAD_CPUTIME)
#error clocks
#endif

struct wide {
    long a, b, c, d;
};

static _Atomic double d;
static _Atomic struct wide wide;
static char memory[64], other[128];

static void atomics(void)
{
    struct wide x = {1, 2, 3, 4}, y = {1, 2, 3, 4}, z = {9, 9, 9, 9};
    atomic_flag flag = ATOMIC_FLAG_INIT;
    bool was;

    d = 2.0;
    d += 1.5;
    d *= 2;
    printf("double %g\n", (double)d);
    atomic_store(&wide, x);
    was = atomic_compare_exchange_strong(&wide, &y, z);
    printf("swapped %d\n", was);
    was = atomic_compare_exchange_strong(&wide, &y, x);
    printf("not swapped %d, %ld\n", was, y.c);
    y = atomic_exchange(&wide, x);
    printf("%ld %ld\n", y.d, atomic_load(&wide).d);
    was = (atomic_flag_test_and_set)(&flag);
    printf("flag %d", was);
    was = (atomic_flag_test_and_set_explicit)(&flag, memory_order_acquire);
    printf(" %d", was);
    (atomic_flag_clear)(&flag);
    (atomic_thread_fence)(memory_order_seq_cst);
    (atomic_signal_fence)(memory_order_seq_cst);
    was = atomic_flag_test_and_set(&flag);
    printf(" %d\n", was);
}

static void patterns(void)
{
    static const struct {
        const char *pattern, *name;
        int flags;
    } row[] = {
        {"*.c", "a.c", 0},
        {"*.c", ".c", FNM_PERIOD},
        {"*", "a/b", FNM_PATHNAME},
        {"*/b", "a/b", FNM_PATHNAME},
        {"[a-c]x", "bx", 0},
        {"[!a-c]x", "bx", 0},
        {"[]x]", "]", 0},
        {"a\\*b", "a*b", 0},
        {"a\\*b", "a\\xb", FNM_NOESCAPE},
        {"?", "", 0},
        {"A?C", "abc", FNM_CASEFOLD},
        {"[[:digit:]]*", "7up", 0},
        {"a", "a/b", FNM_LEADING_DIR},
        {"a*b*c*d", "axxbyyczzd", 0},
        {"[", "[", 0},
        {"?a", ".a", FNM_PERIOD},
        {"[z-a]", "a", 0},
        {"[A-\\Zx]y", "0y", 0},
        {"*.@(c|h)", "a.h", FNM_EXTMATCH},
        {"!(*.o)", "a.o", FNM_EXTMATCH},
    };
    glob_t g;
    int r;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        printf("fnmatch %s %s: %d\n", row[i].pattern, row[i].name,
               fnmatch(row[i].pattern, row[i].name, row[i].flags) != 0);
    mkdir("g", 0755);
    mkdir("g/one", 0755);
    mkdir("g/two", 0755);
    for (int i = 0; i < 4; i++) {
        char name[20];

        snprintf(name, sizeof(name), "g/%s/%c.txt", i < 2 ? "one" : "two", 'a' + i);
        close(open(name, O_CREAT | O_WRONLY, 0644));
    }
    r = glob("g/*/[a-c].txt", 0, NULL, &g);
    printf("glob %d, %d:", r, (int)g.gl_pathc);
    for (int i = 0; i < (int)g.gl_pathc; i++)
        printf(" %s", g.gl_pathv[i]);
    globfree(&g);
    r = glob("g/*", GLOB_MARK, NULL, &g);
    printf("\nglob %d: %s %s\n", r, g.gl_pathv[0], g.gl_pathv[1]);
    globfree(&g);
    printf("none: %d\n", glob("g/no*", 0, NULL, &g) == GLOB_NOMATCH);
    r = glob("g/no*", GLOB_NOCHECK, NULL, &g);
    printf("nocheck: %d %s\n", r, g.gl_pathv[0]);
    globfree(&g);
    close(open("g/.\\*", O_CREAT | O_WRONLY, 0644));
    r = glob("g/*\\\\\\*", GLOB_PERIOD, NULL, &g);
    printf("period %d %s", r, r == 0 ? g.gl_pathv[0] : "");
    r = glob("g/.\\*", GLOB_NOESCAPE, NULL, &g);
    printf(", no escape %d %s\n", r, r == 0 ? g.gl_pathv[0] : "");
    r = glob("g/{two,{no,one}}/[a-c]*", GLOB_BRACE, NULL, &g);
    printf("braces %d:", r);
    for (int i = 0; i < (int)g.gl_pathc; i++)
        printf(" %s", g.gl_pathv[i]);
    globfree(&g);
    setenv("HOME", "g/one", 1);
    r = glob("~/*.txt", GLOB_TILDE, NULL, &g);
    printf(" tilde %d %s", r, r == 0 ? g.gl_pathv[1] : "");
    globfree(&g);
    printf(" %d %d %d", glob_pattern_p("a*", 1), glob_pattern_p("a\\*", 1),
           glob_pattern_p("[a", 0));
    printf(" %d %d\n", glob("{x,y}", 0, NULL, &g) == GLOB_NOMATCH,
           glob("g/{one", GLOB_BRACE, NULL, &g) == GLOB_NOMATCH);
}

static void sorted(void)
{
    struct dirent **list;
    char *p;
    int n;

    mkdir("v", 0755);
    close(creat("v/a10", 0644));
    close(creat("v/a9", 0644));
    close(creat("v/b", 0644));
    n = scandir("v", &list, NULL, versionsort);
    for (int i = 0; i < n; i++) {
        printf(" %s", list[i]->d_name);
        free(list[i]);
    }
    free(list);
    p = canonicalize_file_name("v/../v//b");
    printf(" %s\n", p != NULL ? p + strlen(p) - 4 : "none");
    free(p);
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void small_things(void)
{
    int values[8] = {5, 3, 9}, key = 9, missing = 4;
    size_t count = 3;
    char *first;

    printf("lfind %d", (int)((int *)lfind(&key, values, &count, sizeof(int), by_value) - values));
    lsearch(&missing, values, &count, sizeof(int), by_value);
    printf(", %d elements\n", (int)count);
    printf("%08x %04x\n", (unsigned)htonl(0x12345678), ntohs(0x1234));
    srandom(5);
    printf("random %ld", random());
    first = initstate(7, memory, sizeof(memory));
    printf(" %ld", random());
    printf(" %ld", random());
    initstate(7, other, sizeof(other));
    printf(" %ld", random());
    setstate(memory);
    printf(" %ld", random());
    setstate(first);
    printf(" %ld\n", random());
    printf("%d %d %d\n", NAME_MAX, HOST_NAME_MAX, IOV_MAX);
    printf("%d\n", PATH_MAX >= _POSIX_PATH_MAX);
    printf("%d\n", SSIZE_MAX >= 32767);
    errno = ENOENT;
    printf("error %m\n");
    printf("%ls %lc|%10ls|%.2ls\n", L"wide", (wint_t)L'c', L"right", L"cut");
}

static void jumps(void)
{
    static sigjmp_buf where;
    static jmp_buf there;
    volatile int n = 0;

    if (sigsetjmp(where, 1) < 3)
        siglongjmp(where, ++n);
    printf("jumped %d times\n", n);
    n = 0;
    if (_setjmp(there) < 3)
        _longjmp(there, ++n);
    printf("and %d\n", n);
    printf("codes %d %d %d %d\n", SEGV_ACCERR, BUS_ADRERR, ILL_BADSTK, FPE_FLTSUB);
}

static void clocks(void)
{
    struct timespec t;
    clock_t before = clock(), after;
    struct tms tms;
    clockid_t id;
    int steps = 0;

    while (steps < 20) {
        after = clock();
        steps += after != before;
        if (after - before > CLOCKS_PER_SEC / 200) /* Linux, or steps of 10 ms */
            break;
    }
    printf("clock steps %d\n", steps == 20);
    printf("%ld a second\n", (long)CLOCKS_PER_SEC);
    errno = 0;
    printf("no clock: %d", clock_gettime(77, &t));
    printf(" %d", errno == EINVAL);
    errno = 0;
    printf(" %d", clock_getres(77, &t));
    printf(" %d\n", errno == EINVAL);
    printf("no time: %d\n", clock_nanosleep(77, 0, &(struct timespec){0}, NULL) == EINVAL);
    printf("no process: %d\n", clock_getcpuclockid(123456789, &id) == ESRCH);
    printf("%ld\n", sysconf(_SC_CLK_TCK));
    printf("times %d\n", times(&tms) != (clock_t)-1);
    printf("%d %d\n", sysconf(_SC_CPUTIME) > 0, sysconf(_SC_THREAD_CPUTIME) > 0);
    tzset();
    printf("timezone %ld\n", timezone);
}

static void rounding(void)
{
    static const int mode[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    volatile double one = 1.0, three = 3.0, big = 1e308, zero = 0.0;

    for (int i = 0; i < 4; i++) {
        printf("set %d", fesetround(mode[i]));
        printf(" %d %a\n", fegetround() == mode[i], one / three);
    }
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    three = big * big;
    printf("overflow %d", fetestexcept(FE_OVERFLOW) != 0);
    three = one / zero;
    printf(" divbyzero %d", fetestexcept(FE_DIVBYZERO) != 0);
    feclearexcept(FE_ALL_EXCEPT);
    printf(" cleared %d", fetestexcept(FE_ALL_EXCEPT));
    feraiseexcept(FE_INVALID);
    printf(" invalid %d\n", fetestexcept(FE_ALL_EXCEPT) == FE_INVALID);
}

static void *stack_of_mine(void *large)
{
    pthread_attr_t attr;
    size_t bytes = 0;

    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstacksize(&attr, &bytes);
    *(bool *)large = bytes >= 3U << 20;
    return NULL;
}

/* What threads have that are created without attributes. */
static void standard_attributes(void)
{
    static _Alignas(4096) char stack[65536];
    pthread_attr_t attr, own;
    size_t bytes = 0;
    pthread_t t;
    bool large = false;

    pthread_getattr_default_np(&attr);
    pthread_attr_setstacksize(&attr, 3U << 20);
    printf("default %d", pthread_setattr_default_np(&attr));
    pthread_create(&t, NULL, stack_of_mine, &large);
    pthread_join(t, NULL);
    pthread_attr_init(&own);
    pthread_attr_getstacksize(&own, &bytes);
    pthread_attr_setstack(&own, stack, sizeof(stack));
    printf(" %d %d %d\n", large, bytes == 3U << 20, pthread_setattr_default_np(&own) == EINVAL);
}

static void fields(void)
{
    static const char *const versions[] = {"a9",  "a10", "9",   "b",  "a",   "1",   "00",
                                           "000", "01",  "a0b", "a0", "a.1", "a1.", ""};
    static char *const words[] = {"ro", "size", NULL};
    char list[] = "a,,b,", empty[] = "", options[] = "size=5,bad=1,ro", *rest = list, *value;
    char *field;

    while ((field = strsep(&rest, ",")) != NULL)
        printf("<%s>", field);
    rest = empty;
    printf(" <%s>", strsep(&rest, ",;"));
    printf(" %d\n", strsep(&rest, ",") == NULL);
    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
        for (size_t j = 0; j < sizeof(versions) / sizeof(*versions); j++) {
            const int r = strverscmp(versions[i], versions[j]);

            putchar("<=>"[(r > 0) - (r < 0) + 1]);
        }
    }
    rest = options;
    for (int i = 0; i < 3; i++) {
        printf(" %d", getsubopt(&rest, words, &value));
        printf(" %s", value != NULL ? value : "-");
    }
    printf(" %d\n", *rest);
}

static void options(void)
{
    static const struct option words[] = {{"file", required_argument, NULL, 'f'},
                                          {"fill", no_argument, NULL, 'l'},
                                          {"level", optional_argument, NULL, 'L'},
                                          {0}};
    static const char *const letters[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::"};
    static const char *const command[][7] = {
        {"p", "x", "-a", "y", "-bz", "-b"},     {"p", "", "-", "-a", "-q", "-cx"},
        {"p", "--fi", "-ab1", "--level=2"},     {"p", "--file", "f", "x", "--fil=3", "--fill=3"},
        {"p", "--nothing", "-b", "--", "-a"},   {"p", "-a", "--level", "9", "--file"},
        {"p", "-level=4", "-fill", "-x", "-c"},
    };

    for (unsigned i = 0; i < 4U * 7U * 3U; i++) {
        char *arg[8] = {NULL};
        int n = 0, index = -1, c;

        for (; n < 7 && command[i / 12][n] != NULL; n++)
            arg[n] = (char *)command[i / 12][n];
        optind = 0;
        optopt = 0;
        opterr = i % 5 == 0;
        while ((c = i % 3 == 0 ? getopt(n, arg, letters[i / 3 % 4])
                    : i % 3 == 1
                        ? getopt_long(n, arg, letters[i / 3 % 4], words, &index)
                        : getopt_long_only(n, arg, letters[i / 3 % 4], words, &index)) != -1)
            printf(" %d %s %d %d %d", c, optarg != NULL ? optarg : "-", optind,
                   c == '?' || c == ':' ? optopt : 0, index);
        printf(" end %d:", optind);
        for (int k = 1; k < n; k++)
            printf(" '%s'", arg[k]);
        puts("");
    }
}

static void dates(void)
{
    static const time_t at[] = {0, 1234567890, 2140000000, 1990000000, -1600000000};
    char text[400];
    struct tm tm;

    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    for (int i = 0; i < 5; i++) {
        localtime_r(&at[i], &tm);
        strftime(text, sizeof(text),
                 "%Y-%m-%d %H:%M:%S %Z %z|%-d.%-m.%y %-H %_H %_j %^a %^B %#Z %#p|%5Y %10A %-10A "
                 "%010A|%03e %k %-k %_5m %s|%Ey %Od|%%",
                 &tm);
        tm.tm_isdst = -1;
        printf("%s %d", text, mktime(&tm) == at[i]);
        printf(" %d\n", tm.tm_isdst);
    }
    tm = (struct tm){.tm_year = 69, .tm_mon = 6, .tm_mday = 29, .tm_isdst = -1};
    printf("%lld", (long long)mktime(&tm));
    printf(" %d\n", tm.tm_isdst);
    for (size_t n = 0; n < 7; n++)
        printf(" %zu", strftime(text, n, "%-d.%5m", &tm));
    printf(" [%s]\n", text);
    unsetenv("TZ");
    tzset();
}

static void numbers(void)
{
    signed char count[3] = {-1, -1, -1};
    char *end = NULL;
    char text[20];
    long value;

    errno = 0;
    value = strtol("12", NULL, 37);
    printf("%ld %d", value, errno == EINVAL);
    errno = 0;
    value = (long)strtoimax("none", &end, 10);
    printf(" %ld %s %d", value, end, errno);
    sprintf(text, "abcde%hhn", &count[1]);
    printf(" %d %d %d", count[0], count[1], count[2]);
    errno = 0;
    printf(" %d", (int)readv(77, NULL, 0));
    printf(" %d %d\n", errno == EBADF, raise(0));
    printf("of %.10s\n", program_invocation_short_name);
}

/* (size_t)-1 and -2 are the same numbers on both machines then. */
static int used(size_t n)
{
    return (int)n;
}

static void characters(void)
{
    static const char16_t word[] = u"ab";
    const char *const text = "z\nq";
    mbstate_t state = {0};
    char32_t c32 = 7;
    char16_t c16 = 7;
    char bytes[MB_LEN_MAX] = "?";

    printf("%d", used(mbrtoc32(&c32, text, 1, &state)));
    printf(" %d", used(mbrtoc16(&c16, text + 1, 2, &state)));
    printf(" %d %d", (int)c32, c16);
    printf(" %d", used(mbrtoc16(&c16, "", 1, NULL)));
    printf(" %d", used(mbrtoc32(&c32, text, 0, &state)));
    printf(" %d", used(mbrtoc16(NULL, text, 3, NULL)));
    printf(" %d", used(mbrtoc32(&c32, NULL, 5, &state)));
    printf(" %d %d", (int)c32, c16);
    printf(" %d", used(c16rtomb(bytes, word[1], &state)));
    printf(" %c", bytes[0]);
    printf(" %d", used(c32rtomb(bytes, U'Q', NULL)));
    printf(" %c", bytes[0]);
    printf(" %d", used(c32rtomb(NULL, U'Q', NULL)));
    printf(" %d", used(c16rtomb(bytes, 0, &state)));
    errno = 0;
    printf(" %d", used(c32rtomb(bytes, 0x20ac, &state)));
    printf(" %d", errno == EILSEQ);
    errno = 0;
    printf(" %d", used(c16rtomb(bytes, 0x20ac, &state)));
    printf(" %d %d %zu %zu\n", errno == EILSEQ, bytes[0], sizeof(c16), sizeof(c32));
}

int main(void)
{
    atomics();
    standard_attributes();
    patterns();
    sorted();
    small_things();
    jumps();
    clocks();
    rounding();
    fields();
    options();
    dates();
    numbers();
    characters();
    return 0;
}
