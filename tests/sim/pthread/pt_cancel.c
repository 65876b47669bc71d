/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cancellation meets threads on their way into a wait, in a loop of calls that are cancellation
 * points, or computing where it is asynchronous: whichever instruction it meets them at, the wait
 * or the loop ends. A thread says that it is on its way, the other one cancels it some instructions
 * later, with a signal before it in every second round. Runs on Linux, too. usage: pt_cancel [-s
 * SEED] [-n DELAYS]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t empty, full, release;
static pthread_t other;
static volatile int on_its_way;
static int unlocked;

static struct timespec far(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 1;
    return t;
}

static void unlock(void *arg)
{
    unlocked++;
    pthread_mutex_unlock(arg);
}

static void wait_sem(void)
{
    on_its_way = 1;
    sem_wait(&empty);
}

/* A wait that need not block is a cancellation point, too. */
static void wait_full(void)
{
    on_its_way = 1;
    for (;;) {
        sem_wait(&full);
        sem_post(&full);
    }
}

static void wait_sem_timed(void)
{
    const struct timespec t = far();

    on_its_way = 1;
    while (sem_timedwait(&empty, &t) != 0 && errno == EINTR)
        ;
}

static void wait_cond(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    on_its_way = 1;
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
}

static void wait_cond_timed(void)
{
    const struct timespec t = far();

    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    on_its_way = 1;
    while (pthread_cond_timedwait(&cond, &mutex, &t) == 0) /* a handler ends it, too */
        ;
    pthread_cleanup_pop(1);
}

static void wait_join(void)
{
    on_its_way = 1;
    pthread_join(other, NULL);
}

static void wait_sleep(void)
{
    on_its_way = 1;
    while (sleep(2) != 0) /* what is left, after a handler */
        ;
}

static void wait_signal(void)
{
    sigset_t set;
    int sig;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    on_its_way = 1;
    sigwait(&set, &sig);
}

/* Without a call that could be a cancellation point. */
static void compute(void)
{
    volatile double x = 1.0;

    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cleanup_push(unlock, &mutex);
    pthread_mutex_lock(&mutex);
    on_its_way = 1;
    for (;;)
        x = x * 0.5 + 1.0;
    pthread_cleanup_pop(1);
}

/* Requested while it was off or deferred: acts where it may. */
static void compute_later(void)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cleanup_push(unlock, &mutex);
    pthread_mutex_lock(&mutex);
    on_its_way = 1;
    for (volatile int i = 0; i < 30; i++)
        ;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    for (;;)
        ;
    pthread_cleanup_pop(1);
}

/* A condition's mutex is locked when clean-up handlers run, also then. */
static void wait_cond_anywhere(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    on_its_way = 1;
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
}

/* Nothing of it waits, and all of it is a cancellation point. */
static void write_on(void)
{
    on_its_way = 1;
    for (;;) {
        if (write(STDOUT_FILENO, "", 0) != 0)
            break;
    }
}

static void poll_on(void)
{
    on_its_way = 1;
    for (;;)
        (void)poll(NULL, 0, 0);
}

/* A stream is never left locked: main writes to it, too. */
static void print_on(void)
{
    on_its_way = 1;
    for (;;) {
        fputs(".", stderr);
        pthread_testcancel();
    }
}

static const struct {
    const char *name;
    void (*wait)(void);
    bool cleans_up;
} ways[] = {
    {"sem_wait", wait_sem, false},
    {"sem_wait, free", wait_full, false},
    {"sem_timedwait", wait_sem_timed, false},
    {"pthread_cond_wait", wait_cond, true},
    {"pthread_cond_timedwait", wait_cond_timed, true},
    {"pthread_join", wait_join, false},
    {"sleep", wait_sleep, false},
    {"sigwait", wait_signal, false},
    {"write", write_on, false},
    {"poll", poll_on, false},
    {"fputs", print_on, false},
    {"asynchronous", compute, true},
    {"asynchronous, later", compute_later, true},
    {"asynchronous, pthread_cond_wait", wait_cond_anywhere, true},
};

static void *go(void *arg)
{
    ways[(intptr_t)arg].wait();
    return NULL;
}

static void *be_joined(void *arg)
{
    sem_wait(&release);
    return arg;
}

static void nothing(int sig)
{
    (void)sig;
}

static int try(int way, int delay)
{
    pthread_t t;
    void *value;

    on_its_way = 0;
    unlocked = 0;
    pthread_create(&t, NULL, go, (void *)(intptr_t)way);
    while (!on_its_way)
        sched_yield();
    for (volatile int i = 0; i < delay; i++)
        ;
    if (delay % 2 != 0 && pthread_kill(t, SIGUSR2) != 0)
        return 1;
    if (pthread_cancel(t) != 0 || pthread_join(t, &value) != 0)
        return 1;
    if (value != PTHREAD_CANCELED)
        printf("%s: not cancelled after %d\n", ways[way].name, delay);
    if (ways[way].cleans_up && (unlocked != 1 || pthread_mutex_trylock(&mutex) != 0)) {
        printf("%s: %d clean-ups\n", ways[way].name, unlocked);
        return 1;
    }
    if (ways[way].cleans_up)
        pthread_mutex_unlock(&mutex);
    if (ways[way].wait == print_on)
        fputs("\n", stderr);
    return value != PTHREAD_CANCELED;
}

