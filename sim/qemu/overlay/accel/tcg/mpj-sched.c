/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modelled time: one thread runs all cores, always the one whose time is
 * lowest, for a slice of modelled cycles.
 *
 * What may decide about scheduling is modelled state only. Kicks from other
 * threads (monitor, character devices) end a call of cpu_exec() early, but the
 * same core then continues to the same limit; so results do not depend on the
 * host's speed or load.
 */
/* long file: scheduling, stacks, parking and saving work on the one state below */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "exec/exec-all.h"
#include "exec/mpj-core.h"
#include "exec/mpj-fibre.h"
#include "migration/qemu-file-types.h"
#include "migration/vmstate.h"
#include "sysemu/cpus.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/mpj-sched.h"
#include "sysemu/runstate.h"
#include "tcg/tcg.h"
#include "tcg-accel-ops.h"

/*
 * Longest slice. Bounds how long an asynchronous event from the host waits and,
 * together with MPJ_FLUSH_CYCLES, how much the packed 16-bit counters collect.
 */
#define MPJ_SLICE_MAX 4096
/*
 * The largest quantum while several cores share a bus: a line takes about as long
 * on it, so that its arbiter is followed from transfer to transfer.
 */
#define MPJ_QUANTUM_FINE 50
#define MPJ_SLICES_MAX 1024
/*
 * A core that is ahead of another one which interrupts it, and is at the end of
 * a block, takes the interrupt that many cycles after its slice was to end, and
 * up to twice as many more, by lot: the place of it does not depend on blocks.
 */
#define MPJ_IRQ_AFTER 64
/* Cycles before a timer, and the like, from which on cores that doze are awake. */
#define MPJ_DOZE_BEFORE 1024

MpjState mpj;

static struct {
    uint64_t clock;    /* global time: minimum over the running cores, monotonic */
    int64_t timer_ns;  /* expiry of the first timer, and the same in cycles */
    uint64_t deadline; /* UINT64_MAX: no timer */
    CPUState *running; /* core inside of cpu_exec() */
    CPUState *stopper; /* core that stopped the machine from inside */
    CPUState *unfinished; /* its slice goes on when the machine does */
    bool kicked;       /* look for work before the next slice */
    /*
     * The runnable cores by their times, the lowest number first of equals; the
     * first one has run since. Empty: must be determined again.
     */
    CPUState *order[MPJ_CORES];
    unsigned ordered;
    unsigned slices;   /* in this critical section of RCU */

    /*
     * A core that stops in the middle of a block keeps the stack that it was
     * run on; others go on with a free one.
     */
    MpjFibre fibre[MPJ_CORES], loop;
    sigjmp_buf jump[MPJ_CORES]; /* where helpers leave to, by stack */
    int8_t jumps_to[MPJ_CORES]; /* which of them a core's jmp_env is; -1: none */
    uint8_t stack[MPJ_CORES];   /* of a core that is inside */
    uint8_t free;               /* stacks; a bit each */
    uint8_t on;                 /* the one in use */
    uint32_t asked[MPJ_CORES];  /* line for which a core waits for its turn, + 1 */
    bool asked_poll[MPJ_CORES]; /* it polls it */
    unsigned inside;   /* so many cores are in the middle of a block */
    bool finish;       /* they go on to its end, whose turn it is or not */
    bool full;         /* no room for blocks: they go when no core is inside of one */
    uint64_t block_ends;
    MpjPoll poll[MPJ_CORES], round[MPJ_CORES];
    uint64_t needs;    /* at least all bits of those of rounds */
    MpjFibre *back;    /* of what awakens a core: it executes its polls up to */
    uint64_t until;    /* that time */
    unsigned parked;   /* so many of those inside */
    bool polled;       /* any of them live */
} sched = { .timer_ns = INT64_MAX, .deadline = UINT64_MAX };

/* State of a core, and of the scheduler, that is saved with the machine. */
typedef struct MpjSavedCore {
    int32_t left, hold;
    uint64_t limit, flushed, polled, wake, irq_at;
    bool idle, again, exact;
    uint32_t cflags_next_tb;
    uint8_t entry[sizeof(struct mpj_residue)]; /* its number may be another one */
} MpjSavedCore;

static struct MpjSaved {
    uint32_t quantum;
    bool full;
    uint64_t clock, block_ends;
    uint32_t unfinished; /* number of the core + 1; 0: none */
    uint8_t hold[sizeof(MpjHoldState)];
    MpjSavedCore core[MPJ_CORES];
} saved;

static const VMStateDescription vmstate_mpj_sched;

static void mpj_unpark(CPUState *cpu, uint64_t time);
static void mpj_poll_until(CPUState *cpu, uint64_t time);
static void mpj_awaken(CPUState *cpu);
static void mpj_slice_begin(CPUState *cpu, uint64_t limit);

void mpj_setup(struct mpj_chip *chip, bool full, uint32_t quantum)
{
    mpj.chip = chip;
    mpj.prm = mpj_chip_params(chip);
    mpj.full = full;
    mpj.quantum = quantum;
    mpj.clock_hz = mpj_chip_clock_hz(chip);
    /* Generated code has the address of the zeros in 32 bits. */
    mpj.fast = TCG_TARGET_HAS_mpj && (uintptr_t)mpj_zeros <= INT32_MAX;
    mpj_chip_order(chip, mpj_turn, NULL);
    vmstate_register(NULL, 0, &vmstate_mpj_sched, &saved);
}

int64_t mpj_cycles_to_ns(uint64_t cycles)
{
    return muldiv64(cycles, NANOSECONDS_PER_SECOND, mpj.clock_hz);
}

uint64_t mpj_ns_to_cycles(int64_t ns)
{
    uint64_t c = muldiv64(ns, mpj.clock_hz, NANOSECONDS_PER_SECOND);

    /* The first cycle at which the clock shows at least ns. */
    while (mpj_cycles_to_ns(c) < ns) {
        c++;
    }
    return c;
}

uint64_t mpj_core_now(CPUState *cpu)
{
    if (mpj.held && cpu == mpj_hold_core()) {
        return mpj_hold_time();
    }
    mpj_flow_settle(cpu);
    return mpj_time(cpu_mpj(cpu));
}

void mpj_charge(CPUState *cpu, uint32_t cycles)
{
    cpu_mpj(cpu)->left -= cycles;
}

