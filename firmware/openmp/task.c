/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explicit tasks. A ready task of a team is in up to three queues at once, all under the team's
 * task lock: the team's (for threads at a barrier), its parent's (for taskwait) and its task
 * group's. A thread that waits in a task only runs children of that task or members of the group it
 * waits for. This satisfies the constraint on tied tasks and cannot deadlock: the tasks it waits
 * for are ready, running, or waiting deeper in the tree. Untied tasks are run as tied ones.
 */
#include "omp.h"
#include "omp_int.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE  512 /* task with its arguments, recycled per thread */
#define BLOCK_CACHE 64
#define THROTTLE    64 /* ready tasks per thread, above which new ones run at once */

/* ---- memory ---------------------------------------------------------------------- */

static struct omp_task *task_alloc(struct omp_thread *thr, size_t extra)
{
    size_t size = sizeof(struct omp_task) + extra;
    struct omp_task *task = thr->task_cache;
    if (size <= BLOCK_SIZE && task) {
        thr->task_cache = task->parent;
        thr->task_cached--;
        size = BLOCK_SIZE;
    } else {
        if (size < BLOCK_SIZE)
            size = BLOCK_SIZE;
        task = malloc(size);
        if (!task)
            omp_fatal("out of memory for a task", NULL);
    }
    memset(task, 0, sizeof(*task));
    task->size = size;
    return task;
}

static void task_free(struct omp_thread *thr, struct omp_task *task)
{
    omp_depend_free(task);
    if (task->size == BLOCK_SIZE && thr->task_cached < BLOCK_CACHE) {
        task->parent = thr->task_cache;
        thr->task_cache = task;
        thr->task_cached++;
    } else {
        free(task);
    }
}

/* Drops a reference, with the lock held: a task lives until it and all its children are done. */
static void task_unref(struct omp_thread *thr, struct omp_task *task)
{
    while (task && !task->implicit && __atomic_sub_fetch(&task->refs, 1, __ATOMIC_ACQ_REL) == 0) {
        struct omp_task *parent = task->undeferred ? NULL : task->parent;
        task_free(thr, task);
        task = parent;
    }
}

void omp_task_init(struct omp_task *task, struct omp_task *parent, struct omp_team *team,
                   const struct omp_icv *icv)
{
    memset(task, 0, sizeof(*task));
    task->parent = parent;
    task->team = team;
    task->icv = *icv;
    task->refs = 1;
}

void omp_task_lock(struct omp_thread *thr, struct omp_team *team)
{
    omp_lock(&team->task_lock, thr->id, MPJ_WAIT_OMP_TASK, NULL);
}

/* ---- queues ---------------------------------------------------------------------- */

static void queue_add(struct omp_queue *queue, int which, struct omp_task *task)
{
    struct omp_task *after = queue->tail;
    while (after && after->priority < task->priority)
        after = after->link[which].prev;
    struct omp_task *next = after ? after->link[which].next : queue->head;
    task->link[which].prev = after;
    task->link[which].next = next;
    if (after)
        after->link[which].next = task;
    else
        __atomic_store_n(&queue->head, task, __ATOMIC_SEQ_CST);
    if (next)
        next->link[which].prev = task;
    else
        queue->tail = task;
}

static void queue_remove(struct omp_queue *queue, int which, struct omp_task *task)
{
    struct omp_link *link = &task->link[which];
    if (link->prev)
        link->prev->link[which].next = link->next;
    else
        __atomic_store_n(&queue->head, link->next, __ATOMIC_RELAXED);
    if (link->next)
        link->next->link[which].prev = link->prev;
    else
        queue->tail = link->prev;
}

void omp_task_ready(struct omp_team *team, struct omp_task *task)
{
    task->queued = true;
    queue_add(&team->queue, OMP_Q_TEAM, task);
    queue_add(&task->parent->ready_children, OMP_Q_CHILD, task);
    if (task->group)
        queue_add(&task->group->queue, OMP_Q_GROUP, task);
    __atomic_fetch_add(&team->queued, 1, __ATOMIC_SEQ_CST);
    if (task->parent->waiter)
        omp_event_signal(&task->parent->waiter->ev, 1);
    if (task->group && task->group->waiter)
        omp_event_signal(&task->group->waiter->ev, 1);
    omp_event_signal(&team->ev, 1);
}

