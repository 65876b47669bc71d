#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mpjoule diff of a run that was made (tests/unit/profile_maker.c) and one in which known things were changed.

usage: diff.py FOLDER

FOLDER is emptied.
"""
import collections
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/../harness")
from harness import ROOT, call, check, finish, mpjoule, must, write  # noqa: E402

# By profile_maker.h: 100,000 fJ a cycle (60 % clock, 30 % leakage, 10 % instr), 2,400,000 fJ a miss. Of the calls of
# `work`, node 5 (thread main, no region) takes 600,000 cycles and 2,000 misses more, node 12 (thread run, in the
# region) has 500 misses fewer.
MORE_CYCLES, MORE_MISSES, FEWER_MISSES = 600000, 2000, 500
MAIN_UJ = (MORE_CYCLES * 100000 + MORE_MISSES * 2400000) / 1e9
REGION_UJ = -FEWER_MISSES * 2400000 / 1e9
TIMER_UJ = (50000 * 100000 + 2400000) / 1e9


def change(path):
    db = sqlite3.connect(path)

    def add(node, item, more):
        done = db.execute("UPDATE prof_cost SET value = value + ? WHERE node = ? AND item = ?", (more, node, item))
        check(done.rowcount == 1, f"no {item} of node {node}")

    add(5, "cycles", MORE_CYCLES)
    add(5, "dcache_rd_miss", MORE_MISSES)
    for item, share in (("fj:clock", 60000), ("fj:leakage", 30000), ("fj:instr", 10000)):
        add(5, item, MORE_CYCLES * share)
    add(5, "fj:memory", MORE_MISSES * 2400000)
    add(5, "energy_fj", round(MAIN_UJ * 1e9))
    for item, more in (("dcache_rd_miss", -FEWER_MISSES), ("fj:memory", round(REGION_UJ * 1e9)),
                       ("energy_fj", round(REGION_UJ * 1e9))):
        add(12, item, more)
    db.execute("UPDATE prof_func SET file = 'moved/app.c', line = 35 WHERE name = 'work'")
    db.execute("UPDATE prof_func SET name = 'on_tick' WHERE name = 'on_timer'")
    db.execute("UPDATE meta SET value = '50' WHERE key = 'quantum'")
    db.execute("UPDATE meta SET value = 'ff' || substr(value, 3) WHERE key = 'firmware_sha256'")
    db.execute("UPDATE truth SET json = json_set(json, '$.window.energy_fj', "
               "json_extract(json, '$.window.energy_fj') + ?)", (round((MAIN_UJ + REGION_UJ) * 1e9),))
    db.commit()
    db.close()


def diff(*words):
    done = mpjoule("diff", *words)
    check(done.returncode == 0 and not done.stderr, f"diff {words}: {done.returncode}: {done.stderr}")
    return done.stdout


def delta(two):
    return round(two[1] - two[0], 6)


def as_json():
    text = diff("--format", "json", "a.mpj", "b.mpj")
    write("diff.json", text)
    must(f"{HERE}/../harness/schema_check.py", f"{ROOT}/docs/mpjoule-diff.schema.json", "diff.json")
    got = json.loads(text)
    check({row["name"] for row in got["labels"] if row["differs"]} == {"sha256", "quantum"}, "json: labels")
    check(delta(got["energy_uj"]) == round(MAIN_UJ + REGION_UJ, 6), f"json: energy {got['energy_uj']}")
    functions = [(row["name"], row["in"], delta(row["energy_uj"]), row.get("cause")) for row in got["functions"]][:4]
    check(functions == [("work", "both", round(MAIN_UJ + REGION_UJ, 6), "instr"),
                        ("on_tick", "b", TIMER_UJ, "instr"), ("on_timer", "a", -TIMER_UJ, "instr"),
                        ("(chip)", "both", 0, None)], f"json: functions {functions}")
    check(got["why"]["energy"]["culprit"] == "work" and got["why"]["energy"]["line"] == 35, f"json: why {got['why']}")
    work = got["functions"][0]
    check((work["file"], work["line"], delta(work["cycles"]), work["calls"]) ==
          ("moved/app.c", 35, MORE_CYCLES, [13, 13]), f"json: {work}")
    check(work["events"] == {"dcache_rd_miss": [5700, 5700 + MORE_MISSES - FEWER_MISSES]}, f"json: {work['events']}")
    threads = [(row["name"], delta(row["energy_uj"]), row.get("cause")) for row in got["threads"]][:2]
    check(threads == [("main", round(MAIN_UJ, 6), "instr"), ("run", round(REGION_UJ, 6), "memory")],
          f"json: threads {threads}")
    regions = [(row["name"], delta(row["energy_uj"])) for row in got["regions"]]
    check(len(regions) == 3 and regions[0] == ("serial", round(MAIN_UJ, 6)) and regions[1][1] == round(REGION_UJ, 6),
          f"json: regions {regions}")
    for table in ("functions", "threads", "regions"):
        check(abs(sum(delta(row["energy_uj"]) for row in got[table]) - (MAIN_UJ + REGION_UJ)) < 1e-6,
              f"json: rows of {table} do not add up")


def as_text():
    text = diff("a.mpj", "b.mpj")
    lines = text.splitlines()
    check("Program       sha256 001122334455 -> ff1122334455" in lines, "text: the program's difference")
    check("Tools         quantum 500 -> 50" in lines, "text: the tools' difference")
    check(any(line.startswith("Energy ") and "+0.0636 mJ" in line for line in lines), "text: energy")
    row = next((line.split() for line in lines if line.endswith(":35")), [])
    # 63.6 of 463.68 uJ (4,500,000 cycles, 5,700 misses); 600,000 cycles at 210 MHz are 2.8571 ms
    check(row[:3] == ["+63.6000", "+13.716", "%"] and row[5:] == ["+2.8571", "instr", "work", "moved/app.c:35"],
          f"text: {row}")
    check(sum("[only in" in line for line in lines) == 2, "text: what has no counterpart")
    check(any(re.match(r"Why energy    work \(moved/app.c:35\) takes .*; cause: instructions$", line) for line in lines), f"text: why: {text}")
    check(len(lines) < 45, f"text: {len(lines)} lines")
    first = next(i for i, line in enumerate(lines) if line.startswith("Functions"))
    check(lines[first] == "Functions, by energy: 12, of which 3 changed", f"text: {lines[first]}")
    check("2 more changed" in diff("--top", "1", "a.mpj", "b.mpj"), "text: --top")
    by_time = diff("--sort", "time", "a.mpj", "b.mpj").splitlines()
    check(any(line.endswith(":35") and line.split()[0] == "+2.8571" for line in by_time), "text: --sort time")
    same = diff("a.mpj", "a.mpj")
    check("of which 3" not in same and "Program       the same\nTools         the same\n" in same, "text: no change")


def as_csv():
    rows = list(csv.DictReader(io.StringIO(diff("--format", "csv", "a.mpj", "b.mpj"))))
    got = {(row["table"], row["name"], row["item"]): row["change"] for row in rows}
    check(float(got["functions", "work", "energy"]) == round(MAIN_UJ + REGION_UJ, 6), "csv: energy of work")
    check(got["functions", "work", "dcache_rd_miss"] == str(MORE_MISSES - FEWER_MISSES), "csv: misses of work")
    check(got["all", "", "cycles"] == str(MORE_CYCLES), "csv: all cycles")
    check(float(got["threads", "run", "memory"]) == REGION_UJ, "csv: cause of a thread")


def as_folded():
    lines = [line.rsplit(" ", 2) for line in diff("--format", "folded", "a.mpj", "b.mpj").splitlines()]
    sums = [sum(int(line[side]) for line in lines) for side in (1, 2)]
    check(sums[1] - sums[0] == round((MAIN_UJ + REGION_UJ) * 1000), f"folded: {sums}")
    paths = collections.Counter(path for path, _, _ in lines)
    check(max(paths.values()) == 1, "folded: a path comes twice")
    work = next(line for line in lines if line[0].endswith(";1 main;main;work"))
    check(int(work[2]) - int(work[1]) == round(MAIN_UJ * 1000), f"folded: {work}")
    tick = next(line for line in lines if line[0].endswith(";on_tick"))
    check(tick[1] == "0", f"folded: {tick}")
    if shutil.which("flamegraph.pl"):
        page = call("flamegraph.pl", input=diff("--format", "folded", "a.mpj", "b.mpj")).stdout
        check("work" in page and "<svg" in page, "flamegraph.pl draws nothing")


def tools():
    """Each label of the tools that changes is said, and nothing is said of the program."""
    for key, name in (("compiler", "compiler"), ("runtime_sha256", "runtime"), ("emulator_sha256", "emulator"),
                      ("calibration_sha256", "content of the calibration")):
        for store, value in (("old.mpj", "0" * 64), ("new.mpj", "1" * 64)):
            shutil.copy("a.mpj", store)
            db = sqlite3.connect(store)
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
            db.commit()
            db.close()
        lines = diff("old.mpj", "new.mpj").splitlines()
        check(f"Tools         {name} {'0' * 12} -> {'1' * 12}" in lines and "Program       the same" in lines,
              f"tools: {key}: {lines[:5]}")
        check(f"Tools         {name} (not recorded) -> {'1' * 12}" in diff("a.mpj", "new.mpj").splitlines(),
              f"tools: {key} of one run only")


def wrong():
    write("no.mpj", "no store")
    for words, text in (((), "expected two runs"), (("a.mpj",), "expected two runs"), (("a.mpj", "gone.mpj"), "gone.mpj"),
                        (("a.mpj", "no.mpj"), "no.mpj"), (("a.mpj", "a.mpj.mplog"), "raw log"),
                        (("--format", "pdf", "a.mpj", "b.mpj"), "text, json, csv, html, folded"),
                        (("--sort", "joy", "a.mpj", "b.mpj"), "joy"), (("--top", "-1", "a.mpj", "b.mpj"), "--top")):
        done = mpjoule("diff", *words)
        check(done.returncode == 125 and text in done.stderr and done.stderr.count("\n") == 1 and not done.stdout,
              f"diff {words}: {done.returncode}: {done.stderr}")
    # without a profile in one of them: threads by counters
    shutil.copy("a.mpj", "plain.mpj")
    db = sqlite3.connect("plain.mpj")
    for table in ("prof_cost", "prof_chip", "prof_node", "prof_func"):
        db.execute(f"DELETE FROM {table}")
    db.commit()
    db.close()
    text = diff("plain.mpj", "b.mpj")
    check("Profile       not of both" in text and "Functions" not in text and "Threads, by energy: 2" in text,
          f"plain: {text}")
    check(mpjoule("diff", "--format", "folded", "plain.mpj", "b.mpj").returncode == 125, "plain: folded")


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    must(os.environ["MAKE_PROFILE"], "a.mpj")
    shutil.copy("a.mpj", "b.mpj")
    change("b.mpj")
    as_json()
    as_text()
    as_csv()
    as_folded()
    tools()
    wrong()
    return finish()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
