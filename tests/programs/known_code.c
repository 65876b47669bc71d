/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that are written while the machine runs: what every core executes is what was written
 * last. New instructions go through the data cache like any data, are cleaned to where instructions
 * are fetched from, and every core invalidates its instruction cache and branch target cache.
 *
 * Each line counts how often a function gave the value that its latest text gives: ROUNDS times on
 * each of the four cores. A core that still runs an older text gives another value.
 */
#include <stdlib.h>

#include "known.h"
#include "mpj_mmu.h"

#define ROUNDS     50U
#define PAGE_WORDS 1024U
#define NOP        0xe1a00000U
#define RETURN     0xe12fff1eU

/* A section of its own, which may be written and executed. */
static uint32_t *text;

static uint32_t set_r0(uint32_t value)
{
    return 0xe3a00000U | value;
}
static uint32_t add_r0(uint32_t value)
{
    return 0xe2800000U | value;
}
static uint32_t branch(unsigned from, unsigned to, uint32_t condition)
{
    return condition << 28 | 0x0a000000U | ((to - from - 2U) & 0x00ffffffU);
}

#define ALWAYS 0xeU
#define NE     0x1U

static void clean(const uint32_t *from, const uint32_t *to)
{
    for (uintptr_t p = (uintptr_t)from & ~31U; p < (uintptr_t)to; p += 32U)
        __asm__ volatile("mcr p15, 0, %0, c7, c10, 1" : : "r"(p) : "memory");
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 4" : : "r"(0) : "memory");
}

static void flush_map(void *arg)
{
    (void)arg;
    mpj_mmu_flush();
}

static void fetch_anew(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 0\n\t"
                     "mcr p15, 0, %0, c7, c5, 6\n\t"
                     "mcr p15, 0, %0, c7, c10, 4\n\t"
                     "mcr p15, 0, %0, c7, c5, 4"
                     :
                     : "r"(0)
                     : "memory");
}

static void put(unsigned at, uint32_t word)
{
    *(volatile uint32_t *)&text[at] = word;
    clean(&text[at], &text[at + 1U]);
}

struct question {
    unsigned entry;
    uint32_t answer;
    uint32_t right[4]; /* by core */
};

static void ask(void *arg)
{
    struct question *q = arg;
    uint32_t (*function)(void) = (uint32_t(*)(void))(uintptr_t)&text[q->entry];
    uint32_t right = 0;

    fetch_anew();
    for (unsigned i = 0; i < ROUNDS; i++)
        right += function() == q->answer;
    q->right[mpj_core_id()] = right;
}

static uint32_t right_of(unsigned entry, uint32_t answer)
{
    struct question q = {.entry = entry, .answer = answer};

    mpj_on_all_cores(ask, &q);
    return q.right[0] + q.right[1] + q.right[2] + q.right[3];
}

static void expect(const char *name, unsigned entry, uint32_t answer)
{
    known_print(name, "right", right_of(entry, answer));
}

/* Function number n of a page full of them, all with another value. */
#define FUNCTIONS 8U
static unsigned place(unsigned n)
{
    return n * (PAGE_WORDS / FUNCTIONS) + n;
}

struct page {
    uint32_t base; /* function n gives base + n */
    unsigned core; /* that writes it */
    bool down;     /* from the end */
};

static void write_page(void *arg)
{
    const struct page *p = arg;

    if (mpj_core_id() != p->core)
        return;
    for (unsigned i = 0; i < PAGE_WORDS; i++) {
        unsigned at = p->down ? PAGE_WORDS - 1U - i : i;
        uint32_t word = NOP;

        for (unsigned n = 0; n < FUNCTIONS; n++) {
            if (at == place(n))
                word = set_r0(p->base + n);
            else if (at == place(n) + 1U)
                word = RETURN;
        }
        *(volatile uint32_t *)&text[at] = word;
    }
    clean(text, &text[PAGE_WORDS]);
}

static void whole_page(const char *name, struct page p)
{
    uint32_t right = 0;

    mpj_on_all_cores(write_page, &p);
    for (unsigned n = 0; n < FUNCTIONS; n++)
        right += right_of(place(n), p.base + n);
    known_print(name, "right", right);
}

