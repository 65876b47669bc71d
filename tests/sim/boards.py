#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The emulated boards other than the RealView EB, each with its own runtime: the self-test measures what the
runtime assumes and skips what the board lacks, micro-programs whose answers are those of a core print them, workloads of threads are right,
and two runs of one program are the same, byte for byte.

usage: boards.py [BOARD...]
"""
import contextlib
import filecmp
import io
import sys
import tempfile

sys.path.insert(0, f"{__file__.rsplit('/', 2)[0]}/harness")
import harness  # noqa: E402
import known  # noqa: E402
from harness import (PROGRAM_HEADERS, QEMU, ROOT, TIMEOUT_S, WORKLOADS, call, cc, check, finish, load,  # noqa: E402
                     mpjoule)

BOARDS = ["pb11mp", "ox820"]
# Their answers are those of the core, wherever the program lies, with one core or more, and without an L220.
# Not so known_branch: 8 of its 45 figures differ by up to three branches (split, call, condret), which fold or are predicted if their
# entry of the BTAC is left from before, and that depends on addresses: with `cc --layout=3` all 45 are as expected on the OX820, and
# with others they differ on every board.
KNOWN = ["known_alu", "known_border", "known_dep", "known_float"]
WORK = ["mmmt", "fft", "omp_cg", "st_mutex", "so_tasks"]
# Values that the self-test measures but those of the line, and what a board lacks.
VALUES = {"pb11mp": 204, "ox820": 96}
ABSENT = {"pb11mp": ["adc.answers"], "ox820": ["id.board", "id.l220", "watchdog.rate", "nor.size", "adc.answers"]}


def selftest(board, folder):
    out = f"{folder}/selftest.json"
    test = mpjoule("selftest", "--quiet", "--board", board, "--line-bytes", 1, "--json", out, "--timeout", TIMEOUT_S)
    check(test.returncode == 0, f"{board}: the self-test: status {test.returncode}: {test.stderr}")
    result = load(out)
    items = [item for item in result["items"] if not item["item"].startswith("line.")]
    values = sum(len(item.get("measured", [])) for item in items)
    check(result["ok"] and result["calibration"] == board, f"{board}: the self-test: {result}")
    check(values == VALUES[board], f"{board}: {values} values, not {VALUES[board]}")
    skipped = [item["item"] for item in items if item["verdict"] == "skipped"]
    check(skipped == ABSENT[board], f"{board}: skipped: {skipped}")


def build(board, elf, source, *flags):
    return cc(source, elf, "--board", board, "-O2", *flags)


def answers(board, folder):
    for name in KNOWN:
        programs = f"{ROOT}/tests/programs"
        elf = build(board, f"{folder}/{name}.elf", f"{programs}/{name}.c", f"-I{PROGRAM_HEADERS}")
        with contextlib.redirect_stdout(io.StringIO()):
            known.main(elf, f"{programs}/{name}.expect", "--quiet", "-o", f"{folder}/known.mpj")


def work(board, folder):
    for w in harness.workloads():
        if w.name not in WORK:
            continue
        elf = build(board, f"{folder}/{w.name}.elf", f"{WORKLOADS}/{w.source}", "-std=gnu11", *w.flags)
        run = mpjoule("run", "--quiet", elf, "--", *w.quick.split(), cwd=folder)
        check(run.returncode == 0 and ": ok" in run.stdout, f"{board}: {w.name}: {run.stdout}{run.stderr}")


def twice(board, folder):
    for n in "ab":
        run = mpjoule("run", "--quiet", "-o", f"{n}.mpj", "mmmt.elf", "--", "-n", "24", "-j", "6", cwd=folder)
        check(run.returncode == 0, f"{board}: {run.stderr}")
    check(filecmp.cmp(f"{folder}/a.mplog", f"{folder}/b.mplog", shallow=False), f"{board}: two runs differ")


def refused(board, folder, cores):
    """Cores that the board lacks are refused, one line each, by run and by explore, whose chip is the board's own."""
    for words in (("run", "--quiet", "--cores", cores + 1, "mmmt.elf"), ("explore", "--cores", f"1..{cores + 1}", "mmmt.elf")):
        done = mpjoule(*words, cwd=folder)
        check(done.returncode == 125 and done.stderr.count("\n") == 1 and f"{cores}" in done.stderr, f"{board}: {words}: {done.stderr}")
    done = mpjoule("explore", "--quiet", "--cores", f"1..{cores}", "--vary", 0, "--json", "found.json", "mmmt.elf", "--", "-n", 24, "-j", 6, cwd=folder)
    check(done.returncode == 0, f"{board}: explore: {done.stderr}")
    found = load(f"{folder}/found.json")
    check(found["calibration"] == board and len(found["points"]) == cores, f"{board}: explore: {found}")
    done = mpjoule("run", "--quiet", "--json", "own.json", "mmmt.elf", "--", "-n", 24, "-j", 6, cwd=folder)
    truth = load(f"{folder}/own.json")["truth"]
    own = next(p for p in found["points"] if p["at"]["cores"] == str(cores))
    check(abs(own["time_s"] * 850e6 / truth["cycles"] - 1) < 1e-9 and abs(own["energy_j"] / truth["energy_uj"] * 1e6 - 1) < 1e-9,
          f"{board}: its own chip is {own['time_s']} s, {own['energy_j']} J, not {truth['cycles']} cycles, {truth['energy_uj']} uJ")
    done = mpjoule("explore", "--chip", "l2_kb=128,256", "mmmt.elf", cwd=folder)
    check("has no level-2 cache" in done.stderr, f"{board}: an L2 that is not there: {done.stderr}")


def main():
    if call(QEMU, "--version").returncode != 0:
        print("skipped: the emulator is not built")
        return 77
    boards = sys.argv[1:] or BOARDS
    for board in boards:
        with tempfile.TemporaryDirectory() as folder:
            selftest(board, folder)
            answers(board, folder)
            work(board, folder)
            twice(board, folder)
            if board == "ox820":
                refused(board, folder, 2)
    return finish(f"{', '.join(boards)}: self-test, {len(KNOWN)} programs with known answers, {len(WORK)} workloads")


if __name__ == "__main__":
    sys.exit(main())
