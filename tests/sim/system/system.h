/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of system code share: page tables, faults, checks. No runtime of ours.
 *
 * Every core has two address spaces, with page tables and pages of its own. Sections of both map
 * the memory and the devices where they are, for privileged accesses; test pages lie at TEST_PAGES.
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#define W(address) (*(volatile uint32_t *)(address))

#define TEST_PAGES 0x40000000U
#define PAGES      64U /* test pages of an address space */
#define PAGE       4096U
#define FRAMES     128U /* physical pages of a core */

/* Access of a page: privileged and user mode. */
enum access { NONE = 0, PRIVILEGED = 0x10, USER_READ = 0x20, USER = 0x30, READ_ONLY = 0x210 };
#define GLOBAL  0x1000U /* in page_map(): the same in both address spaces */
#define NO_CODE 0x2000U

/* ---- page tables (space.c) ---------------------------------------------------- */

/* Builds the tables of this core and enables MMU, caches and branch prediction; address space 0. */
void space_begin(unsigned core);
/* Switches to address space 0 or 1: translation table base and context, no maintenance of the TLB.
 */
void space_switch(unsigned space);
unsigned space_now(void);
/* Virtual address of test page @n. */
static inline uint32_t page_at(unsigned n)
{
    return TEST_PAGES + n * PAGE;
}
/* Address, mapped one to one, of this core's physical page @n. */
uint32_t frame_at(unsigned n);
/* Sets the entry of a test page; @how: enum access with flags. No maintenance of the TLB. */
void page_map(unsigned space, unsigned page, unsigned frame, uint32_t how);
/* Sets it to a translation fault. */
void page_unmap(unsigned space, unsigned page);
/* The test pages' domain: 0 no access, 1 client, 3 manager. */
void domain_set(uint32_t access);
void tlb_drop_page(unsigned space, unsigned page);
void tlb_drop_space(unsigned space);
void tlb_drop_all(void);
/*
 * One megabyte that all cores have, at COMMON in address space 0, as a section, or in pages of
 * which one is another piece of memory (the same page of the second megabyte).
 */
#define COMMON 0x50000000U
extern uint8_t common_memory[2][0x100000];
void common_section(void);
void common_paged(unsigned page);
/*
 * Pages of all cores by one table, at SHARED in address space 0. An entry takes effect on a core
 * when that has dropped its translation of the page, with all instructions in its cache.
 */
#define SHARED 0x60000000U
void shared_map(unsigned page, uint32_t memory, uint32_t how);
void shared_drop(unsigned page);
/* Makes words written at that address code: cleans the data cache, drops instructions and
 * predictions. */
void code_written(uint32_t at, uint32_t bytes);

/* ---- exceptions (system.c) ------------------------------------------------------ */

struct frame {
    uint32_t r[13], abort_lr, pc, psr;
};
/* The last abort of this core since fault_clear(). */
struct fault {
    uint32_t count, status, address, pc;
    uint32_t r[13];
};
extern struct fault fault[4];
/* What is done about an abort, before its instruction is executed again; NULL: the next one is. */
extern bool (*fault_remedy[4])(unsigned core, uint32_t address);
void fault_clear(void);

unsigned core_id(void);
/* A line "WRONG NAME: found, wanted" if the two differ. */
void expect(const char *name, uint32_t found, uint32_t wanted);
/* A line "ok NAME" if no check failed since the last one. */
void passed(const char *name);
uint32_t random32(void);
/* Interrupts of the private timer, from now on at irregular times. */
void ticks_begin(void);
uint32_t ticks(void);
/* Interrupts the cores of a mask: each calls shared_answer() then. */
void cores_interrupt(uint32_t mask);
/* Waits until the cores have come here @wanted times, all together. */
void cores_meet(volatile uint32_t *count, uint32_t wanted);
/* Runs @code in User mode; see start.S. */
uint32_t user_call(uint32_t code, uint32_t stack);

/* ---- tests ------------------------------------------------------------------------ */

void test_space(unsigned core);
void test_blocks(unsigned core);
void test_code(unsigned core);
void test_user(unsigned core);
/* All of so many cores at the same time. */
void test_together(unsigned core, unsigned cores);
void test_shared(unsigned core, unsigned cores);
void shared_answer(void);

#endif
