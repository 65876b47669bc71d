#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions measured at entry and exit add up, and are as exact as they say: against the emulator's truth.

usage: sums.py [PROGRAM]...   (of sums_programs.py; all when none is named)

The cycles of all functions are those of the threads, to rounding. At least 95 % of the functions' own cycles, and of
those with callees, are within two of their standard errors of the truth. Works in the current directory.
"""
import json
import os
import sqlite3
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, cc, check, finish, must  # noqa: E402
from sums_programs import HEAD, PROGRAMS  # noqa: E402

NODES = """SELECT n.id, n.parent, f.name, ifnull((SELECT value FROM prof_cost c WHERE c.pass = 0 AND c.source = n.source
    AND c.node = n.id AND item = 'cycles'), 0), n.calls
    FROM prof_node n JOIN prof_func f ON f.pass = 0 AND f.source = n.source AND f.id = n.func
    WHERE n.pass = 0 AND n.source = ? ORDER BY n.id"""
ERRORS = """SELECT f.name, e.self, e.total FROM prof_error e JOIN prof_func f ON f.pass = e.pass AND f.source = e.source
    AND f.id = e.func WHERE e.pass = 0 AND e.source = 1"""
DEEP = """
APART int leaf(int x) { for (int i = 0; i < 10; i++) sink += x; return x; }
APART int down(int n) { int r = n ? down(n - 1) : leaf(n); KEEP; return r + leaf(1); }
APART int after(void) { int r = leaf(3); KEEP; return r; }
int main(void) { down(60000); after(); return 0; }
"""


LAYERS, WIDTH = 6, 8  # 8^6 call paths, each of them once, between two important ones


def many_paths_source():
    text = "APART int spin(int x) { for (int i = 0; i < 300000; i++) sink += x; return x; }\n" \
        "APART int early(void) { int r = spin(1); KEEP; return r; }\nAPART int late(void) { int r = spin(2); KEEP; return r; }\n"
    for layer in reversed(range(LAYERS)):
        call = f"next{layer + 1}[x % {WIDTH}](x / {WIDTH})" if layer + 1 < LAYERS else "(int)x"
        for i in range(WIDTH):
            text += f"APART int f{layer}{i}(unsigned x) {{ sink += {i}; int r = {call}; KEEP; return r; }}\n"
        text += f"static int (*const volatile next{layer}[])(unsigned) = {{{', '.join(f'f{layer}{i}' for i in range(WIDTH))}}};\n"
    return text + f"int main(void) {{ early(); for (unsigned x = 0; x < {WIDTH ** LAYERS}; x++) next0[x % {WIDTH}](x / {WIDTH}); late(); return 0; }}\n"


def compiled(name, source, *flags):
    with open(f"{name}.c", "w", encoding="utf-8") as f:
        f.write(HEAD + source)
    return cc(f"{name}.c", f"{name}.elf", "-O2", "-pthread", *flags)


def run(store, *command):
    must(MPJOULE, "run", "--quiet", "-o", store, *command)
    return sqlite3.connect(store)


def figures(store, source, measured):
    """Own cycles, cycles with callees, and calls of the measured functions. What others use belongs to the function that
    called them; a recursion counts once."""
    rows = store.execute(NODES, [source]).fetchall()
    name, up, below, own, calls = {}, {}, {}, {}, {}
    for node, parent, function, cycles, count in rows:
        name[node] = function if function in measured else name.get(parent)
        up[node], below[node] = parent, cycles
        own[name[node]] = own.get(name[node], 0) + cycles
        if function in measured:
            calls[function] = calls.get(function, 0) + count
    total = {}
    for node in sorted(up, reverse=True):
        if up[node] is not None:
            below[up[node]] += below[node]
    for node, _, function, _, _ in rows:
        above = up[node]
        while above is not None and name[above] != function:
            above = up[above]
        if function in measured and above is None:
            total[function] = total.get(function, 0) + below[node]
    return own, total, calls


def adds_up(name, store, groups):
    threads = store.execute("SELECT sum(cycles) FROM thread WHERE pass = 0").fetchone()[0]
    rows = store.execute(NODES, [1]).fetchall()
    sum_of = sum(row[3] for row in rows)
    check(abs(sum_of - threads) <= len(rows), f"{name}, {groups} groups: functions have {sum_of} cycles, threads {threads}")


def compared(name, source):
    """Number of figures, and those beyond two standard errors."""
    elf = compiled(name, source, "--functions")
    truth = run("truth.mpj", "--functions", elf)
    figures_all, beyond = 0, []
    for groups in (1, 4):
        store = run("entries.mpj", "--entries", "--groups", str(groups), elf)
        adds_up(name, store, groups)
        error = {function: (own, total) for function, own, total in store.execute(ERRORS)}
        found, true = figures(store, 1, error), figures(truth, 0, error)
        for function in error:
            for what in (0, 1):
                value, right = found[what].get(function, 0), true[what].get(function, 0)
                figures_all += 1
                if abs(value - right) > 2 * error[function][what]:
                    beyond.append(f"{name}, {groups} groups: {function} {('itself', 'in all')[what]} {value} cycles, "
                                  f"right {right} +- {error[function][what]:.0f}")
            if groups == 1 and name != "deep":
                check(abs(found[2].get(function, 0) - true[2][function]) <= max(2, 0.05 * true[2][function]),
                      f"{name}: {found[2].get(function, 0)} calls of {function}, right {true[2][function]}")
    return figures_all, beyond


def thin():
    """Few periods of a program with phases: the report says how uncertain it is."""
    text = must(MPJOULE, "report", "--view", "functions", "phases.mpj").stdout
    check("self +-" in text and "Uncertain: " in text and "run longer" in text, f"nothing is uncertain in\n{text}")
    rows = json.loads(must(MPJOULE, "report", "--format", "json", "phases.mpj").stdout)["functions"]
    errors = {row["name"]: row["standard_error"] for row in rows if "standard_error" in row}
    check(errors["early"]["self_cycles"] > 0 and errors["early"]["records"] > 0, f"JSON has the errors {errors}")


def callers(store, function):
    """Names of what called a measured function, and how often."""
    return dict(store.execute("SELECT p.name, sum(n.calls) FROM prof_node n JOIN prof_func f ON f.id = n.func AND f.source = 1 "
                              "JOIN prof_node u ON u.id = n.parent AND u.source = 1 JOIN prof_func p ON p.id = u.func AND "
                              "p.source = 1 WHERE n.source = 1 AND f.name = ? GROUP BY 1", [function]))


def register_tails():
    """What a jump through a register leads to was called by the function that jumped, not by one that jumped there. How
    often is an estimate, of four groups."""
    store = sqlite3.connect("entries.mpj")
    for function in ("low", "high"):
        found = callers(store, function)
        check(set(found) == {"by_register"} and abs(found["by_register"] / 12000 - 1) <= 0.15, f"{function} is called by {found}")


def deep_recursion():
    """Calls deeper than any stack of the emulator's profile once was; and what an inexact tree says."""
    store = run("deep_truth.mpj", "--functions", compiled("deep_truth", DEEP))
    calls = dict(store.execute("SELECT f.name, sum(n.calls) FROM prof_node n JOIN prof_func f ON f.id = n.func AND "
                               "f.source = 0 WHERE n.source = 0 GROUP BY 1"))
    check((calls["main"], calls["down"], calls["after"], calls["leaf"]) == (1, 60001, 1, 60003),
          f"calls of a deep recursion: {calls}")
    check(store.execute("SELECT lost, merged FROM prof_tree").fetchall() == [(0, 0)], "the tree is not exact")
    under = store.execute("SELECT DISTINCT p.name FROM prof_node n JOIN prof_func f ON f.id = n.func AND f.source = 0 "
                          "JOIN prof_node u ON u.id = n.parent AND u.source = 0 JOIN prof_func p ON p.id = u.func AND "
                          "p.source = 0 WHERE n.source = 0 AND f.name = 'after'").fetchall()
    check(under == [("main",)], f"after() is called by {under}")
    store.execute("UPDATE prof_tree SET lost = 3, merged = 1")
    store.commit()
    store.close()
    for view in ("functions", "calls"):
        text = must(MPJOULE, "report", "--view", view, "deep_truth.mpj").stdout
        check("call tree inexact" in text and "callers not distinguished" in text, f"{view} does not say it:\n{text}")
    head = json.loads(must(MPJOULE, "report", "--format", "json", "deep_truth.mpj").stdout)["profile"]
    check(head.get("stack_losses") == 3 and head.get("paths_merged") is True, f"JSON does not say it: {head}")
    must(MPJOULE, "report", "--format", "callgrind", "-o", "deep.callgrind", "deep_truth.mpj")
    with open("deep.callgrind", encoding="utf-8") as f:
        check("call tree inexact" in f.read(), "the export does not say it")


