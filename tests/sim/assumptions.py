#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--assumptions of run, sweep, tune, explore, diff and adaptation: every calibration of the set once, with its own figures
and their range, and which conclusions flip; a set that is not one is a line, and nothing runs.
usage: assumptions.py"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, ROOT, check, finish, load, mpjoule, must, write  # noqa: E402

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

for name in ("older.json", "older.svg"):
    write(work / name, "older")
r = mpjoule("run", "--assumptions", "-o", "o.mpj", "--json", "older.json", "--svg", "older.svg", MATMUL, cwd=work,
            env={**os.environ, "MPJOULE_QEMU": "/bin/false"})
check(r.returncode != 0 and [(work / name).read_text() for name in ("older.json", "older.svg")] == ["older"] * 2,
      f"runs without a figure replaced an older result: {r.returncode} {r.stderr}")

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
check("best time: flips; " in r.stdout and "\n    WAY=far with mprofiler\n    WAY=near with pages, where WAY=far is " in r.stdout,
      f"flips: {r.stdout}")


# ---- one mechanism: text, JSON and drawing of each command ----------------------------------


def conclusions(result):
    """Row by its name."""
    return {row["what"]: row for row in result["conclusions"]["rows"]}


def drawn(name, rows, members):
    """The drawing has a cell for each row and member, and the background."""
    root = xml.etree.ElementTree.parse(work / name).getroot()
    cells = [e for e in root.iter("{http://www.w3.org/2000/svg}rect") if e.get("height") == "42"]
    check(len(cells) == rows * members, f"{name}: {len(cells)} cells, not {rows} x {members}")
    return sum(e.get("fill") == "#f4b183" for e in cells)


def says(row):
    return {by["calibration"]: by.get("says") for by in row["by"]}


far = {"mprofiler": "WAY=far", "pages": "WAY=near"}
row = conclusions(f)["best time"]
point = {(p["at"]["calibration"], p["at"]["WAY"]): p["time_s"] for p in f["points"]}
check(row["flips"] and says(row) == far and row["by"][0]["worse"] == 0 and
      abs(row["by"][1]["worse"] - (point["pages", "far"] / point["pages", "near"] - 1)) < 1e-9, f"sweep: {row}")
r = command("sweep", "--assumptions", "--env", "WAY=far,near", "--sample-ms", 1, "-o", "f", "--svg", "f.svg", "pick.elf", folder=pages)
check(r.returncode == 0 and drawn("f.svg", len(f["conclusions"]["rows"]), 2) >= 1, f"sweep: {r.stderr}")

for more in ([], ["--strategy", "random", "--evaluations", 1]):
    r = command("tune", "--assumptions", "--env", "WAY=far,near", "-O", "time", "-O", "time*0+1", "--sample-ms", 1, "-o", "t",
                "--json", "t.json", "--svg", "t.svg", *more, "pick.elf", folder=pages)
    t = load(work / "t.json")
    row = conclusions(t)["best time"]
    check(r.returncode == 0 and [p["at"]["WAY"] for p in t["points"] if "time_s" in p][0] == "far", f"tune: {r.stderr}, {t['points']}")
    check(f"best time: {'flips' if row['flips'] else 'WAY'}" in r.stdout, f"tune: {r.stdout}")
    check(drawn("t.svg", 2, 2) == row["flips"], "tune: the drawing says otherwise")
    if not more:
        check(row["flips"] and says(row) == far and not conclusions(t)["best time*0+1"]["flips"], f"tune: {row}")
        check(all(abs(by["value"] - point[name, far[name][4:]]) < 1e-6 * by["value"] for name, by in zip(far, row["by"])), f"tune: {row}")
        whole = row
    else:  # what the default finds is measured with the others, too, and the bound of a search is said
        check("worse" in row["by"][1] and "searched: " in r.stdout, f"tune: {row}, {r.stdout}")
r = command("tune", "--calibration", "mprofiler", "--env", "WAY=far,near", "-O", "time", "--sample-ms", 1, "-o", "t",
               "--json", "m.json", "pick.elf", folder=pages)
m = load(work / "m.json")
check(m["points"][m["best"]["time"]]["objectives"]["time"] == whole["by"][0]["value"], f"tune: {m}, {whole}")

