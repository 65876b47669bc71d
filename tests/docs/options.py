#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each subcommand answers --help and --help-all, and its manual page has the options that it answers, examples and a
"See also" that names pages. --help lists the common options of cli/src/options_common.c, where a command has such.

usage: options.py
"""
import os
import re
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import ROOT, check, finish, mpjoule  # noqa: E402

# Pages speak of other commands' options, too.
OTHERS = {"boards": {"--board", "--continuous", "--info", "--jobs", "--meter", "--retries", "--target", "--timeout", "--wait"},
          "record": {"--format", "--view"}, "run": {"--suggest", "--view"}, "flash": set(), "groups": {"--group"},
          "annotate": {"--functions", "--instructions"}, "diff": {"--cores", "--dir", "--env", "--functions", "--sample-ms"},
          "history": {"--history"}, "init": {"--build", "--update"}, "selftest": {"--kinds"},
          "report": {"--dir", "--entries", "--filter", "--functions", "--moments", "--samples", "--target-moments", "--waveform"}}
OF_EVERY = {"--help", "--help-all", "--usage", "--version", "--quiet", "--verbose"}  # mpjoule.md has them
MODEL = ["campaign", "coverage", "fit", "generate", "predict", "show", "verify"]


def options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) - OF_EVERY


def listed(text):
    """Options of a help list, by their letters where they have no name."""
    return {long or short for short, long in re.findall(r"^  (?:-(\S))?(?:,| |$)? *(?:--([a-z][a-z-]*))?", text, re.M)
            if long or short} - {option[2:] for option in OF_EVERY}


def common_options():
    """The options that --help lists, of each command that has more."""
    with open(os.path.join(ROOT, "cli", "src", "options_common.c"), encoding="utf-8") as handle:
        table = handle.read().split("common[] = {", 1)[1].split("};", 1)[0]
    rows = re.findall(r'\{"mpjoule ([a-z ]+)",((?:\s*"[^"]*")+)\}', table)
    return {command: set("".join(re.findall(r'"([^"]*)"', names)).split()) for command, names in rows}


def check_help(command, everything, common):
    """Checks that --help lists the common options, and all where none are named."""
    done = mpjoule(*command.split(), "--help")
    check(done.returncode == 0 and not done.stderr, f"{command} --help fails")
    if command not in common:
        check(done.stdout == everything, f"{command} --help differs from --help-all, and it has no common options")
        return
    check(listed(done.stdout) == common[command], f"{command} --help lists {sorted(listed(done.stdout))}")
    check(listed(everything) > common[command], f"{command} --help-all lists {sorted(listed(everything))}")
    check("--help-all" in done.stdout, f"{command} --help does not name --help-all")


def check_sections(page, text, pages):
    """Checks that a page has an example of its command and that its "See also" names existing pages."""
    sections = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    command = f"mpjoule {page}".rstrip()
    check(re.search(rf"^    .*{command}\b", sections.get("Examples", ""), re.M), f"{command}: the page has no example")
    named = re.findall(r"`mpjoule help ([a-z]+)`", sections.get("See also", ""))
    check(named, f"{command}: the page names no other page under \"See also\"")
    check(set(named) <= set(pages) - {page}, f"{command}: \"See also\" names a page that does not exist, or itself")


def main():
    man = os.path.join(ROOT, "docs", "man")
    with open(os.path.join(man, "mpjoule.md"), encoding="utf-8") as handle:
        overview = handle.read()
    pages = sorted(f[len("mpjoule-"):-len(".md")] for f in os.listdir(man) if f != "mpjoule.md")
    check_sections("", overview, pages)
    lead = re.findall(r"^    mpjoule (\w+)", overview.split("\n\n", 2)[1], re.M)
    check(lead == ["cc", "run", "report", "diff", "gate"], f"the overview begins with {lead}")
    common = common_options()
    for page in pages:
        with open(os.path.join(man, f"mpjoule-{page}.md"), encoding="utf-8") as handle:
            text = handle.read()
        check_sections(page, text, pages)
        known = set()
        for words in [[page]] + [[page, sub] for sub in MODEL if page == "model"]:
            everything = "--help" if page == "cc" else "--help-all"  # the compiler's own
            done = mpjoule(*words, everything)
            check(done.returncode == 0 and not done.stderr, f"{' '.join(words)} {everything} fails")
            known |= options(done.stdout)
            check_help(" ".join(words), done.stdout, common)
        if page != "cc":
            missing, more = known - options(text), options(text) - known - OTHERS.get(page, set())
            check(not missing, f"{page}: not on the page: {', '.join(sorted(missing))}")
            check(not more, f"{page}: on the page only: {', '.join(sorted(more))}")
        check(f"    mpjoule {page} " in overview, f"{page} is not in the overview")
    return finish(f"{len(pages)} pages compared with their commands")


if __name__ == "__main__":
    sys.exit(main())
