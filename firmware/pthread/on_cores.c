/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpj_on_cores(): runs a function in a pinned thread on each core. */
#include <stddef.h>

#include "mpj.h"
#include "mpj_prof.h"
#include "pt_int.h"

struct call {
    void (*fn)(void *arg);
    void *arg;
};

static void *run(void *arg)
{
    const struct call *c = arg;

    c->fn(c->arg);
    return NULL;
}

unsigned mpj_core_count(void)
{
    return mpj_rt_cores();
}

int mpj_on_cores(unsigned n, void (*fn)(void *arg), void *arg)
{
    struct call call = {fn, arg};
    struct mpj_thread *self = mpj_thread_self();
    uint32_t before = self->run.affinity;
    uint32_t mask = pt_cores();
    pthread_t thread[HAL_CORES_MAX];
    uint32_t made = 0;
    int result = 0;
    unsigned here;

    if (n < 1)
        n = 1;
    if (n < mpj_core_count())
        mask &= (1U << n) - 1U;
    here = hal_cpu_id();
    if ((mask & (1U << here)) == 0)
        here = 0;
    mpj_thread_set(self, self->run.priority, 1U << here, self->slices);
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        pthread_attr_t attr;

        if (i == here || (mask & (1U << i)) == 0)
            continue;
        (void)pthread_attr_init(&attr);
        pt_attr_set_affinity(&attr, 1U << i);
        int failed = pthread_create(&thread[i], &attr, run, &call);
        if (failed == 0)
            made |= 1U << i;
        else
            result = failed;
    }
    fn(arg);
    /* There is nothing to do but wait: sends the samples gathered so far. */
    mpj_thread_hold();
    if (mpj_prof_wants_drain())
        mpj_prof_drain();
    mpj_thread_release();
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        if ((made & (1U << i)) != 0)
            (void)pthread_join(thread[i], NULL);
    }
    mpj_thread_set(self, self->run.priority, before, self->slices);
    return result;
}

int mpj_on_all_cores(void (*fn)(void *arg), void *arg)
{
    return mpj_on_cores(HAL_CORES_MAX, fn, arg);
}
