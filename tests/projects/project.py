#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds a source package of the distribution, unchanged, for this machine and for the target, and compares the results.

usage: project.py [--side native|target] [--folder FOLDER] NAME
       project.py --fetch [NAME]...
       project.py --profile RESULT FUNCTION THREADS
       project.py --commands NAME

The first form is a test: projects.txt pins the source, recipes/NAME.sh builds and uses it (steps.sh has the words a
recipe uses). FOLDER (default: the current one) is for what is made. --side: only this one, nothing is compared.
--fetch: downloads the sources that are not yet in the cache, all without a name. --profile: checks the JSON of a run with
--functions: that it knows FUNCTION, and that at least THREADS threads computed, at the same time. --commands: prints
the commands that the manual shows for a project.
Sources are cached in ~/.cache/mpjoule (XDG_CACHE_HOME), with the results of this machine. Exit status 77: the
source is neither cached nor to be had.
"""
import argparse
import collections
import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/../harness")
from harness import MPJOULE, ROOT, call, check, finish, load, usage  # noqa: E402

MANUAL = f"{ROOT}/docs/manual/build-an-existing-project.md"
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "mpjoule")
SOURCES = f"{CACHE}/source/projects"
RESULTS = f"{CACHE}/projects"
APT_HELPER = "/usr/lib/apt/apt-helper"
SIDES = ("native", "target")
SKIPPED = 77
LIMIT_S = 3000  # of a side; ends what hangs
TAIL = 40  # lines of a log that are shown

Project = collections.namedtuple("Project", "name path sha256 built suite")


class Unavailable(Exception):
    """The source cannot be had here: why."""


def table():
    with open(f"{HERE}/projects.txt", encoding="utf-8") as handle:
        rows = [[field.strip() for field in line.split("|")] for line in handle
                if line.strip() and not line.startswith("#")]
    return {row[0]: Project(*row) for row in rows}


def digest(*paths):
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as handle:
            total.update(handle.read())
    return total.hexdigest()


def archives():
    """Where this machine gets packages of its distribution from, from apt's configuration."""
    if not os.path.exists(APT_HELPER):
        raise Unavailable("this system has no apt")
    with open("/etc/os-release", encoding="utf-8") as handle:
        facts = dict(line.strip().split("=", 1) for line in handle if "=" in line)
    suite = facts.get("VERSION_CODENAME", "").strip('"')
    listed = call("apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages").stdout
    found = {}
    for line in listed.splitlines():
        release, uri = line.split(" ", 1)
        if suite and release == suite or release in ("stable", "oldstable"):
            found[uri] = None
    if not found:
        raise Unavailable(f"apt knows no package source of '{suite}'")
    return list(found)


