/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Invariants of every store, checked before it is renamed into place and before it is read. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "report/store.h"
#include "report_int.h"
#include "store/settings.h"
#include "store/store_int.h"
#include "store/thread_fields.h"
#include "tile_limits.h"

_Static_assert(TILE_CORES_MAX == 4 && TILE_POWER_MAX == 4, "plain numbers, as the rules need");

/* Ticks by which sums of a thread may exceed its life: each of its parts is rounded. */
#define RUN_CYCLES                                                                                 \
    "(SELECT CAST((time_end - time_begin) * 1.0 / time_hz * clock_hz AS INTEGER) FROM pass "       \
    "WHERE id = core.pass)"
#define SLACK "(1000 + (ended - created) / 100)"

/* Cycles of the longest pass. */
#define LONGEST "(SELECT max((time_end - time_begin) * 1.0 / time_hz * clock_hz) FROM pass)"
/*
 * Limit of a counter of 32 bits. A core issues one instruction a cycle and folds one branch into
 * it; chip events are at most one per cycle for each core. A program may write the counters itself:
 * each time it adds up to 2^32; 16 such writes are allowed for.
 */
#define CORES       TILE_TEXT(TILE_CORES_MAX)
#define MOST_EVENTS LONGEST " * " CORES " + (1 << 36)"
#define WRITTEN     "' (did the program write the counters itself? then record other events)'"
/* Ten years: limit of a run's length, which bounds its cycles and nanoseconds. */
#define RUN_S_MOST "315576000"

