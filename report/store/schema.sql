-- SPDX-License-Identifier: GPL-2.0-or-later
-- The store, version 9. docs/store.md says what each column means; times are ticks of the
-- pass's time_hz since the target's reset.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE pass (
    id            INTEGER PRIMARY KEY, -- 0, 1, ...
    protocol      INTEGER,
    abi           INTEGER,
    midr          INTEGER,
    sys_id        INTEGER,
    cores         INTEGER,
    clock_hz      INTEGER,
    time_hz       INTEGER,
    cores_mask    INTEGER,             -- cores in use
    @SETTINGS@             -- NULL: not sampled
    time_begin    INTEGER,             -- ticks since the target's reset; NULL: the run did not begin
    time_end      INTEGER,             -- NULL: it did not end
    exit_status   INTEGER,             -- NULL: the program did not return one
    end_reason    INTEGER,
    records       INTEGER,             -- as the target counted them
    dropped       INTEGER,
    outcome       INTEGER,             -- the recorder's verdict, enum mpj_code; NULL: the log is cut off
    message       TEXT
);

CREATE TABLE machine (                 -- since version 8: the board, as it describes itself
    pass  INTEGER NOT NULL REFERENCES pass,
    item  TEXT NOT NULL,               -- member of struct tile_machine: name, time.hz, ram.0.base
    value NOT NULL,                    -- a number or a text
    PRIMARY KEY (pass, item)
) WITHOUT ROWID;

CREATE TABLE core (
    pass       INTEGER NOT NULL REFERENCES pass,
    core       INTEGER NOT NULL,
    time       INTEGER NOT NULL,
    cycles     INTEGER NOT NULL,
    wfi_cycles INTEGER,                -- NULL: not measured
    inexact    INTEGER NOT NULL,
    PRIMARY KEY (pass, core)
) WITHOUT ROWID;

CREATE TABLE counter (
    pass   INTEGER NOT NULL REFERENCES pass,
    source TEXT NOT NULL,              -- pmu, scu, l2
    core   INTEGER NOT NULL,           -- -1: the whole chip
    event  TEXT NOT NULL,
    value  INTEGER NOT NULL,           -- as counted, not scaled
    active INTEGER NOT NULL,           -- ticks during which it was counted
    PRIMARY KEY (pass, source, core, event)
) WITHOUT ROWID;

-- Events counted in turn: sums over the turns in which each was, in a unit of the target's.
CREATE TABLE spread (
    pass  INTEGER NOT NULL REFERENCES pass,
    owner INTEGER NOT NULL,            -- 0 a core, 1 a thread
    id    INTEGER NOT NULL,
    event TEXT NOT NULL,
    turns INTEGER NOT NULL,
    c     INTEGER NOT NULL,            -- cycles
    x     INTEGER NOT NULL,            -- counts
    cc    INTEGER NOT NULL,            -- squares of cycles, turn by turn
    xc    INTEGER NOT NULL,            -- products
    xx    INTEGER NOT NULL,            -- squares of counts
    PRIMARY KEY (pass, owner, id, event)
) WITHOUT ROWID;

CREATE TABLE adc (
    pass  INTEGER NOT NULL REFERENCES pass,
    idx   INTEGER NOT NULL,            -- number of the sample; a jump is a loss
    time  INTEGER NOT NULL,
    @CODES@                            -- code0, ...: of the board's power channels in their order
    PRIMARY KEY (pass, idx)
) WITHOUT ROWID;

CREATE TABLE console (
    pass   INTEGER NOT NULL REFERENCES pass,
    seq    INTEGER NOT NULL,
    stream INTEGER NOT NULL,           -- 1 stdout, 2 stderr
    data   BLOB NOT NULL,
    PRIMARY KEY (pass, seq)
) WITHOUT ROWID;

CREATE TABLE mark (
    pass   INTEGER NOT NULL REFERENCES pass,
    seq    INTEGER NOT NULL,
    time   INTEGER NOT NULL,
    core   INTEGER NOT NULL,
    thread INTEGER NOT NULL,           -- -1: set from the host
    name   TEXT NOT NULL,
    value  INTEGER NOT NULL,
    PRIMARY KEY (pass, seq)
) WITHOUT ROWID;

CREATE TABLE fault (
    pass   INTEGER PRIMARY KEY REFERENCES pass, -- the first of the pass
    kind   INTEGER NOT NULL,
    core   INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    time   INTEGER NOT NULL,
    cpsr   INTEGER NOT NULL,
    dfsr   INTEGER NOT NULL,
    dfar   INTEGER NOT NULL,
    ifsr   INTEGER NOT NULL,
    ifar   INTEGER NOT NULL,
    regs   TEXT NOT NULL               -- r0 to r15, hexadecimal, separated by spaces
);

