#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a micro-program in the emulator and checks the numbers it prints against
answers derived by hand, on a chip that nothing disturbs (jitter=0).

usage: known.py APP.elf EXPECT [run options...]

The program prints lines `name value`. EXPECT has one line per check,
    name == value | name in low high | name == other_name [+|- value]
and every name the program prints must be checked: an unexpected line fails too.
"""
import os
import re
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import check, finish, mpjoule  # noqa: E402

LINE = re.compile(r"^([a-z][a-z0-9_.]*) (-?\d+)$")


def term(words, values):
    total, sign = 0, 1
    for word in words:
        if word in "+-":
            sign = 1 if word == "+" else -1
        else:
            total += sign * (values[word] if word in values else int(word))
    return total


def main(app, expect, *options):
    machine = ",".join(word for word in (os.environ.get("MPJOULE_QEMU_MACHINE"), "jitter=0") if word)
    run = mpjoule("run", *options, app, env={**os.environ, "MPJOULE_QEMU_MACHINE": machine})
    values = {m[1]: int(m[2]) for m in map(LINE.match, run.stdout.split("\n")) if m}
    checked = set()
    with open(expect, encoding="utf-8") as handle:
        for number, line in enumerate(handle, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            name, relation, rest = words[0], words[1], words[2:]
            checked.add(name)
            check(name in values, f"{expect}:{number}: the program did not print {name}")
            if name not in values:
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
            check(fine, f"{expect}:{number}: {name} is {value}, expected {text}")
    for name in sorted(set(values) - checked):
        check(False, f"{expect}: no answer for {name} {values[name]}")
    check(run.returncode == 0, f"{app}: exit status {run.returncode}: {run.stderr.strip()}")
    check(checked, f"{expect}: no checks")
    return finish(f"{len(checked)} answers")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
