#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts seven patterns of telegraphic English in the comments of the C code, per component.

usage: register.py ROOT            (exit status 1 when a count is not its ceiling)
       register.py --lower ROOT    (lowers the ceilings to the counts; raises none)
       register.py --list ROOT [COMPONENT...]

register.txt, next to this file, has the ceilings: one line per component, one column per pattern.
They may only fall. A component without a line has ceilings of 0. Tests are not counted.
"""
import os
import re
import subprocess
import sys

# (column, pattern, what to write instead). ^ is the beginning of a comment.
PATTERNS = [
    ("wh", r"^(?:What|Who|Whose|Whom|Whether|Which|How|Where)\b", "begin with a verb: Returns, Waits until, True if"),
    ("it", r"^(?:It|They|The same|Others)\b", "name the subject, or begin with a verb"),
    ("of", r"(?:^|[.;:?!] )Of (?!course\b)", "X's ..., for X"),
    ("behind", r"\bbehind\b", "after, following, past"),
    ("stands", r"\b(?:stands?|stood|standing)\b", "is, is written, represents"),
    ("tells", r"\b(?:tells?|told)\b", "reports, prints, distinguishes"),
    ("beside", r"\bbesides?\b", "next to; in addition to; in the same folder"),
]
CEILINGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "register.txt")
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*', re.S)


def comments(text):
    """Yields the line and the text, in one line, of each comment."""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token[0] == "/":
            words = re.sub(r"\n[ \t]*(?:\*|//)?", " ", token[2:].removesuffix("*/"))
            yield text.count("\n", 0, match.start()) + 1, " ".join(words.lstrip("*!< ").split())


def findings(root):
    """Yields component, path, line, column and comment of each finding; path None: a component."""
    paths = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.c", "*.h"],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    for path in paths:
        component = path.split("/")[0]
        if component == "tests" or not os.path.exists(os.path.join(root, path)):
            continue
        yield component, None, 0, "", ""
        with open(os.path.join(root, path), encoding="utf-8") as handle:
            text = handle.read()
        for line, comment in comments(text):
            for column, pattern, _ in PATTERNS:
                for _ in re.finditer(pattern, comment):
                    yield component, path, line, column, comment


def read_ceilings():
    ceilings = {}
    with open(CEILINGS, encoding="utf-8") as handle:
        for words in (line.split() for line in handle if not line.startswith("#")):
            ceilings[words[0]] = dict(zip((p[0] for p in PATTERNS), map(int, words[1:]), strict=True))
    return ceilings


def write_ceilings(ceilings):
    with open(CEILINGS, "w", encoding="utf-8") as handle:
        handle.write("# Ceilings of register.py; register.py --lower ROOT lowers them.\n")
        handle.write("# %-10s" % "component" + "".join("%8s" % p[0] for p in PATTERNS) + "\n")
        for component in sorted(ceilings):
            handle.write("%-12s" % component + "".join("%8d" % ceilings[component][p[0]] for p in PATTERNS) + "\n")


def main(root, lower, wanted):
    found = {}
    for component, path, line, column, comment in findings(root):
        counts = found.setdefault(component, {p[0]: 0 for p in PATTERNS})
        if path is None:
            continue
        counts[column] += 1
        if wanted is not None and (not wanted or component in wanted):
            print(f"{path}:{line}: {column}: {comment[:90]}")
    if wanted is not None:
        return 0
    ceilings = read_ceilings()
    if lower:
        write_ceilings({component: {c: min(n, ceilings.get(component, {}).get(c, 0)) for c, n in counts.items()}
                        for component, counts in found.items()})
        ceilings = read_ceilings()
    wrong = 0
    for component in sorted(set(found) | set(ceilings)):
        for column, _, better in PATTERNS:
            count = found.get(component, {}).get(column, 0)
            ceiling = ceilings.get(component, {}).get(column, 0)
            if count > ceiling:
                print(f"{component}: \"{column}\" in {count} comments, the ceiling is {ceiling}: write {better} (register.py --list {root} {component})")
            elif count < ceiling:
                print(f"{component}: \"{column}\" in {count} comments, the ceiling is {ceiling}: lower it (register.py --lower {root})")
            wrong += count != ceiling
    total = sum(sum(counts.values()) for counts in found.values())
    print(f"register: {len(found)} components, {total} findings, {wrong} that are not at their ceilings")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    args = sys.argv[1:]
    mode = args.pop(0) if args[:1] in (["--lower"], ["--list"]) else ""
    if not args or (mode != "--list" and len(args) > 1):
        sys.exit("usage: register.py [--lower | --list] ROOT [COMPONENT...]")
    sys.exit(main(args[0], mode == "--lower", args[1:] if mode == "--list" else None))
