/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small functions of POSIX and C11; the same on Linux and on the target. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <complex.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void addresses(void)
{
    static const char *const texts[] = {"127.0.0.1",  "10.1",    "0x7f.1",   "256.1.1.1",
                                        "1.2.3.4.5",  "",        "1.2.3.",   "1.2.3.4 ",
                                        "4294967295", "1.65536", "1.2.3.04", "a.b.c.d"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct in_addr a = {0};
        struct in_addr b = {0};
        const int aton = inet_aton(texts[i], &a);
        const int pton = inet_pton(AF_INET, texts[i], &b);

        printf("'%s' %d %08x %d %08x %08x\n", texts[i], aton, aton ? ntohl(a.s_addr) : 0, pton,
               pton ? ntohl(b.s_addr) : 0, inet_addr(texts[i]));
    }
    struct in_addr a = {htonl(0xc0a80017)};
    char text[16];
    char *const said = inet_ntoa(a);
    printf("%s %s %d\n", said, inet_ntop(AF_INET, &a, text, sizeof(text)),
           inet_ntop(AF_INET, &a, text, 12) == NULL && errno == ENOSPC);
    printf("%d\n", inet_pton(77, "1", text) == -1 && errno == EAFNOSUPPORT);
}

static void files(void)
{
    struct stat st;
    const int fd = open("small.dat", O_CREAT | O_RDWR | O_TRUNC, 0644);

    printf("%d", posix_fallocate(fd, 100, 28));
    fstat(fd, &st);
    printf(" %d", (int)st.st_size);
    printf(" %d", posix_fallocate(fd, 0, 10));
    fstat(fd, &st);
    printf(" %d", (int)st.st_size);
    printf(" %d %d", posix_fallocate(fd, 0, 0) == EINVAL, posix_fallocate(77, 0, 1) == EBADF);
    printf(" %d %d\n", posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED),
           posix_fadvise(fd, 0, 0, 99) == EINVAL);
    close(fd);
    unlink("small.dat");
}

/* With more than the library has places for; some come while they run. */
static int ran;

static void again(void)
{
    ran++;
}

static void counted(void)
{
    if (++ran % 50 == 0) {
        printf("%d ran\n", ran);
        atexit(again);
    }
}

static void told(int status, void *arg)
{
    printf("status %d, %s after %d\n", status, (const char *)arg, ran);
}

static void exits(void)
{
    int n = 0;

    on_exit(told, "first");
    atexit(counted);
    on_exit(told, "third");
    while (n < 300 && atexit(counted) == 0)
        n++;
    on_exit(told, "last");
    printf("%d registered\n", n);
}

