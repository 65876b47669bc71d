/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A debugger that changes no result (machine property debug=on).
 *
 * QEMU ends blocks at breakpoints and executes single steps as blocks of their
 * own. Cores take turns at the ends of blocks, so that would be another run.
 * Here every instruction of a block looks at one byte first; where it is set
 * the core asks this file, and stops there, in the middle of its block, with
 * the whole vCPU thread: all cores keep their stacks and modelled time stops.
 *
 * The cores continue together or not at all. A debugger that lets one of them
 * make a step lets the others run as far as the model needs.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/mpj-core.h"
#include "sysemu/cpus.h"
#include "sysemu/mpj-sched.h"
#include "sysemu/runstate.h"

#define BREAKS_MAX 256

typedef struct Breaks {
    unsigned n;
    target_ulong at[BREAKS_MAX];
} Breaks;

uint8_t mpj_debug_at[MPJ_DEBUG_SLOTS];

static struct {
    Breaks now, was; /* breakpoints; those at the last stop */
    bool steps;      /* some core makes one */
    unsigned stops;  /* of the machine */
    bool reported;   /* the last one as a breakpoint or step of a core */
    struct {
        bool step;
        bool before;   /* stopped before the instruction has begun */
        target_ulong pc;
        uint32_t mode; /* of the processor, when the step began */
    } core[MPJ_CORES];
    CPUState *in; /* core that has stopped the machine */
} debug;

static bool breaks_at(const Breaks *b, target_ulong pc)
{
    for (unsigned i = 0; i < b->n; i++) {
        if (b->at[i] == pc) {
            return true;
        }
    }
    return false;
}

/* Marks the instructions that have to ask. */
static void mark(void)
{
    memset(mpj_debug_at, debug.steps, sizeof(mpj_debug_at));
    for (unsigned i = 0; i < debug.now.n; i++) {
        mpj_debug_at[mpj_debug_slot(debug.now.at[i])] = 1;
    }
}

int mpj_debug_insert(target_ulong addr)
{
    if (breaks_at(&debug.now, addr)) {
        return 0;
    }
    if (debug.now.n == BREAKS_MAX) {
        return -ENOSPC;
    }
    debug.now.at[debug.now.n++] = addr;
    mark();
    return 0;
}

int mpj_debug_remove(target_ulong addr)
{
    for (unsigned i = 0; i < debug.now.n; i++) {
        if (debug.now.at[i] == addr) {
            debug.now.at[i] = debug.now.at[--debug.now.n];
            mark();
            return 0;
        }
    }
    return -ENOENT;
}

void mpj_debug_remove_all(void)
{
    debug.now.n = 0;
    mark();
}

void mpj_debug_step(CPUState *cpu, bool on)
{
    CPUState *c;

    debug.core[cpu->cpu_index].step = on;
    debug.core[cpu->cpu_index].mode = mpj_core_mode(cpu);
    debug.steps = false;
    CPU_FOREACH(c) {
        debug.steps |= debug.core[c->cpu_index].step;
    }
    mark();
}

/*
 * Notes where the cores are when the machine stops, and lets them continue; BQL
 * held, no core is running.
 */
static void state_changed(void *opaque, bool running, RunState state)
{
    CPUState *cpu;

    if (running) {
        mpj_sched_resumed();
        return;
    }
    debug.stops++;
    debug.reported = state == RUN_STATE_DEBUG;
    debug.was = debug.now;
    CPU_FOREACH(cpu) {
        mpj_debug_step(cpu, false);
        debug.core[cpu->cpu_index].before = cpu != debug.in &&
                                            !cpu_mpj(cpu)->inside;
        debug.core[cpu->cpu_index].pc = cpu->cc->get_pc(cpu);
    }
}

void mpj_debug_setup(void)
{
    mpj.debug = true;
    qemu_add_vm_change_state_handler(state_changed, NULL);
}

static bool stops_here(CPUState *cpu, target_ulong pc)
{
    bool before = debug.core[cpu->cpu_index].before &&
                  debug.core[cpu->cpu_index].pc == pc;
    bool step = debug.core[cpu->cpu_index].step;

    debug.core[cpu->cpu_index].before = false;
    if (step && before) {
        return false;
    }
    /* An interrupt is not a part of the step that it comes in. */
    if (step && debug.core[cpu->cpu_index].mode == mpj_core_mode(cpu)) {
        return true;
    }
    /* For another core's step the debugger has lifted breakpoints. */
    return breaks_at(&debug.now, pc) ||
           (cpu->stopped && breaks_at(&debug.was, pc));
}

/*
 * Returns the core whose stop the debugger gets: one that it has resumed.
 * Another one runs only because the model needs it; its stop is reported as the
 * end of a step, if the step has ended. NULL: it has not, no core stops.
 */
static CPUState *reports(CPUState *cpu)
{
    CPUState *c;

    if (!cpu->stopped) {
        return cpu;
    }
    CPU_FOREACH(c) {
        if (!c->stopped && !(debug.core[c->cpu_index].step &&
                             (debug.core[c->cpu_index].before ||
                              cpu_mpj(c)->inside))) {
            return c;
        }
    }
    return NULL;
}

void HELPER(mpj_debug)(CPUArchState *env, uint32_t pc)
{
    CPUState *cpu = env_cpu(env), *c, *told;

    if (!stops_here(cpu, pc)) {
        return;
    }
    qemu_mutex_lock_iothread();
    told = reports(cpu);
    debug.in = cpu;
    while (told) {
        unsigned stops = debug.stops;

        cpu_handle_guest_debug(told);
        while (debug.stops == stops || !runstate_is_running()) {
            CPU_FOREACH(c) {
                if (c->stop) {
                    qemu_cpu_stop(c, false);
                }
            }
            qemu_cond_wait_iothread(first_cpu->halt_cond);
        }
        if (!debug.reported) {
            continue; /* something else has stopped the machine meanwhile */
        }
        /*
         * The core itself stops, too, if it was another's step that has ended.
         */
        told = told != cpu && !cpu->stopped && breaks_at(&debug.now, pc)
               ? cpu : NULL;
    }
    debug.in = NULL;
    qemu_mutex_unlock_iothread();

    if (cpu->cc->get_pc(cpu) != pc) {
        /*
         * The debugger has changed the PC: the rest of the block is not
         * executed.
         */
        target_ulong to = cpu->cc->get_pc(cpu);

        cpu_restore_state(cpu, GETPC());
        cpu_set_pc(cpu, to);
        cpu_loop_exit(cpu);
    }
}
