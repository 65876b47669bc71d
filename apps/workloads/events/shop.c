/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../wl_common.h"
#include "events.h"

enum { ARRIVAL, DONE };

struct customer {
    struct customer *next;
    uint64_t came;
};

struct station {
    struct customer *first, *last;
    unsigned waiting;
    unsigned servers, busy;
    struct customer *served[4];
};

struct shop {
    struct agenda agenda;
    struct station station[STATIONS];
    struct outcome out;
    uint32_t state;
    uint64_t now;
    uint64_t inside;
};

/* Returns an about exponential time in whole microseconds: random bits until one is 0. */
static uint64_t some_time(struct shop *s, uint32_t mean)
{
    uint64_t time = wl_below(&s->state, mean);

    while (wl_below(&s->state, 2) != 0)
        time += mean / 2;
    return time + 1;
}

static void serve(struct shop *s, unsigned where)
{
    struct station *at = &s->station[where];

    while (at->busy < at->servers && at->first) {
        struct customer *c = at->first;
        unsigned server = 0;

        at->first = c->next;
        at->waiting--;
        while (at->served[server])
            server++;
        at->served[server] = c;
        at->busy++;
        agenda_add(&s->agenda, s->now + some_time(s, 900), DONE, where * 4 + server);
    }
}

static void join(struct shop *s, unsigned where, struct customer *c)
{
    struct station *at = &s->station[where];

    c->next = NULL;
    if (at->first)
        at->last->next = c;
    else
        at->first = c;
    at->last = c;
    at->waiting++;
    serve(s, where);
}

static void leave(struct shop *s, struct customer *c)
{
    s->out.left++;
    s->inside--;
    s->out.spent += s->now - c->came;
    free(c);
}

static void done(struct shop *s, unsigned which)
{
    struct station *at = &s->station[which / 4];
    struct customer *c = at->served[which % 4];

    at->served[which % 4] = NULL;
    at->busy--;
    const unsigned next = wl_below(&s->state, STATIONS + 2);
    if (next < STATIONS)
        join(s, next, c);
    else
        leave(s, c);
    serve(s, which / 4);
}

static void arrive(struct shop *s, unsigned customers)
{
    struct customer *c = wl_alloc(1, sizeof(*c));

    c->came = s->now;
    s->inside++;
    if (++s->out.arrived < customers)
        agenda_add(&s->agenda, s->now + some_time(s, 600), ARRIVAL, 0);
    join(s, wl_below(&s->state, STATIONS), c);
}

/* Checks that as many customers are in queues and with servers as came and have not left. */
static bool agrees(const struct shop *s)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < STATIONS; i++)
        n += s->station[i].waiting + s->station[i].busy;
    return n == s->inside && s->out.arrived - s->out.left == n;
}

struct outcome shop_run(unsigned customers, uint32_t seed)
{
    struct shop s = {.state = seed, .out = {.hash = WL_HASH_INIT, .right = true}};
    struct event e;

    for (unsigned i = 0; i < STATIONS; i++)
        s.station[i].servers = 1 + i % 4;
    agenda_add(&s.agenda, 0, ARRIVAL, 0);
    while (agenda_next(&s.agenda, &e)) {
        const uint32_t what[3] = {(uint32_t)e.time, e.kind, e.where};

        s.out.right = s.out.right && e.time >= s.now;
        s.out.area += s.inside * (e.time - s.now);
        s.now = e.time;
        if (e.kind == ARRIVAL)
            arrive(&s, customers);
        else
            done(&s, e.where);
        s.out.events++;
        s.out.hash = wl_hash(s.out.hash, what, sizeof(what));
        s.out.right = s.out.right && agrees(&s);
    }
    s.out.end = s.now;
    agenda_free(&s.agenda);
    return s.out;
}
