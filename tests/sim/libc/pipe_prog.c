/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that talk by pipes, sockets and counters: the same lines on Linux and on the target. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "../await.h"

#define MANY 300000U

static int fd[2];
static volatile sig_atomic_t handled;
static volatile pid_t waiter; /* a thread that has begun and will wait */

static const char *why(long r)
{
    return r < 0 ? strerror(errno) : "ok";
}

#define SAY(call)                                                                                  \
    do {                                                                                           \
        const long r_ = (long)(call);                                                              \
        printf("%s: %ld %s\n", #call, r_, why(r_));                                                \
    } while (0)

static void nap(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    (void)nanosleep(&t, NULL);
}

static pthread_t begin(void *(*fn)(void *), void *arg)
{
    pthread_t t;

    if (pthread_create(&t, NULL, fn, arg) != 0)
        abort();
    return t;
}

static void on_signal(int sig)
{
    (void)sig;
    handled++;
}

static void handle(int sig, int flags)
{
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = flags};

    (void)sigaction(sig, &a, NULL);
}

static void fresh(int flags)
{
    if (pipe2(fd, flags) != 0)
        abort();
}

static void done(void)
{
    (void)close(fd[0]);
    (void)close(fd[1]);
}

/* ---- producer and consumer ---------------------------------------------------------------------
 */

static void *produce(void *arg)
{
    uint8_t *const data = malloc(MANY);

    (void)arg;
    for (unsigned i = 0; i < MANY; i++)
        data[i] = (uint8_t)(i * 7U);
    printf("wrote %zd\n", write(fd[1], data, MANY)); /* more than fits */
    (void)close(fd[1]);
    free(data);
    return NULL;
}

static void flow(void)
{
    uint8_t data[1000];
    size_t all = 0;
    unsigned bad = 0;
    pthread_t t;
    ssize_t n;

    fresh(0);
    t = begin(produce, NULL);
    while ((n = read(fd[0], data, sizeof(data))) > 0) {
        for (ssize_t i = 0; i < n; i++)
            bad += data[i] != (uint8_t)((all + (size_t)i) * 7U);
        all += (size_t)n;
    }
    pthread_join(t, NULL);
    printf("read %zu, end %zd, wrong %u\n", all, n, bad);
    (void)close(fd[0]);
}

/* Lines of several threads are whole. */
static void *lines(void *arg)
{
    char line[64];

    for (int i = 0; i < 500; i++) {
        const int n = snprintf(line, sizeof(line), "%c%050d\n", (char)('a' + (intptr_t)arg), i);
        if (write(fd[1], line, (size_t)n) != n)
            printf("short line\n");
    }
    return NULL;
}

static void atoms(void)
{
    pthread_t t[4];
    int next[4] = {0};
    unsigned count = 0;
    unsigned bad = 0;
    char line[64];
    FILE *f;

    fresh(0);
    for (intptr_t i = 0; i < 4; i++)
        t[i] = begin(lines, (void *)i);
    f = fdopen(fd[0], "r");
    while (count < 2000 && fgets(line, sizeof(line), f) != NULL) {
        const unsigned who = (unsigned)(line[0] - 'a');
        bad += who > 3U || strlen(line) != 52U || atoi(line + 1) != next[who & 3U]++;
        count++;
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%u lines, %u wrong\n", count, bad);
    (void)close(fd[1]);
    printf("end %d\n", getc(f));
    printf("ungetc %d\n", ungetc('x', f));
    printf("getc %d\n", getc(f));
    (void)fclose(f);
}

/* A stream that waits does not stop others. */
static void *answer(void *arg)
{
    int *const s = arg;
    FILE *const in = fdopen(dup(s[1]), "r");
    FILE *const out = fdopen(s[1], "w");
    char line[100];

    while (fgets(line, sizeof(line), in) != NULL) {
        fprintf(out, "<%s>\n", strtok(line, "\n"));
        fflush(out);
    }
    (void)fclose(in);
    (void)fclose(out);
    return NULL;
}

static void talk(void)
{
    int s[2];
    char line[100];
    pthread_t t;
    FILE *in;
    FILE *out;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) != 0)
        abort();
    t = begin(answer, s);
    in = fdopen(dup(s[0]), "r");
    out = fdopen(s[0], "w");
    for (int i = 0; i < 3; i++) {
        fprintf(out, "question %d\n", i);
        fflush(out);
        printf("%s", fgets(line, sizeof(line), in));
    }
    SAY(shutdown(fileno(out), SHUT_WR));
    printf("after %p\n", (void *)fgets(line, sizeof(line), in));
    pthread_join(t, NULL);
    (void)fclose(in);
    (void)fclose(out);
}

