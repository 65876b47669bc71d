/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Record types of the link (SPEC.md, "Record types"), with one put and one get each.
 *
 * put: appends the record to the writer; 0, or MPJ_LINK_ERR_SPACE with the writer
 * unchanged (flush the frame and put again), or MPJ_LINK_ERR_RANGE for a count above
 * its maximum. get: fills *out from a record of that kind; 0 or MPJ_LINK_ERR_FORMAT /
 * MPJ_LINK_ERR_RANGE. Byte strings in *out point into the record. Fields are only ever
 * appended: an older record reads with zeros at the end, a newer one's extra is ignored.
 *
 * Times are ticks of hello.time_hz since the target's reset.
 */
#ifndef MPJ_RECORDS_H
#define MPJ_RECORDS_H

#include "mpj_events.h"
#include "mpj_settings.h"
#include "mpj_thread_fields.h"
#include "mpj_wire.h"
#include "tile_board.h"
#include "tile_machine.h"

#define MPJ_LINK_VERSION    1U /* protocol; the major number: another one is refused */
#define MPJ_ABI_VERSION     1U /* firmware ABI: note .note.mpjoule, HELLO */

#define MPJ_CORES_MAX       ((unsigned)TILE_CORES_MAX)
#define MPJ_REC_EVENTS_MAX  32U /* event values in one record */
#define MPJ_FAULT_STACK_MAX 128U
#define MPJ_ADC_CHANNELS    ((unsigned)TILE_POWER_MAX)
#define MPJ_ADC_BLOCK_MAX   64U /* samples in one record: fits a frame whatever their values */
#define MPJ_ARG_MAX         1000U

enum mpj_record_kind {
    /* session: in HELLO, START and END frames */
    MPJ_REC_HELLO = 0x01,
    MPJ_REC_CONFIG = 0x02,
    MPJ_REC_ARG = 0x03, /* body: the bytes of one argument; argv[0] first */
    MPJ_REC_ENV = 0x04, /* body: NAME=VALUE */
    MPJ_REC_GO = 0x05,
    MPJ_REC_END = 0x06,
    MPJ_REC_ROTATION = 0x07,    /* core events taken in turn instead of CONFIG's */
    MPJ_REC_TRACE = 0x08,       /* what is looked at inside the program (mpj_trace_records.h) */
    MPJ_REC_FUNC_CHOICE = 0x09, /* which functions */
    MPJ_REC_MACHINE = 0x0a,     /* first in the first DATA frame (mpj_machine_record.h) */
    /* run: in DATA frames */
    MPJ_REC_CONSOLE_OUT = 0x10, /* body: bytes of the program's stdout */
    MPJ_REC_CONSOLE_ERR = 0x11, /* body: bytes of its stderr */
    MPJ_REC_CORE = 0x12,
    MPJ_REC_SCU = 0x13,
    MPJ_REC_L2 = 0x14,
    MPJ_REC_ADC = 0x15,
    MPJ_REC_FAULT = 0x16,
    MPJ_REC_ERROR = 0x17,
    MPJ_REC_MARK = 0x18,
    MPJ_REC_RUN_BEGIN = 0x19,
    MPJ_REC_RUN_END = 0x1a,
    MPJ_REC_DROPPED = 0x1b,
    MPJ_REC_TIME = 0x1c, /* reserved: base of time deltas within a frame */
    /* profile of threads: at the end of the run, between its counters and RUN_END */
    MPJ_REC_THREAD = 0x20,
    MPJ_REC_THREAD_SWITCH = 0x21, /* when a thread ran and waited */
    MPJ_REC_THREAD_END = 0x22,    /* reserved */
    MPJ_REC_REGION = 0x23,
    MPJ_REC_FUNCTION = 0x24, /* mpj_trace_records.h */
    MPJ_REC_SYNC_WAIT = 0x25,
    MPJ_REC_SYNC_OBJECT = 0x26, /* reserved */
    MPJ_REC_NAME = 0x27,        /* reserved */
    MPJ_REC_PARALLEL = 0x28,
    MPJ_REC_SPREAD = 0x29,      /* of events taken in turn */
    MPJ_REC_MOMENTS = 0x2a,     /* mpj_trace_records.h; also while the program runs */
    MPJ_REC_FUNC_GROUPS = 0x2b, /* mpj_trace_records.h */
    MPJ_REC_MEMORY = 0x2c,      /* also after a fault */
    MPJ_REC_FAULT_STACK = 0x2d, /* mpj_stack_records.h; after FAULT */
    MPJ_REC_ADAPT = 0x2f,       /* mpj_adapt_records.h */
    /* host I/O: in IO_REQ and IO_REPLY frames (mpj_io_records.h) */
    MPJ_REC_IO_REQ = 0x30,
    MPJ_REC_IO_REPLY = 0x31,
};

