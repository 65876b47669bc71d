/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address spaces: switched, changed behind the TLB, pages protected and copied. */
#include "system.h"

#define ROUNDS 60

static volatile uint32_t *word(unsigned page, unsigned i)
{
    return (volatile uint32_t *)(uintptr_t)(page_at(page) + 4 * i);
}

static volatile uint32_t *frame_word(unsigned frame, unsigned i)
{
    return (volatile uint32_t *)(uintptr_t)(frame_at(frame) + 4 * i);
}

/* One virtual page, another physical one in each address space; nothing but the context changes. */
static void switched(void)
{
    for (unsigned p = 0; p < 8; p++) {
        page_map(0, p, p, PRIVILEGED);
        page_map(1, p, 8 + p, PRIVILEGED);
    }
    tlb_drop_all();
    for (unsigned r = 0; r < ROUNDS; r++)
        for (unsigned space = 0; space < 2; space++) {
            space_switch(space);
            for (unsigned p = 0; p < 8; p++) {
                if (r > 0)
                    expect("own page", *word(p, (r - 1) * 9), r - 1 + 100 * p + 10000 * space);
                *word(p, r * 9) = r + 100 * p + 10000 * space;
            }
        }
    space_switch(0);
    for (unsigned p = 0; p < 8; p++) {
        expect("page of space 0", *frame_word(p, 9), 1 + 100 * p);
        expect("page of space 1", *frame_word(8 + p, 9), 10001 + 100 * p);
    }
    passed("space.switched");
}

/* A mapping changes and is dropped: by page, by address space, all; of this one and of the other
 * one. */
static void remapped(void)
{
    for (unsigned f = 0; f < 16; f++)
        for (unsigned i = 0; i < PAGE / 4; i += 16)
            *frame_word(f, i) = 1000 * f + i;
    for (unsigned r = 0; r < ROUNDS; r++) {
        const unsigned p = r % 8, frame = r % 16, i = r * 16, how = r % 3, other = r / 3 % 2;

        page_map(other, p, frame, PRIVILEGED);
        if (how == 0)
            tlb_drop_page(other, p);
        else if (how == 1)
            tlb_drop_space(other);
        else
            tlb_drop_all();
        space_switch(other);
        expect("page mapped anew", *word(p, i), 1000 * frame + i);
        *word(p, i + 1) = r;
        expect("store to it", *frame_word(frame, i + 1), r);
        *frame_word(frame, i + 1) = r + 1;
        expect("load from it", *word(p, i + 1), r + 1);
        space_switch(0);
    }
    passed("space.remapped");
}

/* A page of both address spaces is global: seen in both without an entry of its own in the TLB. */
static void global(void)
{
    page_map(0, 20, 20, PRIVILEGED | GLOBAL);
    page_map(1, 20, 20, PRIVILEGED | GLOBAL);
    tlb_drop_all();
    for (unsigned r = 0; r < ROUNDS; r++) {
        space_switch(r & 1);
        if (r > 0)
            expect("global page", *word(20, r - 1), r - 1);
        *word(20, r) = r;
    }
    space_switch(0);
    passed("space.global");
}

/* Copy on write: each page is read-only until it is written, then another frame. */
static bool copy_page(unsigned core, uint32_t address)
{
    const unsigned page = (address - TEST_PAGES) / PAGE, space = space_now();

    (void)core;
    for (unsigned i = 0; i < PAGE / 4; i++)
        *frame_word(64 + page, i) = *frame_word(page, i);
    page_map(space, page, 64 + page, PRIVILEGED);
    tlb_drop_page(space, page);
    return page < PAGES;
}

static void copied(unsigned core)
{
    for (unsigned r = 0; r < 6; r++) {
        for (unsigned p = 0; p < 16; p++) {
            for (unsigned i = 0; i < PAGE / 4; i += 8)
                *frame_word(p, i) = r + p * i;
            page_map(0, p, p, READ_ONLY);
            page_map(1, p, p, READ_ONLY);
        }
        tlb_drop_space(0);
        tlb_drop_space(1);
        fault_clear();
        fault_remedy[core] = copy_page;
        for (unsigned p = 0; p < 16; p++) {
            if (r & 1) /* it has been read in this address space */
                expect("before", *word(p, 8), r + p * 8);
            *word(p, 16 + 8 * r) = 77777;
            expect("written", *word(p, 16 + 8 * r), 77777);
            expect("copied", *word(p, 8), r + p * 8);
            expect("of the other one", *frame_word(p, 16 + 8 * r), r + p * (16 + 8 * r));
        }
        fault_remedy[core] = 0;
        expect("copies", fault[core].count, 16);
        expect("status", fault[core].status,
               0x80f | 1 << 4); /* write, permission of a page, domain 1 */
        space_switch(1);
        for (unsigned p = 0; p < 16; p++)
            expect("still shared", *word(p, 16 + 8 * r), r + p * (16 + 8 * r));
        space_switch(0);
    }
    passed("space.copied");
}

/* A page comes and goes: nothing of it is left, and a load that faults loads nothing. */
static void absent(unsigned core)
{
    for (unsigned r = 0; r < ROUNDS; r++) {
        uint32_t value = 5;

        page_map(0, 30, r % 16, PRIVILEGED);
        tlb_drop_page(0, 30);
        *word(30, r) = r;
        expect("there", *frame_word(r % 16, r), r);
        page_unmap(0, 30);
        tlb_drop_page(0, 30);
        fault_clear();
        __asm__ volatile("ldr %0, [%1]" : "+r"(value) : "r"(word(30, r)) : "memory");
        expect("register of a load that faults", value, 5);
        *word(30, r) = 8;
        expect("faults", fault[core].count, 2);
        expect("address", fault[core].address, page_at(30) + 4 * r);
        expect("status", fault[core].status & 0x80f, 0x807); /* write, translation of a page */
        expect("not stored", *frame_word(r % 16, r), r);
    }
    passed("space.absent");
}

void test_space(unsigned core)
{
    switched();
    remapped();
    global();
    copied(core);
    absent(core);
}
