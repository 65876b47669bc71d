#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mpjoule gate in the emulator: verdicts, culprits, limits of parts, tools against program, layouts, kept runs, a
real bisection, and one line for every bad input.
usage: gate.py verdicts|cache|parts|together|history|bisect|wrong"""
import fcntl
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, call, check, finish, load, mpjoule, must, waits_for  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())

PROGRAM = """#include <mpj.h>
#include <stdio.h>
#include <stdlib.h>

#define N 8192
static volatile int data[N];

__attribute__((noinline)) static void fill(int n)
{
    for (int i = 0; i < n; i++)
        data[i % N] = i;
}

static int twice(int v) /* inlined */
{
    for (int i = 0; i < 4; i++)
        v += v << 1;
    return v;
}

__attribute__((noinline)) static int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += twice(data[i % N]);
    return s;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 20000;
    int s;
    mpj_mark("fill");
    fill(n);
    mpj_mark("sum");
    s = sum(n);
    mpj_mark("end");
    printf("%d\\n", s);
    return 0;
}
"""
GATE = """programs:
  p:
    sources: [p.c]
    compiler: -O2
"""


def gate(*words, **options):
    return mpjoule("gate", *words, cwd=options.pop("cwd", work), stdin=subprocess.DEVNULL, timeout=500, **options)


def ended(status, *words, says="", err=""):
    """The outcome as JSON of a gate that has to end with that status."""
    done = gate("-o", "json=out.json", *words)
    check(done.returncode == status, f"gate {words}: {done.returncode} instead of {status}: {done.stdout}{done.stderr}")
    check(says in done.stdout, f"gate {words}: no \"{says}\" in {done.stdout}")
    check(err in done.stderr, f"gate {words}: no \"{err}\" in {done.stderr}")
    return load(work / "out.json")["programs"]


def program(*changes):
    text = PROGRAM
    for old, new in changes:
        check(old in text, f"no {old} in the program")
        text = text.replace(old, new)
    (work / "p.c").write_text(text)


def yaml(text):
    (work / "gate.yaml").write_text(text)


def change_baseline(change):
    base = load(work / "baseline.json")
    change(base["programs"]["p"])
    (work / "other.json").write_text(json.dumps(base))


SLOWER_FILL = ("data[i % N] = i;", "data[i % N] = i / (1 + i % 7);")
# A few milliseconds more: the ticks during a division store enough to exceed a limit of 1 % of dcache_wr.
SLOWER_A_LITTLE = ("data[i % N] = i;", "data[i % N] = i % 7;")
SLOWER_TWICE = ("i < 4; i++)", "i < 6; i++)")
DIVIDING_TWICE = ("v += v << 1;", "v += v / (1 + data[0]);")
STEP = 380  # of a loop: about 0.85 % of the program
COMMENT = ("static int twice(", "/* a comment\n   of two lines */\nstatic int twice(")


def verdicts():
    program()
    yaml(GATE)
    out = ended(125, says="not in the baseline", err="not every program could be judged")
    check(out["p"]["runs"] == 1 and out["p"]["kept"] == 0, f"first: {out}")
    out = ended(0, "--update")
    check(out["p"]["kept"] == 1, f"kept: {out}")
    first = (work / "baseline.json").read_bytes()
    check(len(first) < 2500, f"a baseline of {len(first)} bytes")
    shutil.rmtree(work / ".mpjoule-gate")
    ended(0, "--update")
    check((work / "baseline.json").read_bytes() == first, "another baseline of the same program")
    out = ended(0, says="the same program")
    check(out["p"]["findings"] == [], f"no findings: {out}")

    program(SLOWER_FILL)
    out = ended(1, says="REGRESSION p: time")
    for f in out["p"]["findings"]:
        check((f["culprit"], f["file"], f["cause"]) == ("fill", "p.c", "instructions"), f"culprit: {f}")
        check(f["now"] > 1.05 * f["baseline"], f"figures: {f}")
        check(f["line"] in range(8, 11), f"line: {f}")
    out = ended(125, "--update", "--baseline", "missing/x.json", err="missing/x.json")
    program(SLOWER_TWICE)
    out = ended(1)
    check({f["culprit"] for f in out["p"]["findings"]} == {"twice"}, f"an inlined function: {out['p']['findings']}")
    # what an inlined function calls of the runtime is its own
    program(DIVIDING_TWICE)
    out = ended(1, says=", most of it in __divsi3; cause: ")
    check({(f["culprit"], f["file"], f["through"]) for f in out["p"]["findings"]} == {("twice", "p.c", "__divsi3")},
          f"a call of an inlined function: {out['p']['findings']}")
    change_baseline(lambda p: p["tools"].update(runtime_sha256="0" * 64))
    ended(125, "--baseline", "other.json", says="other tools (runtime; most of the change is in __divsi3): re-baseline")
    program(COMMENT)
    out = ended(0, says="the program changed")
    check(out["p"]["now"]["time"] == out["p"]["baseline"]["time"], "a comment costs time")
    program(("i < 4; i++)", "i < 2; i++)"))
    ended(0, says="better: time")
    # another compiler: with a change of figures not the program's fault
    program(SLOWER_FILL)
    change_baseline(lambda p: p["tools"].update(compiler="GCC 4.2"))
    out = ended(125, "--baseline", "other.json", says="tools (compiler GCC 4.2 -> ")
    check(out["p"]["verdict"] == "unknown" and out["p"]["findings"], f"other tools: {out}")
    program()
    out = ended(0, "--baseline", "other.json", says="tools changed: compiler GCC 4.2")
    change_baseline(lambda p: p["tools"].update(runtime_sha256="0" * 64, emulator_sha256="0" * 64))
    ended(0, "--baseline", "other.json", says="tools changed: emulator, runtime")
    change_baseline(lambda p: p["tools"].update(calibration="epro-mp"))
    ended(125, "--baseline", "other.json", says="the baseline was measured with the calibration epro-mp, this with mprofiler")
    change_baseline(lambda p: p["program"].update(arguments="7"))
    ended(125, "--baseline", "other.json", says="the arguments 7")

    # what is kept is checked; where that fails by the host's fault (here no memory for the emulator) it stays
    out = ended(0, "--recheck", "100")
    check(out["p"]["kept"] == 0, f"recheck: {out}")
    points = work / ".mpjoule-gate/p/points"
    before = {path: path.read_bytes() for path in points.iterdir()}
    done = gate("--recheck", "100", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (300 << 20,) * 2))
    check(done.returncode == 125 and "the emulator" in done.stdout, f"no memory: {done.returncode}, {done.stdout}{done.stderr}")
    check({path: path.read_bytes() for path in before if path.exists()} == before, "a failure replaced a kept result")
    failed = list(points.glob("*.failed.json"))
    check(len(failed) == 1 and "the emulator" in load(failed[0])["failed"], f"the failure is not kept: {failed}")
    out = ended(0)
    check(out["p"]["kept"] == 0 and not list(points.glob("*.failed.*")), f"what failed is not measured again: {out}")
    kept = list((work / ".mpjoule-gate/p/points").glob("*.sample.json"))
    check(kept and not list((work / ".mpjoule-gate").rglob("*.mpj")), "stores are kept")
    for path in kept:
        sample = load(path)
        sample["figures"]["energy"] += 1
        path.write_text(json.dumps(sample))
    ended(125, "--recheck", "100", says="differs from the cached one")
    ended(0)

    # layouts: the range is larger than what a change of comments and names does
    yaml("layouts: 3\nlimits: {time: 0.5 %, energy: 0.5 %}\n" + GATE)
    ended(125, says="re-baseline")
    out = ended(0, "--update")
    check(len(set(out["p"]["now"]["time"])) > 3 and out["p"]["runs"] == 12, f"a baseline has four times the layouts: {out['p']['now']}")
    check(ended(0)["p"]["runs"] == 3, "the same program is not in doubt")
    # beyond the limit and within the range: luck, unless each layout is worse
    def scale(*by):
        def change(p):
            time = load(work / "baseline.json")["programs"]["p"]["figures"]["time"]
            p["figures"]["time"] = [round(t * by[n % 3]) for n, t in enumerate(time)]
        return change
    for by, status, doubt in (((0.99, 0.99, 1.5), 0, True), ((0.99, 0.99, 0.99), 1, None), ((0.9, 0.9, 0.9), 1, False),
                              ((0.999, 0.999, 0.999), 0, False)):
        change_baseline(scale(*by))
        out = ended(status, "--baseline", "other.json")
        check(doubt is None or (out["p"]["runs"] > 3) == doubt, f"layouts that were measured for {by}: {out['p']['runs']}")
        check(ended(status, "--baseline", "other.json") == out | {"p": out["p"] | {"kept": out["p"]["runs"]}}, f"again: {by}")
    program(("fill(", "fill_all("), ("sum(", "sum_all("), COMMENT)
    ended(0)
    program(SLOWER_FILL)
    out = ended(1)
    check({f["culprit"] for f in out["p"]["findings"]} == {"fill"}, f"layouts: {out['p']['findings']}")


def cache():
    """What is kept of runs: used again, made again when it is damaged, bounded; other files are left alone."""
    program()
    yaml(GATE)
    ended(0, "--update")
    points = work / ".mpjoule-gate/p/points"
    (mine,) = {path.name[:24] for path in points.iterdir() if len(path.name) > 28}
    sample = points / f"{mine}.sample.json"
    whole = sample.read_text()
    for text in (whole[:-200], "", "[]", "{}", '{"figures": {"time": "1"}}', "\x00" * 50):
        sample.write_text(text)
        out = ended(0, says="the same program")
        check(out["p"]["kept"] == 0 and sample.read_text() == whole, f"a damaged sample: {text[:20]}: {out}")
    (points / f"{mine}.json").write_text("{")
    check(ended(0)["p"]["kept"] == 0, "damaged figures")
    check(not list((work / ".mpjoule-gate").rglob("*.elf")), "programs are kept")

    def other(digit, days, megabytes):
        for end in (".key", ".json", ".sample.json"):
            path = points / f"{digit * 24}{end}"
            path.write_bytes(bytes(megabytes << 20 if end == ".sample.json" else 10))
            os.utime(path, (time.time() - days * 86400 - 9,) * 2)

    def left():
        return {path.name[:1] for path in points.iterdir() if path.name[:25] == path.name[0] * 24 + "."}

    for name in ("notes.txt", f"{'9' * 24}x.json", "abc.json"):
        (points / name).write_text("mine")
        os.utime(points / name, (1, 1))
    for digit, days in (("a", 31), ("b", 29), ("c", 3), ("d", 2), ("e", 1)):
        other(digit, days, 1)
    for path in points.glob(f"{mine}.*"):
        os.utime(path, (time.time() - 29.5 * 86400,) * 2)
    check(ended(0)["p"]["kept"] == 1 and left() == set("bcde"), f"too old: {left()}")
    check(ended(0, "--cache-size", "3")["p"]["kept"] == 1 and left() == set("de"), f"too large: {left()}")
    check(ended(0, "--cache-size", "1")["p"]["kept"] == 1 and left() == set(), f"too large: {left()}")
    check({path.name for path in points.iterdir() if not path.name.startswith(mine)} ==
          {"notes.txt", f"{'9' * 24}x.json", "abc.json"}, f"other files: {list(points.iterdir())}")
    refused("--cache-size", "--cache-size", "0")
    # beside a folder of `mpjoule tune`, old and large; and one of a gate that left no mark
    days = 40 * 86400
    for name, ends in (("tune", (".key", ".json")), ("mine", (".key", ".json", ".sample.json")), ("both", (".key",))):
        for path in [work / name / "points" / f"{'a' * 24}{end}" for end in ends] + \
                [work / name / "programs" / f"{'a' * 24}.elf", work / name / "lock"]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("theirs")
            os.utime(path, (time.time() - days,) * 2)
    for end in (".key", ".sample.json"):
        (work / "both/points" / f"{'b' * 24}{end}").write_text("")
        os.utime(work / "both/points" / f"{'b' * 24}{end}", (1, 1))
    check(ended(0, "--cache", ".", "--cache-size", "1")["p"]["runs"] == 1, "a cache here")
    there = {name: sorted(p.name for p in (work / name).rglob("*") if p.is_file()) for name in ("tune", "mine", "both")}
    a = "a" * 24
    check(there == {"tune": [f"{a}.elf", f"{a}.json", f"{a}.key", "lock"], "mine": ["lock"], "both": [f"{a}.elf", f"{a}.key", "lock"]},
          f"in folders of others: {there}")
    check((work / "tune/lock").read_text() == "theirs" and not list((work / "p/programs").iterdir()), "beside a tune")
    # somebody else's folder
    (work / "theirs").mkdir()
    (work / "theirs/points").mkdir()
    (work / "theirs/points/x").write_text("x")
    check(ended(0, "--cache", "theirs")["p"]["kept"] == 0 and (work / "theirs/points/x").exists(), "another folder")
    (work / "file").write_text("")
    refused("cannot create the folder", "--cache", "file/x")
    refused("written to unmade: name another one", "--cache", "unmade", "-o", "json=unmade")
    for name in ("baseline.json", "gate.yaml"):
        refused(f"{name} is an input and would be overwritten", "-o", f"json=./{name}")


PARTS = GATE + """    arguments: [30000]
    limits: {time: 1000 %, dcache_wr: 1 %}
    functions:
      fill: {time: 2 %, calls: 0 %}
      sum: {energy: 1 J}
    marks:
      sum: {time: [3 %, 1 s]}
