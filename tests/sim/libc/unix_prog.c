/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues, contexts, requests in the background, sets of descriptors, walks: the same on both. */
#define _GNU_SOURCE
#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libintl.h>
#include <mqueue.h>
#include <nl_types.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SAY(call)                                                                                  \
    do {                                                                                           \
        const long r_ = (long)(call);                                                              \
        printf("%s: %ld %s\n", #call, r_, r_ < 0 ? strerror(errno) : "ok");                        \
    } while (0)

static void nap(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    (void)nanosleep(&t, NULL);
}

/* ---- queues --------------------------------------------------------------------------------- */

static volatile sig_atomic_t told, code, value;
static char queue[32]; /* its name: no other process's */

static void on_signal(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    told++;
    code = info->si_code;
    value = info->si_value.sival_int;
}

static void *sends_late(void *arg)
{
    nap(20);
    (void)mq_send(*(mqd_t *)arg, "late", 4, 1);
    return NULL;
}

static void *cancelled(void *arg)
{
    char text[64];

    (void)mq_receive(*(mqd_t *)arg, text, sizeof(text), NULL);
    return NULL;
}

/* A queue that could not be opened is not made. */
static void no_descriptor(void)
{
    const int from = dup(0);
    int to = from;
    int fd;

#ifndef __MPJOULE__
    (void)setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 1024});
#endif
    while ((fd = dup(0)) >= 0)
        to = fd;
    SAY(mq_open(queue, O_RDWR | O_CREAT, 0600, NULL));
    for (fd = from; fd <= to; fd++)
        (void)close(fd);
    SAY(mq_open(queue, O_RDWR));
}