/* Abilities (HELLO) and what the session uses of them (CONFIG). Bit numbers. */
enum mpj_feature {
    MPJ_FEATURE_ACK = 0,     /* acknowledged windows */
    MPJ_FEATURE_HOST_IO = 1, /* IO_REQ/IO_REPLY */
    MPJ_FEATURE_RATE = 2,    /* bit-rate negotiation */
    MPJ_FEATURE_STOP = 3,    /* listens to STOP */
    MPJ_FEATURE_LOADER = 4,  /* the resident loader, not a program */
    MPJ_FEATURE_NOTE = 5,    /* takes NOTE and FINISH */
    MPJ_FEATURE_PARTS = 6,   /* takes frames in parts; chosen by the host's ACKs, not by CONFIG */
    MPJ_FEATURE_COLD = 7,    /* of the loader: RAM was lost since it last started a program */
    MPJ_FEATURE_BEAT = 8,    /* a program that is silent sends a status four times a second */
};

struct mpj_hello {
    uint32_t protocol; /* MPJ_LINK_VERSION */
    uint32_t abi;      /* MPJ_ABI_VERSION */
    uint32_t features; /* 1 << enum mpj_feature */
    uint32_t sys_id;   /* sysctl SYS_ID */
    uint32_t proc_id;  /* sysctl SYS_PROCID */
    uint32_t midr;     /* CP15 c0 main ID */
    uint32_t scu_config;
    uint32_t l2_id; /* L220 cache ID */
    uint32_t cores; /* cores on the chip */
    uint32_t clock_hz;
    uint32_t time_hz;          /* rate of all times in this session */
    struct mpj_bytes build_id; /* GNU build id of the image, up to 32 bytes; may be empty */
    struct mpj_bytes name;     /* program's name, for display */
};
int mpj_hello_put(struct mpj_writer *w, const struct mpj_hello *h);
int mpj_hello_get(const struct mpj_rec *rec, struct mpj_hello *out);

enum mpj_config_flag {
    MPJ_CONFIG_NO_COUNTERS = 1U << 0, /* leave the monitors off (overhead measurements) */
    MPJ_CONFIG_NO_ADC = 1U << 1,      /* do not sample */
    MPJ_CONFIG_NO_THREADS = 1U << 2,  /* no accounting of threads, waits, regions */
    MPJ_CONFIG_STREAM = 1U << 3,      /* send at least once a second, poll the line every 10 ms */
    MPJ_CONFIG_FILLS = 1U << 4, /* switches read two SCU counters whatever those count: another run
                                   of the same program counts linefills, and takes as long */
};

/* A member of both records for each setting: mpj_settings.h */
#define MPJ_SETTING_MEMBER(kind, option, field, ...) uint32_t field;
struct mpj_config_rec {
    uint32_t features;   /* of HELLO's, those this session uses */
    uint32_t session;    /* chosen by the host, returned in END */
    uint32_t cores_mask; /* bit i: core i runs; the others are parked in WFI. Core 0 always runs */
    uint32_t flags;      /* enum mpj_config_flag */
    MPJ_SETTINGS_ALL(MPJ_SETTING_MEMBER)           /* 0: the firmware's default */
    uint16_t pmu[MPJ_CORES_MAX][MPJ_PMU_COUNTERS]; /* event numbers or MPJ_EVENT_NONE */
    uint16_t scu[MPJ_SCU_COUNTERS];
    uint16_t l2[MPJ_L2_COUNTERS];
};
int mpj_config_put(struct mpj_writer *w, const struct mpj_config_rec *c);
int mpj_config_get(const struct mpj_rec *rec, struct mpj_config_rec *out);

