/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../wl_common.h"
#include "events.h"

static bool before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void agenda_add(struct agenda *a, uint64_t time, unsigned kind, unsigned where)
{
    const struct event e = {time, a->made++, (uint16_t)kind, (uint16_t)where};
    size_t i = a->n++;

    if (a->n > a->room) {
        a->room = a->room ? 2 * a->room : 64;
        a->heap = realloc(a->heap, a->room * sizeof(*a->heap));
        if (!a->heap)
            exit(2);
    }
    for (; i > 0 && before(&e, &a->heap[(i - 1) / 2]); i = (i - 1) / 2)
        a->heap[i] = a->heap[(i - 1) / 2];
    a->heap[i] = e;
}

bool agenda_next(struct agenda *a, struct event *e)
{
    size_t i = 0;

    if (a->n == 0)
        return false;
    *e = a->heap[0];
    const struct event last = a->heap[--a->n];
    for (size_t child; (child = 2 * i + 1) < a->n; i = child) {
        if (child + 1 < a->n && before(&a->heap[child + 1], &a->heap[child]))
            child++;
        if (!before(&a->heap[child], &last))
            break;
        a->heap[i] = a->heap[child];
    }
    a->heap[i] = last;
    return true;
}

void agenda_free(struct agenda *a)
{
    free(a->heap);
    *a = (struct agenda){0};
}
