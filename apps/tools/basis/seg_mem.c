/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Segments of the memory system: L2, memory, TLBs, code, sharing, synchronisation, waiting. */
#include "basis.h"

#include <stddef.h>

#include "hal_cpu.h"
#include "hal_sys.h"
#include "mpj.h"

#define KB 1024U
#define MB (1024U * KB)

/* ---- a walk through a region, one access or block per step ----------------------------------- */

/* text uses %[p], the address of the step; steps are `step` bytes, 32 to a repetition. */
#define WALK(name, region, step, text)                                                             \
    void seg_##name(struct basis *b, uint32_t reps)                                                \
    {                                                                                              \
        uint32_t at = (b->random * (step)) & ((region)-1U) & ~31U;                                 \
                                                                                                   \
        for (uint32_t n = reps * 32U; n > 0; n--) {                                                \
            __asm__ volatile(text : : [p] "r"(b->mem + at) : "r4", "r5", "r6", "r7", "memory");    \
            at = (at + (step)) & ((region)-1U);                                                    \
        }                                                                                          \
        b->random += reps * 32U;                                                                   \
    }

WALK(ld_l2, 256U * KB, 32U, "ldr r4, [%[p]]")
WALK(ldm_l2, 256U * KB, 32U, "ldmia %[p], {r4-r7}\n\tadd r4, %[p], #16\n\tldmia r4, {r4-r7}")
WALK(st_l2, 128U * KB, 32U, "str %[p], [%[p]]")
WALK(ld_mem, 4U * MB, 32U, "ldr r4, [%[p]]")
WALK(ldm_mem, 4U * MB, 32U, "ldmia %[p], {r4-r7}\n\tadd r4, %[p], #16\n\tldmia r4, {r4-r7}")
WALK(stride_mem, 4U * MB, 4160U, "ldr r4, [%[p]]")
WALK(st_mem, 4U * MB, 32U, "str %[p], [%[p], #8]")
WALK(set_mem, 4U * MB, 32U, "mov r4, %[p]\n\tstmia r4!, {r4-r7}\n\tstmia r4, {r4-r7}")

/* Copies the first megabyte to the third, line by line. */
void seg_copy_mem(struct basis *b, uint32_t reps)
{
    uint32_t at = (b->random * 32U) & (MB - 1U);

    for (uint32_t n = reps * 16U; n > 0; n--) {
        const uint32_t *from = (const uint32_t *)(b->mem + at);
        uint32_t *to = (uint32_t *)(b->mem + 2U * MB + at);

        for (unsigned i = 0; i < 8U; i++)
            to[i] = from[i];
        __asm__ volatile("" : : : "memory");
        at = (at + 32U) & (MB - 1U);
    }
    b->random += reps * 16U;
}

/* Loads from addresses that depend on the previous load (its bits are removed again), so that loads
 * cannot overlap. */
static void random_loads(struct basis *b, uint32_t n, uint32_t lines, bool store)
{
    uint32_t x = b->random | 1U;

    for (; n > 0; n--) {
        uint32_t *const p = (uint32_t *)(b->mem + ((x >> 9) & (lines - 1U)) * BASIS_LINE);
        uint32_t v;

        __asm__ volatile("ldr %0, [%1]\n\tand %0, %0, #0" : "=&r"(v) : "r"(p) : "memory");
        if (store)
            *(volatile uint32_t *)p = x;
        x = x * 1664525U + 1013904223U + v;
    }
    b->random = x;
}

void seg_rnd_l2(struct basis *b, uint32_t reps)
{
    random_loads(b, reps * 32U, 128U * KB / BASIS_LINE, false);
}

void seg_rmw_l2(struct basis *b, uint32_t reps)
{
    random_loads(b, reps * 32U, 128U * KB / BASIS_LINE, true);
}

void seg_rnd_mem(struct basis *b, uint32_t reps)
{
    random_loads(b, reps * 16U, 4U * MB / BASIS_LINE, false);
}

void seg_uncached(struct basis *b, uint32_t reps)
{
    for (uint32_t n = reps * 16U; n > 0; n--)
        b->sink += hal_sys_ticks32();
}

/* ---- TLBs ------------------------------------------------------------------------------------ */

/* Reads a word of each section, in lines of different sets of the caches. */
static void sections(struct basis *b, uint32_t reps, uint32_t count)
{
    for (; reps > 0; reps--) {
        const char *p = b->far + b->core * 0x1000U;

        for (uint32_t i = 0; i < count; i++) {
            __asm__ volatile("ldr r4, [%0]" : : "r"(p) : "r4", "memory");
            p += BASIS_SECTION + 2U * BASIS_LINE;
        }
    }
}

void seg_tlb_micro(struct basis *b, uint32_t reps)
{
    sections(b, reps * 3U, 24U);
}

void seg_tlb_main(struct basis *b, uint32_t reps)
{
    sections(b, reps, BASIS_READ - 1U);
}

/* ---- code ------------------------------------------------------------------------------------ */

#define BLOCK_BYTES 512U
#define BLOCKS      128U

