#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""clang-tidy over the C files of a component that git tracks, compiled as the host's or the firmware's build does.

usage: tidy.py --components                    the components, one per line
       tidy.py COMPONENT BUILD [FILE...]     BUILD: build directory of the host; FILE: only these

A component is a folder at the top with C files of ours; each folder in firmware/ is one. A file
that the host's build does not compile is checked as the firmware's build compiles it, by clang for the
same target with newlib's headers; its checks are those of firmware/.clang-tidy. Left out are tests,
programs for the target and what follows QEMU's style.
"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../harness")
from harness import FIRMWARE, ROOT, call, must  # noqa: E402

# tests; built by `mpjoule cc`; QEMU's style; programs of the manual, which its tests build
LEFT_OUT = ("tests/", "apps/", "sim/qemu/overlay/", "docs/")
# GCC's words that clang does not know, and warnings that are GCC's business: it compiles with -Werror.
DROPPED = re.compile(r"-mtp=|-W(all|extra|error)$|-f(debug|macro)-prefix-map=|-o$|-c$")
CLANG = ["--target=arm-none-eabi", "-Wno-everything"]


def tracked():
    files = must("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "*.c").stdout.split()
    return [f for f in files if not f.startswith(LEFT_OUT) and os.path.exists(f"{ROOT}/{f}")]


def component_of(path):
    """firmware/boot/mmu.c: firmware.boot; sim/chip/flow.c: sim."""
    parts = path.split("/")
    return ".".join(parts[:2]) if parts[0] == "firmware" and len(parts) > 2 else parts[0]


def commands(build):
    """File -> how the first target that has it compiles it."""
    path = os.path.join(build, "compile_commands.json")
    if not os.path.exists(path):
        sys.exit(f"tidy: no {path}: scripts/build.sh firmware: and the host's preset configure it")
    with open(path, encoding="utf-8") as handle:
        found = {}
        for entry in json.load(handle):
            found.setdefault(os.path.relpath(entry["file"], ROOT), entry)
        return found


def headers():
    """The C library's, where the cross compiler looks for them, but its own: clang has those."""
    said = call("arm-none-eabi-gcc", "-E", "-v", "-x", "c", "/dev/null").stderr
    places = said.split("search starts here:\n")[-1].split("End of search list")[0].split()
    return [word for place in places if "/lib/gcc/" not in os.path.realpath(place)
            for word in ("-isystem", os.path.realpath(place))]


def for_clang(entry, more):
    """The firmware's entry with words that clang takes."""
    words = entry["command"].split()[1:]
    source, output = words.index("-c"), words.index("-o")
    kept = [word for i, word in enumerate(words) if i not in (source + 1, output + 1) and not DROPPED.match(word)]
    return {"directory": entry["directory"], "file": entry["file"],
            "arguments": ["clang", *CLANG, *more, *kept, "-c", entry["file"]]}


def check(files, database):
    """Findings of clang-tidy, and whether it ran."""
    done = call("clang-tidy", "--quiet", "-p", database, *files, cwd=ROOT, timeout=None)
    lines = done.stdout + done.stderr if done.returncode else done.stdout
    return sorted({line for line in lines.splitlines() if re.search(r"(warning|error):|^Error", line)}), done.returncode


def main(component, build, *only):
    if component == "--components":
        return print("\n".join(sorted({component_of(f) for f in tracked()})))
    with open(f"{ROOT}/.clang-format", encoding="utf-8") as handle:
        wanted = re.match(r"# clang (\d+),", handle.readline()).group(1)
    if f"version {wanted}." not in call("clang-tidy", "--version").stdout:
        print(f"lint: skipped: the checks are those of clang-tidy {wanted}")
        return 77
    files = [f for f in tracked() if component_of(f) == component and (not only or f in only)]
    host, target = commands(build), commands(FIRMWARE)
    more = headers()
    parts = [([f for f in files if f in host], build)]
    with tempfile.TemporaryDirectory() as folder:
        firmware = [f for f in files if f in target and f not in host]
        with open(f"{folder}/compile_commands.json", "w", encoding="utf-8") as handle:
            json.dump([for_clang(target[f], more) for f in firmware], handle)
        parts.append((firmware, folder))
        bad, status = [], 0
        for chosen, database in parts:
            if chosen:
                found, code = check(chosen, database)
                bad += found
                status |= code
    print("\n".join(bad), end="\n" if bad else "")
    count = sum(len(chosen) for chosen, _ in parts)
    print(f"lint: clang-tidy: {len(bad)} findings in {count} of {len(files)} files of {component}")
    return 1 if bad or status or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else main(sys.argv[1], ""))
