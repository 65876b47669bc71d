/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pool.h"

#include <string.h>
#include <unistd.h>

#include "base/stop.h"

void mpj_pool_lock(struct mpj_pool *p)
{
    pthread_mutex_lock(&p->lock);
}

void mpj_pool_unlock(struct mpj_pool *p)
{
    pthread_mutex_unlock(&p->lock);
}

void mpj_pool_stop(struct mpj_pool *p)
{
    atomic_store(&p->stopped, true);
}

void mpj_pool_fail(struct mpj_pool *p, const struct mpj_err *err)
{
    if (p->fatal.code != MPJ_E_OK)
        return;
    p->fatal = *err;
    mpj_pool_stop(p);
}

bool mpj_pool_stopping(struct mpj_pool *p)
{
    return atomic_load(&p->stopped) || mpj_stop_count() > 0;
}

/* Takes the next job that is to run; false: none. The lock is held. */
static bool take(struct mpj_pool *p, unsigned *job)
{
    while (p->next < p->jobs && !mpj_pool_stopping(p)) {
        const unsigned i = p->next++;
        const int had = p->had != NULL ? p->had(p->ctx, i, &p->fatal) : 0;
        if (had == 0) {
            if (p->begin != NULL)
                p->begin(p->ctx, i);
            *job = i;
            return true;
        }
        if (had < 0)
            mpj_pool_stop(p);
    }
    return false;
}

/* True if a failed job is to be repeated. The lock is held. */
static bool repeats(struct mpj_pool *p, unsigned job, unsigned tried, const struct mpj_err *err)
{
    const unsigned tries = p->tries > 0 ? p->tries : 1;

    return tried < tries && !mpj_pool_stopping(p) &&
           (p->again == NULL || p->again(p->ctx, job, tried, err));
}

static void *work(void *arg)
{
    struct mpj_pool *const p = arg;
    unsigned job;

    mpj_pool_lock(p);
    while (take(p, &job)) {
        struct mpj_err err;
        unsigned tried = 0;
        int code;
        do {
            memset(&err, 0, sizeof(err));
            mpj_pool_unlock(p);
            code = p->run(p->ctx, job, tried++, &err);
            mpj_pool_lock(p);
        } while (code != MPJ_E_OK && repeats(p, job, tried, &err));
        if (p->done != NULL)
            p->done(p->ctx, job, tried, code, &err);
    }
    mpj_pool_unlock(p);
    return NULL;
}

int mpj_pool_run(struct mpj_pool *p, struct mpj_err *err)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t helper[MPJ_POOL_WORKERS_MAX];
    unsigned workers = p->workers;
    unsigned helpers = 0;

    if (workers == 0)
        workers = processors > 0 ? (unsigned)processors : 1;
    if (workers > p->jobs)
        workers = p->jobs;
    pthread_mutex_init(&p->lock, NULL);
    /* fewer threads than requested only take longer */
    while (helpers + 1 < workers && helpers < MPJ_POOL_WORKERS_MAX &&
           pthread_create(&helper[helpers], NULL, work, p) == 0)
        helpers++;
    work(p);
    while (helpers > 0)
        pthread_join(helper[--helpers], NULL);
    pthread_mutex_destroy(&p->lock);
    if (p->fatal.code == MPJ_E_OK)
        return MPJ_E_OK;
    *err = p->fatal;
    return err->code;
}
