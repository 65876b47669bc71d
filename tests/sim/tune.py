#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mpjoule tune: every kind of axis has its effect, what is not a candidate is a row with its reason, the
front is that of the figures, nothing is measured twice, and every bad space is one line.
usage: tune.py"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import ROOT, check, finish, mpjoule, must  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())

PROGRAM = """#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static volatile int word[4096]; /* 16 KB */
    const int n = argc > 1 ? atoi(argv[1]) : 1;
    if (n == 3)
        return 5;
    for (int i = 0; i < n * 200000 * SLOW; i++)
        word[i % 4096]++;
    puts(getenv("WORD"));
    return 0;
}
"""
SPACE = """axes:
  n: [1, 2, 3, 9]
  opt: [-DSLOW=1, -DSLOW=2, -Obogus]
  word: [a, b]
sources: {p.c: "{opt}"}
compiler: -O2
arguments: ["{n}"]
environment: {WORD: "{word}"}
run: {sample-ms: 1}
constraints: n < 9
objectives: [time, energy, instr]
caps: "time < 0.05"
"""


def tune(*words, **options):
    return mpjoule("tune", *words, cwd=work, stdin=subprocess.DEVNULL, timeout=500, **options)


def times(folder):
    """When each point was measured."""
    return {p.name: p.stat().st_mtime_ns for p in work.glob(f"{folder}/points/*.json")}


(work / "p.c").write_text(PROGRAM)
(work / "space.yaml").write_text(SPACE)

# ---- the space and its rows ----------------------------------------------------------

r = tune("space.yaml", "-j", 2, "--json", "t.json", "--csv", "t.csv")
check(r.returncode == 0, f"tune: {r.returncode}, {r.stderr}")
must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-tune.schema.json", work / "t.json")
found = json.loads((work / "t.json").read_text())
points = found["points"]
check(len(points) == 24, f"{len(points)} points")
for p in points:
    at = p["at"]
    want = ("infeasible" if at["n"] == "9" else "failed" if at["opt"] == "-Obogus" or at["n"] == "3" else
            "over a cap" if p.get("time_s", 0) >= 0.05 else "measured")
    check(p["state"] == want, f"{p}: not {want}")
    check((want == "measured") == ("reason" not in p), f"a reason: {p}")
    if want == "failed":
        reason = "exit status 5" if at["opt"] != "-Obogus" else "does not compile: "
        check(p["reason"].startswith(reason), f"another reason: {p}")
by = {(p["at"]["n"], p["at"]["opt"], p["at"]["word"]): p["objectives"] for p in points if "objectives" in p}
for n, opt in (("2", "-DSLOW=1"), ("1", "-DSLOW=2")):
    ratio = by[n, opt, "a"]["instr"] / by["1", "-DSLOW=1", "a"]["instr"]
    check(1.9 < ratio < 2.1, f"n={n} {opt}: {ratio} times the instructions, not 2")

fit = [p for p in points if p["state"] == "measured"]
check(fit, "no candidate")
for p in fit:
    mine = list(p["objectives"].values())
    beaten = any(all(a <= b for a, b in zip(q["objectives"].values(), mine)) and
                 list(q["objectives"].values()) != mine for q in fit)
    check(p["front"] != beaten, f"front {p['front']}, beaten {beaten}: {p}")
for name, at in found["best"].items():
    least = min(p["objectives"][name] for p in fit)
    check(points[at]["objectives"][name] == least, f"best {name}: {points[at]}")
check(points[found["knee"]]["front"], "a knee that is not in the front")
check("knee" in r.stdout and "best time" in r.stdout, f"no marks: {r.stdout}")
with open(work / "t.csv", encoding="utf-8", newline="") as handle:
    rows = list(csv.DictReader(handle))
check([(row["n"], row["state"], row.get("reason", "")) for row in rows] ==
      [(p["at"]["n"], p["state"], p.get("reason", "")) for p in points], "other rows in the CSV")

# ---- never twice ----------------------------------------------------------------------

before = times("tune")
again = tune("space.yaml", "-j", 1, "--json", "again.json")
check(again.stdout == r.stdout and (work / "again.json").read_bytes() == (work / "t.json").read_bytes(),
      "another result of the same space")
check(times("tune") == before, "a point was measured again")
key = sorted(work.glob("tune/points/*.key"))[0]
key.unlink()  # as if it had been broken off
tune("space.yaml")
changed = [name for name, t in times("tune").items() if before[name] != t]
check(changed == [key.with_suffix(".json").name], f"measured again: {changed}, not {key.name}")
# a figure that was changed by hand is no measurement
point = next(p for p in sorted(work.glob("tune/points/*.json")) if "figures" in json.loads(p.read_text()))
true = point.read_text()
figures = json.loads(true)
figures["figures"]["time"] /= 2
point.write_text(json.dumps(figures, indent=1))
r = tune("space.yaml", "-j", 1, "--json", "again.json")
check(point.read_text() == true and (work / "again.json").read_bytes() == (work / "t.json").read_bytes(), "an edited point counts")
(work / "p.c").write_text(PROGRAM.replace("200000", "150000"))
tune("space.yaml")
check(len(times("tune")) == 2 * len(before), f"another program: {len(times('tune'))} points, had {len(before)}")

# ---- options, calibration, the same program by another name -----------------------------

must(os.environ.get("MPJOULE", f"{ROOT}/build/mpjoule"), "cc", "-O2", "-DSLOW=1", "p.c", "-o", "p.elf", cwd=work)
r = tune("--chip", "l1d_kb=8,32", "--axis", "n=1,1.0", "--env", "WORD=x", "--objective", "dcache_rd_miss",
         "--objective", "time", "-o", "chip", "--json", "-", "p.elf", "--", "{n}")
