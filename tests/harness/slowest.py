#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Passes on what ctest says, and puts the slowest tests, and those that passed only when they were tried again, before
its summary, which stays the end.

usage: ctest ... 2>&1 | slowest.py
"""
import re
import signal
import sys

COUNT = 20
TEST = re.compile(r" *(?:\d+/\d+)? Test +#\d+: (\S+) (.*) ([\d.]+) sec$")
SUMMARY = re.compile(r"\d+% tests passed, \d+ tests failed out of \d+$")


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for ctest, which then says how far it came
    times, failed, again, summary = {}, set(), [], []
    for line in sys.stdin:
        found = TEST.match(line)
        if found:
            name = found[1]
            times[name] = max(float(found[3]), times.get(name, 0))
            if not found[2].rstrip().endswith(" Passed"):
                failed.add(name)
            elif name in failed:
                again.append(name)
        if SUMMARY.match(line) or summary:
            summary.append(line)
        else:
            print(line, end="", flush=True)
    if len(times) > 1:
        print(f"Slowest {min(COUNT, len(times))} of {len(times)} tests, in seconds:")
        for seconds, name in sorted(((s, n) for n, s in times.items()), reverse=True)[:COUNT]:
            print(f"{seconds:9.2f}  {name}")
        print()
    if again:
        print("Passed only when tried again: a race in these tests or in what they test. Their first output is above.")
        for name in again:
            print(f"    {name}")
        print()
    sys.stdout.write("".join(summary))


if __name__ == "__main__":
    main()