write(work / "set.c", """
#include <stdlib.h>
static unsigned a[1 << 17];
int main(int n, char **v)
{
    const unsigned words = (unsigned)atoi(v[1]) << 8;
    for (unsigned k = 0; k < 6; k++)
        for (unsigned i = 0; i < words; i += 8)
            a[i]++;
    return 0;
}
""")
check(mpjoule("cc", "-O2", "set.c", "-o", "set.elf", cwd=work).returncode == 0, "cc")
near = calibrations("near", near=member("near", "mem_cycles = 1", "mem_read_slots = 1", "mem_write_slots = 1", "tlb_walk_cycles = 6"))
r = command("explore", "--assumptions", "--vary", 0, "--chip", "l2_kb=0,64,256", "-o", "x", "--json", "x.json", "--svg", "x.svg",
            "set.elf", "--", 100, folder=near)
x = load(work / "x.json")
rows = conclusions(x)
small = rows["smallest within 5 % by energy"]
check(r.returncode == 0 and says(small) == {"mprofiler": "l2_kb=256", "near": "l2_kb=0"} and small["flips"], f"explore: {r.stderr}, {rows}")
check(abs(small["by"][1]["worse"] - (small["by"][0]["value"] / small["by"][1]["value"] - 1)) < 1e-9, f"explore: {small}")
check(not rows["best time"]["flips"] and "best time: l2_kb=256 with all of them" in r.stdout, f"explore: {r.stdout}")
r = command("explore", "--calibration", "near", "--vary", 0, "--chip", "l2_kb=0,64,256", "-o", "x", "--json", "n.json", "set.elf", "--", 100,
            folder=near)
check(r.returncode == 0 and [q["state"] for q in load(work / "n.json")["points"]] == ["measured"] * 3,
      "a chip whose table walks take less than an access of the L2 cannot be")
drawn("x.svg", 6, 2)
for what, name in (("tune", "t"), ("explore", "x")):
    must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-{what}.schema.json", work / f"{name}.json")

for name, words in (("before", 100), ("after", 90)):
    r = command("run", "--quiet", "--assumptions", "--functions", "-o", f"{name}.mpj", "set.elf", "--", words, folder=near)
    check(r.returncode == 0, f"{name}: {r.stderr}")
r = command("diff", "--assumptions", "--svg", "w.svg", "before.mpj", "after.mpj", folder=near)
d = command("diff", "--assumptions", "--format", "json", "before.mpj", "after.mpj", folder=near)
write(work / "w.json", d.stdout)
rows = conclusions(load(work / "w.json"))
own = [[load(work / f"{run}-{name}.json") for run in ("before", "after")] for name in ("mprofiler", "near")]
check("time: less with all of them; " in r.stdout and not rows["time"]["flips"], f"diff: {r.stdout}, {rows}")
check(all(abs(by["value"] - 100 * (b["time_s"] / a["time_s"] - 1)) < 0.01
                            for by, (a, b) in zip(rows["time"]["by"], own)), f"diff: {rows['time']}")
check(set(says(rows["cause of time"]).values()) == {"main"}, f"diff: {rows}")
drawn("w.svg", len(rows), 2)

check(mpjoule("cc", "-O2", "-fopenmp", f"{ROOT}/apps/workloads/omp_phases.c", "-o", "phases.elf", cwd=work).returncode == 0, "cc")
free = calibrations("free", free=member("free", "mem_crowd_slots = 0"))
r = command("run", "--assumptions", "--env", "MPJ_ADAPT=ed2", "-o", "p.mpj", "--json", "p.json", "--svg", "p.svg", "phases.elf", "--",
            "-i", 8, folder=free)
p = load(work / "p.json")
rows = conclusions(p)
check(r.returncode == 0 and r.stderr == "", f"a predictor of the default serves all: {r.returncode}, {r.stderr}")
for i, name in enumerate(("mprofiler", "free")):
    with_policy, without = (load(work / f"p-{name}{end}.json")["truth"]["cycles"] for end in ("", ".all"))
    check(abs(rows["time with the policy"]["by"][i]["value"] - 100 * (with_policy / without - 1)) < 1e-3, f"{name}: {rows}")
    view = command("report", "--view", "adapt", "--format", "json", f"p-{name}.mpj")
    write(work / "view.json", view.stdout)
    last = {e["function"]: e["threads"] for e in load(work / "view.json")["executions"]}
    for what, threads in last.items():
        row = next(row for key, row in rows.items() if key.endswith(f", {what}"))
        check(says(row)[name] == f"{threads} thread{'s' * (threads != 1)}", f"{name}: {row}, {threads}")
