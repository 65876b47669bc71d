#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each subcommand answers --help, and its manual page has the options that it answers.

usage: options.py MPJOULE ROOT
"""
import os
import re
import subprocess
import sys

# Pages speak of other commands' options, too.
OTHERS = {"boards": {"--retries", "--target", "--timeout", "--wait"},
          "record": {"--format", "--view"}, "flash": set(), "groups": {"--group"}}
OF_EVERY = {"--help", "--usage", "--version"}
MODEL = ["campaign", "coverage", "fit", "generate", "predict", "show", "verify"]


def options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) - OF_EVERY


def help_of(mpjoule, words):
    done = subprocess.run([mpjoule, *words, "--help"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and not done.stderr, done.stdout


def main(mpjoule, root):
    bad = []
    man = os.path.join(root, "docs", "man")
    with open(os.path.join(man, "mpjoule.md"), encoding="utf-8") as handle:
        overview = handle.read()
    pages = sorted(f[len("mpjoule-"):-len(".md")] for f in os.listdir(man) if f != "mpjoule.md")
    for page in pages:
        with open(os.path.join(man, f"mpjoule-{page}.md"), encoding="utf-8") as handle:
            text = handle.read()
        known = set()
        for words in [[page]] + [[page, sub] for sub in MODEL if page == "model"]:
            answered, said = help_of(mpjoule, words)
            if not answered:
                bad.append(f"{' '.join(words)} --help fails")
            known |= options(said)
        if page != "cc":  # the compiler's own
            bad += [f"{page}: {o} is not on the page" for o in sorted(known - options(text))]
            bad += [f"{page}: {o} is on the page only"
                    for o in sorted(options(text) - known - OTHERS.get(page, set()))]
        if f"    mpjoule {page} " not in overview:
            bad.append(f"{page} is not in the overview")
    print("\n".join(bad) if bad else f"{len(pages)} pages agree with their commands")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
