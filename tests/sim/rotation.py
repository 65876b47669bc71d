#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Events counted in turn within one run: coverage, estimates and their stated errors against truth.

usage: rotation.py

A program that does the same all the time is estimated well; all errors are stated; what is wrong on
the command line is refused. Works in the current directory.
"""
import os
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, check, finish, load, mpjoule, must  # noqa: E402

EVENTS = ["instr", "dcache_rd", "branch", "dcache_wr", "ddep_stall", "dcache_rd_miss", "pc_change"]
PAIRS = 4


def run(*args, status=0):
    done = mpjoule("run", *args)
    check(done.returncode == status, f"run {' '.join(args)}: {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


def profile(*args):
    run("--quiet", "--json", "r.json", *args)
    return load("r.json")


def estimates(r, events):
    """Every event that took turns: counted its share of the time, error stated, near the truth."""
    for core in r["cores"]:
        for event in events:
            share = core["coverage"].get(event, 1)
            both = 2 if event == "ddep_stall" else 1  # the odd one out has it beside it
            check(0.8 * both / PAIRS < share < 1.25 * both / PAIRS, f"core {core['core']}: {event} covered {share}")
    for thread in r["threads"]:
        real = next(t for t in r["truth"]["threads"] if t["id"] == thread["id"])
        check(thread["cycles"] == real["cycles"], f"thread {thread['id']}: cycles {thread['cycles']}")
        for event in events:
            got, true = thread["events"].get(event), real["events"].get(event, 0)
            error = thread["error_percent"].get(event)
            if true < 10000 or thread["run_s"] < 0.02:
                continue
            check(error is not None, f"thread {thread['id']}: no error of {event}")
            check(abs(got - true) <= max(0.03 * true, 4 * (error or 0) / 100 * got),
                 f"thread {thread['id']}: {event} {got} +- {error} %, true {true}")


def main():
    program = [f"{APPS}/matmul.elf", "--", "128"]
    how = ["--rotate=1", "--events", ",".join(EVENTS)]
    r = profile(*how, *program)
    check(r["passes"] == 1, f"{r['passes']} passes")
    estimates(r, EVENTS)
    check(r == profile(*how, *program), "another run gives another result")

    # Two events have nothing to take turns with: exact.
    r = profile("--rotate", "--events", "instr,branch", *program)
    check(r["coverage"]["instr"] == 1 and "error_percent" not in r, "two events are estimated")
    for thread in r["threads"]:
        real = next(t for t in r["truth"]["threads"] if t["id"] == thread["id"])
        check(thread["events"]["instr"] == real["events"]["instr"], f"thread {thread['id']}: {thread}")

    # By default turns are as long as the sampling period; all events: one pass for the cores.
    r = profile("--rotate", "--sample-ms", "2", "--all-events", *program)
    check(0.05 < r["coverage"]["instr"] < 0.2, f"coverage {r['coverage']['instr']} of 11 pairs")
    said = run(*how, "-o", "r.mpj", *program)
    check("~" in said and "counter multiplexing" in said, f"the report hides that it estimates: {said}")
    said = mpjoule("report", "--view", "cores", "r.mpj").stdout
    check("~" in said and "standard error" in said, f"the view cores hides that it estimates: {said}")
    text = must(MPJOULE, "report", "--view", "threads", "r.mpj").stdout
    check("~ estimate" in text, f"the view of threads hides it: {text}")

    for args, words in ((["--rotate=0"], "--rotate takes a whole number from 1"),
                        (["--rotate=x"], "--rotate takes a whole number from 1"),
                        (["--rotate=20001"], "--rotate takes a whole number from 1"),
                        (["--rotate=15"], "multiple of the sampling period"),
                        (["--rotate=1", "--sample-ms", "2"], "multiple of the sampling period"),
                        (["--rotate", "--no-counters"], "--no-counters cannot be combined with --rotate")):
        said = run(*args, *program, status=125)
        check(words in said and said.count("\n") == 1, f"{args}: {said}")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
