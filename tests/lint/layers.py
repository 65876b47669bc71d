#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the rooms of docs/DESIGN.md: an #include may only point the way the
table allows, no file of ours grows past 800 lines without saying why, and nothing that a build
or a run made is in the repository.

usage: layers.py ROOT   (exit status 1 and one line per finding)
"""
import collections
import os
import re
import subprocess
import sys

LIMIT = 800
MADE = (".elf", ".bin", ".o", ".a", ".mpj", ".mplog")  # endings of what the tool and compilers write
# Headers of ours that stand in for the C library's on the target: elsewhere they are the system's,
# as are all those in LIBC.
SYSTEM = {"pthread.h", "sched.h", "semaphore.h"}
LIBC = "firmware/libc/include/"
REASON = "long file:"  # a comment with these words and the reason lifts the limit
ROW = re.compile(r"^\| `([a-z/]+)/` \|.*\| ([^|]*) \|$", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def rooms(root):
    """Room -> rooms whose headers it may include besides its own: the table's last column."""
    with open(os.path.join(root, "docs", "DESIGN.md"), encoding="utf-8") as handle:
        rows = ROW.findall(handle.read())
    names = {name for name, _ in rows}
    allowed = {}
    for name, may in rows:
        words = {word.strip() for word in may.split(",")} - {"nothing", "QEMU"}
        allowed[name] = names - {name} if words == {"all"} else words
        if not allowed[name] <= names:
            sys.exit(f"layers: docs/DESIGN.md: {name} may use {may}: no such room")
    if len(allowed) < 5:
        sys.exit("layers: docs/DESIGN.md has no table of rooms")
    return allowed


def room_of(path, allowed):
    for room in sorted(allowed, key=len, reverse=True):
        if path.startswith(room + "/"):
            return room
    return None


def listed(root, *options):
    return subprocess.run(["git", "-C", root, "ls-files", *options], check=True, capture_output=True,
                          text=True).stdout.splitlines()


def main(root):
    allowed = rooms(root)
    tracked = listed(root)
    listing = tracked + listed(root, "--others", "--exclude-standard")
    files = [f for f in listing if f.endswith((".c", ".h", ".S", ".py", ".sh", ".patch"))
             and os.path.exists(os.path.join(root, f))]
    headers = collections.defaultdict(set)
    for f in files:
        room = room_of(f, allowed)
        if f.endswith(".h") and room and "/overlay/" not in f and not f.startswith(LIBC):
            headers[os.path.basename(f)].add(room)
    bad = [f"{f}: made by a build or a run; take it out" for f in tracked if f.endswith(MADE)]
    edges = collections.defaultdict(set)
    for f in files:
        with open(os.path.join(root, f), encoding="utf-8") as handle:
            text = handle.read()
        lines = text.count("\n")
        if lines > LIMIT and REASON not in text:
            bad.append(f"{f}: {lines} lines; over {LIMIT}: split it, or say why in a comment '{REASON} ...'")
        room = room_of(f, allowed)
        if room is None or not f.endswith((".c", ".h", ".S")) or "/workloads/" in f:
            continue
        for name in INCLUDE.findall(text):
            if room == "sim/qemu" and "/" in name:
                continue  # QEMU's own tree, our overlay of it included
            if name in SYSTEM and not room.startswith("firmware/"):
                continue
            owners = headers.get(os.path.basename(name), set())
            if not owners or room in owners:
                continue
            edges[room] |= owners
            if not owners & allowed[room]:
                bad.append(f"{f}: includes {name} of {'/'.join(sorted(owners))}; {room} may only use "
                           f"{', '.join(sorted(allowed[room])) or 'nothing'}")
    for line in bad:
        print(line)
    print(f"layers: {len(files)} files, {len(bad)} findings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