#define OPTION(name)                                                                               \
    printf(#name " %d %d\n", _POSIX_##name >= 200112L, sysconf(_SC_##name) == _POSIX_##name)

static void options(void)
{
#if _POSIX_TIMERS < 200112L || _POSIX_THREADS < 200112L || _POSIX_SEMAPHORES < 200112L
#error "as configure scripts ask for them"
#endif
    OPTION(VERSION);
    OPTION(TIMERS);
    OPTION(THREADS);
    OPTION(SEMAPHORES);
    OPTION(TIMEOUTS);
    OPTION(BARRIERS);
    OPTION(SPIN_LOCKS);
    OPTION(READER_WRITER_LOCKS);
    OPTION(CLOCK_SELECTION);
    OPTION(REALTIME_SIGNALS);
    OPTION(PRIORITY_SCHEDULING);
    OPTION(THREAD_PRIORITY_SCHEDULING);
    OPTION(THREAD_PRIO_INHERIT);
    OPTION(THREAD_PRIO_PROTECT);
    OPTION(THREAD_PROCESS_SHARED);
    OPTION(THREAD_ATTR_STACKSIZE);
    OPTION(THREAD_ATTR_STACKADDR);
    OPTION(THREAD_SAFE_FUNCTIONS);
    OPTION(MAPPED_FILES);
    OPTION(FSYNC);
    printf("%d %d %d\n", sysconf(_SC_REGEXP) == _POSIX_REGEXP,
           sysconf(_SC_2_VERSION) == _POSIX2_VERSION, sysconf(_SC_XOPEN_VERSION) == _XOPEN_VERSION);
}

static void numbers(void)
{
    static const char *const texts[] = {"0x", " -0Xg", "0x1g", "x", "", "+", "0", "0xx", " 12x"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        for (int base = 0; base <= 16; base += 8) {
            const char *const t = texts[i];
            char *end[4];
            const long l = strtol(t, &end[0], base);
            const unsigned long u = strtoul(t, &end[1], base);
            const intmax_t m = strtoimax(t, &end[2], base);
            const unsigned long long ull = strtoull(t, &end[3], base);

            printf("'%s' %d: %ld %d, %d %d, %d %d, %d %d\n", t, base, l, (int)(end[0] - t),
                   u == (unsigned long)l, (int)(end[1] - t), m == l, (int)(end[2] - t),
                   ull == (unsigned long long)l, (int)(end[3] - t));
        }
    }
    printf("[%p] [%8p] [%-8p] %d\n", NULL, NULL, NULL, 7);
}

static void words(void)
{
    static const int known[] = {0,       EPERM,     ENOENT,    EINTR,      EAGAIN,
                                ENOMEM,  EACCES,    EBUSY,     EEXIST,     EINVAL,
                                EMFILE,  ENOSPC,    EPIPE,     EDOM,       ERANGE,
                                EDEADLK, ENOTEMPTY, ETIMEDOUT, ENOSYS,     EOVERFLOW,
                                EILSEQ,  ECANCELED, EMSGSIZE,  EOWNERDEAD, ENOTRECOVERABLE};
    char text[80];

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        printf("%s\n", strerror(known[i]));
    puts(strerror(9999));
    puts(strerror(-3));
    errno = EAGAIN;
    perror("small");
    errno = EAGAIN;
    printf("%m\n");
    printf("%s\n", strerror_r(EOWNERDEAD, text, sizeof(text)));
}

/* A state of the caller's stays the one that is seeded. */
static void states(void)
{
    static char small[64];
    static char tiny[32];
    char *const first = initstate(5, small, sizeof(small));

    printf("%ld", random());
    srandom(1);
    printf(" %ld", random());
    initstate(7, tiny, sizeof(tiny));
    srand(3);
    printf(" %d", rand());
    setstate(first);
    srandom(1);
    printf(" %ld\n", random());
}

static void refused(void)
{
    const volatile size_t most = SIZE_MAX;
    void *p = NULL;

    errno = 0;
    printf("%d", reallocarray(NULL, most / 2, 3) == NULL && errno == ENOMEM);
    printf(" %d", posix_memalign(&p, 1U << 12, most - 100) == ENOMEM);
    printf(" %d", posix_memalign(&p, most / 2 + 1, most / 2 - 20) == ENOMEM);
    printf(" %d\n", aligned_alloc(1U << 12, most & ~(size_t)0xfffU) == NULL);
}

/* Dates and times, in range and not. */
static void times_read(void)
{
    static const char *const texts[][2] = {{"30 02 2024", "%d %m %Y"},
                                           {"32 01 2024", "%d %m %Y"},
                                           {"31 04", "%d %m"},
                                           {"25:61", "%H:%M"},
                                           {"23:61", "%H:%M"},
                                           {"23:60", "%H:%M"},
                                           {"25:00", "%H:%M"},
                                           {"24:00", "%H:%M"},
                                           {"12:00:61", "%T"},
                                           {"12:00:62", "%T"},
                                           {"13 pm", "%I %p"},
                                           {"0 am", "%I %p"},
                                           {"13", "%m"},
                                           {"0", "%m"},
                                           {"0", "%d"},
                                           {"367", "%j"},
                                           {"0", "%j"},
                                           {"7", "%w"},
                                           {"54", "%U"},
                                           {"100", "%y"},
                                           {"Febr 3", "%b %d"},
                                           {"2024-02-30", "%F"},
                                           {"10000", "%Y"},
                                           {"12345", "%s"},
                                           {"Mon", "%a"},
                                           {"12/31/99", "%D"},
                                           {"a%", "a%%"},
                                           {"  5", "%d"},
                                           {"5 ", "%e"},
                                           {"Sun Nov 30 12:34:56 2025", "%c"},
                                           {"2025-060", "%Y-%j"},
                                           {"2024 09 3", "%Y %U %w"},
                                           {"2024 09 3", "%Y %W %u"},
                                           {"2024 00 3", "%Y %U %w"},
                                           {"19 70", "%C %y"},
                                           {"20", "%C"},
                                           {"19", "%C"},
                                           {"Wednesday, 3 March 99", "%A, %d %B %y"},
                                           {"12 am", "%I %p"},
                                           {"12 PM", "%I %p"},
                                           {"11:22:33 PM", "%r"},
                                           {"+0130", "%z"},
                                           {"-01:30x", "%z"},
                                           {"Z", "%z"},
                                           {"+1", "%z"},
                                           {"+015", "%z"},
                                           {"MET 5", "%Z %d"},
                                           {"1700000000", "%s"},
                                           {"2024", "%G"},
                                           {" 7", "%Oe"},
                                           {"5", "%-d"},
                                           {"29 2 2000", "%d %m %Y"},
                                           {"29 2 1900", "%d %m %Y"},
                                           {"1 1 1", "%d %m %Y"},
                                           {"0", "%Y"},
                                           {"ab", "a"},
                                           {"b", "%"},
                                           {"b", "%Q"},
                                           {"Mon 5 2024", "%a %d %Y"},
                                           {"10 2024", "%d %Y"},
                                           {"100", "%j"},
                                           {"3 100 2023", "%m %j %Y"},
                                           {"31 100 2023", "%d %j %Y"}};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct tm tm = {0};
        const char *const end = strptime(texts[i][0], texts[i][1], &tm);

        printf("'%s' %s: ", texts[i][0], texts[i][1]);
        if (end == NULL)
            printf("refused\n");
        else
            printf("%d, %d-%d-%d %d:%d:%d %d %d\n", (int)(end - texts[i][0]), tm.tm_year, tm.tm_mon,
                   tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_wday, tm.tm_yday);
    }
}

