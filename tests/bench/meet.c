/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where cores meet: one program for each way in which threads that spin share a
 * cache line. Every thread has a core of its own and does N rounds.
 *
 * usage: meet KIND [THREADS [N]]
 *
 * Prints cycles per round (of one thread, 210 MHz) and the same per round of any
 * thread; the fewest rounds that a thread had done when the first one was ready
 * (fairness); and whether the result is right.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINE    32
#define THREADS 4
#define QUEUE   64

struct line {
    _Alignas(LINE) atomic_uint word;
};

static unsigned threads = 4, rounds = 20000;
static struct line start, lock, serving, flag[THREADS], seen[THREADS], count, phase, head, tail;
static _Alignas(LINE) atomic_uint shared[THREADS]; /* one line */
static _Alignas(LINE) unsigned guarded;
static _Alignas(LINE) volatile unsigned items[QUEUE];
static struct line done[THREADS];
static _Alignas(LINE) volatile unsigned char bytes[THREADS];
struct node;
static _Alignas(LINE) _Atomic(struct node *) top;
static unsigned least[THREADS], sum[THREADS];

static void work(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        __asm__ volatile("");
}

/* Time for other things than the lock: never the same, or the threads would fall into one of
 * several rhythms, and which one were a matter of how they began. */
static void other_work(unsigned id)
{
    static struct {
        _Alignas(LINE) uint32_t state;
    } random[THREADS];
    random[id].state = random[id].state * 1664525U + 1013904223U + id;
    work(8 + (random[id].state >> 27));
}

static void add(unsigned id)
{
    (void)id;
    atomic_fetch_add_explicit(&shared[0], 1, memory_order_relaxed);
}

static void false_sharing(unsigned id)
{
    unsigned v = atomic_load_explicit(&shared[id], memory_order_relaxed);
    atomic_store_explicit(&shared[id], v + 1, memory_order_relaxed);
}

/* Pairs of threads: each answers the other. */
static void ping_pong(unsigned id, unsigned round)
{
    struct line *mine = &flag[id];
    struct line *other = &flag[id ^ 1];
    if (id & 1) {
        while (atomic_load(&other->word) != round + 1)
            ;
        atomic_store(&mine->word, round + 1);
    } else {
        atomic_store(&mine->word, round + 1);
        while (atomic_load(&other->word) != round + 1)
            ;
    }
}

static void tas_lock(void)
{
    while (atomic_exchange(&lock.word, 1))
        ;
}

static void ttas_lock(void)
{
    while (atomic_load(&lock.word) || atomic_exchange(&lock.word, 1))
        ;
}

static void tas_unlock(void)
{
    atomic_store(&lock.word, 0);
}

static void ticket_lock(void)
{
    unsigned mine = atomic_fetch_add(&lock.word, 1);
    while (atomic_load(&serving.word) != mine)
        ;
}

static void ticket_unlock(void)
{
    atomic_store(&serving.word, atomic_load_explicit(&serving.word, memory_order_relaxed) + 1);
}

/* flag: the successor's number; seen: 1 while the thread has to wait. */
static void mcs_lock(unsigned id)
{
    atomic_store_explicit(&flag[id].word, 0, memory_order_relaxed);
    unsigned before = atomic_exchange(&lock.word, id + 1);
    if (before) {
        atomic_store_explicit(&seen[id].word, 1, memory_order_relaxed);
        atomic_store(&flag[before - 1].word, id + 1);
        while (atomic_load(&seen[id].word))
            ;
    }
}

static void mcs_unlock(unsigned id)
{
    unsigned mine = id + 1;
    unsigned next = atomic_load(&flag[id].word);
    if (!next) {
        if (atomic_compare_exchange_strong(&lock.word, &mine, 0))
            return;
        while (!(next = atomic_load(&flag[id].word)))
            ;
    }
    atomic_store(&seen[next - 1].word, 0);
}

static void barrier(void)
{
    unsigned before = atomic_load(&phase.word);
    if (atomic_fetch_add(&count.word, 1) == threads - 1) {
        atomic_store(&count.word, 0);
        atomic_store(&phase.word, before + 1);
    } else {
        while (atomic_load(&phase.word) == before)
            ;
    }
}

/* Thread 0 publishes a value that all others take. */
static void produce(unsigned id, unsigned round)
{
    if (id == 0) {
        guarded = round * 3;
        atomic_store(&phase.word, round + 1);
        for (unsigned i = 1; i < threads; i++)
            while (atomic_load(&seen[i].word) != round + 1)
                ;
    } else {
        while (atomic_load(&phase.word) != round + 1)
            ;
        sum[id] += guarded;
        atomic_store(&seen[id].word, round + 1);
    }
}

/* Thread 0 fills a ring, the others compete for its items. */
static void queue(unsigned id)
{
    unsigned at;
    unsigned item;
    if (id == 0) {
        for (unsigned i = 0; i < threads - 1; i++) {
            at = atomic_load_explicit(&tail.word, memory_order_relaxed);
            while (at - atomic_load(&head.word) == QUEUE)
                ;
            items[at % QUEUE] = at;
            atomic_store(&tail.word, at + 1);
            work(10);
        }
        return;
    }
    do {
        at = atomic_load(&head.word);
        while (atomic_load(&tail.word) == at)
            at = atomic_load(&head.word);
        item = items[at % QUEUE];
    } while (!atomic_compare_exchange_weak(&head.word, &at, at + 1));
    sum[id] += item;
    work(60);
}

