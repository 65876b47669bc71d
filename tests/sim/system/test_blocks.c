/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions with several accesses: a fault or an interrupt in the middle of them, and they begin
 * again with the registers that they had.
 */
#include "system.h"

typedef void block(uint32_t address, uint32_t *registers);

#define BLOCKS(X)                                                                                  \
    X(ldm_plain, 12, 0, 0, 0x03ff, LOAD)                                                           \
    X(ldm_base_first, 0, 0, 0, 0x03ff, LOAD)                                                       \
    X(ldm_base_middle, 4, 0, 0, 0x03ff, LOAD)                                                      \
    X(ldm_base_last, 9, 0, 0, 0x03ff, LOAD)                                                        \
    X(ldm_writeback, 10, 0, 40, 0x03ff, LOAD)                                                      \
    X(ldm_down, 10, 40, -40, 0x03ff, LOAD)                                                         \
    X(ldm_user, 12, 0, 0, 0x6fff, LOAD)                                                            \
    X(ldm_user_base, 2, 0, 0, 0x7fff, LOAD)                                                        \
    X(ldm_user_down, 2, 60, 0, 0x7fff, LOAD)                                                       \
    X(stm_plain, 12, 0, 0, 0x03ff, STORE)                                                          \
    X(stm_base_first, 0, 0, 0, 0x03ff, STORE)                                                      \
    X(stm_base_last, 9, 0, 0, 0x03ff, STORE)                                                       \
    X(stm_writeback, 10, 0, 40, 0x03ff, STORE)                                                     \
    X(stm_down, 10, 40, -40, 0x03ff, STORE)                                                        \
    X(stm_user, 2, 0, 0, 0x7fff, STORE)                                                            \
    X(ldrd_base, 6, 0, 0, 0x00c0, LOAD)                                                            \
    X(ldrd_writeback, 10, 0, 8, 0x00c0, LOAD)                                                      \
    X(strd_writeback, 10, -8, 8, 0x00c0, STORE)                                                    \
    X(ldr_writeback, 10, 0, 4, 0x0040, LOAD)                                                       \
    X(str_writeback, 10, -4, 4, 0x0040, STORE)                                                     \
    X(ldrt_any, 10, 0, 4, 0x0040, LOAD)                                                            \
    X(strt_any, 10, 0, 4, 0x0040, STORE)                                                           \
    X(vldm_any, 10, 0, 32, 0x00ff, LOAD)                                                           \
    X(vstm_any, 10, 0, 32, 0x00ff, STORE)                                                          \
    X(swp_any, 10, 0, 0, 0x0040, SWAP)                                                             \
    X(exclusive_any, 10, 0, 0, 0x0040, EXCLUSIVE)                                                  \
    X(ldr_unaligned, 10, 2, 4, 0x0040, UNALIGNED)

#define X(name, base, offset, moved, list, kind) block name;
BLOCKS(X)
#undef X

enum kind { LOAD, STORE, SWAP, EXCLUSIVE, UNALIGNED };
static const struct instruction {
    const char *name;
    block *run;
    unsigned base;
    int offset, moved; /* of the base register to the lowest address; by which it changes */
    uint32_t list;     /* of registers */
    enum kind kind;
} instruction[] = {
#define X(name, base, offset, moved, list, kind) {#name, name, base, offset, moved, list, kind},
    BLOCKS(X)
#undef X
};

/* What is wrong with the two pages. */
enum how {
    NOTHING,
    FIRST_ABSENT,
    SECOND_ABSENT,
    BOTH_ABSENT,
    FIRST_PROTECTED,
    SECOND_PROTECTED,
    HOWS
};
static uint32_t base_wrong[4];
static const struct instruction *current[4];
static uint32_t base_value[4];

static bool put_right(unsigned core, uint32_t address)
{
    const unsigned page = (address - TEST_PAGES) / PAGE;

    base_wrong[core] += fault[core].r[current[core]->base] != base_value[core];
    page_map(0, page, page, USER);
    tlb_drop_page(0, page);
    return page < 2;
}