static const struct mpj_sql_rule rules[] = {
    {"meta", MPJ_SQL_TEXT, false, "key, value", NULL},
    {"pass", MPJ_SQL_WORD, false, "id", NULL},
    {"pass", MPJ_SQL_WORD, true,
     "protocol, abi, midr, sys_id, cores, clock_hz, time_hz, cores_mask, end_reason", NULL},
    {"pass", MPJ_SQL_COUNT, true, "time_begin, time_end, records, dropped", NULL},
    {"pass", MPJ_SQL_INTEGER, true, "exit_status, outcome", NULL},
    {"pass", MPJ_SQL_TEXT, true, "message", NULL},
    {"core", MPJ_SQL_WORD, false, "pass, core, inexact", NULL},
    {"core", MPJ_SQL_COUNT, false, "time, cycles", NULL},
    {"core", MPJ_SQL_COUNT, true, "wfi_cycles", NULL},
    {"counter", MPJ_SQL_COUNT, false, "pass, value, active", NULL},
    {"counter", MPJ_SQL_INTEGER, false, "core", NULL},
    {"counter", MPJ_SQL_TEXT, false, "source, event", NULL},
    {"spread", MPJ_SQL_WORD, false, "pass, owner, id", NULL},
    {"spread", MPJ_SQL_TEXT, false, "event", NULL},
    {"spread", MPJ_SQL_INTEGER, false, "turns, c, x, cc, xc, xx", NULL},
    {"adc", MPJ_SQL_COUNT, false, "pass, idx, time", NULL},
    {"console", MPJ_SQL_WORD, false, "pass, seq, stream", NULL},
    {"console", MPJ_SQL_BYTES, true, "data", NULL},
    {"mark", MPJ_SQL_COUNT, false, "pass, seq, time", NULL},
    {"mark", MPJ_SQL_INTEGER, false, "core, thread, value", NULL},
    {"mark", MPJ_SQL_TEXT, false, "name", NULL},
    {"fault", MPJ_SQL_WORD, false, "pass, kind, core, thread, cpsr, dfsr, dfar, ifsr, ifar", NULL},
    {"fault", MPJ_SQL_COUNT, false, "time", NULL},
    {"fault", MPJ_SQL_TEXT, false, "regs", NULL},
    {"frame", MPJ_SQL_WORD, false, "pass, depth, address", NULL},
    {"frame", MPJ_SQL_WORD, true, "offset, line", NULL},
    {"frame", MPJ_SQL_TEXT, true, "function, file", NULL},
    {"error", MPJ_SQL_WORD, false, "pass, seq, code, core", NULL},
    {"error", MPJ_SQL_COUNT, false, "time", NULL},
    {"error", MPJ_SQL_TEXT, false, "text", NULL},
    {"truth", MPJ_SQL_TEXT, false, "json", NULL},
    {"thread", MPJ_SQL_COUNT, false, "pass", NULL},
    {"thread", MPJ_SQL_TEXT, false, "name", NULL},
    {"thread", MPJ_SQL_WORD, false, "id, parent, flags, entry", NULL},
    {"thread_counter", MPJ_SQL_COUNT, false, "pass, thread, active", NULL},
    {"thread_counter", MPJ_SQL_INTEGER, false, "value", NULL},
    {"thread_counter", MPJ_SQL_TEXT, false, "event", NULL},
    {"wait", MPJ_SQL_WORD, false, "pass, seq, thread, kind, object, owner, caller", NULL},
    {"wait", MPJ_SQL_COUNT, false, "count, total, longest", NULL},
    {"region", MPJ_SQL_WORD, false, "pass, seq, fn, caller, thread, size", NULL},
    {"region", MPJ_SQL_COUNT, false, "calls, wall, run, barrier, cycles", NULL},
    {"region_counter", MPJ_SQL_COUNT, false, "pass, seq, active", NULL},
    {"region_counter", MPJ_SQL_INTEGER, false, "value", NULL},
    {"region_counter", MPJ_SQL_TEXT, false, "event", NULL},
    {"timeline", MPJ_SQL_COUNT, false, "pass, thread, bin, width, run, block", NULL},
    {"parallel", MPJ_SQL_COUNT, false, "pass, cores, ticks", NULL},
    {"place", MPJ_SQL_WORD, false, "address", NULL},
    {"place", MPJ_SQL_WORD, true, "line", NULL},
    {"place", MPJ_SQL_TEXT, true, "function, file", NULL},

    /* possible values */
    {"(SELECT count(*) AS n, min(id) AS first, max(id) AS last FROM pass) p", MPJ_SQL_NEVER, false,
     "n = 0 OR first <> 0 OR last <> n - 1",
     "'it has ' || n || ' passes, ' || ifnull(first, 'none') || ' to ' || ifnull(last, 'none') || "
     "', not 0 and what follows'"},
    {"(SELECT pass, count(*) AS n FROM truth GROUP BY pass) t", MPJ_SQL_NEVER, false, "n > 1",
     "'pass ' || pass || ' has ' || n || ' truths of the emulator'"},
    {"pass", MPJ_SQL_NEVER, false, "clock_hz NOT BETWEEN 1000000 AND 2000000000",
     "'pass ' || id || ' has a core clock of ' || clock_hz || ' Hz'"},
    {"pass", MPJ_SQL_NEVER, false, "time_hz NOT BETWEEN 100000 AND 1000000000",
     "'pass ' || id || ' counts time with a clock of ' || time_hz || ' Hz'"},
    {"pass", MPJ_SQL_NEVER, false, "cores > " CORES " OR cores_mask >> " CORES " <> 0",
     "'pass ' || id || ' has ' || cores || ' cores, those in use are the bits of ' || cores_mask"},
    {"pass", MPJ_SQL_NEVER, false, "time_end < time_begin",
     "'pass ' || id || ' ends at tick ' || time_end || ', before it begins at ' || time_begin"},
    {"pass", MPJ_SQL_NEVER, false, "(time_end - time_begin) / time_hz > " RUN_S_MOST,
     "'pass ' || id || ' lasts for ' || ((time_end - time_begin) / time_hz) || ' s'"},
    {"meta", MPJ_SQL_NEVER, false,
     "key = '" RUN_BARE_TIME "' AND (value GLOB '*[^0-9.e+-]*' OR CAST(value AS REAL) "
     "NOT BETWEEN 0 AND " RUN_S_MOST ")",
     "'the program without profiling took ' || value || ' s'"},
    {"core", MPJ_SQL_NEVER, false, "core >= " CORES, "'there is a core ' || core"},
    {"mark", MPJ_SQL_NEVER, false, "core < 0 OR core >= " CORES,
     "'a mark was set on a core ' || core"},
    {"fault", MPJ_SQL_NEVER, false, "core >= " CORES, "'a fault was on a core ' || core"},
    /* At most `cycles`: a program may write the cycle counter itself. */
    {"core", MPJ_SQL_NEVER, false, "wfi_cycles > " RUN_CYCLES " * 1.01 + 1000",
     "'core ' || core || ' waited for ' || wfi_cycles || ' cycles of a run of ' || " RUN_CYCLES},
    {"counter", MPJ_SQL_NEVER, false, "value > " MOST_EVENTS,
     "event || ' happened ' || value || ' times in ' || CAST(" LONGEST " AS INTEGER) || ' cycles'"},
    {"thread_counter", MPJ_SQL_NEVER, false, "value < 0",
     "'thread ' || thread || ' counted ' || value || ' ' || event || " WRITTEN},
    {"region_counter", MPJ_SQL_NEVER, false, "value < 0",
     "'region ' || seq || ' counted ' || value || ' ' || event || " WRITTEN},
    {"thread_counter", MPJ_SQL_NEVER, false, "value > " MOST_EVENTS,
     "event || ' happened ' || value || ' times in ' || CAST(" LONGEST " AS INTEGER) || ' cycles'"},
    {"thread", MPJ_SQL_NEVER, false, "ended < created",
     "'thread ' || id || ' ends at tick ' || ended || ', before it begins at ' || created"},
    {"thread", MPJ_SQL_NEVER, false, "run > ended - created + " SLACK,
     "'thread ' || id || ' ran for ' || run || ' ticks of a life of ' || (ended - created)"},
    {"thread", MPJ_SQL_NEVER, false, "block > ended - created + " SLACK,
     "'thread ' || id || ' waited for ' || block || ' ticks of a life of ' || (ended - created)"},
    {"thread", MPJ_SQL_NEVER, false, "kernel > run + " SLACK,
     "'thread ' || id || ' was in the kernel for ' || kernel || ' of the ' || run || ' ticks it "
     "ran'"},
    /* the times of a bin sum up to its width, to a unit of rounding (1/150) for each kind of
     * time */
    {"timeline", MPJ_SQL_NEVER, false,
     "width = 0 OR run > width * 1.1 + 1000 OR block > width * 1.1 + 1000",
     "'bin ' || bin || ' of thread ' || thread || ' has ' || run || ' and ' || block || "
     "' ticks of ' || width"},
    {"timeline", MPJ_SQL_NEVER, false,
     "bin * 1.0 * width > (SELECT max(time_end - time_begin) FROM pass) + width + 1000",
     "'bin ' || bin || ' of thread ' || thread || ', ' || width || ' ticks each, is after the "
     "end'"},
    {"wait", MPJ_SQL_NEVER, false, "longest > total",
     "'the longest wait of thread ' || thread || ', ' || longest || ' ticks, exceeds their sum, ' "
     "|| total"},
};

