#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mpjoule tune --stop: on full landscapes, the best points and the front are those of the tune that measures
every point to its end, and less of the programs is run.
usage: tune_stop.py"""
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
COMMAND = os.environ.get("MPJOULE", f"{ROOT}/build/mpjoule")
must(COMMAND, "cc", "-O2", "-pthread", f"{ROOT}/apps/workloads/mmis.c", "-o", "mmis.elf", "-lm", cwd=work)
must(COMMAND, "cc", "-O2", "-pthread", f"{ROOT}/apps/workloads/mm.c", "-o", "mm.elf", "-lm", cwd=work)

SPACES = {
    "mmis": "axes: {m: 1..4, i: 1..4}\nprogram: mmis.elf\narguments: [-m, '{m}', -i, '{i}']\n",
    "mm": "axes: {threads: 1..4, tile: [0, 8, 16, 32]}\nprogram: mm.elf\n"
          "arguments: [-n, 96, -t, '{threads}', -b, '{tile}']\n",
}


def tune(space, folder, *words):
    r = mpjoule("tune", f"{space}.yaml", "-o", folder, "--json", "-", *words, cwd=work, stdin=subprocess.DEVNULL,
                timeout=500)
    check(r.returncode == 0, f"{space} {words}: {r.returncode}, {r.stderr}")
    return json.loads(r.stdout)


def front(found):
    return [(n, p["objectives"]) for n, p in enumerate(found["points"]) if p.get("front")]


for name, text in SPACES.items():
    (work / f"{name}.yaml").write_text(text + "run: {sample-ms: 1}\n")
    times = sorted(p["time_s"] for p in tune(name, name)["points"])
    for number, words in enumerate(([], ["-O", "time"], ["-O", "energy"], ["-O", "edp"],
                                    ["-O", "energy", "--cap", f"time <= {times[len(times) // 3]}"])):
        full = tune(name, name, *words)
        stop = tune(name, f"{name}{number}", "--stop", *words)
        what = f"{name} {' '.join(words)}"
        check(stop["best"] == full["best"] and stop["knee"] == full["knee"],
              f"{what}: best {stop['best']}, knee {stop['knee']}; not {full['best']}, {full['knee']}")
        check(front(stop) == front(full), f"{what}: another front")
        ended = [n for n, p in enumerate(stop["points"]) if p["state"] == "stopped"]
        check(ended, f"{what}: no run was ended")
        for n in ended:
            mine, whole = stop["points"][n], full["points"][n]
            check(mine["time_s"] <= 1.001 * whole["time_s"] and mine["energy_j"] <= 1.02 * whole["energy_j"],
                  f"{what}: stopped at more than the whole run: {mine}, {whole}")
        ran = sum(p["time_s"] for p in stop["points"])
        whole = sum(p["time_s"] for p in full["points"])
        check(ran < 0.95 * whole, f"{what}: {ran:.3f} s of {whole:.3f} s were run")
        print(f"{what}: {len(ended)} of {len(stop['points'])} ended, {100 * (1 - ran / whole):.1f} % of the modelled "
              "time saved")

# the same whatever runs at a time; a stopped run is taken up again, and measured when it matters
one = tune("mmis", "one", "--stop", "-O", "time", "-j", 1)
check(one == tune("mmis", "two", "--stop", "-O", "time", "-j", 2), "other runs were ended at another number of jobs")
before = {p.name: p.stat().st_mtime_ns for p in (work / "one/points").glob("*.json")}
check(tune("mmis", "one", "--stop", "-O", "time") == one, "another result from the same folder")
check(before == {p.name: p.stat().st_mtime_ns for p in (work / "one/points").glob("*.json")}, "measured again")
check(front(tune("mmis", "one", "-O", "time")) == front(tune("mmis", "mmis", "-O", "time")),
      "another front when what was stopped is measured")
check(all(p["state"] == "measured" for p in tune("mmis", "one", "-O", "time")["points"]), "stopped without --stop")

bad = mpjoule("tune", "mmis.yaml", "--stop", "-O", "power", cwd=work, stdin=subprocess.DEVNULL)
check(bad.returncode == 125 and "only grow" in bad.stderr and bad.stderr.count("\n") == 1, f"power: {bad.stderr}")

# `run --bound`, by itself
for bound, reaches in (("0.02:0", lambda t, e: t >= 0.02), ("0:0.01", lambda t, e: e >= 0.01)):
    r = mpjoule("run", "--quiet", "--bound", bound, "--json", "r.json", "mmis.elf", cwd=work, stdin=subprocess.DEVNULL)
    truth = json.loads((work / "r.json").read_text())["truth"]
    check(r.returncode == 123 and "beyond its bound" in r.stderr, f"{bound}: {r.returncode}, {r.stderr}")
    t, e = truth["cycles"] / 210e6, truth["energy_uj"] * 1e-6
    check(reaches(t, e) and not reaches(t - 0.0011, e - 0.0011), f"{bound}: ended at {t} s, {e} J")
r = mpjoule("run", "--quiet", "--bound", "9:9", "mmis.elf", cwd=work, stdin=subprocess.DEVNULL)
check(r.returncode == 0, f"a bound that is not reached: {r.returncode}, {r.stderr}")
for words in (["1"], ["a:b"], ["1:"], ["-1:1"]):
    r = mpjoule("run", f"--bound={words[0]}", "mmis.elf", cwd=work, stdin=subprocess.DEVNULL)
    check(r.returncode == 125 and r.stderr.count("\n") == 1, f"--bound {words}: {r.returncode}, {r.stderr}")

shutil.rmtree(work)
sys.exit(finish())
