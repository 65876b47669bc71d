#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which events are counted changes nothing of what the program does: not a cycle, on no core.

usage: passes.py

A program on one core, and one whose four threads meet at the L2, which a few cycles put into another
order. Compared is the whole truth of events and cycles. Works in the current directory.
"""
import json
import os
import sqlite3
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, WORKLOADS, cc, check, finish, must  # noqa: E402

# Events of cores alone, with others of the SCU and of the L2, one event, those of several passes.
CHOICES = [
    ["--events", "instr,dcache_rd_miss"],
    ["--events", "icache_miss"],
    ["--events", "tlb_miss,sb_drain,scu_cycles"],
    ["--events", "ddep_stall,lsu_stall,l2_castout,l2_walloc"],
    ["--events", "branch,branch_mispred,dcache_rd,dcache_wr,scu_migration,scu_ext_rd"],
]
# Passes that count linefills of threads read the SCU at every switch: all of the run, or none.
FILLS = ",".join(f"scu_{kind}_cpu{core}" for kind in ("miss", "c2c") for core in range(4))
PAIRS = ["instr,dcache_rd,dcache_wr,branch", "sb_drain,tlb_miss,icache_miss,ddep_stall"]


def truths(options, program):
    """What the emulator knows of each pass, without energies."""
    must(MPJOULE, "run", "--quiet", "-o", "r.mpj", *options, *program)
    with sqlite3.connect("r.mpj") as store:
        rows = store.execute("SELECT json FROM truth ORDER BY pass").fetchall()
    return [json.dumps([{key: part[key] for key in ("cycles", "wfi_cycles", "events")}
                        for part in truth["cores"]] + [truth["cycles"], truth["scu"], truth["l2"]])
            for truth in (json.loads(row[0])["window"] for row in rows)]


def same(program, choices, passes):
    seen = {}
    count = 0
    for options in choices:
        for truth in truths(options, program):
            seen.setdefault(truth, f"{' '.join(options)}: {truth[:70]}")
            count += 1
    check(len(seen) == 1,
          f"{program[0]}: {len(seen)} different ones of {count} passes:\n  " + "\n  ".join(seen.values()))
    check(count == passes, f"{program[0]}: {count} passes instead of {passes}")


def main():
    cc(f"{WORKLOADS}/mm.c", "mm.elf", "-O2")
    one = [f"{APPS}/stream_chase.elf", "--", "64", "1"]
    four = ["mm.elf", "--", "-n", "64", "-t", "4"]
    for program in (one, four):
        same(program, CHOICES, 6)
    same(four, [["--all-events"], ["--events", f"instr,branch,{FILLS}"]], 12)
    same(four, [["--rotate=1", "--events", pairs] for pairs in PAIRS], 2)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
