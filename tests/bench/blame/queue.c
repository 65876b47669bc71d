/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread makes records, three use them, through a queue. Seeds of blame-proof replace lines. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define RECORDS 300
#define ROOM    16
#define USERS   3
#define OUTLINE __attribute__((noinline)) static

struct record {
    uint32_t number;
    uint32_t load[7];
};

static struct record queue[ROOM];
static unsigned head, tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static uint32_t sum[USERS][16];

OUTLINE void copy(struct record *to, const struct record *from)
{
    memcpy(to, from, sizeof(*to));
}

OUTLINE void put(const struct record *r)
{
    pthread_mutex_lock(&lock);
    while (head - tail == ROOM)
        pthread_cond_wait(&emptied, &lock);
    copy(&queue[head++ % ROOM], r);
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

OUTLINE void get(struct record *r)
{
    pthread_mutex_lock(&lock);
    while (head == tail)
        pthread_cond_wait(&filled, &lock);
    copy(r, &queue[tail++ % ROOM]);
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
}

OUTLINE void make(struct record *r, uint32_t number)
{
    r->number = number;
    for (unsigned i = 0; i < 7; i++)
        r->load[i] = number * (i + 3);
    for (volatile int i = 0; i < 40; i++)
        ;
}

OUTLINE uint32_t digest(const struct record *r)
{
    uint32_t v = r->number;
    for (unsigned k = 0; k < 12; k++)
        for (unsigned i = 0; i < 7; i++)
            v = v * 31 + r->load[i];
    return v;
}

static void *user(void *own)
{
    uint32_t *const mine = own;
    struct record r;
    for (get(&r); r.number != 0; get(&r))
        *mine += digest(&r);
    return NULL;
}

OUTLINE void produce(void)
{
    struct record r;
    for (uint32_t i = 1; i <= RECORDS; i++) {
        make(&r, i);
        put(&r);
    }
    r.number = 0;
    for (int i = 0; i < USERS; i++)
        put(&r);
}

int main(void)
{
    pthread_t t[USERS];
    for (int i = 0; i < USERS; i++)
        pthread_create(&t[i], NULL, user, sum[i]);
    produce();
    for (int i = 0; i < USERS; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", (unsigned)(sum[0][0] + sum[1][0] + sum[2][0]));
    return 0;
}