/* 128 functions of 512 bytes each. */
__asm__(".text\n\t.balign 4096\n\t.type basis_blocks, %function\nbasis_blocks:\n\t"
        ".rept 128\n\t.rept 31\n\tadd r0, r0, #1\n\teor r1, r1, r0\n\tadd r2, r2, r1\n\t"
        "sub r3, r3, #2\n\t.endr\n\tadd r0, r0, #1\n\teor r1, r1, r0\n\tnop\n\tbx lr\n\t.endr\n\t"
        ".size basis_blocks, . - basis_blocks");
extern const char basis_blocks[];

void seg_code_64k(struct basis *b, uint32_t reps)
{
    uint32_t at = b->random;

    for (uint32_t n = reps * 4U; n > 0; n--) {
        ((void (*)(void))(uintptr_t)(basis_blocks + (at % BLOCKS) * BLOCK_BYTES))();
        at += 37U;
    }
    b->random = at;
}

/* 1536 branches, each to the next line. */
__asm__(".text\n\t.balign 32\n\t.type basis_lines, %function\nbasis_lines:\n\t"
        ".rept 1536\n\tadd r0, r0, #1\n\tb 1f\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n1:\n\t"
        ".endr\n\tbx lr\n\t.size basis_lines, . - basis_lines");
void basis_lines(void);

void seg_code_line(struct basis *b, uint32_t reps)
{
    (void)b;
    for (; reps > 0; reps--)
        basis_lines();
}

/* Returns a function (add r0, r0, #1; bx lr) in each section, in different sets of the caches. */
static uint32_t *function_in(char *code, uint32_t i)
{
    return (uint32_t *)(code + i * (BASIS_SECTION + 4U * BASIS_LINE));
}

void basis_code_init(char *code)
{
    for (uint32_t i = 0; i < BASIS_CODE; i++) {
        uint32_t *const f = function_in(code, i);

        f[0] = 0xe2800001U;
        f[1] = 0xe12fff1eU;
    }
}

void seg_code_itlb(struct basis *b, uint32_t reps)
{
    for (reps *= 2U; reps > 0; reps--) {
        for (uint32_t i = 0; i < BASIS_CODE; i++)
            ((void (*)(void))(uintptr_t)function_in(b->code, i))();
    }
}

/* ---- sharing --------------------------------------------------------------------------------- */

static uint32_t common[64U * KB / 4U] __attribute__((aligned(4096)));
static volatile uint32_t line[8] __attribute__((aligned(32)));
static uint32_t moving[8U * KB / 4U] __attribute__((aligned(4096)));

void seg_sh_read(struct basis *b, uint32_t reps)
{
    uint32_t at = b->random;

    for (uint32_t n = reps * 48U; n > 0; n--) {
        b->sink += *(volatile uint32_t *)&common[at % (sizeof(common) / 4U)];
        at += 8U;
    }
    b->random = at;
}

void seg_sh_pingpong(struct basis *b, uint32_t reps)
{
    volatile uint32_t *const own = &line[b->core];

    for (uint32_t n = reps * 32U; n > 0; n--)
        *own += 1U;
}

/* Changes every line on every core: each core finds it where another left it. */
void seg_sh_migrate(struct basis *b, uint32_t reps)
{
    uint32_t at = b->random * 8U;

    for (uint32_t n = reps * 32U; n > 0; n--) {
        volatile uint32_t *const w = &moving[at % (sizeof(moving) / 4U)];

        *w += 1U;
        at += 8U;
    }
    b->random += reps * 32U;
}

/* Writes a ring of 4 KB on even cores and reads it on odd ones, without waits. */
void seg_sh_produce(struct basis *b, uint32_t reps)
{
    uint32_t at = (b->core / 2U) * 1024U;

    for (uint32_t n = reps * 32U; n > 0; n--) {
        volatile uint32_t *const w = &common[at];

        if (b->core % 2U == 0)
            *w = n;
        else
            b->sink += *w;
        at = (at & ~1023U) | ((at + 8U) & 1023U);
    }
}

/* ---- synchronisation ------------------------------------------------------------------------- */

static struct {
    hal_spinlock lock;
    uint32_t unused[7];
    volatile uint32_t guarded[8];
    volatile uint32_t counter;
} sync __attribute__((aligned(32)));

void seg_sy_lock(struct basis *b, uint32_t reps)
{
    (void)b;
    for (uint32_t n = reps * 8U; n > 0; n--) {
        hal_spin_lock(&sync.lock);
        sync.guarded[0] += 1U;
        sync.guarded[1] += sync.guarded[0];
        hal_spin_unlock(&sync.lock);
        for (volatile uint32_t w = 4; w > 0; w--)
            ;
    }
}

void seg_sy_atomic(struct basis *b, uint32_t reps)
{
    (void)b;
    for (uint32_t n = reps * 16U; n > 0; n--)
        __atomic_fetch_add(&sync.counter, 1U, __ATOMIC_RELAXED);
}

void seg_sy_own(struct basis *b, uint32_t reps)
{
    for (uint32_t n = reps * 32U; n > 0; n--)
        __atomic_fetch_add((uint32_t *)b->mem, 1U, __ATOMIC_RELAXED);
}

/* ---- waiting --------------------------------------------------------------------------------- */

void seg_spin(struct basis *b, uint32_t reps)
{
    (void)b;
    mpj_spin_us(reps * 50U);
}

void seg_sleep(struct basis *b, uint32_t reps)
{
    (void)b;
    mpj_sleep_us(reps * 50U);
}