/* Two threads read one stream, another prints more than fits. */
static void *reads_stream(void *arg)
{
    char line[64];
    intptr_t n = 0;

    while (fgets(line, sizeof(line), arg) != NULL)
        n += strlen(line) == 10U;
    return (void *)n;
}

static void *prints_stream(void *arg)
{
    FILE *const f = fdopen(fd[1], "w");

    (void)arg;
    for (int i = 0; i < 20000; i++)
        fprintf(f, "%09d\n", i);
    (void)fclose(f);
    return NULL;
}

static void shared_stream(void)
{
    void *n[2];
    pthread_t t[3];
    FILE *f;

    fresh(0);
    f = fdopen(fd[0], "r");
    t[0] = begin(reads_stream, f);
    t[1] = begin(reads_stream, f);
    nap(5);
    t[2] = begin(prints_stream, NULL);
    (void)pthread_join(t[0], &n[0]);
    (void)pthread_join(t[1], &n[1]);
    (void)pthread_join(t[2], NULL);
    printf("lines of a shared stream: %ld\n", (long)((intptr_t)n[0] + (intptr_t)n[1]));
    (void)fclose(f);
}

/* ---- what a pipe is ----------------------------------------------------------------------------
 */

static void facts(void)
{
    char data[PIPE_BUF];
    struct stat st;
    int other;
    int n;
    long all = 0;

    memset(data, 'x', sizeof(data));
    SAY(pipe2(fd, 0x7));
    fresh(O_NONBLOCK | O_CLOEXEC);
    printf("%d %d %d\n", fcntl(fd[0], F_GETFD), (fcntl(fd[0], F_GETFL) & O_NONBLOCK) != 0,
           fcntl(fd[1], F_GETFL) & O_ACCMODE);
    SAY(read(fd[0], data, 1));
    SAY(read(fd[0], data, 0));
    SAY(write(fd[0], data, 1));
    SAY(read(fd[1], data, 1));
    SAY(lseek(fd[0], 0, SEEK_CUR));
    SAY(pread(fd[0], data, 1, 0));
    SAY(ftruncate(fd[1], 0));
    SAY(isatty(fd[0]));
    SAY(fstat(fd[0], &st));
    printf("fifo %d, mode %o\n", S_ISFIFO(st.st_mode), (unsigned)st.st_mode & 0777U);
    while ((n = (int)write(fd[1], data, sizeof(data))) > 0)
        all += n;
    printf("%ld fit, then %s\n", all, why(n));
    SAY(ioctl(fd[0], FIONREAD, &n));
    printf("%d to read\n", n);
    SAY(read(fd[0], data, 100));
    SAY(write(fd[1], data, sizeof(data))); /* all or nothing */
    other = dup(fd[1]);
    SAY(close(fd[1]));
    SAY(close(fd[1]));
    while (read(fd[0], data, sizeof(data)) > 0)
        ;
    printf("%s\n", why(-1));
    SAY(write(other, "ab", 2));
    SAY(dup2(other, fd[1]) == fd[1] ? 0 : -1);
    SAY(close(other));
    SAY(read(fd[0], data, 10));
    SAY(close(fd[1]));
    SAY(read(fd[0], data, 10));
    n = 0;
    SAY(ioctl(fd[0], FIONBIO, &n));
    printf("%d\n", (fcntl(fd[0], F_GETFL) & O_NONBLOCK) != 0);
    SAY(close(fd[0]));
    SAY(read(fd[0], data, 1));
}

static void broken(void)
{
    fresh(0);
    (void)close(fd[0]);
    (void)signal(SIGPIPE, SIG_IGN);
    SAY(write(fd[1], "x", 1));
    handled = 0;
    handle(SIGPIPE, 0);
    SAY(write(fd[1], "x", 1));
    printf("SIGPIPE %d\n", (int)handled);
    (void)close(fd[1]);
}

/* ---- what ends a wait ---------------------------------------------------------------------------
 */

static void *late(void *arg)
{
    nap(20);
    if (arg == NULL)
        (void)close(fd[1]);
    else
        (void)write(fd[1], arg, strlen(arg));
    return NULL;
}

static void *reads(void *arg)
{
    char data[8];
    ssize_t n;

    (void)arg;
    waiter = gettid();
    n = read(fd[0], data, sizeof(data));
    return (void *)(intptr_t)(n < 0 ? -errno : n);
}

