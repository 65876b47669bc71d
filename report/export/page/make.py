#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a run as C: what stands in front of its data, and what behind it.

usage: make.py OUT LIBRARY... -- OWN...  (OUT: the header to write)

The file's first part ends where page.html has @DATA@. Libraries (.js, .css) come from packages of the distribution,
with the licence of each (its package's copyright file) as text that a reader finds in the page; own scripts and styles
are those of this folder. Scripts are one element, whose hash is all that the page's policy lets run.
"""
import base64
import hashlib
import os
import re
import sys

PER_LINE = 96


def read(path):
    with open(path, encoding="utf-8") as handle:
        return handle.read()


def without_maps(text):
    """Without the line that names a file for debuggers."""
    return re.sub(r"^(//|/\*)# sourceMappingURL=.*\n?", "", text, flags=re.M).rstrip("\n") + "\n"


def in_element(text, name):
    """Refuses what would end the element it stands in."""
    if re.search(rf"</{name}|<!--", text, re.I):
        sys.exit(f"make.py: a {name} of the page contains what ends it")
    return text


def licences(paths):
    """Copyright files of the packages that libraries came from, each once."""
    texts = {}
    for path in paths:
        package = re.sub(r".*/(?:javascript|nodejs)/([^/]+)/.*", r"\1", os.path.abspath(path))
        for name in (f"libjs-{package}", f"node-{package}"):
            file = f"/usr/share/doc/{name}/copyright"
            if os.path.exists(file):
                texts[name] = read(file).strip()
                break
        else:
            sys.exit(f"make.py: {path}: no copyright file of its package")
    return "\n\n".join(f"==== {name} ====\n{text}" for name, text in sorted(texts.items()))


def as_c(name, text):
    data = text.encode()
    lines = []
    for at in range(0, len(data), PER_LINE):
        part = data[at:at + PER_LINE]
        # three octal digits: what follows cannot be taken for a fourth
        lines.append("    \"" + "".join(chr(c) if 32 <= c < 127 and chr(c) not in "\"\\?" else f"\\{c:03o}"
                                        for c in part) + "\"")
    return f"static const char {name}[] =\n" + "\n".join(lines) + ";\n"


def main(out, libraries, own):
    folder = os.path.dirname(os.path.abspath(__file__))
    css = [read(p) for p in libraries + own if p.endswith(".css")]
    scripts = [read(p) for p in libraries if p.endswith(".js")] + [read(p) for p in own if p.endswith(".js")]
    script = in_element("\n" + "".join(without_maps(text) for text in scripts), "script")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = read(f"{folder}/page.html")
    for mark, text in (("@POLICY@", f"'sha256-{digest}'"),
                       ("@STYLE@", in_element("".join(without_maps(text) for text in css), "style")),
                       ("@LICENCES@", licences(libraries).replace("&", "&amp;").replace("<", "&lt;")),
                       ("@SCRIPT@", script)):
        if page.count(mark) != 1:
            sys.exit(f"make.py: page.html needs {mark} once")
        page = page.replace(mark, text)
    head, tail = page.split("@DATA@")
    text = as_c("page_head", head) + as_c("page_tail", tail)
    with open(out, "w", encoding="ascii") as handle:
        handle.write(text)


if __name__ == "__main__":
    if len(sys.argv) < 4 or "--" not in sys.argv:
        sys.exit(__doc__)
    cut = sys.argv.index("--")
    main(sys.argv[1], sys.argv[2:cut], sys.argv[cut + 1:])
