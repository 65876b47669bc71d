/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task dependences. For each address that its children name, the parent keeps the last unfinished
 * writer and the readers since then; a new task gets an edge from each of those it must wait for,
 * and waits for older tasks through them. All with the task lock held.
 */
#include "omp_int.h"
#include <stdlib.h>
#include <string.h>

#define BUCKETS 64

struct slot {
    struct slot *next;
    const void *addr;
    struct omp_task *writer;
    struct omp_dep *readers;
};

struct omp_dep {
    struct omp_task *task;
    struct slot *slot;
    struct omp_dep *next, **link; /* among the slot's readers; link NULL: not in that list */
    bool out;
};

struct omp_dep_table {
    struct slot *bucket[BUCKETS];
};

/* Kinds in an omp_depend_t, as the compiler writes them. */
enum { KIND_IN = 1 };

static struct slot **slot_find(struct omp_dep_table *table, const void *addr)
{
    uintptr_t key = (uintptr_t)addr;
    struct slot **at = &table->bucket[(key >> 2 ^ key >> 8 ^ key >> 14) % BUCKETS];
    while (*at && (*at)->addr != addr)
        at = &(*at)->next;
    return at;
}

static void *must(void *ptr)
{
    if (!ptr)
        omp_fatal("out of memory for task dependences", NULL);
    return ptr;
}

static void edge(struct omp_task *before, struct omp_task *after)
{
    if (before == after)
        return;
    if (before->nsucc == before->succ_cap) {
        before->succ_cap = before->succ_cap ? 2 * before->succ_cap : 4;
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): it is an array of pointers */
        before->succ = must(realloc(before->succ, before->succ_cap * sizeof(before->succ[0])));
    }
    before->succ[before->nsucc++] = after;
    after->pending++;
}

static void add_one(struct omp_task *task, const void *addr, bool out)
{
    struct slot **at = slot_find(task->parent->table, addr);
    struct slot *slot = *at;
    if (!slot) {
        slot = must(calloc(1, sizeof(*slot)));
        slot->addr = addr;
        *at = slot;
    }
    if (slot->writer == task)
        return; /* the same dependence was named twice */
    struct omp_dep *dep = &task->deps[task->ndeps++];
    *dep = (struct omp_dep){.task = task, .slot = slot, .out = out};
    if (!out) {
        if (slot->writer)
            edge(slot->writer, task);
        dep->next = slot->readers;
        dep->link = &slot->readers;
        if (dep->next)
            dep->next->link = &dep->next;
        slot->readers = dep;
        return;
    }
    if (slot->readers) {
        struct omp_dep *next;
        for (struct omp_dep *reader = slot->readers; reader; reader = next) {
            next = reader->next;
            edge(reader->task, task);
            reader->link = NULL;
        }
        slot->readers = NULL;
    } else if (slot->writer) {
        edge(slot->writer, task);
    }
    slot->writer = task;
}

/*
 * Adds the dependences of the compiler's array: either {count, count of out, addresses...}, or {0,
 * count, out, mutexinoutset, in, addresses..., depend objects...}. Tasks of a mutexinoutset are run
 * one after the other, like inout.
 */
void omp_depend_add(struct omp_task *task, void **depend)
{
    uintptr_t *head = (uintptr_t *)depend;
    size_t count = head[0];
    size_t writers = head[1];
    size_t plain = count;
    void **addr = depend + 2;
    if (count == 0) {
        count = head[1];
        writers = head[2] + head[3];
        plain = writers + head[4];
        addr = depend + 5;
    }
    if (count == 0)
        return;
    if (!task->parent->table)
        task->parent->table = must(calloc(1, sizeof(struct omp_dep_table)));
    task->deps = must(malloc(count * sizeof(struct omp_dep)));
    for (size_t i = 0; i < count; i++) {
        if (i < plain) {
            add_one(task, addr[i], i < writers);
        } else {
            void **object = addr[i];
            add_one(task, object[0], (uintptr_t)object[1] != KIND_IN);
        }
    }
}

void omp_depend_done(struct omp_team *team, struct omp_task *task)
{
    for (unsigned i = 0; i < task->ndeps; i++) {
        struct omp_dep *dep = &task->deps[i];
        struct slot *slot = dep->slot;
        if (dep->out) {
            if (slot->writer != task)
                continue;
            slot->writer = NULL;
        } else {
            if (!dep->link)
                continue;
            *dep->link = dep->next;
            if (dep->next)
                dep->next->link = dep->link;
        }
        if (!slot->writer && !slot->readers) {
            *slot_find(task->parent->table, slot->addr) = slot->next;
            free(slot);
        }
    }
    task->ndeps = 0;
    for (unsigned i = 0; i < task->nsucc; i++) {
        struct omp_task *after = task->succ[i];
        if (__atomic_sub_fetch(&after->pending, 1, __ATOMIC_SEQ_CST) > 0)
            continue;
        if (!after->undeferred)
            omp_task_ready(team, after);
        else if (after->parent->waiter)
            omp_event_signal(&after->parent->waiter->ev, 1);
    }
    task->nsucc = 0;
}

void omp_depend_free(struct omp_task *task)
{
    free(task->deps);
    free(task->succ);
    free(task->table);
    task->deps = NULL;
    task->succ = NULL;
    task->table = NULL;
}
