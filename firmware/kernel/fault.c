/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults: sends registers, fault status and the words of the stack to the host, which knows the
 * symbols. Runs on the core's abort or undefined stack with everything masked; the other cores are
 * stopped.
 */
#include "mpj_fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "hal_cpu.h"
#include "hal_mmu.h"
#include "hal_sys.h"
#include "hal_uart.h"
#include "mpj_hooks.h"
#include "mpj_layout.h"
#include "mpj_records.h"
#include "mpj_smp.h"

/* Registers of the faulting code, as fault_common (start.S) leaves them. */
struct trap {
    uint32_t sp;
    uint32_t lr;
    uint32_t r[13];
    uint32_t pc;
    uint32_t cpsr;
};

#define MODE_MASK 0x1fU
#define MODE_IRQ  0x12U
#define MODE_SYS  0x1fU
#define FSR_WNR   (1U << 11)
#define CPSR_T    (1U << 5)

extern char mpj_irq_entry_begin[], mpj_irq_entry_end[], __heap_end[];

_Noreturn void mpj_fault_entry(const struct trap *t, unsigned kind);

static volatile uint32_t faulting; /* 1 + the core that reports */
static struct mpj_fault record;

static bool is_guard(uint32_t addr)
{
    return (addr >= MPJ_MAIN_STACK_TOP && addr < MPJ_CORE_STACKS) ||
           (addr >= MPJ_HEAP_END && addr < MPJ_MAIN_STACK_BASE);
}

__attribute__((weak)) bool mpj_fault_is_guard(uint32_t addr)
{
    (void)addr;
    return false;
}

__attribute__((weak)) bool mpj_fault_stack(uint32_t addr, uint32_t *low, uint32_t *high)
{
    (void)addr;
    (void)low;
    (void)high;
    return false;
}

bool mpj_fault_readable(uint32_t addr)
{
    return addr >= MPJ_RAM_FIRST && addr < MPJ_RAM_END && !is_guard(addr) &&
           !mpj_fault_is_guard(addr);
}

/* Returns a word of a stack; zero where a read would cause another fault. */
static uint32_t stack_word(uint32_t addr)
{
    return mpj_fault_readable(addr) ? *(const volatile uint32_t *)addr : 0U;
}

_Noreturn void mpj_reset(void)
{
    hal_irq_disable();
    for (;;) {
        hal_sys_reset();
        hal_wfi();
    }
}

static _Noreturn void report(void)
{
    uint32_t sp = record.r[13];

    record.core = hal_cpu_id();
    record.thread = hal_cpu_context();
    record.time = hal_sys_ticks();
    record.dfsr = hal_mmu_dfsr();
    record.ifsr = hal_mmu_ifsr();
    record.dfar = hal_mmu_dfar();
    record.ifar = hal_mmu_ifar();
    if (record.kind == MPJ_FAULT_DATA && (is_guard(record.dfar) || mpj_fault_is_guard(record.dfar)))
        record.kind = MPJ_FAULT_STACK;
    /* After an overflow sp may point into the guard: the frames above it show the calls. */
    if ((sp & 3U) == 0 && sp >= MPJ_RAM_FIRST && sp < MPJ_RAM_END)
        record.count = MPJ_FAULT_STACK_MAX;
    for (uint32_t i = 0; i < record.count; i++)
        record.stack[i] = stack_word(sp + 4U * i);
    mpj_hooks.fault(&record);
}

