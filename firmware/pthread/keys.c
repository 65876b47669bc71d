/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thread-specific data. A value belongs to the key that it was set for, not to a later key with the
 * same number. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "pt_int.h"

static struct {
    volatile uint32_t serial; /* odd: in use */
    void (*destructor)(void *value);
} keys[PTHREAD_KEYS_MAX];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *value))
{
    hal_irq_state s = mpj_sched_lock();
    int r = EAGAIN;

    for (unsigned i = 0; i < PTHREAD_KEYS_MAX; i++) {
        if ((keys[i].serial & 1U) != 0)
            continue;
        keys[i].destructor = destructor;
        keys[i].serial++;
        *key = i;
        r = 0;
        break;
    }
    mpj_sched_unlock(s);
    return r;
}

int pthread_key_delete(pthread_key_t key)
{
    hal_irq_state s = mpj_sched_lock();
    int r = EINVAL;

    if (key < PTHREAD_KEYS_MAX && (keys[key].serial & 1U) != 0) {
        keys[key].serial++;
        r = 0;
    }
    mpj_sched_unlock(s);
    return r;
}

static struct pt_key_value of_main[PTHREAD_KEYS_MAX];

/* Returns the thread's table; NULL while it is empty, as it is in most threads. */
static struct pt_key_value *values(const struct mpj_thread *t)
{
    return t->keys_used ? t->keys : NULL;
}

static struct pt_key_value *make_values(struct mpj_thread *t)
{
    if (!t->keys_used) {
        if (t->keys == NULL)
            t->keys = of_main;
        memset(t->keys, 0, PTHREAD_KEYS_MAX * sizeof(struct pt_key_value));
        t->keys_used = true;
    }
    return t->keys;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    struct pt_key_value *v;

    if (key >= PTHREAD_KEYS_MAX || (keys[key].serial & 1U) == 0)
        return EINVAL;
    v = &make_values(mpj_thread_self())[key];
    v->value = (void *)(uintptr_t)value;
    v->serial = keys[key].serial;
    return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
    const struct pt_key_value *v;

    if (key >= PTHREAD_KEYS_MAX)
        return NULL;
    v = values(mpj_thread_self());
    if (v == NULL)
        return NULL;
    v += key;
    return v->serial == keys[key].serial ? v->value : NULL;
}

void pt_keys_run(struct mpj_thread *t)
{
    struct pt_key_value *v = values(t);
    bool again = v != NULL;

    for (unsigned round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        again = false;
        for (unsigned i = 0; i < PTHREAD_KEYS_MAX; i++) {
            void *value = v[i].value;

            if (value == NULL || v[i].serial != keys[i].serial || keys[i].destructor == NULL)
                continue;
            v[i].value = NULL;
            again = true;
            keys[i].destructor(value);
        }
    }
}
