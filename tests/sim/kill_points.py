#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A result is the older or the newer one, whole, at whichever of its steps a command is killed.

usage: kill_points.py

Kills `run` and `sweep` before the first file that they open for writing, sync, rename or remove, then before the second one, and so
on, until they come to their end (kill_at.c; PRELOAD: the library). Each file of the result is then the older or the newer one, all
of them the older one's if the store is; a meter's file of the other one is not taken for the newer one's. Works in the current directory.
"""
import json
import os
import shutil
import signal
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, ROOT, WORKLOADS, call, cc, check, finish, must  # noqa: E402
from kept_result import content, put  # noqa: E402

PRELOAD = os.environ.get("PRELOAD", f"{ROOT}/build/asan/tests/sim/libkill_at.so")
MODEL = {"format": "mpjoule-model/1", "name": "one", "method": "published", "constant_mw": 100, "statistics": {},
         "terms": [{"predictor": "instr", "coefficient_mw_s": 3e-8}], "provenance": {"target": "sim"}}
METER = ["--meter", "seq 0 0.001 2 | sed 's/$/ 0.5/'"]
MATMUL = f"{APPS}/matmul.elf"
FUNCTIONS = ["--overhead", "--entries", "--groups", "1", "--model", "../model.json"]
# Words of a command, of its older and of its newer result.
KINDS = {
    "functions": (FUNCTIONS, [*METER, "../f.elf", "--", "-n", "1"], ["--meter", "seq 0 0.002 2 | sed 's/$/ 0.6/'", "../f.elf", "--", "-n", "2"]),
    "meter": ([], [*METER, MATMUL, "--", "2"], [MATMUL, "--", "8"]),  # the newer one without it
}
OTHERS = "r.meter is of another run"


def files(folder):
    """The files of a result; not what a killed process leaves."""
    return {name: data for name, data in content(folder).items() if name not in ("r.meter.lock", "r.meter.err")}


def figures(folder):
    """The store's JSON."""
    done = call(MPJOULE, "report", "--format", "json", "r.mpj", cwd=folder)
    return json.loads(done.stdout) if done.returncode == 0 else {"unreadable": done.stderr}


def results(kind):
    """Files and figures of the older and of the newer result."""
    words, *both = KINDS[kind]
    found = []
    put(kind, {})
    for more in both:
        must(MPJOULE, "run", "--quiet", "-o", "r.mpj", *words, *more, cwd=kind)
        found.append((files(kind), figures(kind)))
    check(all(found[0][0][n] != found[1][0].get(n) for n in found[0][0]), f"{kind}: the two results do not differ in every file")
    return found


def judge(what, kind, older, newer):
    """True if the newer store is in its place."""
    now = files(kind)
    bad = [name for name in now.keys() | older[0].keys() if now.get(name) not in (older[0].get(name), newer[0].get(name))]
    check(not bad, f"{what}: neither older nor newer: {bad}")
    if now["r.mpj"] == older[0]["r.mpj"]:
        check(now == older[0], f"{what}: not the older result")
        return False
    found = figures(kind)
    wanted = newer[1]
    if now.get("r.meter") != newer[0].get("r.meter"):
        wanted = wanted | {"meter": {"problem": OTHERS}}
    check(found == wanted, f"{what}: other figures: {[key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key)]}")
    return True


def kill_each(kind):
    """The number of steps, and in how many of them the newer store was in its place."""
    older, newer = results(kind)
    words, _, more = KINDS[kind]
    command = [MPJOULE, "run", "--quiet", "-o", "r.mpj", *words, *more]
    step = replaced = 0
    while True:
        step += 1
        put(kind, older[0])
        done = call(*command, cwd=kind, env=os.environ | {"LD_PRELOAD": PRELOAD, "MPJ_KILL_AT": str(step)})
        if done.returncode == 0:
            break
        what = f"{kind}, killed at step {step}"
        check(done.returncode == -signal.SIGKILL, f"{what}: status {done.returncode}: {done.stderr}")
        replaced += judge(what, kind, older, newer)
        if done.returncode != -signal.SIGKILL:
            break
    check(files(kind) == newer[0], f"{kind}: not the newer result at its end")
    return step - 1, replaced


def kept(folder):
    """The files of a run that is kept under a key; not those of attempts."""
    found = {}
    for name in os.listdir(f"{folder}/made"):
        if name.startswith("run-") and ".failed" not in name and ".key" not in name and not name.endswith(".new"):
            with open(f"{folder}/made/{name}", "rb") as handle:
                found[name] = handle.read()
    return found


def kill_sweep():
    """The same of `sweep`. Its next attempt fails: before that, it has completed what the killed one was doing."""
    sweep = [MPJOULE, "sweep", "--quiet", "--cores", "1", "-o", "made"]
    older, newer = ([*sweep, MATMUL, "--", words] for words in ("2", "8"))
    shutil.rmtree("sweep", ignore_errors=True)
    os.mkdir("sweep")
    found = []
    for words in (older, newer):
        must(*words, cwd="sweep")
        found.append(kept("sweep"))
    check(all(found[0][n] != found[1].get(n) for n in found[0] if not n.endswith((".err", ".out"))), "sweep: the two results do not differ in every file")
    step, replaced = 0, 0
    while True:
        step += 1
        must(*older, cwd="sweep")
        done = call(*newer, cwd="sweep", env=os.environ | {"LD_PRELOAD": PRELOAD, "MPJ_KILL_AT": str(step)})
        if done.returncode != -signal.SIGKILL:
            check(done.returncode == 0, f"sweep: status {done.returncode}: {done.stderr}")
            break
        done = call(*newer, cwd="sweep", env=os.environ | {"MPJOULE_QEMU": "/bin/false"})
        now = kept("sweep")
        check(now in found, f"sweep, killed at step {step}: neither the older nor the newer result: {sorted(now)}, status {done.returncode}")
        replaced += now == found[1]
    check(kept("sweep") == found[1], "sweep: not the newer result at its end")
    return step - 1, replaced


def main():
    cc(f"{WORKLOADS}/mu_functions.c", "f.elf", "-O2", "--functions")
    with open("model.json", "w", encoding="utf-8") as handle:
        json.dump(MODEL, handle)
    steps = {kind: kill_each(kind) for kind in KINDS} | {"sweep": kill_sweep()}
    check(all(of[0] > of[1] > 0 for of in steps.values()), f"steps, and those with the newer store: {steps}")
    for kind in steps:
        shutil.rmtree(kind)
    return finish(f"killed at each step; steps, and those with the newer store: {steps}")


if __name__ == "__main__":
    sys.exit(main())