static void task_take(struct omp_team *team, struct omp_task *task)
{
    task->queued = false;
    queue_remove(&team->queue, OMP_Q_TEAM, task);
    queue_remove(&task->parent->ready_children, OMP_Q_CHILD, task);
    if (task->group)
        queue_remove(&task->group->queue, OMP_Q_GROUP, task);
    __atomic_fetch_sub(&team->queued, 1, __ATOMIC_SEQ_CST);
}

/* ---- running --------------------------------------------------------------------- */

/* Announces the end of a task, with the lock held. */
static void task_complete(struct omp_thread *thr, struct omp_team *team, struct omp_task *task)
{
    struct omp_task *parent = task->parent;
    struct omp_taskgroup *group = task->group;
    /* Read first: with the count at 0, the group may be gone. */
    struct omp_thread *group_waiter = group ? group->waiter : NULL;
    omp_depend_done(team, task);
    __atomic_fetch_sub(&parent->children, 1, __ATOMIC_SEQ_CST);
    if (parent->waiter)
        omp_event_signal(&parent->waiter->ev, 1);
    if (group && __atomic_sub_fetch(&group->count, 1, __ATOMIC_SEQ_CST) == 0 && group_waiter)
        omp_event_signal(&group_waiter->ev, 1);
    task_unref(thr, task);
    if (__atomic_sub_fetch(&team->tasks, 1, __ATOMIC_SEQ_CST) == 0)
        omp_event_signal(&team->ev, 1);
}

static void task_execute(struct omp_thread *thr, struct omp_task *task)
{
    struct omp_task *outer = thr->s.task;
    struct omp_team *team = thr->s.team;
    bool cancelled = omp_task_cancelled(task);
    thr->s.task = task;
    if (!cancelled)
        omp_call(task->fn, task->arg);
    thr->s.task = outer;
    omp_task_lock(thr, team);
    task->finished = true;
    if (!task->detach || task->fulfilled || cancelled)
        task_complete(thr, team, task);
    omp_unlock(&team->task_lock);
}

bool omp_task_run_one(struct omp_thread *thr)
{
    struct omp_team *team = thr->s.team;
    omp_task_lock(thr, team);
    struct omp_task *task = team->queue.head;
    if (task)
        task_take(team, task);
    omp_unlock(&team->task_lock);
    if (!task)
        return false;
    task_execute(thr, task);
    return true;
}

/* Runs tasks of the queue until *word is 0. waiter: where those that change the word or fill the
 * queue look for a thread to wake. */
static void wait_running(struct omp_thread *thr, const uint32_t *word, struct omp_queue *queue,
                         struct omp_thread **waiter, const void *object, const void *caller)
{
    struct omp_team *team = thr->s.team;
    unsigned budget = omp_spin_budget(MPJ_WAIT_OMP_TASK);
    unsigned spin = budget;
    omp_task_lock(thr, team);
    for (;;) {
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
            break;
        struct omp_task *task = queue->head;
        if (task) {
            task_take(team, task);
            omp_unlock(&team->task_lock);
            task_execute(thr, task);
            omp_task_lock(thr, team);
            spin = budget;
            continue;
        }
        *waiter = thr;
        omp_unlock(&team->task_lock);
        while (spin > 0 && __atomic_load_n(word, __ATOMIC_RELAXED) != 0 &&
               !__atomic_load_n(&queue->head, __ATOMIC_RELAXED)) {
            struct omp_spin poll;
            omp_spin_begin(&poll, spin, MPJ_WAIT_OMP_TASK, object, caller);
            while (__atomic_load_n(word, __ATOMIC_RELAXED) != 0 &&
                   !__atomic_load_n(&queue->head, __ATOMIC_RELAXED) && omp_spin(&poll))
                ;
            spin = omp_spin_end(&poll);
        }
        uint32_t seq = omp_event_prepare(&thr->ev);
        if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != 0 &&
            !__atomic_load_n(&queue->head, __ATOMIC_SEQ_CST))
            omp_event_sleep(&thr->ev, seq, MPJ_WAIT_OMP_TASK, object, caller);
        else
            omp_event_cancel(&thr->ev);
        omp_task_lock(thr, team);
    }
    *waiter = NULL;
    omp_unlock(&team->task_lock);
}