/* Ends the START frames: how many ARG and ENV records preceded, as a check. */
struct mpj_go {
    uint32_t argc;
    uint32_t envc;
};
int mpj_go_put(struct mpj_writer *w, const struct mpj_go *g);
int mpj_go_get(const struct mpj_rec *rec, struct mpj_go *out);

/* Multiplexed pairs of core events, on all cores, each for period_ms (a whole number of sampling
 * periods, at least one). In START, after CONFIG; absent: CONFIG's pairs all the time. */
#define MPJ_ROTATION_MAX 16U
struct mpj_rotation_rec {
    uint32_t period_ms;
    uint32_t count; /* pairs, 1 to MPJ_ROTATION_MAX */
    uint16_t event[MPJ_ROTATION_MAX][MPJ_PMU_COUNTERS];
};
int mpj_rotation_put(struct mpj_writer *w, const struct mpj_rotation_rec *t);
int mpj_rotation_get(const struct mpj_rec *rec, struct mpj_rotation_rec *out);

/* Appends a record whose body is just bytes (ARG, ENV, CONSOLE_OUT, CONSOLE_ERR). */
int mpj_blob_put(struct mpj_writer *w, uint32_t kind, const void *data, size_t len);
/* Appends as much as fits as one record (at least 1 byte); returns the bytes taken, 0: no space. */
size_t mpj_blob_put_some(struct mpj_writer *w, uint32_t kind, const void *data, size_t len);

struct mpj_event_value {
    uint32_t event;  /* number in the hardware's terms */
    uint64_t value;  /* counted since RUN_BEGIN */
    uint64_t active; /* ticks of time during which this event was being counted */
};

enum mpj_counter_flag {
    MPJ_COUNTER_FINAL = 1U << 0,   /* at the end of the run: what reports use */
    MPJ_COUNTER_INEXACT = 1U << 1, /* an overflow may have been missed */
    MPJ_COUNTER_WFI = 1U << 2,     /* wfi_cycles was measured */
};

/* Counters of one core: totals since RUN_BEGIN. */
struct mpj_core_rec {
    uint32_t core;
    uint32_t flags;      /* enum mpj_counter_flag */
    uint64_t time;       /* of the reading */
    uint64_t cycles;     /* CCNT, extended; running and WFI together */
    uint64_t wfi_cycles; /* of which waiting */
    uint32_t count;
    struct mpj_event_value ev[MPJ_REC_EVENTS_MAX];
};
int mpj_core_put(struct mpj_writer *w, const struct mpj_core_rec *c);
int mpj_core_get(const struct mpj_rec *rec, struct mpj_core_rec *out);

/* Counters of the SCU (MPJ_REC_SCU) or of the L220 (MPJ_REC_L2): totals since RUN_BEGIN. */
struct mpj_chip_rec {
    uint32_t flags;
    uint64_t time;
    uint32_t count;
    struct mpj_event_value ev[MPJ_REC_EVENTS_MAX];
};
int mpj_chip_put(struct mpj_writer *w, uint32_t kind, const struct mpj_chip_rec *c);
int mpj_chip_get(const struct mpj_rec *rec, struct mpj_chip_rec *out);

/* Channels in the order of SYS_VOLTAGE0..3; tile_board.h has the scale of their codes. */
enum mpj_adc_channel {
    MPJ_ADC_CPU_V = 0,
    MPJ_ADC_PLL_V = 1,
    MPJ_ADC_CPU_I = 2,
    MPJ_ADC_PLL_I = 3,
};

struct mpj_adc_sample {
    uint64_t time;
    uint16_t code[MPJ_ADC_CHANNELS]; /* 12 bits */
};

/* A block of consecutive samples, all four channels; 5 to 6 bytes a sample on a quiet supply.
 * put returns MPJ_LINK_ERR_RANGE when a sample is more than 2^31 ticks off its nominal time or
 * a code has more than 12 bits. */