check(r.returncode == 0, f"chip: {r.returncode}, {r.stderr}")
points = json.loads(r.stdout)["points"] if r.returncode == 0 else []
for small, large in zip(points[:2], points[2:]):
    a, b = small["objectives"]["dcache_rd_miss"], large["objectives"]["dcache_rd_miss"]
    check(a > 4 * b, f"16 KB of data: {a} misses in 8 KB, {b} in 32 KB")
check(len(times("chip")) == 4, "points that are not 4")
r = tune("--axis", "n=1,2", "--env", "WORD=x", "--sample-ms", 1, "-o", "chip", "--json", "-", "p.elf", "--", "{n}")
check(list(json.loads(r.stdout)["best"]) == ["time", "energy"], f"objectives without -O: {r.stdout}")

# ---- what cannot be --------------------------------------------------------------------

for old, new, says in (
        ("axes:", "axis:", "space.yaml:1: unknown key"),
        ("  n: [1, 2, 3, 9]", "  n: []", "space.yaml:2: an axis without values"),
        ("  n: [1, 2, 3, 9]", "  n: 4..1", "space.yaml:2: invalid range"),
        ("  n: [1, 2, 3, 9]", "  n: [1, 1]", "duplicate value 1"),
        ("  n: [1, 2, 3, 9]", "  2n: [1]", "the name of an axis has"),
        ("  n: [1, 2, 3, 9]", "  n: {a: b}", "space.yaml:2:"),
        ('["{n}"]', '["{m}"]', "unknown axis {m}"),
        ('["{n}"]', "[1]", "axis n has no effect"),
        ("n < 9", "m < 9", "no such column: m"),
        ("n < 9", "n <", "syntax error"),
        ("n < 9", "n < 1 and n > 1", "the space is empty"),
        ("instr]", "insrt]", "no such column: insrt"),
        ("run: {sample-ms: 1}", "run: {dir: x}", "does not pass on the option dir"),
        ("p.c:", "q.c:", "cannot read q.c"),
        ("caps:", "program: p.elf\ncaps:", "omit sources"),
        ("axes:", "[axes:", "space.yaml:"),
        ("time < 0.05", "time < 0", "no point can be chosen")):
    (work / "space.yaml").write_text(SPACE.replace(old, new))
    bad = tune("space.yaml")
    check(bad.returncode == 125 and says in bad.stderr and bad.stderr.count("\n") == 1,
          f"{new}: {bad.returncode}, {bad.stderr}")
(work / "space.yaml").write_text(SPACE.replace("objectives: [time, energy, instr]", "").replace("  n:", "  time:")
                                 .replace("{n}", "{time}").replace("n < 9", "1"))
bad = tune("space.yaml")
check(bad.returncode == 125 and "name of a measured figure" in bad.stderr, f"an axis called time: {bad.stderr}")
OLDER = ("older.json", "older.csv", "older.svg", "older.landscape")
for name in OLDER:
    (work / name).write_text("older")
r = tune("--cores", "0", "-O", "time", "-o", "none", "--all", *(w for name in OLDER for w in ("--" + name.split(".")[1], name)),
         "p.elf", "--", 1)
check(r.returncode == 125 and [(work / name).read_text() for name in OLDER] == ["older"] * 4,
      f"a tune without a figure replaced an older result: {r.returncode} {r.stderr}")
r = tune("--cores", "0,1", "-O", "time", "-o", "none", "--all", "p.elf", "--", 1)
check("failed: --cores takes a number from 1 to 4" in r.stdout, f"--cores 0: {r.stdout}")
for words in ([], ["nowhere.yaml"], ["p.elf"], ["--cores", "1", "nowhere.elf"], ["--strategy", "x", "p.elf"],
              ["space.yaml", "x"], ["--env", "X", "p.elf"], ["--cores", "1", "--json", ".", "p.elf"]):
    bad = tune(*words)
    check(bad.returncode == 125 and bad.stderr.count("\n") == 1, f"{words}: {bad.returncode}, {bad.stderr}")

# ---- arguments with ends of lines are others -------------------------------------------------

(work / "args.c").write_text("int main(void) { return 0; }")
must(os.environ.get("MPJOULE", f"{ROOT}/build/mpjoule"), "cc", "args.c", "-o", "args.elf", cwd=work)
for words in (("x\nargument =y",), ("x", "y")):
    r = tune("--cores", "1,2", "-O", "time", "-o", "lines", "args.elf", "--", *words)
    check(r.returncode == 0, f"{words}: {r.stderr}")
check(len(list(work.glob("lines/points/*.json"))) == 4, "one point for two lists of arguments")

# ---- two at a time, and broken off --------------------------------------------------------

(work / "endless.c").write_text('#include <stdio.h>\nint main(void) { puts("on"); for (;;) { } }')
(work / "space.yaml").write_text("axes: {c: 1..2}\nsources: endless.c\nrun: {cores: '{c}'}\n")
command = [os.environ.get("MPJOULE", f"{ROOT}/build/mpjoule"), "tune", "-o", "on", "space.yaml"]
with subprocess.Popen(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                      stderr=subprocess.PIPE, text=True) as first:
    while first.poll() is None and not any(p.stat().st_size for p in work.glob("on/points/*.new/*.out")):
        pass
    other = tune("-o", "on", "space.yaml")
    check(other.returncode == 125 and "another command is using" in other.stderr, f"two at a time: {other.stderr}")
    first.terminate()
    said = first.communicate()[1]
    check(first.returncode == 130 and "resume" in said, f"broken off: {first.returncode}, {said}")
check(not list(work.glob("on/points/*.key")), "a point that was broken off is kept")

shutil.rmtree(work)
sys.exit(finish())
