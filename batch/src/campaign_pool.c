/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "run/boards.h"

struct campaign_pool {
    pthread_mutex_t lock;
    unsigned n;
    bool used; /* the campaign's own target */
    struct seat {
        struct run_target target;
        bool used;
    } more[]; /* n - 1 others */
};

static bool same_calibration(const struct run_target *a, const struct run_target *b)
{
    return a->calibration == NULL || b->calibration == NULL
               ? a->calibration == b->calibration
               : strcmp(a->calibration, b->calibration) == 0;
}

/* Takes one more board. MPJ_E_BUSY: none is free. */
static int take_one(struct run_campaign *c, const struct run_options *o, struct run_target *t,
                    struct mpj_err *err)
{
    if (run_target_find(t, o, err) == MPJ_E_OK && !same_calibration(t, &c->target))
        mpj_err_set(err, MPJ_E_BOARDS,
                    "%s and %s have the same tag and different calibrations: a campaign measures "
                    "boards that are alike",
                    c->target.name, t->name);
    else if (t->lock != NULL)
        return MPJ_E_OK;
    run_target_release(t);
    return err->code;
}

int campaign_pool_take(struct run_campaign *c, struct mpj_err *err)
{
    const unsigned most = c->meter_channel == NULL && c->o.jobs > 0 ? c->o.jobs : 1;
    struct run_options o = c->o;
    int result = MPJ_E_OK;

    if (strncmp(o.target, RUN_ANY, strlen(RUN_ANY)) != 0)
        return MPJ_E_OK;
    o.wait_s = 0;
    c->pool = calloc(1, sizeof(*c->pool) + (most - 1) * sizeof(c->pool->more[0]));
    if (c->pool == NULL)
        return mpj_err_nomem(err);
    pthread_mutex_init(&c->pool->lock, NULL);
    for (c->pool->n = 1; c->pool->n < most && result == MPJ_E_OK;) {
        result = take_one(c, &o, &c->pool->more[c->pool->n - 1].target, err);
        c->pool->n += result == MPJ_E_OK;
    }
    return result == MPJ_E_BUSY ? MPJ_E_OK : result;
}

void campaign_pool_release(struct run_campaign *c)
{
    for (unsigned i = 1; c->pool != NULL && i < c->pool->n; i++)
        run_target_release(&c->pool->more[i - 1].target);
    if (c->pool != NULL)
        pthread_mutex_destroy(&c->pool->lock);
    free(c->pool);
    c->pool = NULL;
}

unsigned campaign_pool_size(const struct run_campaign *c)
{
    if (c->pool != NULL)
        return c->pool->n;
    return run_target_is_board(&c->target) || c->meter_channel != NULL ? 1 : c->o.jobs;
}

const struct run_target *campaign_pool_get(const struct run_campaign *c)
{
    struct campaign_pool *const p = c->pool;
    const struct run_target *found = &c->target;

    if (p == NULL)
        return found;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; p->used && i + 1 < p->n; i++) {
        if (p->more[i].used)
            continue;
        p->more[i].used = true;
        found = &p->more[i].target;
        break;
    }
    if (found == &c->target)
        p->used = true;
    pthread_mutex_unlock(&p->lock);
    return found;
}

void campaign_pool_put(const struct run_campaign *c, const struct run_target *t)
{
    struct campaign_pool *const p = c->pool;

    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    if (t == &c->target)
        p->used = false;
    for (unsigned i = 0; i + 1 < p->n; i++)
        p->more[i].used = p->more[i].used && t != &p->more[i].target;
    pthread_mutex_unlock(&p->lock);
}
