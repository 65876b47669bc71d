/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory: mappings that change, faults in the middle of instructions, code that is written. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stress.h"

#define ALL (PROT_READ | PROT_WRITE | PROT_EXEC)

static unsigned char *map(void *at, size_t bytes, int prot)
{
    void *p = mmap(at, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

    must(p != MAP_FAILED, "mmap of %zu bytes", bytes);
    return p;
}

/* ---- faults ----------------------------------------------------------------- */

/* Action of the handler on the page that was missed. */
static enum { PERMIT, REPLACE } remedy;
static unsigned faults;
static unsigned char fill;

static void on_fault(int number, siginfo_t *info, void *context)
{
    unsigned char *page = (unsigned char *)((uintptr_t)info->si_addr & -(uintptr_t)PAGE);

    (void)number;
    (void)context;
    faults++;
    if (remedy == PERMIT) {
        must(mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect of %p", (void *)page);
    } else {
        map(page, PAGE, PROT_READ | PROT_WRITE);
        memset(page, fill, PAGE);
    }
}

static void catch_faults(void)
{
    struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    must(sigaction(SIGSEGV, &act, NULL) == 0 && sigaction(SIGBUS, &act, NULL) == 0, "sigaction");
    faults = 0;
}

uint32_t stress_map(unsigned round)
{
    const unsigned pages = 24;
    unsigned char *p = map(NULL, pages * PAGE, PROT_READ | PROT_WRITE), *other;
    uint32_t sum = round;

    catch_faults();
    remedy = PERMIT;
    for (unsigned turn = 0; turn < 6; turn++) {
        for (unsigned i = 0; i < pages; i++)
            *(uint32_t *)(p + i * PAGE + 4 * turn) = mix(sum, i);
        /* Protected in several ways; each write faults once. */
        must(mprotect(p, pages * PAGE, turn & 1 ? PROT_READ : PROT_NONE) == 0, "mprotect");
        for (unsigned i = turn & 1; i < pages; i += 2)
            *(volatile uint32_t *)(p + i * PAGE) = i + turn;
        for (unsigned i = 0; i < pages; i++)
            sum = mix(sum, *(volatile uint32_t *)(p + i * PAGE) +
                               *(uint32_t *)(p + i * PAGE + 4 * turn));
        must(mprotect(p, pages * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
        /* Gone, and mapped anew: zeros. */
        must(munmap(p + 4 * PAGE, 4 * PAGE) == 0, "munmap");
        map(p + 4 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE);
        for (unsigned i = 4; i < 8; i++)
            must(*(volatile uint32_t *)(p + i * PAGE) == 0, "page %u is not new", i);
        /* Moved: the same bytes elsewhere, others here. */
        other = map(NULL, 4 * PAGE, PROT_READ | PROT_WRITE);
        must(mremap(p + 8 * PAGE, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, other) ==
                 other,
             "mremap");
        map(p + 8 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE);
        for (unsigned i = 0; i < 4; i++)
            sum = mix(sum, *(uint32_t *)(other + i * PAGE) + *(uint32_t *)(p + (8 + i) * PAGE));
        must(munmap(other, 4 * PAGE) == 0, "munmap");
    }
    return mix(sum, faults);
}

/* Registers r0-r9 from or to memory by one instruction at @at; returns a sum of the registers. */
#define LOAD(name, instruction)                                                                    \
    static uint32_t name(const void *at)                                                           \
    {                                                                                              \
        uint32_t r[11];                                                                            \
        __asm__ volatile("push {r4-r11, lr}\n mov r12, %0\n mov r11, %1\n" instruction "\n"        \
                         "stm r11, {r0-r10}\n pop {r4-r11, lr}"                                    \
                         :                                                                         \
                         : "r"(at), "r"(r)                                                         \
                         : "r0", "r1", "r2", "r3", "r12", "memory");                               \
        uint32_t sum = 0;                                                                          \
        for (unsigned i = 0; i < 11; i++)                                                          \
            sum = mix(sum, r[i]);                                                                  \
        return sum;                                                                                \
    }
#define CLEAR                                                                                      \
    "mov r0, #0\n mov r1, #1\n mov r2, #2\n mov r3, #3\n mov r4, #4\n mov r5, #5\n"                \
    "mov r6, #6\n mov r7, #7\n mov r8, #8\n mov r9, #9\n mov r10, #10\n"
LOAD(ldm_plain, CLEAR "ldm r12, {r0-r9}")
LOAD(ldm_base_first, CLEAR "mov r0, r12\n ldm r0, {r0-r9}")
LOAD(ldm_base_last, CLEAR "mov r9, r12\n ldm r9, {r0-r9}")
LOAD(ldm_writeback, CLEAR "mov r10, r12\n ldm r10!, {r0-r9}\n sub r10, r10, r12")
LOAD(ldm_down, CLEAR "add r10, r12, #40\n ldmdb r10!, {r0-r9}\n sub r10, r10, r12")
LOAD(ldrd_base, CLEAR "add r6, r12, #16\n ldrd r6, r7, [r6]")
LOAD(stm_plain, CLEAR "stm r12, {r0-r9}")
LOAD(stm_writeback, CLEAR "mov r10, r12\n stm r10!, {r0-r9}\n sub r10, r10, r12")
LOAD(stm_down, CLEAR "add r10, r12, #40\n stmdb r10!, {r0-r9}\n sub r10, r10, r12")
LOAD(swap_both, CLEAR "add r6, r12, #16\n ldr r5, [r6]\n str r7, [r6], #4\n sub r6, r6, r12")

uint32_t stress_blocks(unsigned round)
{
    static uint32_t (*const access[])(const void *) = {
        ldm_plain, ldm_base_first, ldm_base_last, ldm_writeback, ldm_down,
        ldrd_base, stm_plain,      stm_writeback, stm_down,      swap_both,
    };
    unsigned char *p = map(NULL, 4 * PAGE, PROT_READ | PROT_WRITE);
    uint32_t sum = round;

    catch_faults();
    for (unsigned n = 0; n < sizeof access / sizeof *access; n++)
        for (unsigned word = 0; word <= 10; word++)
            for (unsigned how = 0; how < 3; how++) {
                unsigned char *at = p + 2 * PAGE - 4 * word;

                for (unsigned i = 0; i < 2 * PAGE; i += 4)
                    *(uint32_t *)(p + PAGE + i) = i * 0x01010101U + round;
                remedy = how == 2 ? REPLACE : PERMIT;
                fill = (unsigned char)(n + word);
                must(mprotect(p + (how == 1 ? 1 : 2) * PAGE, PAGE, PROT_NONE) == 0, "mprotect");
                sum = mix(sum, access[n](at));
                must(mprotect(p + PAGE, 2 * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
                for (unsigned i = 0; i < 2 * PAGE; i += 4)
                    sum = mix(sum, *(uint32_t *)(p + PAGE + i));
            }
    return mix(sum, faults);
}

/* ---- code --------------------------------------------------------------------- */

static void sync_code(void *from, size_t bytes)
{
    __builtin___clear_cache((char *)from, (char *)from + bytes);
}

/* Writes a function that returns @value (below 256) shifted left by 2 * @turn. */
static void write_code(uint32_t *at, unsigned value, unsigned turn)
{
    at[0] = 0xe3a00000U | ((16 - turn) & 15) << 8 | value; /* mov r0, #value */
    at[1] = 0xe12fff1eU;                                   /* bx lr */
    sync_code(at, 8);
}

static uint32_t call(const uint32_t *at)
{
    return ((uint32_t(*)(void))(uintptr_t)at)();
}

/* Runs code that is different in each process at one virtual page. */
static uint32_t code_of_children(uint32_t *code, unsigned round)
{
    uint32_t sum = 0;
    pid_t pid[6];

    write_code(code, 7, 0);
    for (unsigned i = 0; i < 6; i++) {
        pid[i] = fork();
        if (pid[i] != 0)
            continue;
        for (unsigned n = 0; n < 20; n++) {
            must(call(code) == (n == 0 ? 7U : i * 16 + n - 1),
                 "child %u has the code of another one", i);
            write_code(code, i * 16 + n, 0);
            if (n % 4 == 0)
                usleep(1);
        }
        _exit((int)(call(code) & 0xff));
    }
    for (unsigned i = 0; i < 6; i++)
        sum = mix(sum, wait_for(pid[i]) + round);
    must(call(code) == 7, "the parent has the code of a child");
    return sum;
}

uint32_t stress_code(unsigned round)
{
    uint32_t *code = (uint32_t *)map(NULL, 2 * PAGE, ALL), *other;
    uint32_t sum = round;

    for (unsigned i = 0; i < 200; i++) {
        uint32_t *at = code + i % 5;

        write_code(at, (i + round) & 0xff, i % 12);
        must(call(at) == ((i + round) & 0xff) << i % 12 * 2, "written code is not executed");
        sum = mix(sum, call(at));
    }
    /* Data next to code, in its page and its line. */
    for (unsigned i = 0; i < 200; i++) {
        code[64 + i % 8] = i;
        sum = mix(sum, call(code + 3) + code[64 + i % 8]);
    }
    /* Written in one mapping, executed in another one that replaces it. */
    for (unsigned i = 0; i < 20; i++) {
        other = (uint32_t *)map(NULL, PAGE, PROT_READ | PROT_WRITE);
        write_code(other, i, 1);
        must(mprotect(other, PAGE, PROT_READ | PROT_EXEC) == 0, "mprotect");
        must(mremap(other, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, code + PAGE / 4) !=
                 MAP_FAILED,
             "mremap");
        must(call(code + PAGE / 4) == i << 2, "old code after a page was replaced");
        sum = mix(sum, call(code + PAGE / 4));
    }
    return mix(sum, code_of_children(code, round));
}
