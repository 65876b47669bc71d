/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Permissions of pages in privileged and User mode, and domains. */
#include "system.h"

uint32_t load_word(uint32_t at, uint32_t value);
uint32_t store_word(uint32_t at, uint32_t value);
uint32_t load_word_user(uint32_t at, uint32_t value);
uint32_t store_word_user(uint32_t at, uint32_t value);
void user_access(void);
void user_stack(void);

#define CLIENT     1U
#define MANAGER    3U
#define PERMISSION 0x1fU /* of a page of domain 1 */
#define DOMAIN     0x1bU
#define WRITE      0x800U

static const enum access access[5] = {NONE, PRIVILEGED, USER_READ, USER, READ_ONLY};

/* May an access, privileged or not, load and store there? */
static bool permitted(enum access how, bool user, bool store)
{
    switch (how) {
    case PRIVILEGED:
        return !user;
    case USER_READ:
        return !user || !store;
    case USER:
        return true;
    case READ_ONLY:
        return !user && !store;
    default:
        return false;
    }
}

static uint32_t in_user_mode(uint32_t (*run)(uint32_t, uint32_t), uint32_t at, uint32_t value)
{
    const uint32_t words[3] = {(uint32_t)(uintptr_t)run, at, value};
    register const uint32_t *r11 __asm__("r11") = words;
    register uint32_t r0 __asm__("r0") = (uint32_t)(uintptr_t)user_access;
    register uint32_t r1 __asm__("r1") = 0;

    __asm__ volatile("bl user_call"
                     : "+r"(r0), "+r"(r1)
                     : "r"(r11)
                     : "r2", "r3", "r12", "lr", "memory");
    return r0;
}

static void try(unsigned core, unsigned page, enum access how, uint32_t domain)
{
    const unsigned what =
        random32() % 6; /* load, store: as they are, as of User mode, in User mode */
    const bool store = what & 1, user = what >= 2;
    uint32_t (*const run[4])(uint32_t, uint32_t) = {load_word, store_word, load_word_user,
                                                    store_word_user};
    const uint32_t offset = random32() & 0xffc, at = page_at(page) + offset, value = random32();
    volatile uint32_t *real = &W(frame_at(page) + offset);
    const uint32_t before = random32();
    bool may = domain == MANAGER || (domain == CLIENT && permitted(how, user, store));
    uint32_t found;

    *real = before;
    fault_clear();
    found = what < 4 ? run[what](at, value) : in_user_mode(run[what - 4], at, value);
    expect("loaded", found, may && !store ? before : 5);
    expect("stored", *real, may && store ? value : before);
    expect("aborts", fault[core].count, !may);
    if (!may) {
        expect("address of an abort", fault[core].address, at);
        expect("status of an abort", fault[core].status,
               (domain == CLIENT ? PERMISSION : DOMAIN) | (store ? WRITE : 0));
    }
}

static void permissions(unsigned core)
{
    static const uint32_t domains[4] = {CLIENT, 0, CLIENT, MANAGER};
    enum access how[8];

    for (unsigned p = 0; p < 8; p++)
        page_map(0, p, p, how[p] = access[p % 5]);
    tlb_drop_all();
    for (unsigned r = 0; r < 400; r++) {
        const unsigned p = random32() % 8;
        const uint32_t domain = domains[r / 10 % 4];

        if (r % 10 == 0)
            domain_set(domain);
        if (random32() % 8 == 0) {
            page_map(0, p, p, how[p] = access[random32() % 5]);
            tlb_drop_page(0, p);
        }
        try(core, p, how[p], domain);
    }
    domain_set(CLIENT);
    passed("user.permissions");
}

/* A stack whose pages come when they are used. */
static bool more_stack(unsigned core, uint32_t address)
{
    const unsigned page = (address - TEST_PAGES) / PAGE;

    (void)core;
    page_map(space_now(), page, page + 32 * space_now(), USER);
    tlb_drop_page(space_now(), page);
    return page < 32;
}

static void stack(unsigned core)
{
    uint32_t wanted = 0, sum = 0;

    for (unsigned n = 120; n > 0; n--)
        sum += n;
    wanted = sum;
    for (unsigned n = 120, top = sum; n > 0; n--) {
        top -= 121 - n; /* what was in r0 when this level began */
        wanted = (wanted ^ top) + n;
    }
    for (unsigned r = 0; r < 12; r++) {
        for (unsigned p = 0; p < 32; p++)
            page_unmap(r & 1, p);
        tlb_drop_space(r & 1);
        space_switch(r & 1);
        fault_clear();
        fault_remedy[core] = more_stack;
        expect("sum over a stack", user_call((uint32_t)(uintptr_t)user_stack, page_at(20)), wanted);
        fault_remedy[core] = 0;
        expect("pages of a stack", fault[core].count, 8); /* of 120 * 256 bytes */
    }
    space_switch(0);
    passed("user.stack");
}

void test_user(unsigned core)
{
    permissions(core);
    stack(core);
}
