/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program's own functions and objects with names of POSIX, of other types and with effects that
 * are seen when the library calls them. By the linker's name, so that headers may declare what they
 * like.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

struct node {
    struct node *next;
    int value;
};

static struct node *list;
static int calls;

/* What follows has this name for the linker. */
#define NAMED(name) __asm__(#name)

int own_unlink(struct node *n) NAMED(unlink);
void own_write(const char *text) NAMED(write);
double own_stat(const double *x, int n) NAMED(stat);
int own_read NAMED(read), own_lseek[3] NAMED(lseek) = {1, 2, 3}, own_environ NAMED(environ) = 4;
const char *own_open NAMED(open) = "open", *own_close NAMED(close) = "close";
float own_fstat NAMED(fstat) = 1.5F, own_isatty NAMED(isatty) = 2.5F;

/* Takes a node off the list. */
int own_unlink(struct node *n)
{
    calls++;
    list = n->next;
    return 0;
}

void own_write(const char *text)
{
    calls++;
    printf("[%s]\n", text);
}

double own_stat(const double *x, int n)
{
    double sum = 0;

    calls++;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

#define OWN(name)                                                                                  \
    int own_##name(int x) NAMED(name);                                                             \
    int own_##name(int x)                                                                          \
    {                                                                                              \
        calls++;                                                                                   \
        return x + 1;                                                                              \
    }
OWN(fileno)
OWN(fdopen)
OWN(sleep)
OWN(usleep)
OWN(nanosleep)
OWN(clock_gettime)
OWN(clock_nanosleep)
OWN(gettimeofday)
OWN(poll)
OWN(select)
OWN(yield)
OWN(sched_yield)
OWN(pause)
OWN(kill)
OWN(getpid)
OWN(gmtime_r)
OWN(localtime_r)
OWN(asctime_r)
OWN(tzset)
OWN(memalign)
OWN(posix_memalign)
OWN(mkstemp)
OWN(sbrk)
OWN(getw)
OWN(putw)
OWN(getline)
OWN(strdup)
OWN(strnlen)
OWN(stpcpy)
OWN(strtok_r)
OWN(rand_r)
OWN(random)
OWN(drand48)
OWN(error)
OWN(warn)
OWN(err)
OWN(sync)
OWN(nice)
OWN(dup)
OWN(pthread_create)
OWN(pthread_mutex_lock)
OWN(pthread_self)
OWN(sigaction)
OWN(sigprocmask)
OWN(index)
OWN(step)
OWN(loop)
OWN(end)
OWN(mktemp)
OWN(snprintf_l)

static int thread(void *arg)
{
    thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    thrd_yield();
    return *(int *)arg + 1;
}

int main(void)
{
    struct node b = {NULL, 2};
    struct node a = {&b, 1};
    char text[40] = "one two";
    const time_t at = 1000000000;
    FILE *f = fopen("own.txt", "w");
    thrd_t t;
    int result;
    void *p;

    list = &a;
    fprintf(f, "text\n");
    fseek(f, 0, SEEK_SET);
    fclose(f);
    printf("%d ", remove("own.txt"));
    printf("%d %d\n", fopen("own.txt", "r") == NULL, list == &a);
    printf("%s%s", ctime(&at), asctime(gmtime(&at)));
    strftime(text + 8, 30, "%H %Z", localtime(&at));
    p = aligned_alloc(256, 1024);
    printf("%d %s %s\n", (int)((unsigned long)p % 256), text + 8, strtok(text, " "));
    free(p);
    f = tmpfile();
    putc('x', f);
    rewind(f);
    printf("%c\n", getc(f));
    fclose(f);
    srand(1);
    printf("%d\n", rand());
    result = 41;
    printf("%d ", thrd_create(&t, thread, &result) == thrd_success);
    thrd_join(t, &result);
    printf("%d %s\n", result, getenv("PATH_OF_NONE") == NULL ? "none" : "some");
    perror("own");
    printf("calls by the library: %d\n", calls);
    own_unlink(&a);
    own_write("own");
    printf("%g %d %d\n", own_stat((const double[]){1, 2}, 2), own_fileno(4), list->value);
    printf("%d %d %s %s %g %g %d\n", own_read, own_lseek[2], own_open, own_close, own_fstat,
           own_isatty, own_environ);
    printf("%d ",
           own_sleep(1) + own_poll(2) + own_getpid(3) + own_end(4) + own_sbrk(5) + own_memalign(6));
    printf("%d\n", calls);
    return 0;
}