static void *fills(void *arg)
{
    char data[4096] = {0};
    long all = 0;

    waiter = gettid();
    for (;;) {
        const ssize_t n = write(fd[1], data, sizeof(data));
        if (n < 0)
            return (void *)(intptr_t)-errno;
        all += n;
        *(volatile long *)arg = all;
    }
}

/* Returns when the thread waits. */
static pthread_t begin_waiter(void *(*fn)(void *), void *arg)
{
    pthread_t t;

    waiter = 0;
    t = begin(fn, arg);
    await_wait(&waiter);
    return t;
}

static void interrupted(const char *name, int flags, void *(*fn)(void *), int wanted)
{
    long all = 0;
    void *r;
    pthread_t t;

    fresh(0);
    handle(SIGUSR1, flags);
    handled = 0;
    t = begin_waiter(fn, &all);
    pthread_kill(t, SIGUSR1);
    while (handled == 0)
        nap(1);
    await_wait(&waiter); /* again, or it has ended */
    if (fn == fills)
        (void)close(fd[0]);
    else
        (void)write(fd[1], "ab", 2);
    pthread_join(t, &r);
    printf("%s: %s, handlers %d, %ld\n", name, (intptr_t)r == wanted ? "as wanted" : "not",
           (int)handled, all);
    done();
}

static void says(void *text)
{
    puts(text);
}

static void *cancelled(void *arg)
{
    char data[4096] = {0};

    pthread_cleanup_push(says, "clean-up");
    waiter = gettid();
    if (arg == NULL)
        (void)read(fd[0], data, 1);
    else if (arg == (void *)1)
        for (;;)
            (void)write(fd[1], data, sizeof(data));
    else
        (void)poll(&(struct pollfd){.fd = fd[0], .events = POLLIN}, 1, -1);
    pthread_cleanup_pop(0);
    return NULL;
}

static void ends(void)
{
    void *r;
    pthread_t t;

    fresh(0);
    t = begin(late, NULL);
    SAY(read(fd[0], (char[4]){0}, 4)); /* the last writer closes */
    pthread_join(t, NULL);
    done();
    interrupted("EINTR", 0, reads, -EINTR);
    interrupted("SA_RESTART", SA_RESTART, reads, 2);
    interrupted("write: EINTR", 0, fills, -EINTR);
    (void)signal(SIGPIPE, SIG_IGN);
    interrupted("write: EPIPE", SA_RESTART, fills, -EPIPE);
    for (intptr_t i = 0; i < 3; i++) {
        fresh(0);
        t = begin_waiter(cancelled, (void *)i);
        pthread_cancel(t);
        pthread_join(t, &r);
        printf("cancelled %d\n", r == PTHREAD_CANCELED);
        done();
    }
    /* Who reads goes on when another closes the descriptor. */
    fresh(0);
    t = begin_waiter(reads, NULL);
    (void)close(fd[0]);
    printf("to a closed one: %zd\n", write(fd[1], "abc", 3));
    pthread_join(t, &r);
    printf("read %ld\n", (long)(intptr_t)r);
    (void)close(fd[1]);
}

/* ---- one of several -----------------------------------------------------------------------------
 */

static void show(const char *name, int r, const struct pollfd *p, int n)
{
    printf("%s: %d", name, r);
    for (int i = 0; i < n; i++)
        printf(" %x", (unsigned)(unsigned short)p[i].revents);
    printf("\n");
}

static void *interrupts(void *arg)
{
    await_wait(&waiter);
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    return NULL;
}

