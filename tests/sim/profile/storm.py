#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile of threads that are interrupted by signals all the time, against the emulator's truth.

usage: storm.py

Counts and cycles of each thread must be those of its software context, with no tolerance, and what
holds in every profile must hold, on several numbers of cores and quanta. Signals arrive also when
the profiler's own interrupts send records.
"""
import os
import sys

import runs
from harness import cc, mpjoule

VARIANTS = [(4, 500), (4, 61), (2, 1000), (1, 500)]  # cores, quantum


def main():
    for name in ("pt_storm", "pt_signals"):
        source = f"{os.path.dirname(os.path.abspath(__file__))}/../pthread/{name}.c"
        cc(source, f"{name}.elf", "-std=gnu11", "-O2", "-pthread")
    done = mpjoule("run", "--quiet", "--timeout", "1000", "--samples", "--sample-ms", "0.2", "pt_signals.elf",
                   timeout=None)
    failed = "pt_signals: ok" not in done.stdout
    if failed:
        print(done.stdout, done.stderr)
    for cores, quantum in VARIANTS:
        events = ("instr", "dcache_rd")
        how = ["--events", ",".join(events), f"--cores={cores}", f"--quantum={quantum}"]
        code, said, profile = runs.run("pt_storm.elf", ["-n", "6", "-s", str(quantum)], how)
        bad = runs.against_truth(profile, events) + runs.consistent(profile)
        if code != 0 or len(profile["threads"]) != 10:
            bad.append(f"exit status {code}, {len(profile['threads'])} threads: {said}")
        for line in bad:
            print(f"{' '.join(how)}: {line}")
        failed += bool(bad)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
