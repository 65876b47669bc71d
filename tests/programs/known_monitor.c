/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exclusive monitors: whether STREX stores (0) or fails (1) after what this core and core 1 did
 * since LDREX. That memory holds the same value again is no reason to succeed.
 */
#include <stdlib.h>

#include "known.h"
#include "mpj_mmu.h"

#define EVICT_WORDS 65536U
#define ADDS        500U
#define NODES       5U
#define TAKES       3000U
#define HAMMERED    8000U /* stores of another value and of the old one */
#define STARTING    10U   /* tries in which cores may be a quantum apart, see docs/quantum.md */
#define WINDOW      100U  /* rounds of a loop: far longer than two stores and what they wait for */

enum action {
    NOTHING,
    STORE_BACK, /* another value, then the old one */
    STORE_SAME, /* the old value, nothing else */
    STORE_WORD, /* another word of the line */
    STORE_NEXT, /* the line behind it */
    READ,
    SWAP_BACK,
    EXCLUSIVE_BACK,
    HAMMER,
    END,
};

/* Each in a line of its own: only what is meant meets in a line. */
struct lines {
    uint32_t at[16];
} __attribute__((aligned(64)));

static struct lines cached;
static volatile uint32_t order __attribute__((aligned(64))); /* number of the order << 8 | action */
static volatile uint32_t done __attribute__((aligned(64)));
static volatile uint32_t *volatile target __attribute__((aligned(64)));
static uint32_t sum __attribute__((aligned(64)));
static volatile uint32_t evict[EVICT_WORDS];

static uint32_t load_exclusive(volatile uint32_t *at)
{
    uint32_t value;

    __asm__ volatile("ldrex %0, [%1]" : "=r"(value) : "r"(at) : "memory");
    return value;
}

static uint32_t store_exclusive(volatile uint32_t *at, uint32_t value)
{
    uint32_t failed;

    __asm__ volatile("strex %0, %1, [%2]" : "=&r"(failed) : "r"(value), "r"(at) : "memory");
    return failed;
}

static void swap(volatile uint32_t *at, uint32_t value)
{
    uint32_t old;

    __asm__ volatile("swp %0, %1, [%2]" : "=&r"(old) : "r"(value), "r"(at) : "memory");
}

static void act(enum action action)
{
    volatile uint32_t *at = target;
    const uint32_t old = at[0];

    switch (action) {
    case STORE_BACK:
        at[0] = old + 1U;
        at[0] = old;
        break;
    case STORE_SAME:
        at[0] = old;
        break;
    case STORE_WORD:
        at[7] = old;
        break;
    case STORE_NEXT:
        at[8] = old;
        break;
    case SWAP_BACK:
        swap(at, old + 1U);
        swap(at, old);
        break;
    case EXCLUSIVE_BACK:
        do
            (void)load_exclusive(at);
        while (store_exclusive(at, old) != 0);
        break;
    case HAMMER:
        for (uint32_t i = 0; i < HAMMERED; i++) {
            at[0] = old + 1U;
            at[0] = old;
        }
        break;
    default:
        break;
    }
    hal_dsb();
}

/* Core 1 does what core 0 asks for. */
static void serve(void)
{
    uint32_t last = 0;

    for (;;) {
        const uint32_t now = order;

        if (now == last)
            continue;
        if ((now & 0xffU) == END)
            return;
        if ((now & 0xffU) != NOTHING)
            act((enum action)(now & 0xffU));
        last = now;
        done = now;
    }
}

static void ask(enum action action)
{
    const uint32_t now = (order & ~0xffU) + 0x100U + action;

    hal_dsb();
    order = now;
    if (action == END)
        return;
    while (done != now)
        ;
}

/* LDREX, the other core, STREX. */
static uint32_t after(volatile uint32_t *at, enum action action)
{
    uint32_t value;

    target = at;
    value = load_exclusive(at);
    ask(action);
    return store_exclusive(at, value);
}

#define SIZED(name, load, store, type)                                                             \
    static uint32_t name(volatile uint32_t *at, enum action action)                                \
    {                                                                                              \
        type value;                                                                                \
        uint32_t failed;                                                                           \
                                                                                                   \
        target = at;                                                                               \
        __asm__ volatile(load : "=r"(value) : "r"(at) : "memory");                                 \
        ask(action);                                                                               \
        __asm__ volatile(store : "=&r"(failed) : "r"(value), "r"(at) : "memory");                  \
        return failed;                                                                             \
    }
SIZED(byte_after, "ldrexb %0, [%1]", "strexb %0, %1, [%2]", uint32_t)
SIZED(half_after, "ldrexh %0, [%1]", "strexh %0, %1, [%2]", uint32_t)
SIZED(double_after, "ldrexd %0, %H0, [%1]", "strexd %0, %1, %H1, [%2]", uint64_t)

static uint32_t after_clrex(volatile uint32_t *at)
{
    const uint32_t value = load_exclusive(at);

    __asm__ volatile("clrex" : : : "memory");
    return store_exclusive(at, value);
}

/* What the core itself reads in between pushes the line out of its cache. */
static uint32_t after_eviction(volatile uint32_t *at)
{
    const uint32_t value = load_exclusive(at);

    for (uint32_t i = 0; i < EVICT_WORDS; i += 8U)
        (void)evict[i];
    return store_exclusive(at, value);
}

