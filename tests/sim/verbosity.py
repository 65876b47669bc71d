#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--quiet and --verbose mean the same in every command; progress and colours are for terminals.
usage: verbosity.py"""
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, ROOT, check, finish, write  # noqa: E402

COMMANDS = ["annotate", "boards", "diff", "doctor", "flash", "gate", "init", "record", "report", "run", "selftest", "sweep",
            "tune", "explore", "model campaign", "model coverage", "model fit", "model generate", "model verify",
            "predictor train", "predictor verify"]


def run(*words, cwd, env=None):
    return subprocess.run([MPJOULE, *words], cwd=cwd, env=os.environ | (env or {}), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=600, check=False)


def on_terminal(*words, cwd, env=None, until=b"", then=None):
    """(status, all that a terminal sees); `then` is called once, when it has seen `until`."""
    us, them = pty.openpty()
    with subprocess.Popen([MPJOULE, *words], cwd=cwd, env=os.environ | {"TERM": "xterm"} | (env or {}), stdin=subprocess.DEVNULL,
                          stdout=them, stderr=them) as p:
        os.close(them)
        said = b""
        while True:
            try:
                more = os.read(us, 4096)
            except OSError:
                break
            said += more
            if then is not None and until in said:
                then()
                then = None
        status = p.wait()
    os.close(us)
    return status, said


def main():
    with tempfile.TemporaryDirectory() as work:
        for command in COMMANDS:
            said = run(*command.split(), "--help", cwd=work).stdout
            for option in ("-q, --quiet", "--verbose"):
                check(option in said, f"{command} --help has no {option}")

        # quiet: what was asked for, nothing else
        done = run("init", "--quiet", "p", cwd=work)
        check(done.returncode == 0 and done.stdout + done.stderr == "", f"init --quiet says {done.stdout}{done.stderr}")
        project = f"{work}/p"
        hello = f"{APPS}/hello.elf"
        for words in (["gate"], ["sweep", "--cores", "1,2", hello],
                      ["tune", "--cores", "1,2", "--sample-ms", "1", f"{APPS}/matmul.elf", "--", "24"],
                      ["explore", "--cores", "1,2", "--vary", "0", hello], ["run", "--stdout", "said", hello]):
            loud, quiet = run(*words, cwd=project), run(words[0], "-q", *words[1:], cwd=project)
            check(loud.returncode == quiet.returncode == 0 and loud.stdout != "", f"{words}: {loud.stderr}{quiet.stderr}")
            check(quiet.stdout + quiet.stderr == "", f"{words} --quiet says {quiet.stdout}{quiet.stderr}")
        asked = run("gate", "--quiet", "--format", "json", cwd=project)
        check(asked.stdout.startswith("{"), "gate --quiet --format json does not print it")
        check(run("report", "--quiet", "run.mpj", cwd=project).stdout == run("report", "run.mpj", cwd=project).stdout,
              "report --quiet is another report")
        missing = run("doctor", "--quiet", cwd=work, env={"MPJOULE_QEMU": "/nowhere"})
        check(missing.returncode == 1 and "MISSING  emulator" in missing.stdout and not re.search("(?m)^ok ", missing.stdout),
              f"doctor --quiet says {missing.stdout}")
        failed = run("run", "--quiet", "none.elf", cwd=work)
        check(failed.returncode == 125 and failed.stderr.count("\n") == 1, f"an error with --quiet: {failed.stderr}")

        # verbose: on stderr, the results are the same
        for words in (["report", "run.mpj"], ["groups"], ["groups", "cache"], ["gate"], ["help", "run"]):
            plain, verbose = run(*words, cwd=project), run(*words, "--verbose", cwd=project)
            check(plain.stdout == verbose.stdout and plain.stderr == "", f"{words} --verbose prints something else: {plain.stderr}")
            for line in (r"mpjoule: command +/.*, version", r"mpjoule: emulator +/", r"mpjoule: took [0-9.]+ s$"):
                check(re.search(f"(?m)^{line}", verbose.stderr), f"{words} --verbose does not say {line}: {verbose.stderr}")

        # progress of what takes longer than two seconds, on a terminal, unless quiet: the emulator waits until it was
        # seen, or for four seconds
        shown = b"measuring the program, "
        slow = write(f"{work}/slow", f"#!/bin/sh\nuntil [ -e {work}/go ]; do sleep 0.1; done\n"
                     f"exec {os.environ.get('QEMU', ROOT + '/build/sim/qemu-system-arm')} \"$@\"\n")
        os.chmod(slow, 0o755)
        for quiet in (False, True):
            os.remove(f"{project}/baseline.json")
            shutil.rmtree(f"{project}/.mpjoule-gate")
            timer = threading.Timer(4, write, (f"{work}/go", ""))
            if quiet:
                os.remove(f"{work}/go")
                timer.start()
            status, said = on_terminal("init", *(["-q"] if quiet else []), cwd=project, env={"MPJOULE_QEMU": slow}, until=shown,
                                       then=lambda: write(f"{work}/go", ""))
            check(status == 0 and bool(re.search(shown + rb"[0-9]+ s", said)) != quiet, f"init, quiet {quiet}: {said}")
            check(not quiet or said == b"", f"init --quiet says {said}")

        # colours: the compiler's, on a terminal
        bad = write(f"{work}/bad.c", "int main(void) { return x; }\n")
        for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)):
            status, said = on_terminal("cc", bad, cwd=work, env=env)
            check(status == 1 and (b"\x1b[" in said) == coloured, f"{env}: {said}")
        check("\x1b[" not in run("cc", bad, cwd=work).stderr, "colours in a pipe")
    return finish(f"{len(COMMANDS)} commands, quiet and verbose")


if __name__ == "__main__":
    sys.exit(main())
