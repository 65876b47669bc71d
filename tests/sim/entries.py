#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions measured on the target at entry and exit, against programs whose shares are known.

usage: entries.py

mu_functions works 10:20:30:40, calls.c the same in recursion, in functions that longjmp() leaves, in a signal's handler
and in threads that end in the middle. Works in the current directory.
"""
import json
import math
import os
import re
import sqlite3
import statistics
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, ROOT, WORKLOADS, call, cc, check, finish, mpjoule, must  # noqa: E402

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
    without = run("plain.mpj", "f.elf", "--", "-n", "300")
    plain = time_of(without)
    whole = without.execute("SELECT cycles FROM core WHERE core = 0").fetchone()[0]
    costs = {}
    for groups, limit in ((1, 0.5), (4, 2.0)):
        store = run(f"f{groups}.mpj", "--entries", "--groups", str(groups), "f.elf", "--", "-n", "300")
        of = [below(store, name) for name in PARTS]
        for name, cycles, share in zip(PARTS, of, (10, 20, 30, 40)):
            check(abs(100 * cycles / sum(of) - share) <= limit,
                  f"{groups} groups: {name} has {100 * cycles / sum(of):.2f} % instead of {share}")
        main = below(store, "main")
        check(0.98 * whole <= main <= 1.01 * whole,
              f"{groups} groups: main has {main} cycles, {whole} in a run without")
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
            check(abs(cycles / mean - 1) <= 0.05, f"{options}: {name} has {cycles} cycles, the mean is {mean:.0f}")
        calls = store.execute("SELECT sum(calls) FROM prof_node n JOIN prof_func f ON f.id = n.func "
                              "WHERE f.name = 'brief' AND n.source = 1 AND f.source = 1").fetchone()[0]
        check(abs(calls - 60000) <= 600, f"brief: {calls} calls instead of 60000")
        each = below(store, "brief") / calls
        check(abs(each - EMPTY_CYCLES) <= 40, f"an empty function has {each:.0f} cycles")


def called(store):
    """Functions that were measured."""
    return {name for (name,) in store.execute("SELECT name FROM prof_func f JOIN prof_node n ON n.func = f.id AND "
                                              "n.source = 1 WHERE f.source = 1 AND n.calls > 0")}


def filters():
    """-F, -N, -D and -t as in `report`, before the run; a file of them."""
    with open("filter", "w", encoding="utf-8") as f:
        f.write("# what costs most\n-N many\n  -t 20us # and what is short\n\n")
    for options, there, away in (
            (["-F", "catcher"], {"catcher", "thrower", "unit"}, {"main", "recurse", "many", "brief"}),
            (["-F", "catch*", "-D", "2"], {"catcher", "thrower"}, {"main", "unit"}),
            (["-N", "many"], {"main", "catcher", "unit"}, {"many", "brief"}),
            (["-D", "2"], {"main", "catcher", "leaver", "on_signal"}, {"thrower", "unit"}),
            (["-t", "20us"], {"main", "catcher", "unit"}, {"brief", "wide"}),
            (["--filter", "filter"], {"main", "catcher", "unit"}, {"many", "brief", "wide"})):
        found = called(run("c.mpj", "--entries", "--groups", "1", *options, "calls.elf", "--", "100"))
        check(there <= found and not away & found, f"{options}: measured are {sorted(found)}")


def recursion():
    """Several groups, and a recursion that most periods are not for: its calls, and what it used, are those of the truth.
    What measuring will cost is foreseen for threads that work at the same time, too."""
    elf = cc(f"{WORKLOADS}/msort.c", "msort.elf", "-O2", "-pthread", "--functions")
    size = ["--", "-n", "30000", "-d", "2"]
    truth = run("t.mpj", "--functions", elf, *size)
    calls, cycles = calls_of(truth, 0, "wl_merge_sort"), below_truth(truth, "wl_merge_sort")
    plain = time_of(truth)
    for groups in (1, 4):
        store = run("r.mpj", "--entries", "--groups", str(groups), elf, *size)
        found = calls_of(store, 1, "wl_merge_sort")
        check(abs(found / calls - 1) <= 0.05, f"{groups} groups: {found} calls of wl_merge_sort instead of {calls}")
        used = below(store, "wl_merge_sort")
        check(abs(used / cycles - 1) <= 0.08, f"{groups} groups: wl_merge_sort has {used} cycles instead of {cycles}")
    said = must(MPJOULE, "report", "--suggest", "left", "r.mpj").stdout.splitlines()[-1]
    foreseen = float(re.findall(r"([0-9.]+) %", said)[0])
    cost = 100 * (time_of(store) / plain - 1)
    check(abs(foreseen / cost - 1) <= 0.25, f"msort: {cost:.2f} % instead of the predicted {foreseen}")


def calls_of(store, source, name):
    return store.execute("SELECT sum(n.calls) FROM prof_node n JOIN prof_func f ON f.id = n.func AND f.source = n.source "
                         "WHERE n.source = ? AND f.name = ?", [source, name]).fetchone()[0]


def below_truth(store, name):
    """Cycles of a function with all it called."""
    return sum(value for path, value in store.execute(PATHS.replace("source = 1", "source = 0"), ["cycles"])
               if name in path.split(";"))


def over_time():
    """Each call that was measured, and power over time: what all of it used, no more and no less."""
    store = run("o.mpj", "--entries", "--entry-times", "--model", "default", "f.elf", "--", "-n", "100")
    records = store.execute("SELECT sum(records) FROM entry_cost WHERE pass = 0").fetchone()[0]
    kept, passes = store.execute("SELECT sum(pass = 0), count(DISTINCT pass) FROM entry_call").fetchone()
    # those that are still open at the end are no call that is over
    check(0 <= records - kept <= 4 and passes > 1, f"{kept} of {records} calls kept, of {passes} passes")
    text = mpjoule("report", "--view", "over-time", "--format", "json", "o.mpj").stdout
    rows = json.loads(text)
    check(rows["lost"] == 0 and len(rows["calls"]) > 100, f"over-time: {len(rows['calls'])} rows, {rows['lost']} lost")
    of = {name: [row for row in rows["calls"] if row["function"] == name] for name in PARTS}
    for name, share in zip(PARTS, (10, 20, 30, 40)):
        time = sum(row["time_s"] for row in of[name])
        total = sum(row["time_s"] for rows in of.values() for row in rows)
        check(abs(100 * time / total - share) <= 2, f"over-time: {name} has {100 * time / total:.1f} %")
        check(all(80 < row["power_mw"] < 400 for row in of[name]), f"over-time: power of {name}")
    text = mpjoule("report", "--view", "over-time", "o.mpj").stdout
    check("Power [mW] of functions over time" in text and "part_four" in text, f"over-time:\n{text}")
    done = mpjoule("report", "--view", "over-time", "f1.mpj")
    check(done.returncode != 0 and "--entry-times" in done.stderr, f"over-time without calls: {done.stderr}")


def together():
    """The emulator's truth of the same run stands beside what the target found."""
    store = run("b.mpj", "--functions", "--entries", "calls.elf", "--", "100")
    found = store.execute("SELECT source, count(*) FROM prof_node WHERE pass = 0 GROUP BY 1").fetchall()
    check([source for source, _ in found] == [0, 1], f"sources of functions: {found}")
    calls = ("SELECT f.name, sum(n.calls) FROM prof_node n JOIN prof_func f ON f.id = n.func AND f.source = n.source "
             "WHERE n.source = ? AND f.name IN ('main', 'many', 'wide') GROUP BY 1")
    truth, ours = (dict(store.execute(calls, [source])) for source in (0, 1))
    check(ours == {"main": 1, "many": 100, "wide": 100} and set(truth) == set(ours), f"calls: {truth} and {ours}")
    alone = run("a.mpj", "--entries", "calls.elf", "--", "100")
    check(below(alone, "main") == below(store, "main"), "the truth beside it changes what the target finds")


