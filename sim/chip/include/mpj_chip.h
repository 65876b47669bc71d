/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled chip: four MP11 cores, SCU, L220, memory bus, power and ADC.
 *
 * Plain C, no dependency on the emulator. The emulator (or a unit test) drives
 * it: it passes the instructions that run, the lines they access and the times; the
 * model returns stall cycles and keeps every event counter.
 *
 * Time is counted in core clock cycles, energy in femtojoules; both are 64-bit
 * integers, so that results are the same on every host. No function reads the
 * host's clock, allocates after mpj_chip_new(), prints or exits.
 *
 * Hot state (struct mpj_hot, mpj_hot.h) is touched directly by generated code; everything
 * else only through the functions below. Fast-path contract:
 *
 *   load of line L by core i:   (int8_t)dline[L] > MPJ_LINE_I  -> hit, nothing to do
 *   store to line L by core i:  dline[L] == MPJ_LINE_M         -> hit, nothing to do
 *   otherwise                   mpj_data_miss()
 *   fetch from line L:          iline[L] != 0           -> hit
 *   otherwise                   mpj_fetch_miss()
 *
 * Replacement ignores hits (pseudo-random or round-robin, invalid ways first),
 * which is what makes the state byte per line an exact filter.
 */
#ifndef MPJ_CHIP_H
#define MPJ_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpj_hot.h"
#include "tile_board.h"
#include "tile_events.h"

#define MPJ_CORES      ((unsigned)TILE_CORES)
#define MPJ_LINE_SHIFT 5U /* 32-byte lines in L1 and L2 */
#define MPJ_LINE_NONE  UINT32_MAX
#define MPJ_CTX_MAX    4096U /* software contexts (threads) with truth of their own */

/* Event numbers are those of the hardware's selectors: MPJ_EV_... of a core's CP15 monitor
 * (EvtCount fields), MPJ_SCU_... (MN0..MN7), MPJ_L2_... (bits [5:2] of an L220 counter's
 * configuration). Events of the SCU that end in CPU0 are followed by those of the other cores. The
 * clocks among them (MPJ_EV_CYCLES, MPJ_SCU_CYCLES) are read as mpj_core_cycles() and follow from
 * time. */
enum mpj_event {
#define MPJ_EVENT_NUMBER(ident, number, name, unit, meaning) MPJ_EV_##ident = (number),
    TILE_PMU_COUNTS(MPJ_EVENT_NUMBER)
        MPJ_EV_COUNT, /* above every number that is counted: the table's numbers ascend */
    TILE_PMU_CLOCK(MPJ_EVENT_NUMBER)
#undef MPJ_EVENT_NUMBER
};
enum mpj_chip_event {
#define MPJ_EVENT_NUMBER(ident, number, name, unit, meaning) MPJ_##ident = (number),
    TILE_SCU_EVENTS(MPJ_EVENT_NUMBER) TILE_L2_EVENTS(MPJ_EVENT_NUMBER)
#undef MPJ_EVENT_NUMBER
};

/* Above every number that is counted; truth.c does not compile with a table beyond. */
#define MPJ_SCU_COUNT (MPJ_SCU_CYCLES + 1U)
#define MPJ_L2_COUNT  (MPJ_L2_WALLOC + 1U)

enum mpj_line_state { MPJ_LINE_I = 0, MPJ_LINE_S = 1, MPJ_LINE_E = 2, MPJ_LINE_M = 3 };
/* Beside a state other than I: cores meet at this line, so that none of its accesses may pass the
 * fast test. mpj_data_miss() answers for them, too. */
#define MPJ_LINE_WATCHED 0x80U

static inline bool mpj_load_hits(uint8_t state)
{
    return (int8_t)state > MPJ_LINE_I;
}

static inline bool mpj_store_hits(uint8_t state)
{
    return state == MPJ_LINE_M;
}

enum mpj_error {
    MPJ_OK = 0,
    MPJ_ERR_NOMEM = -1,
    MPJ_ERR_PARAM = -2,
    MPJ_ERR_IO = -3,
    MPJ_ERR_NAME = -4
};

struct mpj_chip;   /* opaque */
struct mpj_params; /* opaque; see mpj_params.h */

