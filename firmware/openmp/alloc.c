/* SPDX-License-Identifier: GPL-2.0-or-later */
/* omp_alloc() and its family on top of the heap. A header in front of each block holds the start of
 * the heap's block and the size of the user's part. */
#include "omp.h"
#include "omp_int.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct header {
    void *block;
    size_t size;
    uintptr_t allocator;
};

struct allocator {
    size_t align;
    size_t pool; /* bytes in use at any time */
    size_t used;
    uintptr_t fallback;
    uintptr_t fallback_allocator;
};

static struct allocator *traits_of(uintptr_t handle)
{
    return handle > omp_thread_mem_alloc ? (struct allocator *)handle : NULL;
}

static bool pool_take(struct allocator *traits, size_t size)
{
    size_t used = __atomic_load_n(&traits->used, __ATOMIC_RELAXED);
    do {
        if (size > traits->pool - used)
            return false;
    } while (!__atomic_compare_exchange_n(&traits->used, &used, used + size, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

static void pool_give(uintptr_t handle, size_t size)
{
    struct allocator *traits = traits_of(handle);
    if (traits)
        __atomic_fetch_sub(&traits->used, size, __ATOMIC_RELAXED);
}

/* The smallest alignment of an allocator's blocks; the heap's blocks are aligned at least like
 * this. */
#define ALIGN_LEAST (2 * sizeof(void *))

static size_t align_of(size_t align, uintptr_t handle)
{
    const struct allocator *traits = traits_of(handle);

    if (traits && traits->align > align)
        align = traits->align;
    return align < ALIGN_LEAST ? ALIGN_LEAST : align;
}

static struct header *header_of(void *ptr)
{
    return (struct header *)ptr - 1;
}

/* Returns the distance of the user's part from the start of a heap block that is not aligned
 * further. */
static size_t offset_of(size_t align)
{
    return (sizeof(struct header) + align - 1) / align * align;
}

/* Allocates a block of `size` bytes, which the pool has already granted. */
static void *place(size_t align, size_t size, uintptr_t handle)
{
    char *block = malloc(size + align + sizeof(struct header));
    uintptr_t user;

    if (!block)
        return NULL;
    user = ((uintptr_t)block + sizeof(struct header) + align - 1) / align * align;
    *header_of((void *)user) = (struct header){.block = block, .size = size, .allocator = handle};
    return (void *)user;
}

static void *from_heap(size_t align, size_t size, uintptr_t handle)
{
    struct allocator *traits = traits_of(handle);
    void *ptr;

    align = align_of(align, handle);
    if (size > SIZE_MAX - align - sizeof(struct header) || (traits && !pool_take(traits, size)))
        return NULL;
    ptr = place(align, size, handle);
    if (!ptr)
        pool_give(handle, size);
    return ptr;
}

/* Changes the size of a block to one that the pool has already granted; NULL: the block is
 * unchanged. */
static void *move(void *ptr, size_t size)
{
    const struct header old = *header_of(ptr);
    const size_t align = align_of(1, old.allocator);
    char *block;
    void *fresh;

    if (align == ALIGN_LEAST && (char *)ptr - (char *)old.block == (ptrdiff_t)offset_of(align)) {
        block = realloc(old.block, size + align + sizeof(struct header));
        if (!block)
            return NULL;
        fresh = block + offset_of(align);
        *header_of(fresh) =
            (struct header){.block = block, .size = size, .allocator = old.allocator};
        return fresh;
    }
    fresh = place(align, size, old.allocator);
    if (fresh) {
        memcpy(fresh, ptr, old.size < size ? old.size : size);
        free(old.block);
    }
    return fresh;
}

/* Changes the size of a block and what its pool counts for it; NULL: both are unchanged. */
static void *resize(void *ptr, size_t size)
{
    const struct header old = *header_of(ptr);
    struct allocator *traits = traits_of(old.allocator);
    void *fresh;

    if (size > SIZE_MAX - align_of(1, old.allocator) - sizeof(struct header) ||
        (traits && size > old.size && !pool_take(traits, size - old.size)))
        return NULL;
    fresh = move(ptr, size);
    if (fresh && size < old.size)
        pool_give(old.allocator, old.size - size);
    else if (!fresh && size > old.size)
        pool_give(old.allocator, size - old.size);
    return fresh;
}

/* Allocates a block; if `old` belongs to the allocator, resizes it instead. old: NULL for a new
 * block. */
static void *allocate(size_t align, size_t size, uintptr_t handle, void *old)
{
    if (size == 0)
        return NULL;
    if (handle == omp_null_allocator)
        handle = omp_self()->s.task->icv.allocator;
    for (;;) {
        void *ptr = old && header_of(old)->allocator == handle ? resize(old, size)
                                                               : from_heap(align, size, handle);
        const struct allocator *traits = traits_of(handle);
        if (ptr || !traits || traits->fallback == omp_atv_null_fb)
            return ptr;
        if (traits->fallback == omp_atv_abort_fb)
            omp_fatal("omp_alloc: out of memory", NULL);
        handle = traits->fallback == omp_atv_allocator_fb ? traits->fallback_allocator
                                                          : (uintptr_t)omp_default_mem_alloc;
    }
}

void *GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator)
{
    void *ptr = allocate(alignment, size, allocator, NULL);
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
    return allocate(1, size, allocator, NULL);
}

void *omp_aligned_alloc(size_t alignment, size_t size, omp_allocator_handle_t allocator)
{
    if (alignment & (alignment - 1))
        return NULL;
    return allocate(alignment, size, allocator, NULL);
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
    (void)allocator; /* the header names the allocator */
    if (!ptr)
        return;
    const struct header *header = (struct header *)ptr - 1;
    pool_give(header->allocator, header->size);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): omp_realloc() frees what was not resized */
    free(header->block);
}

void *omp_realloc(void *ptr, size_t size, omp_allocator_handle_t allocator,
                  omp_allocator_handle_t free_allocator)
{
    struct header old;
    void *fresh;

    if (!ptr)
        return allocate(1, size, allocator, NULL);
    if (size == 0) {
        omp_free(ptr, free_allocator);
        return NULL;
    }
    old = *header_of(ptr);
    if (allocator == omp_null_allocator)
        allocator = free_allocator != omp_null_allocator ? free_allocator
                                                         : (omp_allocator_handle_t)old.allocator;
    fresh = allocate(1, size, allocator, ptr);
    if (fresh && header_of(fresh)->allocator != old.allocator) { /* else `old` was resized */
        memcpy(fresh, ptr, old.size < size ? old.size : size);
        omp_free(ptr, free_allocator);
    }
    return fresh;
}

/* Sets a trait that is not left to its default. Returns false for an invalid value. */
static bool set_trait(struct allocator *made, omp_alloctrait_key_t key, uintptr_t value)
{
    switch (key) {
    case omp_atk_sync_hint:
        return value >= omp_atv_contended && value <= omp_atv_private;
    case omp_atk_alignment:
        made->align = value;
        return value != 0 && (value & (value - 1)) == 0;
    case omp_atk_access:
        return value >= omp_atv_all && value <= omp_atv_cgroup;
    case omp_atk_pool_size:
        made->pool = value;
        return true;
    case omp_atk_fallback:
        made->fallback = value;
        return value >= omp_atv_default_mem_fb && value <= omp_atv_allocator_fb;
    case omp_atk_fb_data:
        made->fallback_allocator = value;
        return true;
    case omp_atk_pinned:
        return value == omp_atv_false; /* memory cannot be pinned */
    case omp_atk_partition:
        return value >= omp_atv_environment && value <= omp_atv_interleaved;
    }
    return false;
}

omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int ntraits,
                                          const omp_alloctrait_t traits[])
{
    struct allocator made = {.align = 1, .pool = SIZE_MAX, .fallback = omp_atv_default_mem_fb};
    if (space > omp_low_lat_mem_space)
        return omp_null_allocator;
    for (int i = 0; i < ntraits; i++) {
        if (traits[i].value != (uintptr_t)omp_atv_default &&
            !set_trait(&made, traits[i].key, traits[i].value))
            return omp_null_allocator;
    }
    struct allocator *handle = malloc(sizeof(*handle));
    if (!handle)
        return omp_null_allocator;
    *handle = made;
    return (omp_allocator_handle_t)(uintptr_t)handle;
}

