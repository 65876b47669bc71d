#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Source lines and instructions on the page of a run, in a real browser.

usage: page_code.py lines|missing|refused|alike FOLDER

FOLDER is emptied. Programs are compiled and run in the emulator. Without Chromium the test ends with status 77.
"""
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys

from page import NASTY, OPEN, PAGE_MAX, fits, number, page, quiet, report, run_test
from page_views import put, text
from harness import MPJOULE, cc, check, mpjoule, must

MEMORY_MAX = 600 << 20  # bytes, of a command that reads sources; built with the address sanitizer
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
CHOICE = "document.getElementById('code-function').value"
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
    return b.run("document.getElementById('code-function').selectedOptions[0].textContent")


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
    check(f"code={b.run(CHOICE)}" in link and b.run(CHOICE) != "0", f"link: {link}")
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
    why(b, "the program made.elf is neither next to made.mpj nor in the current folder, nor is there sub/made.elf", "--elf")
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
    # left out on request
    b.open(page("made.mpj", "--elf", "kept.elf", "--no-code"))
    why(b, "--no-code")
    done = mpjoule("report", "--no-code", "made.mpj")
    check(done.returncode == 125 and "--no-code requires --format html" in done.stderr, f"--no-code and text: {done.stderr}")
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


def of_files(name, *files):
    """Builds and records a program of a function for each file, which says that it is on line 3 of that."""
    parts = ["static volatile unsigned out;"]
    for i, path in enumerate(files):
        parts.append(f'#line 3 "{path}"\n__attribute__((noinline)) void f{i}(unsigned n) {{ for (unsigned i = 0; i < n; i++) out += i; }}')
    calls = " ".join(f"f{i}(3000);" for i in range(len(files)))
    parts.append(f'#line 100 "{name}.c"\nint main(void) {{ {calls} return 0; }}')
    with open(f"{name}.c", "w", encoding="utf-8") as handle:
        handle.write("\n".join(parts) + "\n")
    cc(f"{name}.c", f"{name}.elf", "-O2", "-g")
    record(f"{name}.mpj", f"{name}.elf")


def peak(*words):
    """Makes a report in OUT; returns its output and its peak of memory, in bytes."""
    with open("out", "wb") as handle, subprocess.Popen([MPJOULE, *words], stdout=handle) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    check(child.returncode == 0, f"{words}: status {child.returncode}")
    with open("out", encoding="utf-8", errors="replace") as handle:
        return handle.read(), usage.ru_maxrss << 10


def refused(b):
    """Lines name files of the machine as their source: of those that are none, nothing is on the page or in `annotate`."""
    os.environ["SECRET"] = "open-sesame"
    for name in ("notes.txt", "part.h", "exact.S"):
        with open(name, "w", encoding="utf-8") as handle:
            handle.write("1\n2\nopen-sesame " + name + "\n")
    os.symlink("notes.txt", "link.c")
    os.symlink("part.h", "linked")
    system, named = "it is below /proc, /sys or /dev", "its name is not that of a C, C++ or assembler source"
    wanted = {"/proc/self/environ": system, "/proc/self/pagemap": system, "/sys/kernel/notes": system, "/dev/zero": system,
              "notes.txt": named, "link.c": named, "/etc/passwd": named, "part.h": "", "exact.S": "", "linked": ""}
    of_files("files", *wanted)
    made, used = peak("report", "--format", "html", "files.mpj")
    check(used < MEMORY_MAX, f"{used} bytes of memory")
    with open("files.html", "w", encoding="utf-8") as handle:
        handle.write(made)
    b.open("files.html")
    for i, (name, reason) in enumerate(wanted.items()):
        b.run(CLICK % ("all-functions", f"f{i}"))
        b.frames()
        shown = text(b, "code-table")
        output, used = peak("annotate", f"f{i}", "files.mpj")
        check(chosen(b) == f"f{i}" and used < MEMORY_MAX, f"{name}: {chosen(b)}, {used} bytes of memory")
        check(("open-sesame" in shown) == ("open-sesame" in output) == (not reason), f"{name}: {shown}\n{output}")
        check((f"{name} is not shown: {reason}" if reason else name) in shown, f"{name}: {shown}")
        check("root:" not in shown + output, f"{name}: {shown}")
    # a file of as many lines as bytes, by several names; a large one
    with open("many.c", "w", encoding="utf-8") as handle:
        handle.write("\n" * (16 << 20))
    with open("large.c", "w", encoding="utf-8") as handle:
        handle.write("\n" * ((16 << 20) + 1))
    of_files("room", "large.c", "many.c", "./many.c", ".//many.c")
    made, used = peak("report", "--format", "html", "room.mpj")
    check(used < MEMORY_MAX, f"{used} bytes of memory")
    with open("room.html", "w", encoding="utf-8") as handle:
        handle.write(made)
    b.open("room.html")
    for i, reason in enumerate(("large.c is not shown: it is larger than 16 MB", *3 * ("the source files take more than 64 MB",))):
        b.run(CLICK % ("all-functions", f"f{i}"))
        b.frames()
        check(chosen(b) == f"f{i}" and reason in text(b, "code-table"), f"{chosen(b)}: {text(b, 'code-table')}")
    quiet(b, "room.html")


SAME = """static volatile unsigned out%d;
static __attribute__((noinline)) void same(unsigned n) {
    for (unsigned i = 0; i < n; i++)
        out%d += i; /* of %s */
}
void %s(void)
{
    same(%d);
}
"""


def alike(b):
    """Functions of one name on one line of two files of one name, and commands with names that a shell or an option may be."""
    for i, name in enumerate("ab"):
        os.mkdir(name)
        with open(f"{name}/x.c", "w", encoding="utf-8") as handle:
            handle.write(SAME % (i, i, name, name, 4000 - 2000 * i))
    with open("main.c", "w", encoding="utf-8") as handle:
        handle.write("void a(void);\nvoid b(void);\nint main(void) { a(); b(); return 0; }\n")
    must(MPJOULE, "cc", "-O2", "-g", "a/x.c", "b/x.c", "main.c", "-o", "two.elf")
    record("two.mpj", "two.elf")
    b.open(page("two.mpj"))
    for row, name in enumerate("ab"):  # sorted by energy
        b.run(f"[...document.querySelectorAll('#all-functions button.link')].filter(e => e.textContent === 'same')[{row}].click()")
        b.frames()
        shown = text(b, "code-table")
        check(f"of {name} " in shown and f"{name}/x.c" in chosen(b), f"same of {name}/x.c: {chosen(b)}: {shown}")
    # commands
    build()
    record("made.mpj")
    db = sqlite3.connect("made.mpj")
    db.execute("UPDATE prof_func SET name = '-cold' WHERE name = 'cold'")
    db.commit()
    db.close()
    for name in ("x;touch pwned.mpj", "-x'y.mpj"):
        shutil.copy("made.mpj", name)
        b.open(page(name, "--"))
        b.run(OPEN)
        click(b, "-cold")
        note = b.run("document.querySelector('#code-note pre').textContent")
        done = subprocess.run(["bash", "-c", 'mpjoule() { "$MPJOULE" "$@"; }; ' + note], capture_output=True, text=True, check=False)
        check(done.returncode == 0 and "-cold, 0x" in done.stdout and not os.path.exists("pwned.mpj"), f"{note}: {done.stderr}")
        again = [line for e in b.run("[...document.querySelectorAll('#hints pre')].map(e => e.textContent)") for line in e.split("\n")
                 if line.startswith("mpjoule diff")]
        check(again and all(shlex.split(line)[-2:] == [name, "what-if.mpj"] and (name[0] != "-" or " -- " in line) for line in again), f"{again}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(run_test({"lines": lines, "missing": missing, "refused": refused, "alike": alike}, *sys.argv[1:]))
