/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves data in or out, and does nothing else: transfer HOW KB. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define PIECE (64U << 10)

static char buf[PIECE];

static int in(int fd)
{
    ssize_t n;

    while ((n = read(fd, buf, sizeof(buf))) > 0)
        ;
    return n == 0 ? 0 : 1;
}

static int out(int fd, long bytes)
{
    for (; bytes > 0; bytes -= (long)sizeof(buf)) {
        if (write(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf))
            return 1;
    }
    return 0;
}

static int in_stream(FILE *f)
{
    while (fread(buf, 1, 4096, f) == 4096)
        ;
    return f != NULL && feof(f) ? 0 : 1;
}

/* Byte by byte: in, and out to another file. */
static int bytes_in(FILE *f)
{
    while (getc(f) != EOF)
        ;
    return feof(f) ? 0 : 1;
}

static int bytes_out(FILE *f, long bytes)
{
    for (; bytes > 0; bytes--) {
        if (putc((int)bytes, f) == EOF)
            return 1;
    }
    return fclose(f);
}

static void *nothing(void *arg)
{
    return arg;
}

/* From now on streams are locked. */
static void second_thread(void)
{
    pthread_t t;

    if (pthread_create(&t, NULL, nothing, NULL) != 0)
        abort();
    pthread_join(t, NULL);
}

#define THREADS 4
#define EACH    20000

static FILE *shared;
static long sums[THREADS];

/* Takes bytes from one stream and adds lines to another, which nothing may come between. */
static void *contend(void *arg)
{
    const int me = (int)((long *)arg - sums);
    long sum = 0;
    int c;

    for (int i = 0; (c = getc(shared)) != EOF; i++) {
        sum += c;
        if (i % 64 == 0) {
            flockfile(stdout);
            for (int k = 0; k < 8; k++)
                putchar('a' + me);
            putchar('\n');
            funlockfile(stdout);
        }
        if (i % 256 == 0 && ftrylockfile(stdout) == 0)
            funlockfile(stdout);
    }
    *(long *)arg = sum;
    return NULL;
}

/* Every byte comes to one thread. */
static int contended(void)
{
    pthread_t t[THREADS];
    long sum = 0;

    shared = fopen("data", "r");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, contend, &sums[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        sum += sums[i];
    }
    return sum == 255L * (ftell(shared) / 2) ? 0 : 1;
}

static volatile long ticks;

static void tick(int sig)
{
    (void)sig;
    putc('!', shared);
    ticks++;
}

/* A handler that writes to the stream that it interrupts: no byte is lost. */
static int interrupted(void)
{
    const struct itimerval each = {{0, 100}, {0, 100}};
    const struct itimerval none = {{0, 0}, {0, 0}};
    long size;

    shared = fopen("ticks", "w+");
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &each, NULL);
    for (int i = 0; i < EACH; i++)
        putc('.', shared);
    setitimer(ITIMER_REAL, &none, NULL);
    signal(SIGALRM, SIG_IGN); /* one may be on its way */
    size = ftell(shared);
    printf("%ld ticks, %ld bytes\n", ticks, size);
    return ticks > 10 && size == EACH + ticks ? 0 : 1;
}

/* Reads in one thread of four, the others wait at the region's end. */
static int in_region(void)
{
    int status = 1;

#pragma omp parallel num_threads(4)
    {
#pragma omp master
        status = in(open("data", O_RDONLY));
    }
    return status;
}

int main(int argc, char **argv)
{
    const long bytes = argc > 2 ? atol(argv[2]) << 10 : 0;

    if (strcmp(argv[1], "read") == 0)
        return in(open("data", O_RDONLY));
    if (strcmp(argv[1], "fread") == 0)
        return in_stream(fopen("data", "r"));
    if (strcmp(argv[1], "locked") == 0)
        second_thread();
    if (strcmp(argv[1], "getc") == 0 || strcmp(argv[1], "locked") == 0)
        return bytes_in(fopen("data", "r"));
    if (strcmp(argv[1], "putc") == 0)
        return bytes_out(fopen("made", "w"), bytes);
    if (strcmp(argv[1], "contended") == 0)
        return contended();
    if (strcmp(argv[1], "interrupted") == 0)
        return interrupted();
    if (strcmp(argv[1], "region") == 0)
        return in_region();
    if (strcmp(argv[1], "stdin") == 0)
        return in(STDIN_FILENO);
    if (strcmp(argv[1], "write") == 0)
        return out(open("made", O_WRONLY | O_CREAT | O_TRUNC, 0666), bytes);
    return strcmp(argv[1], "stdout") == 0 ? out(STDOUT_FILENO, bytes) : 2;
}
