/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the chip model; not included outside of sim/chip. */
#ifndef MPJ_CHIP_INT_H
#define MPJ_CHIP_INT_H

#include "mpj_chip.h"
#include "mpj_flow.h"
#include "mpj_params.h"

/* Directory byte of a line. Bits 0..3 are the SCU's duplicate tags: which cores it believes to
 * hold the line. A core that invalidates a line by CP15 does not notify the SCU (event TAG_WRONG).
 */
#define DIR_CORES    0x0fU
#define DIR_L2       0x10U /* in the L220 */
#define DIR_L2_DIRTY 0x20U /* and newer there than in memory */
/* The core that holds the line in state E got it dirty from another core and owes the write-back:
 * a migrated line that its new holder has not written yet. */
#define DIR_DIRTY 0x40U
/* Set where cores meet: no access to the line passes the fast test (see meet.c). The bit is the
 * same in the state bytes of the cores that hold it. */
#define DIR_WATCHED MPJ_LINE_WATCHED

#define CORE_REGS   15U /* r0..r14; the PC always switches and says nothing about data */
#define STORE_RING  16U
#define LOAD_RING   8U
#define UTLB_MAX    16U
#define TLB_MAX     256U

/* Counts of a core that the power model needs and the PMU does not have. */
enum {
    X_L2,     /* requests to the L220 */
    X_MEM,    /* lines moved on the memory bus */
    X_COH,    /* coherent linefills (CohTrans of the published power model) */
    X_REFILL, /* lines written into L1I or L1D */
    X_UNCACHED,
    X_UPGRADE, /* shared to modified */
    X_COUNT
};

#define SET_FULL 0x80U
struct cache {
    uint32_t *tag; /* sets * ways line indices, MPJ_LINE_NONE where invalid */
    uint8_t *next; /* per set: way to replace next, and SET_FULL if no way is known to be invalid */
    uint32_t ways, sets, set_mask;
    uint32_t lfsr; /* pseudo-random replacement */
    bool random;
};

/* Slots of a bus in a ring of 64-slot words. A request takes the first free slots at or after its
 * time: requests may come in any order of time within the ring's span. */
#define BUS_WORDS 256U
struct bus_word {
    uint64_t slots;
    uint64_t id;              /* which word of time the ring entry holds */
    uint8_t share[MPJ_CORES]; /* slots of that word each core took */
    uint8_t wait[MPJ_CORES];  /* slots its requests of that word waited, up to 64 */
    uint64_t taken;           /* slots taken by all of them together */
};

struct bus {
    unsigned shift;       /* log2 of cycles per slot */
    unsigned crowd_slots; /* a transfer takes that many more when more than two cores crowd it */
    unsigned most;        /* a core's share: slots of four words */
    unsigned extra;       /* 64ths of crowd_slots that a transfer takes more */
    uint64_t newest[MPJ_CORES]; /* word of each core's last request */
    uint64_t used;              /* slots taken so far */
    uint8_t carry[MPJ_CORES];   /* 64ths of a slot not yet taken for the crowd */
    uint64_t pace[MPJ_CORES];   /* when its share allows the next one, 64ths of a slot */
    uint64_t judged;            /* word whose predecessors most and extra follow from */
    uint64_t shared_until;      /* several cores use much of it, cycle */
    struct bus_word ring[BUS_WORDS];
};

/* A line that was recently transferred between cores. */
#define MEET_WAYS 2U
#define MEET_SETS 256U
struct meeting {
    uint32_t line;  /* MPJ_LINE_NONE: unused */
    uint32_t core;  /* that asked for it last */
    uint64_t when;  /* and when */
    uint64_t ready; /* when the last one in the queue for it has it */
};

struct tlb_entry {
    uint32_t base; /* virtual page base | valid */
    uint32_t shift;
};

struct utlb {
    struct tlb_entry e[UTLB_MAX];
    uint32_t next;
};

/* Femtojoules: 64 bits hold five hours of the chip. The hosts we build for have the type. */
__extension__ typedef __int128 int128;