uint64_t mpj_clock_cycles(void)
{
    /* Other threads see the global time: they never read a core's state. */
    if (current_cpu && sched.running) {
        return mpj_core_now(sched.running);
    }
    return qatomic_read(&sched.clock);
}

int64_t mpj_clock_ns(void)
{
    return mpj_cycles_to_ns(mpj_clock_cycles());
}

/* Ends the running core's slice at @limit if that is earlier than planned. */
static void mpj_shorten_slice(uint64_t limit)
{
    MpjCpu *m = cpu_mpj(sched.running);

    if (limit < m->limit) {
        m->left -= (int64_t)(m->limit - limit);
        m->limit = limit;
    }
}

/*
 * Returns true if what happens to a core at @time is so soon after its slice's
 * end that no block may run past it.
 */
static bool mpj_exact(uint64_t limit, uint64_t time)
{
    return time - limit < MPJ_NEAR;
}

void mpj_timer_changed(void)
{
    int64_t ns;

    if (!current_cpu || !sched.running) {
        return; /* read again before the next slice */
    }
    ns = qemu_clock_next_expire_ns(QEMU_CLOCK_VIRTUAL);
    if (ns != INT64_MAX) {
        MpjCpu *m = cpu_mpj(sched.running);
        uint64_t due = MAX(mpj_core_now(sched.running), mpj_ns_to_cycles(ns));

        mpj_shorten_slice(due);
        if (!m->exact && !mpj.held && mpj_exact(m->limit, due)) {
            m->exact = true;
            m->left -= MPJ_NEAR;
            m->hold += MPJ_NEAR;
        }
    }
}

void mpj_sched_kick(void)
{
    qatomic_set(&sched.kicked, true);
}

void mpj_blocks_full(void)
{
    sched.full = true;
    mpj_sched_kick();
}

void mpj_cpu_exit(CPUState *cpu)
{
    if (current_cpu && cpu == sched.running) {
        mpj_break(cpu_mpj(cpu));
    }
}

/*
 * Returns when a core takes the interrupt of another one: at the same time, or,
 * if it is ahead, as soon as it can; in the middle of a block at its end.
 */
static uint64_t mpj_irq_due(const MpjCpu *m)
{
    uint64_t now = mpj_clock_cycles();
    uint32_t lot = ((uint32_t)now * 0x9e3779b1u) % (2 * MPJ_IRQ_AFTER);

    return m->inside || m->exact ? now
                                 : MAX(now, m->limit + MPJ_IRQ_AFTER + lot);
}

void mpj_interrupt_raised(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    if (cpu == sched.running) {
        mpj_break(m);
    } else if (sched.poll[cpu->cpu_index].parked) {
        mpj_unpark(cpu, mpj_clock_cycles());
    } else if (sched.running && !m->idle) {
        mpj_awaken(cpu);
        m->irq_at = mpj_irq_due(m);
    } else if (!m->idle) {
        m->irq_at = 0; /* of a timer, which is due now */
    } else if (m->wake == 0) {
        sched.ordered = 0;
        m->wake = MAX(mpj_clock_cycles(), 1);
        if (sched.running) {
            /* The waiting core was not part of the slice's limit. */
            mpj_shorten_slice(m->wake + mpj.quantum);
        }
    }
}

/* ---- accounting ---------------------------------------------------------- */

static void mpj_flush_to(CPUState *cpu, uint64_t end, bool waiting)
{
    MpjCpu *m = cpu_mpj(cpu);
    uint64_t d = end - m->flushed;
    uint32_t regs[16];

    m->flushed = end;
    if (!mpj.full) {
        return;
    }
    if (waiting) {
        mpj_flush(mpj.chip, cpu->cpu_index, end, 0, d, NULL);
    } else {
        mpj_sample_regs(cpu, regs);
        mpj_flush(mpj.chip, cpu->cpu_index, end, d, 0, regs);
    }
}

void mpj_flush_running(CPUState *cpu)
{
    mpj_flush_to(cpu, mpj_time(cpu_mpj(cpu)), false);
}

void mpj_sync(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);
    uint64_t end;

    if (mpj.held && cpu == mpj_hold_core()) {
        return;
    }
    if (sched.poll[cpu->cpu_index].parked) {
        mpj_poll_until(cpu, mpj_clock_cycles());
    }
    mpj_awaken(cpu);
    end = mpj_core_now(cpu);

    if (m->idle) {
        /* A core's own time stops while it waits. */
        end = MAX(end, mpj_clock_cycles());
        if (end > m->flushed) {
            mpj_flush_to(cpu, end, true);
            m->limit = end + m->left + m->hold;
        }
    } else {
        mpj_flush_to(cpu, end, false);
    }
}

void mpj_sync_all(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        mpj_sync(cpu);
    }
}

void mpj_flow_empty(CPUState *cpu)
{
    mpj_hold_end(cpu);
    mpj_flow_settle(cpu);
    cpu_mpj(cpu)->entry = 0;
    if (mpj.full) {
        mpj_flow_drop(mpj.chip, cpu->cpu_index);
    }
}

static void mpj_core_sleep(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    mpj_unbreak(m);
    mpj_flow_empty(cpu);
    mpj_flush_to(cpu, mpj_time(m), false);
    m->wake = m->irq_at = 0;
    m->idle = true;
}

static void mpj_core_wake(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);
    uint64_t at = MAX(mpj_time(m), m->wake ? m->wake : sched.clock);

    if (at > m->flushed) {
        mpj_flush_to(cpu, at, true);
    }
    m->limit = at;
    m->left = 0;
    m->hold = 0;
    m->idle = false;
    mpj_what_if_skip(cpu);
}

/* ---- scheduling ---------------------------------------------------------- */

/*
 * Returns true while the user stops the machine: modelled time stops for all
 * cores, so neither a core nor the scheduler notices it.
 */
static bool mpj_paused(void)
{
    return (runstate_check(RUN_STATE_PAUSED) ||
            runstate_check(RUN_STATE_FINISH_MIGRATE) ||
            runstate_check(RUN_STATE_SAVE_VM)) && !sched.stopper;
}

static bool mpj_runnable(CPUState *cpu)
{
    return ((!cpu->stopped && !cpu->stop) || mpj_paused() ||
            (mpj.debug && runstate_is_running())) &&
           (!cpu->halted || cpu_has_work(cpu));
}

