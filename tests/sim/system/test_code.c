/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that is written, changed, mapped elsewhere; another one in each address space. */
#include "system.h"

#define ROUNDS 80

static uint32_t call(uint32_t at)
{
    return ((uint32_t(*)(void))(uintptr_t)at)();
}

/* At that address, a function that returns @value, below 256. */
static void write_function(uint32_t at, uint32_t value)
{
    W(at) = 0xe3a00000U | (value & 255); /* mov r0, #value */
    W(at + 4) = 0xe12fff1eU;             /* bx lr */
}

static void changed(void)
{
    page_map(0, 0, 0, PRIVILEGED);
    tlb_drop_all();
    for (unsigned r = 0; r < ROUNDS; r++) {
        const uint32_t at = page_at(0) + r % 7 * 40;

        write_function(at, r);
        code_written(at, 8);
        expect("code written", call(at), r);
        /* By its other address. */
        write_function(frame_at(0) + r % 7 * 40, r + 1);
        code_written(frame_at(0) + r % 7 * 40, 8);
        code_written(at, 8);
        expect("code written by another address", call(at), (r + 1) & 255);
        /* Data in the page and the line of code. */
        W(at + 12) = r;
        expect("data in a page of code", W(frame_at(0) + r % 7 * 40 + 12), r);
        expect("code beside data", call(at), (r + 1) & 255);
    }
    passed("code.changed");
}

static __attribute__((noinline)) uint32_t call_with(uint32_t code, uint32_t a, uint32_t b,
                                                    uint32_t c)
{
    return ((uint32_t(*)(uint32_t, uint32_t, uint32_t))(uintptr_t)code)(a, b, c);
}

/* The block that is being executed changes what comes next in it. */
static void itself(void)
{
    const uint32_t at = page_at(0) + 0x400;
    static const uint32_t code[] = {
        0xe5810014U, /* str r0, [r1, #20]: the instruction after next but three */
        0xee071f3aU, /* mcr p15, 0, r1, c7, c10, 1 */
        0xee072f9aU, /* mcr p15, 0, r2, c7, c10, 4 */
        0xee072f15U, /* mcr p15, 0, r2, c7, c5, 0 */
        0xee072f95U, /* mcr p15, 0, r2, c7, c5, 4 */
        0xe3a000ffU, /* mov r0, #255: replaced */
        0xe12fff1eU,
    };

    for (unsigned r = 0; r < ROUNDS; r++) {
        for (unsigned i = 0; i < sizeof code / sizeof *code; i++)
            W(at + 4 * i) = code[i];
        code_written(at, sizeof code);
        expect("block that changes itself", call_with(at, 0xe3a00000U | r, at, 0), r);
    }
    passed("code.itself");
}

/* One virtual page, another code in each address space. */
static void spaces(void)
{
    for (unsigned space = 0; space < 2; space++)
        for (unsigned p = 0; p < 4; p++) {
            page_map(space, p, 4 * space + p, PRIVILEGED);
            for (unsigned i = 0; i < 4; i++)
                write_function(frame_at(4 * space + p) + 64 * i, 100 * space + 10 * p + i);
            code_written(frame_at(4 * space + p), 256);
        }
    tlb_drop_all();
    for (unsigned r = 0; r < ROUNDS; r++) {
        space_switch(r & 1);
        for (unsigned p = 0; p < 4; p++)
            for (unsigned i = 0; i < 4; i++)
                expect("code of this address space", call(page_at(p) + 64 * i),
                       100 * (r & 1) + 10 * p + i);
    }
    space_switch(0);
    passed("code.spaces");
}

/* Code moves to another page; its frame gets other code. */
static void moved(void)
{
    for (unsigned r = 0; r < ROUNDS; r++) {
        const unsigned frame = r % 8;

        write_function(frame_at(frame), r);
        code_written(frame_at(frame), 8);
        page_map(0, 2, frame, PRIVILEGED);
        tlb_drop_page(0, 2);
        __asm__ volatile("mcr p15, 0, %0, c7, c5, 6\n mcr p15, 0, %0, c7, c5, 4"
                         :
                         : "r"(0)
                         : "memory");
        expect("code in another frame", call(page_at(2)), r);
    }
    passed("code.moved");
}

/* Pages that are not there, or are no code: a prefetch abort; put right, the call goes on. */
static bool make_code(unsigned core, uint32_t address)
{
    (void)core;
    if (address - TEST_PAGES >= PAGES * PAGE)
        return false;
    page_map(0, (address - TEST_PAGES) / PAGE, 1, PRIVILEGED);
    tlb_drop_page(0, (address - TEST_PAGES) / PAGE);
    return true;
}

static void absent(unsigned core)
{
    write_function(frame_at(1), 9);
    W(frame_at(1) + PAGE - 4) = 0xe3a00007U; /* mov r0, #7, and on to the next page */
    code_written(frame_at(1), 8);
    code_written(frame_at(1) + PAGE - 4, 4);
    fault_remedy[core] = make_code;
    for (unsigned r = 0; r < 20; r++) {
        page_map(0, 9, 1, PRIVILEGED | (r & 1 ? NO_CODE : 0));
        if (!(r & 1))
            page_unmap(0, 9);
        page_map(0, 8, 1, PRIVILEGED);
        tlb_drop_all();
        fault_clear();
        expect("code over a page's end", call(page_at(8) + PAGE - 4), 9);
        expect("prefetch aborts", fault[core].count, 1);
        expect("their address", fault[core].address, page_at(9));
        expect("their status", fault[core].status & 15, r & 1 ? 15 : 7);
        expect("r0 at that time", fault[core].r[0], 7);
    }
    fault_remedy[core] = 0;
    passed("code.absent");
}

void test_code(unsigned core)
{
    changed();
    itself();
    spaces();
    moved();
    absent(core);
}