/* Everything that is summed for a core, a context or a window. */
struct tally {
    uint64_t ev[MPJ_EV_COUNT];
    uint64_t run, wfi; /* cycles */
    uint64_t bounded;  /* of the running ones: in spans that were lifted to the floor */
    int128 energy_fj;
};

/* Cycles that a walk over instructions takes, and how many of them wait for operands and for the
 * load/store unit. */
struct flow_sum {
    uint32_t cycles, data, lsu;
};

/* Content of a core's pipes at the end of the block under way. */
enum {
    FLIGHT_FORESEEN, /* what the block was translated to leave */
    FLIGHT_NUMBER,   /* another residue, `number`, so many cycles ago */
    FLIGHT_PIPE,     /* `out` */
};

/* A scoreboard. number: its number in memo.c, where `pipe` is not valid; 0: `pipe` is. */
struct board {
    uint32_t number;
    struct mpj_pipe pipe;
};

struct flight {
    unsigned on;    /* FLIGHT_... */
    uint64_t id;    /* execution that the checkpoint is in; 0: none */
    uint32_t block; /* its block */
    uint32_t at;    /* instructions of it that have issued in p */
    bool open;      /* those from `at` on are still to be walked: `out` does not hold yet */
    struct board p, out;
    uint32_t number, age;
    uint32_t unfolded;    /* where the next block begins if the branch takes its cycle after all */
    unsigned flags_age;   /* at the branch, where on is not FLIGHT_FORESEEN */
    struct flow_sum rest; /* charged for the instructions from `at` on; wraps below 0 */
};

/* All unforeseen cycles of execution `id`, if they were charged without a walk. */
struct single {
    uint64_t id;
    uint32_t insn, late, blocked;
    struct flow_sum more; /* charged */
};

struct core {
    struct mpj_hot *hot;
    uint8_t *dline, *iline;
    struct cache d, i;
    uint32_t btac_off[MPJ_BTAC_ENTRIES]; /* hot->btac's content while branch_pred is off: nothing
                                          * matches there, nothing is lost */
    bool icache, dcache, branch_pred, smp;
    bool dcached; /* data may be cached: dcache and smp */

    uint64_t ev[MPJ_EV_COUNT];
    uint64_t x[X_COUNT];
    uint64_t run, wfi;
    uint64_t class_steps; /* static instruction energy, 62.5 fJ */
    int64_t switch_fj;    /* operand switching, the non-linear part */
    int128 floor_fj;      /* what closed spans were lifted by: see core_energy() */
    int128 span_above;    /* energy above WFI's when the span began */
    uint64_t span_run;    /* running cycles then */
    uint64_t bounded;     /* running cycles of the spans that were lifted */
    uint32_t regs[CORE_REGS];
    bool have_regs;
    unsigned power_state;

    uint64_t load_done[LOAD_RING];
    unsigned load_slot;
    uint64_t store_done[STORE_RING];
    unsigned store_slot;
    uint64_t store_last;

    struct utlb utlb_i, utlb_d;
    struct tlb_entry tlb[TLB_MAX];
    uint8_t tlb_next[TLB_MAX];

    struct flight flight;
    struct single single;

    uint32_t ctx;
    struct tally ctx_base; /* counts at the last context switch or window edge */
};

struct window {
    bool open;
    uint64_t opens;
    uint64_t cycles; /* closed windows */
    uint64_t open_at;
    struct tally core[MPJ_CORES], core_base[MPJ_CORES];
    int128 shared, shared_base;
    uint64_t scu[MPJ_SCU_COUNT], scu_base[MPJ_SCU_COUNT];
    uint64_t l2[MPJ_L2_COUNT], l2_base[MPJ_L2_COUNT];
};