static void mpj_read_deadline(void)
{
    int64_t ns = qemu_clock_next_expire_ns(QEMU_CLOCK_VIRTUAL);

    if (ns != sched.timer_ns) {
        sched.timer_ns = ns;
        sched.deadline = ns == INT64_MAX ? UINT64_MAX : mpj_ns_to_cycles(ns);
    }
}

/*
 * Returns the place of a core in the order, as a number that no two cores
 * share: it must not depend on who runs first. At equal times one that came
 * after all others of that time (mpj_turn()) is the last; else the first is
 * drawn by lot, for no core must have an advantage over the others.
 */
static inline uint64_t mpj_place_at(CPUState *cpu, uint64_t time, bool after)
{
    uint32_t lot = ((uint32_t)time * 0x9e3779b1u) >> 30;

    return (time * 2 + after) * MPJ_CORES +
           (cpu->cpu_index ^ lot) % MPJ_CORES;
}

static inline uint64_t mpj_place(CPUState *cpu)
{
    const MpjCpu *m = cpu_mpj(cpu);

    return m->inside ? mpj_place_at(cpu, m->turn, m->after)
                     : mpj_place_at(cpu, mpj_time(m), false);
}

static inline uint64_t mpj_place_time(CPUState *cpu)
{
    const MpjCpu *m = cpu_mpj(cpu);

    return m->inside ? m->turn : mpj_time(m);
}

/* Inserts a core whose time has changed among the first @n in order. */
static inline void mpj_order_put(CPUState *cpu, unsigned n)
{
    uint64_t place = mpj_place(cpu);
    unsigned i;

    for (i = n; i > 0 && mpj_place(sched.order[i - 1]) > place; i--) {
        sched.order[i] = sched.order[i - 1];
    }
    sched.order[i] = cpu;
}

/*
 * Moves the core that ran, the only one whose time has changed, to its place in
 * the order; what else may change the order empties it. False: it must be
 * determined again.
 */
static inline bool mpj_order_again(void)
{
    CPUState *cpu = sched.order[0];

    if (!sched.ordered || cpu->halted || !mpj_runnable(cpu) ||
        sched.poll[cpu->cpu_index].parked) {
        return false;
    }
    for (unsigned i = 1; i < sched.ordered; i++) {
        sched.order[i - 1] = sched.order[i];
    }
    mpj_order_put(cpu, sched.ordered - 1);
    return true;
}

/* Returns how many cores may run. */
static unsigned mpj_order_all(void)
{
    CPUState *cpu;
    unsigned n = 0;
    bool halted = false;

    CPU_FOREACH(cpu) {
        MpjCpu *m = cpu_mpj(cpu);

        if (sched.poll[cpu->cpu_index].parked) {
            continue;
        }
        if (!mpj_runnable(cpu)) {
            if (!m->idle) {
                mpj_core_sleep(cpu);
            }
            continue;
        }
        if (m->idle) {
            mpj_core_wake(cpu);
        }
        mpj_order_put(cpu, n++);
        halted |= cpu->halted; /* its interrupt may yet be withdrawn */
    }
    sched.ordered = halted ? 0 : n;
    return n;
}

static void mpj_poll_forget(unsigned core)
{
    sched.poll[core].live = false;
    sched.round[core].live = sched.round[core].steady = false;
    sched.round[core].needs = 0;
}

static void mpj_polls_forget(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        mpj_awaken(cpu);
    }
    sched.polled = false;
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        mpj_poll_forget(i);
    }
}

/* Advances a parked core to its first poll whose turn is not before @place. */
static void mpj_poll_past(CPUState *cpu, uint64_t time, uint64_t place)
{
    MpjPoll *poll = &sched.poll[cpu->cpu_index];
    uint64_t at = cpu_mpj(cpu)->turn, rounds = 0;

    if (time > at) {
        rounds = DIV_ROUND_UP(time - at, poll->period);
        at += rounds * poll->period;
    }
    if (mpj_place_at(cpu, at, false) < place) {
        rounds++;
    }
    if (rounds > 0) {
        mpj_poll_repeat(cpu, poll, rounds);
    }
}

static void mpj_poll_until(CPUState *cpu, uint64_t time)
{
    mpj_poll_past(cpu, time, 0);
}

static void mpj_unparked(CPUState *cpu)
{
    sched.poll[cpu->cpu_index].parked = false;
    sched.parked--;
    sched.ordered = 0;
    if (sched.running) {
        /* The unparked core was not part of the slice's limit. */
        mpj_shorten_slice(MAX(cpu_mpj(cpu)->turn + mpj.quantum,
                              mpj_time(cpu_mpj(sched.running))));
    }
}

/* ---- cores that doze ------------------------------------------------------- */

/*
 * A core that dozes is inside of a block, at a poll; what it did since is known
 * (mpj-poll.c) and not executed: only its turn moves on. All slices, its own and
 * those of the others, begin and end where they would have.
 */

/*
 * Executes the polls of a core that dozes up to the one that has the turn: the
 * core stops there, and what called this goes on. A core that came to another
 * place would have its turn there.
 */
static void mpj_awaken(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);
    unsigned *depth = &get_ptr_rcu_reader()->depth, own_depth = *depth;
    CPUState *running = sched.running, *current = current_cpu;
    uint64_t irq_at = m->irq_at, until = m->turn;
    bool exact = m->exact;
    uint8_t on = sched.on;
    uint64_t outer_until = sched.until;
    MpjFibre back, *outer = sched.back;

    if (!m->dozes) {
        return;
    }
    m->dozes = false;
    if (!mpj_doze_end(cpu, &sched.round[cpu->cpu_index],
                      &sched.poll[cpu->cpu_index])) {
        return;
    }
    m->irq_at = UINT64_MAX;
    m->exact = false;
    sched.back = &back;
    sched.until = until;
    mpj_slice_begin(cpu, until + MPJ_SLICE_MAX);
    mpj_fibre_switch(&back, &sched.fibre[sched.stack[cpu->cpu_index]]);
    *depth = own_depth;
    sched.back = outer;
    sched.until = outer_until;
    sched.on = on;
    sched.running = running;
    current_cpu = current;
    m->irq_at = irq_at;
    m->exact = exact;
    if (!m->inside || m->turn != until) {
        sched.ordered = 0;
    }
}

