#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a micro-program in the emulator and checks the numbers it prints against
answers derived by hand.

usage: known.py MPJOULE APP.elf EXPECT [run options...]

The program prints lines `name value`. EXPECT has one line per check,
    name == value | name in low high | name == other_name [+|- value]
and every name the program prints must be checked: an unexpected line fails too.
"""
import re
import subprocess
import sys

LINE = re.compile(r"^([a-z][a-z0-9_.]*) (-?\d+)$")


def term(words, values):
    total, sign = 0, 1
    for word in words:
        if word in "+-":
            sign = 1 if word == "+" else -1
        else:
            total += sign * (values[word] if word in values else int(word))
    return total


def main(mpjoule, app, expect, options):
    run = subprocess.run([mpjoule, "run", *options, app], capture_output=True, text=True, check=False)
    values = {m[1]: int(m[2]) for m in map(LINE.match, run.stdout.split("\n")) if m}
    bad = []
    checked = set()
    with open(expect, encoding="utf-8") as handle:
        for number, line in enumerate(handle, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            name, relation, rest = words[0], words[1], words[2:]
            checked.add(name)
            if name not in values:
                bad.append(f"{expect}:{number}: the program did not print {name}")
                continue
            value = values[name]
            if relation == "==":
                want = term(rest, values)
                fine, text = value == want, str(want)
            elif relation == "in":
                low, high = int(rest[0]), int(rest[1])
                fine, text = low <= value <= high, f"{low}..{high}"
            else:
                raise SystemExit(f"{expect}:{number}: unknown relation {relation}")
            if not fine:
                bad.append(f"{expect}:{number}: {name} is {value}, expected {text}")
    bad += [f"{expect}: no answer for {name} {values[name]}" for name in sorted(set(values) - checked)]
    if run.returncode != 0:
        bad.append(f"{app}: exit status {run.returncode}: {run.stderr.strip()}")
    if not checked:
        bad.append(f"{expect}: no checks")
    for line in bad:
        print(line)
    print(f"{len(checked)} answers, {len(bad)} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
