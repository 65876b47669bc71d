#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux boots on the emulated boards other than the tile, each with its own device tree: it finds the cores, their
UART, clocks and monitors by its own drivers, its stress (sim/linux/stress.c) computes the same as on all of them, and
it resets the board at the end.

usage: linux_boards.py [BOARD...]

Skipped (77) where Linux is not built: sim/linux/build.sh does that, which takes minutes.
"""
import re
import sys

sys.path.insert(0, f"{__file__.rsplit('/', 2)[0]}/harness")
from harness import ROOT, call, check, finish  # noqa: E402

PART = re.compile(r"[a-z-]+ \d+ [0-9a-f]{8}")
PARTS = 11
# What its console says of a board, by the driver that says it.
SAYS = {
    "pb11mp": [
        "OF: fdt: Machine model: ARM RealView PB11MPcore",
        "SMP: Total of 4 processors activated",
        "L2C-220 cache controller enabled, 8 ways, 1024 kB",
        "10009000.serial: ttyAMA0 at MMIO 0x10009000",
        "Switched to clocksource arm,sp804",
        "RealView Syscon Core ID: 0x01590500, HBI-159",
        "armv6_11mpcore PMU driver, 3 counters available",
    ],
    "ox820": [
        "OF: fdt: Machine model: Cloud Engines PogoPlug Series 3",
        "SMP: Total of 2 processors activated",
        "timer_oxnas_rps: Registered clock event rate 6250000Hz",
        "Registered clocksource rate 390625Hz",
        "44200000.serial: ttyS0 at MMIO 0x44200000",
        "a 16550A",
        "Switched to clocksource oxnas_rps_clocksource_timer",
    ],
}


def boot(board):
    done = call(f"{ROOT}/sim/linux/run.sh", "--board", board, "--append", "rounds=1")
    check(done.returncode == 0, f"{board}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def main():
    if call(f"{ROOT}/sim/linux/build.sh", "--path").returncode != 0:
        print("skipped: Linux is not built (sim/linux/build.sh)")
        return 77
    boards, wanted = sys.argv[1:] or list(SAYS), None
    for board in boards:
        console = boot(board)
        for text in SAYS[board]:
            check(text in console, f"{board}: Linux does not say '{text}':\n{console[:6000]}")
        found = [line for line in console.splitlines() if PART.fullmatch(line)]
        wanted = wanted or found
        check("stress: all well" in console, f"{board}: the stress has found something wrong:\n{console[-2000:]}")
        check(len(found) == PARTS and found == wanted, f"{board}: {found}, on the first board {wanted}")
        check("reboot: Restarting system" in console and "Unable to restart" not in console, f"{board}: no reset")
    return finish(f"{PARTS} parts the same on {', '.join(boards)}")


if __name__ == "__main__":
    sys.exit(main())
