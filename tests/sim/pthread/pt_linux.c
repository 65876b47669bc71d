/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals, timers, processor time, mappings and the like, as threaded programs for Linux use them.
 * Prints the same lines on Linux and on the target.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if !defined(__linux__) || !defined(__unix__)
#error programs choose by these
#endif

static volatile sig_atomic_t got, ticks;
static sigset_t set;
static int waited;

static void on_signal(int sig)
{
    got = sig;
}

static void on_tick(int sig)
{
    (void)sig;
    ticks++;
}

static void on_info(int sig, siginfo_t *info, void *context)
{
    (void)context;
    got = info->si_signo * 10 + sig;
}

static void *wait_for_signals(void *arg)
{
    for (;;) {
        int sig;

        sigwait(&set, &sig);
        if (sig == SIGTERM)
            return NULL;
        waited += sig == SIGUSR2;
        sem_post(arg);
    }
}

static void handlers(void)
{
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sigemptyset(&act.sa_mask);
    sigaction(SIGUSR1, &act, NULL);
    raise(SIGUSR1);
    printf("raised %d\n", got == SIGUSR1);
    got = 0;
    kill(getpid(), SIGUSR1);
    printf("killed %d\n", got == SIGUSR1);
    act.sa_sigaction = on_info;
    act.sa_flags = SA_SIGINFO | (int)SA_RESETHAND;
    sigaction(SIGUSR1, &act, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
    printf("info %d\n", got == SIGUSR1 * 11);
    sigaction(SIGUSR1, NULL, &act);
    printf("reset %d\n", act.sa_handler == SIG_DFL);
    signal(SIGCHLD, on_signal);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    got = 0;
    raise(SIGCHLD);
    printf("blocked %d", got);
    sigpending(&set);
    printf(" %d", sigismember(&set, SIGCHLD) != 0);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    printf(" let in %d\n", got == SIGCHLD);
}

static void timers(void)
{
    struct itimerval every = {.it_interval.tv_usec = 5000, .it_value.tv_usec = 5000};
    unsigned left;

    signal(SIGALRM, on_signal);
    printf("alarm %u", alarm(100));
    left = alarm(1);
    printf(" left %d\n", left > 50 && left <= 100);
    while (got != SIGALRM) /* no pause(): the only signal may come before it */
        usleep(10000);
    signal(SIGALRM, on_tick);
    setitimer(ITIMER_REAL, &every, NULL);
    while (ticks < 5)
        pause();
    memset(&every, 0, sizeof(every));
    setitimer(ITIMER_REAL, &every, NULL);
    getitimer(ITIMER_REAL, &every);
    printf("ticks %d, off %d\n", ticks >= 5, !timerisset(&every.it_value));
}

static void signal_thread(void)
{
    const struct timespec soon = {.tv_nsec = 3000000};
    pthread_t thread;
    char name[32]; /* of this process: Linux knows it in all of them */
    sem_t *sem;
    int r;

    snprintf(name, sizeof(name), "/pt_linux.%d", getpid());
    sem_unlink(name);
    sem = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* so does the thread: masks are inherited */
    pthread_create(&thread, NULL, wait_for_signals, sem);
    kill(getpid(), SIGUSR2);
    sem_wait(sem);
    pthread_kill(thread, SIGUSR2);
    sem_wait(sem);
    pthread_kill(thread, SIGTERM);
    pthread_join(thread, NULL);
    printf("waited %d\n", waited);
    r = sem_open(name, O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED;
    printf("exists %d %d\n", r, errno == EEXIST);
    printf("same %d\n", sem_open(name, 0) == sem);
    sem_close(sem);
    sem_close(sem);
    r = sem_unlink(name);
    printf("unlinked %d %d", r, sem_open(name, 0) == SEM_FAILED);
    printf(" %d\n", errno == ENOENT);
    r = sigtimedwait(&set, NULL, &soon);
    printf("none %d %d\n", r, errno == EAGAIN);
}

static double ms_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static sem_t seen;

struct times {
    double ran, slept;
};

/* Works for 10 ms of its own or somewhat more: what a virtual machine's host takes counts on Linux,
 * too. Sleeps for 30, and ends when its clock has been looked at. */
static void *work(void *arg)
{
    const double begin = ms_of(CLOCK_THREAD_CPUTIME_ID);
    struct times *const t = arg;
    double now;

    while ((now = ms_of(CLOCK_THREAD_CPUTIME_ID)) < begin + 10.0)
        ;
    usleep(30000);
    t->slept = ms_of(CLOCK_THREAD_CPUTIME_ID) - now;
    sem_wait(&seen);
    t->ran = ms_of(CLOCK_THREAD_CPUTIME_ID) - begin;
    return NULL;
}

static void processor_time(void)
{
    pthread_t thread[2];
    struct rusage usage;
    struct times t[2];
    double all = ms_of(CLOCK_PROCESS_CPUTIME_ID);
    double both;
    clock_t ticks_before = clock();
    clockid_t id;

    sem_init(&seen, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, &t[i]);
    printf("clock of another %d", pthread_getcpuclockid(thread[0], &id));
    printf(" %d\n", ms_of(id) >= 0.0);
    for (int i = 0; i < 2; i++)
        sem_post(&seen);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    all = ms_of(CLOCK_PROCESS_CPUTIME_ID) - all;
    both = t[0].ran + t[1].ran;
    printf("ran %d %d", t[0].ran >= 10.0 && t[0].slept < 15.0,
           t[1].ran >= 10.0 && t[1].slept < 15.0);
    printf(" in all %d", all >= both && all < both + 20.0);
    printf(" clock %d", clock() - ticks_before >= CLOCKS_PER_SEC / 50);
    getrusage(RUSAGE_SELF, &usage);
    printf(" usage %d\n",
           usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec >=
               20000);
}

static void memory_and_files(void)
{
    static const struct iovec piece[] = {{(void *)(uintptr_t) "hello ", 6},
                                         {(void *)(uintptr_t) "world\n", 6}};
    char read_back[8] = {0};
    char *p = mmap(NULL, 100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int n = 0;
    FILE *f;
    const int fd = open("pt_linux.txt", O_CREAT | O_RDWR | O_TRUNC, 0644);

    printf("anonymous %d %d\n", p != MAP_FAILED && ((uintptr_t)p & 4095U) == 0, p[99999]);
    memset(p, 1, 100000);
    printf("gone %d\n", munmap(p, 100000));
    printf("written %d\n", (int)writev(fd, piece, 2));
    p = mmap(NULL, 12, PROT_READ, MAP_SHARED, fd, 0);
    printf("%.5s, %d after the end\n", p + 6, p[12]);
    munmap(p, 12);
    pwrite(fd, "W", 1, 6);
    printf("read %d at 6: ", (int)pread(fd, read_back, 5, 6));
    printf("%s, now at %ld\n", read_back, (long)lseek(fd, 0, SEEK_CUR));
    close(fd);
    unlink("pt_linux.txt");
    f = tmpfile();
    fprintf(f, "%d", 1234);
    rewind(f);
    printf("temporary %d", fscanf(f, "%d", &n));
    printf(" %d\n", n);
    fclose(f);
}

static void *cores(void *arg)
{
    cpu_set_t mine;

    (void)arg;
    sched_getaffinity(0, sizeof(mine), &mine);
    return (void *)(intptr_t)CPU_COUNT(&mine);
}

static void random_numbers(void)
{
    static const size_t sizes[] = {8, 32, 64, 128, 256};
    static char memory[256];
    unsigned own = 99;

    printf("random: %d", rand());
    for (unsigned seed = 0; seed < 3; seed++) {
        srand(seed * 0x7fffffffU);
        for (int i = 0; i < 400; i++)
            (void)random();
        printf(" %d", rand());
        printf(" %ld", random());
    }
    for (int i = 0; i < 3; i++)
        printf(" %d", rand_r(&own));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct random_data state = {0};
        int32_t x[3];

        initstate_r(7, memory, sizes[i], &state);
        for (int k = 0; k < 100; k++)
            random_r(&state, &x[0]);
        srandom_r(4000000000U, &state);
        for (int k = 0; k < 3; k++)
            random_r(&state, &x[k]);
        printf(" %d %d %d", (int)x[0], (int)x[1], (int)x[2]);
    }
    printf("\n");
}

static void the_rest(void)
{
    struct timeval t = {.tv_usec = 2000};
    struct timespec past = {0};
    struct tms used;
    struct drand48_data random;
    struct rlimit limit;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    cpu_set_t mine;
    cpu_set_t one;
    char name[16];
    void *count;
    int core;
    double x;
    long n;

    prctl(PR_SET_NAME, "a name that is long");
    prctl(PR_GET_NAME, name);
    printf("name \"%s\"\n", name);
    printf("main is the process %d\n", getpid() == gettid() && syscall(SYS_gettid) == gettid());
    printf("line %d, ticks %d\n", sysconf(_SC_LEVEL1_DCACHE_LINESIZE) >= 0,
           times(&used) != (clock_t)-1 && sysconf(_SC_CLK_TCK) == HZ);
    printf("stack %d\n", getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= 1 << 20);
    printf("slept %d %d\n", select(0, NULL, NULL, NULL, &t), poll(NULL, 0, 1));
    sched_getaffinity(0, sizeof(mine), &mine);
    for (core = 0; !CPU_ISSET(core, &mine); core++) /* it need not have the first one */
        ;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof(one), &one);
    pthread_create(&thread, NULL, cores, NULL);
    pthread_join(thread, &count);
    printf("inherited %d core\n", (int)(intptr_t)count);
    srand48_r(7, &random);
    drand48_r(&random, &x);
    lrand48_r(&random, &n);
    printf("random %.8f %ld\n", x, n);
    pthread_mutex_lock(&mutex);
    printf("too late %d\n", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
}

int main(void)
{
    handlers();
    timers();
    signal_thread();
    processor_time();
    memory_and_files();
    random_numbers();
    the_rest();
    return 0;
}
