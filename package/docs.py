#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies documents to where they are installed. Links to files that are installed, too, lead there; of others only
the text stays.

usage: docs.py [--check] PREFIX SOURCE=PLACE...

SOURCE is a file or folder of this project, PLACE its path under the prefix. Only what has a PLACE below share/doc/ is copied: the rest are
places of files that something else installs. --check copies nothing, and reports links of the documents below PREFIX/share/doc/mpjoule
that lead nowhere.
"""
import os
import re
import shutil
import sys

# [text](target), ![alternative](target); the text may go on in the next line, and have brackets in it
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
REMOTE = re.compile(r"[a-z][a-z+.-]*:")


def outside_code(text, change):
    """The text with `change` applied where it is not code."""
    out = []
    at = 0
    for code in CODE.finditer(text):
        # a link's text may be code: what is code is hidden while links are looked for
        out.append((text[at:code.start()], False))
        out.append((code.group(0), True))
        at = code.end()
    out.append((text[at:], False))
    kept = [part for part, is_code in out if is_code]
    hidden = "".join("\0" if is_code else part for part, is_code in out)
    parts = iter(kept)
    return re.sub("\0", lambda _: next(parts), change(hidden))


def links(text):
    """Targets of the links of a document."""
    found = []
    outside_code(text, lambda hidden: LINK.sub(lambda m: found.append(m.group(3)) or m.group(0), hidden))
    return found


def place_of(path, places):
    """Where a file or folder of the project is installed; None: nowhere."""
    at = path
    while True:
        if at in places:
            return os.path.normpath(os.path.join(places[at], os.path.relpath(path, at)))
        if at in ("", "."):
            return None
        at = os.path.dirname(at)


def moved(text, source, place, places, root="."):
    """A document with links that fit its place."""
    def one(match):
        image, words, target = match.groups()
        file, mark, part = target.partition("#")
        if REMOTE.match(target) or not file:
            return match.group(0)
        path = os.path.normpath(os.path.join(os.path.dirname(source), file))
        to = place_of(path, places) if os.path.exists(os.path.join(root, path)) else None
        if to is None:
            return words
        return f"{image}[{words}]({os.path.relpath(to, os.path.dirname(place))}{mark}{part})"

    return outside_code(text, lambda hidden: LINK.sub(one, hidden))


def copy(prefix, places):
    for source, to in places.items():
        if not to.startswith("share/doc/"):
            continue
        files = [source] if os.path.isfile(source) else [os.path.join(folder, name) for folder, _, names in os.walk(source)
                                                         for name in names]
        for file in sorted(files):
            place = place_of(file, places)
            out = os.path.join(prefix, place)
            os.makedirs(os.path.dirname(out), exist_ok=True)
            if not file.endswith(".md"):
                shutil.copyfile(file, out)
                continue
            with open(file, encoding="utf-8") as handle:
                text = handle.read()
            with open(out, "w", encoding="utf-8") as handle:
                handle.write(moved(text, file, place, places))


def dead(prefix):
    """(document, target) of each link that leads nowhere."""
    found = []
    for folder, _, names in sorted(os.walk(os.path.join(prefix, "share", "doc", "mpjoule"))):
        for name in sorted(names):
            if not name.endswith(".md"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as handle:
                for target in links(handle.read()):
                    file = target.partition("#")[0]
                    if file and not REMOTE.match(target) and not os.path.exists(os.path.join(folder, file)):
                        found.append((os.path.relpath(os.path.join(folder, name), prefix), target))
    return found


def main(arguments):
    if arguments[:1] == ["--check"] and len(arguments) == 2:
        found = dead(arguments[1])
        for document, target in found:
            print(f"{document}: {target} is not there")
        return bool(found)
    if len(arguments) < 2 or not all("=" in pair for pair in arguments[1:]):
        print(__doc__, file=sys.stderr)
        return 2
    copy(arguments[0], dict(pair.split("=", 1) for pair in arguments[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