/* Rules in addition to those of the fields of threads and of settings, which have a version each.
 */
static const struct mpj_sql_rule since_4[] = {
    {"region", MPJ_SQL_COUNT, false, "host", NULL},
    {"timeline", MPJ_SQL_COUNT, false, "host", NULL},
    {"timeline", MPJ_SQL_NEVER, false, "host > width * 1.1 + 1000",
     "'bin ' || bin || ' of thread ' || thread || ' moved data for ' || host || ' ticks of ' || "
     "width"},
    {"thread", MPJ_SQL_NEVER, false, "host > ended - created + " SLACK,
     "'thread ' || id || ' moved data for ' || host || ' ticks of a life of ' || (ended - "
     "created)"},
};

static const struct mpj_sql_rule since_5[] = {
    {"memory", MPJ_SQL_COUNT, false, "pass, heap_peak, heap_end, heap_room", NULL},
    {"entry_run", MPJ_SQL_COUNT, false,
     "pass, groups, periods, brief, records, used, passes, passed", NULL},
    {"memory", MPJ_SQL_NEVER, false, "heap_end > heap_peak",
     "'the heap ends with ' || heap_end || ' bytes, more than the ' || heap_peak || ' at most'"},
    {"thread", MPJ_SQL_NEVER, false, "stack_used_bytes > stack_bytes",
     "'thread ' || id || ' used ' || stack_used_bytes || ' bytes of a stack of ' || stack_bytes"},
};