/* Returns true if a load of that line is a hit: it may have been taken meanwhile. */
static bool mpj_holds(CPUState *cpu, uint32_t line)
{
    return (cpu_mpj(cpu)->hot.dline[line] & ~MPJ_LINE_WATCHED) != MPJ_LINE_I;
}

/*
 * Awakens the cores whose rounds depend on a line that the running core, whose
 * turn it is, is about to change. Their next rounds may be other ones.
 */
static void __attribute__((noinline)) mpj_awaken_all(uint32_t line)
{
    uint64_t needs = 0;

    for (unsigned core = 0; core < MPJ_CORES; core++) {
        MpjPoll *round = &sched.round[core];

        if ((round->needs >> line % 64 & 1) && mpj_round_needs(round, line)) {
            mpj_awaken(qemu_get_cpu(core));
            mpj_round_changes(round);
        }
        needs |= round->needs;
    }
    sched.needs = needs;
}

static inline void mpj_awaken_line(CPUState *cpu, uint32_t line, bool poll)
{
    if (unlikely(sched.needs >> line % 64 & 1) &&
        (!poll || !mpj_holds(cpu, line))) {
        mpj_awaken_all(line);
    }
}

/* Returns the time before which a core that dozes may have its turn. */
static uint64_t mpj_doze_ends(const MpjPoll *round)
{
    uint64_t end = MIN(sched.deadline, sched.block_ends);

    return MIN(end - MIN(end, MPJ_DOZE_BEFORE), round->end);
}

/*
 * Moves the turn of a core that dozes, and comes first, past that of the next
 * core. False: before that there are polls to be executed in a slice up to
 * @limit.
 */
static bool mpj_doze_past(CPUState *cpu, uint64_t limit)
{
    MpjCpu *m = cpu_mpj(cpu);
    MpjPoll *round = &sched.round[cpu->cpu_index];
    CPUState *next = sched.ordered > 1 ? sched.order[1] : NULL;
    uint64_t end = MIN(mpj_doze_ends(round), limit);
    uint64_t place = next ? mpj_place(next) : sched.ordered ? UINT64_MAX : 0;

    if (sched.ordered) {
        mpj_doze_skip(round, next ? MIN(end, mpj_place_time(next)) : end);
    }
    while (mpj_doze_next(round) < end) {
        m->turn = mpj_doze_on(round);
        if (mpj_place_at(cpu, m->turn, false) > place) {
            m->polled = m->turn;
            return true;
        }
    }
    return false;
}

/*
 * Moves the turns of the cores that doze and come first, if these are several, to
 * their first polls not before the turn of the next core: that is where they come
 * to in any order.
 */
static void mpj_doze_together(void)
{
    uint64_t until = UINT64_MAX, period = 0;
    unsigned n = 0;

    for (; n < sched.ordered && cpu_mpj(sched.order[n])->dozes; n++) {
        MpjPoll *round = &sched.round[sched.order[n]->cpu_index];

        until = MIN(until, mpj_doze_ends(round));
        period = MAX(period, round->period);
    }
    if (n < 2) {
        return;
    }
    /* The last polls are done in the usual way, slice by slice. */
    until -= MIN(until, 3 * period);
    if (n < sched.ordered) {
        until = MIN(until, mpj_place_time(sched.order[n]));
    }
    if (until < mpj_place_time(sched.order[n - 1]) + period) {
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        MpjCpu *m = cpu_mpj(sched.order[i]);
        MpjPoll *round = &sched.round[sched.order[i]->cpu_index];

        mpj_doze_skip(round, until);
        while (m->turn < until) {
            m->turn = m->polled = mpj_doze_on(round);
        }
    }
    for (unsigned i = 1; i < sched.ordered; i++) {
        mpj_order_put(sched.order[i], i);
    }
}

/* Returns true if a core that dozes comes first. */
static inline bool mpj_doze_first(void)
{
    return sched.ordered && cpu_mpj(sched.order[0])->dozes;
}

/*
 * Moves the turns of cores that doze past those of the others, as long as a core
 * that dozes comes first. False: the order must be determined again.
 */
static bool __attribute__((noinline)) mpj_doze_all(void)
{
    mpj_doze_together();
    while (mpj_doze_first()) {
        CPUState *cpu = sched.order[0];
        MpjCpu *m = cpu_mpj(cpu);
        MpjPoll *round = &sched.round[cpu->cpu_index];
        uint64_t now = round->now, turn = m->turn;
        unsigned next = round->next;

        if (!mpj_doze_past(cpu, UINT64_MAX)) {
            /* The slice begins where it would have. */
            round->now = now;
            round->next = next;
            m->turn = turn;
            break;
        }
        if (!mpj_order_again()) {
            return false;
        }
    }
    return true;
}

/* Returns true if other cores come before the next poll of the core, which dozes. */
static bool __attribute__((noinline)) mpj_dozes_on(CPUState *cpu, uint64_t limit)
{
    MpjCpu *m = cpu_mpj(cpu);
    uint64_t turn;

    if (mpj_doze_past(cpu, limit)) {
        return true;
    }
    turn = m->turn;
    mpj_awaken(cpu);
    return !m->inside || m->turn != turn;
}

/* ---- picking the core that runs -------------------------------------------- */

/* Lets a parked core go on, not before that time. */
static void mpj_unpark(CPUState *cpu, uint64_t time)
{
    mpj_poll_until(cpu, time);
    mpj_unparked(cpu);
}

/*
 * Unparks the cores that poll a line which the running core, whose turn it is,
 * is about to change.
 */
static void mpj_unpark_line(uint32_t line, uint64_t at, uint64_t place)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (sched.poll[cpu->cpu_index].parked &&
            sched.poll[cpu->cpu_index].line == line) {
            mpj_poll_past(cpu, at, place);
            mpj_unparked(cpu);
        }
    }
}

/*
 * Returns the next of the cores that are inside of a block and continue to its
 * end, out of turn: a timer is due, or all cores were at the end of a block too
 * long ago.
 */
static CPUState *mpj_finish(uint64_t *limit)
{
    CPUState *cpu;

    sched.ordered = 0;
    CPU_FOREACH(cpu) {
        if (cpu_mpj(cpu)->inside) {
            if (sched.poll[cpu->cpu_index].parked) {
                mpj_unpark(cpu, sched.clock);
            }
            cpu_mpj(cpu)->exact = false;
            *limit = mpj_time(cpu_mpj(cpu));
            return cpu;
        }
    }
    g_assert_not_reached();
}