struct mpj_config {
    const char *calibration;      /* path of a calibration file (sim/calibrations) */
    uint64_t seed;                /* seeds every random stream together with the core number */
    uint32_t jitter;              /* most cycles by which a line moves late, at random; 0: none */
    uint32_t cores;               /* of the machine, at most MPJ_CORES; 0: all of them */
    uint32_t ram_base, ram_bytes; /* cacheable: line index = (address - ram_base) >> 5 */
    uint32_t low_bytes;           /* so much of its begin answers at address 0, too */
    uint32_t rom_base, rom_bytes; /* second cacheable range (NOR flash); 0 bytes: none */
    uint32_t private_base;        /* SCU, GIC and timers of the MPCore */
};

/* ---- life ------------------------------------------------------------- */

/* Reads the calibration and allocates everything. On error *out is NULL and
 * err (errlen bytes) holds one line naming file, key and what is expected. */
int mpj_chip_new(struct mpj_chip **out, const struct mpj_config *cfg, char *err, size_t errlen);
void mpj_chip_free(struct mpj_chip *c);
/* Power-on state: caches and predictors empty, counters and time zero. Keeps attachments. */
void mpj_chip_reset(struct mpj_chip *c);
/* Ties the hot state of a core to the chip; fills its pointers. */
void mpj_chip_attach(struct mpj_chip *c, unsigned core, struct mpj_hot *hot);
const struct mpj_params *mpj_chip_params(const struct mpj_chip *c);
const char *mpj_chip_calibration(const struct mpj_chip *c); /* name, for labels */
uint32_t mpj_chip_clock_hz(const struct mpj_chip *c);

/* ---- what if: a run with costs changed --------------------------------------- */

/* Misses whose cycles can be changed. L2: what a read takes beyond the L220. */
enum { MPJ_MISS_L1I, MPJ_MISS_L1D, MPJ_MISS_L2, MPJ_MISS_TLB, MPJ_MISS_COUNT };
#define MPJ_WHAT_IF_ONE 65536U
/* Makes such a miss take factor / MPJ_WHAT_IF_ONE of its cycles from now on; counts and energy of
 * the access are the same, with 0 for the L2 it takes no time of the memory bus. To be called
 * before anything runs; mpj_chip_save() does not know of it. */
void mpj_what_if_miss(struct mpj_chip *c, unsigned miss, uint32_t factor);
/* Sets the core's time back by that many cycles (forward, if negative): what it has in flight is to
 * end as much earlier, too. */
void mpj_what_if_back(struct mpj_chip *c, unsigned core, int64_t cycles);

/* Take and give the bytes of a saved chip, in order; anything but 0: they cannot. */
typedef int mpj_chip_put(void *peer, const void *data, size_t bytes);
typedef int mpj_chip_get(void *peer, void *data, size_t bytes);
/* The whole state - caches, predictors, buses, counts, energy, the hot state of every core -
 * as a stream for mpj_chip_load() of the same build: a chip that loads it continues exactly as
 * this one does. Has no side effects, so it may be called between any two of the functions below.
 * Some hundred KB: the non-zero parts of the arrays, including 9 bytes per cache line of memory.
 * MPJ_ERR_IO: put() failed; MPJ_ERR_PARAM: the chip makes a profile (mpj_functions.h), which a
 * state does not hold. */
int mpj_chip_save(const struct mpj_chip *c, mpj_chip_put *put, void *peer);
/* Into a chip of the same calibration, seed and sizes of memory; attachments stay. On error the
 * chip is as after mpj_chip_reset() and err (errlen bytes, may be NULL) describes the error in one
 * line: MPJ_ERR_PARAM another chip's state, MPJ_ERR_IO truncated or damaged. */
int mpj_chip_load(struct mpj_chip *c, mpj_chip_get *get, void *peer, char *err, size_t errlen);

/* Returns the line index of a physical address, MPJ_LINE_NONE where it is not cacheable memory. */
uint32_t mpj_line_index(const struct mpj_chip *c, uint32_t paddr);

/* ---- pipeline: static cost of a block, at translation time --------------- */

struct mpj_pipe {                /* in-order scoreboard; zeroed by mpj_pipe_begin() */
    uint32_t cycle;              /* issue cycle of the next instruction */
    uint32_t ready[16 + 32 + 1]; /* cycle at which r0..r15, s0..s31, flags can be used */
    uint8_t late_class[16 + 32 + 1];
    uint32_t unit_free[4]; /* load/store, VFP mac, VFP divide, multiply */
    uint32_t flags_at;     /* cycle at which the flags set last in this block are there; 0: none */
    uint8_t flags_age;     /* at the last branch, see struct mpj_insn_cost */
    uint32_t late;         /* cycle at which the last of the late values is there */
    uint32_t blocked;      /* cycle up to which a miss or a full buffer holds the load/store unit */
    uint32_t flags;        /* cycle at which the VFP's comparison flags can be fetched */
};