static const struct mpj_sql_rule since_6[] = {
    {"entry_call", MPJ_SQL_WORD, false, "pass, core, thread, address, calls, cycles", NULL},
    {"entry_call", MPJ_SQL_COUNT, false, "seq, time", NULL},
    {"entry_call", MPJ_SQL_TEXT, true, "event0, event1", NULL},
    {"entry_call", MPJ_SQL_WORD, true, "value0, value1", NULL},
    {"entry_time", MPJ_SQL_WORD, false, "address, bin", NULL},
    {"entry_time", MPJ_SQL_COUNT, false, "records, calls, cycles", NULL},
    {"entry_time", MPJ_SQL_COUNT, true, "energy_fj", NULL},
    {"entry_cost", MPJ_SQL_WORD, false, "pass, func, core, always", NULL},
    {"entry_cost", MPJ_SQL_COUNT, false, "records, passes", NULL},
    {"entry_cost", MPJ_SQL_NEVER, false, "NOT (share > 0 AND share <= 1)",
     "'a function was measured in ' || share || ' of the run'"},
    {"wave_count", MPJ_SQL_WORD, false, "pass, core", NULL},
    {"wave_count", MPJ_SQL_TEXT, false, "event", NULL},
    {"wave_count", MPJ_SQL_COUNT, false, "time0, step", NULL},
    {"wave_count", MPJ_SQL_BYTES, false, "counts", NULL},
    {"wave_count", MPJ_SQL_NEVER, false, "step = 0 OR length(counts) % 4 <> 0 OR core >= " CORES,
     "'a piece of the counts of ' || event || ' has steps of ' || step || ' ticks in ' || "
     "length(counts) || ' bytes, core ' || core"},
    {"adapt", MPJ_SQL_COUNT, false,
     "pass, seq, region, caller, time, ticks, threads, most, why, believed_ns, believed_uw, uw, "
     "samples, elapsed, cycles, event0, event1",
     NULL},
    {"adapt", MPJ_SQL_NEVER, false, "threads < 1 OR threads > most OR why > 5",
     "'execution ' || seq || ' has ' || threads || ' of ' || most || ' threads, reason ' || why"},
};

static const struct mpj_sql_rule since_7[] = {
    {"chain", MPJ_SQL_WORD, false, "pass, ending", NULL},
    {"chain", MPJ_SQL_WORD, true, "gap_depth, gap_bytes", NULL},
    {"chain", MPJ_SQL_NEVER, false, "ending > 2", "'the call chain has the ending ' || ending"},
};

/* Before version 8 the channels had names and 12 bits. */
static const struct mpj_sql_rule until_7[] = {
    {"adc", MPJ_SQL_WORD, false, "cpu_v, pll_v, cpu_i, pll_i", NULL},
    {"adc", MPJ_SQL_NEVER, false, "max(cpu_v, pll_v, cpu_i, pll_i) > 4095",
     "'sample ' || idx || ' has a code above 4095'"},
};