static void mpj_finish_begin(void)
{
    sched.block_ends = sched.clock + MPJ_BLOCK_ENDS;
    mpj_polls_forget();
    sched.finish = sched.inside > 0;
}

/*
 * Returns the time from which on the core is flushed at the first end of a
 * block.
 */
static uint64_t mpj_flush_at_end(const MpjCpu *m)
{
    return MAX(mpj_flush_due(m), m->polled ? m->polled + MPJ_ROUND_MAX : 0);
}

/* Returns how far a core may be ahead of the next one at that time. */
static uint32_t mpj_quantum(uint64_t now)
{
    return mpj.quantum > MPJ_QUANTUM_FINE && mpj.full &&
           mpj_buses_shared(mpj.chip, now) ? MPJ_QUANTUM_FINE : mpj.quantum;
}

static CPUState *mpj_held_slice(uint64_t *limit)
{
    mpj_hold_slice();
    cpu_mpj(mpj_hold_core())->exact = false;
    *limit = mpj_hold_time() + MPJ_SLICE_MAX;
    return mpj_hold_core();
}

/*
 * Returns the runnable core with the smallest time and where its slice ends: a
 * quantum after the next core's time, not beyond the next timer. NULL: all
 * cores wait, or a timer is due.
 */
static CPUState *mpj_pick(uint64_t *limit)
{
    uint64_t best, second, best_clock;
    unsigned n;
    MpjCpu *m;

    if (sched.finish && sched.inside) {
        return mpj_finish(limit);
    }
    sched.finish = false;
    if (mpj.held) {
        return mpj_held_slice(limit);
    }
    n = mpj_order_again() ? sched.ordered : mpj_order_all();
    mpj_read_deadline();
    if (unlikely(mpj_doze_first()) && !mpj_doze_all()) {
        n = mpj_order_all();
    }
    if (n == 0 && !sched.parked) {
        mpj_polls_forget();
        /* Told to stop inside of a block: the request is seen to at its end. */
        if (sched.inside) {
            sched.finish = true;
            return mpj_finish(limit);
        }
        return NULL;
    }
    /* Only parked cores: run until an interrupt comes. */
    best = n > 0 ? mpj_place_time(sched.order[0]) : sched.block_ends;
    second = n > 1 ? mpj_place_time(sched.order[1]) : UINT64_MAX;
    /* Never past a timer that has not fired: it fires at its own time. */
    best_clock = MIN(best, sched.deadline);
    if (best_clock > sched.clock) {
        qatomic_set(&sched.clock, best_clock);
    }
    if (sched.clock >= sched.block_ends || sched.deadline <= sched.clock) {
        mpj_finish_begin();
        if (sched.finish) {
            return mpj_finish(limit);
        }
        if (sched.deadline <= sched.clock) {
            return NULL;
        }
    }
    if (n > 0 && mpj_hold_asked(sched.order[0])) {
        CPUState *cpu = sched.order[0];

        mpj_finish_begin();
        if (sched.finish) {
            return mpj_finish(limit);
        }
        mpj_flush_to(cpu, mpj_time(cpu_mpj(cpu)), false);
        mpj_hold_begin(cpu);
        return mpj_held_slice(limit);
    }
    m = cpu_mpj(sched.order[0]);
    *limit = MIN(MIN(best + MPJ_SLICE_MAX, sched.deadline),
                 mpj_flush_at_end(m));
    if (second - best < MPJ_SLICE_MAX) {
        *limit = MIN(*limit, second + mpj_quantum(best));
    }
    if (m->irq_at > best) {
        *limit = MIN(*limit, m->irq_at);
    }
    m->exact = mpj_exact(*limit, sched.deadline) ||
               mpj_exact(*limit, m->irq_at);
    return sched.order[0];
}

/*
 * Returns true if it is time to discard blocks, while cores are between two of
 * them: when there is no space for another one, those that are inside of one
 * must finish out of turn.
 */
static bool mpj_blocks_many(void)
{
    return mpj.full && (mpj_flow_many(mpj.chip) ||
                        tcg_code_size() > tcg_code_capacity() / 2);
}

/*
 * Queues the request of a core whose turn it is, in the middle of a block, if it
 * has to wait for its line: without its stack. Returns true if others are to run
 * first.
 */
static bool mpj_queued(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);
    unsigned core = cpu->cpu_index;
    uint32_t line = sched.asked[core] - 1;
    uint64_t at = m->turn, taken;

    if (!sched.asked[core] || !m->inside || sched.finish ||
        qatomic_read(&cpu->interrupt_request) ||
        qatomic_read(&cpu->exit_request)) {
        return false;
    }
    mpj_awaken_line(cpu, line, sched.asked_poll[core]);
    sched.asked[core] = 0;
    if (!mpj_chip_queue(mpj.chip, core, at, &taken)) {
        return false;
    }
    if (sched.parked && !sched.asked_poll[core]) {
        mpj_unpark_line(line, at, mpj_place_at(cpu, at, false));
    }
    mpj_poll_forget(core);
    m->turn = taken;
    m->after = true;
    return !sched.ordered || taken >= sched.deadline ||
           (sched.ordered > 1 &&
            mpj_place_at(cpu, taken, true) > mpj_place(sched.order[1]));
}

/* Returns the core to run next, and where its slice ends. */
static CPUState *mpj_pick_run(uint64_t *limit)
{
    CPUState *cpu;

    do {
        cpu = mpj_pick(limit);
    } while (cpu && ((cpu_mpj(cpu)->dozes && mpj_dozes_on(cpu, *limit)) ||
                     mpj_queued(cpu)));
    return cpu;
}

/* Handles stop requests and work queued for the cores; BQL held. */
static void mpj_handle_events(void)
{
    CPUState *cpu;

    if (mpj_blocks_many()) {
        tb_flush(first_cpu);
    }

    sched.ordered = 0;
    sched.full = false;
    qatomic_set(&sched.kicked, false);
    smp_mb(); /* pairs with the queueing of work before mpj_sched_kick() */
    CPU_FOREACH(cpu) {
        if (cpu->stop && runstate_is_running()) {
            sched.stopper = cpu;
        }
        current_cpu = cpu;
        mpj_resume_drop(cpu); /* a debugger may write registers */
        if (unlikely(!QTAILQ_EMPTY(&cpu->breakpoints))) {
            mpj_links_cut(); /* blocks with breakpoints are looked up */
        }
        qemu_wait_io_event_common(cpu);
    }
}

