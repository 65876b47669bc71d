#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that make many runs, or several files: whatever ends one, each of its results is the older or the newer one,
whole, and the same command then gives what it would have given.

usage: killed.py [TIMES [SEED]]

Starts `sweep`, `tune`, `gate` with a baseline and a history, `explore`, `build`, `run --assumptions`, `model fit`, `model verify`,
`predictor train` and `selftest` in turn, TIMES times in all (default 20), where an older result is, and sends each a signal at a
moment from the seed. (run, record, report: kept_result.py; run --seeds: seeds.py; campaigns: campaign.sh; boards: the tests of hil.)
Works in the current directory.
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
from harness import APPS, MPJOULE, check, finish, must  # noqa: E402
from kept_result import ENDS, SIGNALS, make_both  # noqa: E402

MATMUL = f"{APPS}/matmul.elf"
SOURCE = """#include <stdio.h>
int main(void)
{
    volatile int n = 0;
    for (int i = 0; i < LOOPS; i++)
        n += i;
    puts("done");
    return 0;
}
"""
GATE = """layouts: 3
programs:
  work: {sources: [work.c], compiler: -O2 -DLOOPS=20000}
  more: {sources: [work.c], compiler: -O1 -DLOOPS=30000}
"""
MAKEFILE = """all: work more
%: work.c
\t$(CC) -O1 -DLOOPS=$(LOOPS) -o $@ work.c
check: all
\t./work
\t./more
"""
# Regions enough to train a predictor with.
REGIONS = """#define LOOP(n) static void loop##n(void) { _Pragma("omp parallel for") \\
    for (int i = 0; i < 32 * n; i++) \\
        for (int j = 0; j < n; j++) \\
            a[i] += a[(i * 7 + j) % 1024] + j; }
static double a[1024];
""" + "".join(f"LOOP({n})\n" for n in range(1, 13)) + \
    "int main(void)\n{\n" + "".join(f"    loop{n}();\n" for n in range(1, 13)) + "}\n"
LIST = "".join(f"p{n}|f{n}|regions.c -fopenmp -O{n}|\n" for n in (0, 1, 2))
# The words of a command, those of the older and of the newer result. Results begin with r, or are in the folder r.
KINDS = {
    "sweep": (["sweep", "--quiet", "--cores", "1..3", "--env", "X=a,b", "-o", "made", "--json", "r.json", MATMUL, "--"],
              ["24", "float"], ["40", "float"]),
    "tune": (["tune", "--quiet", "--cores", "1..3", "--env", "X=a,b", "-o", "made", "--json", "r.json", "--csv", "r.csv", "--svg",
              "r.svg", "--landscape", "r.zst", "-O", "time", MATMUL, "--"], ["24", "float"], ["40", "float"]),
    "gate": (["gate", "--update", "--baseline", "r.base", "--cache", "made", "--history", "r", "-o", "json=r.json", "-o", "junit=r.xml",
              "-f", "markdown"], ["--layouts", "1"], ["--layouts", "2"]),
    "explore": (["explore", "--quiet", "--cores", "1..2", "--chip", "l2_kb=256,1024", "--vary", "0", "-o", "made", "--json", "r.json",
                 MATMUL, "--"], ["24", "float"], ["40", "float"]),
    "build": (["build", "--quiet", "-B", "made", "--json", "r.json", "project"], ["--", "LOOPS=20000"], ["--", "LOOPS=30000"]),
    "assumptions": (["run", "--assumptions", "--quiet", "-o", "r.mpj", "--json", "r.json", "--svg", "r.svg", MATMUL, "--"],
                    ["24", "float"], ["40", "float"]),
    "fit": (["model", "fit", "-o", "r.json", "../campaign.mpc"], ["--method", "backward", "--events", "run_cycles,instr,dl1_access"],
            ["--events", "run_cycles,instr,dl1_access"]),
    "verify": (["model", "verify", "--csv", "r.csv", "--svg", "r.svg"], ["../one.json", "../campaign.mpc"], ["../two.json", "../campaign.mpc"]),
    "predictor": (["predictor", "train", "-o", "r.predictor", "--csv", "r.csv", "list"], ["--sample-ms", "0.5"], ["--sample-ms", "0.3"]),
    "selftest": (["selftest", "sim", "-q", "-o", "r.mplog", "--json", "r.json"], ["--line-bytes", "8000"], ["--line-bytes", "16000"]),
}
KEPT = re.compile(rb'"kept": [0-9]+')  # a gate's JSON has the number of runs that were not repeated


