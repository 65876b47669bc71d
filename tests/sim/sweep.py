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
from harness import APPS, CALIBRATION, MPJOULE, cc, check, finish, mpjoule  # noqa: E402

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

# ---- too short for the ADC -----------------------------------------------------------

check("No energy" not in r.stdout, f"a hint for rows that have energy: {r.stdout}")
build("short", "int main(void) { return 0; }")
r = sweep("--cores", "1,2", "-o", "short", "short.elf")
check(r.returncode == 0 and re.search(r"^No energy: .*--sample-ms", r.stdout, re.M), f"no hint: {r.stdout}")
r = sweep("--cores", "1,2", "--sample-ms", 0.1, "-o", "short", "short.elf")
check(r.returncode == 0 and "No energy" not in r.stdout, f"rows without energy: {r.stdout}")

# ---- what cannot be ----------------------------------------------------------------

build("status", "int main(void) { return 7; }")
with open(f"{work}/s.json", "w", encoding="utf-8") as handle:
    handle.write("older")
r = sweep("--cores", "1", "-o", "status", "--json", "s.json", "status.elf")
check(r.returncode == 125 and "failed, exit status 7: see status/run-cores=1.failed.err" in r.stdout,
      f"a program's status: {r.returncode}, {r.stdout}")
with open(f"{work}/s.json", encoding="utf-8") as handle:
    check(handle.read() == "older", "a sweep without a result replaced an older one")
for words in (["--stdin", "-"], ["--stdin", "."], ["--stdin", "nowhere"], ["--json", "."],
              ["--json", "nowhere/s.json"], ["-j", "2x"]):
    r = sweep("--cores", "1", "-o", "never", *words, "status.elf")
    check(r.returncode == 125 and r.stderr.count("\n") == 1 and not list(work.glob("never/*")),
          f"{words}: {r.returncode}, {r.stderr}")

# ---- what is older stays until a whole new result is there -----------------------------

build("loops", r'''#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    volatile unsigned n = strtoul(argv[argc - 1], NULL, 0);
    puts(argv[1]);
    fputs("here\n", stderr);
    if (n == 0)
        return 1;
    while (n > 0)
        n--;
    return 0;
}''')
ENDLESS = "4000000000"


def older():
    return {p.name: p.read_bytes() for p in (work / "older").iterdir() if p.is_file() and ".failed." not in p.name}


def begun(word):
    """Whether the program has printed that word, with each number of cores."""
    try:
        return all((work / f"older/run-cores={n}.failed.out").read_text() == f"{word}\n" and
                   (work / f"older/run-cores={n}.failed.err").read_text().startswith("here\n") for n in (1, 2))
    except FileNotFoundError:
        return False


r = sweep("--cores", "1,2", "-o", "older", "loops.elf", "--", 1000)
first = older()
check(r.returncode == 0 and len(first) == 13, f"{r.stderr}, {sorted(first)}")
for words, status in ((("loops.elf", "--", "0"), 1), (("--timeout", 1, "loops.elf", "--", ENDLESS), 124)):
    r = sweep("--cores", "1,2", "-o", "older", *words)
    while status == 124 and words[1] < 100 and not begun(words[-1]):  # on a busy machine
        words = ("--timeout", words[1] * 10, *words[2:])
        r = sweep("--cores", "1,2", "-o", "older", *words)
    check(r.returncode == 125 and f"failed, exit status {status}: see older/run-cores=1.failed.err" in r.stdout and
          "see the .failed.err files in older" in r.stderr, f"{words}: {r.returncode}, {r.stdout}{r.stderr}")
    check(older() == first, f"{words}: it replaced an older result: {sorted(older())}")
    check((work / "older/run-cores=2.failed.out").read_text() == f"{words[-1]}\n", "its output")
    said = (work / "older/run-cores=2.failed.err").read_text()
    check(said.startswith("here\n") and ".new" not in said, f"its messages: {said}")