/* A code of more bits than the board's description gives its channel, 12 without one. */
#define BEYOND(channel)                                                                            \
    "code" channel                                                                                 \
    " >= 1 << ifnull((SELECT value FROM machine WHERE pass = 0 AND item = 'power." channel         \
    ".bits'), 12)"

static const struct mpj_sql_rule since_8[] = {
    {"machine", MPJ_SQL_WORD, false, "pass", NULL},
    {"machine", MPJ_SQL_TEXT, false, "item", NULL},
    {"adc", MPJ_SQL_WORD, false, "code0, code1, code2, code3", NULL},
    {"adc", MPJ_SQL_NEVER, false,
     BEYOND("0") " OR " BEYOND("1") " OR " BEYOND("2") " OR " BEYOND("3"),
     "'sample ' || idx || ' has a code that its channel cannot have'"},
};

static const struct mpj_sql_rule since_9[] = {
    {"prof_error", MPJ_SQL_WORD, false, "pass, source, func", NULL},
    {"prof_error", MPJ_SQL_COUNT, false, "records", NULL},
    {"prof_error", MPJ_SQL_NEVER, false,
     "NOT (self >= 0 AND self < 9e18 AND total >= 0 AND total < 9e18)",
     "'function ' || func || ' has a standard error of ' || self || ' or ' || total || ' cycles'"},
    {"prof_tree", MPJ_SQL_WORD, false, "pass, source, merged", NULL},
    {"prof_tree", MPJ_SQL_COUNT, false, "lost", NULL},
};

#define COUNTED           "item <> 'energy_fj' AND item NOT LIKE 'fj:%'"
#define NOT_COUNTED(name) "'" name " has ' || value || ' ' || item"

