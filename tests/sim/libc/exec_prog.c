/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the program writes: memory of mmap() and mprotect() with PROT_EXEC, on all cores at
 * once, written over again and again. With an argument (but for an option): a jump into memory that
 * may not be executed.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/cachectl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE    4096U
#define THREADS 4U
#define ROUNDS  40U

typedef unsigned function(void);

static uint32_t data[3 * PAGE / 4] __attribute__((aligned(4096)));
static pthread_barrier_t barrier;
static uint32_t *volatile text;
static unsigned wrong;

/* mov r0, #n; bx lr */
static void write_code(uint32_t *at, unsigned n)
{
    at[0] = 0xe3a00000U | n;
    at[1] = 0xe12fff1eU;
}

static unsigned call(const uint32_t *at)
{
    return ((function *)(uintptr_t)at)();
}

static void put(uint32_t *at, unsigned n)
{
    write_code(at, n);
    __builtin___clear_cache((char *)at, (char *)(at + 2));
}

static void check(const char *what, unsigned is, unsigned wanted)
{
    if (is != wanted) {
        printf("%s: %u, not %u\n", what, is, wanted);
        wrong++;
    }
}

static void check_error(const char *what, bool is)
{
    check(what, is, true);
}

/* Each in turn writes what all then execute. */
static void *work(void *arg)
{
    const unsigned me = (unsigned)(uintptr_t)arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (i % THREADS == me)
            put(text, i);
        pthread_barrier_wait(&barrier);
        check("thread", call(text), i);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t t[THREADS];

    text = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check_error("mmap", text != MAP_FAILED);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    check_error("munmap", munmap(text, PAGE) == 0);
}

/* Written first, then made executable: as compilers at run time do it. */
static void protect(void)
{
    uint32_t *heap = aligned_alloc(PAGE, 40 * PAGE);
    uint32_t *large = aligned_alloc(PAGE, 20 * PAGE);

    for (unsigned i = 0; i < 40; i += 3) {
        uint32_t *page = heap + i * PAGE / 4;

        put(page, i);
        check_error("mprotect", mprotect(page, PAGE, PROT_READ | PROT_EXEC) == 0);
        check("heap", call(page), i);
    }
    check_error("large", mprotect(large, 20 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    for (unsigned i = 0; i < 20 * PAGE / 8; i++)
        write_code(&large[2 * i], i % 256);
    cacheflush(large, 20 * PAGE, BCACHE);
    for (unsigned i = 0; i < 20 * PAGE / 8; i += 7)
        check("large", call(&large[2 * i]), i % 256);
    check_error("data", mprotect(&data[PAGE / 4], PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    write_code(&data[PAGE / 4], 77);
    syscall(__ARM_NR_cacheflush, &data[PAGE / 4], &data[PAGE / 4 + 2], 0);
    check("data", call(&data[PAGE / 4]), 77);
    check_error("odd", mprotect((char *)heap + 1, 1, PROT_EXEC) != 0);
    check_error("code", mprotect((void *)((uintptr_t)write_code & ~(uintptr_t)(PAGE - 1)), PAGE,
                                 PROT_READ | PROT_EXEC) == 0);
    check_error("nowhere", mprotect((void *)0x80000000U, PAGE, PROT_EXEC | PROT_WRITE) != 0);
    free(large);
    free(heap);
}

static void forbidden(const char *where)
{
    uint32_t stack[2];
    uint32_t *at = data;

    if (strcmp(where, "heap") == 0) {
        at = malloc(64);
    } else if (strcmp(where, "stack") == 0) {
        at = stack;
    } else if (strcmp(where, "unmapped") == 0) {
        at = mmap(NULL, PAGE, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        put(at, 1);
        check("mapped", call(at), 1);
        munmap(at, PAGE);
    } else if (strcmp(where, "neighbour") == 0) {
        at = mmap(NULL, 2 * PAGE, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        put(at, 1);
        mprotect(at, PAGE, PROT_EXEC);
        check("mapped", call(at), 1);
        at += PAGE / 4;
    }
    put(at, 2);
    printf("executed %u\n", call(at));
}

int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-')
        forbidden(argv[1]);
    threads();
    protect();
    printf("%s\n", wrong == 0 ? "exec_prog: ok" : "exec_prog: wrong");
    return wrong != 0;
}