/*
 * A loop of two halves in two pages, which branch to each other; the last time the second half
 * returns: r0 = 20 * (first + second).
 */
static void across(void)
{
    const unsigned first = PAGE_WORDS - 40U, second = PAGE_WORDS + 8U;

    put(first, set_r0(0));
    put(first + 1U, 0xe3a01014U); /* mov r1, #20 */
    put(first + 2U, add_r0(1));
    put(first + 3U, branch(first + 3U, second, ALWAYS));
    put(second, add_r0(2));
    put(second + 1U, 0xe2511001U); /* subs r1, r1, #1 */
    put(second + 2U, branch(second + 2U, first + 2U, NE));
    put(second + 3U, RETURN);
    expect("across", first, 60);
    put(second, add_r0(5));
    expect("across_second", first, 120);
    put(first + 2U, add_r0(3));
    expect("across_first", first, 160);
    /* the far half somewhere else */
    put(second + 64U, add_r0(7));
    put(second + 65U, 0xe2511001U);
    put(second + 66U, branch(second + 66U, first + 2U, NE));
    put(second + 67U, RETURN);
    put(first + 3U, branch(first + 3U, second + 64U, ALWAYS));
    expect("across_other", first, 200);
}

/* One run of instructions through the border of two pages. */
static void straddling(void)
{
    const unsigned border = 2U * PAGE_WORDS, entry = border - 4U;

    put(entry, set_r0(0));
    for (unsigned i = 1; i < 8U; i++)
        put(entry + i, add_r0(1));
    put(entry + 8U, RETURN);
    expect("straddling", entry, 7);
    put(border + 1U, add_r0(10));
    expect("straddling_behind", entry, 16);
    put(border - 2U, add_r0(100));
    expect("straddling_before", entry, 115);
}

/* A function that changes another one, and itself, in its own page. */
static void from_inside(void)
{
    const unsigned writer = 2U * PAGE_WORDS + 600U, leaf = 2U * PAGE_WORDS + 900U;
    static const uint32_t code[] = {
        0xe5801000, /* str r1, [r0] */
        0xee070f3a, /* mcr p15, 0, r0, c7, c10, 1 */
        0xe3a02000, /* mov r2, #0 */
        0xee072f9a, /* mcr p15, 0, r2, c7, c10, 4 */
        0xee072f15, /* mcr p15, 0, r2, c7, c5, 0 */
        0xee072fd5, /* mcr p15, 0, r2, c7, c5, 6 */
        0xee072f95, /* mcr p15, 0, r2, c7, c5, 4 */
        0xe3a00001, /* mov r0, #1 */
        RETURN,
    };
    uint32_t (*poke)(uint32_t * at, uint32_t word) =
        (uint32_t(*)(uint32_t *, uint32_t))(uintptr_t)&text[writer];

    for (unsigned i = 0; i < sizeof(code) / sizeof(code[0]); i++)
        put(writer + i, code[i]);
    put(leaf, set_r0(11));
    put(leaf + 1U, RETURN);
    fetch_anew();
    expect("inside", leaf, 11);
    (void)poke(&text[leaf], set_r0(12));
    expect("inside_leaf", leaf, 12);
    (void)poke(&text[writer + 7U], set_r0(13));
    known_print("inside_own", "answer", poke(&text[leaf], set_r0(14)));
    expect("inside_again", leaf, 14);
}

int main(void)
{
    if (mpj_core_count() < 4) {
        printf("needs four cores\n");
        return 1;
    }
    text = aligned_alloc(MPJ_SECTION_BYTES, MPJ_SECTION_BYTES);
    if (text == NULL) {
        printf("needs memory\n");
        return 1;
    }
    mpj_mmu_map((uint32_t)text, (uint32_t)text + MPJ_SECTION_BYTES, MPJ_MMU_RWX);
    mpj_on_all_cores(flush_map, NULL);
    whole_page("page", (struct page){.base = 10, .core = 0});
    whole_page("page_up", (struct page){.base = 30, .core = 0});
    whole_page("page_down", (struct page){.base = 50, .core = 0, .down = true});
    whole_page("page_other", (struct page){.base = 70, .core = 1});
    whole_page("page_last", (struct page){.base = 90, .core = 3});
    across();
    straddling();
    from_inside();
    return 0;
}