/*
 * Returns true if no core may run: modelled time stops for all of them
 * together.
 */
static bool mpj_frozen(void)
{
    if (sched.stopper && !sched.stopper->stopped) {
        sched.stopper = NULL;
    }
    return sched.stopper || !runstate_is_running();
}

void mpj_sched_resumed(void)
{
    sched.stopper = NULL;
}

static void mpj_slice_begin(CPUState *cpu, uint64_t limit)
{
    MpjCpu *m = cpu_mpj(cpu);
    uint64_t now = mpj_time(m);

    m->left = limit - now;
    m->hold = 0;
    m->limit = limit;
    mpj_restore(m);
    current_cpu = cpu;
    sched.running = cpu;
}

/*
 * Returns true if all cores are between two blocks, where the machine may be
 * stopped and saved: the records of a core's polls are not part of its state.
 */
static bool mpj_between_blocks(void)
{
    return !sched.inside && !sched.polled;
}

/* Executes a slice in the usual way. */
static void mpj_slice_exec(CPUState *cpu)
{
    do {
        int r;

        /*
         * As tcg_cpus_exec(), without its barriers: exclusive sections run in
         * this thread, when no core is running.
         */
        cpu->running = true;
        r = cpu_exec(cpu);
        cpu->running = false;

        if (unlikely(r == EXCP_DEBUG)) {
            qemu_mutex_lock_iothread();
            cpu_handle_guest_debug(cpu);
            sched.stopper = cpu;
            qemu_mutex_unlock_iothread();
            mpj_polls_forget();
            sched.finish = true;
            mpj_sched_kick();
            break;
        }
        if (unlikely(qatomic_read(&sched.kicked))) {
            if (!mpj_between_blocks()) {
                if (!cpu_mpj(cpu)->again && !sched.full) {
                    continue;
                }
                /*
                 * A core in such a stop cannot continue before events have been
                 * handled.
                 */
                mpj_polls_forget();
                if (sched.inside) {
                    sched.finish = true;
                    break;
                }
            }
            sched.running = NULL;
            qemu_mutex_lock_iothread();
            mpj_handle_events();
            qemu_mutex_unlock_iothread();
            current_cpu = cpu;
            sched.running = cpu;
            if (mpj_paused()) {
                if (mpj_budget(cpu_mpj(cpu)) > 0 && mpj_runnable(cpu)) {
                    sched.unfinished = cpu;
                }
                mpj_sched_kick(); /* no further slice */
                break;
            }
        }
    } while (mpj_budget(cpu_mpj(cpu)) > 0 && mpj_runnable(cpu));
}

static void mpj_slice_end(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    if (unlikely(mpj.what_if) && !m->inside) {
        mpj_what_if_settle(cpu);
    }
    sched.running = NULL;
    if (!m->inside && !mpj.held && mpj_time(m) >= mpj_flush_at_end(m)) {
        mpj_flush_to(cpu, mpj_time(m), false);
    }
}

/* Returns true if there is something else to do than slices. */
static bool mpj_slices_over(void)
{
    return ++sched.slices >= MPJ_SLICES_MAX ||
           (qatomic_read(&sched.kicked) && mpj_between_blocks()) ||
           (sched.finish && mpj_between_blocks() && mpj_blocks_many());
}

/* Returns the stack for the core that runs next; -1: the one that is in use. */
static int mpj_stack_for(CPUState *next, bool free)
{
    int n = -1;

    if (cpu_mpj(next)->inside) {
        n = sched.stack[next->cpu_index];
    } else if (!free) {
        n = ctz32(sched.free);
        sched.free &= ~(1u << n);
    }
    return n;
}

/*
 * Ends the slice on stack @own, which is left free unless the core is inside of
 * a block. Returns when the stack is in use again. A core that stops has no
 * part of the thread's critical sections of RCU: all of them are in that of
 * mpj_sched_loop().
 */
static inline __attribute__((always_inline)) void
mpj_next_slice(CPUState *cpu, unsigned own)
{
    unsigned *depth = &get_ptr_rcu_reader()->depth, own_depth = *depth;
    bool free = !cpu_mpj(cpu)->inside;
    CPUState *next = NULL;
    MpjFibre *to = sched.back; /* of what awakened the core */
    uint64_t limit;
    int n = -1;

    cpu->running = false;
    sched.back = NULL;
    if (!to && sched.unfinished) {
        sched.running = NULL;
    } else if (!to) {
        mpj_slice_end(cpu);
        /* A core that dozes may be awakened at once: not from its own stack. */
        if (!mpj_slices_over() && !cpu_mpj(cpu)->dozes) {
            next = mpj_pick_run(&limit);
        }
    }
    if (next) {
        mpj_slice_begin(next, limit);
        n = mpj_stack_for(next, free);
        if (n >= 0 && n != own) {
            to = &sched.fibre[n];
        }
    } else if (!to) {
        to = &sched.loop;
    }
    if (to) {
        if (free) {
            sched.free |= 1u << own;
        }
        *depth = 1;
        mpj_fibre_switch(&sched.fibre[own], to);
        *depth = own_depth;
        sched.on = own;
    }
    current_cpu->running = true;
}

/* Returns true if an interrupt or an event may make the core leave its loop. */
static bool mpj_disturbed(CPUState *cpu)
{
    return qatomic_read(&cpu->interrupt_request) ||
           qatomic_read(&cpu->exit_request);
}

/* Returns true if the running core has its turn at that time. */
static inline bool mpj_has_turn(CPUState *cpu, uint64_t at, bool after)
{
    return sched.ordered && at < sched.deadline &&
           (sched.ordered == 1 ||
            mpj_place_at(cpu, at, after) < mpj_place(sched.order[1]));
}

/*
 * Lets the running core, which is at the first poll of a round, at @at, doze: its
 * rounds are executed when another core comes in, or, if it has its turn up to the
 * end of its slice, at once. Returns the time of its next poll.
 */
