#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""newlib's calls with newlib's own numbers reach the function that knows these numbers.

usage: for_newlib.py iso_c_names.txt private_names.py

Two archives of a few functions go through private_names.py; then newlib itself: no function of it that is linked calls
sysconf() with the program's numbers.
"""
import os
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../../harness")
from harness import MPJOULE, check, finish, must, write  # noqa: E402

RESERVED, TOOL = sys.argv[1:]
OURS = "long sysconf(int n) { return n; } long __for_newlib_sysconf(int n) { return -n; } long user(void) { return sysconf(8); }"
NEWLIB = "long sysconf(int); long page(void) { return sysconf(8); }"


def references(archive):
    """(member, name) of what the archive's objects refer to."""
    for line in must("arm-none-eabi-nm", "-A", "-g", archive).stdout.splitlines():
        where, kind, name = line.rsplit(None, 2)
        if kind == "U":
            yield where.split(":")[1], name


for name, text in (("ours", OURS), ("newlib", NEWLIB)):
    write(f"{name}.c", text)
    must("arm-none-eabi-gcc", "-O1", "-fno-inline", "-ffunction-sections", "-c", f"{name}.c", "-o", f"{name}.o")
    must("arm-none-eabi-ar", "rcsD", f"{name}.a", f"{name}.o")
must(sys.executable, TOOL, "arm-none-eabi-ranlib", RESERVED, "ours.a", "ours.private.a", "newlib.a", "newlib.private.a")
check(dict(references("newlib.private.a")) == {"newlib.o": "__for_newlib_sysconf"}, "newlib's call goes elsewhere")
defined = must("arm-none-eabi-nm", "-g", "--defined-only", "ours.private.a").stdout.split()
check({"sysconf", "__private_sysconf", "__for_newlib_sysconf"} <= set(defined), f"the archive defines {defined}")

libc = must(MPJOULE, "cc", "-print-file-name=libc.a").stdout.strip()
wrong = [f"{member}: {name}" for member, name in references(libc) if name in ("sysconf", "__private_sysconf")]
check(not wrong, f"{libc}: {', '.join(wrong)}")
finish("newlib's calls reach the functions made for them")
