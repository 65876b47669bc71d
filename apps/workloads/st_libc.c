/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of what the C library shares between threads: malloc and its kin,
 * errno, thread-local variables (initialised, zero, and one of 64 KB), formatted
 * output and input of doubles, strtok_r, qsort, setjmp, and the clocks.
 */
#include "wl_stress.h"
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#define SLOTS 24

static long threads = 16, rounds = 25, seed = 1;

static _Thread_local long initialised = 4711;
static _Thread_local long zero;
static _Thread_local unsigned char large[65536];

struct slot {
    unsigned char *data;
    size_t size;
    unsigned char fill;
};

static bool intact(const struct slot *s)
{
    for (size_t i = 0; i < s->size; i++)
        if (s->data[i] != s->fill)
            return false;
    return true;
}

/* Does one random step of allocation on one slot; blocks never change threads. */
static void heap_step(struct slot *s, uint32_t *state)
{
    size_t size = 1 + wl_below(state, wl_below(state, 16) ? 300 : 20000);
    WL_EXPECT(intact(s));
    switch (wl_below(state, 4)) {
    case 0:
        free(s->data);
        s->data = NULL;
        s->size = 0;
        return;
    case 1: {
        unsigned char *p = realloc(s->data, size);
        if (!WL_EXPECT(p != NULL))
            return;
        for (size_t i = 0; i < size && i < s->size; i++)
            if (!WL_EXPECT(p[i] == s->fill))
                break;
        s->data = p;
        break;
    }
    case 2:
        free(s->data);
        s->data = calloc(1, size);
        if (!WL_EXPECT(s->data != NULL))
            return;
        WL_EXPECT(s->data[0] == 0 && s->data[size - 1] == 0);
        break;
    default:
        free(s->data);
        s->data = malloc(size);
        if (!WL_EXPECT(s->data != NULL))
            return;
        WL_EXPECT((uintptr_t)s->data % 8 == 0);
        break;
    }
    s->size = size;
    s->fill = (unsigned char)wl_rand(state);
    memset(s->data, s->fill, size);
}

static int by_value(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void strings(long id, uint32_t *state)
{
    char text[128], back[128];
    double value = (double)(int32_t)wl_rand(state) / 1024.0, read = 0;
    snprintf(text, sizeof text, "%ld:%.10f:%08lx:%e", id, value, (unsigned long)wl_rand(state),
             value);
    wl_jitter(state);
    char *rest = NULL, *part = strtok_r(text, ":", &rest);
    WL_EXPECT(part && atol(part) == id);
    part = strtok_r(NULL, ":", &rest);
    WL_EXPECT(part && strtod(part, NULL) == value);
    part = strtok_r(NULL, ":", &rest);
    WL_EXPECT(part && strlen(part) == 8 && isxdigit((unsigned char)part[0]));
    part = strtok_r(NULL, ":", &rest);
    WL_EXPECT(part && sscanf(part, "%lf", &read) == 1 && fabs(read - value) <= fabs(value) * 1e-6);
    WL_EXPECT(strtok_r(NULL, ":", &rest) == NULL);
    snprintf(back, sizeof back, "%5.1f|%-6d|%+d|%s", 2.25, -7, 8, "x");
    WL_EXPECT(strcmp(back, "  2.2|-7    |+8|x") == 0);
}

static void sorting(uint32_t *state)
{
    uint32_t v[50];
    for (int i = 0; i < 50; i++)
        v[i] = wl_rand(state);
    qsort(v, 50, sizeof *v, by_value);
    for (int i = 1; i < 50; i++)
        WL_EXPECT(v[i - 1] <= v[i]);
}

static void jumps(uint32_t *state)
{
    jmp_buf env;
    volatile int count = 0;
    int want = 1 + (int)wl_below(state, 5);
    if (setjmp(env) < want) {
        count++;
        wl_jitter(state);
        longjmp(env, count);
    }
    WL_EXPECT(count == want);
}

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    uint32_t state = wl_seed(seed, arg);
    struct slot slot[SLOTS] = {{0}};
    WL_EXPECT(initialised == 4711 && zero == 0);
    for (size_t i = 0; i < sizeof large; i += 4096)
        WL_EXPECT(large[i] == 0);
    memset(large, (int)id + 1, sizeof large);
    uint64_t before = wl_now_ns();
    for (long r = 0; r < rounds; r++) {
        initialised += id;
        zero += r;
        errno = (int)id + 1000;
        for (int k = 0; k < 4; k++)
            heap_step(&slot[wl_below(&state, SLOTS)], &state);
        jumps(&state);
        sorting(&state);
        wl_jitter(&state);
        WL_EXPECT(errno == (int)id + 1000);
        strings(id, &state);
        uint64_t now = wl_now_ns();
        WL_EXPECT(now >= before);
        before = now;
    }
    WL_EXPECT(initialised == 4711 + id * rounds);
    WL_EXPECT(zero == rounds * (rounds - 1) / 2);
    for (size_t i = 0; i < sizeof large; i += 512)
        WL_EXPECT(large[i] == (unsigned char)(id + 1));
    for (int i = 0; i < SLOTS; i++) {
        WL_EXPECT(intact(&slot[i]));
        free(slot[i].data);
    }
    return NULL;
}

/* Compares clocks: they agree on how long 5 ms are; a nested measurement is not longer. */
static void clocks(void)
{
    struct timeval start, end;
    struct tms t;
    long hz = sysconf(_SC_CLK_TCK);
    uint64_t ns = wl_now_ns();
    WL_EXPECT(gettimeofday(&start, NULL) == 0);
    clock_t ticks = times(&t);
    wl_sleep_ns(5000000);
    ticks = times(&t) - ticks;
    WL_EXPECT(gettimeofday(&end, NULL) == 0);
    ns = wl_now_ns() - ns;
    int64_t us = (int64_t)(end.tv_sec - start.tv_sec) * 1000000 + end.tv_usec - start.tv_usec;
    int64_t tick_us = hz > 0 ? (int64_t)ticks * 1000000 / hz : 0;
    WL_EXPECT(ns >= 5000000 && us >= 4999 && us <= (int64_t)(ns / 1000) + 1);
    WL_EXPECT(hz > 0 && tick_us <= (int64_t)(ns / 1000) + 2000000 / hz);
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'t', &threads, 1, WL_MAXTHREADS, "threads"},
        {'n', &rounds, 1, 1000000, "rounds"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    wl_team(threads, worker);
    WL_EXPECT(initialised == 4711 && zero == 0 && large[0] == 0);
    clocks();
    return wl_result("st_libc", wl_failures == 0, "threads=%ld rounds=%ld seed=%ld", threads,
                     rounds, seed);
}
