#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux's drivers and mpjoule count the same on the emulated tile, and both what the loops' length says.

usage: linux_events.py

The same object code (tests/bench/loops) by perf_event_open() and by mpjoule: every event of every loop is within 0.5 % of
what is derived by hand (tests/harness/loops.py), and a few events or cycles that starting and stopping the counters
takes; and the events have the same numbers in Linux's driver and in tile_events.h. docs/witness.md has the figures.

Skipped (77) where Linux is not built: sim/linux/build.sh does that, which takes minutes.
"""
import sys
import tempfile

sys.path.insert(0, f"{__file__.rsplit('/', 2)[0]}/harness")
from harness import CORE_EVENTS, check, finish, must  # noqa: E402
import loops  # noqa: E402
import on_linux  # noqa: E402

SHARE = 0.005
# Beyond the share: of events, and of those that count cycles. The kernel's own lines and translations, which a longer
# run has pushed out and a shorter one has not, are missed before the counters stop.
SLACK = {"mpjoule": (25, 150), "Linux": (60, 800)}
ALONE = ("add", "mul", "load", "store", "branch-right", "branch-wrong", "call", "indirect", "drain", "vfp")
TICKS_SHARE = 0.02  # of the time, at most


def same_code(folder):
    """The loops' bytes are in both programs."""
    must("arm-none-eabi-objcopy", "-O", "binary", "-j", ".text.loops", f"{folder}/loops.o", f"{folder}/loops.bin")
    with open(f"{folder}/loops.bin", "rb") as handle:
        code = handle.read()
    check(len(code) > 65536, f"the loops are {len(code)} bytes")
    for name in ("tile.elf", "init"):
        with open(f"{folder}/{name}", "rb") as handle:
            check(code in handle.read(), f"{name} has other code than the loops' object file")


def same_numbers(theirs, ours, names, unnamed):
    """Linux's table of events against ours; returns how many there are."""
    check(set(theirs) == set(names), f"Linux names the events {sorted(theirs)}")
    for linux, name in names.items():
        check(theirs.get(linux) == ours[name][0], f"{linux} is {theirs.get(linux)}, {name} {ours[name][0]}")
    check(set(ours) - set(names.values()) == unnamed, f"not {unnamed} alone have no name in Linux")
    return len(theirs)


def bounds(who, measured):
    """Each count against the loop's length."""
    for loop in loops.EXPECTED:
        if loop not in measured.rounds:
            check(False, f"{who}: no counts of {loop}:\n{measured.text[-1000:]}")
            continue
        for event in ["cycles"] + CORE_EVENTS:
            if (loop, event) in loops.UNSETTLED or loop == "contended" and event in ("lsu_stall", "ifetch_stall"):
                continue
            want = measured.rounds[loop] * loops.expected(loop, event, who == "Linux")
            slack = SLACK[who][event in loops.CYCLES]
            # another core's ticks, too; and in a round in which that core is late, the line stays
            share = SHARE * ((10 if event == "ext_req" else 3) if loop == "contended" else 1)
            got = measured.counts[loop, event]
            check(abs(got - want) <= share * want + slack, f"{who}: {loop}: {event} {got}, by hand {want:.0f}")


def main():
    if not on_linux.built():
        print(on_linux.NOT_BUILT)
        return 77
    events = same_numbers(loops.linux_events(), loops.tile_events(), loops.NAMES, {"folded", "sb_merge"})
    events += same_numbers(loops.linux_l2_events(), loops.tile_events("L2"), loops.L2_NAMES, set())
    with tempfile.TemporaryDirectory() as folder:
        tile, linux = loops.measure(folder)
        same_code(folder)
    bounds("mpjoule", tile)
    bounds("Linux", linux)
    for loop in ALONE:
        apart = linux.counts[loop, "cycles"] - tile.counts[loop, "cycles"]
        check(abs(apart) <= 0.001 * tile.counts[loop, "cycles"], f"{loop}: Linux counts {apart:+} cycles more")
    check("user-only Invalid argument" in linux.text, "Linux counts User mode alone, which this monitor cannot")
    check(linux.long and 0 < linux.long[1] < TICKS_SHARE * linux.long[0], f"Linux's ticks take {linux.long}")
    return finish(f"{events} numbers of events; {len(loops.EXPECTED)} loops by Linux, by mpjoule and by hand")


if __name__ == "__main__":
    sys.exit(main())