static void polls(void)
{
    char data[PIPE_BUF] = {0};
    const int file = open("polled.txt", O_CREAT | O_RDWR | O_TRUNC, 0600);
    pthread_t self = pthread_self();
    struct pollfd p[5];
    struct timespec soon = {0, 10000000};
    sigset_t set, old;
    int other[2];
    pthread_t t;

    fresh(0);
    if (pipe(other) != 0)
        abort();
    p[0] = (struct pollfd){.fd = fd[0], .events = POLLIN};
    p[1] = (struct pollfd){.fd = fd[1], .events = POLLOUT};
    p[2] = (struct pollfd){.fd = other[0], .events = POLLIN};
    p[3] = (struct pollfd){.fd = -1, .events = POLLIN};
    p[4] = (struct pollfd){.fd = file, .events = POLLIN | POLLOUT};
    show("at once", poll(p, 5, -1), p, 5);
    p[1].events = 0;
    p[4].events = 0;
    show("none", poll(p, 4, 10), p, 4);
    show("none of time", ppoll(p, 4, &soon, NULL), p, 4);
    t = begin(late, "x");
    show("woken", poll(p, 4, -1), p, 4);
    pthread_join(t, NULL);
    (void)read(fd[0], data, 1);
    fcntl(fd[1], F_SETFL, O_NONBLOCK);
    while (write(fd[1], data, sizeof(data)) > 0)
        ;
    p[1].events = POLLOUT;
    show("full", poll(p, 2, 0), p, 2);
    show("not to write", poll(p + 1, 1, 5), p + 1, 1);
    (void)read(fd[0], data, sizeof(data));
    show("to write", poll(p + 1, 1, -1), p + 1, 1);
    handle(SIGUSR1, SA_RESTART);
    waiter = 0;
    t = begin(interrupts, &self);
    waiter = gettid();
    SAY(poll(p + 2, 1, -1)); /* whatever SA_RESTART says */
    pthread_join(t, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    raise(SIGUSR1);
    sigemptyset(&set);
    handled = 0;
    SAY(ppoll(p + 2, 1, NULL, &set));
    printf("handled %d\n", (int)handled);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)close(other[1]);
    show("hung up", poll(p + 2, 1, -1), p + 2, 1);
    (void)close(fd[0]);
    show("no reader", poll(p, 2, -1), p, 2);
    (void)close(fd[1]);
    show("closed", poll(p, 2, -1), p, 2);
    (void)close(other[0]);
    (void)close(file);
}

static void selects(void)
{
    struct timeval limit = {0, 20000};
    struct timespec short_time = {0, 1000000};
    fd_set in, out;
    pthread_t t;

    fresh(0);
    FD_ZERO(&in);
    FD_SET(fd[0], &in);
    SAY(select(fd[0] + 1, &in, NULL, NULL, &limit));
    printf("left %ld, set %d\n", (long)limit.tv_usec, FD_ISSET(fd[0], &in) != 0);
    FD_SET(fd[0], &in);
    FD_ZERO(&out);
    FD_SET(fd[1], &out);
    SAY(select(fd[1] + 1, &in, &out, NULL, NULL));
    printf("in %d out %d\n", FD_ISSET(fd[0], &in) != 0, FD_ISSET(fd[1], &out) != 0);
    FD_SET(fd[0], &in);
    SAY(pselect(fd[0] + 1, &in, NULL, NULL, &short_time, NULL));
    t = begin(late, "xy");
    FD_ZERO(&in);
    FD_SET(fd[0], &in);
    limit = (struct timeval){100, 0};
    SAY(select(fd[0] + 1, &in, NULL, NULL, &limit));
    printf("set %d, less %d\n", FD_ISSET(fd[0], &in) != 0, limit.tv_sec < 100);
    pthread_join(t, NULL);
    limit = (struct timeval){0, 0};
    SAY(select(fd[0] + 1, &in, NULL, NULL, &limit));
    done();
    SAY(select(fd[0] + 1, &in, NULL, NULL, &limit));
    SAY(select(-1, &in, NULL, NULL, &limit));
    SAY(select(0, NULL, NULL, NULL, &(struct timeval){0, 1000}));
}

/* ---- sockets and counters
 * ------------------------------------------------------------------------ */

