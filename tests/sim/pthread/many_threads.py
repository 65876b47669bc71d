#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of more threads than the profile has records: nothing is lost, sums are exact.

usage: many_threads.py

tests/programs/many_threads.c. Works in the current directory.
"""
import os
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../harness")
from harness import ROOT, cc, check, finish, load, mpjoule  # noqa: E402

N = 6000


def run(name, *options):
    done = mpjoule("run", "-o", f"{name}.mpj", "--json", f"{name}.json", *options, "many_threads.elf", "--", str(N))
    check(done.returncode == 0 and "no memory" not in done.stderr, f"{name}: status {done.returncode}: {done.stderr}")
    return load(f"{name}.json"), done.stdout


def of(threads, function):
    return [t for t in threads if t.get("function") == function]


cc(f"{ROOT}/tests/programs/many_threads.c", "many_threads.elf", "-O2", "-pthread")
report, _ = run("all")
text = mpjoule("report", "all.mpj").stdout
threads_ = report["threads"]
check("dropped_records" not in report, f"dropped: {report.get('dropped_records')}")
check("Incomplete" not in text and f"Threads      {N + 2} (" in text, text[:600])
check(len(threads_) <= 2048, f"{len(threads_)} records")
for function, number in (("brief", N * 9 // 10), ("longer", N // 10), ("always", 1)):
    mine = of(threads_, function)
    stands = sum(1 + t["folded"] for t in mine)
    check(stands == number, f"{function}: {stands} threads instead of {number}")
    check(all(t["switches"] >= 1 + t["folded"] for t in mine), f"{function}: a thread never ran")
# what runs longer keeps records of its own
brief, longer = of(threads_, "brief"), of(threads_, "longer")
check(len(longer) > 0.9 * N / 10 and len(brief) < 0.5 * N, f"{len(longer)} and {len(brief)} records")
# a thread of each function does the same: 25 times the loop
mean = [sum(t["events"]["instr"] for t in mine) / sum(1 + t["folded"] for t in mine) for mine in (brief, longer)]
check(3.5 < mean[1] / mean[0] < 6, f"{mean} instructions of a thread")
for t in threads_:
    parts = t["run_s"] + t["block_s"] + t["host_s"] + t["other_s"]
    check(abs(parts - t["life_s"]) < 1e-5 + t["life_s"] * 1e-3, f"thread {t['id']}: {parts} s of {t['life_s']} s")
# cores and threads count the same, but for the kernel's own
cores = sum(c["events"]["instr"] for c in report["cores"])
mine = sum(t["events"]["instr"] for t in threads_)
check(0.85 * cores < mine <= cores, f"{mine} instructions of threads, {cores} of cores")
joins = sum(w["count"] for w in report["sync"] if w["kind"] == "join")
check(joins == N + 1, f"{joins} waits for the end of a thread")

# in turn, too; and without accounting of threads nothing
report, text = run("turns", "--rotate", "--events", "instr,dcache_rd_miss,dcache_wr_miss,branch")
check(sum(1 + t["folded"] for t in report["threads"]) == N + 2, "in turn: threads are missing")
report, text = run("none", "--no-threads")
check("dropped_records" not in report, "without accounting: dropped")
sys.exit(finish("all threads are accounted for"))