def content(kind):
    """The results; not what is kept of an attempt, nor what a process that was killed leaves of one that is not whole."""
    found = {}
    for folder, _, names in os.walk(kind):
        inside = os.path.relpath(folder, kind)
        for name in names:
            path = os.path.normpath(os.path.join(inside, name))
            if path.startswith(("r.", "r-", "r/")) and ".failed." not in path and not path.endswith((".lock", ".new")) and \
                    not (len(name) > 9 and name[-9] == "." and all(c in "0123456789abcdef" for c in name[-8:])):
                with open(f"{kind}/{path}", "rb") as handle:
                    found[path] = KEPT.sub(b"", handle.read())
    return found


def put(kind, files):
    """A folder with these results, and nothing that was made for others."""
    shutil.rmtree(kind, ignore_errors=True)
    os.makedirs(f"{kind}/project")
    for name, text in (("work.c", SOURCE), ("gate.yaml", GATE), ("project/work.c", SOURCE), ("project/Makefile", MAKEFILE),
                       ("regions.c", REGIONS), ("list", LIST)):
        with open(f"{kind}/{name}", "w", encoding="utf-8") as handle:
            handle.write(text)
    if kind == "gate":
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", kind]
        for words in (["init", "-q", "."], ["add", "work.c", "gate.yaml"], ["commit", "-q", "-m", "one", "--date=2026-01-01T00:00:00Z"]):
            must(*git, *words, env=os.environ | {"GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z", "GIT_CONFIG_GLOBAL": "/dev/null"})
    for name, data in files.items():
        os.makedirs(os.path.dirname(f"{kind}/{name}"), exist_ok=True)
        with open(f"{kind}/{name}", "wb") as handle:
            handle.write(data)


def make(kind):
    """Older and newer results, and how long the newer ones take."""
    *results, seconds = make_both(kind, KINDS[kind], put, content)
    check(results[0] != results[1] and results[0], f"{kind}: the results do not differ: {list(results[0])}")
    return (*results, seconds)


def once(kind, made, number, wait):
    older, newer, _ = made
    words, _, more = KINDS[kind]
    put(kind, older)
    with subprocess.Popen([MPJOULE, *words, *more], cwd=kind, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as command:
        time.sleep(wait)
        command.send_signal(number)
        said = command.communicate(timeout=600)[1]
        status = command.returncode
    what = f"{kind}, {signal.Signals(number).name} after {wait:.3f} s: status {status}"
    check(status in ENDS, f"{what}: {said}")
    now = content(kind)
    bad = [name for name in older.keys() | newer.keys() if now.get(name) not in (older.get(name), newer.get(name))]
    check(not bad and (status != 0 or now == {**older, **newer}), f"{what}: neither the older nor the newer result: {bad}")
    if number == signal.SIGKILL:  # its children end with it; the next command waits for none of them
        time.sleep(0.5)
    must(MPJOULE, *words, *more, cwd=kind)
    again = content(kind)
    check(again == {**older, **newer}, f"{what}: repeated, it gives another result: "
          f"{[name for name in again if again[name] != newer.get(name, older.get(name))]}")
    return status


def main():
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    must(MPJOULE, "model", "campaign", "--quiet", "--count", "14", "--model", "mprofiler", "-o", "campaign.mpc")
    for name, method in (("one", "backward"), ("two", "best-subset")):
        must(MPJOULE, "model", "fit", "--method", method, "--events", "run_cycles,instr,dl1_access", "-o", f"{name}.json", "campaign.mpc")
    made = {kind: make(kind) for kind in KINDS}
    ended = 0
    for i in range(times):
        kind = list(KINDS)[i % len(KINDS)]
        ended += once(kind, made[kind], chance.choice(SIGNALS), chance.uniform(0.02, 1.0) * made[kind][2]) == 0
    check(ended < times, "every command came to its end")
    return finish(f"{times} signals, {ended} of them to a command that came to its end")


if __name__ == "__main__":
    sys.exit(main())
