#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds a program with `mpjoule cc` and runs it in the emulator, once or in several ways.

usage: run.py [--status N] [--expect REGEX]... [--flag=FLAG]... [--env=NAME=VALUE]...
              [--vary | --matrix=N | --quantum=N] SOURCE [ARG...]

--status: exit status wanted of `mpjoule run` (default 0). --expect: must be found in what the
program or the command says. --flag: for the compiler (default -pthread).
--env: environment of the program. --vary: several seeds, quanta and numbers of cores, each run wanted
the same; `-s SEED` is added to the arguments. --matrix: the same N times, 18 at most, on four cores
with six quanta in turn and another seed each time. --quantum: once, with this one. Runs in the current directory.
"""
import argparse
import os
import re
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../harness")
from harness import MPJOULE, call, cc  # noqa: E402

VARIANTS = [  # cores, quantum, seed
    (4, 500, 1), (4, 37, 2), (4, 3000, 3), (3, 150, 4), (2, 1000, 5), (1, 500, 6), (4, 211, 7),
]
MATRIX = [(4, quantum, 100 + 6 * k + i)
          for k in range(3) for i, quantum in enumerate((17, 61, 250, 503, 1999, 8000))]


def run(args, elf, options, program_args):
    options = [*options, *(f"--env={e}" for e in args.env)]
    command = [MPJOULE, "run", "--quiet", "--timeout", "1000", *options, elf, "--",
               *program_args]
    done = call(*command, timeout=None)
    said = done.stdout + done.stderr
    wrong = []
    if done.returncode != args.status:
        wrong.append(f"exit status {done.returncode}, expected {args.status}")
    wrong += [f"does not say '{e}'" for e in args.expect if not re.search(e, said)]
    for w in wrong:
        print(f"{' '.join(command)}: {w}")
    if wrong:
        print(said)
    return not wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--expect", action="append", default=[])
    parser.add_argument("--vary", action="store_true")
    parser.add_argument("--matrix", type=int, default=0, metavar="N")
    parser.add_argument("--quantum", type=int, default=0)
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("source")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    elf = os.path.splitext(os.path.basename(args.source))[0] + ".elf"
    # The same program wherever the checkout is: paths in it would move its data.
    cc(args.source, elf, "-std=gnu11", "-O2", "-Wall", "-Wextra",
       f"-ffile-prefix-map={os.path.dirname(os.path.abspath(args.source))}/=", *(args.flag or ["-pthread"]))
    good = True
    if not args.vary and args.matrix == 0:
        good = run(args, elf, [f"--quantum={args.quantum}"] if args.quantum else [], args.args)
    else:
        for cores, quantum, seed in MATRIX[:args.matrix] or VARIANTS:
            options = [f"--cores={cores}", f"--quantum={quantum}", f"--seed={seed}"]
            good &= run(args, elf, options, [*args.args, "-s", str(seed)])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
