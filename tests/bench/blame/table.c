/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four threads take work from a counter and look it up in a table with locks. Seeds of blame-proof
 * replace lines. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS   600
#define BUCKETS 512
#define LOCKS   16
#define CHUNK   16
#define THREADS 4
#define OUTLINE __attribute__((noinline)) static

struct entry {
    struct entry *next;
    uint32_t key[4];
    uint32_t uses;
};

static struct entry entry[WORDS];
static struct entry *bucket[BUCKETS];
static pthread_mutex_t lock[LOCKS];
static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;
static unsigned taken, entries;

OUTLINE void spell(unsigned word, uint32_t key[4])
{
    for (unsigned i = 0; i < 4; i++)
        key[i] = (word * 2654435761U) >> (i * 4);
}

OUTLINE uint32_t hash(const uint32_t key[4])
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 4; i++)
        v = (v ^ key[i]) * 16777619U;
    return v ^ v >> 15;
}

OUTLINE int same(const uint32_t a[4], const uint32_t b[4])
{
    for (unsigned i = 0; i < 4; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

OUTLINE struct entry *find(uint32_t at, const uint32_t key[4])
{
    struct entry *e = bucket[at];
    while (e != NULL && !same(e->key, key))
        e = e->next;
    return e;
}

OUTLINE void insert(uint32_t at, const uint32_t key[4])
{
    struct entry *const e = &entry[__atomic_fetch_add(&entries, 1, __ATOMIC_RELAXED)];
    for (unsigned i = 0; i < 4; i++)
        e->key[i] = key[i];
    e->next = bucket[at];
    bucket[at] = e;
}

OUTLINE void use(unsigned word)
{
    uint32_t key[4];
    uint32_t at;
    struct entry *e;
    spell(word, key);
    at = hash(key) % BUCKETS;
    pthread_mutex_lock(&lock[at % LOCKS]);
    e = find(at, key);
    if (e == NULL)
        insert(at, key);
    else
        e->uses++;
    pthread_mutex_unlock(&lock[at % LOCKS]);
}

OUTLINE unsigned take(void)
{
    unsigned from;
    pthread_mutex_lock(&counter);
    from = taken;
    taken += CHUNK;
    pthread_mutex_unlock(&counter);
    return from;
}

static void *worker(void *arg)
{
    (void)arg;
    for (unsigned from = take(); from < 3 * WORDS; from = take())
        for (unsigned i = 0; i < CHUNK; i++)
            use((from + i) % WORDS);
    return NULL;
}

OUTLINE uint32_t collect(void)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < entries; i++)
        sum += entry[i].uses * entry[i].key[0];
    return sum;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&lock[i], NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", (unsigned)collect());
    return 0;
}
