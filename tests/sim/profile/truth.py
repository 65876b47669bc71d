#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile of every workload against the emulator's truth: counts and cycles of each thread.

usage: truth.py REGEX

Runs the workloads whose name matches with their quick arguments, each with two pairs of events: that
of instructions and reads, and one that takes turns through all others; the second run with other
quanta, seeds and numbers of cores. What a thread counted must be exactly what the emulator counted
for its software context, with no tolerance.
"""
import re
import sys

import runs
from harness import CORE_EVENTS, workloads

VARIANTS = [  # cores, quantum, seed
    (4, 137, 2), (3, 1000, 3), (2, 500, 4), (4, 2000, 5), (1, 500, 6),
]


def main(pattern):
    others = [e for e in CORE_EVENTS if e not in ("instr", "dcache_rd")]
    pairs = list(zip(others[::2], others[1::2] + others[:1]))
    compared, failed = 0, 0
    for number, (name, source, flags, _, args, status, *_) in enumerate(workloads()):
        if not re.search(pattern, name):
            continue
        elf = runs.build(source, flags)
        cores, quantum, seed = VARIANTS[number % len(VARIANTS)]
        if status == "deadlock":  # by what it does with four
            cores = 4
        for events, options in ((("instr", "dcache_rd"), []),
                                (pairs[number % len(pairs)],
                                 [f"--cores={cores}", f"--quantum={quantum}", f"--seed={seed}"])):
            how = ["--events", ",".join(events), *options]
            code, said, profile = runs.run(elf, args.split(), how)
            bad = runs.against_truth(profile, events) + runs.consistent(profile)
            if code != (125 if status == "deadlock" else 0):
                bad.append(f"exit status {code}: {said}")
            compared += len(profile["threads"])
            failed += bool(bad)
            for line in bad:
                print(f"{name} {' '.join(how)}: {line}")
    print(f"{compared} threads compared, {failed} runs wrong")
    return 1 if failed or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