struct mpj_insn_cost {
    uint16_t cycles; /* issue cycles plus interlock stall charged to this instruction */
    uint16_t ddep;   /* of which data-dependency stall */
    uint16_t issue;  /* of which its own, whatever was before it */
    uint16_t energy; /* 62.5 fJ steps, above the clocked core's base energy */
    uint8_t loads,
        stores;        /* data-cache accesses (one per LDM/STM register pair as the LSU does it) */
    uint8_t branch;    /* 1: a branch instruction */
    uint8_t pc_change; /* 1: writes the PC other than by a predicted branch */
    uint8_t kind;      /* enum mpj_insn_kind */
    uint8_t flags_age; /* needs the flags: issue cycles since the instruction that set them */
};
enum mpj_insn_kind {
    MPJ_K_ALU,
    MPJ_K_MUL,
    MPJ_K_LOAD,
    MPJ_K_STORE,
    MPJ_K_BRANCH_DIRECT,
    MPJ_K_CALL,
    MPJ_K_RETURN,
    MPJ_K_BRANCH_INDIRECT,
    MPJ_K_VFP,
    MPJ_K_SYSTEM,
};

void mpj_pipe_begin(struct mpj_pipe *p);
/* Decodes one ARM (thumb: one 16- or 32-bit Thumb) instruction and schedules it.
 * Sum of out->cycles over the block = cycles of the block without cache, TLB and
 * branch effects (a branch costs 1 here; see mpj_branch()). Pure: same input,
 * same output. */
void mpj_pipe_insn(const struct mpj_params *prm, struct mpj_pipe *p, uint32_t opcode, bool thumb,
                   struct mpj_insn_cost *out);
/* ---- where cores meet ------------------------------------------------------ */

enum mpj_turn {
    MPJ_TURN_POLL,  /* a load of a watched line that the core holds: no side effects */
    MPJ_TURN_NOW,   /* anything else */
    MPJ_TURN_AFTER, /* takes a line after waiting for it: after all others of that time */
    MPJ_TURN_FORGET /* no access, no wait: the line is watched no longer, in this core's turn */
};
/*
 * The order of accesses that another core can notice. The emulator runs the cores in turns, so
 * one of them may be ahead of the others in modelled time: before such an access the model calls
 * this function, which returns when all other cores have run up to that time. Meanwhile
 * they may call the model. Returns the time at which the access is done: `at`, or later
 * if the core is in a loop that has polled the line without success until then.
 */
typedef uint64_t mpj_chip_turn(void *peer, unsigned core, uint32_t line, uint64_t at,
                               enum mpj_turn turn);
/*
 * Called in the function above when the core's turn is at `at`: queues its request where it has to
 * wait for the line; *taken is the time at which it continues then, after all others of that time.
 * Returns false if nothing was done: the core is to continue at `at`.
 */
bool mpj_chip_queue(struct mpj_chip *c, unsigned core, uint64_t at, uint64_t *taken);
/* Returns the time up to which loads of a line that the core holds come to the function. */
uint64_t mpj_chip_watched(struct mpj_chip *c, uint32_t line);
/* Sets the function; NULL, the initial value: the caller of the model makes such accesses in
 * order. */
void mpj_chip_order(struct mpj_chip *c, mpj_chip_turn *turn, void *peer);
/*
 * Returns true if several cores use much of a bus at that time. Shorter turns of the cores then
 * follow the arbiter more closely; the cores wait for it anyway, so that short turns cost little.
 */
bool mpj_buses_shared(const struct mpj_chip *c, uint64_t now);

/* Private counts of a core. */
struct mpj_counted {
    uint64_t ev[MPJ_EV_COUNT];
    uint64_t other; /* sum of what only the power model knows of */
};
void mpj_core_counted(const struct mpj_chip *c, unsigned core, struct mpj_counted *out);
/* Adds `each`, the difference of two of these, the given number of times to the core's counts. */
void mpj_core_repeat(struct mpj_chip *c, unsigned core, const struct mpj_counted *each,
                     uint64_t times);

/* ---- dynamic events; all return stall cycles the core must be charged ------ */