/* Lets the first fault be reported, and only that one: later ones stop the core or reset. */
static void claim(void)
{
    uint32_t none = 0;
    uint32_t me = hal_cpu_id() + 1U;

    hal_irq_disable();
    if (__atomic_compare_exchange_n(&faulting, &none, me, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        /* Before anything is sent: one of them may be in the middle of a frame. */
        mpj_smp_stop_others();
        return;
    }
    if (none == me) {
        /* A fault while reporting one: nothing more can be reported. */
        mpj_reset();
    }
    mpj_smp_stopped();
}

/* ---- expected faults ------------------------------------------------------------- */

#define ATTEMPTS 8U

struct attempt {
    uint32_t context; /* of the thread that tries: faults of others are not expected */
    uint32_t sp, cpsr;
    struct mpj_fault_caught *caught;
    void (*fn)(void *arg);
    void *arg;
};

static struct attempt *attempts[ATTEMPTS];

bool mpj_fault_call(uint32_t *sp_out, void (*fn)(void *arg), void *arg);
_Noreturn void mpj_fault_resume(uint32_t sp, uint32_t exception_sp, uint32_t cpsr);

static void attempt(void *arg)
{
    const struct attempt *const a = arg;

    __asm__ volatile("cpsie a" : : : "memory"); /* an abort that comes late is this one's */
    a->fn(a->arg);
    hal_dsb();
    __asm__ volatile("nop\n\tnop" : : : "memory");
}

bool mpj_fault_try(struct mpj_fault_caught *c, void (*fn)(void *arg), void *arg)
{
    struct attempt a = {.context = hal_cpu_context(), .caught = c, .fn = fn, .arg = arg};
    unsigned slot = 0;
    bool faulted;

    memset(c, 0, sizeof(*c));
    for (; slot < ATTEMPTS; slot++) {
        struct attempt *none = NULL;

        if (__atomic_compare_exchange_n(&attempts[slot], &none, &a, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            break;
    }
    __asm__ volatile("mrs %0, cpsr" : "=r"(a.cpsr));
    faulted = mpj_fault_call(&a.sp, attempt, &a);
    __asm__ volatile("msr cpsr_cx, %0" : : "r"(a.cpsr) : "memory");
    if (slot < ATTEMPTS)
        __atomic_store_n(&attempts[slot], NULL, __ATOMIC_RELEASE);
    return !faulted;
}

/* Resumes after the attempt that expected this fault; returns when there is none. */
static void catch_expected(const struct trap *t, unsigned kind)
{
    const uint32_t context = hal_cpu_context();

    if ((t->cpsr & MODE_MASK) != MODE_SYS ||
        (t->pc >= (uint32_t)mpj_irq_entry_begin && t->pc < (uint32_t)mpj_irq_entry_end))
        return; /* an interrupt's */
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        const struct attempt *const a = __atomic_load_n(&attempts[i], __ATOMIC_ACQUIRE);

        if (a == NULL || a->context != context)
            continue;
        a->caught->kind = kind;
        a->caught->pc = t->pc;
        if (kind == MPJ_FAULT_DATA) {
            a->caught->status = hal_mmu_dfsr();
            a->caught->address = hal_mmu_dfar();
        } else {
            a->caught->status = hal_mmu_ifsr();
            a->caught->address = t->pc;
        }
        mpj_fault_resume(a->sp, (uint32_t)(t + 1), a->cpsr);
    }
}

/* ---- before there is a host --------------------------------------------------------- */

static void say(const char *text)
{
    hal_uart_write(text, strlen(text));
}

static void say_hex(uint32_t v)
{
    char buf[10] = "0x";

    for (unsigned i = 0; i < 8; i++)
        buf[2 + i] = "0123456789abcdef"[v >> (28U - 4U * i) & 0xfU];
    hal_uart_write(buf, sizeof(buf));
}

/* Writes one line to the port and resets: on a board of another revision the first access to a
 * device that is elsewhere ends here, before .bss is zeroed, without MMU. */
static _Noreturn void tell_early(const struct trap *t, unsigned kind)
{
    static volatile uint32_t telling __attribute__((section(".data")));

    hal_irq_disable();
    if (telling++ == 0) {
        const uint32_t dfsr = hal_mmu_dfsr();
        const uint32_t dfar = hal_mmu_dfar();

        (void)hal_uart_init(115200U);
        say("\r\nmpjoule: start-up: ");
        say(mpj_fault_name(kind));
        if (kind == MPJ_FAULT_DATA) {
            say(" at ");
            say_hex(dfar);
            say(", status ");
            say_hex(dfsr);
        }
        say(", pc ");
        say_hex(t->pc);
        say(": compare the address with hal_map.h (in hal/board)\r\n");
        hal_uart_drain();
    }
    mpj_reset();
}

/* ---- all others --------------------------------------------------------------------- */

_Noreturn void mpj_fault_entry(const struct trap *t, unsigned kind)
{
    if (!mpj_hooks.host_listens())
        tell_early(t, kind);
    catch_expected(t, kind);
    claim();
    record.kind = kind;
    for (unsigned i = 0; i < 13; i++)
        record.r[i] = t->r[i];
    record.r[13] = t->sp;
    record.r[14] = t->lr;
    record.r[15] = t->pc;
    record.cpsr = t->cpsr;
#ifdef MPJ_THUMB /* the entry has taken off the length of an ARM instruction */
    if (kind == MPJ_FAULT_UNDEF && (t->cpsr & CPSR_T) != 0)
        record.r[15] += 2U;
#endif
    /* The interrupt entry pushes on the interrupted stack: when that overflows, the fault is the
     * interrupted code's. Its address is in lr_irq, or already on the stack, where SRS put it. */
    if (t->pc >= (uint32_t)mpj_irq_entry_begin && t->pc < (uint32_t)mpj_irq_entry_end) {
        uint32_t sp, lr;

        if ((t->cpsr & MODE_MASK) == MODE_IRQ) {
            __asm__ volatile(
                "mrs r12, cpsr\n\tcps #0x1f\n\tmov %0, sp\n\tmov %1, lr\n\tmsr cpsr_c, r12"
                : "=&r"(sp), "=&r"(lr)
                :
                : "r12", "memory");
            record.r[15] = t->lr;
            record.r[13] = sp;
            record.r[14] = lr;
        } else if ((t->cpsr & MODE_MASK) == MODE_SYS && (t->sp & 3U) == 0) {
            record.r[15] = stack_word(t->sp);
            record.r[13] = t->sp + 8U;
        }
    }
    report();
}

_Noreturn void mpj_fault_context(unsigned kind, const struct mpj_context *c)
{
    claim();
    record.kind = kind;
    for (unsigned i = 0; i < 13; i++)
        record.r[i] = c->r[i];
    record.r[13] = (uint32_t)(c + 1);
    record.r[14] = c->lr;
    record.r[15] = c->pc - 4U;
    record.cpsr = c->cpsr;
    report();
}

_Noreturn void mpj_fatal(uint32_t code, uint64_t detail, const char *text)
{
    struct mpj_error_rec e = {.code = code, .core = hal_cpu_id(), .detail = detail};

    claim();
    e.time = hal_sys_ticks();
    e.text.p = (const uint8_t *)text;
    while (text != NULL && text[e.text.len] != '\0')
        e.text.len++;
    mpj_hooks.error(&e);
}
