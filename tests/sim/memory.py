#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Depth of stacks and size of the heap, against programs whose use is known.

usage: memory.py

Each part of tests/programs/memory_stacks.c writes so many bytes of stack, or takes so much heap; the frames around it
are at most 1 KB, and what is shown is rounded up, by 1 KB or an eighth. Also that text, CSV, JSON
and store say the same, that a run without accounting of threads paints nothing, and that an older store is read. Works
in the current directory.
"""
import csv
import io
import json
import os
import sqlite3
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import ROOT, cc, check, finish, load, mpjoule  # noqa: E402

KB = 1024
FRAMES = KB
STACK = 1024 * KB  # by default; and what a block of 64 KB leaves
KNOWN = {  # bytes used by the threads in order of creation, main first; None: its frames only
    "again": [None] + 4 * [200 * KB, 8, 5 * KB] + [300 * KB],
    "together": [1000 * KB] + [n * KB for n in (1, 3, 10, 50, 700)],
    "signals": [None, 0, 30 * KB],
    "given": [None, 40 * KB, 2 * KB],
}


def run(elf, name, *args, status=0):
    done = mpjoule("run", "--quiet", "-o", f"{name}.mpj", "--json", f"{name}.json", elf, *args)
    check(done.returncode == status, f"{name}: status {done.returncode} instead of {status}: {done.stderr}")
    return load(f"{name}.json")


def within(what, used, size, known):
    most = known + FRAMES
    most += max(KB, most // 8)
    check(known <= used <= most, f"{what}: {used} bytes of stack, {known} to {most} expected")
    check(used <= size, f"{what}: {used} bytes of a stack of {size}")


def stacks(elf):
    for part, known in KNOWN.items():
        threads = run(elf, part, "--", part)["threads"]
        check(len(threads) == len(known), f"{part}: {len(threads)} threads instead of {len(known)}")
        for t, bytes_ in zip(threads, known):
            what = f"{part}, thread {t['id']}"
            if t["id"] == 1:
                check(t["stack_bytes"] == 8192 * KB, f"{what}: a stack of {t['stack_bytes']} bytes")
            elif (part, t["id"]) == ("given", 2):
                check(112 * KB <= t["stack_bytes"] <= 128 * KB, f"{what}: a stack of {t['stack_bytes']} bytes of 128 KB")
            else:
                check(STACK <= t["stack_bytes"] < STACK + 128 * KB, f"{what}: a stack of {t['stack_bytes']} bytes")
            if bytes_ is None:
                check(256 <= t["stack_used_bytes"] <= 4 * KB, f"{what}: {t['stack_used_bytes']} bytes of stack")
            elif part == "signals" and t["id"] == 2:
                check(t["stack_used_bytes"] <= 4 * KB, f"{what}: {t['stack_used_bytes']} bytes beside the handlers'")
            else:
                within(what, t["stack_used_bytes"], t["stack_bytes"], bytes_)


def team():
    elf = cc(f"{ROOT}/tests/programs/memory_team.c", "team.elf", "-O2", "-fopenmp")
    threads = run(elf, "team")["threads"]
    check(len(threads) == 4, f"{len(threads)} threads in a team of 4")
    for t in threads:
        within(f"team, thread {t['id']}", t["stack_used_bytes"], t["stack_bytes"], 10 * KB * t["id"])


def heap(elf):
    """3 MB, given back, then 1 MB; malloc() keeps less than 256 KB more."""
    for part, status in (("heap", 0), ("overflow", 125)):
        r = run(elf, part, "--", part, status=status)
        memory = r["memory"]
        check(3072 * KB <= memory["heap_peak_bytes"] < 3328 * KB, f"{part}: {memory}")
        check(1024 * KB <= memory["heap_end_bytes"] < 1280 * KB, f"{part}: {memory}")
        check(memory["heap_peak_bytes"] < memory["heap_room_bytes"] < 256 * KB * KB, f"{part}: {memory}")
    check("stack" in r["fault"]["kind"] and r["fault"]["thread"] == 2, f"overflow: {r['fault']}")


def same():
    """All that shows the figures."""
    r = load("together.json")
    table = mpjoule("report", "--view", "memory", "--format", "csv", "together.mpj").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    wanted = [("heap", "", r["memory"]["heap_peak_bytes"], r["memory"]["heap_room_bytes"])]
    wanted += [("stack", str(t["id"]), t["stack_used_bytes"], t["stack_bytes"]) for t in r["threads"]]
    found = [(row["what"], row["thread"], int(row["used_bytes"]), int(row["bytes"])) for row in rows]
    check(found == wanted, f"CSV of memory: {found} instead of {wanted}")
    rows = list(csv.DictReader(io.StringIO(mpjoule("report", "--view", "threads", "--format", "csv", "together.mpj").stdout)))
    check([int(row["stack_used_bytes"]) for row in rows] == [t["stack_used_bytes"] for t in r["threads"]], f"CSV: {rows}")
    store = sqlite3.connect("together.mpj")
    row = store.execute("SELECT heap_peak, heap_end, heap_room FROM memory WHERE pass = 0").fetchone()
    check(row == tuple(r["memory"][f"heap_{k}_bytes"] for k in ("peak", "end", "room")), f"table memory: {row}")
    deepest = max(t["stack_used_bytes"] for t in r["threads"])
    text = mpjoule("report", "together.mpj").stdout
    fullest = max(r["threads"], key=lambda t: t["stack_used_bytes"] / t["stack_bytes"])["stack_used_bytes"]
    check(f"fullest stack {fullest / 1024:.1f} KB of " in text and "heap " in text, f"summary:\n{text}")
    for view in ("threads", "memory"):
        text = mpjoule("report", "--view", view, "together.mpj").stdout
        check(f"{deepest:,} of " in text and "heap: at most" in text, f"view {view}:\n{text}")


def without(elf):
    done = mpjoule("run", "--quiet", "--no-threads", "-o", "none.mpj", "--json", "-", elf, "--", "together")
    if done.returncode == 0:
        r = json.loads(done.stdout)
        check("threads" not in r and "memory" in r, "a run without threads shows their stacks")


def damaged():
    """More used than there is cannot be true."""
    for sql, what in (("UPDATE thread SET stack_used_bytes = stack_bytes + 1 WHERE id = 2", "of a stack of"),
                      ("UPDATE memory SET heap_end = heap_peak + 1", "at most")):
        with open("together.mpj", "rb") as f, open("bad.mpj", "wb") as g:
            g.write(f.read())
        store = sqlite3.connect("bad.mpj")
        store.execute(sql)
        store.commit()
        store.close()
        done = mpjoule("report", "bad.mpj")
        check(done.returncode == 125 and what in done.stderr and done.stderr.count("\n") == 1, f"{sql}: {done.stderr}")


def older():
    """A store of version 4 has none of it."""
    store = sqlite3.connect("together.mpj")
    store.execute("DROP TABLE memory")
    store.execute("ALTER TABLE thread DROP COLUMN stack_bytes")
    store.execute("ALTER TABLE thread DROP COLUMN stack_used_bytes")
    store.execute("DROP TABLE machine")
    for i, name in enumerate(("cpu_v", "pll_v", "cpu_i", "pll_i")):
        store.execute(f"ALTER TABLE adc RENAME code{i} TO {name}")
    store.execute("PRAGMA user_version = 4")
    store.commit()
    store.close()
    r = json.loads(mpjoule("report", "--format", "json", "together.mpj").stdout)
    check("memory" not in r and len(r["threads"]) == 6, "JSON of a store of version 4")
    check(all("stack_bytes" not in t for t in r["threads"]), "stacks in a store of version 4")
    table = mpjoule("report", "--view", "threads", "--format", "csv", "together.mpj").stdout
    check("stack" not in table.splitlines()[0], f"stacks in the CSV of a store of version 4: {table}")
    text = mpjoule("report", "--view", "memory", "together.mpj").stdout
    check("without its memory" in text, f"view memory of a store of version 4:\n{text}")


def main():
    elf = cc(f"{ROOT}/tests/programs/memory_stacks.c", "stacks.elf", "-O2", "-pthread", "-fno-optimize-sibling-calls")
    stacks(elf)
    team()
    heap(elf)
    same()
    without(elf)
    damaged()
    older()
    return finish()


sys.exit(main())
