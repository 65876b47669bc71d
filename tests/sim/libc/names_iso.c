/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ISO C has, in a program whose own functions or objects have every other name the library
 * knows (names.py makes a file with them and with own_report()).
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <wchar.h>

int own_report(void);

static mtx_t mutex;
static cnd_t cond;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int count;
static jmp_buf back;
static volatile sig_atomic_t signalled;

static void lines(void)
{
    char text[64];
    FILE *f = fopen("names.txt", "w+");

    setvbuf(f, NULL, _IOFBF, 16);
    for (int i = 0; i < 20; i++)
        fprintf(f, "%d %s %.3f\n", i, "line", i / 7.0);
    fputs("last", f);
    fputc('\n', f);
    fflush(f);
    fseek(f, 5, SEEK_SET);
    printf("%ld ", ftell(f));
    printf("%s", fgets(text, sizeof(text), f));
    rewind(f);
    ungetc(getc(f), f);
    printf("%d ", fgetc(f));
    printf("%zu\n", fread(text, 1, sizeof(text), f));
    f = freopen("names.txt", "a", f);
    fwrite("more\n", 1, 5, f);
    fclose(f);
    rename("names.txt", "names.new");
    f = fopen("names.new", "r");
    for (int n = 0; fgets(text, sizeof(text), f) != NULL; n++)
        printf("%s", n > 18 ? text : "");
    fclose(f);
    printf("%d ", remove("names.new"));
    printf("%d\n", fopen("names.new", "r") == NULL && errno == ENOENT);
    f = tmpfile();
    fprintf(f, "%d", 42);
    rewind(f);
    fscanf(f, "%d", &count);
    printf("%d\n", count);
    fclose(f);
}

static void times(void)
{
    const time_t at = 86400 * 365 + 3723;
    char text[64];
    struct tm tm = *gmtime(&at);
    struct timespec now;

    printf("%s%s", asctime(&tm), ctime(&at));
    tm.tm_mon += 14;
    printf("%ld ", (long)mktime(&tm));
    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %A", localtime(&at));
    printf("%s %d\n", text,
           timespec_get(&now, TIME_UTC) == TIME_UTC && clock() >= 0 && time(NULL) >= 0);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void memory(void)
{
    int number[50];
    int key_wanted;
    char *p = malloc(10);
    void *q = aligned_alloc(64, 128);

    srand(7);
    for (int i = 0; i < 50; i++)
        number[i] = rand() % 1000;
    qsort(number, 50, sizeof(int), compare);
    key_wanted = number[20];
    printf("%d %d\n", number[0], bsearch(&key_wanted, number, 50, sizeof(int), compare) != NULL);
    strcpy(p, "text");
    p = realloc(p, 100000);
    printf("%s %d\n", strcat(p, " more"), (uintptr_t)q % 64 == 0);
    free(p);
    free(q);
    free(calloc(100, 10));
}

static void texts(void)
{
    wchar_t wide[20];
    char text[80];
    char *end;
    int a;
    double b;

    printf("%d ", sscanf("12 3.5e2 word", "%d %lf %s", &a, &b, text));
    printf("%d %g %s\n", a, b, text);
    printf("%ld %lu %lld %g %jd\n", strtol("0x1f", &end, 0), strtoul("77", &end, 8),
           strtoll("-5", NULL, 10), strtod("1e-3", &end), strtoimax("99", NULL, 10));
    printf("%zu %s\n", mbstowcs(wide, "wide", 20), setlocale(LC_ALL, "C"));
    swprintf(wide, 20, L"%d %ls", 5, L"x");
    printf("%ls %s\n", wide, strerror(ENOENT));
    strcpy(text, "a,b;c");
    for (char *t = strtok(text, ",;"); t != NULL; t = strtok(NULL, ",;"))
        printf("%s.", t);
    printf(" %c %.6f %.6f\n", toupper('x'), sin(1.0) * pow(2.0, 0.5),
           tgamma(4.5) + remainder(7.5, 2.0));
    puts("%a %s" + 3);
}

static void first(void)
{
    count = 0;
}

static int worker(void *arg)
{
    call_once(&once, first);
    tss_set(key, arg);
    for (int i = 0; i < 100; i++) {
        mtx_lock(&mutex);
        count += *(int *)tss_get(key);
        cnd_signal(&cond);
        mtx_unlock(&mutex);
        thrd_yield();
    }
    thrd_sleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return *(int *)arg;
}

static void threads(void)
{
    thrd_t thread[4];
    int number[4];
    int sum = 0;

    mtx_init(&mutex, mtx_plain);
    cnd_init(&cond);
    tss_create(&key, NULL);
    for (int i = 0; i < 4; i++) {
        number[i] = i + 1;
        thrd_create(&thread[i], worker, &number[i]);
    }
    mtx_lock(&mutex);
    while (count < 1000)
        cnd_wait(&cond, &mutex);
    mtx_unlock(&mutex);
    for (int i = 0; i < 4; i++) {
        int result;
        thrd_join(thread[i], &result);
        sum += result;
    }
    printf("%d %d\n", count, sum);
}

static void handler(int sig)
{
    signalled = sig;
}

static void at_end(void)
{
    puts("end");
}

int main(void)
{
    int wrong;

    atexit(at_end);
    lines();
    times();
    memory();
    texts();
    threads();
    signal(SIGINT, handler);
    raise(SIGINT);
    printf("%d\n", signalled == SIGINT);
    if (setjmp(back) == 0)
        longjmp(back, 1);
    printf("%s\n", getenv("NO_SUCH_NAME") == NULL ? "none" : "some");
    errno = EDOM;
    perror("names");
    wrong = own_report();
    printf("%d wrong\n", wrong);
    exit(wrong > 0);
}
