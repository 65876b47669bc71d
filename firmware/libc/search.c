/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches that newlib leaves out, and functions under the names of macros. */
#include <arpa/inet.h>
#include <search.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#undef htonl
#undef ntohl
#undef htons
#undef ntohs

void *lfind(const void *key, const void *base, size_t *count, size_t size,
            int (*compare)(const void *, const void *))
{
    const char *p = base;

    for (size_t i = 0; i < *count; i++, p += size) {
        if (compare(key, p) == 0)
            return (void *)(uintptr_t)p;
    }
    return NULL;
}

void *lsearch(const void *key, void *base, size_t *count, size_t size,
              int (*compare)(const void *, const void *))
{
    void *const found = lfind(key, base, count, size, compare);

    if (found != NULL)
        return found;
    /* NOLINTNEXTLINE(clang-analyzer-unix.cstring.NullArg): lfind() has read what is there */
    return memcpy((char *)base + (*count)++ * size, key, size);
}

struct link {
    struct link *next, *before;
};

void insque(void *element, void *before)
{
    struct link *const e = element;
    struct link *const b = before;

    *e = (struct link){b != NULL ? b->next : NULL, b};
    if (b != NULL)
        b->next = e;
    if (e->next != NULL)
        e->next->before = e;
}

void remque(void *element)
{
    const struct link *const e = element;

    if (e->next != NULL)
        e->next->before = e->before;
    if (e->before != NULL)
        e->before->next = e->next;
}

uint32_t htonl(uint32_t x)
{
    return __builtin_bswap32(x);
}

uint32_t ntohl(uint32_t x)
{
    return __builtin_bswap32(x);
}

uint16_t htons(uint16_t x)
{
    return __builtin_bswap16(x);
}

uint16_t ntohs(uint16_t x)
{
    return __builtin_bswap16(x);
}