/*
 * Data access to a cacheable line that failed the fast test. Handles lookup of
 * other cores, MESI, L2, bus queueing, eviction, counters, energy. `now` is the
 * core's modelled time when the access has issued. *late: cycles by which a loaded
 * value comes later than from the L1 (stores: 0). Returns how long the load/store
 * unit is blocked: no slot for the miss, no room in the store buffer. Also called
 * for hits in states E (store) to make them M, and for every access to a watched line
 * (MPJ_LINE_WATCHED), whose only delay is the time the line was busy. A store
 * takes the line out of the other cores' exclusive monitors. Calls the function given to
 * mpj_chip_order() if another core is concerned.
 */
uint32_t mpj_data_miss(struct mpj_chip *c, unsigned core, uint32_t line, bool store, uint64_t now,
                       uint32_t *late);
/* Counts the access to the second line of an access across the end of a line, too. */
void mpj_second_access(struct mpj_chip *c, unsigned core, bool store);
/* Handles a fetch from a line that is not in L1I. */
uint32_t mpj_fetch_miss(struct mpj_chip *c, unsigned core, uint32_t line, uint64_t now);
/* Handles an uncached or device access. */
uint32_t mpj_uncached(struct mpj_chip *c, unsigned core, uint32_t paddr, bool store, uint64_t now);
/* Drains the store buffer, so that no store merges with one in it. Returns the cycles until it is
 * empty. */
uint32_t mpj_store_drain(struct mpj_chip *c, unsigned core, uint64_t now);

/*
 * Micro-TLB miss for the page that holds vaddr (page_shift: 12, 16 or 20: size of
 * the translation). Models main TLB and walk. *evicted: virtual page base pushed out
 * of that micro TLB (UINT32_MAX: none) and its shift, so that the emulator keeps its
 * own TLB a subset of the modelled one: then every hit there is a hit here.
 */
uint32_t mpj_utlb_miss(struct mpj_chip *c, unsigned core, bool insn, uint32_t vaddr,
                       unsigned page_shift, uint64_t now, uint32_t *evicted,
                       unsigned *evicted_shift);
void mpj_tlb_flush(struct mpj_chip *c, unsigned core); /* CP15 c8: micro and main */

/* Branch at pc, executed and resolved. flags_age: 0 for an unconditional one, else the issue
 * cycles since the instruction that set the flags (struct mpj_insn_cost; 1: just before it).
 * Updates predictor and counters; returns cycles beyond the 1 already charged (folding is a
 * credit: the return value may be -1). Calls and returns drive the return stack. In Thumb code
 * pass pc = return address - 4 for calls. The predictor's fast paths are described in mpj_params.h.
 */
enum mpj_branch_kind {
    MPJ_BR_DIRECT,
    MPJ_BR_CALL,   /* BL, BLX to a label; pushes pc + 4 */
    MPJ_BR_RETURN, /* BX lr, MOV pc,lr */
    MPJ_BR_INDIRECT,
    MPJ_BR_DIRECT_FIRST,  /* B that reaches an empty prefetch queue: not folded (mpj_fetch_folds) */
    MPJ_BR_CALL_INDIRECT, /* BLX register; pushes pc + 4 */
    MPJ_BR_RETURN_LOAD,   /* LDR, LDM with pc from the stack: dearer when wrong */
    MPJ_BR_INDIRECT_LOAD, /* LDR, LDM with pc from elsewhere */
};
int32_t mpj_branch(struct mpj_chip *c, unsigned core, uint32_t pc, uint32_t target, bool taken,
                   unsigned flags_age, enum mpj_branch_kind kind);

/*
 * The prefetch queue, at translation time. The prefetch unit reads an aligned 64-bit word a cycle
 * and follows the BTAC without delay, so it is limited only by those words and its buffer.
 * Its lead is the number of cycles for which the first word of a block has been there when the
 * block could begin to issue: 0 after everything that empties the queue (misprediction, static
 * prediction, return, indirect branch, exception).
 *
 * A block of the bytes [start, end), whose instructions except for the branch at its end need
 * `issue` cycles, and which continues at `next`:
 */
/* Returns true if the next instruction has arrived before the branch would have to issue alone. */
bool mpj_fetch_folds(unsigned lead, unsigned issue, uint32_t start, uint32_t end, uint32_t next);
/* Returns the lead at next; issue with the branch's own cycle unless it was folded. */
unsigned mpj_fetch_lead(const struct mpj_params *prm, unsigned lead, unsigned issue, uint32_t start,
                        uint32_t end, uint32_t next);
