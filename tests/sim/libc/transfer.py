#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Input and output in bulk: what they cost a program, where that stands, and that nothing else depends
on it.

usage: transfer.py transfer.c
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../harness")
sys.path.insert(0, f"{os.path.dirname(__file__)}/../profile")
from harness import MPJOULE, cc, check, finish, load, must  # noqa: E402
from runs import against_truth, consistent  # noqa: E402

HOST_S = 0.004  # per megabyte: a thousand calls of fread()
RUN_S = 0.0002  # of the program's own time, per megabyte: sixteen calls
STREAM_S = 0.008  # of fread(), which copies what is in its buffer of 4 KB
# Of a byte, in cycles of 210 MHz: the loop, the call, and that no thread is kept out, or one could be.
BYTE = {"getc": 45, "putc": 55, "locked": 85}


def run(how, size, *options, **more):
    """The profile of a program that moves so many megabytes."""
    with open("there/data", "wb") as handle:
        handle.write(bytes(range(256)) * int(4096 * size))
    must(MPJOULE, "run", "--quiet", "-o", f"{how}.mpj", "--json", f"{how}.json", "--dir", "there", *options,
         "transfer.elf", "--", how, int(1024 * size), **{"capture_output": False, "stdout": subprocess.DEVNULL, **more})
    return load(f"{how}.json")


def bounded(how, *options):
    """Ten megabytes beside one."""
    one, ten = run(how, 1, *options), run(how, 10, *options)
    host, ran = ((ten["threads"][0][key] - one["threads"][0][key]) / 9 for key in ("host_s", "run_s"))
    print(f"{how}: a megabyte costs {host * 1e3:.3f} ms of the host, {ran * 1e3:.3f} ms of the program")
    check(1e-6 < host < HOST_S, f"{how}: {host} s of the host for a megabyte")
    check(ran < (STREAM_S if how == "fread" else RUN_S), f"{how}: {ran} s of the program for a megabyte")
    for r in (one, ten):
        for bad in consistent(r) + against_truth(r, ["instr"]):
            check(False, f"{how}: {bad}")


def bytewise(how, most):
    """A second eighth of a megabyte, byte by byte."""
    one, two = run(how, 1 / 8), run(how, 1 / 4)
    cycles = (two["threads"][0]["run_s"] - one["threads"][0]["run_s"]) * 210e6 / (1 << 17)
    print(f"{how}: a byte costs {cycles:.1f} cycles")
    check(10 < cycles < most, f"{how}: {cycles} cycles a byte")
    for bad in consistent(two) + against_truth(two, ["instr"]):
        check(False, f"{how}: {bad}")


def together():
    """Threads that share streams wait for them, and lines stay whole."""
    r = run("contended", 1 / 16, "--stdout", "lines")
    with open("lines", encoding="ascii") as handle:
        lines = handle.read().splitlines()
    check(len(lines) > 500 and set(lines) <= {c * 8 for c in "abcd"}, f"{len(lines)} lines, {set(lines)}")
    check(sum(t["block_s"] for t in r["threads"]) > 0, f"no wait for the streams: {r['threads']}")
    for bad in consistent(r):
        check(False, f"contended: {bad}")
    run("interrupted", 0)


def report(how, view, fmt="text"):
    return must(MPJOULE, "report", "--view", view, "--format", fmt, f"{how}.mpj", env=os.environ | {"LC_ALL": "C"}).stdout


def shown():
    """In every view and format, of one thread in a region."""
    r = run("region", 4)
    host = r["threads"][0]["host_s"]
    region = next(g for g in r["regions"] if g["name"].startswith("transfer.c:"))
    check(host > 0 and abs(r["parallelism"]["host_s"] - host) < 1e-9, f"parallelism {r['parallelism']}, thread {host}")
    check(abs(sum(r["threads"][0]["timeline"]["host_s"]) - host) < 1e-6, "timeline")
    check(abs(sum(g["host_s"] for g in r["regions"]) - host) < 1e-6, f"regions {[g['host_s'] for g in r['regions']]}")
    check(region["host_s"] > 0.9 * host, f"region {region['host_s']} of {host}")
    check([p["host_s"] > 0 for p in region["threads"]] == [True, False, False, False], f"{region['threads']}")
    for view, words in (("threads", "host"), ("regions", "host ms"), ("timeline", "  host  "), ("timeline", "@ host")):
        check(words in report("region", view), f"{view}: no '{words}'")
    for view, total in (("threads", host), ("regions", host), ("timeline", host)):
        rows = list(csv.DictReader(io.StringIO(report("region", view, "csv"))))
        check(abs(sum(float(row["host_s"]) for row in rows) - total) < 1e-5, f"{view}: {rows[0]}")
    for bad in consistent(r):
        check(False, f"region: {bad}")


def same(how, *options):
    """A host that is slow to give and to take."""
    fast = run(how, 2, *options)
    with subprocess.Popen(["sh", "-c", "sleep 1; exec cat >/dev/null"], stdin=subprocess.PIPE) as slow:
        again = run(how, 2, *options, stdout=slow.stdin, stderr=subprocess.PIPE)
        slow.stdin.close()
    check(json.dumps(again) == json.dumps(fast), f"{how}: another result on a slow host")


def main(source):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("there")
        cc(source, "transfer.elf", "-O2", "-g", "-fopenmp")
        for how in ("read", "write", "stdout", "fread"):
            bounded(how)
        check(os.path.getsize("there/made") == 10 << 20, f"{os.path.getsize('there/made')} bytes written")
        bounded("stdin", "--stdin", "there/data")
        for how, most in BYTE.items():
            bytewise(how, most)
        check(os.path.getsize("there/made") == 1 << 18, f"{os.path.getsize('there/made')} bytes by putc()")
        together()
        shown()
        same("stdout")
    return finish()


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
