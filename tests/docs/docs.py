#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Outputs shown in documents are what the commands print.

usage: docs.py check|update ROOT FILE...

In the documents, a fenced block after the line <!-- checked --> holds commands ("$ ..." lines,
continued by a backslash) and their output. One shell runs all commands of a page, one after the other, as
if they were pasted; it begins in the project's root, with `mpjoule` in PATH. `check` compares, `update` writes
what came. "..." alone on a line of the document stands for any lines and survives an update. The firmware's hash is
not compared.
"""

import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

MARK = "<!-- checked -->"
HASH = re.compile(r"sha256 [0-9a-f]+|\"firmware_sha256\": ?\"[0-9a-f]+\"")
TIMEOUT_S = 2000  # of a page
END = "\x1e"  # follows the output of each command


def blocks(lines):
    """(first, end) line numbers of the inside of each checked block."""
    at = 0
    while at < len(lines):
        if lines[at].strip() == MARK:
            first = at + 2
            end = first
            while lines[end].strip() != "```":
                end += 1
            yield first, end
            at = end
        at += 1


def commands(block):
    """[(command lines, output lines)] of one block."""
    found = []
    more = False
    for line in block:
        if more or line.startswith("$ "):
            if not more:
                found.append(([], []))
            found[-1][0].append(line)
            more = line.endswith("\\")
        elif found:
            found[-1][1].append(line)
        else:
            raise SystemExit(f"docs: a checked block starts with '{line}', not with a command")
    return found


def run(page, root):
    """[output lines] of each command of a page; fewer if one of them ends the shell."""
    script = "".join("\n".join([lines[0][2:], *lines[1:]]) + f"\nprintf '{END}'\n" for lines in page)
    environment = os.environ | {"LC_ALL": "C.UTF-8", "PATH": f"{root.resolve() / 'build'}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], cwd=root, stdin=subprocess.DEVNULL, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False)
    outputs = done.stdout.decode(errors="replace").split(END)[:-1]
    return [[line.rstrip() for line in output.split("\n")[:-1]] for output in outputs]


def same(shown, real):
    """Whether the shown lines are the real ones; "..." stands for any lines."""
    pattern = ""
    for line in shown:
        line = HASH.sub("HASH", line.rstrip())
        pattern += r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n"
    text = "".join(HASH.sub("HASH", line) + "\n" for line in real)
    return re.fullmatch(pattern, text) is not None


def shortened(shown, real):
    """The real lines, cut where the document has "...": as many lines before and after it."""
    if "..." not in shown:
        return real
    at = shown.index("...")
    after = len(shown) - at - 1
    return real[:at] + ["..."] + (real[-after:] if after else [])


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("check", "update"):
        print("usage: docs.py check|update ROOT FILE...", file=sys.stderr)
        return 2
    root = Path(sys.argv[2])
    count = bad = 0
    for name in sys.argv[3:]:
        path = root / name
        lines = path.read_text().split("\n")
        fresh = []
        done = 0
        found = [command for first, end in blocks(lines) for command, _ in commands(lines[first:end])]
        real_of = iter(run(found, root))
        for first, end in blocks(lines):
            fresh += lines[done:first]
            done = end
            for command, shown in commands(lines[first:end]):
                real = next(real_of, ["(the shell had ended)"])
                count += 1
                fresh += command + shortened(shown, real)
                if not same(shown, real):
                    bad += 1
                    if sys.argv[1] == "check":
                        print(f"{name}: {command[0]}")
                        print("\n".join(difflib.unified_diff(shown, real, "document", "now", "", "", 1)))
        fresh += lines[done:]
        if sys.argv[1] == "update":
            path.write_text("\n".join(fresh))
    if count == 0:
        print("docs: no checked block found", file=sys.stderr)
        return 1
    if sys.argv[1] == "check":
        print(f"docs: {count} commands, {bad} with other output" + ("; tests/docs/docs.py update ROOT FILE..." if bad else ""))
        return bad > 0
    return 0


sys.exit(main())
