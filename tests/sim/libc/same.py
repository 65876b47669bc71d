#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program prints the same in the emulator as on this machine.

usage: same.py CC PROGRAM.c LEAST_LINES

Works in the current directory; keeps here.txt and target.txt when they differ.
"""
import os
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../harness")
from harness import cc, mpjoule, must  # noqa: E402


def main(compiler, source, least):
    must(compiler, "-O2", "-w", source, "-o", "native", "-lm")
    cc(source, "program.elf", "-O2", "-w")
    here = must("./native", text=False).stdout
    done = mpjoule("run", "--quiet", "--no-counters", "--timeout", "1000", "program.elf", text=False)
    if done.returncode != 0:
        print(f"target: {done.returncode}: {done.stderr.decode(errors='replace')}")
        return 1
    lines = list(zip(here.split(b"\n"), done.stdout.split(b"\n")))
    wrong = [(a, b) for a, b in lines if a != b]
    for a, b in wrong[:20]:
        print(f"here   {a.decode(errors='replace')}\ntarget {b.decode(errors='replace')}")
    print(f"{len(lines)} lines, {len(wrong)} differ, {len(here)} and {len(done.stdout)} bytes")
    if here == done.stdout and len(lines) >= int(least):
        return 0
    with open("here.txt", "wb") as handle:
        handle.write(here)
    with open("target.txt", "wb") as handle:
        handle.write(done.stdout)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