def many_paths():
    """More call paths than the emulator's profile keeps: those that cost most have callers, whenever they came."""
    store = run("many.mpj", "--functions", compiled("many", many_paths_source()))
    check(store.execute("SELECT lost, merged FROM prof_tree").fetchall() == [(0, 1)], "no paths are folded")
    paths = {(caller, function): (calls, cycles) for caller, function, calls, cycles in store.execute(
        "SELECT up.name, f.name, n.calls, c.value FROM prof_node n JOIN prof_func f USING (pass, source) JOIN prof_node u USING (pass, source) "
        "JOIN prof_func up USING (pass, source) JOIN prof_cost c USING (pass, source) WHERE n.pass = 0 AND n.source = 0 AND f.id = n.func AND "
        "u.id = n.parent AND up.id = u.func AND c.node = n.id AND c.item = 'cycles' AND f.name IN ('early', 'late', 'spin')")}
    check(set(paths) == {("main", "early"), ("main", "late"), ("early", "spin"), ("late", "spin")}, f"paths that cost most: {paths}")
    check(all(calls == 1 for calls, _ in paths.values()), f"their calls: {paths}")
    calls = dict(store.execute("SELECT f.name, sum(n.calls) FROM prof_node n JOIN prof_func f USING (pass, source) WHERE n.pass = 0 "
                               "AND n.source = 0 AND f.id = n.func AND f.name GLOB 'f[0-9][0-9]' GROUP BY 1"))
    check(len(calls) == LAYERS * WIDTH and set(calls.values()) == {WIDTH ** (LAYERS - 1)}, f"calls of folded functions: {calls}")
    text = must(MPJOULE, "report", "--view", "functions", "many.mpj").stdout
    check("% of the cycles, below (others)" in text, f"the view does not say it:\n{text[:600]}")
    head = json.loads(must(MPJOULE, "report", "--format", "json", "many.mpj").stdout)["profile"]
    check(0 < head["paths_merged_share"] < 1, f"JSON does not say it: {head}")


def main(names):
    every, beyond = 0, []
    for name in names or PROGRAMS:
        count, some = compared(name, PROGRAMS[name])
        every += count
        beyond += some
        if name == "phases":
            os.rename("entries.mpj", "phases.mpj")
            thin()
        if name == "register_tails":
            register_tails()
    check(len(beyond) <= 0.05 * every, f"{len(beyond)} of {every} figures are beyond two standard errors:\n" + "\n".join(beyond))
    if not names:
        deep_recursion()
        many_paths()
    return finish(f"sums: {every} figures, {len(beyond)} beyond two standard errors")


sys.exit(main(sys.argv[1:]))