void omp_task_wait(struct omp_thread *thr, const uint32_t *word, const void *object,
                   const void *caller)
{
    struct omp_task *task = thr->s.task;
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != 0)
        wait_running(thr, word, &task->ready_children, &task->waiter, object, caller);
}

/* ---- creation -------------------------------------------------------------------- */

static void run_undeferred(struct omp_thread *thr, struct omp_task *task, bool depends,
                           const void *caller)
{
    struct omp_task *outer = thr->s.task;
    struct omp_team *team = thr->s.team;
    if (depends)
        omp_task_wait(thr, &task->pending, task, caller);
    if (task->detach)
        task->pending = 1; /* until the event is fulfilled */
    thr->s.task = task;
    omp_call(task->fn, task->arg);
    thr->s.task = outer;
    if (task->detach)
        omp_task_wait(thr, &task->pending, task, caller);
    if (!depends && !task->detach && __atomic_load_n(&task->refs, __ATOMIC_ACQUIRE) == 1) {
        task_free(thr, task);
        return;
    }
    omp_task_lock(thr, team);
    omp_depend_done(team, task);
    task_unref(thr, task);
    omp_unlock(&team->task_lock);
}

void omp_task_spawn(struct omp_thread *thr, const struct omp_task_request *rq, const void *caller)
{
    struct omp_team *team = thr->s.team;
    struct omp_task *parent = thr->s.task;
    if (omp_task_cancelled(parent))
        return;
    uint32_t outstanding = __atomic_load_n(&team->tasks, __ATOMIC_RELAXED);
    bool deferred = rq->deferred && !parent->final;
    void **depend = rq->depend;
    if (deferred && !rq->detach) {
        if (team->n == 1)
            deferred = outstanding != 0; /* alone: there is no reason to defer it */
        else if (__atomic_load_n(&team->queued, __ATOMIC_RELAXED) > THROTTLE * team->n)
            deferred = false;
    }
    if (team->n == 1 && outstanding == 0)
        depend = NULL; /* all earlier tasks are done */

    struct omp_task *task = task_alloc(thr, rq->size + rq->align);
    task->parent = parent;
    task->team = team;
    task->icv = parent->icv;
    task->refs = 1;
    task->group = parent->group;
    task->fn = rq->fn;
    task->final = rq->final || parent->final;
    task->undeferred = !deferred;
    task->priority =
        rq->priority < omp_config.max_task_priority ? rq->priority : omp_config.max_task_priority;
    if (rq->detach) {
        task->detach = true;
        *(void **)rq->detach = task;
        if (rq->data)
            *(void **)rq->data = task; /* the event is the first of the arguments */
    }
    uintptr_t align = rq->align > 1 ? (uintptr_t)rq->align : 1;
    task->arg = (void *)(((uintptr_t)(task + 1) + align - 1) / align * align);
    if (rq->cpyfn)
        rq->cpyfn(task->arg, rq->data);
    else if (rq->size) /* GCC passes data whenever there is a size */
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
        memcpy(task->arg, rq->data, rq->size);
    if (rq->edit)
        rq->edit(task->arg, rq->edit_context);

    if (!deferred) {
        if (depend) {
            omp_task_lock(thr, team);
            omp_depend_add(task, depend);
            omp_unlock(&team->task_lock);
        }
        run_undeferred(thr, task, depend != NULL, caller);
        return;
    }
    omp_task_lock(thr, team);
    __atomic_fetch_add(&parent->refs, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&parent->children, 1, __ATOMIC_SEQ_CST);
    if (task->group)
        __atomic_fetch_add(&task->group->count, 1, __ATOMIC_SEQ_CST);
    team->tasked = true;
    __atomic_fetch_add(&team->tasks, 1, __ATOMIC_SEQ_CST);
    if (depend)
        omp_depend_add(task, depend);
    if (task->pending == 0)
        omp_task_ready(team, task);
    omp_unlock(&team->task_lock);
}

