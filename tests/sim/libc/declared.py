#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Headers declare what the GNU C library's declare for 32-bit ARM at each level, and nothing else.

usage: declared.py programs-for-linux.md [HEADER...]

Each header alone, preprocessed by `mpjoule cc` and by the distribution's compiler for ARM Linux at every
level: the names of functions, objects, types, enumerators and macros that are not reserved. What ours
has and the other has not fails the test, unless it is in MORE. A function that only the other declares
fails it unless the manual's table names it and nothing of that name can be linked here; and so does one
that the table names and that is there. All headers together have to compile in either order,
without a warning.
"""
import fnmatch
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../../harness")
from harness import FIRMWARE, MPJOULE  # noqa: E402

GLIBC = "arm-linux-gnueabihf-gcc"
GLIBC_MINOR = 36  # the release of the GNU C library that the headers are compared with: 2.36, of Debian 12
HEADERS = """
alloca argz arpa/inet assert byteswap complex ctype dirent endian envz err errno error execinfo fcntl features
fenv fnmatch getopt glob grp iconv inttypes langinfo libgen limits locale malloc math netinet/in poll pthread
pwd regex sched search semaphore setjmp signal spawn stdint stdio stdio_ext stdlib string strings sys/file
sys/ioctl sys/mman sys/param sys/poll sys/prctl sys/random sys/resource sys/select sys/signal sys/socket sys/stat
sys/syscall sys/sysinfo sys/sysmacros sys/time sys/timeb sys/times sys/types sys/uio sys/utsname sys/wait
sys/dir sys/errno sys/fcntl sys/statfs sys/statvfs sys/un sys/unistd sys/vfs
sysexits tgmath threads time uchar unistd utime values wchar wctype wordexp
""".split()
LEVELS = {
    "c99": "-std=c99", "c11": "-std=c11", "gnu11": "-std=gnu11",
    "posix 2001": "-std=c99 -D_POSIX_C_SOURCE=200112L", "posix 2008": "-std=c11 -D_POSIX_C_SOURCE=200809L",
    "xopen 700": "-std=c11 -D_XOPEN_SOURCE=700", "gnu": "-std=gnu11 -D_GNU_SOURCE",
}
# Declared here and not there: name or pattern, the header (None: any), why.
MORE = [
    (".*64", None, "names of large files are macros here"),
    (".*", "langinfo", "newlib's header, whose numbers its nl_langinfo() goes by"),
    ("isw.*_l|tow.*|wctrans.*|wctype_l", "wchar", "the whole of <wctype.h>, of which POSIX has a part"),
]


def statements(text):
    """Top-level statements of preprocessed C, as lists of tokens; a function's body is left out."""
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    done, depth, now = [], 0, []
    for token in re.findall(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*|\.\.\.|\S', text):
        depth += token in "{(["
        depth -= token in "})]"
        now.append(token)
        if depth == 0 and token == ";":
            done.append(now[:-1])
            now = []
        elif depth == 0 and token == "}":
            start = opening(now)
            if start > 0 and now[0] != "typedef" and plain(now[:start])[-1:] == [")"]:
                done.append(now[:start])
                now = []
    return done


def opening(tokens):
    """Where the brace begins that ends last."""
    depth = 0
    for i in range(len(tokens) - 1, -1, -1):
        depth += tokens[i] == "}"
        depth -= tokens[i] == "{"
        if depth == 0:
            return i
    return -1


def closing(tokens, i):
    """Where the bracket at i ends."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += tokens[j] in "({["
        depth -= tokens[j] in ")}]"
        if depth == 0:
            return j
    return len(tokens) - 1


def plain(tokens):
    """Without attributes and words that change no name."""
    out, i = [], 0
    while i < len(tokens):
        if tokens[i] in ("__attribute__", "__asm__", "__asm", "_Alignas", "__typeof__", "typeof"):
            i = closing(tokens, i + 1) + 1
        elif re.fullmatch(r"__extension__|__restrict\w*|restrict|__inline\w*|inline|_Noreturn|extern|static|"
                          r"const|volatile|register|_Complex|__complex__|_Thread_local|__thread", tokens[i]):
            i += 1
        else:
            out.append(tokens[i])
            i += 1
    return out


BASE = set("typedef signed unsigned int char short long float double void _Bool".split())


def tags(tokens, found):
    """struct, union and enum tags that are defined, and enumerators."""
    i = 0
    while i < len(tokens):
        if tokens[i] in ("struct", "union", "enum"):
            j = i + 1 + (i + 1 < len(tokens) and tokens[i + 1] != "{")
            if j < len(tokens) and tokens[j] == "{":
                end = closing(tokens, j)
                if j == i + 2:
                    found.add(("type", f"{tokens[i]} {tokens[i + 1]}"))
                if tokens[i] == "enum":
                    depth = 0
                    for k in range(j + 1, end):
                        depth += tokens[k] in "({["
                        depth -= tokens[k] in ")}]"
                        if depth == 0 and tokens[k - 1] in "{," and re.match(r"[A-Za-z_]", tokens[k]):
                            found.add(("constant", tokens[k]))
                else:
                    tags(tokens[j + 1:end], found)
                i = end
        i += 1


def name_of(part):
    """Name of a declarator with its type, and whether it is a function."""
    part = [token for token in part if token != "*"]
    if "(" in part:
        i = part.index("(")
        if i > 0 and re.match(r"[A-Za-z_]", part[i - 1]) and part[i - 1] not in BASE and \
                not (i > 1 and part[i - 2] in ("struct", "union", "enum")) and i > 1:
            return part[i - 1], True
        inner = part[i + 1:closing(part, i)]
        words = [token for token in inner if re.match(r"[A-Za-z_]", token)]
        return (words[0], closing(part, i) + 1 < len(part)) if words else (None, False)
    if ":" in part:
        part = part[:part.index(":")]
    while "[" in part:
        i = part.index("[")
        part = part[:i] + part[closing(part, i) + 1:]
    words = [token for token in part if re.match(r"[A-Za-z_]", token)]
    if len(words) < 2 or words[-1] in BASE or words[-2] in ("struct", "union", "enum"):
        return None, False
    return words[-1], False


def declared(text):
    """(kind, name) of all that preprocessed C declares."""
    found = set()
    for tokens in map(plain, statements(text)):
        if not tokens or tokens[0] == "_Static_assert":
            continue
        tags(tokens, found)
        while "{" in tokens:
            i = tokens.index("{")
            named = i > 0 and tokens[i - 1] not in ("struct", "union", "enum")
            tokens = tokens[:i] + ([] if named else ["__anonymous"]) + tokens[closing(tokens, i) + 1:]
        parts, depth, now = [], 0, []
        for token in tokens:
            depth += token in "(["
            depth -= token in ")]"
            if token == "," and depth == 0:
                parts.append(now)
                now = [t for t in parts[0][:1] if t == "typedef"] + ["int"]
            else:
                now.append(token)
        for part in [*parts, now]:
            name, function = name_of(part)
            if name is not None:
                kind = "type" if tokens[0] == "typedef" else "function" if function else "object"
                found.add((kind, name))
    return found


def seen(compiler, options, header):
    """What a header declares, without reserved names; None: there is no such header, or it does not compile."""
    text = f"#include <{header}.h>\n"
    args = [*compiler, *options.split(), "-w", "-E", "-x", "c", "-"]
    done = subprocess.run(args, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    macros = subprocess.run([*args[:-3], "-dM", *args[-3:]], input=text, capture_output=True, text=True, check=True)
    own = subprocess.run([*args[:-3], "-dM", *args[-3:]], input="", capture_output=True, text=True, check=True)
    names = {("macro", line.split()[1].split("(")[0])
             for line in set(macros.stdout.splitlines()) - set(own.stdout.splitlines())}
    return {(kind, name) for kind, name in declared(done.stdout) | names
            if not re.match("_|mpj_|MPJ_", name.split()[-1])}


def linkable():
    """Names that a program can link: the runtime's and the C library's."""
    libraries = [f"{FIRMWARE}/libmpjoule.a"]
    for name in ("libc.a", "libm.a"):
        found = subprocess.run(["arm-none-eabi-gcc", "-mcpu=mpcore", "-marm", "-mfpu=vfpv2", "-mfloat-abi=hard",
                                f"-print-file-name={name}"], capture_output=True, text=True, check=True)
        libraries.append(found.stdout.strip())
    listed = subprocess.run(["arm-none-eabi-nm", "-g", "--defined-only", *libraries], capture_output=True, text=True,
                            check=False)
    return {line.split()[-1] for line in listed.stdout.splitlines() if len(line.split()) == 3}


def excepted(header, name):
    return any(re.fullmatch(pattern, name.split()[-1]) and where in (None, header) for pattern, where, _ in MORE)


def left_out(manual):
    """Patterns of the manual's table of functions that headers leave out."""
    with open(manual, encoding="utf-8") as handle:
        rows = handle.read().split("## What the headers leave out")[1].split("\n## ")[0]
    return {name for row in rows.splitlines() if row.startswith("| `") for name in re.findall("`(.*?)`", row.split("|")[2])}


def told(name):
    """Whether the table has a function; notes that it is needed."""
    found = {pattern for pattern in TOLD if fnmatch.fnmatchcase(name, pattern)}
    NEEDED.update(found)
    return bool(found)


def compare(job):
    header, level = job
    theirs = seen([GLIBC], LEVELS[level], header)
    ours = seen([MPJOULE, "cc"], LEVELS[level], header)
    if theirs is None or ours is None:
        return [] if ours is None and theirs is None else [f"{header}.h, {level}: only one of both compiles"]
    known = {name for _, name in theirs}
    said = [f"{header}.h, {level}: {kind} {name} is declared, not in the GNU C library's"
            for kind, name in sorted(ours) if name not in known and not excepted(header, name)]
    mine = {name for _, name in ours}
    absent = [name for kind, name in sorted(theirs) if kind == "function" and name not in mine]
    return said + [f"{header}.h, {level}: {name}() is missing" for name in absent if not told(name) or name in LINKABLE]


def together(headers):
    """What the compiler says of all headers in one source, from the first to the last and the other way round."""
    said = []
    for name, order in (("in order", headers), ("in reverse", headers[::-1])):
        text = "".join(f"#include <{header}.h>\n" for header in order)
        done = subprocess.run([MPJOULE, "cc", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-fsyntax-only", "-x", "c", "-"],
                              input=text, capture_output=True, text=True, check=False)
        said += [f"{name}: {line}" for line in done.stderr.splitlines() if re.search("error|warning", line)]
    return said


def reference_minor():
    """Returns the minor release of the GNU C library that the reference's headers are of."""
    text = subprocess.run([GLIBC, "-E", "-P", "-"], input="#include <features.h>\n__GLIBC_MINOR__\n", capture_output=True,
                          text=True, check=True).stdout
    return int(text.split()[-1])


def main(manual, *headers):
    if reference_minor() != GLIBC_MINOR:
        print(f"skipped: compared with the headers of the GNU C library 2.{GLIBC_MINOR}, not 2.{reference_minor()}")
        return 77
    TOLD.update(left_out(manual))
    some = bool(headers)
    headers = headers or HEADERS
    with ThreadPoolExecutor(2) as pool:
        said = [line for lines in pool.map(compare, [(h, level) for h in headers for level in LEVELS]) for line in lines]
    said += together(headers)
    if not some:
        said += [f"{manual}: {name} is not left out" for name in sorted(TOLD - NEEDED)]
    print(*said, sep="\n")
    print(f"{len(headers)} headers, {len(LEVELS)} levels, {len(said)} differences")
    return bool(said)


LINKABLE = linkable()
TOLD, NEEDED = set(), set()
if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