static void sockets(void)
{
    char data[100];
    struct stat st;
    struct pollfd p;
    struct iovec part[2] = {{data, 2}, {data + 50, 10}};
    struct msghdr m = {.msg_iov = part, .msg_iovlen = 2};
    int type;
    socklen_t n = sizeof(type);
    int s[2];

    SAY(socketpair(AF_UNIX, 77, 0, s) < 0);
    SAY(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s));
    SAY(fstat(s[0], &st));
    printf("socket %d\n", S_ISSOCK(st.st_mode));
    SAY(recv(s[0], data, 1, 0));
    SAY(send(s[0], "hello", 5, 0));
    SAY(recv(s[1], data, 3, MSG_PEEK));
    SAY(recvmsg(s[1], &m, 0));
    printf("%.2s%.3s\n", data, data + 50);
    SAY(getsockopt(s[0], SOL_SOCKET, SO_TYPE, &type, &n));
    printf("stream %d, length %d\n", type == SOCK_STREAM, (int)n);
    p = (struct pollfd){.fd = s[0], .events = POLLIN | POLLOUT | POLLRDHUP};
    show("socket", poll(&p, 1, -1), &p, 1);
    SAY(shutdown(s[1], SHUT_WR));
    show("half", poll(&p, 1, -1), &p, 1);
    SAY(read(s[0], data, 1));
    SAY(write(s[0], "x", 1));
    SAY(read(s[1], data, 1));
    SAY(close(s[1]));
    show("gone", poll(&p, 1, -1), &p, 1);
    SAY(send(s[0], "x", 1, MSG_NOSIGNAL));
    (void)close(s[0]);
    SAY(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
    SAY(write(s[0], "first", 5));
    SAY(write(s[0], "second one", 10));
    SAY(ioctl(s[1], FIONREAD, &type));
    printf("%d to read\n", type);
    SAY(recv(s[1], data, 3, 0));
    SAY(recv(s[1], data, sizeof(data), MSG_DONTWAIT));
    SAY(recv(s[1], data, sizeof(data), MSG_DONTWAIT));
    (void)close(s[0]);
    (void)close(s[1]);
    SAY(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s));
    SAY(write(s[0], "first", 5));
    SAY(write(s[0], "second one", 10));
    SAY(ioctl(s[1], FIONREAD, &type));
    printf("%d to read\n", type);
    (void)close(s[0]);
    (void)close(s[1]);
    SAY(send(1, "x", 1, 0));
    SAY(shutdown(-1, SHUT_RD));
}

static void *counts(void *arg)
{
    const uint64_t three = 3;

    nap(10);
    (void)write(*(int *)arg, &three, sizeof(three));
    return NULL;
}

static void *expires(void *arg)
{
    uint64_t n = 0;
    const ssize_t r = read(*(int *)arg, &n, sizeof(n));

    return (void *)(intptr_t)(r == (ssize_t)sizeof(n) ? n != 0 : -1);
}

/* A timer that is set wakes all who wait for it. */
static void two_wait(void)
{
    const struct itimerspec when = {{0, 20000000}, {0, 5000000}};
    pthread_t t[2];
    void *r[2];
    int e = timerfd_create(CLOCK_MONOTONIC, 0);

    t[0] = begin(expires, &e);
    t[1] = begin(expires, &e);
    nap(20);
    SAY(timerfd_settime(e, 0, &when, NULL));
    pthread_join(t[0], &r[0]);
    pthread_join(t[1], &r[1]);
    printf("expired for %d and %d\n", (int)(intptr_t)r[0], (int)(intptr_t)r[1]);
    (void)close(e);
}

static void counters(void)
{
    uint64_t n = 5;
    struct itimerspec when = {{0, 5000000}, {0, 10000000}};
    struct pollfd p;
    pthread_t t;
    int e = eventfd(0, 0);

    t = begin(counts, &e);
    SAY(read(e, &n, sizeof(n)));
    printf("%d\n", (int)n);
    pthread_join(t, NULL);
    SAY(read(e, &n, 4));
    p = (struct pollfd){.fd = e, .events = POLLIN | POLLOUT};
    show("eventfd", poll(&p, 1, 0), &p, 1);
    SAY(eventfd_write(e, 7));
    show("eventfd", poll(&p, 1, 0), &p, 1);
    (void)close(e);
    e = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
    SAY(read(e, &n, sizeof(n)));
    SAY(read(e, &n, sizeof(n)));
    SAY(read(e, &n, sizeof(n)));
    n = UINT64_MAX;
    SAY(write(e, &n, sizeof(n)));
    (void)close(e);
    e = timerfd_create(CLOCK_MONOTONIC, 0);
    SAY(timerfd_settime(e, 0, &when, NULL));
    SAY(read(e, &n, sizeof(n)));
#ifndef __MPJOULE__
    n = n >= 1; /* a busy machine may wake late */
#endif
    printf("%d\n", (int)n);
    p = (struct pollfd){.fd = e, .events = POLLIN};
    show("timerfd", poll(&p, 1, -1), &p, 1);
    nap(12);
    SAY(read(e, &n, sizeof(n)));
    printf("several %d\n", n >= 2);
    SAY(timerfd_settime(e, 0, &(struct itimerspec){0}, &when));
    printf("interval %ld\n", (long)when.it_interval.tv_nsec);
    show("disarmed", poll(&p, 1, 7), &p, 1);
    (void)close(e);
}

int main(void)
{
    flow();
    atoms();
    talk();
    shared_stream();
    facts();
    broken();
    ends();
    polls();
    selects();
    sockets();
    counters();
    two_wait();
    return 0;
}
