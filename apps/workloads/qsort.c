/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quick sort by a pool of threads: ranges still to be sorted lie on a shared
 * stack under one mutex, idle threads wait on a condition. Threads meet often
 * at the start, when there are few ranges, and seldom later.
 * Checked: order, and that sum and sum of squares survived.
 */
#include "wl_sort.h"
#include <pthread.h>

#define STACK 4096

struct range {
    long lo, hi;
};

static long n = 60000, threads = 4, cutoff = 500, seed = 1;
static int32_t *data;
static struct range stack[STACK];
static long top, unsorted; /* ranges on the stack; elements not yet in their place */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

/* Splits by the median of three values; both sides are never empty. */
static long partition(long lo, long hi)
{
    long mid = lo + (hi - lo) / 2;
    int32_t x = data[lo], y = data[mid], z = data[hi - 1];
    int32_t pivot = x < y ? (y < z ? y : x < z ? z : x) : (x < z ? x : y < z ? z : y);
    long i = lo - 1, j = hi;
    for (;;) {
        while (data[++i] < pivot)
            ;
        while (data[--j] > pivot)
            ;
        if (i >= j)
            return j + 1;
        int32_t t = data[i];
        data[i] = data[j];
        data[j] = t;
    }
}

static void sort(long lo, long hi)
{
    while (hi - lo > 8) {
        long mid = partition(lo, hi);
        sort(lo, mid);
        lo = mid;
    }
    for (long i = lo + 1; i < hi; i++) {
        int32_t x = data[i];
        long j = i;
        for (; j > lo && data[j - 1] > x; j--)
            data[j] = data[j - 1];
        data[j] = x;
    }
}

/* Pushes a range for the others, or returns false when the stack is full. */
static bool offer(long lo, long hi)
{
    WL_MUST(pthread_mutex_lock(&lock));
    bool room = top < STACK;
    if (room)
        stack[top++] = (struct range){lo, hi};
    WL_MUST(pthread_cond_signal(&more));
    WL_MUST(pthread_mutex_unlock(&lock));
    return room;
}

static void *worker(void *arg)
{
    (void)arg;
    WL_MUST(pthread_mutex_lock(&lock));
    for (;;) {
        while (top == 0 && unsorted > 0)
            WL_MUST(pthread_cond_wait(&more, &lock));
        if (unsorted == 0)
            break;
        struct range r = stack[--top];
        long done = 0;
        WL_MUST(pthread_mutex_unlock(&lock));
        while (r.hi - r.lo > cutoff) {
            long mid = partition(r.lo, r.hi);
            if (!offer(r.lo, mid)) {
                sort(r.lo, mid);
                done += mid - r.lo;
            }
            r.lo = mid;
        }
        sort(r.lo, r.hi);
        done += r.hi - r.lo;
        WL_MUST(pthread_mutex_lock(&lock));
        unsorted -= done;
        if (unsorted == 0)
            WL_MUST(pthread_cond_broadcast(&more));
    }
    WL_MUST(pthread_mutex_unlock(&lock));
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 4000000, "elements"},
        {'t', &threads, 1, 64, "threads"},
        {'c', &cutoff, 16, 1000000, "ranges up to this size are not shared"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    data = wl_alloc((size_t)n, sizeof *data);
    wl_fill(data, n, seed);
    struct wl_sums before = wl_sums(data, n);
    unsorted = n;
    offer(0, n);

    pthread_t tid[64];
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, NULL));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));

    bool ok = wl_sorted(data, n, before);
    uint32_t sum = wl_hash(WL_HASH_INIT, data, (size_t)n * sizeof *data);
    free(data);
    return wl_result("qsort", ok, "n=%ld threads=%ld sum=%08lx", n, threads, (unsigned long)sum);
}
