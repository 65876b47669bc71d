#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A run knows what it was given, what it measured until it ended in whatever way, and what it did not.

usage: given.py
Works in the current directory.
"""
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, ROOT, cc, check, finish, load, mpjoule, must  # noqa: E402

ELF = os.path.abspath("folder with a blank/given.elf")
HARD = ["a b", "it's", "", "$(id)", "back\\slash", "new\nline", "-n", "+", "ä", "\\" * 900]
SUM = {name: hashlib.sha256(text).hexdigest() for name, text in (("two", b"a\nb\n"), ("none", b""))}


def run(name, *words, status=0, **options):
    """A quiet run into NAME.mpj; its JSON and what it said."""
    done = mpjoule("run", "--quiet", "-o", f"{name}.mpj", *words, **options)
    if done.returncode != status:
        sys.exit(f"{name}: status {done.returncode}, not {status}: {done.stderr}")
    return done


def too_long(name, seconds, *words):
    """A run that --timeout ends after its first output; a busy machine, which begins it late, gets more seconds."""
    while run(name, "--timeout", seconds, *words, status=124).stdout != "worked\n" and seconds < 100:
        seconds *= 10


def figures(path):
    """The JSON of a store, checked against its schema."""
    text = must(MPJOULE, "report", "--format", "json", path).stdout
    with open("now.json", "w", encoding="utf-8") as handle:
        handle.write(text)
    must(sys.executable, f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-run.schema.json", "now.json")
    return json.loads(text)


def given():
    """Every text comes back as it was given, and the same again is the same run."""
    with open("two", "wb") as handle:
        handle.write(b"a\nb\n")
    words = ["--env", "MORE=2", "--env", "A+\\=b=c\td", "--stdin", "two", "--cores", "0,2", "--sample-ms", "1",
             "--events", "instr,branch", "--functions", ELF, "--", "ok", "1000", *HARD]
    run("g", *words)
    doc = figures("g.mpj")
    check(doc["arguments"] == ["ok", "1000", *HARD], f"arguments: {doc['arguments']}")
    check(doc["environment"] == {"MORE": "2", "A+\\": "b=c\td"}, f"environment: {doc['environment']}")
    check(doc["stdin"] == {"sha256": SUM["two"], "bytes": 4}, f"stdin: {doc['stdin']}")
    options = doc["options"]
    check(options["cores"] == "0,2" and options["sample-ms"] == "1" and options["functions"] == "on" and
          "instr" in options["events"].split(",") and options["stdin"] == "two", f"options: {options}")
    check("version" in doc and len(doc["emulator_sha256"]) == 64, "versions are missing")
    check([(m["name"], m["value"], m["thread"]) for m in doc["marks"]] == [("begun", 7, 1)], f"marks: {doc.get('marks')}")
    run("g2", *words)
    check(figures("g2.mpj") == doc, "the same run twice: not the same document")
    same = must(MPJOULE, "diff", "g.mpj", "g2.mpj").stdout
    check(re.search(r"^Program +the same\nTools +the same$", same, re.M), f"the same: {same[:400]}")


def pipe():
    """Of a pipe it is what the program took; a file of that content is the same stdin."""
    for name, words in (("pipe", ["--stdin", "-"]), ("file", ["--stdin", "two"]),
                        ("passes", ["--stdin", "-", "--events", "instr,branch,dcache_rd"])):
        run(name, *words, ELF, "--", "ok", "1000", **({} if name == "file" else {"input": "a\nb\n"}))
        check(figures(f"{name}.mpj")["stdin"] == {"sha256": SUM["two"], "bytes": 4}, f"stdin of {name}")
    run("empty", ELF, "--", "ok", "1000")
    doc = figures("empty.mpj")
    check("stdin" not in doc and doc["environment"] == {} and doc["options"] == {}, f"nothing given: {doc['options']}")


def difference():
    """Each thing that differs is named."""
    run("a", ELF, "--", "ok", "20000")
    for words, named in ((["--env", "MORE=3"], r"^Program .*--env MORE \(not given\) -> 3"),
                         (["--stdin", "two"], r"^Program .*stdin empty -> 4 bytes"),
                         (["--cores", "1"], r"^Tools .*--cores \(not given\) -> 1"),
                         (["--sample-ms", "1"], r"^Tools .*--sample-ms \(not given\) -> 1"),
                         (["--rotate", "--events", "instr,branch,dcache_rd"], r"^Tools .*--rotate \(not given\) -> 10")):
        run("b", *words, ELF, "--", "ok", "20000")
        text = must(MPJOULE, "diff", "a.mpj", "b.mpj").stdout
        check(re.search(named, text, re.M), f"{words}: {text[:500]}")
        labels = json.loads(must(MPJOULE, "diff", "--format", "json", "a.mpj", "b.mpj").stdout)["labels"]
        check([label["differs"] for label in labels if label["name"] in (words[0], "stdin", f"--env {words[1][:4]}")
               and label["differs"]], f"{words}: {labels}")


def hint():
    """The command that the report prints is one to paste: the same run, with functions."""
    words = ["--env", "MORE=2 x", "--stdin", "two", "--cores", "2", ELF, "--", "ok", "5000", *HARD[:7]]
    run("h", *words)
    text = must(MPJOULE, "report", "h.mpj").stdout
    line = re.search(r"^  Functions: (.*)$", text, re.M)
    check(line is not None, f"no hint: {text}")
    if line is None:
        return
    pasted = subprocess.run(["bash", "-c", line[1].replace("mpjoule", shlex.quote(MPJOULE), 1)], capture_output=True,
                            text=True, check=False)
    check(pasted.returncode == 0, f"{line[1]}: {pasted.stderr}")
    old, new = figures("h.mpj"), figures("run.mpj")
    check(new["options"].pop("functions") == "on", "pasted: no functions")
    for key in ("arguments", "environment", "stdin", "options", "cycles"):
        check(old[key] == new[key], f"pasted: {key}: {old[key]} and {new[key]}")


def until_then(name, least_s):
    """What a run that did not end has: time, energy, cores, functions and threads, which agree."""
    doc = figures(f"{name}.mpj")
    text = must(MPJOULE, "report", f"{name}.mpj").stdout
    check(doc.get("partial") is True and "partial" in text and doc["time_s"] > least_s, f"{name}: {doc.get('time_s')}")
    check("failure" in doc, f"{name}: no failure")
    clock = doc["clock_hz"]
    check(abs(doc["time_s"] - doc["truth"]["cycles"] / clock) < 1e-9, f"{name}: time is not the truth's")
    check(re.search(r"^Energy +[0-9.]+ mW, [0-9.]+ mJ by the emulator's truth", text, re.M), f"{name}: {text}")
    functions = {f["name"]: f for f in doc["functions"]}
    check("work" in functions and "second" in functions, f"{name}: functions {list(functions)[:5]}")
    threads = must(MPJOULE, "report", "--view", "threads", f"{name}.mpj").stdout
    check(re.search(r"^ +1 main ", threads, re.M) and re.search(r"^ +2 second ", threads, re.M), f"{name}: {threads}")
    ran = sum(core["events"]["instr"] for core in doc["cores"])
    check(ran == sum(core["events"]["instr"] for core in doc["truth"]["cores"]) > 1000, f"{name}: instructions {ran}")
    return doc


def partial():
    """However a run ends, what was measured until then is there."""
    run("crash", "--functions", ELF, "--", "crash", "100000", status=125)
    until_then("crash", 0.001)
    run("bound", "--functions", "--bound", "0.01:0", ELF, "--", "hang", "100000", status=123)
    doc = until_then("bound", 0.0099)
    check(doc["time_s"] < 0.0125, f"bound: {doc['time_s']} s")
    too_long("late", 3, "--functions", ELF, "--", "hang", "1000")
    until_then("late.failed", 0.001)
    with subprocess.Popen([MPJOULE, "run", "--quiet", "--functions", "-o", "stop.mpj", ELF, "--", "hang", "1000"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as command:
        check(command.stdout.readline() == "worked\n", "stop: no output")
        time.sleep(0.5)
        command.send_signal(signal.SIGINT)
        check(command.wait(timeout=100) == 130, "stop: status")
    until_then("stop.failed", 0.001)
    text = must(MPJOULE, "diff", "crash.mpj", "bound.mpj").stdout
    check(re.search(r"^Time .*->", text, re.M) and "A is partial" in text, f"diff: {text[:600]}")


def short():
    """A run below the sampling period has the emulator's energy; what is unknown is no 0."""
    run("s", ELF, "--", "ok", "10")
    run("l", ELF, "--", "ok", "200000")
    doc = figures("s.mpj")
    text = must(MPJOULE, "report", "s.mpj").stdout
    check("adc" not in doc and doc["truth"]["energy_uj"] > 0, "short: the ADC took a sample")
    check(f"{doc['truth']['energy_uj'] / 1e3:.4f} mJ by the emulator's truth" in text, text)
    text = must(MPJOULE, "diff", "s.mpj", "l.mpj").stdout
    check(not re.search(r" 0\.0000 +[0-9]+\.[0-9]+  (main|second)", text), f"unknown energy as 0: {text}")
    changed = json.loads(must(MPJOULE, "diff", "--format", "json", "s.mpj", "l.mpj").stdout)
    main = [row for row in changed["threads"] if row["name"] == "main"]
    check(main and main[0]["energy_uj"][0] is None and main[0]["energy_uj"][1] > 0, f"threads: {main}")