static uint32_t pattern(uint32_t i)
{
    return (i + 1) * 0x01020305U;
}

static void clean_invalidate(uint32_t address)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c14, 1" : : "r"(address) : "memory");
}

static uint32_t register_at(const struct instruction *in, unsigned r, uint32_t at)
{
    return r == in->base ? at + (uint32_t)in->offset : r * 3;
}

static void user_set(uint32_t sp, uint32_t lr)
{
    const uint32_t v[2] = {sp, lr};

    __asm__ volatile("ldm %0, {sp, lr}^\n nop" : : "r"(v) : "memory");
}

static void user_get(uint32_t *v)
{
    __asm__ volatile("stm %0, {sp, lr}^\n nop" : : "r"(v) : "memory");
}

/* The words of memory around the boundary; the first one is @words below it. */
static volatile uint32_t *memory(int word)
{
    return (volatile uint32_t *)(uintptr_t)(frame_at(1) + 4 * (uint32_t)word);
}

static void once(unsigned core, const struct instruction *in, int before, enum how how)
{
    const uint32_t at = page_at(1) - 4 * (uint32_t)before;
    uint32_t found[13], user[2], words = 0;
    unsigned word = 0;

    for (int i = -20; i < 20; i++)
        *memory(i) = pattern((uint32_t)(i + before));
    if (random32() & 1)
        for (int i = -24; i < 24; i += 8)
            clean_invalidate((uint32_t)(uintptr_t)memory(i));
    for (unsigned page = 0; page < 2; page++)
        if (how == BOTH_ABSENT || how == FIRST_ABSENT + page)
            page_unmap(0, page);
        else
            page_map(0, page, page, how == FIRST_PROTECTED + page ? NONE : USER);
    tlb_drop_page(0, 0);
    tlb_drop_page(0, 1);
    fault_clear();
    base_wrong[core] = 0;
    current[core] = in;
    base_value[core] = register_at(in, in->base, at);
    fault_remedy[core] = put_right;
    user_set(13 * 3, 14 * 3);
    in->run(at, found);
    user_get(user);
    fault_remedy[core] = 0;

    expect("base register in an abort", base_wrong[core], 0);
    for (unsigned r = 0; r < 15; r++) {
        uint32_t wanted = register_at(in, r, at) + (r == in->base ? (uint32_t)in->moved : 0);
        const bool listed = in->list >> r & 1;

        words += listed;
        if (listed && in->kind != STORE)
            wanted = in->kind == UNALIGNED ? pattern(0) >> 16 | pattern(1) << 16 : pattern(word);
        if (in->kind == EXCLUSIVE && r == 8)
            continue; /* an abort or interrupt may have come between the two */
        if (listed && in->kind == STORE)
            expect(in->name, *memory((int)word - before), register_at(in, r, at));
        expect(in->name, r < 13 ? found[r] : user[r - 13], wanted);
        word += listed;
    }
    if (in->kind == SWAP || in->kind == EXCLUSIVE)
        expect(in->name, *memory(-before), in->kind == EXCLUSIVE && found[8] ? pattern(0) : 7 * 3);
    /* Nothing beyond. */
    expect(in->name, *memory(-before - 1), pattern((uint32_t)-1));
    expect(in->name, *memory((int)words + 1 - before), pattern(words + 1));
}

void test_blocks(unsigned core)
{
    for (unsigned n = 0; n < sizeof instruction / sizeof *instruction; n++) {
        unsigned words = (unsigned)__builtin_popcount(instruction[n].list);

        for (unsigned again = 0; again < 2; again++)
            for (unsigned before = 0; before <= words; before++)
                for (enum how how = NOTHING; how < HOWS; how++)
                    once(core, &instruction[n], (int)before, how);
        passed(instruction[n].name);
    }
}
