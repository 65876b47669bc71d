/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread: sorts records, counts and searches. Seeds of blame-proof replace lines of it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N       700
#define OUTLINE __attribute__((noinline)) static

struct record {
    uint32_t key;
    uint32_t load[3];
};

static struct record record[N];
static uint32_t count[256];
static volatile uint32_t sink;

OUTLINE void fill(struct record *r, int n)
{
    uint32_t v = 12345;
    for (int i = 0; i < n; i++) {
        v = v * 1103515245 + 12345;
        r[i].key = v >> 8;
        r[i].load[0] = v;
    }
}

OUTLINE int less(const struct record *a, const struct record *b)
{
    return a->key < b->key;
}

OUTLINE void swap(struct record *a, struct record *b)
{
    struct record t = *a;
    *a = *b;
    *b = t;
}

OUTLINE int partition(struct record *r, int n)
{
    int last = 0;
    swap(&r[0], &r[n / 2]);
    for (int i = 1; i < n; i++)
        if (less(&r[i], &r[0]))
            swap(&r[++last], &r[i]);
    swap(&r[0], &r[last]);
    return last;
}

OUTLINE void sort(struct record *r, int n)
{
    while (n > 1) {
        int p = partition(r, n);
        sort(r, p);
        r += p + 1;
        n -= p + 1;
    }
}

static uint32_t mix(uint32_t v) /* inlined */
{
    for (int i = 0; i < 3; i++)
        v ^= v << 5 | v >> 7;
    return v;
}

OUTLINE void histogram(const struct record *r, int n)
{
    for (int i = 0; i < n; i++)
        count[mix(r[i].key) & 255] += r[i].load[0];
}

OUTLINE int find(const struct record *r, int n, uint32_t key)
{
    int low = 0;
    while (low < n) {
        int middle = (low + n) / 2;
        if (r[middle].key < key)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

OUTLINE uint32_t search(const struct record *r, int n)
{
    uint32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += (uint32_t)find(r, n, r[i].load[0] >> 8);
    return sum;
}

static int by_load(const void *a, const void *b)
{
    const struct record *x = a;
    const struct record *y = b;
    return (x->load[0] > y->load[0]) - (x->load[0] < y->load[0]);
}

OUTLINE void reorder(struct record *r, int n)
{
    qsort(r, (size_t)n, sizeof(*r), by_load);
}

int main(void)
{
    fill(record, N);
    sort(record, N);
    histogram(record, N);
    sink = search(record, N);
    reorder(record, N / 2);
    printf("%u %u\n", (unsigned)record[N / 3].key, (unsigned)sink);
    return 0;
}