/* ---- OMP_ALLOCATOR ---------------------------------------------------------------- */

/* Compares a word, in any case, with the list; the word must end at the end of the text or at
 * `stop`. Returns its number or -1. */
static int one_of(const char *const names[], size_t n, const char **text, const char *stop)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(names[i]);
        if (strncasecmp(*text, names[i], length) == 0 &&
            ((*text)[length] == '\0' || strchr(stop, (*text)[length]))) {
            *text += length;
            return (int)i;
        }
    }
    return -1;
}

static bool read_value(const char **text, uintptr_t *value)
{
    static const struct {
        const char *name;
        uintptr_t value;
    } values[] = {
        {"false", omp_atv_false},
        {"true", omp_atv_true},
        {"contended", omp_atv_contended},
        {"uncontended", omp_atv_uncontended},
        {"serialized", omp_atv_serialized},
        {"private", omp_atv_private},
        {"all", omp_atv_all},
        {"thread", omp_atv_thread},
        {"pteam", omp_atv_pteam},
        {"cgroup", omp_atv_cgroup},
        {"default_mem_fb", omp_atv_default_mem_fb},
        {"null_fb", omp_atv_null_fb},
        {"abort_fb", omp_atv_abort_fb},
        {"allocator_fb", omp_atv_allocator_fb},
        {"environment", omp_atv_environment},
        {"nearest", omp_atv_nearest},
        {"blocked", omp_atv_blocked},
        {"interleaved", omp_atv_interleaved},
        {"omp_default_mem_alloc", omp_default_mem_alloc},
        {"omp_large_cap_mem_alloc", omp_large_cap_mem_alloc},
    };
    char *end;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (one_of(&values[i].name, 1, text, ", \t") == 0) {
            *value = values[i].value;
            return true;
        }
    }
    *value = strtoul(*text, &end, 10);
    if (end == *text || **text == '-' || (*end && !strchr(", \t", *end)))
        return false;
    *text = end;
    return true;
}

