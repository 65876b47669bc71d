#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The thread-level profile of micro-programs against answers derived by hand (answers.py).

usage: known.py [NAME]...     those with such a part in their name; else all

Runs each program of the table in the emulator and compares threads, waits, regions, degree of
parallelism, counts and, of those that never end, who waits for whom. Works in the current directory.
"""
import os
import re
import sys

import answers
import runs
from harness import WORKLOADS


class Report:
    def __init__(self):
        self.checked, self.bad = 0, []

    def want(self, what, got, wanted):
        """wanted: a value, or (low, high)."""
        self.checked += 1
        if isinstance(wanted, tuple):
            fine = wanted[0] - 1e-9 <= got <= wanted[1] + 1e-9
            text = f"{wanted[0]:.9g} to {wanted[1]:.9g}"
        else:
            fine, text = got == wanted, str(wanted)
        if not fine:
            shown = f"{got:.9g}" if isinstance(got, float) else got
            self.bad.append(f"{what} is {shown}, expected {text}")


def us(seconds):
    return seconds * 1e6


TIMES = ("created", "life", "run", "block", "other", "sleep", "kernel")


def check_threads(report, profile, wanted):
    threads = {t["id"]: t for t in profile["threads"]}
    report.want("number of threads", len(threads), len(wanted))
    for i, answer in wanted.items():
        t = threads.get(i)
        if t is None:
            continue
        for key, value in answer.items():
            name = f"thread {i}: {key}"
            if key in TIMES:
                report.want(name, us(t[key + "_s"]), value)
            elif key == "shares":
                for core, share in enumerate(value):
                    report.want(f"{name} on core {core}", t["core_share"][core], share)
            elif key == "events":
                for event, n in value.items():
                    report.want(f"thread {i}: {event}", t["events"][event], n)
            elif key == "alive":
                report.want(name, t.get("alive", False), value)
            else:
                report.want(name, t[key], value)


def line_of(path, text):
    """Number of the one line with the text; "function| text": the first in that function;
    "text +2": two lines on."""
    scope, _, text = text.rpartition("|")
    text, _, further = text.partition(" +")
    if not further.isdigit():
        text, further = text + _ + further, "0"
    with open(path, encoding="utf-8") as handle:
        lines = list(enumerate(handle, 1))
    if scope:
        start = [n for n, line in lines if re.match(rf"[a-z].*\b{scope}\([^;]*$", line)]
        lines = [pair for pair in lines if start and pair[0] > start[-1]]
    found = [n for n, line in lines if text.strip() in line]
    if not found or (len(found) > 1 and not scope):
        raise SystemExit(f"{path}: {len(found)} lines with '{text}'")
    return found[0] + int(further)


def check_waits(report, profile, wanted, source):
    """Waits by (thread, kind, object), over owners; each must be in the table, but a "maybe"."""
    groups = {}
    for w in profile["sync"]:
        groups.setdefault((w["thread"], w["kind"], w.get("object_name", "")), []).append(w)
    for key in sorted(set(groups) - set(wanted)):
        report.want(f"wait of thread {key[0]}, {key[1]} {key[2]}: count",
                    sum(w["count"] for w in groups[key]), 0)
    for key, answer in wanted.items():
        name = f"wait of thread {key[0]}, {key[1]} {key[2]}"
        group = groups.get(key, [])
        total = us(sum(w["total_s"] for w in group))
        if not answer.get("maybe"):
            report.want(f"{name}: in the profile", bool(group), True)
        if not group:
            continue
        report.want(f"{name}: count", sum(w["count"] for w in group), answer["count"])
        report.want(f"{name}: total", total, answer["total"])
        if "longest" in answer:
            report.want(f"{name}: longest", us(max(w["longest_s"] for w in group)), answer["longest"])
        if "owners" in answer:
            report.want(f"{name}: held by", str(sorted({w.get("owner", 0) for w in group})),
                        str(answer["owners"]))
        for part in group if "at" in answer else ():
            function, text = answer["at"]
            report.want(f"{name}: function", part["at"].get("function"), function)
            report.want(f"{name}: file", os.path.basename(part["at"].get("file", "")), source)
            report.want(f"{name}: line", part["at"].get("line"), line_of(f"{WORKLOADS}/{source}", text))


def check_regions(report, profile, wanted, source):
    regions = profile["regions"]
    report.want("number of regions", len(regions), len(wanted))
    for region, answer in zip(regions, wanted):
        name = answer["at"]
        if name != "serial":
            name = f"{source}:{line_of(f'{WORKLOADS}/{source}', name)}"
        report.want("name of the region", region["name"], name)
        for key in ("calls", "team", "imbalance"):
            if key in answer:
                report.want(f"{name}: {key}", region[key], answer[key])
        report.want(f"{name}: wall", us(region["wall_s"]), answer["wall"])
        parts = {p["thread"]: p for p in region["threads"]}
        for key in ("run", "barrier"):
            for i, value in answer.get(key, {}).items():
                report.want(f"{name}: {key} of thread {i}", us(parts[i][key + "_s"]), value)
        if "from" in answer:
            report.want(f"{name}: forked in", region["from"]["function"], answer["from"])


def check_alive(report, profile, wanted):
    """Threads besides main alive at some moments."""
    for moment, count in wanted:
        alive = [t["id"] for t in profile["threads"][1:]
                 if t["created_s"] <= moment / 1e6 < t["created_s"] + t["life_s"]]
        report.want(f"threads alive at {moment:g} us", len(alive), count)


def check_deadlock(report, said, wanted):
    """The lines that say who waits for what: exactly these, addresses left out."""
    said = re.sub(r" *0x[0-9a-f]+", "", said)
    lines = [line.strip() for line in said.split("\n") if re.match(r" *thread \d+ waits", line.strip())]
    report.want("lines of the deadlock", str(lines), str(wanted))


def check_case(name):
    case = answers.CASES[name]
    source = case["source"]
    report = Report()
    elf = runs.build(source, case.get("flags", ["-pthread"]))
    events = case.get("events", ["instr", "dcache_rd"])
    options = ["--events", ",".join(events), *case.get("options", ())]
    status, said, profile = runs.run(elf, case["args"].split(), options, name + ".mpj")
    report.want("exit status", status, case.get("status", 0))
    report.bad += runs.consistent(profile)
    report.bad += runs.against_truth(profile, events)
    check_threads(report, profile, case["threads"])
    check_waits(report, profile, case.get("waits", {}), source)
    check_regions(report, profile, case.get("regions", []), source)
    check_alive(report, profile, case.get("alive", []))
    for cores, value in case.get("parallel", {}).items():
        report.want(f"time with {cores} cores at work", us(profile["parallelism"]["cores_s"][cores]),
                    value)
    for chip in ("scu", "l2"):
        for event, value in case.get(chip, {}).items():
            report.want(event, profile[chip]["events"][event], value)
    if "deadlock" in case:
        check_deadlock(report, said, [line.format(**{k: line_of(f"{WORKLOADS}/{source}", v)
                                                     for k, v in case.get("lines", {}).items()})
                                      for line in case["deadlock"]])
    for what, function, value in case.get("also", []):
        report.want(what, function(profile), value)
    return report


def main(names):
    failed, known = False, 0
    for name in answers.CASES:
        if names and not any(part in name for part in names):
            continue
        known += 1
        report = check_case(name)
        print(f"{name}: {report.checked} answers, {len(report.bad)} wrong")
        for line in report.bad:
            print(f"  {line}")
        failed |= bool(report.bad) or report.checked == 0
    return 1 if failed or known == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
