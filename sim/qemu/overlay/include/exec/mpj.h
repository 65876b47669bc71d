/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modelled time and the chip model inside QEMU: what accel/tcg (scheduler,
 * generated code) and the board's devices share.
 */
#ifndef EXEC_MPJ_H
#define EXEC_MPJ_H

#include "mpj_chip.h"

typedef struct MpjState {
    struct mpj_chip *chip;   /* NULL: no model, QEMU behaves as upstream */
    const struct mpj_params *prm;
    bool full;               /* whole model; false: modelled time only (benchmarks) */
    bool fast;               /* generated code tests for hits itself; false: helper calls */
    bool prof;               /* truth per function */
    bool insns;              /* executions and costs by instruction */
    bool debug;              /* every instruction looks for the debugger (mpj-debug.c) */
    bool what_if;            /* costs are changed (mpj-whatif.c) */
    bool held;               /* what the core that runs does takes no time (mpj-hold.c) */
    uint32_t quantum;        /* cycles */
    uint32_t clock_hz;
} MpjState;

extern MpjState mpj;

/* True when modelled time is on (chip present). */
static inline bool mpj_on(void)
{
    return mpj.chip != NULL;
}

/* Sets the model up, from the board, before any vCPU runs. */
void mpj_setup(struct mpj_chip *chip, bool full, uint32_t quantum);

/*
 * Returns modelled cycles of a core, exact at a device or CP15 access of that
 * core.
 */
uint64_t mpj_core_now(CPUState *cpu);
/* Convert between cycles and QEMU_CLOCK_VIRTUAL nanoseconds. */
int64_t mpj_cycles_to_ns(uint64_t cycles);
uint64_t mpj_ns_to_cycles(int64_t ns); /* rounded up */
/* Charges stall cycles to the executing core. */
void mpj_charge(CPUState *cpu, uint32_t cycles);
/*
 * Moves packed counters and elapsed cycles of a core into the chip, so that
 * mpj_core_event() and mpj_core_cycles() are exact.
 */
void mpj_sync(CPUState *cpu);
void mpj_sync_all(void);
/*
 * Repeats the access when the core continues, at no cost: the machine is being
 * stopped, from a device's read in the vCPU thread. Does not return.
 */
G_NORETURN void mpj_access_again(CPUState *cpu);
/*
 * Makes what the core does from the next block on take no modelled time, which
 * stops for all cores, until it says so (!on), takes an exception or waits. It
 * gets no interrupt in that time. From a device's write in the vCPU thread.
 */
void mpj_hold(bool on);
/* Ends holding when the machine is reset. */
void mpj_hold_reset(void);
/* Empties the core's pipes: an exception, a wait. */
void mpj_flow_empty(CPUState *cpu);
/*
 * Sets up the truth per function, before any vCPU runs. @symbols: file of the
 * functions, a line for each: first address, the one after its last, and what
 * moments watch it for (MPJ_WATCH_), in hexadecimal (NULL: none). False, and it
 * has been reported: no such file, or no memory.
 */
bool mpj_prof_setup(struct mpj_chip *chip, const char *symbols);
/*
 * Set up the truth per instruction, count while a window is open (the cores
 * have been synchronised when it opens or closes), and return the @n sums,
 * ascending, which the caller owns.
 */
struct mpj_prof_insn;
void mpj_insn_setup(void);
void mpj_insn_window(bool open);
struct mpj_prof_insn *mpj_insn_list(size_t *n);
/*
 * Report that an exception is taken from @pc, and that a return from one went
 * to @pc.
 */
void mpj_prof_taken(CPUState *cpu, uint32_t pc, uint32_t vector);
void mpj_prof_returned(CPUState *cpu, uint32_t pc);
/* Sets up a debugger that changes no result, before any vCPU runs. */
void mpj_debug_setup(void);
/*
 * Handle the debugger's requests: breakpoints (0 or a negative errno), steps.
 */
int mpj_debug_insert(uint32_t addr);
int mpj_debug_remove(uint32_t addr);
void mpj_debug_remove_all(void);
void mpj_debug_step(CPUState *cpu, bool on);
/*
 * Sets up a run with costs changed, before any vCPU runs, from a file with
 * lines of a word and three hexadecimal numbers:
 *   function START END FACTOR: what runs there takes FACTOR/65536 of its cycles
 *   lock FUNCTION ADDRESS RESULT: called with that argument it returns at once
 *   miss LEVEL FACTOR 0: see mpj_what_if_miss() False, and it has been
 *   reported: no such file, or another content.
 */
bool mpj_what_if_setup(struct mpj_chip *chip, const char *file);
/* Drops the emulator's own TLB entries after the modelled TLB changed. */
void mpj_tlb_changed(CPUState *cpu);

#endif
