#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each subcommand answers --help, and its manual page has the options that it answers.

usage: options.py
"""
import os
import re
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import ROOT, check, finish, mpjoule  # noqa: E402

# Pages speak of other commands' options, too.
OTHERS = {"boards": {"--board", "--continuous", "--info", "--meter", "--retries", "--target", "--timeout", "--wait"},
          "record": {"--format", "--view"}, "run": {"--suggest"}, "flash": set(), "groups": {"--group"},
          "annotate": {"--functions", "--instructions"}, "diff": {"--functions"},
          "init": {"--build", "--update"}, "selftest": {"--kinds"},
          "report": {"--dir", "--entries", "--filter", "--functions", "--moments", "--samples", "--waveform"}}
OF_EVERY = {"--help", "--usage", "--version", "--quiet", "--verbose"}  # mpjoule.md has them
MODEL = ["campaign", "coverage", "fit", "generate", "predict", "show", "verify"]


def options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) - OF_EVERY


def main():
    man = os.path.join(ROOT, "docs", "man")
    with open(os.path.join(man, "mpjoule.md"), encoding="utf-8") as handle:
        overview = handle.read()
    pages = sorted(f[len("mpjoule-"):-len(".md")] for f in os.listdir(man) if f != "mpjoule.md")
    for page in pages:
        with open(os.path.join(man, f"mpjoule-{page}.md"), encoding="utf-8") as handle:
            text = handle.read()
        known = set()
        for words in [[page]] + [[page, sub] for sub in MODEL if page == "model"]:
            done = mpjoule(*words, "--help")
            check(done.returncode == 0 and not done.stderr, f"{' '.join(words)} --help fails")
            known |= options(done.stdout)
        if page != "cc":  # the compiler's own
            missing, more = known - options(text), options(text) - known - OTHERS.get(page, set())
            check(not missing, f"{page}: not on the page: {', '.join(sorted(missing))}")
            check(not more, f"{page}: on the page only: {', '.join(sorted(more))}")
        check(f"    mpjoule {page} " in overview, f"{page} is not in the overview")
    return finish(f"{len(pages)} pages compared with their commands")


if __name__ == "__main__":
    sys.exit(main())
