/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system.h"

#define SYS      0x10000000U
#define SCU      0x10100000U
#define UART0    0x10009000U
#define GIC_CPU  0x10100100U
#define TIMER    0x10100600U
#define GIC_DIST 0x10101000U
#define TIMER_ID 29U
#define TICK_MIN 151U /* half cycles of the core */
#define SGI_ASK  1U
#ifndef TICKS
#define TICKS 100U /* while a core runs alone, at least; 0: none at all */
#endif

struct fault fault[4];
bool (*fault_remedy[4])(unsigned core, uint32_t address);
static volatile uint32_t tick_count[4], turn;
static uint32_t seed[4];
static bool wrong[4];
static volatile bool together; /* the cores run at the same time: lines would mix */

void entry(unsigned core);
void on_undefined(struct frame *f);
void on_supervisor(struct frame *f);
void on_prefetch_abort(struct frame *f);
void on_data_abort(struct frame *f);
void on_interrupt(struct frame *f);
void user_end(void);

unsigned core_id(void)
{
    unsigned core;

    __asm__("mrc p15, 0, %0, c0, c0, 5" : "=r"(core));
    return core & 3;
}

/* ---- output ------------------------------------------------------------------- */

static void text(const char *s)
{
    while (*s)
        W(UART0) = (uint32_t)*s++;
}

static void hexadecimal(uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        W(UART0) = (uint32_t) "0123456789abcdef"[value >> shift & 15];
}

void expect(const char *name, uint32_t found, uint32_t wanted)
{
    if (found == wanted || wrong[core_id()])
        return;
    wrong[core_id()] = true; /* the first one only: others follow from it */
    text("WRONG ");
    text(name);
    text(": ");
    hexadecimal(found);
    text(", wanted ");
    hexadecimal(wanted);
    text("\n");
}

void passed(const char *name)
{
    if (together)
        return;
    if (!wrong[core_id()]) {
        text("ok ");
        text(name);
        text("\n");
    }
    wrong[core_id()] = false;
}

uint32_t random32(void)
{
    uint32_t *s = &seed[core_id()];

    *s ^= *s << 13;
    *s ^= *s >> 17;
    return *s ^= *s << 5;
}

/* ---- exceptions ----------------------------------------------------------------- */

void fault_clear(void)
{
    struct fault *f = &fault[core_id()];

    for (unsigned i = 0; i < sizeof *f / 4; i++)
        ((volatile uint32_t *)f)[i] = 0;
}

static void power_off(void)
{
    W(SYS + 0x20) = 0xa05f;
    W(SYS + 0x40) = 8;
    for (;;)
        ;
}

static void stop(const char *what, const struct frame *f)
{
    text("WRONG ");
    text(what);
    text(" at ");
    hexadecimal(f->pc);
    text("\n");
    power_off();
}

void on_undefined(struct frame *f)
{
    stop("undefined instruction", f);
}

/* SVC ends User mode: goes on where user_call() was called. */
void on_supervisor(struct frame *f)
{
    f->pc = (uint32_t)(uintptr_t)user_end;
    f->psr = (f->psr & ~0x1fU) | 0x13;
}

static void abort_taken(struct frame *f, uint32_t status, uint32_t address, uint32_t skip)
{
    const unsigned core = core_id();
    struct fault *t = &fault[core];

    t->count++;
    t->status = status & 0xdff;
    t->address = address;
    t->pc = f->pc;
    for (unsigned i = 0; i < 13; i++)
        t->r[i] = f->r[i];
    if (t->count > 100000)
        stop("abort again and again", f);
    if (!fault_remedy[core])
        f->pc += skip;
    else if (!fault_remedy[core](core, address))
        stop("abort", f);
}

void on_prefetch_abort(struct frame *f)
{
    uint32_t status;

    __asm__ volatile("mrc p15, 0, %0, c5, c0, 1" : "=r"(status));
    abort_taken(f, status, f->pc, 4);
}

void on_data_abort(struct frame *f)
{
    uint32_t status, address;

    __asm__ volatile("mrc p15, 0, %0, c5, c0, 0\n mrc p15, 0, %1, c6, c0, 0"
                     : "=r"(status), "=r"(address));
    abort_taken(f, status, address, 4);
}

void on_interrupt(struct frame *f)
{
    uint32_t id = W(GIC_CPU + 0x0c);
    unsigned core = core_id();

    (void)f;
    if ((id & 0x3ff) == SGI_ASK) {
        shared_answer();
    } else {
        W(TIMER + 0x0c) = 1;
        tick_count[core]++;
        W(TIMER) = TICK_MIN + (random32() & 0x3ff);
    }
    W(GIC_CPU + 0x10) = id;
}

void cores_interrupt(uint32_t mask)
{
    W(GIC_DIST + 0xf00) = mask << 16 | SGI_ASK;
}

uint32_t ticks(void)
{
    return tick_count[core_id()];
}

void ticks_begin(void)
{
    W(GIC_DIST + 0x100) = 1U << TIMER_ID;
    W(GIC_CPU + 0x04) = 0xf0;
    W(GIC_CPU) = 1;
    W(TIMER) = TICK_MIN;
    W(TIMER + 0x08) = TICKS ? 5 : 0; /* on, interrupt, once */
    __asm__ volatile("cpsie i" : : : "memory");
}

/* ---- all cores -------------------------------------------------------------------- */

static void run(unsigned core)
{
    test_space(core);
    test_blocks(core);
    test_code(core);
    test_user(core);
}

void cores_meet(volatile uint32_t *count, uint32_t wanted)
{
    __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
    while (*count < wanted)
        ;
}

/* Once one core after the other, then all at the same time. */
void entry(unsigned core)
{
    static volatile uint32_t begun, ended;
    const unsigned cores = (W(SCU + 4) & 3) + 1;

    while (turn != core)
        ;
    if (core == 0)
        W(GIC_DIST) = 1;
    seed[core] = 0x1234567U * (core + 1);
    space_begin(core);
    ticks_begin();
    run(core);
    expect("interrupts", ticks() + 1 > TICKS, 1);
    passed("core");
    turn = core + 1;
    cores_meet(&begun, cores);
    together = true;
    run(core);
    test_together(core, cores);
    test_shared(core, cores);
    cores_meet(&ended, cores);
    if (core == 0) {
        together = false;
        passed("together");
        text("end\n");
        power_off();
    }
    for (;;)
        ;
}
