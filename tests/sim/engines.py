#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs that other machines make: the same bytes as here, whoever makes them and whatever happens to a machine;
one that is not fit is named. Slurm's nodes and parallel's machines are processes of this one.
usage: engines.py parallel|slurm"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from cluster import Cluster, available  # noqa: E402
from harness import APPS, MPJOULE, ROOT, call, check, finish, mpjoule  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
NOWHERE = str(work / "bin")  # a PATH with what a shell needs, and neither Slurm nor parallel
SPACE = f"""axes: {{n: [8, 16, 20, 24], cores: [1, 4], word: [a, b]}}
program: {APPS}/matmul.elf
arguments: ["{{n}}"]
environment: {{WORD: "{{word}}"}}
run: {{cores: "{{cores}}", sample-ms: 1}}
constraints: n <> 20
objectives: [time, energy]
"""

# What ssh is to parallel: a machine with an environment of its own, without SHELL like a service's. "liar" turns a bit of
# what it measured, "full" has a disk that is, and "brief" makes a single run of a round.
MACHINE = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
name=$1
shift
[ "$1" != -- ] || shift
unset SHELL
[ "$name" != other-chip ] || export MPJOULE_CALIBRATIONS=%(work)s/calibrations
[ "$name" != other-emulator ] || export MPJOULE_QEMU=%(work)s/qemu
[ "$name" != other-machine ] || export MPJOULE_QEMU_MACHINE=quantum=7
sh -c "$*"
status=$?
case $name in liar|full|brief) python3 %(work)s/lie %(work)s $name ;; esac
exit $status
"""
LIE = """import glob, json, os, sys
for name in glob.glob(f"{sys.argv[1]}/*/tasks-*/*.result"):
    with open(name) as f:
        doc = json.load(f)
    if sys.argv[2] == "brief":
        with open(os.path.dirname(name) + "/0.task") as f:
            first = json.load(f)["orders"][0]["key"]
        doc["results"] = {key: r for key, r in doc["results"].items() if key == first}
    for r in doc["results"].values():
        if r["node"] == "liar" and "figures" in r["result"]["point"]:
            r["result"]["point"]["figures"]["instr"] += 1.0
        if r["node"] == "full":
            r["result"] = {"status": 125, "same": False, "point": {"schema": "mpjoule-tune-point/2", "failed": "no space"}}
    with open(name + ".new", "w") as f:
        json.dump(doc, f)
    os.rename(name + ".new", name)