/* Tables of functions and moments. */
static const struct mpj_sql_rule profile_rules[] = {
    {"prof_func", MPJ_SQL_WORD, false, "pass, source, id, kind", NULL},
    {"prof_func", MPJ_SQL_WORD, true, "line, address", NULL},
    {"prof_func", MPJ_SQL_TEXT, false, "name", NULL},
    {"prof_func", MPJ_SQL_TEXT, true, "file", NULL},
    {"prof_node", MPJ_SQL_WORD, false, "pass, source, id, func", NULL},
    {"prof_node", MPJ_SQL_WORD, true, "parent, thread, core, region", NULL},
    {"prof_node", MPJ_SQL_COUNT, false, "calls", NULL},
    {"prof_cost", MPJ_SQL_WORD, false, "pass, source, node", NULL},
    {"prof_cost", MPJ_SQL_TEXT, false, "item", NULL},
    {"prof_cost", MPJ_SQL_INTEGER, false, "value", NULL},
    {"prof_chip", MPJ_SQL_WORD, false, "pass, source", NULL},
    {"prof_chip", MPJ_SQL_TEXT, false, "item", NULL},
    {"prof_chip", MPJ_SQL_INTEGER, false, "value", NULL},
    {"prof_insn", MPJ_SQL_WORD, false, "pass, address", NULL},
    {"prof_insn", MPJ_SQL_COUNT, false, "executions, cycles", NULL},
    {"prof_insn_cost", MPJ_SQL_WORD, false, "pass, address", NULL},
    {"prof_insn_cost", MPJ_SQL_TEXT, false, "item", NULL},
    {"prof_insn_cost", MPJ_SQL_INTEGER, false, "value", NULL},
    {"moment", MPJ_SQL_WORD, false, "pass, source, seq, kind", NULL},
    {"moment", MPJ_SQL_COUNT, false, "time", NULL},
    {"moment", MPJ_SQL_WORD, true, "core, thread", NULL},
    {"moment", MPJ_SQL_INTEGER, false, "object, other, value", NULL},
    {"moment_loss", MPJ_SQL_WORD, false, "pass, source", NULL},
    {"moment_loss", MPJ_SQL_COUNT, false, "lost", NULL},
    {"wave", MPJ_SQL_WORD, false, "pass", NULL},
    {"wave", MPJ_SQL_WORD, true, "core", NULL},
    {"wave", MPJ_SQL_COUNT, false, "time0, step", NULL},
    {"wave", MPJ_SQL_BYTES, false, "fj", NULL},

    /* possible values */
    {"prof_func", MPJ_SQL_NEVER, false, "source > 2 OR kind > 5",
     "'function ' || id || ' has source ' || source || ', kind ' || kind"},
    {"prof_node", MPJ_SQL_NEVER, false, "parent >= id",
     "'node ' || id || ' of the call tree precedes its parent ' || parent"},
    {"prof_node", MPJ_SQL_NEVER, false,
     "parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM prof_node p WHERE p.pass = prof_node.pass "
     "AND p.source = prof_node.source AND p.id = prof_node.parent)",
     "'node ' || id || ' of the call tree has no parent ' || parent"},
    {"prof_node", MPJ_SQL_NEVER, false,
     "NOT EXISTS (SELECT 1 FROM prof_func f WHERE f.pass = prof_node.pass "
     "AND f.source = prof_node.source AND f.id = prof_node.func)",
     "'node ' || id || ' of the call tree is of no function ' || func"},
    {"prof_node", MPJ_SQL_NEVER, false, "core >= " CORES, "'there is a core ' || core"},
    {"(SELECT DISTINCT pass, source, node FROM prof_cost) c", MPJ_SQL_NEVER, false,
     "NOT EXISTS (SELECT 1 FROM prof_node n WHERE n.pass = c.pass AND n.source = c.source "
     "AND n.id = c.node)",
     "'there is a cost of a node ' || node || ' that is not in the call tree'"},
    /* causes may have a negative price, as in a published equation */
    {"prof_cost", MPJ_SQL_NEVER, false, "value < 0 AND " COUNTED, NOT_COUNTED("prof_cost")},
    {"prof_chip", MPJ_SQL_NEVER, false, "value < 0 AND " COUNTED, NOT_COUNTED("prof_chip")},
    {"prof_insn_cost", MPJ_SQL_NEVER, false, "value < 0 AND " COUNTED,
     NOT_COUNTED("prof_insn_cost")},
    {"moment", MPJ_SQL_NEVER, false, "source > 2 OR kind > 7 OR core >= " CORES,
     "'moment ' || seq || ' has source ' || source || ', kind ' || kind || ', core ' || core"},
    {"wave", MPJ_SQL_NEVER, false, "step = 0 OR length(fj) % 8 <> 0 OR core >= " CORES,
     "'a piece of the power waveform has steps of ' || step || ' ticks in ' || length(fj) || "
     "' bytes'"},
};

int run_store_check(sqlite3 *db, const char *path, const char *verb, unsigned version,
                    struct mpj_err *err)
{
    char *const columns = thread_field_list("", "", version);
    const struct mpj_sql_rule threads = {"thread", MPJ_SQL_COUNT, false, columns, NULL};
    char *const cores = store_columns("core", MPJ_CORES_MAX, "");
    const struct mpj_sql_rule by_core = {"thread", MPJ_SQL_COUNT, false, cores, NULL};
    char *const set = setting_columns("", version);
    const struct mpj_sql_rule by_setting = {"pass", MPJ_SQL_WORD, true, set, NULL};
    int result;