/* Each thread puts an element of its own on a stack; nobody takes one. */
static struct node {
    struct node *next;
} nodes[THREADS];

static void push(unsigned id)
{
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    do
        nodes[id].next = old;
    while (!atomic_compare_exchange_weak(&top, &old, &nodes[id]));
}

enum kind {
    ADD,
    FALSE,
    PADDED,
    PINGPONG,
    TAS,
    TTAS,
    TICKET,
    MCS,
    BARRIER,
    FLAG,
    QUEUES,
    PUSH,  /* the rest: nothing between two rounds */
    BYTES, /* of one line */
    TIGHT, /* ticket lock */
    KINDS
};
static const char *const names[KINDS] = {"add",   "false",  "padded", "pingpong", "tas",
                                         "ttas",  "ticket", "mcs",    "barrier",  "flag",
                                         "queue", "push",   "bytes",  "tight"};
static enum kind kind;

static void one(unsigned id, unsigned round)
{
    switch (kind) {
    case ADD:
        add(id);
        if (round % 16 == 0)
            other_work(id);
        break;
    case FALSE:
        false_sharing(id);
        if (round % 16 == 0)
            other_work(id);
        break;
    case PADDED: {
        unsigned v = atomic_load_explicit(&flag[id].word, memory_order_relaxed);
        atomic_store_explicit(&flag[id].word, v + 1, memory_order_relaxed);
        break;
    }
    case PINGPONG:
        ping_pong(id, round);
        break;
    case TAS:
        tas_lock();
        guarded++;
        tas_unlock();
        other_work(id);
        break;
    case TTAS:
        ttas_lock();
        guarded++;
        tas_unlock();
        other_work(id);
        break;
    case TICKET:
        ticket_lock();
        guarded++;
        ticket_unlock();
        other_work(id);
        break;
    case MCS:
        mcs_lock(id);
        guarded++;
        mcs_unlock(id);
        other_work(id);
        break;
    case BARRIER:
        other_work(id);
        barrier();
        break;
    case FLAG:
        produce(id, round);
        break;
    case QUEUES:
        queue(id);
        break;
    case PUSH:
        push(id);
        break;
    case BYTES:
        bytes[id]++;
        break;
    default:
        ticket_lock();
        guarded++;
        ticket_unlock();
        break;
    }
}

static void *thread(void *arg)
{
    unsigned id = (unsigned)(uintptr_t)arg;
    /* All begin together, each with its code in the cache. */
    atomic_fetch_add(&start.word, 1);
    while (atomic_load(&start.word) != threads)
        ;
    for (unsigned i = 0; i < rounds; i++) {
        one(id, i);
        atomic_store_explicit(&done[id].word, i + 1, memory_order_relaxed);
    }
    least[id] = rounds;
    for (unsigned i = 0; i < threads; i++) {
        unsigned n = atomic_load_explicit(&done[i].word, memory_order_relaxed);
        if (n < least[id])
            least[id] = n;
    }
    return NULL;
}

static bool right(void)
{
    unsigned all = threads * rounds;
    unsigned total = 0;
    switch (kind) {
    case ADD:
        return shared[0] == all;
    case FALSE:
        for (unsigned i = 0; i < threads; i++)
            total += shared[i] == rounds;
        return total == threads;
    case TAS:
    case TTAS:
    case TICKET:
    case MCS:
    case TIGHT:
        return guarded == all;
    case BARRIER:
        return phase.word == rounds;
    case FLAG:
        for (unsigned i = 1; i < threads; i++)
            total += sum[i] == 3U * (rounds * (rounds - 1) / 2);
        return total == threads - 1;
    case QUEUES:
        for (unsigned i = 1; i < threads; i++)
            total += sum[i];
        all = rounds * (threads - 1);
        return total == (unsigned)((uint64_t)all * (all - 1) / 2);
    default:
        return true;
    }
}

int main(int argc, char **argv)
{
    pthread_t tid[THREADS];
    struct timespec t[2];
    unsigned fewest = ~0U;
    for (kind = ADD; kind < KINDS && argc > 1; kind++)
        if (strcmp(argv[1], names[kind]) == 0)
            break;
    if (argc > 2)
        threads = (unsigned)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        rounds = (unsigned)strtoul(argv[3], NULL, 10);
    if (argc < 2 || kind == KINDS || threads < 2 || threads > THREADS) {
        (void)fprintf(stderr, "usage: meet KIND [THREADS [N]]\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &t[0]);
    for (unsigned i = 1; i < threads; i++)
        if (pthread_create(&tid[i], NULL, thread, (void *)(uintptr_t)i) != 0)
            return 1;
    thread(NULL);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(tid[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &t[1]);
    for (unsigned i = 0; i < threads; i++)
        if (least[i] < fewest)
            fewest = least[i];
    double cycles =
        ((double)(t[1].tv_sec - t[0].tv_sec) * 1e9 + (double)(t[1].tv_nsec - t[0].tv_nsec)) * 0.21;
    printf("%s: %u threads: %.1f cycles a round, %.1f one of any thread; fewest %u of %u; %s\n",
           names[kind], threads, cycles / rounds, cycles / rounds / threads, fewest, rounds,
           right() ? "right" : "wrong");
    return right() ? 0 : 1;
}
