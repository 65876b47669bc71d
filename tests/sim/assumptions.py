#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`run` and `sweep --assumptions`: every calibration of the set once, with its own figures and their range;
a set that is not one is a line, and nothing runs.
usage: assumptions.py"""
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, ROOT, check, finish, load, mpjoule, write  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
SHIPPED = ["mprofiler", *sorted(p.stem for p in pathlib.Path(ROOT, "sim/calibrations/assumptions").glob("*.conf"))]
MATMUL = f"{APPS}/matmul.elf"


def command(*words, folder=None, **more):
    """In the work folder, with another folder of calibrations."""
    environment = {**os.environ, **({"MPJOULE_CALIBRATIONS": str(folder)} if folder else {})}
    return mpjoule(*words, cwd=work, env=environment, **more)


def calibrations(name, **members):
    """A copy of the calibrations with these assumptions instead."""
    folder = work / name
    shutil.copytree(f"{ROOT}/sim/calibrations", folder)
    shutil.rmtree(folder / "assumptions")
    (folder / "assumptions").mkdir()
    for member, text in members.items():
        write(folder / "assumptions" / f"{member}.conf", text)
    return folder


def member(name, *lines):
    return "\n".join(["include ../mprofiler.conf", f"name = {name}", *lines, ""])


# ---- the set ---------------------------------------------------------------------------

r = command("run", "--assumptions", "--no-counters", "-o", "a.mpj", "--json", "a.json", MATMUL, "--", 32)
check(r.returncode == 0, f"run: {r.returncode}, {r.stderr}")
a = load(work / "a.json")
check([m["calibration"] for m in a["members"]] == SHIPPED, f"members: {a['members']}")
check(r.stdout.count("matmul") == 1, f"what the program prints comes once: {r.stdout}")
for m in a["members"]:
    name = m["calibration"]
    own = load(work / f"a-{name}.json")
    check(own["calibration"] == name and own["time_s"] == m["time_s"] and own["truth"]["energy_uj"] == m["energy_uj"],
          f"{name}: {m}")
    check(sum(c["events"]["tlb_miss"] for c in own["truth"]["cores"]) == m["tlb_miss"], f"{name}: {m}")
    check(f"\n{name} " in r.stdout and (work / f"a-{name}.mpj").exists(), f"{name} is not in {r.stdout}")
def measured(path):
    """A result without what the run was given."""
    return {key: value for key, value in load(path).items() if key != "options"}


times = [m["time_s"] for m in a["members"]]
check(a["range"]["time_s"] == [min(times), max(times)] and len(set(times)) > 1, f"range: {a['range']}, {times}")
check("% of mprofiler" in r.stdout, f"range: {r.stdout}")
alone = command("run", "--quiet", "--no-counters", "-o", "b.mpj", "--json", "b.json", MATMUL, "--", 32)
check(alone.returncode == 0 and measured(work / "b.json") == measured(work / "a-mprofiler.json"), "the default is another run")
again = command("run", "--assumptions", "--no-counters", "-j", 1, "-o", "c.mpj", "--json", "-", MATMUL, "--", 32)
other = work / "c.json"
other.write_text(again.stdout.replace('"c-', '"a-'))
check(load(other) == a and "matmul" in again.stderr, f"another number of jobs: {again.stdout}")
r = command("run", "--calibration", SHIPPED[1], "--quiet", "--no-counters", "-o", "d.mpj", "--json", "d.json", MATMUL, "--", 32)
check(r.returncode == 0 and load(work / "d.json")["calibration"] == SHIPPED[1], f"by its name: {r.stderr}")

# ---- what flips ------------------------------------------------------------------------

two = calibrations("two", slow=member("slow", "mem_cycles = 2000"))
r = command("sweep", "--assumptions", "--cores", "1,4", "--sample-ms", 1, "-o", "s", "--json", "s.json", MATMUL, "--", 48, folder=two)
s = load(work / "s.json")
check(r.returncode == 0 and [p["at"]["calibration"] for p in s["points"]] == ["mprofiler"] * 2 + ["slow"] * 2, f"sweep: {r.stderr}")
check(s["points"][2]["speed_up"] == 1 and s["points"][2]["time_s"] > s["points"][0]["time_s"], f"sweep: {s['points']}")
check([m["best"]["time"] for m in s["assumptions"]] == [1, 3] and s["flips"] == [], f"best: {s}")
check("best time: cores=4 with all of them" in r.stdout, f"conclusions: {r.stdout}")
write(work / "pick.c", """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile unsigned a[1 << 18];
int main(void)
{
    const unsigned stride = strcmp(getenv("WAY"), "far") == 0 ? 1032 : 1;
    unsigned sum = 0;
    for (unsigned k = 0; k < (stride == 1 ? 100000 : 10000); k++)
        sum += a[k * stride % (1 << 18)];
    return sum != 0;
}
""")
check(mpjoule("cc", "-O2", "pick.c", "-o", "pick.elf", cwd=work).returncode == 0, "cc")
pages = calibrations("pages", pages=member("pages", "tlb_small_pages = 1", "tlb_walk_cycles = 200"))
r = command("sweep", "--assumptions", "--env", "WAY=far,near", "--sample-ms", 1, "-o", "f", "--json", "f.json", "pick.elf", folder=pages)
f = load(work / "f.json")
check(r.returncode == 0 and "time" in f["flips"], f"flips: {f}")
check("best time: flips:\n    WAY=far with mprofiler\n    WAY=near with pages" in r.stdout, f"flips: {r.stdout}")

# ---- what is no set --------------------------------------------------------------------

BAD = {
    "unknown base": ({"x": "include ../none.conf\nname = x\n"}, "none.conf"),
    "no base": ({"x": (pathlib.Path(ROOT) / "sim/calibrations/realview-eb-mpcore.conf").read_text() + "name = x\n"}, "missing"),
    "unknown key": ({"x": member("x", "l1d_write_alocate = 0")}, "x.conf:3: l1d_write_alocate: unknown key"),
    "range": ({"x": member("x", "tlb_small_pages = 2")}, "x.conf:3: tlb_small_pages: expected an integer from 0 to 1, got '2'"),
    "twice": ({"x": member("x", "tlb_walk_cycles = 2", "tlb_walk_cycles = 3")}, "x.conf:4: tlb_walk_cycles: given twice"),
    "circle": ({"x": "include y.conf\nname = x\n", "y": "include x.conf\nname = y\n"}, "in a circle"),
    "another name": ({"x": member("y")}, "name: expected the file's name x, not y"),
    "no name of its own": ({"x": "include ../mprofiler.conf\n"}, "expected the file's name x, not mprofiler"),
    "the name of another one": ({"epro-mp": member("epro-mp")}, "epro-mp is the name of"),
    "the default's name": ({"mprofiler": "include ../mprofiler.conf\n"}, "mprofiler is the name of"),
    "none": ({}, "no calibrations"),
    "no text": ({"x": "\x01\x02=\n"}, "x.conf:1:"),
    "too many": ({f"m{i}": member(f"m{i}") for i in range(40)}, "more than 31"),
}
for what, (members, says) in BAD.items():
    folder = calibrations(f"bad {what}", **members)
    before = set(os.listdir(work))
    for words in (["run", "--assumptions", "-o", "bad.mpj"], ["sweep", "--assumptions", "--cores", "1,2", "-o", "bad"]):
        r = command(*words, MATMUL, "--", 8, folder=folder)
        check(r.returncode == 125 and says in r.stderr and r.stderr.count("\n") == 1 and r.stdout == "",
              f"{what}: {words[0]}: {r.returncode}, {r.stderr}")
    check(set(os.listdir(work)) == before, f"{what}: files: {set(os.listdir(work)) - before}")
gone = calibrations("gone")
(gone / "assumptions").rmdir()
r = command("run", "--assumptions", MATMUL, folder=gone)
check(r.returncode == 125 and "cannot read the assumptions in" in r.stderr and r.stderr.count("\n") == 1, f"no folder: {r.stderr}")
for words, says in ((["--calibration", "epro-mp"], "--calibration"), (["--target", "/dev/null"], "needs the emulator"),
                    (["--gdb"], "--gdb"), (["--stdin", "-"], "--stdin"), (["--json", "run-mprofiler.json"], "run-mprofiler.json")):
    r = command("run", "--assumptions", *words, MATMUL, "--", 8)
    check(r.returncode == 125 and says in r.stderr and r.stderr.count("\n") == 1, f"{words}: {r.returncode}, {r.stderr}")
r = command("sweep", "--assumptions", "--calibration", "epro-mp", "--cores", "1,2", MATMUL)
check(r.returncode == 125 and "--calibration" in r.stderr and r.stderr.count("\n") == 1, f"sweep: {r.stderr}")

# ---- a program that fails under one of them ----------------------------------------------

r = command("run", "--assumptions", "-o", "e.mpj", "--json", "e.json", f"{APPS}/status.elf", "--", 3)
e = load(work / "e.json")
check(r.returncode == 3 and all(m["exit_status"] == 3 and "time_s" in m for m in e["members"]), f"status: {r.returncode}, {e}")
r = command("run", "--assumptions", "-o", "t.mpj", "--json", "t.json", "none.elf")
check(r.returncode == 125 and r.stderr.count("none.elf") >= 1, f"no program: {r.returncode}, {r.stderr}")

shutil.rmtree(work)
sys.exit(finish())
