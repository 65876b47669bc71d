/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by all workloads: options, a reproducible random generator, a
 * checksum, time, and the one line of result. Plain C and POSIX, so that a
 * program built with it is an ordinary Linux program.
 *
 * Exit status of every workload: 0 result right, 1 result wrong or a call
 * failed, 2 bad options or no memory.
 */
#ifndef WL_COMMON_H
#define WL_COMMON_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One option "-k VALUE" (or "-kVALUE"), an integer within [min, max]. */
struct wl_opt {
    char key;
    long *value; /* holds the default before, the choice after */
    long min, max;
    const char *help;
};

/* Reads the options; opts ends with a zero key. A bad one ends the program with status 2. */
static inline void wl_options(int argc, char **argv, const struct wl_opt *opts)
{
    for (int i = 1; i < argc; i++) {
        const struct wl_opt *o = opts;
        while (argv[i][0] == '-' && o->key && o->key != argv[i][1])
            o++;
        const char *text = "";
        if (argv[i][0] == '-' && o->key)
            text = argv[i][2] ? argv[i] + 2 : i + 1 < argc ? argv[++i] : "";
        char *end = NULL;
        long v = strtol(text, &end, 0);
        if (!*text || *end || v < o->min || v > o->max) {
            fprintf(stderr, "usage, each option with an integer:\n");
            for (o = opts; o->key; o++)
                fprintf(stderr, "  -%c %ld  %s (%ld..%ld)\n", o->key, *o->value, o->help, o->min,
                        o->max);
            exit(2);
        }
        *o->value = v;
    }
}

/* Returns the next number of a 32-bit linear congruential sequence; use its high bits. */
static inline uint32_t wl_rand(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8 | *state << 24;
}

/* Returns a number uniform in [0, 1). */
static inline double wl_frand(uint32_t *state)
{
    return (double)(wl_rand(state) & 0xffffffu) / 16777216.0;
}

/* Returns a number uniform in [0, n). */
static inline uint32_t wl_below(uint32_t *state, uint32_t n)
{
    return (uint32_t)(((uint64_t)(wl_rand(state) & 0xffffffu) * n) >> 24);
}

#define WL_HASH_INIT 2166136261u

/* Returns the FNV-1a hash of bytes; h is WL_HASH_INIT or an earlier result. */
static inline uint32_t wl_hash(uint32_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

/* Returns zeroed memory; ends the program when there is none. */
static inline void *wl_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) {
        fprintf(stderr, "no memory for %lu x %lu bytes\n", (unsigned long)count,
                (unsigned long)size);
        exit(2);
    }
    return p;
}

/* Ends the program if a call returned an error number, as the pthread functions do. */
static inline void wl_must(int err, const char *what, const char *file, int line)
{
    if (err) {
        fprintf(stderr, "%s:%d: %s: error %d\n", file, line, what, err);
        exit(1);
    }
}
#define WL_MUST(call) wl_must((call), #call, __FILE__, __LINE__)

/* Prints "NAME: ok|WRONG figures" and returns main's exit status. */
__attribute__((format(printf, 3, 4))) static inline int wl_result(const char *name, bool ok,
                                                                  const char *fmt, ...)
{
    va_list ap;
    printf("%s: %s ", name, ok ? "ok" : "WRONG");
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    return ok ? 0 : 1;
}

static inline uint64_t wl_now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Sleeps the whole duration, also when a signal interrupts. */
static inline void wl_sleep_ns(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/*
 * Does a known amount of work that needs the core alone: registers only, no
 * memory, no divide. One unit is 1000 dependent multiply-adds, about 3080 cycles
 * (14.7 us at 210 MHz) at -O2. Equal calls cost equal cycles on every core,
 * whatever else runs: one copy of the loop, at the start of a line, because what
 * a branch costs depends on its address.
 */
__attribute__((noinline, aligned(32), unused)) static uint32_t wl_work(unsigned long units)
{
    uint32_t x = 1;
    for (unsigned long i = units * 1000; i > 0; i--) {
        x = x * 1664525u + 1013904223u;
        __asm__ volatile("" : "+r"(x)); /* keeps the loop as written */
    }
    return x;
}

#endif