def rotation():
    """Events that had no turn are named, with their number."""
    run("t", "--rotate", "--events", "instr,dcache_rd,dcache_rd_miss,branch,ddep_stall,dcache_wr,tlb_miss", ELF, "--",
        "ok", "100000")
    doc = figures("t.mpj")
    text = must(MPJOULE, "report", "t.mpj").stdout
    missing = doc.get("not_counted", [])
    check(missing and not set(missing) & set(doc["cores"][0].get("events", {})), f"rotation: {missing}")
    check(f"Not counted  {len(missing)} of " in text and all(name in text for name in missing), text)
    run("t2", "--rotate", "--events", "instr,dcache_rd", ELF, "--", "ok", "100000")
    check("not_counted" not in figures("t2.mpj"), "rotation: all were counted")


def listing():
    """The folder's runs, with failed attempts, files that are no stores, and an empty folder."""
    os.makedirs("list/below", exist_ok=True)
    run("list/done", ELF, "--", "ok", "10", "x y")
    too_long("list/late", 2, ELF, "--", "hang", "1000")
    for name in ("list/below/other.mpj", "list/broken.mpj"):
        with open(name, "w", encoding="utf-8") as handle:
            handle.write("no store")
    text = must(MPJOULE, "runs", "list").stdout
    check(len(text.splitlines()) == 3 and all(re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d ", line)
                                              for line in text.splitlines()), text)
    check(re.search(r"0\.000\d{3} s +0\.\d+ mJ  done\.mpj  given\.elf ok 10 x y  sim/mprofiler  exit 0", text), text)
    check(re.search(r"late\.failed\.mpj  given\.elf hang 1000  .*failed attempt, partial: the program did not end", text), text)
    check(re.search(r" - +- +broken\.mpj  cannot be read: ", text), text)
    with open("runs.json", "w", encoding="utf-8") as handle:
        handle.write(must(MPJOULE, "runs", "--json", "list").stdout)
    must(sys.executable, f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-runs.schema.json", "runs.json")
    rows = {row["file"]: row for row in load("runs.json")["runs"]}
    doc = figures("list/done.mpj")
    check(rows["done.mpj"]["time_s"] == doc["time_s"] and rows["done.mpj"]["energy_uj"] == doc["truth"]["energy_uj"] and
          rows["late.failed.mpj"]["partial"] and "time_s" not in rows["broken.mpj"], f"rows: {rows}")
    nothing = mpjoule("runs", "list/nowhere")
    check(nothing.returncode == 125 and len(nothing.stderr.splitlines()) == 1, f"no folder: {nothing}")
    os.makedirs("nothing", exist_ok=True)
    check(must(MPJOULE, "runs", "nothing").stdout == "", "an empty folder has runs")


def main():
    os.makedirs(os.path.dirname(ELF), exist_ok=True)
    cc(f"{ROOT}/tests/programs/given.c", ELF, "-O2", "-g", "-pthread")
    for part in (given, pipe, difference, hint, partial, short, rotation, listing):
        part()
    check(load("now.json")["schema"] == "mpjoule-run/1", "schema")
    return finish("a run knows itself")


if __name__ == "__main__":
    sys.exit(main())