/* ---- requests that have come before ------------------------------------------------------- */

static const char *const points[] = {"read",   "write",     "open",  "openat", "creat",  "close",
                                     "fsync",  "fdatasync", "fcntl", "pread",  "pwrite", "readv",
                                     "writev", "lockf",     "poll",  "select", "system", "wait",
                                     "msync",  "usleep",    NULL /* none */};
static volatile int requested;

static int call_point(int which)
{
    char byte = 0;
    struct iovec piece = {&byte, 0};
    struct timeval zero = {0};
    const struct flock lock = {.l_type = F_UNLCK};

    switch (which) {
    case 0:
        return (int)read(-1, &byte, 1);
    case 1:
        return (int)write(-1, &byte, 1);
    case 2:
        return open("no/file", O_RDONLY);
    case 3:
        return openat(AT_FDCWD, "no/file", O_RDONLY);
    case 4:
        return creat("no/file", 0600);
    case 5:
        return close(-1);
    case 6:
        return fsync(-1);
    case 7:
        return fdatasync(-1);
    case 8:
        return fcntl(-1, F_SETLKW, &lock);
    case 9:
        return (int)pread(-1, &byte, 1, 0);
    case 10:
        return (int)pwrite(-1, &byte, 1, 0);
    case 11:
        return (int)readv(-1, &piece, 1);
    case 12:
        return (int)writev(-1, &piece, 1);
    case 13:
        return lockf(-1, F_LOCK, 0);
    case 14:
        return poll(NULL, 0, 0);
    case 15:
        return select(0, NULL, NULL, NULL, &zero);
    case 16:
        return system(NULL);
    case 17:
        return (int)wait(NULL);
    case 18:
        return msync(NULL, 0, MS_SYNC);
    case 19:
        return usleep(0);
    default:
        return sched_yield();
    }
}

static void *come_to_point(void *arg)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    on_its_way = 1;
    while (!requested)
        sched_yield();
    (void)call_point((int)(intptr_t)arg); /* not while it is off */
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    (void)call_point((int)(intptr_t)arg);
    return NULL;
}

static int try_points(void)
{
    const int count = (int)(sizeof(points) / sizeof(points[0]));
    int failures = 0;

    for (int i = 0; i < count; i++) {
        pthread_t t;
        void *value;

        on_its_way = requested = 0;
        pthread_create(&t, NULL, come_to_point, (void *)(intptr_t)i);
        while (!on_its_way)
            sched_yield();
        pthread_cancel(t);
        requested = 1;
        pthread_join(t, &value);
        if ((value == PTHREAD_CANCELED) != (points[i] != NULL)) {
            printf("%s: %s\n", points[i] != NULL ? points[i] : "sched_yield",
                   value == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
            failures++;
        }
    }
    return failures;
}

/* A stream's function waits, and is cancelled there: the streams are free for the others. */
static ssize_t read_slowly(void *cookie, char *data, size_t size)
{
    (void)cookie;
    usleep(100);
    memset(data, 'a', size);
    return (ssize_t)size;
}

static void *read_stream(void *arg)
{
    FILE *f = fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_slowly});

    setvbuf(f, NULL, _IONBF, 0);
    on_its_way = 1;
    for (;;)
        (void)getc(f);
    return arg;
}

static int try_stream(void)
{
    void *value = NULL;
    pthread_t t;

    on_its_way = 0;
    pthread_create(&t, NULL, read_stream, NULL);
    while (!on_its_way)
        sched_yield();
    pthread_cancel(t);
    pthread_join(t, &value);
    printf("stream's function %s\n", value == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
    return value != PTHREAD_CANCELED;
}

int main(int argc, char **argv)
{
    const int count = (int)(sizeof(ways) / sizeof(ways[0]));
    int delays = 40, seed = 0, failures = 0, c;
    sigset_t set;
    void *value;

    while ((c = getopt(argc, argv, "s:n:")) != -1) {
        if (c == 's')
            seed = atoi(optarg);
        else
            delays = atoi(optarg);
    }
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = nothing, .sa_flags = SA_RESTART}, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sem_init(&empty, 0, 0);
    sem_init(&full, 0, 1);
    sem_init(&release, 0, 0);
    pthread_create(&other, NULL, be_joined, &release);
    for (int way = 0; way < count; way++) {
        for (int i = 0; i < delays; i++)
            failures += try(way, i + seed % 3);
    }
    failures += try_points();
    failures += try_stream();
    /* Who was to join it and was cancelled has left it to be joined. */
    sem_post(&release);
    if (pthread_join(other, &value) != 0 || value != &release)
        failures++;
    printf("pt_cancel: %s\n", failures == 0 ? "ok" : "failed");
    return failures != 0;
}