static uint64_t __attribute__((noinline)) mpj_doze(CPUState *cpu, uint64_t at)
{
    MpjCpu *m = cpu_mpj(cpu);
    MpjPoll *round = &sched.round[cpu->cpu_index];
    MpjPoll *poll = &sched.poll[cpu->cpu_index];

    m->dozes = !sched.back && !mpj.prof && !mpj.insns && !mpj.what_if &&
               !poll->parked && !mpj_disturbed(cpu) && m->irq_at <= at &&
               mpj_doze_begin(cpu, round, at);
    if (!m->dozes || !mpj_has_turn(cpu, at, false)) {
        return at;
    }
    mpj_flow_settle(cpu);
    if (!mpj_doze_past(cpu, m->limit)) {
        uint64_t limit = m->limit;

        m->dozes = false;
        (void)mpj_doze_end(cpu, round, poll);
        m->hold -= m->limit - limit;
        m->limit = limit;
        if (!m->leave) {
            mpj_restore(m);
            mpj_flow_arm(cpu);
        }
    }
    return m->turn;
}

uint64_t mpj_turn(void *opaque, unsigned core, uint32_t line, uint64_t at,
                  enum mpj_turn turn)
{
    CPUState *cpu = sched.running;
    MpjCpu *m = cpu_mpj(cpu);
    MpjPoll *poll = &sched.poll[core];
    bool after = turn == MPJ_TURN_AFTER, waits;

    if (unlikely(turn == MPJ_TURN_FORGET)) {
        mpj_awaken_line(cpu, line, false);
        return at;
    }
    if (turn == MPJ_TURN_POLL) {
        m->polled = at;
        if (at >= mpj_flush_due(m)) {
            mpj_flow_settle(cpu);
            mpj_flush_running(cpu);
        }
    }
    if (m->exclusive || sched.finish) {
        return at;
    }
    if (turn == MPJ_TURN_POLL) {
        poll->parked = mpj_poll(cpu, poll, line, at);
        sched.parked += poll->parked;
        sched.polled = true;
        if (mpj.quantum >= MPJ_QUANTUM_FINE) { /* no slice ends within a round */
            bool steady = mpj_poll_round(cpu, &sched.round[core], line, at);

            sched.needs |= sched.round[core].needs;
            if (steady) {
                at = mpj_doze(cpu, at);
            }
        }
    } else {
        mpj_poll_forget(core);
    }
    waits = sched.back ? at >= sched.until
                       : poll->parked || m->dozes ||
                         !mpj_has_turn(cpu, at, after);
    if (waits) {
        /* The flush includes everything that is charged. */
        mpj_flow_settle(cpu);
        m->inside = true;
        m->turn = at;
        m->after = after;
        sched.stack[core] = sched.on;
        sched.inside++;
        sched.asked[core] = after ? 0 : line + 1;
        sched.asked_poll[core] = turn == MPJ_TURN_POLL;
        mpj_next_slice(cpu, sched.on);
        sched.asked[core] = 0;
        sched.inside--;
        m->inside = false;
        at = m->turn;
        if (m->after && !after) { /* it was queued meanwhile */
            after = true;
            turn = MPJ_TURN_AFTER;
        }
        if (!sched.back && mpj_disturbed(cpu)) {
            mpj_break(m);
        }
    }
    mpj_awaken_line(cpu, line, turn == MPJ_TURN_POLL);
    if (sched.parked && turn != MPJ_TURN_POLL) {
        mpj_unpark_line(line, at, mpj_place_at(cpu, at, after));
    }
    return at;
}

/*
 * Runs cores, on a stack. Most slices begin and end between two blocks without
 * any event: for them cpu_exec() and its setjmp() are skipped. A helper that
 * leaves its block then comes out here.
 */
static void mpj_run(void *opaque)
{
    unsigned own = (uintptr_t)opaque;

    if (sigsetjmp(sched.jump[own], 0) != 0) {
        goto left;
    }
    sched.on = own;
    current_cpu->running = true;
    for (;;) {
        if (sched.jumps_to[current_cpu->cpu_index] != own) {
            memcpy(current_cpu->jmp_env, sched.jump[own], sizeof(sigjmp_buf));
            sched.jumps_to[current_cpu->cpu_index] = own;
        }
        if (!mpj_exec_resume(current_cpu)) {
            goto usual;
left:
            mpj_exec_left(current_cpu);
            if (mpj_exec_resume(current_cpu)) {
                goto over;
            }
usual:
            sched.jumps_to[current_cpu->cpu_index] = -1;
            mpj_slice_exec(current_cpu);
        }
over:
        mpj_next_slice(current_cpu, own);
    }
}

/* Runs slices until there is something else to do. */
static void mpj_run_slices(CPUState *first, uint64_t limit)
{
    mpj_slice_begin(first, limit);
    sched.slices = 0;
    mpj_fibre_switch(&sched.loop, &sched.fibre[mpj_stack_for(first, false)]);
}

/* Fires the timers that are due, each at its own time. BQL held. */
static void mpj_run_timers(void)
{
    if (sched.deadline > sched.clock) {
        qatomic_set(&sched.clock, sched.deadline);
    }
    qemu_clock_run_timers(QEMU_CLOCK_VIRTUAL);
}

void mpj_sched_loop(void)
{
    CPUState *cpu;
    uint64_t limit;

    CPU_FOREACH(cpu) {
        mpj_mem_init(cpu);
        if (mpj.full) {
            mpj_chip_attach(mpj.chip, cpu->cpu_index, &cpu_mpj(cpu)->hot);
        }
    }

    for (uintptr_t i = 0; i < MPJ_CORES; i++) {
        mpj_fibre_new(&sched.fibre[i], mpj_run, (void *)i);
        sched.free |= 1u << i;
        sched.jumps_to[i] = -1;
    }

    for (;;) {
        /* Events, as everything else, find the cores between two blocks. */
        if (mpj_between_blocks()) {
            mpj_handle_events();
            if (mpj_frozen()) {
                qemu_cond_wait_iothread(first_cpu->halt_cond);
                continue;
            }
        }

        cpu = sched.unfinished;
        if (cpu) {
            sched.unfinished = NULL;
            limit = cpu_mpj(cpu)->limit;
        } else {
            cpu = mpj_pick_run(&limit);
        }
        if (!cpu) {
            if (sched.deadline != UINT64_MAX) {
                mpj_run_timers();
                /* Let the main loop in: a guest may do nothing but wait. */
                qemu_mutex_unlock_iothread();
                qemu_mutex_lock_iothread();
            } else if (!qatomic_read(&sched.kicked)) {
                qemu_cond_wait_iothread(first_cpu->halt_cond);
            }
            continue;
        }

        qemu_mutex_unlock_iothread();
        /* Once for many slices, which are short enough for waiting writers. */
        rcu_read_lock();
        mpj_run_slices(cpu, limit);
        rcu_read_unlock();
        qemu_mutex_lock_iothread();
    }
}

