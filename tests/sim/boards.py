#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The emulated boards other than the RealView EB, each with its own runtime: the self-test's program measures what the
runtime takes for granted, micro-programs whose answers are those of a core print them, workloads of threads are right,
and two runs of one program are the same, byte for byte.

usage: boards.py [BOARD...]
"""
import contextlib
import filecmp
import glob
import io
import sys
import tempfile

sys.path.insert(0, f"{__file__.rsplit('/', 2)[0]}/harness")
import harness  # noqa: E402
import known  # noqa: E402
from harness import PROGRAM_HEADERS, ROOT, WORKLOADS, call, cc, check, finish, mpjoule  # noqa: E402

BOARDS = ["pb11mp", "ox820"]
# Their answers are those of the core, wherever the program lies, with one core or more, and without an L220.
KNOWN = ["known_alu", "known_border", "known_dep", "known_float"]
WORK = ["mmmt", "fft", "omp_cg", "st_mutex", "so_tasks"]
ITEMS = {"pb11mp": 206, "ox820": 98}


def selftest(board, folder):
    """Its lines are described in apps/tools/selftest/selftest.h."""
    elf = f"{folder}/selftest.elf"
    harness.must(harness.MPJOULE, "cc", "--board", board, "-O2", *sorted(glob.glob(f"{ROOT}/apps/tools/selftest/*.c")),
                 "-o", elf)
    run = mpjoule("run", "--quiet", elf, "--", "line=0", cwd=folder)
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
        elf = cc(f"{programs}/{name}.c", f"{folder}/{name}.elf", "--board", board, "-O2", "-I", PROGRAM_HEADERS)
        with contextlib.redirect_stdout(io.StringIO()):
            known.main(elf, f"{programs}/{name}.expect", "--quiet", "-o", f"{folder}/known.mpj")


def work(board, folder):
    for w in harness.workloads():
        if w.name not in WORK:
            continue
        elf = cc(f"{WORKLOADS}/{w.source}", f"{folder}/{w.name}.elf", "--board", board, "-std=gnu11", "-O2", *w.flags)
        run = mpjoule("run", "--quiet", elf, "--", *w.quick.split(), cwd=folder)
        check(run.returncode == 0 and ": ok" in run.stdout, f"{board}: {w.name}: {run.stdout}{run.stderr}")


def twice(board, folder):
    for n in "ab":
        run = mpjoule("run", "--quiet", "-o", f"{n}.mpj", f"{folder}/mmmt.elf", "--", "-n", "24", "-j", "6", cwd=folder)
        check(run.returncode == 0, f"{board}: {run.stderr}")
    check(filecmp.cmp(f"{folder}/a.mplog", f"{folder}/b.mplog", shallow=False), f"{board}: two runs differ")


def main():
    if call(harness.QEMU, "--version").returncode != 0:
        print("skipped: the emulator is not built")
        return 77
    boards = sys.argv[1:] or BOARDS
    for board in boards:
        with tempfile.TemporaryDirectory() as folder:
            selftest(board, folder)
            answers(board, folder)
            work(board, folder)
            twice(board, folder)
    return finish(f"{', '.join(boards)}: self-test, {len(KNOWN)} programs with known answers, {len(WORK)} workloads")


if __name__ == "__main__":
    sys.exit(main())
