#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An older result stays, byte for byte, whatever ends the run or the recording that would replace it.

usage: kept_result.py [TIMES [SEED]]

Starts `run` (one pass, several passes), `report` and `record` in turn, TIMES times in all (default 24), and sends each a signal
at a moment from the seed. Afterwards the older files are as they were, or the command came to its end and all of them
are the new result. Works in the current directory.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, check, finish, mpjoule, must  # noqa: E402

MATMUL = f"{APPS}/matmul.elf"
# What is older, and what is to replace it; the files that are of it begin with r.
KINDS = {
    "run": (["run", "--quiet", "-o", "r.mpj", "--json", "r.json", "--stdout", "r.out", MATMUL, "--", "32", "float"], ["2"], ["20"]),
    "passes": (["run", "--quiet", "--events", "instr,dcache_rd,dcache_wr,branch,dcache_evict", "-o", "r.mpj", "--json",
                "r.json", MATMUL, "--", "32", "float"], ["2"], ["12"]),
    "page": (["report", "--format", "html", "-o", "r.html"], ["../small.mpj"], ["../large.mpj"]),
    "record": (["record", "sim", "--quiet", "--period", "1ms", "-o", "r.mplog", "--json", "r.json"], ["--for", "1s"],
               ["--for", "30s"]),
}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
# Before it catches them, they end it as they end any program.
ENDS = {0, 130} | {-s for s in SIGNALS}


def content(folder):
    """The files of a result; not what is kept of an attempt, nor what a killed process leaves of one."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith("r.") and ".failed" not in name and not re.search(r"\.new$|\.[0-9a-f]{8}$", name):
            with open(f"{folder}/{name}", "rb") as handle:
                found[name] = handle.read()
    return found


def put(folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, data in files.items():
        with open(f"{folder}/{name}", "wb") as handle:
            handle.write(data)


def make_both(kind, command, prepare, read):
    """Older and newer result of a command in a prepared folder, and how long the newer one takes."""
    words, older, newer = command
    results = []
    for more in (older, newer):
        prepare(kind, {})
        begun = time.time()
        must(MPJOULE, *words, *more, cwd=kind)
        results.append(read(kind))
    return (*results, time.time() - begun)


def make(kind):
    *results, seconds = make_both(kind, KINDS[kind], put, content)
    check(set(results[0]) == set(results[1]) and all(results[0][n] != results[1][n] for n in results[0]),
          f"{kind}: the two results do not differ in every file")
    return (*results, seconds)


def follows(now, older, newer):
    """Whether a process that was killed had replaced the first of its files in their order, and no others."""
    order = sorted(now, key=lambda name: (not name.endswith(".mpj"), name.endswith(".out"), name.endswith(".json"),
                                          name.count(".") > 1, name))
    replaced = [now[name] == newer.get(name) for name in order]
    return replaced == sorted(replaced, reverse=True) and all(now[n] in (older[n], newer[n]) for n in now)


def once(kind, made, number, wait):
    older, newer, _ = made
    words, _, more = KINDS[kind]
    put(kind, older)
    with open(f"{kind}/err", "w", encoding="utf-8") as err, subprocess.Popen(
            [MPJOULE, *words, *more], cwd=kind, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err) as command:
        time.sleep(wait)
        command.send_signal(number)
        status = command.wait(timeout=600)
    now = content(kind)
    with open(f"{kind}/err", encoding="utf-8") as handle:
        said = handle.read()
    what = f"{kind}, {signal.Signals(number).name} after {wait:.3f} s: status {status}"
    check(status in ENDS, f"{what}: {said}")
    if status == 0 and kind == "record" and now != newer:  # ended in order: a whole one, of its length
        check(now["r.mplog"] != older["r.mplog"] and
              "whole, closed normally" in mpjoule("report", "--view", "energy", "r.mplog", cwd=kind).stdout, what)
    elif status == 0:
        check(now == newer, f"{what}: not the new result")
    elif status < 0 and set(now) == set(older):  # ended at once, perhaps after it had put its files in place
        check(follows(now, older, newer), f"{what}: neither the older nor the newer result")
    else:
        check(now == older, f"{what}: not the older result: {[n for n in now if now[n] != older.get(n)]}")
    left = [name for name in os.listdir(kind) if ".new" in name]
    check(number == signal.SIGKILL or not left, f"{what}: left {left}")
    for name in (name for name in os.listdir(kind) if name.endswith(".failed")):  # of --stdout
        check(status == 130 and f"what the program printed is in {name}" in said, f"{what}: {name}: {said}")
    if ".failed." in said:
        report = mpjoule("report", *(["--view", "energy"] if kind == "record" else []),
                         said.split("what was measured is in ")[1].split("\n")[0], cwd=kind)
        check(kind == "record" or "Failed" in report.stdout, f"{what}: {report.stdout[:200]}{report.stderr}")
    return status, ".failed." in said


def main():
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    for name, size in (("small", "2"), ("large", "40")):
        must(MPJOULE, "run", "--quiet", "--functions", "-o", f"{name}.mpj", MATMUL, "--", size, "float")
    made = {kind: make(kind) for kind in KINDS}
    ended = kept = 0
    for i in range(times):
        kind = list(KINDS)[i % len(KINDS)]
        status, has = once(kind, made[kind], chance.choice(SIGNALS), chance.uniform(0.05, 1.05) * made[kind][2])
        ended += status == 0
        kept += has
    check(ended < times, "every run came to its end")
    return finish(f"{times} signals: {ended} came to their end, {kept} kept what was measured")


if __name__ == "__main__":
    sys.exit(main())
