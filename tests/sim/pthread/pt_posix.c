/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs for Linux use beside threads. Prints the same lines on Linux and on the target.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <byteswap.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <features.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static thread_local int own = 5;
static mtx_t mutex;
static cnd_t cond;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int turns, destroyed, begun;

static void begin(void)
{
    begun++;
}

static void destroy(void *value)
{
    mtx_lock(&mutex);
    destroyed += *(int *)value;
    mtx_unlock(&mutex);
    free(value);
}

/* Threads take turns in the order of their numbers. */
static int worker(void *arg)
{
    const int id = *(int *)arg;
    int *const mine = malloc(sizeof(*mine));

    own += id;
    *mine = 1;
    call_once(&once, begin);
    assert(tss_set(key, mine) == thrd_success && tss_get(key) == mine);
    mtx_lock(&mutex);
    while (turns != id)
        cnd_wait(&cond, &mutex);
    turns++;
    cnd_broadcast(&cond);
    mtx_unlock(&mutex);
    if (id == 3)
        thrd_exit(own * 2);
    return own;
}

static void c11_threads(void)
{
    enum { N = 6 };
    struct timespec soon;
    thrd_t thread[N];
    int number[N];
    int sum = 0;

    assert(mtx_init(&mutex, mtx_timed | mtx_recursive) == thrd_success);
    assert(cnd_init(&cond) == thrd_success && tss_create(&key, destroy) == thrd_success);
    for (int i = 0; i < N; i++) {
        number[i] = i;
        assert(thrd_create(&thread[i], worker, &number[i]) == thrd_success);
    }
    for (int i = 0; i < N; i++) {
        int result = 0;
        assert(thrd_join(thread[i], &result) == thrd_success);
        sum += result;
    }
    printf("threads: turns %d, sum %d, destroyed %d, begun %d, own %d\n", turns, sum, destroyed,
           begun, own);
    mtx_lock(&mutex);
    printf("recursive %d\n", mtx_trylock(&mutex) == thrd_success);
    mtx_unlock(&mutex);
    timespec_get(&soon, TIME_UTC);
    soon.tv_nsec += 2000000;
    if (soon.tv_nsec >= 1000000000) {
        soon.tv_nsec -= 1000000000;
        soon.tv_sec++;
    }
    printf("timed out %d\n", cnd_timedwait(&cond, &mutex, &soon) == thrd_timedout);
    mtx_unlock(&mutex);
    tss_delete(key);
    cnd_destroy(&cond);
    mtx_destroy(&mutex);
}

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
    caught = sig;
}

static void names(void)
{
    static const char *const path[] = {"/usr/lib", "/usr/", "usr", "/", ".", "..", "a//b/", ""};

    for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
        char a[16];
        char b[16];
        strcpy(a, path[i]);
        strcpy(b, path[i]);
        printf("\"%s\": \"%s\" in \"%s\"\n", path[i], basename(a), dirname(b));
    }
}

static void system_facts(void)
{
    const struct sigaction act = {.sa_handler = on_signal};
    struct sigaction old;
    struct rusage usage;
    struct utsname u;
    char host[256];

    printf("processors %d\n", get_nprocs() >= 1 && get_nprocs() <= get_nprocs_conf());
    printf("names %d %d\n", uname(&u), gethostname(host, sizeof(host)));
    printf("usage %d %d", getrusage(RUSAGE_SELF, &usage), getrusage(77, &usage));
    printf(" of memory %d\n", usage.ru_maxrss > 8 && usage.ru_maxrss < 1L << 18);
    printf("sigaction %d", sigaction(SIGUSR1, &act, &old));
    printf(" %d", old.sa_handler == SIG_DFL);
    raise(SIGUSR1);
    printf(" %d", caught == SIGUSR1);
    sigaction(SIGUSR1, NULL, &old);
    printf(" %d\n", old.sa_handler == on_signal);
    printf("swapped %" PRIx32 " %" PRIx64 "\n", (uint32_t)bswap_32(0x01020304U),
           (uint64_t)htobe64(0x0102030405060708U));
}

static void text(void)
{
    char input[] = "one\ntwo, three\n\nlast";
    FILE *const f = fmemopen(input, sizeof(input) - 1, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t n;

    while ((n = getline(&line, &size, f)) >= 0)
        printf("%zd: %.*s\n", n, (int)strcspn(line, "\n"), line);
    rewind(f);
    n = getdelim(&line, &size, ',', f);
    printf("to the comma %zd\n", n);
    fclose(f);
    free(line);
    errno = ENOENT;
    warn("warn %d", 1);
    warnx("warnx %d", 2);
    error(0, EINVAL, "error %d", 3);
}

int main(int argc, char **argv)
{
    int c;

    while ((c = getopt(argc, argv, "n:v")) != -1)
        printf("option %c %s\n", c, optarg != NULL ? optarg : "-");
    c11_threads();
    names();
    system_facts();
    text();
    errno = EINVAL;
    err(7, "the end");
}