def lasted(starts, options, program):
    """The times of so many starts, each with one variable more in its environment."""
    environments = [[f"--env=V{i}=1" for i in range(start)] for start in range(starts)]
    return [time_of(run("start.mpj", *some, *options, *program)) for some in environments]


def longer(times, plain):
    """By how much the mean is longer than the other one, in per cent, and the standard error of that."""
    errors = [statistics.stdev(t) / len(t) ** 0.5 if len(t) > 1 else 0 for t in (times, plain)]
    mean = statistics.mean(plain)
    return 100 * (statistics.mean(times) / mean - 1), 100 * math.hypot(*errors) / mean


def foreseen(starts, *program):
    """What a run in 4 groups says that one in a single group will cost, and with what is left out, and what they do
    cost, with its standard error, in per cent."""
    plain = lasted(starts, [], program)
    run("four.mpj", "--entries", "--groups", "4", *program)
    said = must(MPJOULE, "report", "--suggest", "left", "--most", "0.5", "four.mpj").stdout.splitlines()[-1]
    whole, rest = (float(word) for word in re.findall(r"([0-9.]+) %", said))
    one = ["--entries", "--groups", "1"]
    return (whole, *longer(lasted(starts, one, program), plain), rest,
            longer(lasted(max(1, starts // 4), [*one, "--filter", "left"], program), plain)[0])


def suggestions():
    """omp_bt, omp_ft: threads that meet at barriers, for so long that each group is measured in many periods. omp_ft's
    4 cores compete for an L2 cache smaller than its data: its time differs by 3 % from one start to another with
    nothing measured, so that what measuring costs is a mean of many. What it costs omp_bt is 7.2 to 8.3 %."""
    cc(f"{ROOT}/tests/bench/dense.c", "dense.elf", "-O2", "--functions")
    for name in ("omp_bt", "omp_ft"):
        cc(f"{WORKLOADS}/{name}.c", f"{name}.elf", "-O2", "-fopenmp", "--functions")
    for starts, *program in ((1, "f.elf", "--", "-n", "100"), (1, "calls.elf", "--", "200"),
                             (1, "dense.elf", "--", "300000", "67"), (1, "dense.elf", "--", "300000", "20"),
                             (6, "omp_bt.elf", "--", "-c", "2"), (24, "omp_ft.elf", "--", "-c", "2")):
        whole, cost, error, rest, less = foreseen(starts, *program)
        check(abs(whole - cost) <= 0.2 * cost + 2 * error, f"{program}: {cost:.2f} +- {error:.2f} % instead of the predicted {whole}")
        check(rest <= 0.5 and less <= 2, f"{program}: without what is left out {less:.2f} % instead of {rest}")
    for options, what in ((["plain.mpj"], "mpjoule run --entries"), (["--groups", "0", "four.mpj"], "--groups"),
                          (["--most", "x", "four.mpj"], "--most")):
        done = call(MPJOULE, "report", "--suggest", "left", *options)
        check(done.returncode != 0 and what in done.stderr, f"{options}: {done.stderr}")


def errors():
    cc(f"{WORKLOADS}/mu_functions.c", "plain.elf", "-O2")
    for name, text in (("bad", "-X many\n"), ("short", "-N\n"), ("long", "-N a b\n")):
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
    must("arm-none-eabi-strip", "-o", "stripped.elf", "f.elf")
    must(MPJOULE, "run", "--quiet", "--entries", "-o", "stripped.mpj", "stripped.elf", "--", "-n", "5")
    done = call(MPJOULE, "report", "--suggest", "left", "stripped.mpj")
    check(done.returncode != 0 and "knows no function by name" in done.stderr, f"stripped: {done.stderr}")
    for options, program, what in (
            (["--entries", "-D", "2"], "stripped.elf", "without strip"),
            (["--entries", "-F", "nothing"], "f.elf", "is called \"nothing\""),
            (["--entries", "-N", "main"], "f.elf", "leave no function"),
            (["--entries", "-D", "2"], "plain.elf", "mpjoule cc --functions"),
            (["--entries", "-D", "0"], "f.elf", "-D"),
            (["--entries", "-t", "5uJ"], "f.elf", "takes a time"),
            (["--entries", "-t", "5"], "f.elf", "with its unit"),
            (["--entries", "--filter", "bad"], "f.elf", "expected -F NAME"),
            (["--entries", "--filter", "short"], "f.elf", "expected -F NAME"),
            (["--entries", "--filter", "long"], "f.elf", "expected -F NAME"),
            (["--entries", "--filter", "missing"], "f.elf", "cannot read missing"),
            (["-F", "main"], "f.elf", "require --entries"),
            (["--entries"], "plain.elf", "mpjoule cc --functions"),
            (["--groups", "2"], "f.elf", "require --entries"),
            (["--entry-times"], "f.elf", "require --entries"),
            (["--entries", "--groups", "3", "--periods", "4"], "f.elf", "multiple of the 3 groups"),
            (["--entries", "--no-threads"], "f.elf", "cannot be combined"),
            (["--entries", "--rotate"], "f.elf", "cannot be combined")):
        done = call(MPJOULE, "run", "-o", "e.mpj", *options, program)
        check(done.returncode != 0 and what in done.stderr, f"{options}: {done.stderr}")


def main():
    costs = shares()
    all_kinds_of_calls()
    filters()
    recursion()
    over_time()
    together()
    suggestions()
    errors()
    return finish(", ".join(f"{groups} groups cost {cost:.2f} %" for groups, cost in costs.items()))


sys.exit(main())
