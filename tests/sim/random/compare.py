#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs do the same in the emulator as in the distribution's QEMU, which has no model.

usage: compare.py [--kind isa|vfp|c]... [--seeds FIRST[..LAST]] [--functions N] [--rounds N] [--thumb]
                  [--stock QEMU] [--keep DIR]

  isa  instructions of ARM and Thumb: arithmetic, DSP, SIMD, exclusive accesses, swaps, big-endian and
       unaligned data (gen_isa.py)
  vfp  floating point in all modes of rounding, flushing to zero, default NaN, short vectors (gen_vfp.py)
  c    programs of csmith, package csmith; their checksum is also that of a native build

Each program runs three times: in the distribution's QEMU (package qemu-system-arm), in the emulator with
and without its fast path. --thumb: kind c as Thumb code. --keep: where the programs are made and stay.
On a difference its first result is told, and the exit status is 1. A seed takes about two seconds:

    tests/sim/random/compare.py --seeds 1..500

Not tested, because the distribution's QEMU is wrong there: sections that are mapped anew and flushed
from the TLB by address.
"""
import argparse
import os
import re
import resource
import shutil
import signal
import sys
import tempfile

import gen_isa
import gen_vfp

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../harness")
from harness import MPJOULE, call, write  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = {"isa": (60, 6), "vfp": (30, 1)}  # functions, rounds
CSMITH = ["--no-packed-struct", "--no-bitfields", "--no-unions", "--concise", "--max-funcs", "6"]
CSMITH_HEADERS = "/usr/include/csmith"
NATIVE_SECONDS = 2  # of the processor: programs of csmith need not end; what takes longer is left out
TARGET_SECONDS = "1000"


class Wrong(Exception):
    """A program that cannot be made or run, or two results that differ."""


def must(command, timeout=None, **options):
    done = call(*command, timeout=timeout, **options)
    if done.returncode != 0:
        raise Wrong(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-400:]}{done.stderr[-2000:]}")
    return done.stdout


class Runner:
    """The three ways to run a program."""

    def __init__(self, args):
        self.stock = args.stock

    def run(self, way, elf, arguments):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MPJOULE_QEMU")}
        options = ["--quiet", "--timeout", TARGET_SECONDS, "-o", elf + ".mpj"]
        if way == "stock":
            environment["MPJOULE_QEMU"] = self.stock
            options += ["--calibration", "none"]
        elif way == "portable":
            environment["MPJOULE_QEMU_MACHINE"] = "fastpath=off"
        return must([MPJOULE, "run", *options, elf, "--", *arguments], env=environment)

    def compare(self, elf, arguments, details):
        """What the program prints, the same in all ways; else the first line that differs, of the run with
        the further arguments that details(line) gives."""
        wanted = self.run("stock", elf, arguments)
        if not wanted:
            raise Wrong("the program printed nothing")
        for way in ("fast", "portable"):
            found = self.run(way, elf, arguments)
            if found != wanted:
                line, _ = first_difference(wanted, found)
                more = details(line)
                if more:
                    wanted, found = self.run("stock", elf, arguments + more), self.run(way, elf, arguments + more)
                raise Wrong("{}: stock has\n  {}\nthe emulator\n  {}".format(way, *first_difference(wanted, found)))
        return wanted


def first_difference(wanted, found):
    left, right = wanted.splitlines(), found.splitlines()
    for pair in zip(left, right):
        if pair[0] != pair[1]:
            return pair
    return f"{len(left)} lines", f"{len(right)} lines"


def check_instructions(runner, kind, seed, args, folder):
    functions, rounds = SIZES[kind]
    generator = {"isa": gen_isa, "vfp": gen_vfp}[kind]
    source = write(f"{folder}/{kind}{seed}.s", generator.generate(seed, args.functions or functions))
    elf = source[:-2] + ".elf"
    must([MPJOULE, "cc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-Wa,-mno-warn-deprecated",
          os.path.join(HERE, f"{kind}_driver.c"), source, "-o", elf])
    runner.compare(elf, [str(args.rounds or rounds)],
                   lambda line: [str(int(re.search(r"core (\d+)", line)[1]) + 1)])
    return True


def check_c(runner, _kind, seed, args, folder):
    """False: the program takes too long."""
    text = must(["csmith", "--seed", str(seed), *CSMITH], cwd=folder)
    # A constant is as wide as its value needs, wherever the compiler's long is wide.
    text = re.sub(r"\b(0x[0-9A-F]+|\d+)(U?)L\b", r"\1\2", text)
    source = write(f"{folder}/c{seed}.c", text)
    native, elf = source[:-2] + ".native", source[:-2] + ".elf"
    must(["cc", "-O1", "-w", "-fwrapv", "-I", CSMITH_HEADERS, source, "-o", native])
    run = call(native, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (NATIVE_SECONDS, NATIVE_SECONDS + 1)))
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return False
    if run.returncode != 0:
        raise Wrong(f"native: exit status {run.returncode}")
    wanted = run.stdout
    must([MPJOULE, "cc", "-O2", "-w", "-fwrapv", *(["-mthumb"] if args.thumb else []), "-I", CSMITH_HEADERS,
          source, "-o", elf])
    found = runner.compare(elf, [], lambda line: [])
    if found != wanted:
        raise Wrong(f"native: {wanted.strip()}, on the target: {found.strip()}")
    return True


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--kind", action="append", choices=["isa", "vfp", "c"])
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--functions", type=int)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--thumb", action="store_true")
    parser.add_argument("--stock", default="/usr/bin/qemu-system-arm")
    parser.add_argument("--keep")
    args = parser.parse_args()
    first, _, last = args.seeds.partition("..")
    checks = {"isa": check_instructions, "vfp": check_instructions, "c": check_c}
    kinds = args.kind or ["isa", "vfp", "c"]
    if "c" in kinds and not shutil.which("csmith"):
        raise SystemExit("compare.py: kind c needs the packages csmith and libcsmith-dev")
    folder = args.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    good = long = bad = 0
    try:
        for seed in range(int(first), int(last or first) + 1):
            for kind in kinds:
                try:
                    if checks[kind](Runner(args), kind, seed, args, folder):
                        good += 1
                    else:
                        long += 1
                except Wrong as error:
                    bad += 1
                    print(f"{kind} {seed}: {error}", flush=True)
    finally:
        if not args.keep:
            shutil.rmtree(folder)
    print(f"{good} programs do the same, {bad} do not, {long} took too long natively")
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
