#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A file without an end, /dev/zero, in place of each file that a command reads: an error at once, and nothing is made.

usage: endless.py

None takes more than 1 GB of memory. Works in the current directory.
"""
import json
import os
import resource
import shutil
import sqlite3
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, check, finish, must, MPJOULE, mpjoule, write  # noqa: E402

ENDLESS = "/dev/zero"
COMMANDS = """run @
run --calibration @ hello.elf
run --boards @ --target tile hello.elf
run --filter @ hello.elf
run --model @ hello.elf
run --learned @ --env MPJ_ADAPT=ed2 hello.elf
report @
report --model @ a.mpj
report --format html --elf @ a.mpj
diff a.mpj @
gate --config @
gate --baseline @
tune @
tune --replay @
explore --laws @ --chip l2_kb=256,512 hello.elf
annotate main @
annotate --elf @ main a.mpj
boards --boards @
boards --emulate --nor @
history folder
model campaign --programs @
model coverage @
model fit @ -o fitted
model show @
model verify @ a.mpj
model predict @ a.mpj
predictor train -o predictor @
predictor show @
predictor verify @ list
flash tile @
record sim @
exec @"""


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def sparse(name, size):
    with open(name, "wb") as f:
        f.truncate(size)


def names(folder="."):
    return sorted(os.path.join(at, name) for at, _, files in os.walk(folder) for name in files)


os.makedirs("folder", exist_ok=True)
if not os.path.lexists("folder/work.json"):
    os.symlink(ENDLESS, "folder/work.json")
shutil.copy(f"{APPS}/hello.elf", "hello.elf")
write("list", "hello.elf\n")
write("gate.yaml", "programs:\n  work: {program: hello.elf}\n")
must(MPJOULE, "run", "--quiet", "-o", "a.mpj", "hello.elf")
before = names()
for command in COMMANDS.split("\n"):
    done = mpjoule(*command.replace("@", ENDLESS).split(), preexec_fn=bounded, timeout=120)
    lines = done.stderr.split("\n")
    check(done.returncode == 125 and len(lines) == 2 and lines[0].startswith("mpjoule"),
          f"{command}: {done.returncode}: {done.stderr[:300]}")
    check(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1 << 20, f"{command}: more than 1 GB of memory")
    check(names() == before, f"{command}: made {set(names()) ^ set(before)}")
# what a meter said, which a store has next to it: one line, and the run itself is not affected
with sqlite3.connect("a.mpj") as db:  # as that of an older version, whose sum is not known
    db.execute("DELETE FROM meta WHERE key = 'meter_sha256'")
for make, says in ((lambda: os.symlink(ENDLESS, "a.meter"), "is not a regular file"),
                   (lambda: os.mkfifo("a.meter"), "is not a regular file"),
                   (lambda: os.mkdir("a.meter"), "is not a regular file"),
                   (lambda: sparse("a.meter", 3 << 30), "a line of more than"),
                   (lambda: sparse("a.meter", 1 << 40), "has more than 4 GB")):
    make()
    done = mpjoule("report", "--format", "json", "a.mpj", preexec_fn=bounded, timeout=120)
    problem = json.loads(done.stdout).get("meter", {}).get("problem", "none") if done.returncode == 0 else done.stderr
    check(says in problem, f"{says}: {done.returncode}: {problem}")
    check(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1 << 20, f"{says}: more than 1 GB of memory")
    (os.rmdir if os.path.isdir("a.meter") else os.remove)("a.meter")
sys.exit(finish())