"""


def tune(folder, *words, **more):
    """A tune; its CSV."""
    r = mpjoule("tune", "space.yaml", "-o", folder, "--csv", f"{folder}.csv", *words, cwd=work, stdin=subprocess.DEVNULL,
                **more)
    table = work / f"{folder}.csv"
    return r, table.read_bytes() if table.exists() else b""


def points(folder):
    return {p.name: p.read_bytes() for p in (work / folder / "points").iterdir()}


def on(*machines):
    """The environment in which parallel uses them, a task at a time on each."""
    return {**os.environ, "PARALLEL": " ".join(f"--sshlogin '1/{work}/machine {m}'" for m in machines)}


def one_line(what, r, status, *says):
    check(r.returncode == status and r.stderr.count("\n") == 1 and all(s in r.stderr for s in says),
          f"{what}: {r.returncode}, {r.stderr}")


def wait_until(what, condition, limit_s=60):
    end = time.time() + limit_s
    while not condition():
        if time.time() > end:
            check(False, f"{what}: not within {limit_s} s")
            return
        time.sleep(0.05)


def results(folder):
    """How many results tasks have left."""
    n = 0
    for path in work.glob(f"{folder}/tasks-*/*.result"):
        try:
            n += len(json.loads(path.read_text())["results"])
        except (OSError, ValueError):
            pass  # being replaced, or gone
    return n


def same(what, folder, found):
    check(found == REFERENCE, f"{what}: another table:\n{found.decode()}\nnot\n{REFERENCE.decode()}")
    check(points(folder) == points("here"), f"{what}: other files")
    check(not list(work.glob(f"{folder}/tasks-*")), f"{what}: tasks are left")


def start(folder, *words, **more):
    return subprocess.Popen([MPJOULE, "tune", "space.yaml", "-o", folder, "--csv", f"{folder}.csv", *words], cwd=work,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)


def parallel():
    (work / "machine").write_text(MACHINE % {"work": work})
    (work / "machine").chmod(0o755)
    (work / "lie").write_text(LIE)
    shutil.copytree(f"{ROOT}/sim/calibrations", work / "calibrations")
    board = work / "calibrations/realview-eb-mpcore.conf"
    board.write_text(board.read_text() + "\n# one bit\n")
    qemu = os.environ.get("MPJOULE_QEMU", f"{ROOT}/build/sim/qemu-system-arm")
    (work / "qemu").write_bytes(pathlib.Path(qemu).read_bytes() + b"\0")
    (work / "qemu").chmod(0o755)
    engine = ("--engine", "parallel", "--task", "0.4")

    bad = {"other-chip": "its calibration mprofiler differs", "other-emulator": "its emulator differs",
           "other-machine": "the golden run gave another result"}
    r, table = tune("named", *engine, env=on(*bad, "good"))
    lines = r.stderr.splitlines()
    check(r.returncode == 0 and len(lines) == 3, f"machines that are not fit: {r.returncode}, {r.stderr}")
    for name, says in bad.items():
        check(any(f"{name} is excluded" in line and says in line for line in lines), f"{name}: {r.stderr}")
    same("machines that are not fit", "named", table)
    r, table = tune("liar", *engine, env=on("good", "liar"))
    one_line("liar", r, 0, "liar is excluded", "gave another result on that machine")
    same("liar", "liar", table)
    r, table = tune("full", *engine, env=on("good", "full"))
    check(r.returncode == 0 and r.stderr == "", f"a machine's failures: {r.returncode}, {r.stderr}")
    same("a machine's failures", "full", table)
    r, table = tune("nobody", *engine[:2], "--task", "0.1", env=on("other-chip"))
    check(r.returncode == 125 and "no task of" in r.stderr.splitlines()[-1], f"no machine is fit: {r.stderr}")

    # Broken off at any moment, by the worst: nothing is lost, and what was begun ends by itself.
    p = start("broken", *engine, env=on("good", "other"))
    wait_until("a result", lambda: results("broken") > 0)
    busy = tune("broken")[0]
    one_line("two in a folder", busy, 125, "another command is using")
    p.send_signal(signal.SIGKILL)
    p.wait()
    had = results("broken")
    r, table = tune("broken", "-j", 2)
    check(r.returncode == 0 and had > 0, f"after a kill: {had} results, {r.returncode}, {r.stderr}")
    same("after a kill", "broken", table)

    r, _ = tune("missing", *engine, env={**os.environ, "PATH": NOWHERE})
    one_line("no parallel", r, 125, "parallel is missing", "package parallel")
    sweep()
    assumptions(engine, on("good", "other"))


def sweep():
    """Its runs leave files: those of other machines come to where they belong."""
    words = ("sweep", "--env", "N=1..7", "--sample-ms", 1)
    def make(folder, *more, machines=()):
        return mpjoule(*words, "-o", folder, "--json", f"{folder}.json", *more, f"{APPS}/matmul.elf", "--", 16, cwd=work,
                       env=on(*machines))

    here = make("s")
    check(here.returncode == 0, f"sweep: {here.returncode}, {here.stdout}{here.stderr}")
    names = {p.name for p in (work / "s").iterdir()}
    for folder, machines, task in (("t", ("good", "other"), 0.4), ("u", ("brief",), 0.1)):
        there = make(folder, "--engine", "parallel", "--task", task, machines=machines)
        check(there.returncode == 0 and there.stdout == here.stdout and there.stderr == here.stderr,
              f"sweep by {machines}: {there.returncode}, {there.stdout}{there.stderr}")
        found = {p.name for p in (work / folder).glob("*")}
        check(found == names, f"sweep by {machines}: {found ^ names} are not in both")
        for name in found & names:
            if name.endswith(".json"):
                check((work / "s" / name).read_bytes() == (work / folder / name).read_bytes(), f"sweep: another {name}")


def assumptions(engine, environment):
    """Searches and chips under each calibration: the same conclusions, files and drawing by any engine."""
    program = ("--sample-ms", 1, f"{APPS}/matmul.elf", "--", "{n}")
    for name, words in (("tune", ("--strategy", "random", "--evaluations", 5, "--axis", "n=8..11", "--cores", "1,4", *program)),
                        ("explore", ("--vary", 0, "--chip", "l2_kb=0,1024", "--cores", "1,4", *program[:-1], 12)),
                        ("sweep", ("--cores", "1,4", *program[:-1], 12))):
        def make(folder, *more, name=name, words=words, **options):
            r = mpjoule(name, "--assumptions", "-o", folder, "--json", f"{folder}.json", "--svg", f"{folder}.svg", *more, *words, cwd=work,
                        stdin=subprocess.DEVNULL, **options)
            made = [(work / f"{folder}.{end}").read_bytes() if (work / f"{folder}.{end}").exists() else b"" for end in ("json", "svg")]
            return r, [r.stdout.replace(folder, "FOLDER"), r.stderr, *made]

        here, expected = make(f"{name}-a", "-j", 2)
        there, found = make(f"{name}-b", *engine[:2], "--task", "0.2", env=environment)
        check(here.returncode == 0 and "Conclusions under 6 calibrations" in here.stdout, f"{name}: {here.stderr}")
        check(there.returncode == 0 and found == expected, f"{name} --assumptions: {there.stderr}\n{found}\nnot\n{expected}")
        if name != "sweep":
            check(points(f"{name}-a") == points(f"{name}-b"), f"{name} --assumptions: other files")


def slurm():
    def campaign(name, *words, **more):
        r = mpjoule("model", "campaign", "--count", 1, "--quiet", "-o", f"{name}.mpc", "--csv", f"{name}.csv", *words,
                    cwd=work, **more)
        return r, (work / f"{name}.csv").read_bytes() if (work / f"{name}.csv").exists() else b""

    engine = ("--engine", "slurm", "--task", "0.5")
    tampered = f"[ ! -e {work}/tampered ] || [ $SLURMD_NODENAME != n1 ] || echo export MPJOULE_QEMU_MACHINE=quantum=7"
    _, reference = campaign("whole")
    check(reference.count(b"\n") == 2, f"the campaign here: {reference}")
    small = work / "small"
    small.mkdir()
    r = call("unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size=64k none {small} && {MPJOULE} tune space.yaml "
             f"-o {small}/t --engine slurm --task 0.1; status=$?; ls {small}/t; exit $status", cwd=work)
    if "unshare" not in r.stderr and "mount" not in r.stderr:
        check(r.returncode == 125 and "No space left on device" in r.stderr.splitlines()[-1], f"a full disk: {r.stderr}")
        check("tasks-" not in r.stdout and "points" in r.stdout, f"a full disk: {r.stdout}")
    with Cluster(work / "cluster", prolog=tampered) as c:
        (work / "tampered").touch()
        r, table = tune("named", *engine, env=c.environment)
        one_line("a tampered node", r, 0, "n1 is excluded", "golden run")
        same("a tampered node", "named", table)
        (work / "tampered").unlink()
        assumptions(engine, c.environment)
        # Somebody cancels the job.
        p = start("cancelled", *engine, env=c.environment)
        wait_until("a result", lambda: results("cancelled") > 0)
        c.slurm("scancel", "--user=root")
        said = p.communicate(timeout=300)[1]
        check(p.returncode == 130 and said.count("\n") == 1 and "was cancelled; run the same" in said,
              f"cancelled: {p.returncode}, {said}")
        had = results("cancelled")
        r, table = tune("cancelled", "-j", 2)
        check(r.returncode == 0 and had > 0, f"cancelled: {had} results, {r.returncode}, {r.stderr}")
        same("cancelled", "cancelled", table)
        # A node is lost half way.
        p = subprocess.Popen([MPJOULE, "model", "campaign", "--count", "1", "--quiet", "-o", "lost.mpc", *engine],
                             cwd=work, env=c.environment, stderr=subprocess.PIPE, text=True)
        wait_until("a result", lambda: list(work.glob("lost.mpc.work/tasks-*/*.result")))
        c.kill("n1")
        said = p.communicate(timeout=300)[1]
        check(p.returncode == 0, f"a node lost: {p.returncode}, {said}")
        r, table = campaign("lost")
        check(r.returncode == 0 and table == reference, f"a node lost: {r.stderr} {table}\nnot {reference}")
        check(not (work / "lost.mpc.work").exists(), "a node lost: its folder is left")
        environment = c.environment
    r, _ = tune("unreachable", *engine, env=environment)
    one_line("no controller", r, 125, "Unable to contact slurm controller")
    r, _ = tune("missing", *engine, env={**os.environ, "PATH": NOWHERE})
    one_line("no Slurm", r, 125, "package slurm-client")


(work / "space.yaml").write_text(SPACE)
(work / "bin").mkdir()
for tool in ("env", "sh"):
    (work / "bin" / tool).symlink_to(shutil.which(tool))
what = sys.argv[1]
if not (shutil.which("parallel") if what == "parallel" else available()):
    print(f"there is no {what} on this machine: see scripts/packages.sh")
    sys.exit(77)
first, REFERENCE = tune("here", "-j", 2)
check(first.returncode == 0 and REFERENCE.count(b"\n") == 17, f"here: {first.stderr}")
{"parallel": parallel, "slurm": slurm}[what]()
shutil.rmtree(work)
sys.exit(finish("all right"))
