#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions measured on the target at entry and exit, against programs whose shares are known.

usage: entries.py

mu_functions works 10:20:30:40, calls.c the same in recursion, in functions that longjmp() leaves, in a signal's handler
and in threads that end in the middle. Works in the current directory.
"""
import os
import sqlite3
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, ROOT, WORKLOADS, call, cc, check, finish, must  # noqa: E402

PATHS = """
WITH RECURSIVE tree (id, path) AS (
    SELECT n.id, f.name FROM prof_node n JOIN prof_func f USING (pass, source)
        WHERE f.id = n.func AND pass = 0 AND source = 1 AND parent IS NULL
    UNION ALL
    SELECT n.id, path || ';' || f.name FROM tree JOIN prof_node n ON n.parent = tree.id
        JOIN prof_func f USING (pass, source) WHERE f.id = n.func AND pass = 0 AND source = 1)
SELECT path, sum(value) FROM tree JOIN prof_cost c ON c.node = tree.id
    WHERE c.pass = 0 AND c.source = 1 AND item = ? GROUP BY path"""
PARTS = ("part_one", "part_two", "part_three", "part_four")
EQUAL = ("recurse", "even", "thrower", "on_signal", "leaver")
EMPTY_CYCLES = 5  # of an empty function: a NOP or a branch, and the return, whose target is predicted


def run(store, *command):
    must(MPJOULE, "run", "--quiet", "-o", store, *command)
    return sqlite3.connect(store)


def below(store, name, item="cycles"):
    """What the function used with all it called."""
    return sum(value for path, value in store.execute(PATHS, [item]) if name in path.split(";"))


def time_of(store):
    return store.execute("SELECT time_end - time_begin FROM pass").fetchone()[0]


def shares():
    cc(f"{WORKLOADS}/mu_functions.c", "f.elf", "-O2", "--functions")
    plain = time_of(run("plain.mpj", "f.elf", "--", "-n", "300"))
    costs = {}
    for groups, limit in ((1, 0.5), (4, 2.0)):
        store = run(f"f{groups}.mpj", "--entries", "--groups", str(groups), "f.elf", "--", "-n", "300")
        of = [below(store, name) for name in PARTS]
        for name, cycles, share in zip(PARTS, of, (10, 20, 30, 40)):
            check(abs(100 * cycles / sum(of) - share) <= limit,
                  f"{groups} groups: {name} has {100 * cycles / sum(of):.2f} % instead of {share}")
        cycles = store.execute("SELECT cycles FROM core WHERE core = 0").fetchone()[0]
        main = below(store, "main")
        check(0.97 * cycles <= main <= cycles, f"{groups} groups: main has {main} of {cycles} cycles")
        costs[groups] = 100 * (time_of(store) / plain - 1)
    check(costs[4] <= 3, f"4 groups cost {costs[4]:.2f} %")
    return costs


def all_kinds_of_calls():
    cc(f"{ROOT}/tests/programs/calls.c", "calls.elf", "-O2", "-pthread", "--functions")
    for options in (["--groups", "1"], ["--groups", "3", "--period", "20"], ["--groups", "2", "--records", "1"],
                    ["--groups", "2", "--warm-up", "30", "--periods", "4"]):
        store = run("c.mpj", "--entries", *options, "calls.elf", "--", "200")
        of = {name: below(store, name) for name in EQUAL}
        if options != ["--groups", "1"]:  # samples of a program as short: that it ends well is enough
            continue
        mean = sum(of.values()) / len(of)
        for name, cycles in of.items():
            # thrower() never returns: what calls it is known of no call, and a part of it goes elsewhere
            limit = 0.15 if name == "thrower" else 0.05
            check(abs(cycles / mean - 1) <= limit, f"{options}: {name} has {cycles} cycles, the mean is {mean:.0f}")
        calls = store.execute("SELECT sum(calls) FROM prof_node n JOIN prof_func f ON f.id = n.func "
                              "WHERE f.name = 'brief' AND n.source = 1 AND f.source = 1").fetchone()[0]
        check(abs(calls - 60000) <= 600, f"brief: {calls} calls instead of 60000")
        each = below(store, "brief") / calls
        check(abs(each - EMPTY_CYCLES) <= 40, f"an empty function has {each:.0f} cycles")


def errors():
    cc(f"{WORKLOADS}/mu_functions.c", "plain.elf", "-O2")
    for options, program, what in (
            (["--entries"], "plain.elf", "mpjoule cc --functions"),
            (["--groups", "2"], "f.elf", "belong to --entries"),
            (["--entries", "--groups", "3", "--periods", "4"], "f.elf", "multiple of the 3 groups"),
            (["--entries", "--no-threads"], "f.elf", "cannot be combined"),
            (["--entries", "--rotate"], "f.elf", "cannot be combined")):
        done = call(MPJOULE, "run", "-o", "e.mpj", *options, program)
        check(done.returncode != 0 and what in done.stderr, f"{options}: {done.stderr}")


def main():
    costs = shares()
    all_kinds_of_calls()
    errors()
    return finish(", ".join(f"{groups} groups cost {cost:.2f} %" for groups, cost in costs.items()))


sys.exit(main())
