#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files and stdin of a program on the target, by --dir and --stdin, as on Linux; and confined.

usage: files.py MPJOULE CC io_prog.c

The same program runs on this machine and in the emulator: output and files left behind must be the
same. Then it tries every way out of the folder, which must fail and change nothing outside. Works in
the current directory.
"""
import os
import shutil
import subprocess
import sys

bad = []


def want(ok, text):
    if not ok:
        bad.append(text)


def call(*command, **more):
    return subprocess.run(command, capture_output=True, check=False, timeout=1000, **more)


def fill(folder):
    """The files the program begins with."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, text in (("lines.txt", "12 -7 words\nsecond line\n\nlast, without end"),
                       ("trunc.txt", "much too long"), ("gone.txt", "x"),
                       ("real.txt", "behind a link")):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as handle:
            handle.write(text)
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
        if a != b:
            bad.append(f"{what}: here {a}, target {b}")
    want(len(here) == len(there), f"{what}: {len(here)} bytes here, {len(there)} on the target")


def main(mpjoule, cc, source):
    subprocess.run([cc, "-O2", "-w", "-pthread", source, "-o", "native"], check=True)
    subprocess.run([mpjoule, "cc", "-O2", "-pthread", source, "-o", "io_prog.elf"], check=True)
    run = [mpjoule, "run", "--quiet", "--timeout", "1000"]

    fill("here")
    fill("there")
    native = call(os.path.abspath("native"), cwd="here")
    target = call(*run, "--dir", "there", "io_prog.elf")
    want(native.returncode == 0 and native.stdout.count(b"\n") > 40, f"here: {native}")
    want(target.returncode == 0, f"target: {target.returncode}: {target.stderr.decode()}")
    compare("files", native.stdout, target.stdout)
    here, there = tree("here"), tree("there")
    want(sorted(here) == sorted(there), f"files here {sorted(here)}, there {sorted(there)}")
    for name in set(here) & set(there):
        want(here[name] == there[name], f"{name} differs")
    want("thread5.txt" in there and len(there["big.bin"]) > 100000, f"files: {sorted(there)}")

    text = b"42 2.5 rest\nanother line\n\x00\xff binary\n" + bytes(range(256)) * 300
    for name, data in (("text", text), ("short", b"7"), ("empty", b"")):
        with open(name, "wb") as handle:
            handle.write(data)
        with open(name, "rb") as handle:
            native = call(os.path.abspath("native"), "slurp", stdin=handle)
        target = call(*run, "--stdin", name, "io_prog.elf", "--", "slurp")
        compare(f"stdin {name}", native.stdout, target.stdout)
    compare("no stdin", native.stdout, call(*run, "io_prog.elf", "--", "slurp").stdout)

    # Ways out: absolute, by .., by links to files and folders, over links to links.
    outside = os.path.abspath("outside")
    shutil.rmtree(outside, ignore_errors=True)
    os.mkdir(outside)
    with open(f"{outside}/secret.txt", "w", encoding="utf-8") as handle:
        handle.write("secret")
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
    target = call(*run, "--dir", "there", "io_prog.elf", "--", "try", *ways)
    said = target.stdout.decode()
    want(target.returncode == 0, f"ways out: {target.stderr.decode()}")
    want(said.count("path '") == len(ways), f"ways out: {said}")
    want(tree(outside) == before, f"outside changed: {sorted(tree(outside))}")
    path = ""
    links = [f"path '{name}'" for name in ("to-file", "to-file-relative")]
    for line in said.split("\n"):
        if line.startswith("path"):
            path = line
        elif ": 0" in line and not (path in links and line.startswith(("unlink", "rename", "mkdir"))):
            bad.append(f"{path}: {line}")  # a link itself lies inside: it may go, or be replaced
    left = tree("there")
    for name in ("real.txt", "trunc.txt"):
        want(left.get(name) == kept[name], f"{name} inside changed")

    # Without --dir there are no files at all.
    target = call(*run, "io_prog.elf", "--", "try", "lines.txt", cwd=None)
    want(b": 0" not in target.stdout and b"ENOENT" in target.stdout, f"without --dir: {target.stdout}")
    for args, words in ((["--dir", "no-such-folder"], b"no-such-folder"),
                        (["--dir", "text"], b"text"), (["--stdin", "no-such-file"], b"no-such-file")):
        target = call(*run, *args, "io_prog.elf")
        one_line = target.stderr.count(b"\n") == 1
        want(target.returncode == 125 and words in target.stderr and one_line,
             f"{args}: {target.returncode} {target.stderr}")
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
