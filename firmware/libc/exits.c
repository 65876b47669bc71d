/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * atexit() and its like without a limit. newlib's table has 32 entries: the last one is given to a
 * function that runs all functions registered after the first 31, in reverse order of registration,
 * so that the order is kept.
 */
#include <reent.h>
#include <stdbool.h>

#include "mpj_sched.h"
#include "rlock.h"

#define LAST (_ATEXIT_SIZE - 1)

/* newlib's declarations that its headers lack. */
enum kind { AT_EXIT = 0, ON_EXIT = 1, CXA = 2 };
int __real___register_exitproc(int kind, void (*fn)(void), void *arg, void *dso);
int __wrap___register_exitproc(int kind, void (*fn)(void), void *arg, void *dso);

struct later {
    struct later *before;
    int kind;
    void (*fn)(void);
    void *arg;
};

static struct mpj_rlock lock;
static struct later *latest;
static unsigned registered; /* registered in newlib's table so far: at most LAST */
static bool full;           /* the last entry is registered and has not run yet */

/* Allocates a record, without malloc(): programs that do not use malloc() should not be linked with
 * it. */
static struct later *new_memory(void)
{
    static struct later *next;
    static uint32_t left;

    if (left == 0) {
        struct mpj_stack_note last;
        uint32_t bytes = sizeof(struct later);

        next = (struct later *)mpj_mem_stack_get(&bytes, &last);
        (void)mpj_mem_stack_seen(&last, true);
        if (next == NULL)
            return NULL;
        left = bytes / sizeof(struct later);
    }
    left--;
    return next++;
}

static struct later *taken(void)
{
    struct later *l;

    mpj_rlock_take(&lock, NULL);
    l = latest;
    if (l != NULL)
        latest = l->before;
    else
        full = false;
    mpj_rlock_give(&lock);
    return l;
}

static void run_later(int status, void *arg)
{
    (void)arg;
    for (struct later *l = taken(); l != NULL; l = taken()) {
        if (l->kind == AT_EXIT)
            l->fn();
        else if (l->kind == ON_EXIT)
            ((void (*)(int, void *))l->fn)(status, l->arg);
        else
            ((void (*)(void *))l->fn)(l->arg);
    }
}

static int add(int kind, void (*fn)(void), void *arg)
{
    struct later *const l = new_memory();

    if (l == NULL)
        return -1;
    *l = (struct later){.before = latest, .kind = kind, .fn = fn, .arg = arg};
    latest = l;
    if (!full)
        (void)__real___register_exitproc(ON_EXIT, (void (*)(void))run_later, NULL, NULL);
    full = true;
    return 0;
}

int __wrap___register_exitproc(int kind, void (*fn)(void), void *arg, void *dso)
{
    int r;

    mpj_rlock_take(&lock, __builtin_return_address(0));
    if (registered == LAST)
        r = add(kind, fn, arg);
    else
        r = __real___register_exitproc(kind, fn, arg, dso);
    if (r == 0 && registered < LAST)
        registered++;
    mpj_rlock_give(&lock);
    return r;
}
