#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files and stdin of a program on the target, by --dir and --stdin, as on Linux; and confined.

usage: files.py CC io_prog.c

The same program runs on this machine and in the emulator: output and files left behind must be the
same. Then it tries every way out of the folder, which must fail and change nothing outside. Works in
the current directory.
"""
import os
import shutil
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../harness")
from harness import MPJOULE, call, cc, check, finish, must, write  # noqa: E402


def fill(folder):
    """The files the program begins with."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, text in (("lines.txt", "12 -7 words\nsecond line\n\nlast, without end"),
                       ("trunc.txt", "much too long"), ("gone.txt", "x"),
                       ("real.txt", "behind a link")):
        write(f"{folder}/{name}", text)
    os.symlink("real.txt", f"{folder}/inside-link")


def tree(folder):
    """Names and contents of all that is below."""
    found = {}
    for where, names, files in os.walk(folder):
        for name in names:
            found[os.path.relpath(f"{where}/{name}", folder)] = None
        for name in files:
            path = f"{where}/{name}"
            with open(path, "rb") as handle:
                found[os.path.relpath(path, folder)] = handle.read()
    return found


def compare(what, here, there):
    if here == there:
        return
    for a, b in zip(here.split(b"\n"), there.split(b"\n")):
        check(a == b, f"{what}: here {a}, target {b}")
    check(len(here) == len(there), f"{what}: {len(here)} bytes here, {len(there)} on the target")


def there_says(*args):
    return call(MPJOULE, "run", "--quiet", "--timeout", "1000", *args, text=False)


def main(compiler, source):
    must(compiler, "-O2", "-w", "-pthread", source, "-o", "native")
    cc(source, "io_prog.elf", "-O2", "-pthread")

    fill("here")
    fill("there")
    native = call(os.path.abspath("native"), cwd="here", text=False)
    target = there_says("--dir", "there", "io_prog.elf")
    check(native.returncode == 0 and native.stdout.count(b"\n") > 40, f"here: {native}")
    check(target.returncode == 0, f"target: {target.returncode}: {target.stderr.decode()}")
    compare("files", native.stdout, target.stdout)
    here, there = tree("here"), tree("there")
    check(sorted(here) == sorted(there), f"files here {sorted(here)}, there {sorted(there)}")
    for name in set(here) & set(there):
        check(here[name] == there[name], f"{name} differs")
    check("thread5.txt" in there and len(there["big.bin"]) > 100000, f"files: {sorted(there)}")

    text = b"42 2.5 rest\nanother line\n\x00\xff binary\n" + bytes(range(256)) * 300
    for name, data in (("text", text), ("short", b"7"), ("empty", b"")):
        with open(name, "wb") as handle:
            handle.write(data)
        with open(name, "rb") as handle:
            native = call(os.path.abspath("native"), "slurp", stdin=handle, text=False)
        target = there_says("--stdin", name, "io_prog.elf", "--", "slurp")
        compare(f"stdin {name}", native.stdout, target.stdout)
    with open("text", "rb") as handle:
        moved = call(os.path.abspath("native"), "seek", stdin=handle, text=False)
    compare("seek in stdin", moved.stdout, there_says("--stdin", "text", "io_prog.elf", "--", "seek").stdout)
    compare("no stdin", native.stdout, there_says("io_prog.elf", "--", "slurp").stdout)

    # Ways out: absolute, by .., by links to files and folders, over links to links.
    outside = os.path.abspath("outside")
    shutil.rmtree(outside, ignore_errors=True)
    os.mkdir(outside)
    write(f"{outside}/secret.txt", "secret")
    fill("there")
    os.symlink(f"{outside}/secret.txt", "there/to-file")
    os.symlink("../outside/secret.txt", "there/to-file-relative")
    os.symlink(outside, "there/to-folder")
    os.symlink("to-folder", "there/to-link")
    os.symlink("..", "there/up")
    before = tree(outside)
    kept = tree("there")
    ways = ["../outside/secret.txt", f"{outside}/secret.txt", "to-file", "to-file-relative",
            "to-folder/secret.txt", "to-link/secret.txt", "up/outside/secret.txt",
            "sub/../../outside/secret.txt", "./../outside/secret.txt", "../outside/new.txt",
            "to-folder/new.txt", "/etc/passwd", "/proc/self/environ", "//etc//passwd",
            "../there/lines.txt", os.path.abspath("there/lines.txt"), "../"]
    target = there_says("--dir", "there", "io_prog.elf", "--", "try", *ways)
    said = target.stdout.decode()
    check(target.returncode == 0, f"ways out: {target.stderr.decode()}")
    check(said.count("path '") == len(ways), f"ways out: {said}")
    check(tree(outside) == before, f"outside changed: {sorted(tree(outside))}")
    path = ""
    links = [f"path '{name}'" for name in ("to-file", "to-file-relative")]
    for line in said.split("\n"):
        if line.startswith("path"):
            path = line
        else:  # a link itself lies inside: it may go, or be replaced
            check(": 0" not in line or (path in links and line.startswith(("unlink", "rename", "mkdir"))),
                  f"{path}: {line}")
    left = tree("there")
    for name in ("real.txt", "trunc.txt"):
        check(left.get(name) == kept[name], f"{name} inside changed")

    # Without --dir there are no files at all.
    target = there_says("io_prog.elf", "--", "try", "lines.txt")
    check(b": 0" not in target.stdout and b"ENOENT" in target.stdout, f"without --dir: {target.stdout}")
    for args, words in ((["--dir", "no-such-folder"], b"no-such-folder"),
                        (["--dir", "text"], b"text"), (["--stdin", "no-such-file"], b"no-such-file")):
        target = there_says(*args, "io_prog.elf")
        one_line = target.stderr.count(b"\n") == 1
        check(target.returncode == 125 and words in target.stderr and one_line,
             f"{args}: {target.returncode} {target.stderr}")
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
