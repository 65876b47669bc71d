#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One identity of a function: copies of the compiler are the function of the source, statics of one name in two
files stay two, in reports, filters, annotations, comparisons, exports and gates.
usage: identity.py"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{pathlib.Path(__file__).parent}/../harness")
from harness import check, finish, load, mpjoule, must, MPJOULE  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())

A = """#include <stdio.h>
int b_work(int n);
static __attribute__((noinline)) int work(int n)
{
    volatile int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}
static __attribute__((noinline)) int scaled(int n, int by)
{
    volatile int s = 0;
    for (int i = 0; i < n; i++)
        s += i * by;
    return s;
}
__attribute__((noipa)) int whole(int n)
{
    return n + 1;
}
int another(int n) __attribute__((alias("whole")));
__attribute__((noinline)) unsigned mixed(unsigned n)
{
    return n * 0x12345679u ^ 0xfedcba98u;
}
int main(void)
{
    int s = (int)mixed(1);
    for (int i = 0; i < 100; i++)
        s += work(A_TURNS) + scaled(50, SECOND) + b_work(B_TURNS) + another(i) + whole(i);
    printf("%d\\n", s);
    return 0;
}
"""
B = """static __attribute__((noinline)) int work(int n)
{
    volatile int s = 0;
    for (int i = 0; i < n; i++)
        s += i ^ n;
    return s;
}
int b_work(int n)
{
    return work(n) + work(n / 2);
}
"""
GATE = """programs:
  p:
    sources: [a.c, b.c]
    compiler: -O2 -g %s
    limits: {time: 50 %%}
    functions:
      "%s": {time: 1 %%}
"""


def flags(a=100, b=200, second="3"):
    return f"-DA_TURNS={a} -DB_TURNS={b} -DSECOND={second}"


def build(name, *options):
    must(MPJOULE, "cc", "-O2", "-g", *options, "a.c", "b.c", "-o", f"{name}.elf", cwd=work)
    must(MPJOULE, "run", "--quiet", "--functions", "--instructions", "-o", f"{name}.mpj", "--json", f"{name}.json",
         f"{name}.elf", cwd=work)
    return [f for f in load(work / f"{name}.json")["functions"] if "thread" not in f]


def named(functions, name):
    return [(pathlib.Path(f["file"]).name, f["line"], f["calls"], f.get("copies")) for f in functions
            if f["name"] == name and f["kind"] == "program"]


def says(*words, status=0):
    done = mpjoule(*words, cwd=work)
    check(done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


def reports():
    functions = build("p", *flags().split())
    check(sorted(named(functions, "work")) == [("a.c", 3, 100, [".constprop.0"]), ("b.c", 1, 200, None)],
          f"work: {named(functions, 'work')}")
    check(named(functions, "scaled") == [("a.c", 10, 100, [".constprop.0"])], f"scaled: {named(functions, 'scaled')}")
    check(named(functions, "whole")[0][:3] == ("a.c", 17, 200), f"whole: {named(functions, 'whole')}")
    check(not named(functions, "another"), "the alias is a function of its own")
    check(not any(".constprop" in f["name"] for f in functions), "a copy's suffix is in a name")
    only = says("report", "--view", "functions", "-F", "a.c:work", "p.mpj")
    check("work  a.c:3" in only and "work  b.c:1" not in only, f"-F a.c:work: {only}")
    check("scaled  a.c:10" in says("report", "--view", "functions", "-F", "scaled", "p.mpj"), "-F scaled")
    both = says("report", "--view", "functions", "-F", "work", "p.mpj")
    check("work  a.c:3" in both and "work  b.c:1" in both, f"-F work: {both}")
    says("report", "--view", "functions", "-F", "c.c:work", "p.mpj", status=125)
    check("scaled.constprop.0, 0x" in says("annotate", "scaled", "p.mpj"), "annotate scaled")
    check("b.c:work, 0x" in says("annotate", "b.c:work", "p.mpj"), "annotate b.c:work")
    check("more than one function: name one, as" in says("annotate", "work", "p.mpj", status=125), "annotate work")
    code = says("annotate", "mixed", "p.mpj")
    check(code.count(".word ") == 2 and ".word    0xfedcba98" in code, f"annotate mixed shows constants as code:\n{code}")
    library = {f["name"] for f in functions if f["kind"] == "program"} & {"irq_entry", "frame_dummy", "register_tm_clones"}
    check(not library, f"functions of the program: {library}")
    folded = says("report", "--view", "calls", "--format", "folded", "p.mpj")
    check(";main;a.c:work " in folded and ";b_work;b.c:work " in folded, "folded")


def compared():
    """An edit that ends a copy: the function is in both."""
    build("q", *flags(second="i").split())
    rows = json.loads(must(MPJOULE, "diff", "-f", "json", "p.mpj", "q.mpj", cwd=work).stdout)["functions"]
    for name in ("scaled", "work"):
        found = [r for r in rows if r["name"] == name and r["file"].endswith(("a.c", "b.c"))]
        check(len(found) == (2 if name == "work" else 1), f"diff of {name}: {found}")
        check(all(r["in"] == "both" for r in found), f"diff of {name}: {found}")


def gate(*words):
    return mpjoule("gate", *words, cwd=work, stdin=subprocess.DEVNULL)


def gated():
    """Makes the second file's work longer and the first one's shorter, so that the sum does not change."""
    (work / "gate.yaml").write_text(GATE % (flags(200, 200), "b.c:work"))
    done = gate("--update")
    if done.returncode != 0:
        check(False, f"gate --update: {done.stdout}{done.stderr}")
        return
    base = load(work / "baseline.json")["programs"]["p"]["functions"]
    check("a.c:work" in base and "b.c:work" in base and "work" not in base, f"the baseline has {sorted(base)}")
    (work / "gate.yaml").write_text(GATE % (flags(140, 240), "b.c:work"))
    done = gate("-o", "sarif=out.sarif")
    check(done.returncode == 1, f"gate: {done.returncode}: {done.stdout}{done.stderr}")
    place = load(work / "out.sarif")["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    check(place["artifactLocation"]["uri"] == "b.c" and place["region"]["startLine"] == 1, f"SARIF blames {json.dumps(place)}")
    (work / "gate.yaml").write_text(GATE % (flags(140, 240), "work"))
    done = gate()
    check("several functions are called work" in done.stdout, f"a limit of work: {done.stdout}{done.stderr}")


def main():
    (work / "a.c").write_text(A)
    (work / "b.c").write_text(B)
    reports()
    compared()
    gated()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