"""


def parts():
    program()
    yaml(PARTS)
    ended(0, "--update")
    ended(0)
    base = load(work / "baseline.json")["programs"]["p"]
    check(set(base["figures"]) == {"time", "energy", "instr", "dcache_wr"}, f"figures: {base['figures']}")
    check(set(base["marks"]) == {"fill", "sum", "end"}, f"marks: {base['marks']}")
    program(SLOWER_A_LITTLE)
    out = ended(1, says="REGRESSION p: time of function fill")
    check([(f["of"], f["name"]) for f in out["p"]["findings"]] == [("function", "fill")], f"parts: {out}")
    program(("    fill(n);\n", "    fill(n / 2);\n    fill(n / 2);\n"))
    out = ended(1, says="calls of function fill 1 -> 2 (+100.00 %), allowed 0 %")
    program(SLOWER_TWICE)
    out = ended(1, says="REGRESSION p: time of mark sum")
    check(len(out["p"]["findings"]) == 1, f"mark: {out}")
    program(("s += twice(data[i % N]);", "data[i % N] = s += twice(data[i % N]);"))
    out = ended(1, says="REGRESSION p: dcache_wr ")
    check("sum" in {f["culprit"] for f in out["p"]["findings"]}, f"event: {out}")
    yaml(PARTS.replace("1 J", "1 nJ"))
    program()
    done = gate()
    check(done.returncode == 1 and "energy of function sum " in done.stdout and "allowed 1 nJ" in done.stdout,
          f"absolute: {done.stdout}")
    before = (work / "baseline.json").read_bytes()
    done = gate("--update")
    check(done.returncode == 1 and (work / "baseline.json").read_bytes() == before, f"update over a limit: {done}")
    yaml(PARTS.replace("fill:", "fell:"))
    done = gate()
    check(done.returncode == 125 and "no function is called fell" in done.stdout, f"no function: {done.stdout}")
    # a region
    (work / "omp.c").write_text("int main(void) {\n static volatile int a[400]; int s = 0;\n#pragma omp parallel for reduction(+:s)\n"
                                " for (int i = 0; i < 400 * K; i++) s += a[i % 400];\n return s;\n}\n")
    yaml("programs:\n  omp:\n    sources: [omp.c]\n    compiler: -O2 -fopenmp -DK=50\n    limits: {time: 100 %}\n"
         "    regions:\n      main._omp_fn.0: {time: 2 %}\n")
    ended(0, "--update")
    yaml((work / "gate.yaml").read_text().replace("K=50", "K=60"))
    ended(1, says="time of region main._omp_fn.0")


def together():
    """Gates that renew one baseline at the same time lose nothing of each other."""
    yaml(GATE + GATE[GATE.index("  p:"):].replace("p:", "q:", 1))
    program()
    ended(0, "--update")
    before = load(work / "baseline.json")["programs"]
    program(SLOWER_FILL)
    words = [(name, "--update", "--cache", f"of-{name}") for name in "pq"]
    gates = [subprocess.Popen([MPJOULE, "gate", *w], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for w in words]
    check([g.wait() for g in gates] == [0, 0], f"together: {[g.returncode for g in gates]}")
    after = load(work / "baseline.json")["programs"]
    for name in "pq":
        check(after[name]["figures"]["time"] > before[name]["figures"]["time"], f"of two updates that of {name} is lost")
    check(not list(work.glob("baseline.json?*")), "files are left beside the baseline")
    # by a link
    (work / "fixed").mkdir()
    shutil.copy(work / "baseline.json", work / "fixed/b.json")
    (work / "link.json").symlink_to("fixed/b.json")
    program()
    ended(0, "--update", "--baseline", "link.json")
    check((work / "link.json").is_symlink() and load(work / "fixed/b.json")["programs"] == before, "a baseline by a link")


def commit(message, when):
    environment = {**os.environ, "GIT_COMMITTER_DATE": f"{when} +0000", "GIT_AUTHOR_DATE": f"{when} +0000"}
    must("git", "add", "p.c", "gate.yaml", cwd=work)
    must("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", message, cwd=work, env=environment)


def history():
    """Ten steps of about 0.85 %, each within a gate's limit of 1 %, are found, with the function they come from."""
    spin = "__attribute__((noinline)) static int sum(int n)\n{\n    int s = 0;\n"
    yaml(GATE + "    limits: {time: 1 %}\n")
    must("git", "init", "-q", cwd=work)
    program()
    refused("there is none here", "--history", "perf")
    for step in range(11):
        # the code stays where it is: another place alone may cost 1 %
        program((spin, f"{spin}    static volatile int more = {1 + STEP * step};\n    for (volatile int k = more; k > 0; k--) ;\n"))
        commit(f"step {step}", 1700000000 + step)
        if step > 0:
            ended(0, "--history", "perf")  # no step is beyond the limit of the commit before
        ended(0, "--update", "--history", "perf")
    files = sorted((work / "perf").iterdir())
    check(len(files) == 11 and all(f.stat().st_size < 4000 for f in files), f"files: {[(f.name, f.stat().st_size) for f in files]}")
    done = mpjoule("history", "-f", "json", "perf", cwd=work)
    out = json.loads(done.stdout)["programs"]["p"]
    changes = [step["time"].get("change") for step in out["steps"]]
    check(changes[0] is None and all(0.005 < c < 0.01 for c in changes[1:]), f"steps: {changes}")
    check(all(step["time"]["why"].startswith("sum (p.c:") for step in out["steps"][1:]), f"culprits: {out['steps'][1:3]}")
    check(done.returncode == 1 and out["time"]["beyond"] and out["time"]["change"] > 0.06 and out["time"]["largest_step"] < 0.01 and
          out["time"]["why"].startswith("sum (p.c:"), f"a creep: {done.returncode} {out['time']}")
    one = sorted((work / "perf").glob("*.json"))[0]
    done = mpjoule("history", "-o", one, "perf", cwd=work)
    check(done.returncode == 125 and "is an input and would be overwritten" in done.stderr and one.read_text().startswith("{"),
          f"a history overwritten: {done}")
    done = mpjoule("history", "perf", cwd=work)
    check(done.returncode == 1 and "WORSE time" in done.stdout and "in 10 steps of at most +0." in done.stdout, f"text: {done.stdout}")
    check(mpjoule("history", "--limit", "20", "perf", cwd=work).returncode == 0, "a wide limit")
    done = mpjoule("history", "-f", "html", "-o", "trend.html", "perf", cwd=work)
    page = (work / "trend.html").read_text()
    check(done.returncode == 1 and page.count("<polyline") == 2 and "<script" not in page and "http" not in page, "the page")
    # files of another branch merge; the same commit again is the same file; another target or other arguments begin anew
    before = [f.read_bytes() for f in files]
    ended(0, "--history", "perf")
    check([f.read_bytes() for f in files] == before, "the same commit again")
    # programs that another gate adds to the file meanwhile stay
    both = load(files[-1])
    both["programs"]["q"] = both["programs"]["p"]
    with open(f"{files[-1]}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen([MPJOULE, "gate", "--history", "perf"], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as going:
            while going.poll() is None and not waits_for(going, lock.name):
                time.sleep(0.05)
            check(going.poll() is None, "the history's lock was not waited for")
            files[-1].write_text(json.dumps(both))
            fcntl.flock(lock, fcntl.LOCK_UN)
            said = going.communicate()
    check(going.returncode == 0 and load(files[-1]) == both, f"two gates at once: {going.returncode} {said}")
    check(sorted((work / "perf").iterdir()) == files, "a lock is left")
    files[-1].write_bytes(before[-1])
    other = load(files[-1])
    other["programs"]["p"]["program"]["arguments"] = "7"
    other["commit"]["time"] += 1
    (work / "perf/other.json").write_text(json.dumps(other))
    check(mpjoule("history", "perf", cwd=work).returncode == 0, "other arguments compared")
    (work / "perf/other.json").unlink()
    # an unknown figure of the first commit hides no growth after it
    (work / "unknown").mkdir()
    for n, f in enumerate(files):
        figures = load(f)
        if n == 0:
            del figures["programs"]["p"]["figures"]["time"]
        (work / "unknown" / f.name).write_text(json.dumps(figures))
    done = mpjoule("history", "unknown", cwd=work)
    check(done.returncode == 1 and "WORSE time" in done.stdout, f"an unknown first figure: {done.returncode} {done.stdout}")
    # a changed file, a damaged one, none
    (work / "p.c").write_text(PROGRAM + "/* more */\n")
    refused("commit them first", "--history", "perf")
    for text in ("{", "[]", '{"schema": "mpjoule-history/1", "programs": {}}', '{"schema": "mpjoule-baseline/1", "programs": {}}'):
        (work / "perf/other.json").write_text(text)
        done = mpjoule("history", "perf", cwd=work)
        check(done.returncode == 125 and len(done.stderr.splitlines()) == 1 and "other.json" in done.stderr, f"damaged: {text}: {done.stderr}")
    for words in (("none",), (), ("perf", "more"), ("-f", "xml", "perf"), ("--limit", "x", "perf")):
        done = mpjoule("history", *words, cwd=work)
        check(done.returncode in (64, 125) and len(done.stderr.splitlines()) == 1, f"history {words}: {done.returncode} {done.stderr}")


def bisect():
    """Eight commits; the fourth does not compile, the sixth is the slow one."""
    def git(*words, **options):
        return call("git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", *words, cwd=work,
                    **options)

    git("init", "-q")
    (work / ".gitignore").write_text(".mpjoule-gate\nout.json\n")
    yaml(GATE)
    steps = [(), (COMMENT,), (("20000", "20001"),), (COMMENT, ("int s;", "int s")), (("sum", "total"),),
             (SLOWER_TWICE,), (SLOWER_TWICE, COMMENT), (SLOWER_TWICE, ("sum", "total"))]
    commits = []
    for n, step in enumerate(steps):
        program(*step)
        if n == 0:
            ended(0, "--update")
            shutil.copy(work / "baseline.json", work.parent / f"{work.name}.json")
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", f"step {n}")
        commits.append(git("rev-parse", "HEAD").stdout.strip())
    git("bisect", "start", commits[-1], commits[0])
    done = git("bisect", "run", MPJOULE, "gate", "--baseline", str(work.parent / f"{work.name}.json"))
    check(done.returncode == 0 and f"{commits[5]} is the first bad commit" in done.stdout, f"bisect: {done.stdout}")
    git("bisect", "reset")
    git("checkout", "-q", commits[3])
    check(gate().returncode == 125 and "does not compile" in gate().stdout, "what does not compile is not skipped")
    os.unlink(work.parent / f"{work.name}.json")


def refused(text, *words):
    done = gate(*words)
    check(done.returncode == 125 and text in done.stderr and done.stderr.count("\n") == 1 and not done.stdout,
          f"gate {words}: {done.returncode}, no \"{text}\" in {done.stderr!r} {done.stdout!r}")


def wrong():
    program()
    refused("cannot read the gate gate.yaml")
    for text, says in (("", "is empty"), ("programs:\n", "gate.yaml:1: "), ("programs: {}\n", "no programs"),
                       ("bogus: 1\n" + GATE, "gate.yaml:1: unknown key"), (GATE + "    sorces: [x]\n", "unknown key"),
                       (GATE + "    limits: {tyme: 1 %}\n", "has no \"tyme\""),
                       (GATE + "    limits: {time: soon}\n", "\"soon\" is not a limit of time"),
                       (GATE + "    limits: {time: 3 mJ}\n", "is not a limit of time"),
                       (GATE + "    limits: {time: -1 %}\n", "is not a limit of time"),
                       (GATE + "    limits: {time: nan %}\n", "is not a limit of time"),
                       (GATE + "    limits: {time: []}\n", "an empty list of limits"),
                       (GATE + "    limits: {time: [1 %, 2 %]}\n", "contradictory limits of time: 1 % and 2 %"),
                       (GATE + "    limits: {energy: 1 mJ}\n    functions: {sum: {energy: 2 mJ}}\n",
                        "contradictory limits of energy: function sum may take 2 mJ"),
                       (GATE + "    functions: [sum]\n", "\"key: value\" lines"),
                       (GATE + "    regions: {x: {instr: 1 %}}\n", "a region has no \"instr\""),
                       (GATE + "    compiler: -O3\n", "duplicate key"),
                       (GATE + "layouts: 0\n", "a number from 1 to 99"), (GATE + "layouts: many\n", "a number from 1"),
                       (GATE + "repeat: -2\n", "a number from 1"), (GATE + "baseline: []\n", "expected a file name"),
                       ("programs:\n  ../x: {sources: [p.c]}\n", "a program's name"),
                       ("programs:\n  p: {compiler: -O2}\n", "no program"), ("programs: [p]\n", "expected \"key: value\" lines"),
                       ("{", "gate.yaml:")):
        yaml(text)
        refused(says)
    yaml(GATE)
    refused("has no program \"q\"", "q")
    refused("unknown format \"pdf\"", "-o", "pdf=x")
    refused("FORMAT=FILE", "-o", "junit")
    refused("unknown format", "-f", "pdf")
    refused("--layouts", "--layouts", "0")
    refused("--recheck", "--recheck", "101")
    refused("runs on the emulator are identical", "--repeat", "3")
    refused("nowhere/x", "-o", "junit=nowhere/x")
    refused("two outputs would be written to stdout", "-o", "json=-", "-o", "junit=-")
    refused("two outputs would be written to stdout", "-f", "table", "-o", "junit=-")
    refused("2 or more", "--target", "tile0", "--repeat", "1")
    refused("layouts are for the emulator", "--target", "tile0", "--layouts", "3")
    for text, says in (("", "baseline.json is damaged: line"), ("{}", "schema"), ("[1]", "schema"), ("{\"a\":1,\"a\":2}", "line 1"),
                       ('{"schema": "mpjoule-baseline/1"}', "programs: is missing"),
                       ('{"schema": "mpjoule-baseline/1", "programs": {"p": 3}}', "program p: program: is missing"),
                       ('{"schema": "mpjoule-baseline/9", "programs": {}}', "is not mpjoule-baseline/1")):
        (work / "baseline.json").write_text(text)
        refused(says)
    os.unlink(work / "baseline.json")
    ended(0, "--update")
    done = gate("-o", "json=-")
    check(json.loads(done.stdout)["programs"]["p"]["verdict"] == "ok" and not (work / "-").exists(), f"JSON on stdout: {done}")
    # what cannot be written does not keep the others from it
    done = gate("-o", "json=/dev/full", "-o", "junit=after.xml")
    check(done.returncode == 125 and "/dev/full" in done.stderr and (work / "after.xml").exists(), f"after a full disk: {done}")
    whole = load(work / "baseline.json")
    for table, name, value in (("figures", "time", "fast"), ("figures", "time", -3), ("figures", "time", [1]), ("figures", "time", [1, -2]),
                               ("figures", "time", 1.5), ("functions", "fill", 7), ("functions", "fill", {"time": "x"}),
                               ("tools", "compiler", 3), ("program", "arguments", None), ("figures", "time", [1, 2, 3])):
        damaged = json.loads(json.dumps(whole))
        damaged["programs"]["p"][table][name] = value
        (work / "baseline.json").write_text(json.dumps(damaged))
        refused("baseline.json is damaged: program p: ")
    (work / "baseline.json").write_text(json.dumps(whole))
    # whatever stands in the files, terminals and readers of XML get text
    odd = json.loads(json.dumps(whole))
    odd["programs"]["p"]["tools"]["compiler"] = "\x1b[31m<script>"
    (work / "other.json").write_text(json.dumps(odd))
    yaml(GATE + '    functions: {"\\x01<b>&": {time: 1 %}}\n    marks: {"\\e[31m<script>x</script>": {time: 1 %}}\n')
    done = gate("--baseline", "other.json", "-o", "junit=odd.xml", "-o", "markdown=odd.md")
    check(done.returncode == 125 and "\x1b" not in done.stdout and "no function is called" in done.stdout, f"odd: {done}")
    names = [case.get("name") for case in ElementTree.parse(work / "odd.xml").iter("testcase")]
    check(len(names) == 4 and any("<script>x</script> time: 1 %" in name for name in names), f"odd: {names}")
    check(not set("\x01\x1b<") & set((work / "odd.md").read_text()), "odd: Markdown")
    # what concerns one program is said of it, and the others are judged
    yaml(GATE + "  gone: {program: gone.elf}\n  odd: {sources: [gone.c]}\n  bad: {sources: [p.c], compiler: -Obogus}\n"
         "  fails: {sources: [fails.c]}\n  five: {program: p.c}\n")
    (work / "fails.c").write_text("int main(void) { return 5; }\n")
    out = ended(125, err="not every program could be judged")
    for name, says in (("gone", "gone.elf"), ("odd", "cannot read gone.c"), ("bad", "does not compile"),
                       ("fails", "exit status 5"), ("five", "not an ELF program")):
        check(out[name]["verdict"] == "unknown" and len(out[name]["findings"]) == 1 and
              says in out[name]["findings"][0]["text"], f"{name}: {out[name]}")
    check(out["p"]["verdict"] == "ok", f"p: {out['p']}")
    must(MPJOULE, "cc", "-O2", work / "p.c", "-o", work / "p.elf")
    yaml("layouts: 2\nprograms:\n  p: {program: p.elf}\n")
    ended(125, says="is already linked")
    for word in ("x", "-1", "1000001", "", "3 "):
        done = mpjoule("cc", f"--layout={word}", "p.c", "-o", "q.elf", cwd=work)
        check(done.returncode == 125 and done.stderr.count("\n") == 1 and "from 0 to 1000000" in done.stderr, f"cc: {done}")
    done = mpjoule("cc", "--layout=1", "--layout=2", "p.c", "-o", "q.elf", cwd=work)
    check(done.returncode == 125 and "occurs twice" in done.stderr, f"cc twice: {done}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ("verdicts", "cache", "parts", "together", "history", "bisect", "wrong"):
        sys.exit(__doc__)
    globals()[sys.argv[1]]()
    shutil.rmtree(work, ignore_errors=True)
    sys.exit(finish())