struct mpj_chip {
    struct mpj_params prm;
    uint64_t seed;
    uint64_t late;   /* state of the stream that makes lines late */
    uint32_t jitter; /* most cycles of that */
    uint32_t cores, private_base;
    uint32_t ram_base, ram_lines, low_bytes, rom_base, rom_bytes, lines;
    uint8_t *line_bytes; /* one block: dline and iline of each core, then dir */
    uint8_t *dir;
    uint32_t *tags; /* one block for all tag arrays */
    uint8_t *nexts;
    size_t tags_count, nexts_count;
    struct core core[MPJ_CORES];
    struct mpj_hot spare_hot[MPJ_CORES]; /* until a core is attached */

    struct cache l2;
    bool l2_on;
    uint64_t scu_ev[MPJ_SCU_COUNT];
    uint64_t l2_ev[MPJ_L2_COUNT];
    struct bus port[2], mem;
    uint64_t overlap_slots; /* both ports busy in the same slot */
    struct meeting meeting[MEET_SETS][MEET_WAYS];
    struct request { /* of a core that waits for its turn, see meet() */
        uint64_t taken;
        uint32_t line, wait, store, queued; /* no padding: it is saved */
    } request[MPJ_CORES];
    mpj_chip_turn *turn; /* NULL: accesses come in the order of their times */
    void *turn_peer;

    uint64_t time; /* latest time reported by the emulator */
    uint64_t leak_time;
    int128 leak_fj;      /* up to leak_time */
    int64_t leak_cycle;  /* fJ per cycle now */
    int64_t theta_nk;    /* temperature above that of the reference power */
    uint64_t adc_time;   /* of the last conversion */
    int128 adc_energy;   /* chip energy then */
    int64_t adc_slow_ua; /* low-passed current, for the droop */
    bool adc_primed;
    uint32_t adc_code[4];
    uint64_t noise;

    struct flow *flow; /* what the pipeline knows of the code: no state of the chip */
    struct tally *ctx; /* MPJ_CTX_MAX, lazily touched */
    struct window win;
    struct prof *prof;                  /* truth per function; NULL: off */
    struct trace *trace;                /* events and energy over time; NULL: off */
    uint32_t miss_cost[MPJ_MISS_COUNT]; /* mpj_what_if_miss() */
};

/* bus.c */
void bus_init(struct bus *b, unsigned shift, unsigned crowd_slots);
/* Takes `slots` slots from `now` on for a core; returns how many cycles later the last one ends
 * than on an idle bus. */
uint32_t bus_take(struct bus *b, unsigned core, uint64_t now, unsigned slots);
/* Takes a transfer on the master port that serves `line`, as bus_take(); counts busy cycles and
 * both-ports overlap. */
uint32_t port_take(struct mpj_chip *c, unsigned core, uint32_t line, bool write, uint64_t now);

/* cache.c: shared with cache_ops.c */
void l1_drop(struct cache *k, uint32_t line);
void l2_write(struct mpj_chip *c, struct core *k, uint32_t line, uint64_t now);
void mem_write(struct mpj_chip *c, struct core *k, uint64_t now);
void l2_drop(struct mpj_chip *c, uint32_t line);
/* Read of one line through port, L220 and memory: cycles until it is there. */
uint32_t line_read(struct mpj_chip *c, struct core *k, uint32_t line, bool insn, uint64_t now);
/* Puts a store of `latency` cycles into the store buffer: stall until there is room. */
uint32_t store_queue(struct mpj_chip *c, struct core *k, uint32_t latency, uint64_t now);

/* meet.c */
static inline uint8_t line_state(const struct core *k, uint32_t line)
{
    return k->dline[line] & (uint8_t)~MPJ_LINE_WATCHED;
}

/* To a state other than I. */
static inline void line_set(const struct mpj_chip *c, struct core *k, uint32_t line, unsigned state)
{
    k->dline[line] = (uint8_t)(state | (c->dir[line] & DIR_WATCHED));
}

/* Before an access to a line that others may hold, or that is watched: how long it has to wait for
 * the line; *now becomes the time at which it proceeds. Other cores may have run meanwhile and
 * changed every line. */
uint32_t meet(struct mpj_chip *c, unsigned core, uint32_t line, bool store, uint64_t *now);
/* A transfer of the line lasts until then. */
void meet_done(struct mpj_chip *c, uint32_t line, uint64_t ready);
void meet_reset(struct mpj_chip *c);

