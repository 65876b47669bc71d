#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux boots on the emulated tile, its stress (sim/linux/stress.c) finds nothing wrong, two runs of one command
print the same bytes, and what the stress computes is the same in all modes.

usage: linux.py [MODE...]

  MODE  CORES[:PROPERTIES], such as 2:quantum=1,fastpath=off; default some of them

Skipped (77) where Linux is not built: sim/linux/build.sh does that, which takes minutes.
"""
import re
import sys

sys.path.insert(0, f"{__file__.rsplit('/', 2)[0]}/harness")
from harness import ROOT, call, check, finish  # noqa: E402

DEFAULT = ["4", "4", "1", "4:model=time"]
PART = re.compile(r"[a-z-]+ \d+ [0-9a-f]{8}")


def boot(mode):
    """The console of a whole run."""
    cores, _, properties = mode.partition(":")
    done = call(f"{ROOT}/sim/linux/run.sh", "--cores", cores, "--machine", properties)
    check(done.returncode == 0, f"{mode}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def parts(console):
    return [line for line in console.splitlines() if PART.fullmatch(line)]


def main():
    if call(f"{ROOT}/sim/linux/build.sh", "--path").returncode != 0:
        print("skipped: Linux is not built (sim/linux/build.sh)")
        return 77
    consoles, wanted = {}, None
    for mode in sys.argv[1:] or DEFAULT:
        console = boot(mode)
        found = parts(console)
        wanted = wanted or found
        check("stress: all well" in console, f"{mode}: the stress has found something wrong:\n{console[-2000:]}")
        check(f"{mode[0]} CPU" in console or mode[0] == "1", f"{mode}: Linux has not started {mode[0]} cores")
        check(found == wanted, f"{mode}: {found}, in the first mode {wanted}")
        check(consoles.setdefault(mode, console) == console, f"{mode}: two runs differ")
    check(wanted and len(wanted) == 11, f"{len(wanted or [])} parts, not 11")
    return finish(f"{len(wanted or [])} parts the same in {len(consoles)} modes")


if __name__ == "__main__":
    sys.exit(main())
