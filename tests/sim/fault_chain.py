#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Call chains of faults whose frames are known: whole, whatever the frames, and what is left out is said.

usage: fault_chain.py

Runs tests/programs/fault_chain.c, as ARM and as Thumb code, from RAM and from flash. Works in the current directory.
"""
import os
import re
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import ROOT, cc, check, finish, load, mpjoule  # noqa: E402

SOURCE = f"{ROOT}/tests/programs/fault_chain.c"


def fault(elf, what, name):
    """Functions by depth, the lines of the report, the fault in JSON."""
    done = mpjoule("run", "--no-counters", "-o", f"{name}.mpj", "--json", f"{name}.json", elf, "--", what)
    check(done.returncode == 125, f"{name}: status {done.returncode}: {done.stderr[:300]}")
    frames = {int(n): f for n, f in re.findall(r"^ *#(\d+) +0x[0-9a-f]+ (\w+)\+", done.stderr, re.M)}
    return frames, done.stderr, load(f"{name}.json")["fault"]


def outermost(frames, name, functions):
    """The last frames, some of the runtime's own around them."""
    have = [frames[d] for d in sorted(frames)]
    at = len(have) - 1 - have[::-1].index(functions[-1]) if functions[-1] in have else -1
    check(at >= 0 and have[at + 1 - len(functions):at + 1] == functions, f"{name}: {have} does not end in {functions}")
    check(at >= len(have) - 3, f"{name}: too much around {functions[-1]}: {have}")


def program(elf, name):
    frames, text, json = fault(elf, "print", f"{name}-print")
    outermost(frames, f"{name} print", ["print_it", "main"])
    check("..." not in text and "backtrace_cut" not in json, f"{name} print: {text}")

    frames, text, json = fault(elf, "large", f"{name}-large")
    check([frames.get(i) for i in range(3)] == ["large_leaf", "large", "main"], f"{name} large: {frames}")
    check("..." not in text, f"{name} large: {text}")

    frames, text, json = fault(elf, "deep", f"{name}-deep")
    check("stack overflow" in text, f"{name} deep: {text[:200]}")
    outermost(frames, f"{name} deep", ["deep", "deep", "main"])
    left = re.search(r"^ *\.\.\. (\d+) frames \.\.\.$", text, re.M)
    depths = [line["depth"] for line in json["backtrace"]]
    check(left and depths[24] - depths[23] - 1 == int(left[1]), f"{name} deep: {depths} and {left}")
    # the stack of 8 MB and its frames: 4 to 16 words each
    check(left and 8 << 20 >= int(left[1]) * 16 and int(left[1]) * 128 > 8 << 20, f"{name} deep: {left and left[1]} frames")
    check("backtrace_cut" not in json and "backtrace_gap_depth" not in json, f"{name} deep: {text}")

    frames, text, json = fault(elf, "mutual", f"{name}-mutual")
    outermost(frames, f"{name} mutual", ["odd", "forever", "main"])
    check(len(frames) == 32 and "frames ..." in text and "not recorded" not in text, f"{name} mutual: {text}")

    frames, text, json = fault(elf, "thread", f"{name}-thread")
    check(json["thread"] == 2, f"{name} thread: {json['thread']}")
    outermost(frames, f"{name} thread", ["even", "odd", "work"])
    check(2990 <= max(frames) <= 3010 and "frames ..." in text, f"{name} thread: {sorted(frames)}")

    frames, text, json = fault(elf, "overflow", f"{name}-overflow")
    check("stack overflow" in text and json["thread"] == 2, f"{name} overflow: {text[:200]}")
    outermost(frames, f"{name} overflow", ["deep", "deep", "work"])

    # what cannot be sent is said, and the outermost frames are there all the same
    frames, text, json = fault(elf, "irregular", f"{name}-irregular")
    check("KB of stack that was not recorded" in text and "backtrace_gap_depth" in json, f"{name} irregular: {text}")
    outermost(frames, f"{name} irregular", ["irregular", "irregular", "main"])


cc(SOURCE, "arm.elf", "-O2", "-pthread")
program("arm.elf", "arm")
cc(SOURCE, "thumb.elf", "-O2", "-pthread", "-mthumb")
program("thumb.elf", "thumb")
cc(SOURCE, "flash.elf", "-O2", "-pthread")
frames_, text_, _ = fault("flash.elf", "print", "flash-print")
outermost(frames_, "flash print", ["print_it", "main"])
sys.exit(finish("call chains are whole"))