struct mpj_adc_rec {
    uint64_t first;  /* index of the first sample since RUN_BEGIN: shows losses */
    uint64_t period; /* nominal, ticks */
    uint32_t count;
    struct mpj_adc_sample s[MPJ_ADC_BLOCK_MAX];
};
int mpj_adc_put(struct mpj_writer *w, const struct mpj_adc_rec *a);
int mpj_adc_get(const struct mpj_rec *rec, struct mpj_adc_rec *out);

enum mpj_fault_kind {
    MPJ_FAULT_UNDEF = 1,
    MPJ_FAULT_SVC = 2, /* a supervisor call the firmware does not know */
    MPJ_FAULT_PREFETCH = 3,
    MPJ_FAULT_DATA = 4,
    MPJ_FAULT_FIQ = 6,   /* unexpected FIQ */
    MPJ_FAULT_STACK = 7, /* stack guard hit */
};
/* Bytes at the first addresses of the target, where nothing is. NULL, or a member of what it is
 * said to point to, is in them. */
#define MPJ_FAULT_NULL_BYTES 0x100000U
/* Returns "data abort" and so on; "fault" for an unknown number. Static storage. */
const char *mpj_fault_name(uint32_t kind);

struct mpj_fault {
    uint32_t kind; /* enum mpj_fault_kind */
    uint32_t core;
    uint32_t thread; /* software thread id, 0: kernel */
    uint64_t time;
    uint32_t r[16]; /* as at the faulting instruction; r[15] its address */
    uint32_t cpsr;  /* of the faulting code */
    uint32_t dfsr, dfar, ifsr, ifar;
    uint32_t count; /* words of stack that follow, from r[13] upwards; FAULT_STACK has the rest */
    uint32_t stack[MPJ_FAULT_STACK_MAX];
};
int mpj_fault_put(struct mpj_writer *w, const struct mpj_fault *f);
int mpj_fault_get(const struct mpj_rec *rec, struct mpj_fault *out);

enum mpj_target_error {
    MPJ_TERR_NO_CCNT = 1,   /* cycle counter does not tick */
    MPJ_TERR_NO_PMU = 2,    /* event counters do not count */
    MPJ_TERR_NO_SCU = 3,    /* SCU monitor does not answer */
    MPJ_TERR_NO_L2 = 4,     /* L220 event counters do not answer */
    MPJ_TERR_NO_ADC = 5,    /* ADC registers never change or read as zero */
    MPJ_TERR_CONFIG = 6,    /* START cannot be satisfied; text says what */
    MPJ_TERR_MEMORY = 7,    /* out of memory in the runtime */
    MPJ_TERR_RUNTIME = 8,   /* runtime check failed; text says what */
    MPJ_TERR_CORES = 9,     /* a core did not start */
    MPJ_TERR_DEADLOCK = 10, /* every thread is blocked */
};
/* Returns one line of text; "unknown error of the target" for an unknown number. Static storage. */
const char *mpj_target_strerror(uint32_t code);

struct mpj_error_rec {
    uint32_t code; /* enum mpj_target_error */
    uint32_t core;
    uint64_t time;
    uint64_t detail;       /* number belonging to the code: a register's value, an address */
    struct mpj_bytes text; /* may be empty */
};
int mpj_error_put(struct mpj_writer *w, const struct mpj_error_rec *e);
int mpj_error_get(const struct mpj_rec *rec, struct mpj_error_rec *out);

enum mpj_mark_origin {
    MPJ_MARK_PROGRAM = 0,
    MPJ_MARK_HOST = 1, /* a NOTE frame asked for it: value is the note's number, no name */
};

struct mpj_mark {
    uint64_t time;
    uint32_t core;
    uint32_t thread;
    struct mpj_bytes name;
    int64_t value;
    uint32_t origin; /* enum mpj_mark_origin */
};
int mpj_mark_put(struct mpj_writer *w, const struct mpj_mark *m);
int mpj_mark_get(const struct mpj_rec *rec, struct mpj_mark *out);