static uint32_t after_store_exclusive(volatile uint32_t *at)
{
    const uint32_t value = load_exclusive(at);

    (void)store_exclusive(at, value);
    return store_exclusive(at, value);
}

/* How often STREX succeeds while the other core stores all the time. */
static void hammered(volatile uint32_t *at)
{
    const uint32_t now = (order & ~0xffU) + 0x100U + HAMMER;
    uint32_t tried = 0, succeeded = 0;

    target = at;
    hal_dsb();
    order = now;
    for (uint32_t i = 0; i < WINDOW; i++) /* until it has begun */
        __asm__ volatile("");
    for (;;) {
        const uint32_t value = load_exclusive(at);

        for (uint32_t i = 0; i < WINDOW; i++)
            __asm__ volatile("");
        const uint32_t failed = store_exclusive(at, value);
        if (done == now)
            break;
        if (++tried > STARTING)
            succeeded += failed == 0;
    }
    printf("hammered_tries %lu\nhammered_succeeded %lu\n", (unsigned long)tried,
           (unsigned long)succeeded);
}

static void failures(const char *name, volatile uint32_t *at)
{
    known_print(name, "alone", after(at, NOTHING));
    known_print(name, "read", after(at, READ));
    known_print(name, "evicted", after_eviction(at));
    known_print(name, "next", after(at, STORE_NEXT));
    known_print(name, "clrex", after_clrex(at));
    known_print(name, "second", after_store_exclusive(at));
    known_print(name, "word", after(at, STORE_WORD));
    known_print(name, "same", after(at, STORE_SAME));
    known_print(name, "back", after(at, STORE_BACK));
    known_print(name, "swap", after(at, SWAP_BACK));
    known_print(name, "strex", after(at, EXCLUSIVE_BACK));
    known_print(name, "bytes", byte_after(at, STORE_BACK));
    known_print(name, "halves", half_after(at, STORE_BACK));
    known_print(name, "doubles", double_after(at, STORE_BACK));
    known_print(name, "bytes_alone", byte_after(at, READ));
    known_print(name, "halves_alone", half_after(at, READ));
    known_print(name, "doubles_alone", double_after(at, READ));
}

static void play(void *arg)
{
    volatile uint32_t *uncached = arg;
    hal_irq_state irq;

    if (mpj_core_id() > 1)
        return;
    mpj_mmu_flush();
    irq = hal_irq_save();
    if (mpj_core_id() == 1) {
        serve();
    } else {
        failures("cached", cached.at);
        failures("uncached", uncached);
        hammered(cached.at);
        ask(END);
    }
    hal_irq_restore(irq);
}

/* All cores at once: each gets on, and nothing is lost. */
static void add(void *arg)
{
    (void)arg;
    for (uint32_t i = 0; i < ADDS; i++) {
        uint32_t value;

        do
            value = load_exclusive(&sum);
        while (store_exclusive(&sum, value + 1U) != 0);
    }
}

/*
 * A list from which all take nodes and to which they give them back. One that comes back to the
 * head between LDREX and STREX of another core has another successor by then: comparing values, the
 * list breaks.
 */
struct node {
    uint32_t next; /* number of the next one, 0: none */
    uint32_t users;
} __attribute__((aligned(32)));

static struct node nodes[NODES + 1U];
static uint32_t head __attribute__((aligned(32)));
static uint32_t used_twice __attribute__((aligned(32)));

static uint32_t take(void)
{
    uint32_t n;

    do {
        n = load_exclusive(&head);
        if (n == 0)
            return 0;
    } while (store_exclusive(&head, *(volatile uint32_t *)&nodes[n].next) != 0);
    return n;
}

static void give(uint32_t n)
{
    do
        *(volatile uint32_t *)&nodes[n].next = load_exclusive(&head);
    while (store_exclusive(&head, n) != 0);
}

static void use_list(void *arg)
{
    (void)arg;
    for (uint32_t i = 0; i < TAKES; i++) {
        const uint32_t one = take(), two = take();

        if (one != 0 && __atomic_fetch_add(&nodes[one].users, 1U, __ATOMIC_SEQ_CST) != 0)
            used_twice++;
        if (one != 0) {
            __atomic_fetch_sub(&nodes[one].users, 1U, __ATOMIC_SEQ_CST);
            give(one);
        }
        if (two != 0)
            give(two);
    }
}

static void list(void)
{
    uint32_t there = 0;

    for (uint32_t n = 1; n <= NODES; n++)
        give(n);
    mpj_on_all_cores(use_list, NULL);
    for (uint32_t n = head; n != 0 && there <= NODES; n = nodes[n].next)
        there++;
    printf("list_nodes %lu\nlist_used_twice %lu\n", (unsigned long)there,
           (unsigned long)used_twice);
}

int main(void)
{
    uint32_t *uncached = aligned_alloc(MPJ_SECTION_BYTES, MPJ_SECTION_BYTES);

    if (mpj_core_count() < 4 || uncached == NULL) {
        printf("needs four cores and memory\n");
        return 1;
    }
    mpj_mmu_map((uint32_t)uncached, (uint32_t)uncached + MPJ_SECTION_BYTES, MPJ_MMU_DEVICE);
    mpj_on_cores(2, play, uncached);
    mpj_on_all_cores(add, NULL);
    printf("sum %lu\n", (unsigned long)sum);
    list();
    return 0;
}
