#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Adds an event on the emulator's fast path as docs/extending.md describes it: changes the three files of its table in a
copy of the tree, builds host, firmware and emulator there, and counts. A part left out must not compile.

usage: extending.py
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import ROOT, check, finish, load  # noqa: E402

TILE = "tile/include/tile_events.h"
HOT = "sim/chip/include/mpj_hot.h"
EMIT = "sim/qemu/overlay/tcg/i386/mpj-emit.c.inc"
SIZE = 64  # of the matrices
# (file, text before which or after which the addition goes, what is added)
ADDED = [
    (TILE, r'("stores merged in the store buffer"\))',
     r'\1 \\\n    X(SB_STORE, 0x15, "sb_store", "events", "stores that reach the store buffer")'),
    (HOT, r"(#define MPJ_HOT_STORE_EVENTS\(X\) +X\(sb_merge, SB_MERGE\))", r"\1 X(sb_store, SB_STORE)"),
    (HOT, r"(#define MPJ_HOT_STORE\(field, event\))",
     "static inline void mpj_hot_store_sb_store(struct mpj_hot *h, uint32_t addr)\n"
     "{\n    (void)addr;\n    h->count.sb_store++;\n}\n\n" r"\1"),
    (EMIT, r"(/\* Counts the events of a store to a line in state M)",
     "static void tcg_out_mpj_store_sb_store(TCGContext *s, TCGReg addr)\n"
     "{\n    tcg_out_mpj_count(s, sb_store);\n}\n\n" r"\1"),
]


def documented():
    """The files of the page's table."""
    with open(f"{ROOT}/docs/extending.md", encoding="utf-8") as handle:
        section = handle.read().split("### An event on the fast path\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.M)


def write(tree, left_out=None):
    """Brings the files to their state with all additions but one; returns their names."""
    texts = {}
    for number, (path, place, text) in enumerate(ADDED):
        if path not in texts:
            with open(f"{ROOT}/{path}", encoding="utf-8") as handle:
                texts[path] = handle.read()
        if number != left_out:
            texts[path], times = re.subn(place, text, texts[path])
            check(times == 1, f"{path}: {times} places for the addition, {place}")
    for path, text in texts.items():
        with open(f"{tree}/{path}", "w", encoding="utf-8") as handle:
            handle.write(text)
    return list(texts)


def compiles(tree):
    """Whether the chip model and the code generator compile; and the compiler's messages."""
    flags = ["-fsyntax-only", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{tree}/sim/chip/include", f"-I{tree}/tile/include"]
    model = subprocess.run(["gcc", *flags, f"{tree}/sim/chip/power.c", f"{tree}/sim/chip/branch.c"],
                           capture_output=True, text=True, check=False)
    if model.returncode:
        return False, model.stderr
    emulator = subprocess.run([f"{tree}/sim/qemu/build.sh"], capture_output=True, text=True, check=False)
    return emulator.returncode == 0, emulator.stderr


def run(tree, folder, fast):
    """The results of a program in the copy's emulator."""
    name = f"{folder}/{fast}.json"
    subprocess.run([f"{tree}/build/mpjoule", "run", "--quiet", "--functions", "-o", f"{folder}/r.mpj", "--json", name,
                    f"{tree}/build/firmware/apps/matmul.elf", "--", str(SIZE)], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "MPJOULE_QEMU_MACHINE": f"fastpath={fast}"})
    result = load(name)
    for core in result["truth"]["cores"]:
        events = core["events"]
        check(0 < events["sb_merge"] < events["sb_store"],
              f"fastpath={fast}, core {core['core']}: {events}")
    multiply = next(f for f in result["functions"] if f["name"] == "multiply")["self"]["events"]
    # A store in each step of the inner loop, and few others.
    check(SIZE ** 3 <= multiply["sb_store"] < 1.01 * SIZE ** 3, f"fastpath={fast}, multiply: {multiply}")
    return [core["events"] for core in result["truth"]["cores"]], [f["self"]["events"] for f in result["functions"]]


def emulator_of(tree):
    path = subprocess.run([f"{tree}/sim/qemu/build.sh", "--path"], capture_output=True, text=True, check=False).stdout.strip()
    return os.path.dirname(os.path.dirname(path))


def main():
    with tempfile.TemporaryDirectory() as folder:
        tree = f"{folder}/tree"
        for path in subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
                                   check=True, capture_output=True, text=True).stdout.rstrip("\0").split("\0"):
            os.makedirs(os.path.dirname(f"{tree}/{path}"), exist_ok=True)
            shutil.copy2(f"{ROOT}/{path}", f"{tree}/{path}", follow_symlinks=False)
        subprocess.run(["git", "init", "--quiet", tree], check=True)  # the build lists the files of a checkout
        changed = write(tree)
        check(changed == documented(), f"{changed} changed, docs/extending.md has {documented()}")
        kept = []
        try:
            subprocess.run([f"{tree}/scripts/build.sh", "host:mpjoule", "firmware:app_matmul", "qemu"], check=True)
            kept.append(emulator_of(tree))
            check(run(tree, folder, "on") == run(tree, folder, "off"), "another count with fastpath=off")
            for number, (path, place, _) in enumerate(ADDED):
                write(tree, left_out=number)
                kept.append(emulator_of(tree))
                fine, messages = compiles(tree)
                check(not fine, f"{path}: compiles without the addition at {place}")
                check(re.search("sb_store|SB_STORE|unused", messages), f"{path}, addition at {place}: {messages}")
        finally:
            for build in kept:  # no other tree has use of them
                shutil.rmtree(build, ignore_errors=True)
    return finish("an event in 3 files")


if __name__ == "__main__":
    sys.exit(main())
