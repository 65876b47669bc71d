/* SPDX-License-Identifier: GPL-2.0-or-later */
/* omp_alloc and its family over the heap. In front of each block stands where the heap's
 * block begins and how long the user's part is. */
#include "omp.h"
#include "omp_int.h"
#include <stdlib.h>
#include <string.h>

struct header {
    void *block;
    size_t size;
};

struct allocator {
    size_t align;
    uintptr_t fallback;
    uintptr_t fallback_allocator;
};

static const struct allocator *traits_of(uintptr_t handle)
{
    return handle > omp_thread_mem_alloc ? (const struct allocator *)handle : NULL;
}

static void *allocate(size_t align, size_t size, uintptr_t handle)
{
    omp_self();
    if (handle == omp_null_allocator)
        handle = omp_config.default_allocator;
    const struct allocator *traits = traits_of(handle);
    if (traits && traits->align > align)
        align = traits->align;
    if (align < 2 * sizeof(void *))
        align = 2 * sizeof(void *);
    if (size == 0 || size > SIZE_MAX - align - sizeof(struct header))
        return NULL;
    char *block = malloc(size + align + sizeof(struct header));
    if (!block) {
        if (traits && traits->fallback == omp_atv_abort_fb)
            omp_fatal("omp_alloc: out of memory", NULL);
        return NULL;
    }
    uintptr_t user = ((uintptr_t)block + sizeof(struct header) + align - 1) / align * align;
    struct header *header = (struct header *)user - 1;
    header->block = block;
    header->size = size;
    return (void *)user;
}

void *GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator)
{
    void *ptr = allocate(alignment, size, allocator);
    if (!ptr && size)
        omp_fatal("out of memory for an allocate clause", NULL);
    return ptr;
}

void GOMP_free(void *ptr, uintptr_t allocator)
{
    omp_free(ptr, (omp_allocator_handle_t)allocator);
}

void *omp_alloc(size_t size, omp_allocator_handle_t allocator)
{
    return allocate(1, size, allocator);
}

void *omp_aligned_alloc(size_t alignment, size_t size, omp_allocator_handle_t allocator)
{
    if (alignment & (alignment - 1))
        return NULL;
    return allocate(alignment, size, allocator);
}

void *omp_aligned_calloc(size_t alignment, size_t n, size_t size, omp_allocator_handle_t allocator)
{
    size_t total;
    if (__builtin_mul_overflow(n, size, &total))
        return NULL;
    void *ptr = omp_aligned_alloc(alignment, total, allocator);
    if (ptr)
        memset(ptr, 0, total);
    return ptr;
}

void *omp_calloc(size_t n, size_t size, omp_allocator_handle_t allocator)
{
    return omp_aligned_calloc(1, n, size, allocator);
}

void omp_free(void *ptr, omp_allocator_handle_t allocator)
{
    (void)allocator;
    if (ptr)
        free(((struct header *)ptr - 1)->block);
}

void *omp_realloc(void *ptr, size_t size, omp_allocator_handle_t allocator,
                  omp_allocator_handle_t free_allocator)
{
    if (size == 0) {
        omp_free(ptr, free_allocator);
        return NULL;
    }
    void *fresh = allocate(1, size, allocator);
    if (fresh && ptr) {
        size_t old = ((struct header *)ptr - 1)->size;
        memcpy(fresh, ptr, old < size ? old : size);
        omp_free(ptr, free_allocator);
    }
    return fresh;
}

omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int ntraits,
                                          const omp_alloctrait_t traits[])
{
    struct allocator made = {.align = 1, .fallback = omp_atv_default_mem_fb};
    if (space > omp_low_lat_mem_space)
        return omp_null_allocator;
    for (int i = 0; i < ntraits; i++) {
        uintptr_t value = traits[i].value;
        if (traits[i].key == omp_atk_alignment && value != (uintptr_t)omp_atv_default) {
            if (value == 0 || (value & (value - 1)))
                return omp_null_allocator;
            made.align = value;
        } else if (traits[i].key == omp_atk_fallback && value != (uintptr_t)omp_atv_default) {
            made.fallback = value;
        } else if (traits[i].key == omp_atk_pool_size || traits[i].key == omp_atk_pinned) {
            /* There are no pools to hold a limit, and nothing to pin. */
            if (traits[i].key == omp_atk_pinned && value == omp_atv_true)
                return omp_null_allocator;
        }
    }
    struct allocator *handle = malloc(sizeof(*handle));
    if (!handle)
        return omp_null_allocator;
    *handle = made;
    return (omp_allocator_handle_t)(uintptr_t)handle;
}

void omp_destroy_allocator(omp_allocator_handle_t allocator)
{
    if (traits_of(allocator))
        free((void *)(uintptr_t)allocator);
}

void omp_set_default_allocator(omp_allocator_handle_t allocator)
{
    omp_self();
    omp_config.default_allocator = allocator ? allocator : omp_default_mem_alloc;
}

omp_allocator_handle_t omp_get_default_allocator(void)
{
    omp_self();
    return (omp_allocator_handle_t)omp_config.default_allocator;
}

/* ---- error directive ----------------------------------------------------------------- */

static void directive(const char *kind, const char *msg, size_t len)
{
    char text[200];
    if (len == (size_t)-1)
        len = msg ? strlen(msg) : 0;
    if (len >= sizeof(text))
        len = sizeof(text) - 1;
    if (msg)
        memcpy(text, msg, len);
    text[msg ? len : 0] = '\0';
    omp_warn(kind, msg ? ": " : NULL, msg ? text : NULL);
}

void GOMP_warning(const char *msg, size_t len)
{
    directive("error directive encountered (warning)", msg, len);
}

void GOMP_error(const char *msg, size_t len)
{
    directive("error directive encountered", msg, len);
    exit(EXIT_FAILURE);
}
