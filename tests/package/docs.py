#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""package/docs.py: which links of an installed document lead where, and which are text."""
import importlib.util
import os
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import ROOT, check, finish  # noqa: E402

spec = importlib.util.spec_from_file_location("package_docs", os.path.join(ROOT, "package", "docs.py"))
docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs)

FILES = ["README.md", "docs/README.md", "docs/manual/a.md", "docs/manual/a.png", "src/x.c", "apps/w/README.md", "apps/w/y.c"]
PLACES = {"README.md": "share/doc/p/README.md", "docs": "share/doc/p", "docs/README.md": "share/doc/p/all.md",
          "apps/w": "share/p/apps/w"}
# (document, what it has, what is installed)
KNOWN = [
    ("README.md", "[a](docs/manual/a.md#part)", "[a](manual/a.md#part)"),
    ("README.md", "[all](docs/README.md)", "[all](all.md)"),
    ("README.md", "see [the\nsource](src/x.c), [no](none.md)", "see the\nsource, no"),
    ("README.md", "[w](apps/w), [`y`](apps/w/y.c)", "[w](../../p/apps/w), [`y`](../../p/apps/w/y.c)"),
    ("README.md", "[web](https://a.b/c), [here](#below), [mail](mailto:a@b.c)", "[web](https://a.b/c), [here](#below), [mail](mailto:a@b.c)"),
    ("docs/manual/a.md", "![A [b] c](a.png) and [up](../../README.md)", "![A [b] c](a.png) and [up](README.md)".replace("(README", "(../README")),
    ("docs/manual/a.md", "![gone](none.png)", "gone"),
    ("docs/README.md", "`[code](src/x.c)`\n```\n[code](src/x.c)\n```\n[x](../src/x.c)", "`[code](src/x.c)`\n```\n[code](src/x.c)\n```\nx"),
    ("docs/README.md", "[outside](../../../etc/passwd)", "outside"),
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in FILES:
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            with open(name, "w", encoding="utf-8") as handle:
                handle.write("[a](docs/manual/a.md), [x](src/x.c)\n" if name == "README.md" else "x\n")
        for document, text, want in KNOWN:
            got = docs.moved(text, document, docs.place_of(document, PLACES), PLACES)
            check(got == want, f"{document}: {text!r} becomes {got!r}, not {want!r}")
        docs.copy("out", PLACES)
        made = sorted(os.path.relpath(os.path.join(at, name), "out") for at, _, names in os.walk("out") for name in names)
        check(made == ["share/doc/p/README.md", "share/doc/p/all.md", "share/doc/p/manual/a.md", "share/doc/p/manual/a.png"], f"made: {made}")
        with open("out/share/doc/p/README.md", encoding="utf-8") as handle:
            check(handle.read() == "[a](manual/a.md), x\n", "README.md is not as it should be")
        os.makedirs("bad/share/doc/mpjoule")
        with open("bad/share/doc/mpjoule/a.md", "w", encoding="utf-8") as handle:
            handle.write("[b](b.md) [c](a.md#x) `[d](d.md)` [e](https://e)")
        check(docs.dead("bad") == [("share/doc/mpjoule/a.md", "b.md")], f"dead: {docs.dead('bad')}")
    return finish(f"{len(KNOWN)} texts with links")


if __name__ == "__main__":
    sys.exit(main())