CREATE TABLE frame (
    pass     INTEGER NOT NULL REFERENCES pass,
    depth    INTEGER NOT NULL,         -- 0: where it faulted; a jump: these are left out
    address  INTEGER NOT NULL,
    function TEXT,
    offset   INTEGER,
    file     TEXT,
    line     INTEGER,
    PRIMARY KEY (pass, depth)
) WITHOUT ROWID;

CREATE TABLE chain (                   -- since version 7: of `frame`
    pass      INTEGER PRIMARY KEY REFERENCES pass,
    ending    INTEGER NOT NULL,        -- 0 at the outermost frame, 1 no call frame information, 2 no stack
    gap_depth INTEGER,                 -- before this one, frames are missing; NULL: none are
    gap_bytes INTEGER
) WITHOUT ROWID;

CREATE TABLE error (
    pass   INTEGER NOT NULL REFERENCES pass,
    seq    INTEGER NOT NULL,
    code   INTEGER NOT NULL,
    core   INTEGER NOT NULL,
    time   INTEGER NOT NULL,
    detail INTEGER NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (pass, seq)
) WITHOUT ROWID;

CREATE TABLE truth (
    pass INTEGER PRIMARY KEY REFERENCES pass,
    json TEXT NOT NULL                 -- as the emulator wrote it
);

-- The thread-level profile; durations are ticks, too.
CREATE TABLE thread (
    pass     INTEGER NOT NULL REFERENCES pass,
    @FIELDS@                           -- id, parent, flags, ...: link/include/mpj_thread_fields.h
    @CORES@                            -- core0, ...: run on core 0, ...
    name     TEXT NOT NULL,
    PRIMARY KEY (pass, id)
) WITHOUT ROWID;

CREATE TABLE thread_counter (
    pass   INTEGER NOT NULL REFERENCES pass,
    thread INTEGER NOT NULL,
    event  TEXT NOT NULL,
    value  INTEGER NOT NULL,           -- as counted, not scaled
    active INTEGER NOT NULL,           -- ticks of `run` during which it was counted
    PRIMARY KEY (pass, thread, event)
) WITHOUT ROWID;

CREATE TABLE wait (
    pass    INTEGER NOT NULL REFERENCES pass,
    seq     INTEGER NOT NULL,
    thread  INTEGER NOT NULL,
    kind    INTEGER NOT NULL,          -- link/SPEC.md, "Thread profile"
    object  INTEGER NOT NULL,          -- address
    owner   INTEGER NOT NULL,          -- thread; 0: unknown
    caller  INTEGER NOT NULL,          -- address after the call that waited
    count   INTEGER NOT NULL,
    total   INTEGER NOT NULL,
    longest INTEGER NOT NULL,
    PRIMARY KEY (pass, seq)
) WITHOUT ROWID;

CREATE TABLE region (
    pass    INTEGER NOT NULL REFERENCES pass,
    seq     INTEGER NOT NULL,
    fn      INTEGER NOT NULL,          -- address of the construct's body; 0: the serial part
    caller  INTEGER NOT NULL,
    thread  INTEGER NOT NULL,
    size    INTEGER NOT NULL,          -- threads in the team
    calls   INTEGER NOT NULL,
    wall    INTEGER NOT NULL,
    run     INTEGER NOT NULL,
    barrier INTEGER NOT NULL,          -- waiting at the barrier that ends it
    cycles  INTEGER NOT NULL,
    host    INTEGER NOT NULL,          -- moving data from or to the host; since version 4
    PRIMARY KEY (pass, seq)
) WITHOUT ROWID;

CREATE TABLE region_counter (
    pass   INTEGER NOT NULL REFERENCES pass,
    seq    INTEGER NOT NULL,           -- of the region's row
    event  TEXT NOT NULL,
    value  INTEGER NOT NULL,
    active INTEGER NOT NULL,
    PRIMARY KEY (pass, seq, event)
) WITHOUT ROWID;

CREATE TABLE timeline (
    pass   INTEGER NOT NULL REFERENCES pass,
    thread INTEGER NOT NULL,
    bin    INTEGER NOT NULL,           -- begins bin * width after time_begin
    width  INTEGER NOT NULL,
    run    INTEGER NOT NULL,
    block  INTEGER NOT NULL,
    host   INTEGER NOT NULL,           -- since version 4
    PRIMARY KEY (pass, thread, bin)
) WITHOUT ROWID;

