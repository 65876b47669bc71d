#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mpjoule explore where the answer is known: the size at which a working set stops missing, a serial program on more cores,
the chip of the calibration itself; energies made from counts against runs; and what is no space.
usage: explore.py"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, ROOT, call, check, finish, load, mpjoule, must  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
LAWS = f"{ROOT}/sim/calibrations/scaling.laws"

(work / "set.c").write_text("""
#include <stdio.h>
#include <stdlib.h>
static unsigned a[1 << 17];
int main(int n, char **v)
{
    const unsigned words = (unsigned)atoi(v[1]) << 8, passes = (unsigned)atoi(v[2]);
    unsigned sum = 0;
    if (n > 3)
        return 3;
    for (unsigned k = 0; k < passes; k++)
        for (unsigned i = 0; i < words; i += 8)
            sum += a[i]++;
    return printf("%u\\n", sum) < 0;
}
""")
must(MPJOULE, "cc", "-O2", "set.c", "-o", "set.elf", cwd=work)


def explore(*words, folder="kept"):
    return mpjoule("explore", "-o", folder, *words, cwd=work, timeout=500)


def found(*words, folder="kept"):
    r = explore("--json", "found.json", *words, folder=folder)
    check(r.returncode == 0, f"{words}: {r.returncode}, {r.stderr}")
    return load(work / "found.json")


def by(result, axis):
    """Points by their value of an axis."""
    return {p["at"][axis]: p for p in result["points"]}


# ---- the size at which a working set stops missing ------------------------------------------------

l1 = by(found("--chip", "l1d_kb=8,16,32", "--vary", 0, "set.elf", "--", 24, 30), "l1d_kb")
lines = 24 * 32
for kb, passes in (("8", 30), ("16", 30), ("32", 1)):
    misses = l1[kb]["events"]["dcache_rd_miss"]
    check(lines * passes <= misses <= lines * passes * 1.1 + 300, f"24 KB in an L1 of {kb}: {misses} misses")
l2 = by(found("--chip", "l2_kb=0,128,256,512", "--vary", 0, "set.elf", "--", 200, 6), "l2_kb")
lines = 200 * 32
for kb, passes in (("128", 6), ("256", 1), ("512", 1)):
    e = l2[kb]["events"]
    misses = e["l2_drreq"] - e["l2_drhit"]
    check(lines * passes * 0.85 <= misses <= lines * passes * 1.1 + 500, f"200 KB in an L2 of {kb}: {misses} misses")
check(l2["0"]["events"]["l2_drreq"] == 0, "an L2 that is not there is asked")
check(l2["256"]["time_s"] < 0.5 * l2["128"]["time_s"], "what fits is not faster")
check(l2["0"]["time_s"] < l2["128"]["time_s"], "a lookup of an L2 that always misses is free")
# Bigger is not free.
check(l2["512"]["energy_j"] > l2["256"]["energy_j"] and l2["512"]["time_s"] > l2["256"]["time_s"] and
      l2["512"]["area_mm2"] > l2["256"]["area_mm2"] > l2["0"]["area_mm2"], "512 KB are free")

# ---- a serial program never gains from more cores; the calibration's own chip ------------------------
# Long enough that what the other cores do at the start, 2000 cycles, is less than half a percent.

serial = found("--cores", "1..4", "--chip", "l2_kb=256,1024", "--vary", 0, "set.elf", "--", 24, 60)
for kb in ("256", "1024"):
    of = by({"points": [p for p in serial["points"] if p["at"]["l2_kb"] == kb]}, "cores")
    for n in "234":
        check(0.9999 < of[n]["time_s"] / of["1"]["time_s"] < 1.005, f"{n} cores: time {of[n]['time_s']} of {of['1']['time_s']}")
        check(of[n]["energy_j"] > of[str(int(n) - 1)]["energy_j"] and of[n]["area_mm2"] > of[str(int(n) - 1)]["area_mm2"],
              f"{n} cores cost nothing")
for what in ("energy", "edp"):
    check(serial["points"][serial["found"]["best"][what]]["at"]["cores"] == "1", f"best {what} not on one core")
