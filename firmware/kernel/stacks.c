/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

#include <stddef.h>
#include <string.h>

void mpj_stacks_init(struct mpj_stacks *s, uintptr_t heap, uintptr_t top,
                     bool (*guard)(uintptr_t page), void (*unguard)(uintptr_t page))
{
    s->brk = s->peak = heap;
    s->top = top & ~(uintptr_t)(MPJ_STACKS_PAGE - 1U);
    s->floor = s->lowest = s->ready = s->top;
    s->guard = guard;
    s->unguard = unguard;
    s->forget = NULL;
    s->count = 0;
}

static uintptr_t end_of(const struct mpj_stacks *s, unsigned i)
{
    return i == 0 ? s->top : s->block[i - 1U].base;
}

static void use(struct mpj_stacks *s, unsigned i)
{
    s->block[i].used = true;
    if (!s->block[i].guarded)
        s->block[i].guarded = s->guard(s->block[i].base);
}

static void remove_at(struct mpj_stacks *s, unsigned i)
{
    s->count--;
    memmove(&s->block[i], &s->block[i + 1U], (s->count - i) * sizeof(s->block[0]));
}

static void forget(struct mpj_stacks *s, unsigned i)
{
    if (s->block[i].last.top != 0 && s->forget != NULL)
        s->forget(&s->block[i].last);
    s->block[i].last = (struct mpj_stack_note){0};
}

static void drop_guard(struct mpj_stacks *s, unsigned i)
{
    if (s->block[i].guarded)
        s->unguard(s->block[i].base);
    s->block[i].guarded = false;
}

/* Returns the smallest free block that is large enough; -1: there is none. */
static int best(const struct mpj_stacks *s, uintptr_t need)
{
    int found = -1;
    uintptr_t size_found = 0;

    for (unsigned i = 0; i < s->count; i++) {
        uintptr_t size = end_of(s, i) - s->block[i].base;

        if (s->block[i].used || size < need)
            continue;
        if (found < 0 || size < size_found) {
            found = (int)i;
            size_found = size;
        }
    }
    return found;
}

/* Makes one block of each run of free ones, and gives the lowest back to the heap. */
static void tidy(struct mpj_stacks *s)
{
    for (unsigned i = 0; i + 1U < s->count;) {
        if (s->block[i].used || s->block[i + 1U].used) {
            i++;
            continue;
        }
        drop_guard(s, i);
        forget(s, i);
        remove_at(s, i);
    }
    if (s->count > 0 && !s->block[s->count - 1U].used) {
        s->count--;
        drop_guard(s, s->count);
        forget(s, s->count);
        s->floor = end_of(s, s->count);
    }
}

static int extend(struct mpj_stacks *s, uintptr_t need)
{
    bool ready;

    if (s->count == MPJ_STACKS_MAX || s->floor < need || s->floor - need < s->brk + MPJ_STACKS_ROOM)
        return -1;
    ready = s->floor <= s->lowest && s->floor - need >= s->ready && s->floor - need >= s->peak;
    s->floor -= need;
    if (s->floor < s->lowest)
        s->lowest = s->floor;
    s->block[s->count].base = s->floor;
    s->block[s->count].guarded = false;
    s->block[s->count].last = (struct mpj_stack_note){.ready = ready};
    return (int)s->count++;
}

/* Makes the upper part of a free block a block, with the note; the lower part stays free and keeps
 * its guard. */
static void split(struct mpj_stacks *s, unsigned at, uintptr_t need)
{
    uintptr_t base = end_of(s, at) - need;

    if (base == s->block[at].base || s->count == MPJ_STACKS_MAX)
        return;
    memmove(&s->block[at + 1U], &s->block[at], (s->count - at) * sizeof(s->block[0]));
    s->count++;
    s->block[at].base = base;
    s->block[at].guarded = false;
    s->block[at + 1U].last = (struct mpj_stack_note){0};
}

uintptr_t mpj_stacks_get(struct mpj_stacks *s, uint32_t *bytes, struct mpj_stack_note *last)
{
    uintptr_t need;
    int i;

    *last = (struct mpj_stack_note){0};
    if (*bytes > s->top - MPJ_STACKS_PAGE * 2U)
        return 0;
    need = (*bytes + 2U * MPJ_STACKS_PAGE - 1U) & ~(uintptr_t)(MPJ_STACKS_PAGE - 1U);
    /* A block that fits as it is costs nothing: threads come and go with equal stacks. Then new
     * memory, as long as there is plenty, and only then order among the old: what is free at the
     * bottom goes back to the heap, the rest is taken in parts. */
    i = best(s, need);
    if (i >= 0 && end_of(s, (unsigned)i) - s->block[i].base > need + need / 4U)
        i = -1;
    if (i < 0 && s->floor - s->brk > (s->top - s->brk) / 4U)
        i = extend(s, need);
    if (i < 0) {
        tidy(s);
        i = best(s, need);
        if (i >= 0)
            split(s, (unsigned)i, need);
        else
            i = extend(s, need);
    }
    if (i < 0)
        return 0;
    use(s, (unsigned)i);
    *last = s->block[i].last;
    s->block[i].last = (struct mpj_stack_note){0};
    *bytes = (uint32_t)(end_of(s, (unsigned)i) - s->block[i].base - MPJ_STACKS_PAGE);
    return s->block[i].base + MPJ_STACKS_PAGE;
}

void mpj_stacks_put(struct mpj_stacks *s, uintptr_t usable, const struct mpj_stack_note *last)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->block[i].base + MPJ_STACKS_PAGE == usable) {
            s->block[i].used = false;
            s->block[i].last = *last;
        }
    }
}

void mpj_stacks_forget(struct mpj_stacks *s)
{
    for (unsigned i = 0; i < s->count; i++)
        forget(s, i);
}

bool mpj_stacks_is_guard(const struct mpj_stacks *s, uintptr_t addr)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->block[i].guarded && addr >= s->block[i].base &&
            addr - s->block[i].base < MPJ_STACKS_PAGE)
            return true;
    }
    return false;
}

uintptr_t mpj_stacks_sbrk(struct mpj_stacks *s, intptr_t by, uintptr_t heap_start)
{
    uintptr_t old = s->brk;

    if (by > 0 && (uintptr_t)by > s->floor - old)
        tidy(s);
    if (by >= 0 ? (uintptr_t)by > s->floor - old : (uintptr_t)-by > old - heap_start)
        return 0;
    s->brk = old + (uintptr_t)by;
    if (s->brk > s->peak)
        s->peak = s->brk;
    return old;
}
