#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the rooms of docs/DESIGN.md: an #include may only point the way the
table allows and, of a room with an include/ folder, at a header there; of the firmware, apps take
what its build installs for programs. No file of ours grows past 800 lines without saying why, and
nothing that a build or a run made is in the repository.

usage: layers.py ROOT   (exit status 1 and one line per finding)
"""
import collections
import fnmatch
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
# Components of the host: no two of their headers have the same name.
HOST = ("base/", "log/", "hil/", "report/", "models/", "run/", "batch/", "search/", "gate/", "project/",
        "cli/")
PROGRAMS = "apps"  # room of programs for the target: sees of the firmware what is installed
INSTALLED = re.compile(r"file\(GLOB(?:_RECURSE)? (?:PUBLIC|LIBC)_HEADERS CONFIGURE_DEPENDS ([^)]*)\)")
BY_FOLDER = re.compile(r"(\w+)/include/\1/")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def rooms(root):
    """Room -> rooms whose headers it may include besides its own: the table's last column."""
    with open(os.path.join(root, "docs", "DESIGN.md"), encoding="utf-8") as handle:
        rows = ROW.findall(handle.read())
    names = {name for name, _ in rows}
    allowed = {}
    for name, may in rows:
        words = {word.strip() for word in may.split(",")} - {"nothing", "QEMU"}
        if words == {"all"}:
            words = names - {name}
        for above in words - names:  # no row of its own: the rows below it
            words = words - {above} | ({n for n in names if n.startswith(above + "/")} or {above})
        allowed[name] = words
        if not allowed[name] <= names:
            sys.exit(f"layers: docs/DESIGN.md: {name} may use {may}: no such component")
    if len(allowed) < 5:
        sys.exit("layers: docs/DESIGN.md has no table of components")
    return allowed


def room_of(path, allowed):
    for room in sorted(allowed, key=len, reverse=True):
        if path.startswith(room + "/"):
            return room
    return None


def installed(root):
    """Patterns of the headers that firmware/CMakeLists.txt installs for programs."""
    with open(os.path.join(root, "firmware", "CMakeLists.txt"), encoding="utf-8") as handle:
        lists = INSTALLED.findall(handle.read())
    if not lists:
        sys.exit("layers: firmware/CMakeLists.txt installs no header")
    paths = [p for names in lists for p in names.split()]
    return [p.removeprefix("${ROOT}/") if p.startswith("${ROOT}/") else f"firmware/{p}" for p in paths
            if not p.startswith("${HAL")]


def owners_of(path, room, allowed):
    """Rooms that offer a header: its own and, for a public one, those its room lies in."""
    if "/include/" not in path:
        return {room}
    return {room} | {other for other in allowed if room.startswith(other + "/")}


def private(path, room, closed):
    return room in closed and "/include/" not in path


def listed(root, *options):
    return subprocess.run(["git", "-C", root, "ls-files", *options], check=True, capture_output=True,
                          text=True).stdout.splitlines()


def main(root):
    allowed = rooms(root)
    tracked = listed(root)
    listing = tracked + listed(root, "--others", "--exclude-standard")
    files = [f for f in listing if f.endswith((".c", ".h", ".S", ".py", ".sh", ".patch"))
             and os.path.exists(os.path.join(root, f))]
    offered = installed(root)
    closed = {room for room in allowed if os.path.isdir(os.path.join(root, room, "include"))}
    headers = collections.defaultdict(dict)  # name -> path -> rooms that offer it
    for f in files:
        room = room_of(f, allowed)
        if f.endswith(".h") and room and "/overlay/" not in f and not f.startswith(LIBC):
            headers[os.path.basename(f)][f] = owners_of(f, room, allowed)
    bad = [f"{f}: made by a build or a run; take it out" for f in tracked if f.endswith(MADE)]
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
            if name.startswith(("sys/", "bits/")):
                continue  # the C library's, whatever else has that name
            paths = headers.get(os.path.basename(name), {})
            if "/" in name and ".." not in name:
                paths = {path: of for path, of in paths.items() if f"/{path}".endswith(f"/{name}")}
            elif "/" not in name:  # headers in include/COMPONENT/ are included by that folder
                paths = {path: of for path, of in paths.items() if not BY_FOLDER.match(path)}
            owners = set().union(*paths.values())
            if not paths or room in {room_of(path, allowed) for path in paths}:
                continue
            if not owners & (allowed[room] | {room}):
                bad.append(f"{f}: includes {name} of {'/'.join(sorted(owners))}; {room} may only use "
                           f"{', '.join(sorted(allowed[room])) or 'nothing'}")
            elif room == PROGRAMS and all(path.startswith("firmware/") for path in paths):
                if not any(fnmatch.fnmatch(path, p) for path in paths for p in offered):
                    bad.append(f"{f}: includes {name}, which mpjoule cc does not install")
            elif room != "tests" and all(private(path, room_of(path, allowed), closed) for path in paths):
                bad.append(f"{f}: includes {name}, which is private to {'/'.join(sorted(owners))}")
    host = collections.defaultdict(list)
    for f in files:
        if f.endswith(".h") and f.startswith(HOST):
            host[os.path.basename(f)].append(f)
    bad += [f"{', '.join(paths)}: one name for several headers" for paths in host.values() if len(paths) > 1]
    for line in bad:
        print(line)
    print(f"layers: {len(files)} files, {len(bad)} findings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
