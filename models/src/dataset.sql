-- SPDX-License-Identifier: GPL-2.0-or-later
-- The data set of a campaign, version 2. docs/campaign.md says what each column means.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE program (
    id          INTEGER PRIMARY KEY, -- 0, 1, ...: position in the campaign
    name        TEXT NOT NULL UNIQUE,
    family      TEXT NOT NULL,
    threads     INTEGER NOT NULL,
    description TEXT NOT NULL
);

CREATE TABLE run (
    program       INTEGER NOT NULL REFERENCES program,
    pass          INTEGER NOT NULL,
    outcome       INTEGER NOT NULL,  -- enum mpj_code; 0: the columns below hold
    message       TEXT,              -- of a failure
    tries         INTEGER NOT NULL,
    time_s        REAL,
    clock_hz      REAL,
    cores_mask    INTEGER,
    adc_samples   INTEGER,           -- NULL: none
    v_avg_uv      REAL,              -- processor rail
    i_avg_ua      REAL,
    energy_uj     REAL,
    pll_energy_uj REAL,
    PRIMARY KEY (program, pass)
) WITHOUT ROWID;

CREATE TABLE core (
    program    INTEGER NOT NULL REFERENCES program,
    pass       INTEGER NOT NULL,
    core       INTEGER NOT NULL,
    cycles     INTEGER NOT NULL,
    wfi_cycles INTEGER,              -- NULL: not measured
    PRIMARY KEY (program, pass, core)
) WITHOUT ROWID;

CREATE TABLE observation (
    program  INTEGER NOT NULL REFERENCES program,
    event    TEXT NOT NULL,
    scope    INTEGER NOT NULL,       -- 0..3: core; -1: the whole chip
    pass     INTEGER NOT NULL,
    value    INTEGER NOT NULL,       -- of the whole run: scaled where coverage is below 1
    coverage REAL NOT NULL,          -- share of the run during which it was counted
    PRIMARY KEY (program, event, scope, pass)
) WITHOUT ROWID;

-- What the emulator knows: for verification, never for fitting.
CREATE TABLE truth (
    program   INTEGER NOT NULL REFERENCES program,
    scope     INTEGER NOT NULL,      -- 0..3: core; -1: shared parts; -2: the processor
    window_s  REAL NOT NULL,
    energy_uj REAL NOT NULL,
    PRIMARY KEY (program, scope)
) WITHOUT ROWID;

-- Threads of the program; events as in observation.
CREATE TABLE thread (
    program INTEGER NOT NULL REFERENCES program,
    id      INTEGER NOT NULL,
    run_s   REAL NOT NULL,           -- on cores, in the first pass
    cycles  INTEGER NOT NULL,        -- core clock, on cores
    core0   REAL NOT NULL,           -- share of run_s on core 0, ...
    core1   REAL NOT NULL,
    core2   REAL NOT NULL,
    core3   REAL NOT NULL,
    PRIMARY KEY (program, id)
) WITHOUT ROWID;

CREATE TABLE thread_observation (
    program  INTEGER NOT NULL REFERENCES program,
    event    TEXT NOT NULL,           -- also run_cycles: cycles on cores
    thread   INTEGER NOT NULL,
    pass     INTEGER NOT NULL,
    value    INTEGER NOT NULL,
    coverage REAL NOT NULL,          -- of the thread's time on cores
    PRIMARY KEY (program, event, thread, pass)
) WITHOUT ROWID;

CREATE TABLE thread_truth (
    program   INTEGER NOT NULL REFERENCES program,
    thread    INTEGER NOT NULL,
    cycles    INTEGER NOT NULL,      -- of cores it held
    energy_uj REAL NOT NULL,         -- drawn in these cores meanwhile
    PRIMARY KEY (program, thread)
) WITHOUT ROWID;