void GOMP_task(gomp_fn *fn, void *data, void (*cpyfn)(void *, void *), long arg_size,
               long arg_align, bool if_clause, unsigned flags, void **depend, int priority,
               void *detach)
{
    struct omp_task_request rq = {
        .fn = fn,
        .data = data,
        .cpyfn = cpyfn,
        .size = (size_t)arg_size,
        .align = (size_t)arg_align,
        .deferred = if_clause,
        .final = (flags & OMP_TASK_FINAL) != 0,
        .depend = flags & OMP_TASK_DEPEND ? depend : NULL,
        .priority = flags & OMP_TASK_PRIORITY ? priority : 0,
        .detach = flags & OMP_TASK_DETACH ? detach : NULL,
    };
    omp_task_spawn(omp_self(), &rq, OMP_CALLER());
}

/* ---- waiting --------------------------------------------------------------------- */

void GOMP_taskwait(void)
{
    struct omp_thread *thr = omp_self();
    omp_task_wait(thr, &thr->s.task->children, thr->s.task, OMP_CALLER());
}

void GOMP_taskwait_depend(void **depend)
{
    struct omp_thread *thr = omp_self();
    struct omp_team *team = thr->s.team;
    if (__atomic_load_n(&thr->s.task->children, __ATOMIC_ACQUIRE) == 0)
        return;
    /* Wait as an empty undeferred task with these dependences would. */
    struct omp_task probe;
    omp_task_init(&probe, thr->s.task, team, &thr->s.task->icv);
    probe.undeferred = true;
    omp_task_lock(thr, team);
    omp_depend_add(&probe, depend);
    omp_unlock(&team->task_lock);
    omp_task_wait(thr, &probe.pending, thr->s.task, OMP_CALLER());
    omp_task_lock(thr, team);
    omp_depend_done(team, &probe);
    omp_unlock(&team->task_lock);
    omp_depend_free(&probe);
}

void GOMP_taskyield(void)
{
    struct omp_thread *thr = omp_self();
    struct omp_team *team = thr->s.team;
    struct omp_task *current = thr->s.task;
    if (!__atomic_load_n(&current->ready_children.head, __ATOMIC_RELAXED)) {
        mpj_rt_yield();
        return;
    }
    omp_task_lock(thr, team);
    struct omp_task *task = current->ready_children.head;
    if (task)
        task_take(team, task);
    omp_unlock(&team->task_lock);
    if (task)
        task_execute(thr, task);
}

void omp_taskgroup_begin(struct omp_thread *thr, struct omp_taskgroup *group)
{
    struct omp_task *task = thr->s.task;
    memset(group, 0, sizeof(*group));
    group->prev = task->group;
    group->reductions = task->group ? task->group->reductions : NULL;
    task->group = group;
}

void omp_taskgroup_finish(struct omp_thread *thr, const void *caller)
{
    struct omp_task *task = thr->s.task;
    struct omp_taskgroup *group = task->group;
    if (__atomic_load_n(&group->count, __ATOMIC_ACQUIRE) != 0)
        wait_running(thr, &group->count, &group->queue, &group->waiter, group, caller);
    task->group = group->prev;
}

void GOMP_taskgroup_start(void)
{
    struct omp_taskgroup *group = malloc(sizeof(*group));
    if (!group)
        omp_fatal("out of memory", NULL);
    omp_taskgroup_begin(omp_self(), group);
}

void GOMP_taskgroup_end(void)
{
    struct omp_thread *thr = omp_self();
    struct omp_taskgroup *group = thr->s.task->group;
    omp_taskgroup_finish(thr, OMP_CALLER());
    free(group);
}

/* ---- detached tasks -------------------------------------------------------------- */

void omp_fulfill_event(omp_event_handle_t event)
{
    struct omp_thread *thr = omp_self();
    struct omp_task *task = (struct omp_task *)event;
    struct omp_team *team = task->team;
    omp_task_lock(thr, team);
    if (task->fulfilled)
        omp_fatal("omp_fulfill_event: event fulfilled twice", NULL);
    task->fulfilled = true;
    if (task->undeferred) {
        __atomic_store_n(&task->pending, 0, __ATOMIC_SEQ_CST);
        if (task->parent->waiter)
            omp_event_signal(&task->parent->waiter->ev, 1);
    } else if (task->finished) {
        task_complete(thr, team, task);
    }
    omp_unlock(&team->task_lock);
}