/* One after the other: compilers differ in the order of arguments. */
static void tell(long value)
{
    printf(" %ld", value);
}

static void environment(void)
{
    static char text[20] = "P=one";
    static char other[] = "Q=1";
    char name[20];

    putenv(text);
    strcpy(text, "P=two");
    printf("%s", getenv("P"));
    setenv("P", "s", 1); /* not into the program's string */
    printf(" %s %s", getenv("P"), text);
    setenv("P", "t", 0);
    printf(" %s", getenv("P"));
    errno = 0;
    tell(setenv("", "x", 1));
    tell(errno == EINVAL);
    tell(setenv("a=b", "x", 1));
    tell(unsetenv(""));
    tell(unsetenv("a=b"));
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "V%d", i);
        setenv(name, name + 1, 1);
    }
    putenv(other);
    unsetenv("V7");
    putenv("V8");
    printf(" %s %d %d %s %s\n", getenv("V99"), getenv("V7") == NULL, getenv("V8") == NULL,
           getenv("Q"), getenv("V9"));
    clearenv();
    tell(getenv("V9") == NULL);
    setenv("V9", "", 1);
    printf(" [%s]\n", getenv("V9"));
}

static void devices(void)
{
    unsigned char bytes[4] = {1, 2, 3, 4};
    struct stat st;
    int fd = open("/dev/null", O_RDWR);
    FILE *f;

    tell(read(fd, bytes, 4));
    tell(write(fd, bytes, 4));
    fstat(fd, &st);
    tell(S_ISCHR(st.st_mode));
    tell(isatty(fd));
    tell(lseek(fd, 100, SEEK_SET));
    tell(ftruncate(fd, 0));
    tell(dup2(fd, 50));
    tell(close(fd));
    tell(write(50, bytes, 4));
    tell(close(50));
    fd = open("/dev/zero", O_RDONLY);
    tell(read(fd, bytes, 4));
    tell(bytes[0] + bytes[3]);
    tell(write(fd, bytes, 4));
    close(fd);
    fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    tell(read(fd, bytes, 4));
    tell(close(fd));
    tell(open("/dev/null", O_CREAT | O_EXCL | O_RDWR, 0600));
    tell(errno == EEXIST);
    tell(open("/dev/null", O_DIRECTORY));
    tell(errno == ENOTDIR);
    tell(access("/dev/null", R_OK | W_OK));
    tell(stat("/dev/zero", &st) == 0 && S_ISCHR(st.st_mode));
    fd = open("/dev/stdout", O_WRONLY); /* Linux writes a file from its start */
    tell(fd >= 0 && close(fd) == 0);
    fd = open("/dev/stdin", O_RDONLY);
    tell(fd >= 0 && close(fd) == 0);
    f = fopen("/dev/null", "w");
    tell(fprintf(f, "%0*d", 10000, 1));
    tell(fclose(f));
    tell(fdopen(99, "r") == NULL);
    tell(errno == EBADF);
    f = fdopen(dup(1), "w");
    tell(f != NULL && fclose(f) == 0);
    puts("");
}

static long compared;
static long visits;
static int deepest;
static const char *latest;

static int by_address(const void *a, const void *b)
{
    compared++;
    return (a > b) - (a < b);
}

