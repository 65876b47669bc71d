#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Costs that `mpjoule run --what-if` changes against programs that were changed to the same: the gain in time is the same
within 10 %. And what is no such cost.
usage: what_if.py"""
import functools
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import ROOT, cc, check, finish, load, mpjoule, must  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
SOURCE = f"{ROOT}/tests/programs/what_if.c"
# What changes, the program's case, and its source's other size (-D): half the work, no lock, a set that fits.
CASES = [
    ("function:mix=0.5", "ALU", ["MIX=500"]),
    ("function:mix=0.1", "ALU", ["MIX=100"]),
    ("function:mix=3", "ALU", ["MIX=3000"]),
    ("function:scale=0.5", "VFP", ["SCALE=200"]),
    ("function:mix=0.5", "PARALLEL", ["MIX=500"]),
    ("function:mix=0.5", "LOCKED", ["MIX=500"]),
    ("lock:gate=free", "LOCKED", ["gate_lock(m)=(void)(m)", "gate_unlock(m)=(void)(m)"]),
    ("lock:critical=free", "CRITICAL", ["NO_CRITICAL"]),
    ("miss:l1d=0", "STREAM", ["SPAN=4"]),
    ("miss:l2=0", "FAR", ["SPAN=64"]),
]


@functools.cache
def measure(elf, *options):
    done = mpjoule("run", "--quiet", "--no-threads", "--model", "none", "-o", work / "run.mpj", "--json", work / "run.json",
                   *options, elf, cwd=work)
    check(done.returncode == 0, f"{elf} {options}: {done.returncode}, {done.stderr}")
    return load(work / "run.json")


@functools.cache
def build(case, sizes=()):
    name = "-".join([case, *sizes]).replace("=", "").replace("(", "").replace(")", "")
    return cc(SOURCE, work / f"{name}.elf", "-O2", "-pthread", "-fopenmp", f"-DCASE_{case}", *(f"-D{s}" for s in sizes))


def table():
    print("| cost | program | time, ms | what if | source changed | gain, % of it |\n|---|---|---|---|---|---|")
    for what, case, sizes in CASES:
        before = measure(build(case))
        tried = measure(build(case), "--what-if", what)
        changed = measure(build(case, tuple(sizes)))
        t, w, s = (r["truth"]["cycles"] / 210e3 for r in (before, tried, changed))
        print(f"| {what} | {case.lower()} | {t:.3f} | {w:.3f} | {s:.3f} | {100 * (t - w) / (t - s):.1f} |")
        check(abs(t - s) > 0.02 * t and abs((t - w) - (t - s)) <= 0.1 * abs(t - s),
              f"{what}, {case}: gain {t - w:.4f} ms, by a change of the source {t - s:.4f} ms of {t:.4f} ms")
        check(tried["exit_status"] == 0 and tried["calibration"] == f"mprofiler; what if {what}", f"label {tried['calibration']}")


table()

# ---- nothing but the cost changes ---------------------------------------------------------------

elf = build("ALU")
plain = measure(elf)
check(measure(elf, "--what-if", "function:mix=1")["truth"] == plain["truth"], "a factor of 1 changes something")
twice = [measure.__wrapped__(elf, "--what-if", "function:mix=0.3", "--what-if", "miss:l1i=0.5") for _ in range(2)]
check(twice[0] == twice[1], "two runs are not the same")
for event in ("instr", "dcache_rd", "branch"):
    check(twice[0]["truth"]["cores"][0]["events"][event] <= plain["truth"]["cores"][0]["events"][event] * 1.001 + 50,
          f"{event} counted otherwise")

# ---- how much a small disturbance changes what it saves --------------------------------------------
# Threads that wait for one lock form convoys; one thread alone hardly notices.


def spread(case, *options):
    done = mpjoule("run", "--no-threads", "--model", "none", "-o", work / "run.mpj", "--json", work / "spread.json", "--what-if",
                   "function:mix=0.5", *options, build(case), cwd=work)
    check(done.returncode == 0, f"{case}: {done.returncode}, {done.stderr}")
    return done.stdout, load(work / "spread.json")


text, alone = spread("ALU", "--spread=4")
_, convoy = spread("LOCKED", "--spread=4")
again = spread("LOCKED", "--spread=4", "-j", 1)[1]
check(convoy == again, "two spreads are not the same")
for case, found in (("ALU", alone), ("LOCKED", convoy)):
    before, after = (measure(build(case), *more)["truth"]["cycles"] for more in ((), ("--what-if", "function:mix=0.5")))
    v = found["what_if"]["time_percent"]
    check(abs(v["saved"] - 100 * (1 - after / before)) < 1e-6 and v["disturbances"] == 4, f"{case}: {v}, {before}, {after}")
    check(v["least"] <= v["mean"] <= v["most"] and 0 < v["standard_deviation"] <= v["most"] - v["least"], f"{case}: {v}")
    check(found["calibration"] == "mprofiler; what if function:mix=0.5", f"{case}: the result is another run's")
deviation = [found["what_if"]["time_percent"]["standard_deviation"] for found in (alone, convoy)]
check(deviation[0] < 0.5 and deviation[1] > 2 * deviation[0], f"standard deviations: {deviation}")
v = alone["what_if"]["time_percent"]
check(f"time    {v['saved']:.2f} %; disturbed: mean {v['mean']:.2f} %, standard deviation {v['standard_deviation']:.2f}, " in text,
      f"text: {text}")
text, _ = spread("ALU", "--spread=2", "--stdout", work / "printed.txt")
check("not known" not in text and text.count("2 small disturbances") == 1, f"--stdout: {text}")
plain, found = spread("ALU")
check("what_if" not in found and "--spread shows" in plain, f"one run: {plain}")
must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-run.schema.json", work / "spread.json")
for words in (["--spread"], ["--what-if", "miss:l2=0", "--spread=1"], ["--what-if", "miss:l2=0", "--spread", "--json", "-"],
              ["--what-if", "miss:l2=0", "--spread", "--assumptions"], ["--what-if", "miss:l2=0", "--spread", "--stdin", "-"],
              ["--what-if", "miss:l2=0", "--spread", "--stdin", "/dev/zero"]):
    bad = mpjoule("run", "-o", work / "bad.mpj", *words, elf, cwd=work)
    check(bad.returncode == 125 and "--spread" in bad.stderr and bad.stderr.count("\n") == 1 and not (work / "bad.mpj").exists(),
          f"{words}: {bad.returncode}, {bad.stderr}")

# ---- what is no cost ------------------------------------------------------------------------------

for words in (["function:nowhere=0.5"], ["function:mix=0"], ["function:mix=200"], ["function:mix=x"], ["function:mix"],
              ["lock:nowhere=free"], ["lock:gate=0"], ["miss:l3=0"], ["miss:l2=-1"], ["miss:l2=101"], ["bogus"], [""],
              ["function:mix=0.5", "--functions"], ["miss:l2=0", "--calibration", "none"],
              ["miss:l2=0", "--target", "nowhere"]):
    (work / "run.mpj").write_text("as it was")
    bad = mpjoule("run", "--what-if", *words, "-o", work / "run.mpj", elf, cwd=work)
    check(bad.returncode in (117, 125) and bad.stderr.count("\n") == 1, f"{words}: {bad.returncode}, {bad.stderr}")
    check((work / "run.mpj").read_text() == "as it was", f"{words}: an older result is gone")

shutil.rmtree(work)
sys.exit(finish())
