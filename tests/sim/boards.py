#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The emulated boards other than the RealView EB, each with its own runtime: the self-test's program measures what the
runtime assumes, micro-programs whose answers are those of a core print them, workloads of threads are right,
and two runs of one program are the same, byte for byte.

usage: boards.py [BOARD...]
"""
import contextlib
import filecmp
import glob
import io
import os
import sys
import tempfile

sys.path.insert(0, f"{__file__.rsplit('/', 2)[0]}/harness")
import harness  # noqa: E402
import known  # noqa: E402
from harness import FIRMWARE, PROGRAM_HEADERS, QEMU, ROOT, WORKLOADS, call, check, finish, mpjoule, must  # noqa: E402

# Cores, and MB of RAM.
BOARDS = {"pb11mp": (4, 512), "ox820": (2, 128)}
# Their answers are those of the core, wherever the program lies, with one core or more, and without an L220.
KNOWN = ["known_alu", "known_border", "known_dep", "known_float"]
WORK = ["mmmt", "fft", "omp_cg", "st_mutex", "so_tasks"]
ITEMS = {"pb11mp": 206, "ox820": 98}

# The emulator for a board, whatever machine `mpjoule run` asks for.
EMULATOR = """#!/usr/bin/env python3
import os, re, sys
args = sys.argv[1:]
for option, value in {"-smp": "%(cores)d", "-m": "%(ram)d"}.items():
    if option in args:
        args[args.index(option) + 1] = value
if "-M" in args:
    at = args.index("-M") + 1
    args[at] = re.sub("calibration=[^,]*", "calibration=%(calibration)s", re.sub("^[^,]*", "%(board)s", args[at]))
os.execv("%(qemu)s", ["%(qemu)s", *args])
"""


def prepare(board, folder):
    cores, ram = BOARDS[board]
    path = harness.write(f"{folder}/emulator", EMULATOR % {
        "board": board, "cores": cores, "ram": ram, "qemu": os.path.realpath(QEMU),
        "calibration": f"{ROOT}/sim/calibrations/{board}.conf"})
    os.chmod(path, 0o755)
    os.environ["MPJOULE_QEMU"] = path


def link(board, elf, sources, *flags):
    """As `mpjoule cc` does, with the runtime of a board."""
    must("arm-none-eabi-gcc", f"-B{FIRMWARE}/board/{board}/", f"-B{FIRMWARE}/", f"-I{FIRMWARE}/board/{board}/include",
         f"-I{FIRMWARE}/include", f"-L{FIRMWARE}/board/{board}", f"-specs={FIRMWARE}/mpjoule.specs", "-O2", *flags,
         *sources, "-o", elf, "-lm")
    return elf


def run_on(board, *args, folder):
    return mpjoule("run", "--quiet", "--cores", BOARDS[board][0], *args, cwd=folder)


def selftest(board, folder):
    """Its lines are described in apps/tools/selftest/selftest.h."""
    elf = link(board, f"{folder}/selftest.elf", sorted(glob.glob(f"{ROOT}/apps/tools/selftest/*.c")))
    run = run_on(board, elf, "--", "line=0", folder=folder)
    check(run.returncode == 0, f"{board}: the self-test: status {run.returncode}: {run.stderr}")
    lines = [line.split("\t") for line in run.stdout.splitlines() if line.startswith("@")]
    items = [line for line in lines if line[0] == "@item"]
    check(len(items) == ITEMS[board], f"{board}: {len(items)} items, not {ITEMS[board]}")
    for line in items:
        name, index, value, low, high = line[1], line[2], *map(int, line[3:6])
        check(low <= value <= high, f"{board}: {name} {index} is {value}, not {low}..{high}")
    for line in lines:
        check(line[0] in ("@item", "@part", "@note", "@end"), f"{board}: {' '.join(line)}")
    check(any(line[0] == "@end" for line in lines), f"{board}: the self-test has not come to its end")


def answers(board, folder):
    for name in KNOWN:
        programs = f"{ROOT}/tests/programs"
        elf = link(board, f"{folder}/{name}.elf", [f"{programs}/{name}.c"], f"-I{PROGRAM_HEADERS}")
        with contextlib.redirect_stdout(io.StringIO()):
            known.main(elf, f"{programs}/{name}.expect", "--quiet", "--cores", BOARDS[board][0], "-o",
                       f"{folder}/known.mpj")


def work(board, folder):
    for w in harness.workloads():
        if w.name not in WORK:
            continue
        elf = link(board, f"{folder}/{w.name}.elf", [f"{WORKLOADS}/{w.source}"], "-std=gnu11", *w.flags)
        run = run_on(board, elf, "--", *w.quick.split(), folder=folder)
        check(run.returncode == 0 and ": ok" in run.stdout, f"{board}: {w.name}: {run.stdout}{run.stderr}")


def twice(board, folder):
    for n in "ab":
        run = run_on(board, "-o", f"{n}.mpj", f"{folder}/mmmt.elf", "--", "-n", "24", "-j", "6", folder=folder)
        check(run.returncode == 0, f"{board}: {run.stderr}")
    check(filecmp.cmp(f"{folder}/a.mplog", f"{folder}/b.mplog", shallow=False), f"{board}: two runs differ")


def main():
    if call(QEMU, "--version").returncode != 0:
        print("skipped: the emulator is not built")
        return 77
    boards = sys.argv[1:] or list(BOARDS)
    for board in boards:
        with tempfile.TemporaryDirectory() as folder:
            prepare(board, folder)
            selftest(board, folder)
            answers(board, folder)
            work(board, folder)
            twice(board, folder)
    return finish(f"{', '.join(boards)}: self-test, {len(KNOWN)} programs with known answers, {len(WORK)} workloads")


if __name__ == "__main__":
    sys.exit(main())