def fetch(project):
    """The path of the source in the cache; downloads it when it is not there."""
    os.makedirs(SOURCES, exist_ok=True)
    path = f"{SOURCES}/{os.path.basename(project.path)}"
    with open(f"{SOURCES}/.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            said = ""
            for uri in archives():
                new = f"{path}.new"
                done = call(APT_HELPER, "download-file", f"{uri}pool/main/{project.path}", new,
                            f"SHA256:{project.sha256}")
                if done.returncode == 0:
                    os.rename(new, path)
                    break
                said = done.stderr.strip().splitlines()[-2:]
            else:
                raise Unavailable(f"cannot download {project.path}: {' '.join(said)}; put the file into {SOURCES}")
    if digest(path) != project.sha256:
        sys.exit(f"{path} is not the source that projects.txt names: wrong SHA-256; remove it")
    return path


def execute(project, source, side, folder):
    """Unpacks, builds and uses a project; ends the script when a step fails."""
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("source", "work/out"):
        os.makedirs(f"{folder}/{part}")
    subprocess.run(["tar", "-xf", source, "-C", f"{folder}/source", "--strip-components=1", "--no-same-owner"], check=True)
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    environment |= {"SIDE": side, "SOURCE": f"{folder}/source", "INPUTS": f"{HERE}/inputs.py",
                    "RECIPES": f"{HERE}/recipes",
                    "PROJECT": os.path.abspath(__file__), "JOBS": environment.get("JOBS", "1"), "LC_ALL": "C",
                    "MPJOULE": MPJOULE, "PATH": f"{os.path.dirname(MPJOULE)}:{environment['PATH']}"}
    # What a recipe's function returns is its last command's; each failure ends it, as errexit does.
    script = '. "$0/steps.sh"; . "$0/recipes/$1.sh"; cd "$SOURCE"; build; cd "$SOURCE/../work"; work'
    with open(f"{folder}/log", "wb") as log:
        with subprocess.Popen(["bash", "-c", script, HERE, project.name], env=environment, stdin=subprocess.DEVNULL,
                              stdout=log, stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                status = process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                status = f"none within {LIMIT_S} s"
    if status != 0:
        with open(f"{folder}/log", encoding="utf-8", errors="replace") as log:
            print("".join(log.readlines()[-TAIL:]), end="")
        sys.exit(f"{project.name}: {side}: exit status {status}; the whole log is {folder}/log")


def native_results(project, source, folder):
    """The folder of what the programs of this machine make, which is kept in the cache."""
    compiler = call("cc", "--version").stdout.splitlines()[0]
    parts = [digest(*(f"{HERE}/{name}" for name in ("steps.sh", "inputs.py", f"recipes/{project.name}.sh"))),
             project.sha256, compiler]
    kept = f"{RESULTS}/{project.name}-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:16]}"
    if not os.path.isdir(kept):
        execute(project, source, "native", folder)
        new = f"{kept}.new.{os.getpid()}"
        shutil.copytree(f"{folder}/work/out", new)
        try:
            os.rename(new, kept)
        except OSError:  # another process was first
            shutil.rmtree(new)
    return kept


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def compare(native, target):
    """Every file of both, byte by byte."""
    names = files_of(native)
    check(names, "nothing to compare: the recipe leaves no file in out/")
    check(names == files_of(target), f"files on this machine: {names}; of the target: {files_of(target)}")
    for name in names:
        if os.path.exists(f"{target}/{name}"):
            check(digest(f"{native}/{name}") == digest(f"{target}/{name}"),
                  f"out/{name} differs: cmp {native}/{name} {target}/{name}")
    return len(names)


def test(name, side, folder):
    projects = table()
    if name not in projects:
        sys.exit(f"no project '{name}' in projects.txt; there are: {' '.join(projects)}")
    project = projects[name]
    try:
        source = fetch(project)
    except Unavailable as why:
        print(f"{name}: skipped: {why}")
        return SKIPPED
    if side:
        execute(project, source, side, f"{folder}/{side}")
        return 0
    native = native_results(project, source, f"{folder}/native")
    execute(project, source, "target", f"{folder}/target")
    count = compare(native, f"{folder}/target/work/out")
    status = finish(f"{name}: {count} results as on this machine")
    if status == 0:
        shutil.rmtree(f"{folder}/native", ignore_errors=True)
        shutil.rmtree(f"{folder}/target", ignore_errors=True)
    return status


def profile(path, function, threads):
    """What a profile with --functions says of a threaded program: the function, and who executed it at the same time."""
    report = load(path)
    names = {row["name"] for row in report["functions"]}
    users = {row["thread"] for row in report["functions"] if row["name"] == function and "thread" in row}
    check(function in names, f"no {function} among {len(names)} functions: {' '.join(sorted(names))}")
    check(len(users) >= threads, f"{function} is executed by the threads {sorted(users)}, not by {threads}")
    mean = report["parallelism"]["mean_busy"]
    check(mean > threads / 3, f"{mean} cores at work on average")
    check(report["exit_status"] == 0, f"exit status {report['exit_status']}")
    return finish(f"{function}: {len(users)} threads, {mean:.2f} cores at work on average")


def commands(name):
    """The commands from the manual's mark of a project to the next heading; a line that ends with a backslash continues."""
    with open(MANUAL, encoding="utf-8") as handle:
        _, mark, rest = handle.read().partition(f"<!-- project: {name} -->\n")
    if not mark:
        sys.exit(f"{MANUAL}: no commands of '{name}'")
    found, more = [], False
    for line in rest.partition("\n## ")[0].splitlines():
        if more or line.startswith("    $ "):
            found.append(line.removeprefix("    $ "))
            more = line.endswith("\\")
    print("\n".join(found))


def main():
    parser = argparse.ArgumentParser(usage=usage(__doc__))
    parser.add_argument("--side", choices=SIDES)
    parser.add_argument("--folder", default=".")
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--commands", action="store_true")
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    if args.profile and len(args.words) == 3:
        return profile(args.words[0], args.words[1], int(args.words[2]))
    if args.fetch:
        projects = table()
        for name in args.words or projects:
            print(fetch(projects[name]))
        return 0
    if len(args.words) != 1:
        parser.error("expected the name of one project")
    if args.commands:
        commands(args.words[0])
        return 0
    return test(args.words[0], args.side, os.path.abspath(args.folder))


if __name__ == "__main__":
    sys.exit(main())