/* Cycles that a miss takes, as mpj_what_if_miss() wants them. */
static inline uint32_t miss_cycles(const struct mpj_chip *c, unsigned miss, uint32_t cycles)
{
    uint32_t cost = c->miss_cost[miss];
    return cost == MPJ_WHAT_IF_ONE ? cycles : (uint32_t)((uint64_t)cycles * cost >> 16);
}

/* power.c */
static inline unsigned core_index(const struct mpj_chip *c, const struct core *k)
{
    return (unsigned)(k - c->core);
}

/* Static energy of instructions, of so many steps of 62.5 fJ. */
static inline int64_t class_energy(uint64_t steps)
{
    return (int64_t)(steps * 125 / 2);
}

/* Energy of the shared part by its cause. */
struct shared_parts {
    int128 clock, leak, burst;
};

int128 core_energy(const struct mpj_chip *c, unsigned core);
struct shared_parts shared_parts(const struct mpj_chip *c, uint64_t now);
int128 shared_energy(const struct mpj_chip *c, uint64_t now);
void power_reset(struct mpj_chip *c);
/* The temperature the calibration refers to, from now on. */
void power_settle(struct mpj_chip *c, uint64_t now);
uint64_t splitmix64(uint64_t *state);

/* truth.c */
/* power.c: a span of the floor ends here, since what follows is another context's. */
void power_span_end(struct mpj_chip *c, unsigned core);

/* Names of events; NULL: there is none of that number. */
const char *event_name(unsigned event);
const char *scu_event_name(unsigned event);
const char *l2_event_name(unsigned event);
void tally_core(const struct mpj_chip *c, unsigned core, struct tally *out);
void truth_reset(struct mpj_chip *c);

/* Adds to the counts of events those that the hot state holds. */
static inline void events_add(uint64_t *ev, const struct mpj_counts_a *a,
                              const struct mpj_counts_b *b, const struct mpj_hot_counts *n)
{
#define ADD_A(field, event) ev[MPJ_EV_##event] += (uint64_t)a->field;
#define ADD_B(field, event) ev[MPJ_EV_##event] += (uint64_t)b->field;
#define ADD_N(field, event) ev[MPJ_EV_##event] += n->field;
    MPJ_PACK_A_EVENTS(ADD_A)
    MPJ_PACK_B_EVENTS(ADD_B)
    MPJ_HOT_EVENTS(ADD_N)
#undef ADD_A
#undef ADD_B
#undef ADD_N
}

/* flow.c */
/* Writes out in full what a flight has as numbers, which are valid in this chip only. */
void flow_portable(const struct mpj_chip *c, struct flight *t);
int flow_new(struct mpj_chip *c);
void flow_free(struct mpj_chip *c);

/* prof.c, prof_count.c: only if c->prof */
/* mpj_flush() is about to empty the packed counters; an instruction in them has switched this
 * energy. */
void prof_flush(struct mpj_chip *c, unsigned core, uint64_t end, uint64_t cycles, uint64_t wfi,
                int64_t per_instr);
/* A span of the floor ends, which has lifted the core's energy. */
void prof_span_end(struct mpj_chip *c, unsigned core, int128 lift);
/* After a flush: the core's context changes, to that one, or the window does. */
void prof_context(struct mpj_chip *c, unsigned core, uint32_t ctx);
void prof_window(struct mpj_chip *c, bool open, uint64_t now);
int prof_reset(struct mpj_chip *c);
void prof_free(struct mpj_chip *c); /* also if not */

/* trace.c: only if c->trace */
void trace_flush(struct mpj_chip *c, unsigned core, uint64_t end);
void trace_window(struct mpj_chip *c, bool open, uint64_t now);
void trace_reset(struct mpj_chip *c);
void trace_free(struct mpj_chip *c); /* also if not */

/* params.c */
int params_read(struct mpj_params *prm, const char *path, char *err, size_t errlen);

#endif
