/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes: fork, exec, copy on write, pipes, futexes in shared memory. */
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stress.h"

static uint32_t tree(unsigned depth, uint32_t sum)
{
    uint32_t left, right;
    pid_t a, b;

    sum = mix(sum, depth);
    if (depth == 0)
        return sum & 0xff;
    a = fork();
    if (a == 0)
        _exit((int)tree(depth - 1, mix(sum, 1)));
    b = fork();
    if (b == 0)
        _exit((int)tree(depth - 1, mix(sum, 2)));
    must(a > 0 && b > 0, "fork");
    left = wait_for(a);
    right = wait_for(b);
    return mix(mix(sum, left), right) & 0xff;
}

uint32_t stress_fork(unsigned round)
{
    return mix(tree(4, round), tree(3, round + 1));
}

static __attribute__((noinline)) pid_t start_child(const char *number, bool shared)
{
    pid_t pid = shared ? vfork() : fork();

    if (pid == 0) {
        execl("/init", "/init", "child", number, (char *)NULL);
        _exit(255);
    }
    must(pid > 0, "fork");
    return pid;
}

uint32_t stress_exec(unsigned round)
{
    uint32_t sum = round;

    for (unsigned i = 0; i < 24; i++) {
        char number[12];

        snprintf(number, sizeof number, "%u", round * 100 + i);
        sum = mix(sum, wait_for(start_child(number, i & 1)));
    }
    return sum;
}

#define COW_PAGES 40

static uint32_t pages_sum(const uint32_t *pages, uint32_t sum)
{
    for (unsigned i = 0; i < COW_PAGES * PAGE / 4; i += 97)
        sum = mix(sum, pages[i]);
    return sum;
}

static void pages_fill(uint32_t *pages, uint32_t seed)
{
    for (unsigned i = 0; i < COW_PAGES * PAGE / 4; i++)
        pages[i] = seed * 0x01000193U + i;
}

/* Makes each generation write to every second page that it shares with the one before. */
static uint32_t generation(uint32_t *pages, unsigned left, uint32_t seed)
{
    uint32_t before = pages_sum(pages, seed), child;
    pid_t pid;

    if (left == 0)
        return before & 0xff;
    pid = fork();
    if (pid == 0) {
        for (unsigned p = left & 1; p < COW_PAGES; p += 2)
            for (unsigned i = 0; i < PAGE / 4; i += 31)
                pages[p * PAGE / 4 + i] += seed + left;
        _exit((int)generation(pages, left - 1, seed + left));
    }
    must(pid > 0, "fork");
    for (unsigned p = 0; p < COW_PAGES; p += 3)
        pages[p * PAGE / 4 + 97] = seed;
    child = wait_for(pid);
    return mix(mix(before, pages_sum(pages, seed)), child) & 0xff;
}

uint32_t stress_cow(unsigned round)
{
    uint32_t *pages =
        mmap(NULL, COW_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    must(pages != MAP_FAILED, "mmap");
    pages_fill(pages, round);
    return generation(pages, 6, round);
}

#define RING 6

static uint32_t ring_member(int in, int out, unsigned member, unsigned laps)
{
    uint32_t token[33], sum = member;

    for (unsigned lap = 0; lap < laps; lap++) {
        must(read(in, token, sizeof token) == (ssize_t)sizeof token, "read");
        for (unsigned i = 0; i < 33; i++)
            token[i] = mix(token[i], member + i);
        sum = mix(sum, token[32]);
        must(write(out, token, sizeof token) == (ssize_t)sizeof token, "write");
    }
    return sum & 0xff;
}

uint32_t stress_pipes(unsigned round)
{
    int link[RING + 1][2];
    uint32_t token[33], sum = round;
    pid_t pid[RING];

    for (unsigned i = 0; i <= RING; i++)
        must(pipe(link[i]) == 0, "pipe");
    for (unsigned i = 0; i < RING; i++) {
        pid[i] = fork();
        if (pid[i] == 0)
            _exit((int)ring_member(link[i][0], link[i + 1][1], i, 40));
        must(pid[i] > 0, "fork");
    }
    memset(token, (int)round, sizeof token);
    for (unsigned lap = 0; lap < 40; lap++) {
        must(write(link[0][1], token, sizeof token) == (ssize_t)sizeof token, "write");
        must(read(link[RING][0], token, sizeof token) == (ssize_t)sizeof token, "read");
        sum = mix(sum, token[lap % 33]);
    }
    for (unsigned i = 0; i < RING; i++)
        sum = mix(sum, wait_for(pid[i]));
    return sum;
}

static void futex_wait(uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, 64, NULL, NULL, 0);
}

struct shared {
    uint32_t turn, lock, count, sum;
};

static void locked_add(struct shared *s, uint32_t value)
{
    while (__atomic_exchange_n(&s->lock, 1, __ATOMIC_ACQUIRE))
        futex_wait(&s->lock, 1);
    s->count++;
    s->sum += value;
    __atomic_store_n(&s->lock, 0, __ATOMIC_RELEASE);
    futex_wake(&s->lock);
}

uint32_t stress_futex(unsigned round)
{
    struct shared *s = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid[4];
    uint32_t sum;

    must(s != MAP_FAILED, "mmap");
    for (unsigned i = 0; i < 4; i++) {
        pid[i] = fork();
        if (pid[i] != 0)
            continue;
        for (unsigned n = 0; n < 60; n++) {
            for (uint32_t turn; (turn = __atomic_load_n(&s->turn, __ATOMIC_ACQUIRE)) % 4 != i;)
                futex_wait(&s->turn, turn);
            s->sum = mix(s->sum, i + n + round);
            __atomic_fetch_add(&s->turn, 1, __ATOMIC_RELEASE);
            futex_wake(&s->turn);
        }
        _exit(0);
    }
    for (unsigned i = 0; i < 4; i++)
        sum = wait_for(pid[i]);
    sum = s->sum;
    s->sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        pid[i] = fork();
        if (pid[i] != 0)
            continue;
        for (unsigned n = 0; n < 100; n++)
            locked_add(s, n * (i + 1));
        _exit(0);
    }
    for (unsigned i = 0; i < 4; i++)
        must(wait_for(pid[i]) == 0, "a process that adds");
    must(s->count == 400, "%u additions under a lock, 400 expected", s->count);
    return mix(sum, s->sum);
}