mpjoule("run", "--quiet", "-o", "own.mpj", "--json", "own.json", "set.elf", "--", 24, 60, cwd=work)
truth = load(work / "own.json")["truth"]
own = next(p for p in serial["points"] if p["at"] == {"cores": "4", "l2_kb": "1024"})
check(abs(own["time_s"] * 210e6 / truth["cycles"] - 1) < 1e-9 and abs(own["energy_j"] / truth["energy_uj"] * 1e6 - 1) < 1e-9,
      f"the calibration's own chip: {own}, run: {truth['cycles']} cycles, {truth['energy_uj']} uJ")

# ---- clock and voltage ---------------------------------------------------------------------------------

clock = by(found("--chip", "clock_mhz=105,210,280", "--vary", 0, "set.elf", "--", 4, 2000), "clock_mhz")
t, e = ({f: clock[f][k] for f in clock} for k in ("time_s", "energy_j"))
check(1.9 < t["105"] / t["210"] <= 2.001 and t["280"] < t["210"], f"times {t}")
check(e["105"] < e["210"] < e["280"], f"energies {e}: a lower voltage saves nothing")

# ---- what is made from counts is what a run says -----------------------------------------------------------


def other_laws(name, key, factor):
    text = pathlib.Path(LAWS).read_text()
    changed, n = re.subn(rf"(?m)^({key} *= *)([0-9.]+)", lambda m: f"{m[1]}{float(m[2]) * factor:.9g}", text)
    check(n == 1, f"{key}: not in the laws")
    (work / name).write_text(changed)
    return name


SPACE = ["--chip", "l2_kb=0,256,1024", "--chip", "l1_kb=16,64", "--cores", "2"]
PROGRAM = ["set.elf", "--", 40, 6]
varied = found("--vary", 30, *SPACE, *PROGRAM)
files = {p: p.stat().st_mtime_ns for p in (work / "kept" / "points").glob("*.json")}
check(explore("--vary", 30, *SPACE, *PROGRAM).returncode == 0 and
      files == {p: p.stat().st_mtime_ns for p in (work / "kept" / "points").glob("*.json")}, "what is kept was run again")
assumptions = {(a["name"], round(a["factor"], 3)): a for a in varied["assumptions"]}
for key in ("l1_energy_size", "l2_clock_share", "leak_arrays", "volt_leak", "fetch_share", "leak_cores"):
    check(not assumptions[key, 1.3]["rerun"], f"{key} is run again")
for key in ("l2_time_size", "l2_array_cycles", "mem_cycles"):
    check(assumptions[key, 1.3]["rerun"], f"{key} is not run again")
for key, factor in (("l1_energy_size", 1.3), ("l2_clock_share", 0.7), ("leak_arrays", 0.7), ("fetch_share", 1.3),
                    ("l2_array_cycles", 1.3)):
    ran = found("--vary", 0, "--laws", other_laws("other.laws", key, factor), *SPACE, *PROGRAM, folder="afresh")
    said = assumptions[key, factor]
    for what, field in (("energy", "energy_j"), ("time", "time_s")):
        best = varied["points"][varied["found"]["best"][what]][field]
        now = ran["points"][ran["found"]["best"][what]][field]
        check(abs((1 + said["change"][what]) * best / now - 1) < 1e-3,
              f"{key} x{factor}: {what} {1 + said['change'][what]} of {best}, run: {now}")
    check(said["found"]["smallest"] == ran["found"]["smallest"], f"{key} x{factor}: smallest {said['found']}, {ran['found']}")
shutil.rmtree(work / "afresh")

# ---- what is shown --------------------------------------------------------------------------------------------

