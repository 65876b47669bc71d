#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that talks to a terminal: its prompts appear before it reads, and it knows where it writes to.

usage: prompt.py
"""
import os
import pty
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../harness")
from harness import MPJOULE, call, cc, check, finish, write  # noqa: E402

PROMPTS = r"""
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char name[40];
    int age = 0;

    printf("%d%d%d name? ", isatty(0), isatty(1), isatty(2));
    if (fgets(name, sizeof(name), stdin) == NULL)
        return 1;
    fputs("age? ", stdout);
    if (scanf("%d", &age) != 1)
        return 2;
    putchar('?');
    while (getchar() != '.')
        ;
    printf("\n%d %s", age, name);
    return 0;
}
"""
PRINTS = r"""
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    printf("out %d%d\n", isatty(1), isatty(2));
    fprintf(stderr, "err %s\n", argc > 1 ? argv[1] : "");
    printf("more");
    return 3;
}
"""


def talk(work):
    """Each answer is typed when the prompt is there."""
    us, them = pty.openpty()
    with subprocess.Popen([MPJOULE, "run", "--quiet", "--timeout", "1000", "--stdin", "-", "prompts.elf"], cwd=work,
                          stdin=them, stdout=them, stderr=them) as run:
        os.close(them)
        said, answers = b"", [(b"111 name? ", b"somebody\n"), (b"age? ", b"42\n"), (b"?", b".\n")]
        while True:
            try:
                more = os.read(us, 4096)
            except OSError:  # nobody has the terminal any more
                break
            if not more:
                break
            said += more
            if answers and said.endswith(answers[0][0]):
                said += b"<"
                os.write(us, answers.pop(0)[1])
        status = run.wait()
    os.close(us)
    check(not answers and status == 0, f"status {status}, it said {said}")
    check(said.endswith(b"42 somebody\r\n"), f"it said {said}")


def run(work, *options, elf="prints.elf"):
    return call(MPJOULE, "run", "--quiet", *options, elf, cwd=work)


def content(path):
    with open(path, encoding="utf-8") as handle:
        return handle.read()


def files(work):
    """--stdout and --stderr."""
    out, err = f"{work}/out", f"{work}/err"
    done = run(work, "--stdout", "out")
    check((done.returncode, done.stdout, done.stderr) == (3, "", "err \n"), f"--stdout: {done}")
    check(content(out) == "out 00\nmore", f"--stdout: {content(out)}")
    done = run(work, "--stdout", "out", "--stderr", "err")
    check((done.returncode, done.stdout, done.stderr) == (3, "", ""), f"both: {done}")
    check(content(err) == "err \n", f"--stderr: {content(err)}")
    run(work, "--stdout", "both", "--stderr", "both")
    check(content(f"{work}/both") == "out 00\nerr \nmore", f"one file: {content(f'{work}/both')}")
    done = run(work, "--stdout", "out", "--json", "-")
    check(done.stdout.startswith("{") and content(out) == "out 00\nmore", f"with --json -: {done.stdout[:80]}")
    # A run that does not begin leaves the file as it is.
    write(out, "older")
    done = run(work, "--stdout", "out", elf="nothing.elf")
    check(done.returncode == 125 and content(out) == "older", f"no program: {done.returncode}, {content(out)}")
    # Nor does one that fails: what it has printed is kept beside.
    for seconds in ("1", "10", "100"):  # a busy machine begins it late
        done = run(work, "--stdout", "out", "--timeout", seconds, elf="endless.elf")
        if os.path.exists(f"{out}.failed") and os.path.getsize(f"{out}.failed") > 0:
            break
    check(done.returncode == 124 and content(out) == "older" and content(f"{out}.failed") == "begun\n" and
          "what the program printed is in" in done.stderr, f"endless: {done.returncode}, {content(out)}, {done.stderr}")
    check(not os.path.exists(f"{out}.new"), "endless: out.new is left")
    run(work, "--stdout", "out", elf="silent.elf")
    check(content(out) == "", f"silent: {content(out)}")
    for options, words in ((["--stdout", "nowhere/x"], "nowhere/x"), (["--stderr", "."], "cannot write ."),
                           (["--stdout", "-"], "--stdout takes a file"),
                           (["--stdout", "/dev/full"], "cannot write the program's output to /dev/full: No space"),
                           (["--stderr", "/dev/full"], "cannot write the program's output to /dev/full: No space")):
        done = run(work, *options)
        check(done.returncode == 125 and words in done.stderr, f"{options}: {done.returncode}, {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("prompts", PROMPTS), ("prints", PRINTS), ("silent", "int main(void) { return 0; }"),
                           ("endless", '#include <stdio.h>\nint main(void) { puts("begun"); fflush(stdout); for (;;); }')):
            cc(write(f"{work}/{name}.c", text), f"{work}/{name}.elf", "-O2")
        talk(work)
        files(work)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