/* RUN_BEGIN: all counters are zero at `time`. RUN_END: the program returned at `time`. */
struct mpj_run_rec {
    uint64_t time;
    uint32_t cores_mask;                 /* cores in use */
    MPJ_SETTINGS_ALL(MPJ_SETTING_MEMBER) /* in effect */
};
#undef MPJ_SETTING_MEMBER
int mpj_run_put(struct mpj_writer *w, uint32_t kind, const struct mpj_run_rec *r);
int mpj_run_get(const struct mpj_rec *rec, struct mpj_run_rec *out);

/* Records lost because the target's memory was full, by kind, since RUN_BEGIN. */
struct mpj_dropped {
    uint32_t count;
    struct {
        uint32_t kind;
        uint64_t records;
    } d[MPJ_REC_EVENTS_MAX];
};
int mpj_dropped_put(struct mpj_writer *w, const struct mpj_dropped *d);
int mpj_dropped_get(const struct mpj_rec *rec, struct mpj_dropped *out);

/* ---- profile of threads --------------------------------------------------- */

enum mpj_thread_flag {
    MPJ_THREAD_ALIVE = 1U << 0, /* had not ended when the run did */
    MPJ_THREAD_MAIN = 1U << 1,
    MPJ_THREAD_POOL = 1U << 2, /* has waited for work as a worker of the OpenMP runtime */
};

/* Added to the number of an event of the SCU: counted while the thread held the core of that event
 * (a core's linefills). Other numbers are of the cores' monitors. */
#define MPJ_THREAD_SCU 0x100U

/* One thread, whole life. ended - created = run + block + sleep + host + time ready without a core.
 */
struct mpj_thread_rec {
#define MPJ_THREAD_ID(name)     uint32_t name;
#define MPJ_THREAD_MOMENT(name) uint64_t name;
#define MPJ_THREAD_TICKS(name)  uint64_t name;
#define MPJ_THREAD_COUNT(name)  uint64_t name;
#define MPJ_THREAD_DERIVED(name)
#define MPJ_THREAD_MEMBER(kind, name, since) MPJ_THREAD_##kind(name)
    MPJ_THREAD_FIELDS(MPJ_THREAD_MEMBER)
    MPJ_THREAD_LATER(MPJ_THREAD_MEMBER)
#undef MPJ_THREAD_MEMBER
#undef MPJ_THREAD_ID
#undef MPJ_THREAD_MOMENT
#undef MPJ_THREAD_TICKS
#undef MPJ_THREAD_COUNT
#undef MPJ_THREAD_DERIVED
    uint64_t core_run[MPJ_CORES_MAX]; /* run by core */
    uint32_t count;
    struct mpj_event_value ev[MPJ_REC_EVENTS_MAX];
    struct mpj_bytes name; /* as the program named it; may be empty */
};
int mpj_thread_put(struct mpj_writer *w, const struct mpj_thread_rec *t);
int mpj_thread_get(const struct mpj_rec *rec, struct mpj_thread_rec *out);

/* A thread that begins to wait polls so often before it gives up its core, unless another thread
 * needs the core: about 60 us, within the times of the records of waits. */
#define MPJ_WAIT_POLLS       600U
#define MPJ_WAIT_POLL_CYCLES 20U /* of one poll, about */

/* Waits of one thread for one object at one place, while one thread held it. */
struct mpj_wait_rec {
    uint32_t thread;
    uint32_t kind;   /* enum mpj_wait_kind of the runtime */
    uint32_t object; /* address: the waits for one object have the same */
    uint32_t owner;  /* thread that held it when the wait began, 0: unknown or none */
    uint32_t caller; /* address in the program after the call that waits */
    uint64_t count, total, longest; /* times in ticks */
};
int mpj_wait_put(struct mpj_writer *w, const struct mpj_wait_rec *s);
int mpj_wait_get(const struct mpj_rec *rec, struct mpj_wait_rec *out);