CREATE TABLE parallel (
    pass  INTEGER NOT NULL REFERENCES pass,
    cores INTEGER NOT NULL,            -- so many ran threads of the program
    ticks INTEGER NOT NULL,
    PRIMARY KEY (pass, cores)
) WITHOUT ROWID;

CREATE TABLE memory (                  -- since version 5; bytes
    pass      INTEGER PRIMARY KEY REFERENCES pass,
    heap_peak INTEGER NOT NULL,
    heap_end  INTEGER NOT NULL,
    heap_room INTEGER NOT NULL
);

CREATE TABLE adapt (                   -- since version 6: executions of regions under MPJ_ADAPT
    pass        INTEGER NOT NULL REFERENCES pass,
    seq         INTEGER NOT NULL,
    region      INTEGER NOT NULL,      -- address of the construct's body, or what names the phase
    caller      INTEGER NOT NULL,
    time        INTEGER NOT NULL,
    ticks       INTEGER NOT NULL,
    threads     INTEGER NOT NULL,
    most        INTEGER NOT NULL,      -- that the program would have got
    why         INTEGER NOT NULL,      -- 0 first, 1 test, 2 try, 3 chosen, 5 the policy is a number
    believed_ns INTEGER NOT NULL,      -- 0: nothing was believed
    believed_uw INTEGER NOT NULL,
    uw          INTEGER NOT NULL,      -- by the ADC; 0: no sample
    samples     INTEGER NOT NULL,
    elapsed     INTEGER NOT NULL,      -- cycles
    cycles      INTEGER NOT NULL,      -- of its threads until they had done their parts; 0: not counted
    event0      INTEGER NOT NULL,
    event1      INTEGER NOT NULL,
    PRIMARY KEY (pass, seq)
) WITHOUT ROWID;

CREATE TABLE entry_run (               -- since version 5: what measuring functions cost
    pass    INTEGER PRIMARY KEY REFERENCES pass,
    groups  INTEGER NOT NULL,
    periods INTEGER NOT NULL,
    brief   INTEGER NOT NULL,          -- cycles
    records INTEGER NOT NULL,          -- calls measured
    used    INTEGER NOT NULL,          -- cycles that these cost
    passes  INTEGER NOT NULL,          -- calls only counted
    passed  INTEGER NOT NULL           -- cycles that one of those cost
);

CREATE TABLE entry_call (              -- since version 6: calls that were measured (--entry-times)
    pass    INTEGER NOT NULL REFERENCES pass,
    seq     INTEGER NOT NULL,          -- by time
    time    INTEGER NOT NULL,          -- when it was over: ticks
    core    INTEGER NOT NULL,
    thread  INTEGER NOT NULL,
    address INTEGER NOT NULL,          -- of the function
    calls   INTEGER NOT NULL,          -- it stands for
    cycles  INTEGER NOT NULL,          -- of the call, with all it called
    event0  TEXT,                      -- what its pass counted
    value0  INTEGER,
    event1  TEXT,
    value1  INTEGER,
    PRIMARY KEY (pass, seq)
) WITHOUT ROWID;

CREATE TABLE entry_time (              -- since version 6: these by time, of pass 0
    address INTEGER NOT NULL,
    bin     INTEGER NOT NULL,          -- hundredth of the run
    records INTEGER NOT NULL,          -- measured calls that ended in it
    calls   INTEGER NOT NULL,          -- that they stand for
    cycles  INTEGER NOT NULL,          -- of these
    energy_fj INTEGER,                 -- by the model; NULL: none
    PRIMARY KEY (address, bin)
) WITHOUT ROWID;

CREATE TABLE entry_cost (              -- since version 6: the same by function and core
    pass    INTEGER NOT NULL REFERENCES pass,
    func    INTEGER NOT NULL,          -- as in prof_func, source 1
    core    INTEGER NOT NULL,
    records INTEGER NOT NULL,
    passes  INTEGER NOT NULL,
    always  INTEGER NOT NULL,          -- 1: measured in periods of all groups
    share   REAL NOT NULL              -- of the run, in which these calls were measured
);

CREATE TABLE place (
    address  INTEGER PRIMARY KEY,      -- as it stands in the other tables
    function TEXT,                     -- or the variable's name
    file     TEXT,
    line     INTEGER
);

-- Where inside the program (since version 4). source: 0 the emulator's truth, 1 entries and exits on
-- the target, 2 samples on the target.
CREATE TABLE prof_func (
    pass    INTEGER NOT NULL REFERENCES pass,
    source  INTEGER NOT NULL,
    id      INTEGER NOT NULL,
    name    TEXT NOT NULL,
    file    TEXT,
    line    INTEGER,
    address INTEGER,
    kind    INTEGER NOT NULL,          -- enum mpj_prof_kind
    PRIMARY KEY (pass, source, id)
) WITHOUT ROWID;

