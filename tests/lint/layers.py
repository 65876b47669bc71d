#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the rooms of docs/DESIGN.md: an #include may only point the way the
table allows, and no file of ours grows past 800 lines without saying why.

usage: layers.py ROOT   (exit status 1 and one line per finding)
"""
import collections
import os
import re
import subprocess
import sys

# room -> rooms whose headers it may include (besides its own)
ALLOWED = {
    "hal": set(),
    "link": set(),
    "sim/chip": set(),
    "sim/qemu": {"sim/chip"},
    "firmware": {"hal", "link"},
    "hil": {"link"},
    "report": {"link"},
    "models": {"link", "report"},
    "cli": {"link", "hil", "report", "models"},
    "ci": {"cli"},
    "tests": {"hal", "link", "sim/chip", "firmware", "hil", "report", "models", "cli"},
}
LIMIT = 800
# Headers of ours that stand in for the C library's on the target: elsewhere they are the system's.
SYSTEM = {"pthread.h", "sched.h", "semaphore.h"}
REASON = "long file:"  # a comment with these words and the reason lifts the limit
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def room_of(path):
    for room in sorted(ALLOWED, key=len, reverse=True):
        if path.startswith(room + "/"):
            return room
    return None


def main(root):
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout.split("\n")
    files = [f for f in listing if f.endswith((".c", ".h", ".S", ".py", ".sh"))
             and os.path.exists(os.path.join(root, f))]
    headers = collections.defaultdict(set)
    for f in files:
        room = room_of(f)
        if f.endswith(".h") and room and "/overlay/" not in f:
            headers[os.path.basename(f)].add(room)
    bad = []
    edges = collections.defaultdict(set)
    for f in files:
        with open(os.path.join(root, f), encoding="utf-8") as handle:
            text = handle.read()
        lines = text.count("\n")
        if lines > LIMIT and REASON not in text:
            bad.append(f"{f}: {lines} lines; over {LIMIT}: split it, or say why in a comment '{REASON} ...'")
        room = room_of(f)
        if room is None or not f.endswith((".c", ".h", ".S")) or "/workloads/" in f:
            continue
        for name in INCLUDE.findall(text):
            if room == "sim/qemu" and "/" in name:
                continue  # QEMU's own tree, our overlay of it included
            if name in SYSTEM and room != "firmware":
                continue
            owners = headers.get(os.path.basename(name), set())
            if not owners or room in owners:
                continue
            edges[room] |= owners
            if not owners & ALLOWED[room]:
                bad.append(f"{f}: includes {name} of {'/'.join(sorted(owners))}; {room} may only use "
                           f"{', '.join(sorted(ALLOWED[room])) or 'nothing'}")
    for line in bad:
        print(line)
    print(f"layers: {len(files)} files, {len(bad)} findings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
