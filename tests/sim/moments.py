#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Switches, waits and regions as the target notes them, against the emulator's truth of the same run.

usage: moments.py

Of each thread the moments of the target are those of the truth, in their order: threads get and lose a core, wait and
have waited, for the same holders; main ends where the run does. The truth also has what is no switch: a thread that
moves data to the host. Regions are counted by the program: one for each thread. Marks are moments of both. And what
notes cost, and that a view shows them. Works in the current directory.
"""
import collections
import os
import sqlite3
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, ROOT, WORKLOADS, cc, check, finish, mpjoule, must, write  # noqa: E402

TRUTH, TARGET = 0, 2
RUNS, STOPS, WAITS, WAITED, BEGIN, END, MARK = range(7)
MOST_US = 20  # between a moment and the truth's


def run(name, *command):
    must(MPJOULE, "run", "--quiet", "-o", f"{name}.mpj", *command)
    store = sqlite3.connect(f"{name}.mpj")
    rows = store.execute("SELECT source, thread, kind, object, m.time - p.time_begin, other FROM moment m JOIN pass p "
                         "ON p.id = m.pass WHERE m.pass = 0 AND thread > 0 ORDER BY source, m.time, seq").fetchall()
    time = store.execute("SELECT time_end - time_begin FROM pass WHERE id = 0").fetchone()[0]
    check(not store.execute("SELECT * FROM moment_loss").fetchall(), f"{name}: moments were lost")
    return rows, time


def lists(rows, source, kinds):
    found = collections.defaultdict(list)
    for src, thread, kind, what, time, _ in rows:
        if src == source and kind in kinds and (thread != 1 or kind >= BEGIN):  # a join's object: two names of a thread
            found[thread, kind, what].append(time)
    return found


def against_truth(name, elf):
    rows, time = run(name, "--moments", "--target-moments", elf)
    truth, target = (lists(rows, source, (WAITS, WAITED)) for source in (TRUTH, TARGET))
    check(truth.keys() == target.keys() and truth, f"{name}: waits {sorted(target)} instead of {sorted(truth)}")
    late = [0]
    for key, times in truth.items():
        check(len(times) == len(target[key]), f"{name}: {key}: {len(target[key])} moments instead of {len(times)}")
        late += [abs(a - b) / 24 for a, b in zip(times, target[key])]
    check(max(late) <= MOST_US, f"{name}: {max(late):.1f} us from the truth")
    holders = [[(row[1], row[3], row[5]) for row in rows if row[0] == source and row[2] == WAITS and row[1] != 1]
               for source in (TRUTH, TARGET)]
    check(sorted(holders[0]) == sorted(holders[1]), f"{name}: holders differ")
    check(all(row[2] > 0 for row in holders[0]), f"{name}: a mutex without a holder")
    ends = [max(row[4] for row in rows if row[:3] == (source, 1, STOPS)) for source in (TRUTH, TARGET)]
    check(abs(ends[0] - ends[1]) / 24 <= MOST_US, f"{name}: main ends at {ends[1]} instead of {ends[0]}")
    for thread in {row[1] for row in rows} - {1}:  # main prints
        for kind in (RUNS, STOPS):
            n = [sum(row[:3] == (source, thread, kind) for row in rows) for source in (TRUTH, TARGET)]
            check(n[0] == n[1], f"{name}: thread {thread}, kind {kind}: {n[1]} moments instead of {n[0]}")
    return max(late), sum(late) / len(late), sum(row[0] == TARGET for row in rows), time


def loss():
    """What finds no room is counted: each switch is two moments."""
    elf = cc(f"{ROOT}/tests/programs/moments_yield.c", "yield.elf", "-O2", "-pthread")
    mpjoule("run", "--quiet", "--cores", "1", "--target-moments", "-o", "yield.mpj", elf)
    store = sqlite3.connect("yield.mpj")
    kept = store.execute("SELECT count(*) FROM moment WHERE kind < 2").fetchone()[0]
    lost = store.execute("SELECT sum(lost) FROM moment_loss").fetchone()[0] or 0
    switches = store.execute("SELECT sum(switches) FROM thread").fetchone()[0]
    check(lost > 0 and kept >= 16384, f"{kept} moments kept, {lost} lost")
    check(abs(kept + lost - 2 * switches) <= 10, f"{kept} kept and {lost} lost of {switches} switches")
    text = mpjoule("report", "--view", "events", "yield.mpj").stdout
    check("Incomplete:" in text, f"the view hides the loss:\n{text[-300:]}")


MARKS = '#include <mpj.h>\nint main(void)\n{\n    mpj_mark("one");\n    mpj_mark("two");\n    return 0;\n}\n'


def marks():
    """Of both sources, in time; --source says whose moments a view shows."""
    elf = cc(write("marks.c", MARKS), "marks.elf", "-O2")
    rows, _ = run("marks", "--moments", "--target-moments", elf)
    for source in (TRUTH, TARGET):
        found = [row[2] for row in rows if row[0] == source]
        check(found.count(MARK) == 2, f"marks of source {source}: {found}")
    for source, said in (("truth", "the emulator's truth"), ("samples", "as the target recorded it")):
        text = mpjoule("report", "--view", "events", "--source", source, "marks.mpj").stdout
        check(said in text and "mark one" in text, f"--source {source}:\n{text}")


def main():
    loss()
    marks()
    elf = cc(f"{WORKLOADS}/mu_convoy.c", "convoy.elf", "-O2", "-pthread")
    worst, mean, count, time = against_truth("convoy", elf)
    _, without = run("without", elf)
    check("waits" in mpjoule("report", "--view", "events", "convoy.mpj").stdout, "no events in the view")
    rows, _ = run("alone", "--target-moments", elf)
    check(rows and all(row[0] == TARGET for row in rows), "moments of the target alone")
    text = mpjoule("report", "--view", "events", "alone.mpj").stdout
    check("as the target recorded it" in text and "waits" in text, f"view events without functions:\n{text}")
    elf = cc(f"{WORKLOADS}/omp_mm.c", "mm.elf", "-O2", "-fopenmp")
    rows, _ = run("mm", "--target-moments", elf, "--", "-n", "40")
    for kind in (BEGIN, END):
        found = lists(rows, TARGET, (kind,))
        check(sorted(key[0] for key in found) == [1, 2, 3, 4], f"regions {sorted(found)}")
        check(all(len(times) == 1 for times in found.values()), f"executions of regions {found}")
    return finish(f"{count} moments, {mean:.1f} us from the truth, {worst:.1f} at most; "
                  f"{(time - without) / count * 210 / 24:.0f} cycles each")


sys.exit(main())