r = explore("--csv", "-", "--vary", 0, *SPACE, *PROGRAM)
rows = list(csv.DictReader(io.StringIO(r.stdout)))
check([float(row["energy_j"]) for row in rows] == [float(f"{p['energy_j']:.12g}") for p in varied["points"]], "CSV")
r = explore("--svg", "chips.svg", "--no-rerun", *SPACE, *PROGRAM)
check(r.returncode == 0 and "l2_array_cycles" not in r.stdout and "Conclusions that flip" in r.stdout, f"text: {r.stdout}")
root = xml.etree.ElementTree.parse(work / "chips.svg").getroot()
check(len(root.findall("{http://www.w3.org/2000/svg}circle")) == len(rows), "not a circle for each chip")
must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-explore.schema.json", work / "found.json")

# ---- what is no space -------------------------------------------------------------------------------------------

(work / "half.laws").write_text("l1_energy_size = 1\n")
(work / "wrong.laws").write_text(pathlib.Path(LAWS).read_text() + "l9_size = 1\n")
(work / "text.laws").write_text("l1_energy_size = much\n")
PROGRAM = ["set.elf", "--", 4, 1]
for words, says in ((["--chip", "l3_kb=1,2"], "unknown axis l3_kb"), (["--chip", "l2_kb=big"], "a number"),
                    (["--chip", "l2_kb"], "KEY=A,B,C"), (["--cores", "0..2"], "1 to 4"), (["--cores", "5"], "1 to 4"),
                    (["--cores", " 1"], "1 to 4"), (["--cores", "1.0"], "1 to 4"), (["--chip", "l1d_kb=0,16"], "more than 0"),
                    (["--chip", "l1_kb=16", "--chip", "l1d_kb=32"], "both"), (["--chip", "clock_mhz=900"], "voltage"), ([], "nothing varies"),
                    (["--chip", "l2_kb=0,64", "--constraint", "l2_kb > 64"], "the space is empty"),
                    (["--chip", "l2_kb=0,64", "--constraint", "l2_kb > 64 and"], "syntax error"),
                    (["--chip", "l2_kb=0,64", "--chip", "l2_kb=0,64"], "l2_kb"),
                    (["--chip", "l2_kb=0,64", "--calibration", "nowhere"], "nowhere"),
                    (["--chip", "l2_kb=0,64", "--laws", "nowhere"], "nowhere"),
                    (["--chip", "l2_kb=0,64", "--laws", "half.laws"], "is missing"),
                    (["--chip", "l2_kb=0,64", "--laws", "wrong.laws"], "unknown law"),
                    (["--chip", "l2_kb=0,64", "--laws", "text.laws"], "expected a number"),
                    (["--chip", "l2_kb=0,64", "--vary", "95"], "--vary"), (["--chip", "l2_kb=0,64", "--json", "."], "."),
                    (["--chip", "l1d_kb=24"], "every chip")):
    bad = explore(*words, *PROGRAM, folder="bad")
    check(bad.returncode == 125 and bad.stderr.count("\n") == 1 and says in bad.stderr,
          f"{words}: {bad.returncode}, {bad.stderr}")
OLDER = ("older.json", "older.csv", "older.svg")
for name in OLDER:
    (work / name).write_text("older")
for words in ([w for name in OLDER for w in ("--" + name.split(".")[1], name)], ["--json", "-"]):
    bad = explore("--chip", "l2_kb=0,64", *words, "set.elf", "--", 4, 1, 1, folder="bad")
    check(bad.returncode == 125 and "failed on every chip" in bad.stderr and bad.stderr.count("\n") == 1,
          f"fails everywhere: {bad.returncode}, {bad.stderr}")
check([p["state"] for p in json.loads(bad.stdout)["points"]] == ["failed"] * 2, "failed chips are no rows")
check([(work / name).read_text() for name in OLDER] == ["older"] * 3, "chips without figures replaced an older result")
some = found("--chip", "l1d_kb=16,24", "--vary", 0, *PROGRAM, folder="bad")
check([p["state"] for p in some["points"]] == ["measured", "failed"], "a chip that cannot be is no row")
for words in (["nowhere.elf"], []):
    bad = explore("--chip", "l2_kb=0,64", *words, folder="bad")
    check(bad.returncode == 125 and bad.stderr.count("\n") == 1, f"{words}: {bad.returncode}, {bad.stderr}")

shutil.rmtree(work)
sys.exit(finish())
