/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Discrete events in the order of their times, and a shop of queues that they move. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
    uint64_t time;
    uint32_t order; /* of events of one time */
    uint16_t kind;
    uint16_t where;
};

/* A binary heap: the earliest event first. */
struct agenda {
    struct event *heap;
    size_t n, room;
    uint32_t made;
};

void agenda_add(struct agenda *a, uint64_t time, unsigned kind, unsigned where);
/* The next event, and it is gone; false: there is none. */
bool agenda_next(struct agenda *a, struct event *e);
void agenda_free(struct agenda *a);

#define STATIONS 4

/* What a run of the shop says of itself. */
struct outcome {
    uint64_t events, arrived, left, end;
    uint64_t area;  /* customers times time, from how many there were */
    uint64_t spent; /* the same from when each came and left: equal */
    uint32_t hash;  /* of the events in their order */
    bool right;     /* the queues agree with each other */
};

/* Customers come, are served at stations that choose the next one by chance, and leave. */
struct outcome shop_run(unsigned customers, uint32_t seed);

#endif