/* Returns the lead of a block whose predecessor is not known: 0 if it begins with its branch, since
 * that one follows another branch, or is a loop of itself, which keeps no lead; else a full
 * buffer. */
unsigned mpj_fetch_lead_assumed(const struct mpj_params *prm, uint32_t start, uint32_t branch,
                                uint32_t next);

/* CP15 c7 cache maintenance by MVA/physical line or whole; returns cycles. */
enum mpj_cache_op { MPJ_DC_CLEAN = 1, MPJ_DC_INV = 2, MPJ_IC_INV = 4 };
uint32_t mpj_cache_line_op(struct mpj_chip *c, unsigned core, uint32_t line, unsigned ops,
                           uint64_t now);
uint32_t mpj_cache_all_op(struct mpj_chip *c, unsigned core, unsigned ops, uint64_t now);
/* L220 maintenance register writes. */
uint32_t mpj_l2_line_op(struct mpj_chip *c, uint32_t line, unsigned ops, uint64_t now);
uint32_t mpj_l2_way_op(struct mpj_chip *c, uint32_t ways, unsigned ops, uint64_t now);
/* CP15 c1 / L220 control: with a cache off every access is mpj_uncached(). */
void mpj_cache_enable(struct mpj_chip *c, unsigned core, bool icache, bool dcache,
                      bool branch_pred);
void mpj_l2_enable(struct mpj_chip *c, bool on);
void mpj_smp_enable(struct mpj_chip *c, unsigned core, bool on); /* ACTLR.SMP / SCU */

/* ---- time and accounting ------------------------------------------------- */

/*
 * Accounts `cycles` of running (or `wfi` of waiting) core time that end at `end`
 * and empties the packed counters. regs: the 16 core registers, sampled for the
 * operand-switching term of the power model (NULL: not available, e.g. waiting).
 */
void mpj_flush(struct mpj_chip *c, unsigned core, uint64_t end, uint64_t cycles, uint64_t wfi,
               const uint32_t *regs);
/* Sets the SCU CPU status of a core: 0 normal, 2 dormant, 3 off. */
void mpj_power_state(struct mpj_chip *c, unsigned core, unsigned state);

/* Return exact values; the caller flushes the core first. */
uint64_t mpj_core_event(const struct mpj_chip *c, unsigned core, unsigned event);
uint64_t mpj_core_cycles(const struct mpj_chip *c, unsigned core); /* running + WFI */
uint64_t mpj_core_wfi(const struct mpj_chip *c, unsigned core);
uint64_t mpj_scu_event(const struct mpj_chip *c, unsigned event, uint64_t now);
uint64_t mpj_l2_event(const struct mpj_chip *c, unsigned event);

/* ---- power, ADC, truth --------------------------------------------------- */

/* One ADC conversion at modelled time `now` (all cores flushed up to about now): averages the
 * power since the last conversion, adds supply droop and seeded noise, quantises. */
void mpj_adc_convert(struct mpj_chip *c, uint64_t now);
uint32_t mpj_adc_period(const struct mpj_chip *c); /* cycles between conversions */
/* Returns the last conversion, 12 bits. channel: 0 processor V, 1 PLL V, 2 processor I, 3 PLL I. */
uint32_t mpj_adc_code(const struct mpj_chip *c, unsigned channel);

/* Sets the software context that runs on a core from now on (CONTEXTIDR as written by the firmware:
 * truth per thread). The caller flushes first. */
void mpj_context_switch(struct mpj_chip *c, unsigned core, uint32_t ctx);

/* Returns the exact energy in femtojoules: core 0..3, or MPJ_CORES for the shared part. */
uint64_t mpj_energy_fj(const struct mpj_chip *c, unsigned core);
/* Opens and closes the window on the firmware's request (start and end of the measured program), so
 * that truth covers what the firmware measured. Windows add up. */
void mpj_truth_window(struct mpj_chip *c, bool open, uint64_t now);
/* Returns cycles and femtojoules of the whole chip in its windows up to now, the open one included.
 * The caller flushes first. */
void mpj_truth_so_far(const struct mpj_chip *c, uint64_t now, uint64_t *cycles,
                      uint64_t *energy_fj);
/* Writes the truth as JSON ("schema":"mpjoule-truth/1") to a stdio stream the caller owns. */
#include <stdio.h>
int mpj_truth_write(const struct mpj_chip *c, FILE *f);

#endif