check("ED2 with the policy: " in r.stdout and "region 1, stream._omp_fn.0: " in r.stdout, f"adaptation: {r.stdout}")
drawn("p.svg", len(rows), 2)

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
    for words in (["run", "--assumptions", "-o", "bad.mpj"], ["sweep", "--assumptions", "--cores", "1,2", "-o", "bad"],
                  ["tune", "--assumptions", "--cores", "1,2", "-o", "bad"], ["explore", "--assumptions", "--cores", "1,2", "-o", "bad"]):
        r = command(*words, MATMUL, "--", 8, folder=folder)
        check(r.returncode == 125 and says in r.stderr and r.stderr.count("\n") == 1 and r.stdout == "",
              f"{what}: {words[0]}: {r.returncode}, {r.stderr}")
    check(set(os.listdir(work)) == before, f"{what}: files: {set(os.listdir(work)) - before}")
gone = calibrations("gone")
(gone / "assumptions").rmdir()
r = command("run", "--assumptions", MATMUL, folder=gone)
check(r.returncode == 125 and "cannot read the assumptions in" in r.stderr and r.stderr.count("\n") == 1, f"no folder: {r.stderr}")
for words, says in ((["--calibration", "epro-mp"], "--calibration"), (["--target", "/dev/null"], "needs the emulator"),
                    (["--gdb"], "--gdb"), (["--stdin", "-"], "--stdin"), (["--stdin", "/dev/zero"], "--stdin"),
                    (["--json", "run-mprofiler.json"], "run-mprofiler.json")):
    r = command("run", "--assumptions", *words, MATMUL, "--", 8)
    check(r.returncode == 125 and says in r.stderr and r.stderr.count("\n") == 1, f"{words}: {r.returncode}, {r.stderr}")
for words in ("sweep", "tune", "explore"):
    r = command(words, "--assumptions", "--calibration", "epro-mp", "--cores", "1,2", MATMUL)
    check(r.returncode == 125 and "--calibration" in r.stderr and r.stderr.count("\n") == 1, f"{words}: {r.stderr}")
for words, what in ((["run", MATMUL, "--svg", "n.svg"], "--svg"), (["sweep", "--cores", "1,2", "--svg", "n.svg", MATMUL], "--svg"),
                    (["diff", "--svg", "n.svg", "a.mpj", "b.mpj"], "--svg"), (["diff", "--assumptions", "b.mpj", "nowhere.mpj"], "b-mprofiler.mpj"),
                    (["diff", "--assumptions", "-f", "html", "a.mpj", "b.mpj"], "html"),
                    (["tune", "--assumptions", "--tell", "--cores", "1,2", MATMUL], "--tell"),
                    (["tune", "--assumptions", "--landscape", "l", "--cores", "1,2", MATMUL], "--landscape")):
    r = command(*words)
    check(r.returncode == 125 and what in r.stderr and r.stderr.count("\n") == 1 and r.stdout == "", f"{words}: {r.returncode}, {r.stderr}")

# ---- a program that fails under one of them ----------------------------------------------

r = command("run", "--assumptions", "-o", "e.mpj", "--json", "e.json", f"{APPS}/status.elf", "--", 3)
e = load(work / "e.json")
check(r.returncode == 3 and all(m["exit_status"] == 3 and "time_s" in m for m in e["members"]), f"status: {r.returncode}, {e}")
r = command("run", "--assumptions", "-o", "t.mpj", "--json", "t.json", "none.elf")
check(r.returncode == 125 and r.stderr.count("none.elf") >= 1, f"no program: {r.returncode}, {r.stderr}")

# ---- a signal to the command alone: it waits for its runs ---------------------------------

with subprocess.Popen([MPJOULE, "run", "--assumptions", "--timeout", "0", "-o", "s.mpj", "-j", "1", f"{APPS}/hang.elf"], cwd=work,
                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as going:
    children = pathlib.Path(f"/proc/{going.pid}/task/{going.pid}/children")
    while not (runs := children.read_text().split()) and going.poll() is None:
        time.sleep(0.01)
    while not (work / "s-mprofiler.mplog.new").exists() and going.poll() is None:
        time.sleep(0.01)
    going.terminate()
    said = going.communicate()[1]
check(going.returncode == 130 and said.endswith("mpjoule: interrupted\n"), f"terminated: {going.returncode}, {said}")
check(len(runs) == 1 and not pathlib.Path(f"/proc/{runs[0]}").exists(), f"terminated: a run is left: {runs}")

shutil.rmtree(work)
sys.exit(finish())