static void visit(const void *node, VISIT when, int depth)
{
    deepest = depth > deepest ? depth : deepest;
    if (when != postorder && when != leaf)
        return;
    visits += *(const char *const *)node > latest;
    latest = *(const char *const *)node;
}

static void gone(void *key)
{
    visits -= key != NULL;
}

/* Keys in order make no list; every third one is deleted. */
static void trees(void)
{
    enum { KEYS = 3000 };
    static char key[KEYS];
    void *root = NULL;
    long found = 0;

    for (int i = 0; i < KEYS; i++)
        found += *(char **)tsearch(&key[i], &root, by_address) == &key[i];
    for (int i = 0; i < KEYS; i += 3)
        found += tdelete(&key[i * 7 % KEYS], &root, by_address) != NULL;
    for (int i = 0; i < KEYS; i++)
        found += tfind(&key[i], &root, by_address) != NULL;
    printf("%ld %d %d", found, tdelete(&key[KEYS - 3], &root, by_address) == NULL,
           compared < 15L * 3 * KEYS);
    twalk(root, visit);
    printf(" %ld %d", visits, deepest < 20);
    tdestroy(root, gone);
    printf(" %ld\n", visits);
}

#define SAYS(call)                                                                                 \
    do {                                                                                           \
        errno = 0;                                                                                 \
        const volatile double result = (call);                                                     \
        printf("%s %d %d\n", #call,                                                                \
               errno == EDOM     ? 1                                                               \
               : errno == ERANGE ? 2                                                               \
                                 : errno,                                                          \
               isnan(result) || isinf(result));                                                    \
    } while (0)

static void mathematics(void)
{
    const volatile double minus = -1;
    const volatile double zero = 0;
    const volatile double two = 2;
    const volatile double large = 1e308;
    const volatile float f = -1;

    printf("%d\n", (math_errhandling & MATH_ERRNO) != 0);
    SAYS(sqrt(minus));
    SAYS(sqrtf(f));
    SAYS(log(minus));
    SAYS(log(zero));
    SAYS(logf(f));
    SAYS(log10(minus));
    SAYS(log2(zero));
    SAYS(log1p(minus));
    SAYS(acos(two));
    SAYS(asin(two));
    SAYS(acosh(zero));
    SAYS(atanh(two));
    SAYS(pow(minus, 0.5));
    SAYS(pow(zero, minus));
    SAYS(pow(large, two));
    SAYS(exp(large));
    SAYS(exp(-large));
    SAYS(exp2(5000 + zero));
    SAYS(cosh(large));
    SAYS(sinh(large));
    SAYS(fmod(two, zero));
    SAYS(remainder(two, zero));
    SAYS(tgamma(200 + zero));
    SAYS(ldexp(large, 10));
    SAYS(hypot(large, large * 1.5));
    SAYS(sqrt(two));
}

static void nameless(void)
{
    const int fd = memfd_create("numbers", MFD_CLOEXEC);
    char data[10] = "";
    struct stat st;

    printf("nameless %d", fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    printf(" %d", (int)write(fd, "0123456789", 10));
    printf(" %d", ftruncate(fd, 6) == 0 && fstat(fd, &st) == 0 && st.st_size == 6);
    printf(" %d", (int)lseek(fd, 2, SEEK_SET));
    printf(" %d", (int)read(fd, data, sizeof(data)));
    printf(" %.4s %d", data, close(fd));
    errno = 0;
    printf(", %d", memfd_create("flags", 1U << 20));
    printf(" %s\n", strerror(errno));
}

static void groups(void)
{
    printf("groups %d %d", getpgid(0) == getpgrp(), getpgid(getpid()) == getpgrp());
    printf(", sessions %d", getsid(0) == getsid(getpid()));
    errno = 0;
    printf(", of others %d", getpgid(99999999));
    printf(" %s", strerror(errno));
    errno = 0;
    printf(", %d", getsid(99999999));
    printf(" %s\n", strerror(errno));
}

int main(void)
{
    void (*volatile jump)(sigjmp_buf, int) = (siglongjmp);
    sigjmp_buf env;
    volatile int times = 0;
    const long double complex z = cexpl(1.0L * I);

    addresses();
    files();
    exits();
    options();
    numbers();
    words();
    states();
    refused();
    times_read();
    mathematics();
    environment();
    devices();
    trees();
    groups();
    nameless();
    if (sigsetjmp(env, 1) < 3) {
        times++;
        jump(env, times);
    }
    printf("jumped %d\n", times);
    printf("%.6f %.6f %.6f\n", (double)creall(z), (double)cimagl(z), (double)cimagl(conjl(z)));
    return 0;
}
