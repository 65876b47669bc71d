/* SPDX-License-Identifier: GPL-2.0-or-later */
/* omp_realloc in pools: prints what succeeds, what is kept and how it is aligned; the same on this
 * machine. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define POOL 8192

static omp_allocator_handle_t pool(size_t bytes, size_t align, omp_alloctrait_value_t fallback,
                                   omp_allocator_handle_t other)
{
    const omp_alloctrait_t t[] = {{omp_atk_pool_size, bytes},
                                  {omp_atk_fallback, (omp_uintptr_t)fallback},
                                  {omp_atk_alignment, align},
                                  {omp_atk_fb_data, (omp_uintptr_t)other}};

    return omp_init_allocator(omp_default_mem_space, fallback == omp_atv_allocator_fb ? 4 : 3, t);
}

static void fill(char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(i * 7 + 1);
}

static int kept(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != (char)(i * 7 + 1))
            return 0;
    }
    return 1;
}

static void grow(const char *what, omp_allocator_handle_t a, size_t from, size_t to, size_t align)
{
    char *p = omp_alloc(from, a);
    char *q;

    if (!p) {
        printf("%s: no block\n", what);
        return;
    }
    fill(p, from);
    q = omp_realloc(p, to, a, a);
    printf("%s %zu to %zu: %s", what, from, to, q ? "done" : "refused");
    if (q)
        printf(", %s, %saligned\n", kept(q, from < to ? from : to) ? "kept" : "lost",
               (uintptr_t)q % align == 0 ? "" : "not ");
    else
        printf(", the old one is %s\n", kept(p, from) ? "kept" : "lost");
    omp_free(q ? q : p, a);
}

/* All of the pool can be had again. */
static void whole(const char *what, omp_allocator_handle_t a)
{
    void *p = omp_alloc(POOL - 512, a);

    printf("%s: the pool is %s\n", what, p ? "empty" : "not empty");
    omp_free(p, a);
}

int main(void)
{
    omp_allocator_handle_t a = pool(POOL, 1, omp_atv_null_fb, omp_null_allocator);
    omp_allocator_handle_t b, c;
    char *p, *q;

    grow("one more", a, 6000, 6001, 8);
    grow("all", a, 100, POOL - 512, 8);
    grow("too much", a, 6000, POOL + 1, 8);
    grow("smaller", a, 7000, 100, 8);
    whole("after these", a);

    p = omp_alloc(5000, a); /* what is given back can be had */
    p = omp_realloc(p, 1000, a, a);
    q = omp_alloc(5000, a);
    printf("beside a smaller one: %s\n", q ? "done" : "refused");
    fill(q, 5000);
    q = omp_realloc(q, 5500, a, omp_null_allocator);
    printf("without its name: %s\n", q && kept(q, 5000) ? "done" : "refused");
    p = omp_realloc(p, 6000, a, a) ? NULL : p;
    printf("beside a larger one: %s\n", p ? "refused" : "done");
    omp_free(p, a);
    omp_free(q, a);
    whole("after both", a);

    b = pool(POOL, 256, omp_atv_null_fb, omp_null_allocator);
    grow("aligned", b, 1000, 3000, 256);
    grow("aligned", b, 3000, 1000, 256);
    grow("aligned, too much", b, 3000, POOL + 1, 256);
    p = omp_aligned_alloc(1024, 100, a);
    fill(p, 100);
    p = omp_realloc(p, 2000, a, a);
    printf("aligned by the call: %s\n", p && kept(p, 100) ? "done" : "refused");
    omp_free(p, a);

    p = omp_alloc(1000, a); /* from one to the other, and back */
    fill(p, 1000);
    p = omp_realloc(p, 2000, b, a);
    printf("to another: %s, %s\n", p && kept(p, 1000) ? "done" : "refused",
           (uintptr_t)p % 256 == 0 ? "aligned" : "not aligned");
    p = omp_realloc(p, 6000, a, b);
    printf("and back: %s\n", p && kept(p, 1000) ? "done" : "refused");
    omp_free(p, a);
    whole("one", a);

    c = pool(POOL, 1, omp_atv_default_mem_fb, omp_null_allocator);
    grow("default memory", c, 6000, 100000, 8);
    whole("default memory", c);
    omp_destroy_allocator(c);
    c = pool(1024, 1, omp_atv_allocator_fb, a);
    grow("the other allocator", c, 500, 5000, 8);
    grow("the other allocator", c, 500, POOL + 1, 8);
    whole("the other allocator", a);
    omp_destroy_allocator(c);

    p = omp_realloc(NULL, 100, a, omp_null_allocator);
    printf("of none: %s\n", p ? "done" : "refused");
    p = omp_realloc(p, 0, a, a);
    printf("to none: %s\n", p ? "a block" : "NULL");
    whole("to none", a);
    omp_destroy_allocator(a);
    omp_destroy_allocator(b);
    return 0;
}