/* In the order of the traits' keys. */
static const char *const trait_names[] = {"sync_hint", "alignment", "access", "pool_size",
                                          "fallback",  "fb_data",   "pinned", "partition"};
#define TRAITS (sizeof(trait_names) / sizeof(trait_names[0]))

uintptr_t omp_allocator_of(const char *text)
{
    static const char *const spaces[] = {"omp_default_mem_space", "omp_large_cap_mem_space",
                                         "omp_const_mem_space", "omp_high_bw_mem_space",
                                         "omp_low_lat_mem_space"};
    static const char *const allocators[] = {"omp_default_mem_alloc", "omp_large_cap_mem_alloc",
                                             "omp_const_mem_alloc",   "omp_high_bw_mem_alloc",
                                             "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc",
                                             "omp_pteam_mem_alloc",   "omp_thread_mem_alloc"};
    omp_alloctrait_t traits[TRAITS];
    int found = one_of(allocators, sizeof(allocators) / sizeof(allocators[0]), &text, " \t");
    int n = 0;

    if (found >= 0)
        return text[strspn(text, " \t")] == '\0' ? omp_default_mem_alloc + (uintptr_t)found : 0;
    found = one_of(spaces, sizeof(spaces) / sizeof(spaces[0]), &text, ": \t");
    if (found < 0)
        return 0;
    while (*text == ':' || *text == ',') {
        text++;
        int key = one_of(trait_names, TRAITS, &text, "=");
        if (key < 0 || n == (int)TRAITS)
            return 0;
        text++;
        traits[n].key = (omp_alloctrait_key_t)(key + 1);
        if (!read_value(&text, &traits[n].value))
            return 0;
        n++;
    }
    if (text[strspn(text, " \t")] != '\0')
        return 0;
    return (uintptr_t)omp_init_allocator((omp_memspace_handle_t)found, n, traits);
}

void omp_destroy_allocator(omp_allocator_handle_t allocator)
{
    if (traits_of(allocator))
        free((void *)(uintptr_t)allocator);
}

void omp_set_default_allocator(omp_allocator_handle_t allocator)
{
    omp_self()->s.task->icv.allocator = allocator ? allocator : omp_default_mem_alloc;
}

omp_allocator_handle_t omp_get_default_allocator(void)
{
    return (omp_allocator_handle_t)omp_self()->s.task->icv.allocator;
}

/* ---- error directive ------------------------------------------------------------- */

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
