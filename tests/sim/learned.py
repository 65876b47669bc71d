#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`run --learned`: numbers of threads that are kept in a file, so that a program of some milliseconds starts decided and is
never slower than with all threads; what is no such file, or no such run.
usage: learned.py"""
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, ROOT, cc, check, finish, load, mpjoule, waits_for, write  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
elf = cc(f"{ROOT}/tests/bench/adapt_harm_more.c", work / "harm.elf", "-O2", "-fopenmp")


def run(*words, policy="ed2", status=0):
    r = mpjoule("run", "--quiet", "--env", f"MPJ_ADAPT={policy}", "-o", "r.mpj", "--json", "r.json", *words, cwd=work)
    check(r.returncode == status, f"{words}: {r.returncode}, {r.stderr}")
    return load(work / "r.json")["truth"] if status == 0 else None


def programs():
    return load(work / "kept.json")["programs"]


# ---- a program that waits for a lock, and one that gains nothing -----------------------------------

for kind, gains in (("lock_brief", True), ("sweeps", False)):
    have = len(programs()) if (work / "kept.json").exists() else 0
    base = run(elf, "--", kind, policy="")
    first = run("--learned", "kept.json", elf, "--", kind)
    kept = (work / "kept.json").read_text()
    entry = list(programs().values())[-1]
    check(len(programs()) == have + 1 and entry["policy"] == "ed2", f"{kind}: {programs()}")
    again = run("--learned", "kept.json", elf, "--", kind)
    check(again == first and (work / "kept.json").read_text() == kept, f"{kind}: the second run is another one")
    ed2 = [t["energy_uj"] * t["cycles"] ** 2 for t in (base, again)]
    if gains:
        check(entry["decision"].startswith(("fixed:0x", "static:")) and ed2[1] < 0.9 * ed2[0] and abs(entry["gain"] - (1 - ed2[1] / ed2[0])) < 1e-6,
              f"{kind}: {entry}, {ed2}")
        r = mpjoule("report", "--view", "adapt", "--format", "json", "r.mpj", cwd=work)
        write(work / "view.json", r.stdout)
        threads = {int(e["threads"]) for e in load(work / "view.json")["executions"]}
        check(threads == {int(entry["decision"][-1])} and threads != {4}, f"{kind} did not start decided: {entry}, {threads}")
    else:
        check(entry["decision"] == "" and again == base, f"{kind}: {entry}, {base} and {again}")

# ---- what another run is: it is learned again, and nothing is forgotten ------------------------------

have = len(programs())
for n, words in enumerate((["--env", "X=1"], ["--cores", 2], ["--calibration", "epro-mp"], ["--quantum", 400])):
    run("--learned", "kept.json", *words, elf, "--", "sweeps")
    check(len(programs()) == have + n + 1, f"{words}: {programs()}")
run("--learned", "kept.json", elf, "--", "sweeps", policy="time")
check([p["policy"] for p in programs().values()].count("time") == 1, f"another policy: {programs()}")
run("--learned", "kept.json", "-j", 1, "--sample-ms", 5, elf, "--", "sweeps")
check(len(programs()) == have + 5, "what changes no time was learned again")

# ---- another command's entry, put into the file while this one learns: both are there ----------------------

have = programs()
with open(work / "kept.json.lock", "w", encoding="utf-8") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    with subprocess.Popen([MPJOULE, "run", "--quiet", "--env", "MPJ_ADAPT=energy", "-o", "l.mpj", "--learned", "kept.json", elf, "--",
                           "sweeps"], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as going:
        while going.poll() is None and not waits_for(going, lock.name):
            time.sleep(0.05)
        check(going.poll() is None and programs() == have, f"the lock was not waited for: {going.poll()}, {programs()}")
        with open(work / "kept.json", encoding="utf-8") as handle:
            kept = json.load(handle)
        kept["programs"]["other"] = {"program": "other.elf", "policy": "ed2", "decision": ""}
        write(work / "kept.json", json.dumps(kept))
        fcntl.flock(lock, fcntl.LOCK_UN)
        said = going.communicate()[1]
check(going.returncode == 0 and said == "", f"two at once: {going.returncode}, {said}")
check({**have, "other": kept["programs"]["other"]}.items() <= programs().items() and len(programs()) == len(have) + 2,
      f"two at once: {programs()}")
check(not (work / "kept.json.lock").exists(), "the lock is left")

# ---- a decision that was not made by us: not taken ----------------------------------------------------------

kept = (work / "kept.json").read_text()
write(work / "kept.json", kept.replace('"decision": ""', '"decision": "fixed:0x1=x; all"'))
check(run("--learned", "kept.json", elf, "--", "sweeps") == base, "a decision that is none was taken")

# ---- programs that fail, files that are none -----------------------------------------------------------

before = (work / "kept.json").read_text()
run("--learned", "kept.json", elf, "--", "unknown", status=1)
run("--learned", "kept.json", "nowhere.elf", status=125)
check((work / "kept.json").read_text() == before, "a program that fails was learned")
for content in ("", "{}", "[1]", "{\"schema\": \"mpjoule-learned/2\", \"programs\": {}}", "\x01"):
    write(work / "bad.json", content)
    r = mpjoule("run", "--env", "MPJ_ADAPT=ed2", "--learned", "bad.json", "-o", "b.mpj", elf, "--", "sweeps", cwd=work)
    check(r.returncode == 125 and r.stderr.count("\n") == 1 and "bad.json" in r.stderr and not (work / "b.mpj").exists(),
          f"{content!r}: {r.returncode}, {r.stderr}")
    check((work / "bad.json").read_text() == content, f"{content!r} is gone")
for words in (["--env", "MPJ_ADAPT=static:2"], ["--env", "MPJ_ADAPT="], [], ["--env", "MPJ_ADAPT=ed2", "--assumptions"],
              ["--env", "MPJ_ADAPT=ed2", "--bound", "1:0"], ["--env", "MPJ_ADAPT=ed2", "--stdin", "-"],
              ["--env", "MPJ_ADAPT=ed2", "--stdin", "/dev/zero"]):
    r = mpjoule("run", *words, "--learned", "new.json", "-o", "b.mpj", f"{APPS}/matmul.elf", cwd=work)
    check(r.returncode == 125 and "--learned" in r.stderr and r.stderr.count("\n") == 1 and not (work / "new.json").exists(),
          f"{words}: {r.returncode}, {r.stderr}")
r = mpjoule("run", "--env", "MPJ_ADAPT=ed2", "--learned", "nowhere/new.json", "-o", "b.mpj", elf, "--", "sweeps", cwd=work)
check(r.returncode == 125 and r.stderr.count("\n") == 1 and "nowhere/new.json" in r.stderr, f"no folder: {r.returncode}, {r.stderr}")

shutil.rmtree(work)
sys.exit(finish())