    if (columns == NULL || cores == NULL || set == NULL) {
        free(columns);
        free(cores);
        free(set);
        return mpj_err_nomem(err);
    }
    result = mpj_sql_whole(db, path, verb, err);
    if (result == MPJ_E_OK)
        result = mpj_sql_rules(db, path, verb, &threads, 1, err);
    if (result == MPJ_E_OK)
        result = mpj_sql_rules(db, path, verb, &by_core, 1, err);
    if (result == MPJ_E_OK)
        result = mpj_sql_rules(db, path, verb, &by_setting, 1, err);
    free(columns);
    free(cores);
    free(set);
    if (result == MPJ_E_OK)
        result =
            version < MPJ_STORE_MACHINE
                ? mpj_sql_rules(db, path, verb, until_7, sizeof(until_7) / sizeof(until_7[0]), err)
                : mpj_sql_rules(db, path, verb, since_8, sizeof(since_8) / sizeof(since_8[0]), err);
    if (result == MPJ_E_OK)
        result = mpj_sql_rules(db, path, verb, rules, sizeof(rules) / sizeof(rules[0]), err);
    if (result == MPJ_E_OK && version >= 4)
        result = mpj_sql_rules(db, path, verb, since_4, sizeof(since_4) / sizeof(since_4[0]), err);
    if (result == MPJ_E_OK && version >= MPJ_STORE_MEMORY)
        result = mpj_sql_rules(db, path, verb, since_5, sizeof(since_5) / sizeof(since_5[0]), err);
    if (result == MPJ_E_OK && version >= MPJ_STORE_TIMES)
        result = mpj_sql_rules(db, path, verb, since_6, sizeof(since_6) / sizeof(since_6[0]), err);
    if (result == MPJ_E_OK && version >= MPJ_STORE_CHAIN)
        result = mpj_sql_rules(db, path, verb, since_7, sizeof(since_7) / sizeof(since_7[0]), err);
    if (result == MPJ_E_OK && version >= MPJ_STORE_ERRORS)
        result = mpj_sql_rules(db, path, verb, since_9, sizeof(since_9) / sizeof(since_9[0]), err);
    if (result == MPJ_E_OK && version >= MPJ_STORE_PROFILE)
        result = mpj_sql_rules(db, path, verb, profile_rules,
                               sizeof(profile_rules) / sizeof(profile_rules[0]), err);
    return result;
}

/* ---- once per state of a file ------------------------------------------------ */

#define SETTLED_S 3 /* the coarsest clock of a file system has steps of 2 s */
#define SOUND     2 /* a comparison has two */

/* Identifies a state of a file. */
struct state {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec written;
};

/*
 * Valid states of the files that this thread opened last: a page opens its store a dozen times, and
 * the rules take longer than the reading. A file written less than SETTLED_S ago is never kept: its
 * next state could have the same time.
 */
static _Thread_local struct state sound[SOUND];
static _Thread_local unsigned next_sound;

static bool settled_state(const char *path, struct state *out)
{
    struct stat st;

    memset(out, 0, sizeof(*out));
    if (stat(path, &st) != 0 || st.st_mtim.tv_sec + SETTLED_S > time(NULL))
        return false;
    out->device = st.st_dev;
    out->inode = st.st_ino;
    out->size = st.st_size;
    out->written = st.st_mtim;
    return true;
}

static bool same_state(const struct state *a, const struct state *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->written.tv_sec == b->written.tv_sec && a->written.tv_nsec == b->written.tv_nsec;
}

int run_store_open(sqlite3 **db, const char *path, unsigned *version, struct mpj_err *err)
{
    struct state before, after;
    const bool settled = settled_state(path, &before);
    int has = 0;
    int result = mpj_sql_open(db, path, &run_store_kind, &has, err);

    if (version != NULL)
        *version = (unsigned)has;
    for (unsigned i = 0; result == MPJ_E_OK && settled && i < SOUND; i++) {
        if (same_state(&sound[i], &before))
            return MPJ_E_OK;
    }
    if (result == MPJ_E_OK)
        result = run_store_check(*db, path, "is damaged", (unsigned)has, err);
    if (result == MPJ_E_OK && settled && settled_state(path, &after) && same_state(&before, &after))
        sound[next_sound++ % SOUND] = after;
    return result;
}