CREATE TABLE prof_error (              -- since version 9: how exact a function's cycles are
    pass    INTEGER NOT NULL REFERENCES pass,
    source  INTEGER NOT NULL,
    func    INTEGER NOT NULL,
    records INTEGER NOT NULL,          -- measured calls, or samples
    self    REAL NOT NULL,             -- standard error of its own cycles
    total   REAL NOT NULL,             -- and with all it called
    PRIMARY KEY (pass, source, func)
) WITHOUT ROWID;

CREATE TABLE prof_tree (               -- since version 9: how exact the call tree is
    pass    INTEGER NOT NULL REFERENCES pass,
    source  INTEGER NOT NULL,
    lost    INTEGER NOT NULL,          -- places where the stack of calls was inexact
    merged  INTEGER NOT NULL,          -- 1: too many paths; some are not distinguished
    PRIMARY KEY (pass, source)
) WITHOUT ROWID;

CREATE TABLE prof_node (               -- the call tree
    pass   INTEGER NOT NULL REFERENCES pass,
    source INTEGER NOT NULL,
    id     INTEGER NOT NULL,
    parent INTEGER,                    -- a smaller id; NULL: nothing called it
    func   INTEGER NOT NULL,
    thread INTEGER,                    -- NULL: none; then core
    core   INTEGER,
    region INTEGER,                    -- region.fn; NULL: in none
    calls  INTEGER NOT NULL,
    PRIMARY KEY (pass, source, id)
) WITHOUT ROWID;

CREATE TABLE prof_cost (
    pass   INTEGER NOT NULL REFERENCES pass,
    source INTEGER NOT NULL,
    node   INTEGER NOT NULL,
    item   TEXT NOT NULL,              -- cycles, an event, energy_fj, fj:CAUSE, samples
    value  INTEGER NOT NULL,           -- of the node itself, without what it called
    PRIMARY KEY (pass, source, node, item)
) WITHOUT ROWID;

CREATE TABLE prof_chip (
    pass   INTEGER NOT NULL REFERENCES pass,
    source INTEGER NOT NULL,
    item   TEXT NOT NULL,
    value  INTEGER NOT NULL,           -- what belongs to no core
    PRIMARY KEY (pass, source, item)
) WITHOUT ROWID;

CREATE TABLE prof_insn (
    pass       INTEGER NOT NULL REFERENCES pass,
    address    INTEGER NOT NULL,
    executions INTEGER NOT NULL,
    cycles     INTEGER NOT NULL,
    PRIMARY KEY (pass, address)
) WITHOUT ROWID;

CREATE TABLE prof_insn_cost (
    pass    INTEGER NOT NULL REFERENCES pass,
    address INTEGER NOT NULL,
    item    TEXT NOT NULL,             -- as in prof_cost
    value   INTEGER NOT NULL,
    PRIMARY KEY (pass, address, item)
) WITHOUT ROWID;

CREATE TABLE moment (
    pass   INTEGER NOT NULL REFERENCES pass,
    source INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    time   INTEGER NOT NULL,
    core   INTEGER,
    thread INTEGER,
    kind   INTEGER NOT NULL,           -- enum mpj_moment_kind
    object INTEGER NOT NULL,
    other  INTEGER NOT NULL,
    value  INTEGER NOT NULL,
    PRIMARY KEY (pass, source, seq)
) WITHOUT ROWID;

CREATE TABLE moment_loss (
    pass   INTEGER NOT NULL REFERENCES pass,
    source INTEGER NOT NULL,
    lost   INTEGER NOT NULL,           -- moments that were not kept
    PRIMARY KEY (pass, source)
) WITHOUT ROWID;

CREATE TABLE wave (                    -- power; rows of a core follow one another
    pass  INTEGER NOT NULL REFERENCES pass,
    core  INTEGER,                     -- NULL: the chip's, beside the cores
    time0 INTEGER NOT NULL,
    step  INTEGER NOT NULL,            -- ticks
    fj    BLOB NOT NULL                -- uint64, least byte first: energy of each step
);

CREATE TABLE wave_count (              -- since version 6: events over time, as in wave
    pass   INTEGER NOT NULL REFERENCES pass,
    core   INTEGER NOT NULL,
    event  TEXT NOT NULL,
    time0  INTEGER NOT NULL,
    step   INTEGER NOT NULL,
    counts BLOB NOT NULL               -- uint32, least byte first
);
