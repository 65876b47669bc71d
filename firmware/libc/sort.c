/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qsort() and qsort_r(): merge sort, as in the GNU C library, with the same comparisons in the same
 * order: stable, and O(n log n) for any input. newlib's needs O(n * n) where one exchange makes a
 * part look sorted. Without memory for a copy: heap sort, in place, and not stable.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ON_STACK 1024U /* bytes */

typedef int compare_fn(const void *a, const void *b, void *arg);

struct sort {
    size_t size;
    compare_fn *compare;
    void *arg;
    char *copy; /* space for all elements */
};

/* Copies an element; the constant sizes are copied as words. */
static inline void move(char *to, const char *from, size_t size)
{
    if (size == sizeof(uint32_t))
        memcpy(to, from, sizeof(uint32_t));
    else if (size == sizeof(uint64_t))
        memcpy(to, from, sizeof(uint64_t));
    else
        memcpy(to, from, size);
}

static void merge_sort(const struct sort *s, char *base, size_t n) /* NOLINT(misc-no-recursion) */
{
    const size_t size = s->size;
    size_t left = n / 2;
    size_t right = n - left;
    const char *a = base;
    const char *b = base + left * size;
    char *to = s->copy;

    if (n <= 1)
        return;
    merge_sort(s, base, left);
    merge_sort(s, base + left * size, right);
    while (left > 0 && right > 0) {
        if (s->compare(a, b, s->arg) <= 0) {
            move(to, a, size);
            a += size;
            left--;
        } else {
            move(to, b, size);
            b += size;
            right--;
        }
        to += size;
    }
    memcpy(to, a, left * size);
    memcpy(base, s->copy, (n - right) * size);
}

static void swap(char *a, char *b, size_t size)
{
    for (; size > 0; size--) {
        const char c = *a;

        *a++ = *b;
        *b++ = c;
    }
}

/* Moves the element down until no element below it is larger. */
static void sift(const struct sort *s, char *base, size_t at, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        char *below = base + child * s->size;

        if (child + 1 < n && s->compare(below, below + s->size, s->arg) < 0) {
            below += s->size;
            child++;
        }
        if (s->compare(base + at * s->size, below, s->arg) >= 0)
            return;
        swap(base + at * s->size, below, s->size);
    }
}

static void heap_sort(const struct sort *s, char *base, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift(s, base, i, n);
    for (size_t i = n; i-- > 1;) {
        swap(base, base + i * s->size, s->size);
        sift(s, base, 0, i);
    }
}

void qsort_r(void *base, size_t n, size_t size, compare_fn *compare, void *arg)
{
    uint64_t small[ON_STACK / sizeof(uint64_t)];
    struct sort s = {size, compare, arg, (char *)small};
    const int was = errno;

    if (n < 2 || size == 0)
        return;
    if (n > ON_STACK / size)
        s.copy = n <= SIZE_MAX / size ? malloc(n * size) : NULL;
    if (s.copy == NULL)
        heap_sort(&s, base, n);
    else
        merge_sort(&s, base, n);
    if (s.copy != (char *)small)
        free(s.copy);
    errno = was;
}

void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    /* The comparison ignores the third argument, which is in a register. */
    qsort_r(base, n, size, (compare_fn *)(void (*)(void))compare, NULL);
}
