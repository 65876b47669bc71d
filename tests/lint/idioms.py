#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds phrases that a systems engineer stumbles over; docs/glossary.md has the words to use.

usage: idioms.py ROOT [PATH...]   (exit status 1 and one line per finding)

Checks the files of SCOPE, or the given ones. What a checked document shows as the output of a
command (after <!-- checked -->) is the command's text and is checked where the command prints it.
"""
import os
import re
import subprocess
import sys

# Patterns of `git ls-files`. A room joins the list when it has been rewritten.
SCOPE = ["*.md", "firmware/*.[chS]", "firmware/*.inc", "scripts/", "demo.sh", "test.sh", "sim/calibrations/*.conf", "sim/chip/*.[ch]", "sim/qemu/overlay/**/*.[ch]",
         "tile/*.h", "hal/*.[chS]", "link/*.[ch]", "apps/*.[ch]", "base/*.[ch]", "log/*.[ch]", "hil/*.[ch]",
         "run/*.[ch]", "batch/*.[ch]", "search/*.[ch]", "gate/*.[ch]", "project/*.[ch]",
         "report/*.[ch]", "models/*.[ch]", "cli/*.[ch]", "cmake/"]

# (phrase, what to write instead); matched without regard to case, across a line break, too.
IDIOMS = [
    (r"\b(?:nobody|somebody|whoever|whomever)(?:'s)?\b", "name the actor, or use the passive: another process, no core, the caller"),
    (r"(?<!there\s)\b(?:is|are|was|were) no (?!longer\b|more\b|less\b)", "is not a ..., is invalid"),
    (r"\bthe person\b", "the user"),
    (r"\bfor want of\b", "without, because ... is missing"),
    (r"\b(?:takes?|taken|took|taking) (?:\w+ )?for granted\b", "assumes, expects"),
    (r"\bso long\b", "up to S seconds, while"),
    (r"\banew\b", "again, from scratch"),
    (r"\b(?:clos|end|finish|shut|stop|terminat)\w*(?: \w+){0,4} in order\b(?! to\b| of\b)", "gracefully, cleanly"),
    (r"\bwith which\b", "that ... uses, by which"),
    (r"\bhear(?:s|d)?\b", "receives, detects, acknowledges"),
    (r"\btime-outs?\b", "timeout"),
    (r"\b(?:events?|counters?) (?:take|takes|taking|took) turns\b|\bevents? in turn\b", "counter multiplexing"),
    (r"\bany more\b", "no longer"),
    (r"\bgo(?:es)? on where\b|\bwent on where\b", "resumes where"),
    (r"\bgiven again\b", "repeated, run again"),
    (r"\b(?:gets?|stands?) nowhere\b", "fails, is not documented"),
    (r"\bfor people\b", "free text, human-readable"),
    (r"\blooks? for what (?:it|they) waits? for\b|\blooking threads?\b", "spins, polls; spinning threads"),
    (r"\bmeans it\b", "is honoured"),
    (r"\bputs? off\b", "delays, restarts the timeout"),
]

# (file, words of the line, why it stays)
ALLOWED = [
    ("docs/glossary.md", "| person, somebody |", "names the words not to use"),
    ("docs/glossary.md", "| time-out |", "names the words not to use"),
    ("docs/glossary.md", "| rotation, events in turn |", "names the words not to use"),
    ("report/view/text_threads.c", "the event took turns with others", "printed; tests/fixtures has it"),
]

CHECKED = re.compile(r"<!-- checked -->\n```.*?\n```", re.S)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def allowed(path, line):
    return any(path == name and words in line for name, words, _ in ALLOWED)


def findings(path, text):
    lines = text.split("\n")
    text = CHECKED.sub(blank, text)
    # A phrase may continue behind a comment's margin.
    flat = re.sub(r"\n[ \t]*(?://|\*|#)?[ \t]*", lambda m: m.group()[0] + " " * (len(m.group()) - 1), text)
    for pattern, better in IDIOMS:
        pattern = pattern.replace(" ", r"\s+")
        for match in re.finditer(pattern, flat, re.I):
            number = flat.count("\n", 0, match.start())
            if not allowed(path, lines[number]):
                yield number + 1, " ".join(match.group().split()), better


def main(root, given):
    paths = given or subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--", *SCOPE],
                                    check=True, capture_output=True, text=True).stdout.splitlines()
    paths = [path for path in paths if os.path.exists(os.path.join(root, path))]
    count = 0
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as handle:
            text = handle.read()
        for number, words, better in sorted(findings(path, text)):
            print(f"{path}:{number}: \"{words}\": {better}")
            count += 1
    print(f"idioms: {len(paths)} files, {count} findings")
    return 1 if count or not paths else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: idioms.py ROOT [PATH...]")
    sys.exit(main(sys.argv[1], sys.argv[2:]))