/* ---- saving -------------------------------------------------------------- */

static int mpj_pre_save(void *opaque)
{
    CPUState *cpu;

    saved.quantum = mpj.quantum;
    saved.full = mpj.full;
    saved.clock = sched.clock;
    saved.block_ends = sched.block_ends;
    saved.unfinished = sched.unfinished ? sched.unfinished->cpu_index + 1 : 0;
    mpj_hold_save((void *)saved.hold);
    CPU_FOREACH(cpu) {
        const MpjCpu *m = cpu_mpj(cpu);

        saved.core[cpu->cpu_index] = (MpjSavedCore) {
            .left = m->left, .hold = m->hold, .limit = m->limit,
            .flushed = m->flushed, .polled = m->polled, .wake = m->wake,
            .irq_at = m->irq_at, .idle = m->idle, .again = m->again,
            .exact = m->exact, .cflags_next_tb = cpu->cflags_next_tb,
        };
        if (m->entry && saved.full) {
            memcpy(saved.core[cpu->cpu_index].entry,
                   mpj_residue_of(mpj.chip, m->entry),
                   sizeof(struct mpj_residue));
        }
    }
    return 0;
}

static int mpj_post_load(void *opaque, int version_id)
{
    CPUState *cpu;

    if (saved.quantum != mpj.quantum || saved.full != mpj.full) {
        error_report("the saved machine has quantum=%u,model=%s", saved.quantum,
                     saved.full ? "full" : "time");
        return -EINVAL;
    }
    qatomic_set(&sched.clock, saved.clock);
    sched.block_ends = saved.block_ends;
    sched.unfinished = saved.unfinished ? qemu_get_cpu(saved.unfinished - 1)
                                        : NULL;
    mpj_hold_load((const void *)saved.hold);
    CPU_FOREACH(cpu) {
        const MpjSavedCore *c = &saved.core[cpu->cpu_index];
        MpjCpu *m = cpu_mpj(cpu);

        m->left = c->left;
        m->hold = c->hold;
        m->limit = c->limit;
        m->flushed = c->flushed;
        m->polled = c->polled;
        m->wake = c->wake;
        m->irq_at = c->irq_at;
        m->idle = c->idle;
        m->again = c->again;
        m->exact = c->exact;
        cpu->cflags_next_tb = c->cflags_next_tb;
        if (mpj.full) {
            const struct mpj_residue *r = (const void *)c->entry;
            struct mpj_residue here = { .inside = r->inside };

            /* Whatever was translated here finds the pipes empty. */
            mpj_flow_resume(mpj.chip, cpu->cpu_index, r);
            m->entry = mpj_residue_number(mpj.chip, &here);
        }
    }
    return 0;
}

static int mpj_put_bytes(void *file, const void *data, size_t bytes)
{
    qemu_put_buffer(file, data, bytes);
    return 0;
}

static int mpj_get_bytes(void *file, void *data, size_t bytes)
{
    return qemu_get_buffer(file, data, bytes) == bytes ? 0 : -1;
}

static int mpj_put_chip(QEMUFile *f, void *pv, size_t size,
                        const VMStateField *field, JSONWriter *vmdesc)
{
    return mpj_chip_save(mpj.chip, mpj_put_bytes, f) == MPJ_OK ? 0 : -EIO;
}

static int mpj_get_chip(QEMUFile *f, void *pv, size_t size,
                        const VMStateField *field)
{
    char err[256];

    if (mpj_chip_load(mpj.chip, mpj_get_bytes, f, err, sizeof(err)) != MPJ_OK) {
        error_report("%s", err);
        return -EINVAL;
    }
    return 0;
}

static const VMStateInfo vmstate_info_mpj_chip = {
    .name = "mpj-chip",
    .get = mpj_get_chip,
    .put = mpj_put_chip,
};

static const VMStateDescription vmstate_mpj_core = {
    .name = "mpj-core",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (VMStateField[]) {
        VMSTATE_INT32(left, MpjSavedCore),
        VMSTATE_INT32(hold, MpjSavedCore),
        VMSTATE_UINT64(limit, MpjSavedCore),
        VMSTATE_UINT64(flushed, MpjSavedCore),
        VMSTATE_UINT64(polled, MpjSavedCore),
        VMSTATE_UINT64(wake, MpjSavedCore),
        VMSTATE_UINT64(irq_at, MpjSavedCore),
        VMSTATE_BOOL(idle, MpjSavedCore),
        VMSTATE_BOOL(again, MpjSavedCore),
        VMSTATE_BOOL(exact, MpjSavedCore),
        VMSTATE_UINT32(cflags_next_tb, MpjSavedCore),
        VMSTATE_BUFFER(entry, MpjSavedCore),
        VMSTATE_END_OF_LIST()
    }
};

/*
 * The rows of the cores and the blocks they end their slices before are not
 * part of it: they are found again, at no modelled cost.
 */
static const VMStateDescription vmstate_mpj_sched = {
    .name = "mpj-sched",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = mpj_pre_save,
    .post_load = mpj_post_load,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32(quantum, struct MpjSaved),
        VMSTATE_BOOL(full, struct MpjSaved),
        VMSTATE_UINT64(clock, struct MpjSaved),
        VMSTATE_UINT64(block_ends, struct MpjSaved),
        VMSTATE_UINT32(unfinished, struct MpjSaved),
        VMSTATE_BUFFER(hold, struct MpjSaved),
        VMSTATE_STRUCT_ARRAY(core, struct MpjSaved, MPJ_CORES, 1,
                             vmstate_mpj_core, MpjSavedCore),
        {
            .name = "chip",
            .info = &vmstate_info_mpj_chip,
            .flags = VMS_SINGLE,
        },
        VMSTATE_END_OF_LIST()
    }
};
