#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds seven patterns of telegraphic English in the comments of the C code; tests are not checked.

usage: register.py ROOT [COMPONENT...]   (exit status 1 and one line per finding)
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
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*', re.S)


def comments(text):
    """Yields the line and the text, in one line, of each comment."""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token[0] == "/":
            words = re.sub(r"\n[ \t]*(?:\*|//)?", " ", token[2:].removesuffix("*/"))
            yield text.count("\n", 0, match.start()) + 1, " ".join(words.lstrip("*!< ").split())


def findings(root, components):
    """Yields path, line, column, what to write instead and comment of each finding."""
    paths = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.c", "*.h"],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    for path in paths:
        component = path.split("/")[0]
        if component == "tests" or (components and component not in components) or not os.path.exists(os.path.join(root, path)):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as handle:
            text = handle.read()
        for line, comment in comments(text):
            for column, pattern, better in PATTERNS:
                for _ in re.finditer(pattern, comment):
                    yield path, line, column, better, comment


def main(root, components):
    count = 0
    for path, line, column, better, comment in findings(root, components):
        print(f"{path}:{line}: \"{column}\", write {better}: {comment[:90]}")
        count += 1
    print(f"register: {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: register.py ROOT [COMPONENT...]")
    sys.exit(main(sys.argv[1], sys.argv[2:]))