/* One thread's part of all executions of one parallel region. */
struct mpj_region_rec {
    uint32_t fn;     /* address of the outlined body: names the construct */
    uint32_t caller; /* address after the call that forked, last; 0: unknown */
    uint32_t thread;
    uint32_t size;    /* threads in the team, last */
    uint64_t calls;   /* executions this thread took part in */
    uint64_t wall;    /* ticks from begin to end, the barrier at the end included */
    uint64_t run;     /* of which it had a core */
    uint64_t barrier; /* of which in OpenMP's barriers asleep, the one at the end included */
    uint64_t cycles;
    uint32_t count;
    struct mpj_event_value ev[MPJ_REC_EVENTS_MAX];
    uint64_t host; /* of wall: moved data from or to the host */
};
int mpj_region_put(struct mpj_writer *w, const struct mpj_region_rec *g);
int mpj_region_get(const struct mpj_rec *rec, struct mpj_region_rec *out);

/* When a thread ran, waited for others and talked to the host: ticks of each in consecutive bins of
 * `width` ticks since RUN_BEGIN. Several records for a long-lived thread. */
#define MPJ_TIMELINE_MAX 64U
struct mpj_timeline_rec {
    uint32_t thread;
    uint64_t width;
    uint64_t first; /* number of the first bin here; bin n begins at RUN_BEGIN + n * width */
    uint32_t count;
    struct mpj_timeline_bin {
        uint64_t run, block, host;
    } bin[MPJ_TIMELINE_MAX];
};
int mpj_timeline_put(struct mpj_writer *w, const struct mpj_timeline_rec *t);
int mpj_timeline_get(const struct mpj_rec *rec, struct mpj_timeline_rec *out);

/* Ticks between RUN_BEGIN and RUN_END with exactly k cores running threads. */
struct mpj_parallel_rec {
    uint64_t ticks[MPJ_CORES_MAX + 1U];
};
int mpj_parallel_put(struct mpj_writer *w, const struct mpj_parallel_rec *p);
int mpj_parallel_get(const struct mpj_rec *rec, struct mpj_parallel_rec *out);

/* The heap, in bytes: from the end of the program's data to the highest address that malloc() took,
 * in pages of 4 KB. */
struct mpj_memory_rec {
    uint64_t heap_peak; /* at most */
    uint64_t heap_end;  /* when the run ended */
    uint64_t heap_room; /* up to the lowest stack, when the run ended */
};
int mpj_memory_put(struct mpj_writer *w, const struct mpj_memory_rec *m);
int mpj_memory_get(const struct mpj_rec *rec, struct mpj_memory_rec *out);

/* Variation of a multiplexed event (ROTATION) between turns: sums over the turns in which
 * it was counted, in units of 2^shift. */
#define MPJ_SPREAD_MAX 8U
enum mpj_spread_owner {
    MPJ_SPREAD_CORE = 0,
    MPJ_SPREAD_THREAD = 1, /* the parts of turns it ran */
};
struct mpj_spread_rec {
    uint32_t owner; /* enum mpj_spread_owner */
    uint32_t id;    /* core or thread */
    uint32_t shift;
    uint32_t count;
    struct mpj_event_spread {
        uint32_t event;
        uint32_t turns;
        uint64_t c, x;       /* cycles and counts */
        uint64_t cc, xc, xx; /* their squares and products, turn by turn */
    } ev[MPJ_SPREAD_MAX];
};
int mpj_spread_put(struct mpj_writer *w, const struct mpj_spread_rec *s);
int mpj_spread_get(const struct mpj_rec *rec, struct mpj_spread_rec *out);

enum mpj_end_reason {
    MPJ_END_EXIT = 0,  /* the program returned or called exit */
    MPJ_END_FAULT = 1, /* a FAULT record precedes */
    MPJ_END_ERROR = 2, /* an ERROR record precedes */
    MPJ_END_STOP = 3,  /* the host asked */
    MPJ_END_ABORT = 4, /* the program called abort or failed an assertion */
};

struct mpj_end {
    int32_t exit_status; /* of the program; -1 when it has none */
    uint32_t reason;     /* enum mpj_end_reason */
    uint32_t session;    /* CONFIG's */
    uint64_t time;
    uint64_t records; /* put into DATA frames since GO */
    uint64_t dropped; /* records lost on the target */
};
int mpj_end_put(struct mpj_writer *w, const struct mpj_end *e);
int mpj_end_get(const struct mpj_rec *rec, struct mpj_end *out);

#endif
