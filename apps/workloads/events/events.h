/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Discrete events in the order of their times, and a shop of queues that they move. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
    uint64_t time;
    uint32_t order; /* order of events of the same time */
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
/* Removes the next event and returns it; false: there is none. */
bool agenda_next(struct agenda *a, struct event *e);
void agenda_free(struct agenda *a);

#define STATIONS 4

/* Result of a run of the shop. */
struct outcome {
    uint64_t events, arrived, left, end;
    uint64_t area;  /* customers times time, from the number present */
    uint64_t spent; /* the same from each customer's time: equal */
    uint32_t hash;  /* of the events in their order */
    bool right;     /* the queues are consistent */
};

/* Simulates customers who come, are served at randomly chosen stations, and leave. */
struct outcome shop_run(unsigned customers, uint32_t seed);

#endif
