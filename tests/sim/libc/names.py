#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program may have functions and objects of every name that ISO C does not reserve.

usage: names.py CC iso_c_names.txt

The names are those the archives have. All at once, as functions, as objects and as common symbols: programs that use
ISO C (names_iso.c), and POSIX threads, OpenMP and regular expressions (names_posix.c), print what they print on this
machine, and nobody has called or changed what is theirs. In groups: with every object of the library linked. One at
a time, what the archives define and refer to says it: weak definitions, no references.
"""
import os
import re
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../../harness")
from harness import FIRMWARE, MPJOULE, call, check, finish, mpjoule, must, write  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = re.compile(r"pthread_|sem_|GOMP_|omp_|reg(comp|exec|free)$")  # what names_posix.c calls
OURS = re.compile(r"_|mpj_|main$|[^.]*[.]")
FLAGS = ["-std=gnu11", "-O1", "-w", "-fno-builtin", "-pthread", "-fopenmp"]
GROUPS = 8
LEAST = 1000  # names there must be


def symbols(archive):
    """(member, kind, name) of the symbols that an archive's objects share."""
    for line in must("arm-none-eabi-nm", "-A", "-g", archive).stdout.splitlines():
        where, kind, name = line.rsplit(None, 2)
        yield where.split(":")[1], kind, name


def archives(*flags):
    """The archives programs are linked with."""
    library = "libmpjoule_thumb.a" if flags else "libmpjoule.a"
    return [f"{FIRMWARE}/{library}"] + [must(MPJOULE, "cc", *flags, f"-print-file-name={name}").stdout.strip()
                                        for name in ("libc.a", "libm.a")]


def public_names(paths, reserved):
    """Names that the archives define and a program may define."""
    found = {name for path in paths for _, kind, name in symbols(path) if kind not in "Uwv"}
    return sorted(n for n in found if not OURS.match(n) and n not in reserved)


def check_archives(paths, names):
    """Each public name is weak where it is defined, and nothing refers to one."""
    names = set(names)
    for path in paths:
        for member, kind, name in symbols(path):
            if name in names:
                check(kind in "WV", f"{path}({member}): {name} is {kind}: " +
                      ("a program's own would be called" if kind in "Uwv" else "a program cannot define it"))


def source(kind, names):
    """C that defines all these names, and own_report(): how many of them are not as they were."""
    each = {"function": 'int {0}(int x) {{ if (x != {1}) note("{0}"); return {1}; }}',
            "object": "int {0} = {1};", "common": "int {0};",
            "static": "static int {0}(int x) {{ return x + {1}; }}"}[kind]
    value = {"function": "((int (*)(int))all[i].at)(i)", "common": "*(int *)all[i].at + i"}.get(kind, "*(int *)all[i].at")
    text = "int printf(const char *, ...);\nstatic int wrong;\n"
    text += "static const char *called[10];\n"
    text += "static void note(const char *n) { called[wrong++ % 10] = n; }\n"
    text += "\n".join(each.format(name, i) for i, name in enumerate(names)) + "\n"
    text += "static const struct { void *at; const char *name; } all[] = {"
    text += ",\n".join(f'{{&{name}, "{name}"}}' for name in names) + "};\n"
    text += "int own_report(void) {\n"
    text += ' for (int i = 0; i < 10 && called[i]; i++) printf("called: %s\\n", called[i]);\n'
    text += f" for (int i = 0; i < {len(names)}; i++)\n"
    text += f'  if ({value} != i) {{ wrong++; printf("not the program\'s: %s\\n", all[i].name); }}\n'
    return text + " return wrong;\n}\n"


def link(out, *what, flags=()):
    """Whether it links; what the linker says is told."""
    done = call(MPJOULE, "cc", *FLAGS, *flags, *what, "-o", out, "-lm")
    lines = [line for line in done.stderr.splitlines() if re.search("multiple definition|undefined|error", line)]
    check(done.returncode == 0, f"{out}: {len(lines)} lines: " + "\n  ".join(lines[:5] or [done.stderr[-500:]]))
    return done.returncode == 0


def check_run(what, elf, native):
    """A program says what it says on this machine."""
    done = mpjoule("run", "--quiet", "--no-counters", "--dir", ".", elf)
    check(done.returncode == 0 and done.stdout == native,
          f"{what}: status {done.returncode}, expected\n{native}\nand it said\n{done.stdout}{done.stderr[-1000:]}")


def check_all(names, kind, flags=()):
    """Programs with all names at once; with further flags one will do."""
    for program in ("iso",) if flags else ("iso", "posix"):
        own = [n for n in names if program == "iso" or not KEPT.match(n)]
        what = "_".join([program, kind, *flags]).replace("-", "")
        elf = f"{what}.elf"
        made = write(f"{what}.c", source(kind, own))
        if link(elf, made, f"{HERE}/names_{program}.c", flags=("-fcommon", *flags)):
            check_run(what, elf, NATIVE[program])


def check_groups(names, private):
    """Every object of the library with a part of the names as the program's own; both kinds."""
    write("forced", "\n".join(f"-Wl,-u,{name}" for name in private))
    main = write("main.c", "int own_report(void);\nint main(void) { return own_report(); }\n")
    for group in range(GROUPS):
        kind = ("function", "object")[group % 2]
        made = write(f"group{group}.c", source(kind, names[group // 2::GROUPS // 2]))
        link(f"group{group}.elf", made, main, "@forced")


def main(compiler, reserved_path):
    with open(reserved_path, encoding="utf-8") as handle:
        reserved = {name for line in handle if not line.startswith("#") for name in line.split()}
    stub = write("stub.c", "int own_report(void) { return 0; }\n")
    for program in ("iso", "posix"):
        must(compiler, *FLAGS, f"{HERE}/names_{program}.c", stub, "-o", f"native_{program}", "-lm")
        NATIVE[program] = must(f"./native_{program}").stdout
    arm = archives()
    names = public_names(arm, reserved)
    check(len(names) >= LEAST, f"only {len(names)} names")
    for flags in ((), ("-mthumb",)):
        check_archives(archives(*flags), names)
    for kind, flags in (("function", ()), ("object", ()), ("common", ()), ("function", ("-flto",)),
                        ("function", ("-ffunction-sections", "-Wl,--gc-sections")), ("function", ("-mthumb",))):
        check_all(names, kind, flags)
    write("static.c", source("static", names).replace("called[i]", "0").replace("*(int *)all[i].at", "i"))
    check(call(MPJOULE, "cc", *FLAGS, "-c", "static.c").returncode == 0, "static functions do not compile")
    check_groups(names, sorted({n for path in arm for _, kind, n in symbols(path) if n.startswith("__private_")}))
    sys.exit(finish(f"{len(names)} names"))


NATIVE = {}

if __name__ == "__main__":
    main(*sys.argv[1:])
