#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mpjoule sweep: the units of its table, what failed and why, its input, and that nothing of it
lives on when it is killed.
usage: sweep.py"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, cc, check, finish, mpjoule  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())


def sweep(*words):
    return mpjoule("sweep", *words, cwd=work, stdin=subprocess.DEVNULL)


def mine():
    """Processes that work in our folder."""
    found = []
    for p in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(p / "cwd") == str(work):
                found.append(int(p.name))
        except OSError:
            pass  # gone, or another's
    return found


def build(name, text):
    (work / f"{name}.c").write_text(text)
    cc(f"{name}.c", f"{name}.elf", "-O2", cwd=work)


# ---- the table ---------------------------------------------------------------------

r = sweep("--cores", "1,2", "--sample-ms", 1, "--json", "s.json", f"{APPS}/matmul.elf", "--", 64)
check(r.returncode == 0, f"sweep: {r.returncode}, {r.stderr}")
points = json.loads((work / "s.json").read_text())["points"]
rows = [re.match(r"\d +([\d.]+) +[\d.]+ +\d+ % +([\d.]+) +[\d.]+ +([\d.]+)", line)
        for line in r.stdout.splitlines() if line[:1].isdigit()]
check(re.search(r"time ms .*energy mJ .*EDP mJ s$", r.stdout, re.M), f"other units: {r.stdout}")
check(len(rows) == 2 and all(rows), f"no rows: {r.stdout}")
for row, point in zip(rows, points):
    shown = [float(x) for x in row.groups()]
    true = [point["time_s"] * 1e3, point["energy_uj"] / 1e3, point["edp_uj_s"] / 1e3]
    check(all(abs(a - b) < 1e-3 for a, b in zip(shown, true)), f"{shown} is not {true}")
    check(abs(true[0] * true[1] / 1e3 - true[2]) < 1e-9, f"{true}: no energy-delay product")

# ---- what cannot be ----------------------------------------------------------------

build("status", "int main(void) { return 7; }")
r = sweep("--cores", "1", "-o", "status", "status.elf")
check(r.returncode == 125 and "failed, exit status 7: see status/run-cores=1.err" in r.stdout,
      f"a program's status: {r.returncode}, {r.stdout}")
for words in (["--stdin", "-"], ["--stdin", "."], ["--stdin", "nowhere"], ["--json", "."],
              ["--json", "nowhere/s.json"], ["-j", "2x"]):
    r = sweep("--cores", "1", "-o", "never", *words, "status.elf")
    check(r.returncode == 125 and r.stderr.count("\n") == 1 and not list(work.glob("never/*")),
          f"{words}: {r.returncode}, {r.stderr}")

# ---- input that changed ------------------------------------------------------------

build("first", '#include <stdio.h>\nint main(void) { putchar(getchar()); return 0; }')
for text in ("1", "two"):
    (work / "input").write_text(text)
    sweep("--cores", "1", "-o", "first", "--stdin", "input", "first.elf")
    out = (work / "first/run-cores=1.out").read_text()
    check(out == text[0], f"a run that read {text} says {out}")

# ---- killed ------------------------------------------------------------------------

build("endless", '#include <stdio.h>\nint main(void) { puts("on"); for (;;) { } }')
p = subprocess.Popen([MPJOULE, "sweep", "--cores", "1,2", "-j", "2", "-o", "killed", "endless.elf"],
                     cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
outputs = [work / f"killed/run-cores={n}.out" for n in (1, 2)]
while p.poll() is None and not all(o.exists() and o.stat().st_size for o in outputs):
    time.sleep(0.05)
p.send_signal(signal.SIGKILL)
p.wait()
for _ in range(600):
    left = mine()
    if not left:
        break
    time.sleep(0.1)
check(not left, f"processes that survive a killed sweep: {left}")
for pid in left:
    os.kill(pid, signal.SIGKILL)

shutil.rmtree(work)
sys.exit(finish())
