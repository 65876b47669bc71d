#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program prints the same in the emulator as on this machine.

usage: same.py MPJOULE CC PROGRAM.c LEAST_LINES

Works in the current directory; keeps here.txt and target.txt when they differ.
"""
import subprocess
import sys


def main(mpjoule, cc, source, least):
    subprocess.run([cc, "-O2", "-w", source, "-o", "native", "-lm"], check=True)
    subprocess.run([mpjoule, "cc", "-O2", "-w", source, "-o", "program.elf", "-lm"], check=True)
    here = subprocess.run(["./native"], capture_output=True, check=True).stdout
    done = subprocess.run([mpjoule, "run", "--quiet", "--no-counters", "--timeout", "1000", "program.elf"], capture_output=True, check=False)
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
    sys.exit(main(*sys.argv[1:5]))
