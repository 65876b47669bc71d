/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Thumb code leaves to the runtime: atomic operations of every size, thread-local variables,
 * floating point, calls back from ARM code. Prints the same on Linux. */
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__arm__) && !defined(__thumb__)
#error "this is not Thumb code"
#endif

#define THREADS 4
#define ROUNDS  500

static __thread int own = 5;
static __thread double own_sum;

static struct {
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t d;
    uint32_t bits, swapped;
} shared;
static int spin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double locked, ended;

static void *work(void *arg)
{
    const unsigned me = (unsigned)(uintptr_t)arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t old = __atomic_load_n(&shared.swapped, __ATOMIC_ACQUIRE);

        (void)__sync_fetch_and_add(&shared.b, 1);
        (void)__atomic_add_fetch(&shared.h, 3, __ATOMIC_RELAXED);
        (void)__atomic_fetch_sub(&shared.w, me, __ATOMIC_SEQ_CST);
        (void)__atomic_fetch_add(&shared.d, 0x100000001U, __ATOMIC_SEQ_CST);
        (void)__sync_or_and_fetch(&shared.bits, 1U << (i % 8U + 8U * me));
        while (!__atomic_compare_exchange_n(&shared.swapped, &old, old + me, 0, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED))
            ;
        while (__sync_lock_test_and_set(&spin, 1) != 0)
            ;
        locked += 0.5;
        __sync_lock_release(&spin);
        own++;
        own_sum += (double)me / 4;
    }
    pthread_mutex_lock(&mutex);
    ended += own + own_sum;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void threads(void)
{
    pthread_t t[THREADS];

    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%u %u %u %llx %08x %u %.3f %.3f %d\n", (unsigned)shared.b, (unsigned)shared.h,
           (unsigned)shared.w, (unsigned long long)shared.d, (unsigned)shared.bits,
           (unsigned)shared.swapped, locked, ended, own);
}

static void openmp(void)
{
    double sum = 0, product = 1;
    long count = 0, rest = 0;

#pragma omp parallel for reduction(+ : sum) reduction(* : product) schedule(dynamic, 7)
    for (int i = 1; i <= 200; i++) {
        sum += sqrt(i);
        product *= 1 + i / 1e4;
#pragma omp atomic
        count += i;
#pragma omp critical
        rest += i % 3;
    }
    printf("%.6f %.6f %ld %ld %d\n", sum, product, count, rest, omp_in_parallel());
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void floats(void)
{
    double v[16];
    float f = 0.1F;
    int e = 0;

    for (int i = 0; i < 16; i++)
        v[i] = sin(i) * exp2(i % 5) + fmod(i, 2.5) - (float)i / 3.0F;
    qsort(v, 16, sizeof(v[0]), by_size);
    for (int i = 0; i < 16; i++)
        printf("%.9g%c", v[i], i % 4 == 3 ? '\n' : ' ');
    for (int i = 0; i < 10; i++)
        f = f * 1.5F + (float)i;
    printf("%.6g %d %u %lld %.4f %.4f\n", (double)f, (int)-f, (unsigned)(f * 100.0F),
           (long long)(f * 1e10), frexp(1234.5, &e), strtod("2.75e1", NULL));
    printf("%d %d %d %d\n", f < 3.0F, isnan(f - f), f == f, (double)f >= v[3]);
}

static int sum_of(int n, ...)
{
    va_list ap;
    int sum = 0;

    va_start(ap, n);
    while (n-- > 0)
        sum += va_arg(ap, int) + (int)va_arg(ap, double);
    va_end(ap);
    return sum;
}

static jmp_buf env;

static void (*volatile deeper)(int depth);

static void jump(int depth)
{
    if (depth == 0)
        longjmp(env, 7);
    deeper(depth - 1);
    printf("not here\n");
}

static void at_exit(void)
{
    printf("at exit\n");
}

int main(void)
{
    char text[64];
    long long big = -1234567890123LL;

    deeper = jump;
    atexit(at_exit);
    threads();
    openmp();
    floats();
    printf("%d\n", sum_of(3, 1, 2.5, 3, 4.5, 5, 6.5));
    printf("%d\n", setjmp(env) == 0 ? (jump(5), 0) : 1);
    snprintf(text, sizeof(text), "%lld %lld %s", big / 1000, big % 1000, strrchr("a/b/c", '/'));
    puts(text);
    return 0;
}
