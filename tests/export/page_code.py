#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Source lines and instructions on the page of a run, in a real browser.

usage: page_code.py lines|missing FOLDER

FOLDER is emptied. Programs are compiled and run in the emulator. Without Chromium the test ends with status 77.
"""
import json
import os
import re
import shlex
import sqlite3
import sys

from page import NASTY, OPEN, PAGE_MAX, fits, number, page, quiet, report, run_test
from page_views import put, text
from harness import MPJOULE, cc, check, mpjoule, must

EVIL = '</script><img src=x onerror="window.hurt=1"> <!-- &lt; &amp;'
HEADER = "inlined.h"
SOURCE = f"""#include <stdio.h>
#include "{HEADER}"
static volatile unsigned out;
/* {EVIL} */
__attribute__((noinline)) void hot(unsigned n)
{{
\tfor (unsigned i = 0; i < n; i++) /* {EVIL} */
\t\tout += i * 3; // \xff\x1b[31m
}}
__attribute__((noinline)) void warm(unsigned n)
{{
    for (unsigned i = 0; i < n; i++)
        out ^= mixed(i);
}}
__attribute__((noinline)) void cold(void)
{{
    out++;
}}
unsigned twin(unsigned v)
{{
    return v * 7 ^ v >> 3;
}}
unsigned (*volatile through)(unsigned) = twin;
__attribute__((noinline)) void both(unsigned n)
{{
    for (unsigned i = 0; i < n; i++)
        out += twin(i) + through(i);
}}
int main(void)
{{
    hot(20000);
    warm(5000);
    both(4000);
    cold();
    puts("done");
    return 0;
}}
"""
INLINED = """static inline __attribute__((always_inline)) unsigned mixed(unsigned v)
{
    v ^= v << 13;
    return v ^ v >> 17;
}
"""
ROWS = """[...document.querySelectorAll('#code-table tbody tr')].map(tr => [tr.className, ...[...tr.cells].map(c => c.textContent)])"""
UNITS = """[...document.querySelectorAll('#code-table thead th')].map(th => [th.textContent, th.dataset.unit || ''])"""
CLICK = """[...document.querySelectorAll('#%s button.link')].find(e => e.textContent === '%s').click()"""


def build(name="made.elf", source=SOURCE):
    with open("made.c", "w", encoding="latin-1") as handle:
        handle.write(source)
    with open(HEADER, "w", encoding="utf-8") as handle:
        handle.write(INLINED)
    cc("made.c", name, "-O2", "-g")


def record(name, elf="made.elf", *options):
    must(MPJOULE, "run", "--quiet", *(options or ("--functions", "--instructions")), "-o", name, elf)


def chosen(b):
    return b.run("document.getElementById('code-function').value")


def click(b, name, table="all-functions"):
    b.run(CLICK % (table, name))
    b.frames()


def rows(b):
    """[class, text, {column: figure in base units}] of each row."""
    heads = b.run(UNITS)
    out = []
    for kind, where, *cells in b.run(ROWS):
        figures = {head.removesuffix(unit): number(cell, unit)[0] for (head, unit), cell in zip(heads[1:], cells) if cell}
        out.append((kind, where, figures))
    return out


def annotated(name, store):
    """{address: (executions, cycles)} as `annotate` has them."""
    found = re.findall(r"^ +(\d+) +(\d+) .*% +([0-9a-f]+):  ", must(MPJOULE, "annotate", name, store).stdout, re.M)
    return {int(at, 16): (int(n), int(cycles)) for n, cycles, at in found}


def instructions(b):
    b.run("document.getElementById('code-all').click()")
    found = {int(where.split(":")[0], 16): (int(v.get("executions", 0)), int(v.get("cycles", 0)))
             for kind, where, v in rows(b) if kind == "insn"}
    b.run("document.getElementById('code-all').click()")
    return found


def lines(b):
    """A click on a function shows its lines, a click on a line its instructions; figures are those of the report."""
    build()
    record("made.mpj")
    path = page("made.mpj")
    check(os.path.getsize(path) <= 2 * PAGE_MAX, f"{os.path.getsize(path)} bytes")
    with open(path, encoding="utf-8") as handle:
        check("hurt" not in handle.read(), "the page contains source as it is")
    b.open(path)
    quiet(b, path)
    b.run(OPEN)
    check(chosen(b) == "hot", f"what costs most is shown first, not {chosen(b)}")
    functions = {f["name"]: f["self"]["energy_uj"] for f in json.loads(report("made.mpj", "json"))["functions"] if "thread" not in f}
    for name, parts, table in (("warm", ("warm", "mixed"), "all-functions"), ("hot", ("hot",), "top-functions")):
        click(b, name, table)
        check(chosen(b) == name, f"a click on {name} shows {chosen(b)}")
        shown = rows(b)
        check(not any(kind == "insn" for kind, _, _ in shown), "instructions are not asked for")
        true = sum(functions[part] for part in parts)
        got = sum(v["energy"] for _, _, v in shown if v)
        check(abs(got - true) < 1e-3 * true, f"lines of {name}: {got} uJ, not {true}")
        title = re.search(r": ([0-9.,]+.*?J), ", text(b, "code-title"))[1]
        check(abs(number(title, None)[0] - true) <= number(title, None)[1], f"{name}: {title}, not {true} uJ")
        shares = sum(v.get("share", 0) for _, _, v in shown if v)
        check(abs(shares - 100) < 0.1, f"shares of {name}: {shares} %")
        check(instructions(b) == annotated(name, "made.mpj"), f"instructions of {name}")
    # the text of the hottest line, with what it contains as text; tabs are blanks
    shown = rows(b)
    where, v = max(((where, v) for _, where, v in shown if v.get("executions")), key=lambda x: x[1]["cycles"])
    check(re.fullmatch(r"\u25b8[78] {9,17}(for|out \+=) .*", where) and v["executions"] >= 20000, f"hottest: {where}: {v}")
    check(sum(EVIL in where for _, where, _ in shown) == 1 and any("out += i * 3; //" in where for _, where, _ in shown),
          f"source: {[where for _, where, _ in shown]}")
    check(b.run("window.hurt === undefined && document.images.length === 0"), "source ran")
    # one line's instructions, by mouse and keyboard
    line = "[...document.querySelectorAll('#code-table button.line')].find(e => e.textContent.includes('out +='))"
    b.run(f"{line}.click()")
    kinds = [kind for kind, _, _ in rows(b)]
    check(kinds.count("insn") in range(2, 20) and b.run(f"{line}.getAttribute('aria-expanded')") == "true", f"after a click: {kinds}")
    insns = [v for kind, _, v in rows(b) if kind == "insn" and v]
    total = next(v for _, where, v in rows(b) if "out +=" in where)
    for head in ("cycles", "executions"):
        check(sum(v[head] for v in insns) == total[head], f"{head} of a line: {insns}, not {total}")
    b.run(f"{line}.focus()")
    b.key("Enter")
    check(not any(kind == "insn" for kind, _, _ in rows(b)), "Enter hides them")
    # the flame: a click, in each view
    flame = "[...document.querySelectorAll('#%s g')].find(g => g.getAttribute('aria-label').startsWith('%s: '))" \
            ".dispatchEvent(new MouseEvent('click'))"
    put(b, "flame-view", "paths")
    b.run(flame % ("flame", "warm"))
    check(chosen(b) == "warm", f"a click in the flame shows {chosen(b)}")
    check(any(HEADER in where for kind, where, _ in rows(b) if kind == "file"), "no lines of what is inlined")
    put(b, "flame-view", "sandwich")
    put(b, "flame-function", "main")
    b.run(flame % ("flame", "hot"))
    check(chosen(b) == "hot", f"a click among callees shows {chosen(b)}")
    # an inlined function: the code that contains it; one that costs little: how to see it
    click(b, "mixed")
    check(chosen(b) == "warm" and "mixed is inlined into warm" in text(b, "code-note"), f"inlined: {chosen(b)}, {text(b, 'code-note')}")
    for inlined, shows in (("true", "both"), ("false", "twin (made.c:19)")):  # one function, inlined here, called there
        b.run("[...document.querySelectorAll('#all-functions td.t')].find(e => e.textContent.startsWith('twin') && "
              f"e.textContent.includes('[inlined]') === {inlined}).querySelector('button').click()")
        b.frames()
        check(chosen(b) == shows, f"twin, inlined: {inlined}: {chosen(b)}")
    click(b, "cold")
    note = b.run("document.querySelector('#code-note pre').textContent")
    check("1 %" in text(b, "code-note") and note == "mpjoule annotate cold made.mpj", f"little: {text(b, 'code-note')}")
    check("cold" in must(MPJOULE, *shlex.split(note)[1:]).stdout, note)
    # the address
    click(b, "warm")
    b.run("new Promise(f => setTimeout(f, 300))")
    link = b.run("location.hash")
    check("code=warm" in link, f"link: {link}")
    b.send("Page.navigate", url="about:blank")
    b.open(path + link)
    check(chosen(b) == "warm", f"opened again: {chosen(b)}")
    b.open(path + "#code=%3Cimg%20src=x%20onerror=window.hurt=1%3E")
    check(chosen(b) == "hot" and b.run("window.hurt === undefined"), "a wrong one in the address")
    b.run("document.getElementById('code-all').click()")
    fits(b)
    b.media("light", "print")
    check(b.run("getComputedStyle(document.querySelector('#code-table .scroll')).maxHeight") == "none", "what is printed is cut")
    b.media()
    quiet(b, path)
    nasty(b)


def nasty(b):
    """Names of functions and files stay text, too."""
    db = sqlite3.connect("made.mpj")
    db.execute("UPDATE prof_func SET name = ? || name, file = ?", (NASTY, NASTY))
    db.commit()
    db.close()
    path = page("made.mpj")
    b.open(path)
    check("window.hurt=1" in chosen(b) and chosen(b).endswith("hot") and "made.c" in text(b, "code-table"), f"names: {chosen(b)}")
    b.run("document.getElementById('code-all').click()")
    for row in range(3):
        b.run(f"document.querySelectorAll('#all-functions button.link')[{row}].click()")
    b.frames()
    check(b.run("window.hurt === undefined && document.images.length === 0"), "a name ran")
    quiet(b, path)


def why(b, *wanted):
    """The one line of a page without code; all else is there."""
    line = text(b, "code-why")
    check(all(w in line for w in wanted), f"why: {line}, not {wanted}")
    check(b.run("document.querySelectorAll('#code-function, #code-table').length") == 0, "code is there")
    click(b, "hot")
    check(b.run("document.getElementById('flame-view').value") == "sandwich" and len(b.run(
        "[...document.querySelectorAll('#all-functions tbody tr')].map(e => 0)")) > 3, "the rest of the page")
    quiet(b, "made.mpj")


def missing(b):
    """Without instructions, the program or its sources: a line says why and what to do."""
    os.mkdir("sub")
    build("sub/made.elf")
    record("plain.mpj", "sub/made.elf", "--functions")
    b.open(page("plain.mpj"))
    why(b, "--functions --instructions")
    again = b.run("document.querySelector('#code-why + pre').textContent")
    must(MPJOULE, *shlex.split(again.replace("mpjoule run", "run --quiet -o made.mpj")))
    b.open(page("made.mpj"))  # found where it was run
    check(chosen(b) == "hot", f"after {again}: {text(b, 'functions')[:300]}")
    # the source: newer, gone; its instructions are there in any case
    known = {where for _, where, v in rows(b) if v}
    check(any("out +=" in where for where in known) and not b.run("document.querySelectorAll('#code-table .alarm').length"), f"{known}")
    later = os.stat("sub/made.elf").st_mtime + 10
    os.utime("made.c", (later, later))
    b.open(page("made.mpj"))
    check("made.c was changed after the program was made" in text(b, "code-table"), f"newer: {text(b, 'code-table')[:300]}")
    for gone in (os.remove, os.mkdir, lambda name: (os.rmdir(name), os.mkfifo(name))):
        gone("made.c")
        b.open(page("made.mpj"))
        check("made.c cannot be read: make the page where the sources are" in text(b, "code-table"), f"gone: {text(b, 'code-table')[:300]}")
        shown = [(where, v) for kind, where, v in rows(b) if v and kind != "file"]
        check(all(re.fullmatch("\u25b8\\d+ ", where) for where, _ in shown) and {v["cycles"] for _, v in shown} != {0}, f"lines: {shown}")
        check(len(instructions(b)) > 3, "no instructions")
        quiet(b, "gone")
    # the program: another build, none, named
    os.rename("sub/made.elf", "kept.elf")
    b.open(page("made.mpj"))
    why(b, "the program made.elf is neither next to made.mpj nor in the current folder", "--elf")
    os.remove("made.c")
    build("made.elf", SOURCE.replace("i * 3", "i * 5"))
    b.open(page("made.mpj"))
    why(b, "made.elf is another build than the program that was run", "--elf")
    done = mpjoule("report", "--format", "html", "--elf", "made.elf", "made.mpj")
    check(done.returncode == 125 and done.stderr.count("\n") == 1 and "another build" in done.stderr and not done.stdout, f"named, another build: {done.stderr}")
    done = mpjoule("report", "--elf", "kept.elf", "made.mpj")
    check(done.returncode == 125 and "--format html" in done.stderr, f"--elf and text: {done.stderr}")
    b.open(page("made.mpj", "--elf", "kept.elf"))
    check(chosen(b) == "hot", f"named: {text(b, 'functions')[:300]}")
    # stripped of lines and of sizes
    build("bare.elf")
    must("arm-none-eabi-strip", "-g", "bare.elf")
    record("bare.mpj", "bare.elf")
    b.open(page("bare.mpj"))
    check("of no known line: compile with -g" in text(b, "code-table") and len(instructions(b)) > 3, "without -g")
    must("arm-none-eabi-strip", "-s", "bare.elf")
    b.open(page("bare.mpj"))
    why(b, "bare.elf is another build")
    quiet(b, "bare")
    long(b)


def long(b):
    """A function of more instructions than the page takes, beside others: the page stays small, and says what is left out."""
    body = "".join(f"    out += out * {2 * k + 3} ^ {k};\n" for k in range(3000))
    build("long.elf", SOURCE.replace("int main(void)\n{", f"__attribute__((noinline)) void huge(void)\n{{\n{body}}}\nint main(void)\n{{\n    huge();\n    huge();\n    huge();"))
    record("long.mpj", "long.elf")
    path = page("long.mpj")
    print(f"{os.path.getsize(path)} bytes")
    check(os.path.getsize(path) <= 3 * PAGE_MAX, f"{os.path.getsize(path)} bytes")
    b.open(path)
    check(chosen(b) == "hot", f"beside a long function: {chosen(b)}")
    click(b, "huge")
    check("huge has more code than fits on the page" in text(b, "code-note") and "annotate huge long.mpj" in text(b, "code-note"),
          f"too long: {text(b, 'code-note')}")
    quiet(b, path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(run_test({"lines": lines, "missing": missing}, *sys.argv[1:]))