static void queues(void)
{
    struct mq_attr attr = {.mq_maxmsg = 3, .mq_msgsize = 16};
    struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct timespec when;
    char text[64];
    unsigned priority;
    pthread_t t;
    void *r;
    mqd_t q;
    mqd_t other;

    (void)snprintf(queue, sizeof(queue), "/mpj_test%d", (int)getpid());
    (void)mq_unlink(queue);
    SAY(mq_open(queue, O_RDWR));
    no_descriptor();
    SAY(mq_open("mpj_test", O_RDWR | O_CREAT, 0600, &attr));
    q = mq_open(queue, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
    printf("opened %d\n", q != (mqd_t)-1);
    SAY(mq_open(queue, O_RDWR | O_CREAT | O_EXCL, 0600, &attr));
    other = mq_open(queue, O_RDWR | O_NONBLOCK);
    SAY(mq_send(q, "low", 3, 1));
    SAY(mq_send(q, "high", 4, 7));
    SAY(mq_send(q, "low again", 9, 1));
    SAY(mq_send(other, "full", 4, 1));
    SAY(mq_send(q, "much too long for it", 20, 1));
    SAY(mq_send(q, "x", 1, 40000));
    SAY(mq_getattr(other, &attr));
    printf("%ld %ld %ld %d\n", attr.mq_maxmsg, attr.mq_msgsize, attr.mq_curmsgs,
           attr.mq_flags == O_NONBLOCK);
    (void)clock_gettime(CLOCK_REALTIME, &when);
    when.tv_nsec = (when.tv_nsec + 20000000) % 1000000000;
    when.tv_sec += when.tv_nsec < 20000000;
    SAY(mq_timedsend(q, "late", 4, 1, &when));
    SAY(mq_receive(q, text, 5, &priority));
    for (int i = 0; i < 3; i++) {
        const int n = (int)mq_receive(q, text, sizeof(text), &priority);
        printf("%.*s, %u\n", n, text, priority);
    }
    SAY(mq_receive(other, text, sizeof(text), NULL));
    SAY(mq_timedreceive(q, text, sizeof(text), NULL, &(struct timespec){0, -1}));
    SAY(mq_timedreceive(q, text, sizeof(text), NULL, &(struct timespec){0, 0}));
    (void)pthread_create(&t, NULL, sends_late, &q);
    SAY(mq_receive(q, text, sizeof(text), NULL));
    (void)pthread_join(t, NULL);
    (void)sigaction(SIGUSR1, &act, NULL);
    event.sigev_value.sival_int = 42;
    SAY(mq_notify(q, &event));
    SAY(mq_notify(other, &event));
    SAY(mq_send(q, "told", 4, 0));
    printf("told %d, by a message %d, %d\n", (int)told, code == SI_MESGQ, (int)value);
    SAY(mq_send(q, "once", 4, 0));
    printf("told %d\n", (int)told);
    SAY(mq_receive(q, text, sizeof(text), NULL));
    SAY(mq_receive(q, text, sizeof(text), NULL));
    (void)pthread_create(&t, NULL, cancelled, &q);
    nap(10);
    (void)pthread_cancel(t);
    (void)pthread_join(t, &r);
    printf("cancelled %d\n", r == PTHREAD_CANCELED);
    SAY(mq_unlink(queue));
    SAY(mq_unlink(queue));
    SAY(mq_send(q, "still", 5, 0));
    SAY(mq_receive(other, text, sizeof(text), NULL));
    SAY(mq_close(q));
    SAY(mq_close(q));
    SAY(mq_close(other));
}

/* ---- contexts ------------------------------------------------------------------------------- */

static ucontext_t home, one, two;
static double sum;

static void worker(int a, int b, int c, int d, int e, int f)
{
    double x = a;

    printf("worker %d %d %d %d %d %d\n", a, b, c, d, e, f);
    for (int i = 0; i < 3; i++) {
        x = x * 1.5 + b; /* in a register that has to be kept */
        (void)swapcontext(a == 1 ? &one : &two, a == 1 ? &two : &one);
        printf("worker %d: %.3f\n", a, x);
    }
    sum += x;
}

static void contexts(void)
{
    static char stack[2][65536];
    volatile int times = 0;
    ucontext_t here;
    double kept = 0.25;
    sigset_t set, now;

    (void)getcontext(&one);
    one.uc_stack.ss_sp = stack[0];
    one.uc_stack.ss_size = sizeof(stack[0]);
    one.uc_link = &two;
    makecontext(&one, (void (*)(void))worker, 6, 1, 2, 3, 4, 5, 6);
    (void)getcontext(&two);
    two.uc_stack.ss_sp = stack[1];
    two.uc_stack.ss_size = sizeof(stack[1]);
    two.uc_link = &home;
    makecontext(&two, (void (*)(void))worker, 6, 2, 3, 4, 5, 6, 7);
    SAY(swapcontext(&home, &one));
    printf("sum %.3f, kept %.2f\n", sum, kept);
    sigemptyset(&set);
    (void)getcontext(&here);
    (void)sigprocmask(SIG_SETMASK, NULL, &now);
    printf("time %d, blocked %d\n", times, sigismember(&now, SIGUSR2));
    sigaddset(&set, SIGUSR2);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    if (times++ < 2)
        (void)setcontext(&here);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- in the background ---------------------------------------------------------------------- */

static int wait_until_done(struct aiocb *r)
{
    const struct aiocb *const list[] = {r};

    while (aio_error(r) == EINPROGRESS)
        (void)aio_suspend(list, 1, NULL);
    return aio_error(r);
}

static void background(void)
{
    char text[20] = {0};
    const int fd = open("aio.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct aiocb w = {.aio_fildes = fd, .aio_buf = "0123456789", .aio_nbytes = 10};
    struct aiocb r = {.aio_fildes = fd, .aio_buf = text, .aio_nbytes = 4, .aio_offset = 3};
    struct aiocb bad = {.aio_fildes = 77, .aio_buf = text, .aio_nbytes = 4};
    struct aiocb *list[] = {&w, &r, NULL};

    w.aio_sigevent.sigev_notify = r.aio_sigevent.sigev_notify = SIGEV_NONE;
    bad.aio_sigevent.sigev_notify = SIGEV_NONE;
    SAY(aio_write(&w));
    SAY(wait_until_done(&w));
    SAY(aio_return(&w));
    SAY(aio_read(&r));
    SAY(wait_until_done(&r));
    SAY(aio_return(&r));
    printf("%s\n", text);
    SAY(aio_cancel(fd, &r) == AIO_ALLDONE);
    if (aio_read(&bad) == 0)
        printf("bad: %s\n", strerror(wait_until_done(&bad)));
    w.aio_lio_opcode = LIO_WRITE;
    w.aio_offset = 10;
    r.aio_lio_opcode = LIO_READ;
    SAY(lio_listio(LIO_WAIT, list, 3, NULL));
    SAY(lseek(fd, 0, SEEK_END));
    told = 0;
    r.aio_sigevent = (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    SAY(aio_read(&r));
    while (told == 0)
        nap(1);
    printf("told, by a request %d\n", code == SI_ASYNCIO);
    (void)close(fd);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static int pipe_of[2], set;

static void *writes_late(void *arg)
{
    nap(20);
    (void)write(pipe_of[1], arg, 1);
    return NULL;
}

static void *adds_late(void *arg)
{
    struct epoll_event e = {.events = EPOLLOUT, .data.u32 = 9};

    (void)arg;
    nap(20);
    (void)epoll_ctl(set, EPOLL_CTL_ADD, pipe_of[1], &e);
    return NULL;
}

static void sets(void)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = 5};
    struct epoll_event got[4];
    pthread_t t;
    char c;
    int n;

    set = epoll_create1(EPOLL_CLOEXEC);
    if (pipe(pipe_of) != 0)
        abort();
    SAY(epoll_ctl(set, EPOLL_CTL_ADD, pipe_of[0], &e));
    SAY(epoll_ctl(set, EPOLL_CTL_ADD, pipe_of[0], &e));
    SAY(epoll_ctl(set, EPOLL_CTL_MOD, pipe_of[1], &e));
    SAY(epoll_ctl(set, EPOLL_CTL_ADD, 77, &e));
    SAY(epoll_wait(set, got, 4, 5));
    (void)pthread_create(&t, NULL, writes_late, "a");
    n = epoll_wait(set, got, 4, -1);
    printf("%d, %x, %u\n", n, got[0].events, got[0].data.u32);
    (void)pthread_join(t, NULL);
    SAY(read(pipe_of[0], &c, 1));
    e.events = EPOLLIN | EPOLLONESHOT;
    SAY(epoll_ctl(set, EPOLL_CTL_MOD, pipe_of[0], &e));
    SAY(write(pipe_of[1], "xy", 2));
    SAY(epoll_wait(set, got, 4, -1));
    SAY(epoll_wait(set, got, 4, 5)); /* only once */
    (void)pthread_create(&t, NULL, adds_late, NULL);
    n = epoll_wait(set, got, 4, -1); /* one that comes meanwhile */
    printf("%d, %x, %u\n", n, got[0].events, got[0].data.u32);
    (void)pthread_join(t, NULL);
    SAY(epoll_ctl(set, EPOLL_CTL_DEL, pipe_of[1], NULL));
    SAY(epoll_ctl(set, EPOLL_CTL_DEL, pipe_of[1], NULL));
    (void)close(pipe_of[0]);
    SAY(epoll_wait(set, got, 4, 5));
    SAY(epoll_wait(set, got, 0, 5));
    SAY(epoll_wait(pipe_of[1], got, 4, 5));
    (void)close(pipe_of[1]);
    SAY(close(set));
}

/* Whose numbers are used again, and whose descriptions other descriptors keep. */
static void closed_ones(void)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = 1};
    struct epoll_event got[4];
    int a = eventfd(1, 0);
    int b;
    int n;

    set = epoll_create1(0);
    SAY(epoll_ctl(set, EPOLL_CTL_ADD, a, &e));
    (void)close(a);
    n = eventfd(1, 0);
    printf("the same number %d\n", n == a);
    SAY(epoll_wait(set, got, 4, 0));
    SAY(epoll_ctl(set, EPOLL_CTL_DEL, a, NULL));
    e.data.u32 = 2;
    SAY(epoll_ctl(set, EPOLL_CTL_ADD, a, &e));
    n = epoll_wait(set, got, 4, 0);
    printf("%d, %u\n", n, got[0].data.u32);
    b = dup(a);
    (void)close(a);
    n = epoll_wait(set, got, 4, 0); /* b has it still */
    printf("%d, %u\n", n, got[0].data.u32);
    n = eventfd(0, 0);
    printf("the same number %d\n", n == a);
    e.data.u32 = 3;
    SAY(epoll_ctl(set, EPOLL_CTL_ADD, a, &e));
    SAY(eventfd_write(b, 1));
    n = epoll_wait(set, got, 4, 0);
    printf("%d, %u\n", n, got[0].data.u32);
    (void)close(b);
    SAY(epoll_wait(set, got, 4, 0));
    (void)close(a);
    SAY(epoll_wait(set, got, 4, 5));
    SAY(close(set));
}

/* One at a time, all have their turn. */
static void turns(void)
{
    struct epoll_event e = {.events = EPOLLIN};
    struct epoll_event got;
    int fd[3];

    set = epoll_create1(0);
    for (unsigned i = 0; i < 3; i++) {
        fd[i] = eventfd(1, 0);
        e.data.u32 = i;
        SAY(epoll_ctl(set, EPOLL_CTL_ADD, fd[i], &e));
    }
    for (int i = 0; i < 7; i++) {
        const int n = epoll_wait(set, &got, 1, 0);

        printf("%d, %u\n", n, got.data.u32);
    }
    for (int i = 0; i < 3; i++)
        (void)close(fd[i]);
    SAY(close(set));
}

/* ---- the rest ----------------------------------------------------------------------------------
 */

static int sees(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    printf("%s: %s, %d\n", path + where->base,
           kind == FTW_F   ? "file"
           : kind == FTW_D ? "folder"
                           : "after",
           where->level);
    return 0;
}

static void little(void)
{
    struct termios settings;
    int in, out;
    off_t from = 2;

    (void)mkdir("walk", 0700);
    (void)mkdir("walk/sub", 0700);
    out = open("walk/sub/leaf", O_RDWR | O_CREAT | O_TRUNC, 0600);
    SAY(write(out, "abcdef", 6));
    SAY(nftw("walk", sees, 4, FTW_PHYS));
    SAY(nftw("walk", sees, 4, FTW_PHYS | FTW_DEPTH));
    SAY(nftw("nowhere", sees, 4, 0));
    in = open("walk/sub/leaf", O_RDONLY);
    SAY(sendfile(out, in, &from, 3));
    printf("from %ld\n", (long)from);
    SAY(sendfile(out, in, NULL, 100) > 0);
    SAY(lseek(in, 0, SEEK_CUR) == lseek(out, 0, SEEK_END));
    if (pipe(pipe_of) != 0)
        abort();
    SAY(write(pipe_of[1], "abc", 3));
    SAY(sendfile(out, pipe_of[0], NULL, 3));
    (void)close(pipe_of[0]);
    (void)close(pipe_of[1]);
    SAY(tcgetattr(in, &settings));
    SAY(tcgetattr(77, &settings));
    (void)close(in);
    (void)close(out);
    printf("%s %s\n", gettext("as it is"), ngettext("one", "many", 2));
    printf("%d\n", catopen("none", 0) == (nl_catd)-1);
    printf("%d\n", dlopen("none.so", RTLD_NOW) == NULL && dlerror() != NULL);
    SAY(setlogmask(LOG_UPTO(LOG_INFO)));
}

int main(void)
{
    queues();
    contexts();
    background();
    sets();
    closed_ones();
    turns();
    little();
    return 0;
}
