#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs are linked with no function of newlib that has times or files' states in its interface.

newlib is compiled with a time_t of 64 bits and structures of its own, programs are not. From newlib's headers come the
names of functions with such types. A program that calls every function of our headers is linked: no member of newlib's
archives in it defines or calls one of those, but for SERVED, which the runtime gives newlib in newlib's layout.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../../harness")
from functions import HEADERS, OF_LINUX, call, declared, without  # noqa: E402
from harness import MPJOULE, check, finish, must  # noqa: E402

TYPES = re.compile(r"\b(time_t|__time_t|_TIME_T_|clock_t|_CLOCK_T_|suseconds_t|struct\s+(tm|stat|stat64|timeval|timespec|"
                   r"itimerval|itimerspec|timeb|tms|utimbuf|rusage|timezone))\b")
NEWLIB = "time sys/time sys/times sys/timeb sys/stat sys/resource sys/select utime reent wchar unistd signal".split()
# What newlib's streams call: files.c has _fstat() with newlib's structure.
SERVED = {"_fstat_r", "_fstat"}
# With such types, and in no header: newlib's own.
INSIDE = {"_mktm_r", "_tzset_unlocked", "_tzset_unlocked_r", "__tzcalc_limits", "__gettzinfo", "__strftime", "__wcsftime"}
SURE = {"mktime", "localtime_r", "strftime", "wcsftime", "gettimeofday", "stat", "_stat_r", "clock", "difftime"}


def wide():
    """Names of newlib's functions with such types."""
    found = set()
    for header in NEWLIB:
        done = subprocess.run(["arm-none-eabi-gcc", "-D_GNU_SOURCE", "-E", "-P", "-x", "c", "-"], check=True, text=True,
                              input=f"#include <sys/types.h>\n#include <{header}.h>\n", capture_output=True)
        for one in re.sub(r"\{[^{}]*\}", ";", done.stdout).split(";"):
            name = re.match(r"[\w\s*]*?\b(\w+)\s*\(", one)
            if name and "typedef" not in one and TYPES.search(one):
                found.add(name.group(1))
    return found | INSIDE


def members(archive):
    """Member: the names it defines or refers to, as newlib has them."""
    found = {}
    for line in must("arm-none-eabi-nm", "-A", "-g", archive).stdout.splitlines():
        where, _, name = line.rsplit(None, 2)
        found.setdefault(where.split(":")[1], set()).add(re.sub("^__(private|newlib)_", "", name))
    return found


def program():
    """Links all functions of our headers; the map says what came along."""
    absent = without(HEADERS + OF_LINUX)
    there = [h for h in HEADERS + OF_LINUX if f"{h}.h" not in absent]
    found = set().union(*(declared(call("-E", "-P", text=f"#include <{h}.h>\n").stdout) for h in there))
    names = sorted(name for name in found if not name.startswith("mpj_"))
    body = "".join(f"extern char {name}[];\n" for name in names) + "const void *const volatile all[] = {"
    body += ", ".join(names) + "};\nint main(void) { return !all[0]; }\n"
    linked = call("-fno-builtin", "-o", "all.elf", "-Wl,-Map,all.map", "-Wl,--unresolved-symbols=ignore-all", text=body)
    if linked.returncode != 0:
        sys.exit(f"it does not link: {linked.stderr[-1000:]}")
    with open("all.map", encoding="utf-8") as handle:
        return names, handle.read().split("\nDiscarded input sections")[0].split("\nMemory Configuration")[0]


def main():
    names, linked = program()
    bad = wide()
    check(SURE <= bad, f"newlib's headers do not have {sorted(SURE - bad)}")
    check(len(names) > 1000, f"only {len(names)} functions")
    count = with_types = 0
    for archive in ("libc.a", "libm.a"):
        path = must(MPJOULE, "cc", f"-print-file-name={archive}").stdout.strip()
        for member, symbols in members(path).items():
            with_types += bool(symbols & bad)
            if f"{archive}({member})" not in linked:
                continue
            count += 1
            check(not symbols & (bad - SERVED), f"{archive}({member}) has {sorted(symbols & (bad - SERVED))}")
    check(count > 200 and with_types > 30, f"only {count} members of newlib's, and only {with_types} that must not be linked")
    sys.exit(finish(f"{count} members of newlib's, {with_types} others are not linked"))


if __name__ == "__main__":
    main()
