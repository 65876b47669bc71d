/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qsort() and qsort_r(): n log n comparisons of any input, stable, also of elements of odd sizes;
 * and right without memory. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N    8001
#define MOST (N * 13L) /* n log n, and none of it more */
#define ODD  13
#define ODDS 999
#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("line %d: %s\n", __LINE__, #what);                                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int number[N];
static long calls;

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a;
    const int y = *(const int *)b;

    calls++;
    return (x > y) - (x < y);
}

static int compare_by(const void *a, const void *b, void *by)
{
    ++*(int *)by;
    return compare(a, b);
}

static int compare_odd(const void *a, const void *b)
{
    return memcmp(a, b, 1);
}

static void sorted(const char *what, long most)
{
    long long before = 0;
    long long after = 0;

    for (int i = 0; i < N; i++)
        before += number[i];
    calls = 0;
    qsort(number, N, sizeof(number[0]), compare);
    for (int i = 0; i < N; i++)
        after += number[i];
    for (int i = 1; i < N; i++)
        CHECK(number[i - 1] <= number[i]);
    CHECK(before == after);
    if (calls > most)
        printf("%s: %ld comparisons\n", what, calls);
    CHECK(calls <= most);
}

static void shuffle(int *p, int n)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = rand() % (i + 1);
        const int t = p[i];

        p[i] = p[j];
        p[j] = t;
    }
}

static void inputs(long most)
{
    for (int i = 0; i < N; i++)
        number[i] = i;
    shuffle(number, N / 2); /* as one round of newlib's leaves it */
    shuffle(number + N / 2 + 1, N / 2);
    sorted("halves", most);
    sorted("sorted", most);
    for (int i = 0; i < N; i++)
        number[i] = N - i;
    sorted("reverse", most);
    for (int i = 0; i < N; i++)
        number[i] = i < N / 2 ? i : N - i;
    sorted("organ", most);
    for (int i = 0; i < N; i++)
        number[i] = i % 3;
    sorted("few", most);
    for (int i = 0; i < N; i++)
        number[i] = i < N - 100 ? i : rand() % N;
    sorted("appended", most);
    for (int i = 0; i < N; i++)
        number[i] = rand();
    sorted("random", most);
}

static void stable(void)
{
    static struct pair {
        int key, place;
    } pair[1000];
    static char odd[ODDS][ODD];
    int by = 0;

    for (int i = 0; i < 1000; i++)
        pair[i] = (struct pair){i * 7919 % 10, i};
    qsort_r(pair, 1000, sizeof(pair[0]), compare_by, &by);
    CHECK(by > 1000);
    for (int i = 1; i < 1000; i++)
        CHECK(pair[i - 1].key < pair[i].key ||
              (pair[i - 1].key == pair[i].key && pair[i - 1].place < pair[i].place));
    for (int n = 0; n <= ODDS; n += n < 90 ? 1 : 101) {
        for (int i = 0; i < n; i++)
            snprintf(odd[i], ODD, "%c%011d", 'a' + i * 31 % 17, i);
        qsort(odd, (size_t)n, ODD, compare_odd);
        for (int i = 1; i < n; i++)
            CHECK(strcmp(odd[i - 1], odd[i]) < 0);
    }
}

static void without_memory(void)
{
    static char rest[2 * N];
    size_t size = 64U << 20;

    for (; size >= sizeof(number); size /= 2) {
        while (malloc(size) != NULL)
            ;
    }
    while (malloc(sizeof(number)) != NULL)
        ;
    inputs(2 * MOST);
    for (int i = 0; i < 2 * N; i++)
        rest[i] = (char)('a' + i * 31 % 17);
    qsort(rest, sizeof(rest), 1, compare_odd);
    for (int i = 1; i < 2 * N; i++)
        CHECK(rest[i - 1] <= rest[i]);
}

int main(void)
{
    srand(1);
    inputs(MOST);
    stable();
    without_memory();
    puts("sort: ok");
    return 0;
}
