#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux boots on the emulated tile, its stress (sim/linux/stress.c) finds nothing wrong, two runs of one command
print the same bytes, and what the stress computes is the same in all modes.

usage: linux.py [-h] [--all] [--rounds N] [MODE...]

  MODE      CORES[:PROPERTIES], such as 2:quantum=1,fastpath=off; a mode that is named twice runs twice; default some
  --all     1 to 4 cores, quantum 1, 50 and 500, fastpath on and off, the model full and time: each twice
  --rounds  of the stress, 0.7 s of modelled time each on four cores

Prints a line for each run. Skipped (77) where Linux is not built: sim/linux/build.sh does that, which takes minutes.
"""
import argparse
import hashlib
import re
import sys
import time

sys.path.insert(0, f"{__file__.rsplit('/', 2)[0]}/harness")
from harness import check, finish, usage  # noqa: E402
import on_linux  # noqa: E402

DEFAULT = ["4", "4", "1", "4:model=time"]
PROPERTIES = ("", "quantum=1", "quantum=50", "quantum=500", "fastpath=off", "quantum=1,fastpath=off", "model=time",
              "model=time,quantum=1")
PART = re.compile(r"[a-z-]+ \d+ [0-9a-f]{8}")
PARTS = 11
HOURS_S = 4 * 3600  # ends what hangs


def boot(mode, rounds):
    """The console of a whole run."""
    cores, _, properties = mode.partition(":")
    begin = time.monotonic()
    done = on_linux.boot("--cores", cores, "--machine", properties, "--append", f"rounds={rounds}", timeout=HOURS_S)
    check(done.returncode == 0, f"{mode}: exit status {done.returncode}: {done.stderr}")
    last = re.findall(r"^\[ *([0-9.]+)\]", done.stdout, re.M)[-1:]
    digest = hashlib.sha256(done.stdout.encode()).hexdigest()[:12]
    print(f"{mode}: {last[0] if last else '-'} s modelled in {time.monotonic() - begin:.0f} s, console {digest}",
          flush=True)
    return done.stdout


def parts(console):
    return [line for line in console.splitlines() if PART.fullmatch(line)]


def main():
    parser = argparse.ArgumentParser(usage=usage(__doc__))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("mode", nargs="*")
    args = parser.parse_args()
    if not on_linux.built():
        print(on_linux.NOT_BUILT)
        return 77
    modes = args.mode or DEFAULT
    if args.all:
        modes = [f"{cores}:{properties}".rstrip(":") for cores in range(1, 5) for properties in PROPERTIES] * 2
    consoles, wanted = {}, None
    for mode in modes:
        console = boot(mode, args.rounds)
        found = parts(console)
        wanted = wanted or found
        check("stress: all well" in console, f"{mode}: the stress has found something wrong:\n{console[-2000:]}")
        check(f"{mode[0]} CPU" in console or mode[0] == "1", f"{mode}: Linux has not started {mode[0]} cores")
        check(found == wanted, f"{mode}: {found}, in the first mode {wanted}")
        check(consoles.setdefault(mode, console) == console, f"{mode}: two runs differ")
    check(wanted and len(wanted) == PARTS * args.rounds, f"{len(wanted or [])} parts, not {PARTS * args.rounds}")
    return finish(f"{len(wanted or [])} parts the same in {len(consoles)} modes")


if __name__ == "__main__":
    sys.exit(main())