check((work / said.split("what was measured is in ")[1].strip()).exists(), said)
for number in (signal.SIGINT, signal.SIGKILL):
    p = subprocess.Popen([MPJOULE, "sweep", "--cores", "1,2", "-j", "2", "-o", "older", "loops.elf", "--", ENDLESS], cwd=work,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while p.poll() is None and not all((work / f"older/run-cores={n}.new/run-cores={n}.out").exists() for n in (1, 2)):
        time.sleep(0.02)
    p.send_signal(number)
    p.wait()
    check(older() == first, f"signal {number}: it replaced an older result: {sorted(older())}")
r = sweep("--cores", "1,2", "-o", "older", "loops.elf", "--", 1000)
check(r.returncode == 0 and older() == first, f"{r.stderr}: it was repeated: {sorted(older())}")
r = sweep("--cores", "1,2", "-o", "older", "loops.elf", "--", 2000)
check(r.returncode == 0 and set(older()) == set(first) and all(older()[n] != first[n] for n in first if "run" in n and n[-4:] != ".err"),
      f"{r.stderr}: not replaced: {sorted(older())}")
check(sorted(p.name for p in (work / "older").iterdir()) == sorted(first), "what failed stays after a result")

# ---- names that no order can have --------------------------------------------------

os.symlink("loops.elf", os.fsencode(work) + b"/p\xff.elf")
for words in (["-o", b"s\xff", "loops.elf"], ["-o", "never", b"p\xff.elf"], ["-o", "never", "loops.elf", "--", b"\xff"],
              ["-o", "never", "--stdin", b"p\xff.elf", "loops.elf"]):
    for command in (["sweep", "--cores", "1"], ["tune", "--cores", "1,2", "-O", "time"], ["explore", "--cores", "1..2"]):
        r = subprocess.run([MPJOULE, *command, *words], cwd=work, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        check(r.returncode == 125 and b"must be UTF-8" in r.stderr and r.stderr.count(b"\n") == 1 and
              not list(work.glob("s?")) and not list(work.glob("never/*")), f"{command} {words}: {r.returncode}, {r.stderr}")

# ---- input that changed ------------------------------------------------------------

build("first", '#include <stdio.h>\nint main(void) { putchar(getchar()); return 0; }')
for text in ("1", "two"):
    (work / "input").write_text(text)
    sweep("--cores", "1", "-o", "first", "--stdin", "input", "first.elf")
    out = (work / "first/run-cores=1.out").read_text()
    check(out == text[0], f"a run that read {text} says {out}")

# ---- what else a run depends on --------------------------------------------------------

(work / "own.conf").write_text(f"include {CALIBRATION}\n")
seen = []
for line in ("", "l2_kb = 256\n", ""):
    (work / "own.conf").write_text(f"include {CALIBRATION}\n{line}")
    r = sweep("--cores", "1", "-o", "chip", "--calibration", "./own.conf", "--sample-ms", 1, "--json", "s.json",
              f"{APPS}/matmul.elf", "--", 96)
    check(r.returncode == 0, f"a calibration of one's own: {r.stderr}")
    seen.append((json.loads((work / "s.json").read_text())["points"][0]["time_s"]))
check(seen[0] == seen[2] != seen[1], f"a calibration that was edited: {seen}")
r = sweep("--cores", "1", "-o", "chip", "--calibration", "./none.conf", f"{APPS}/matmul.elf")
check(r.returncode == 125 and "none.conf" in r.stderr and r.stderr.count("\n") == 1, f"no calibration: {r.stderr}")
build("words", '#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) { printf("%d %s|%s", c, v[1], getenv("X"));'
               'return getenv("X") && getenv("X")[0] == \'!\'; }')
for words in (("a\nb",), ("a", "b"), ("a\\nb",)):
    sweep("--cores", "1", "-o", "words", "words.elf", "--", *words)
    out = (work / "words/run-cores=1.out").read_text()
    check(out == f"{len(words) + 1} {words[0]}|(null)", f"the arguments {words} say {out}")

# ---- files of their own ------------------------------------------------------------------

long = ["x" * 300, "x" * 299 + "y"]
values = ["a/b", "a_b", "a%2Fb", "..", "a b", *long]
r = sweep("--env", f"X={','.join(values)}", "-j", 2, "-o", "names", "words.elf", "--", "a")
check(r.returncode == 0, f"names: {r.stderr}")
outs = {p.read_text() for p in (work / "names").glob("run-X=*.out")}
check(outs == {f"2 a|{v}" for v in values}, f"runs that share files: {outs}")
check((work / "names/run-X=a%2Fb.mpj").exists() and (work / "names/run-X=a_b.mpj").exists(), "other names")
# value 1.1 has not the file of value 1's second pass
r = sweep("--env", "X=1,1.1", "--events", "instr,branch,dcache_rd", "-j", 2, "-o", "logs", "words.elf", "--", "a")
logs = {p.name for p in (work / "logs").glob("*.mplog")}
check(r.returncode == 0 and logs == {f"run-X={n}.mplog" for n in ("1", "1.1", "1,1", "1,1.1")}, f"logs: {logs}, {r.stderr}")
before = set(work.parent.glob("ESC*")) | set(work.glob("*ESC*"))
r = sweep("--env", "../../../ESC=1,2", "--env", "Y=a-Z=b,a", "-o", "names", "words.elf", "--", "a")
check(set(work.parent.glob("ESC*")) | set(work.glob("*ESC*")) == before, "files outside of the folder")
check(len(list(work.glob("names/run-,,%2F,,%2F,,%2FESC=*.out"))) == 4, f"names of axes: {r.stdout} {r.stderr}")
for words, says in ((["--env", "X=a,a"], "duplicate value a"), (["--env", "X=1", "--env", "X=2"], "duplicate axis X"),
                    (["--cores", "1..2", "--cores", "4"], "duplicate axis cores"), (["--env", "=1,2"], "no name")):
    r = sweep(*words, "-o", "never", "words.elf")
    check(r.returncode == 125 and says in r.stderr and r.stderr.count("\n") == 1, f"{words}: {r.returncode}, {r.stderr}")

# ---- relative to a row that failed; on a terminal ------------------------------------------

r = sweep("--env", "X=!,\x1b[31mred", "-o", "first-failed", "--sample-ms", 1, "--json", "s.json", "words.elf", "--", "\x1b[31m")
point = json.loads((work / "s.json").read_text())["points"][1]
check("time_s" in point and "speed_up" not in point and "efficiency" not in point, f"relative to nothing: {point}")
row = [line for line in r.stdout.splitlines() if "[31mred" in line][-1]
check(r.returncode == 125 and re.match(r" *\[31mred +[\d.]+ +- +- ", row) and " 0.00" not in row, f"relative to nothing: {row}")
check("\x1b" not in r.stdout + r.stderr, f"raw on the terminal: {r.stdout!r}")

# ---- a program whose name begins with a dash -------------------------------------------------

shutil.copy(work / "words.elf", work / "-h.elf")
r = sweep("--cores", "1", "-o", "dash", "--", "-h.elf", "--", "-x")
check(r.returncode == 0 and (work / "dash/run-cores=1.out").read_text() == "3 --|(null)", f"-h.elf: {r.stdout} {r.stderr}")
r = mpjoule("tune", "--axis", "n=1..2", "--sample-ms", 1, "--objective", "time", "-o", "dashes", "--", "-h.elf", "{n}", cwd=work)
check(r.returncode == 0, f"tune -h.elf: {r.stdout} {r.stderr}")

# ---- killed ------------------------------------------------------------------------

build("endless", '#include <stdio.h>\nint main(void) { puts("on"); for (;;) { } }')
p = subprocess.Popen([MPJOULE, "sweep", "--cores", "1,2", "-j", "2", "-o", "killed", "endless.elf"],
                     cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
outputs = [work / f"killed/run-cores={n}.new/run-cores={n}.out" for n in (1, 2)]
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
