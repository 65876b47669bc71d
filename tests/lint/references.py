#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds comments and documents that name a file or a function that does not exist.

usage: references.py ROOT   (exit status 1 and one line per finding)

Looks at Markdown and at the comments of C, assembler, Python, shell, CMake and configuration files.
  - `dir/file.c`, `file.h`: a file of the tree, given from the root, from the folder of the text, or
    by the last parts of its path; a link in Markdown: exactly that file or folder, and a heading behind #;
  - `name()`: a function or macro that the code of the tree defines, declares or calls;
  - `BOARD_NAME`, `TILE_NAME`, `LOADER_NAME` in docs/: a macro that the code defines;
  - what the list of the fuzz targets names: a file, and a function that this file defines.
"""
import fnmatch
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../fuzz")
import parsers  # noqa: E402

ENDINGS = "c|h|S|py|sh|md|conf|list|sql|json|txt|in|cmake|cfg|patch|expect|spec|specs|svg|yaml|ld"
NAME = r"[A-Za-z0-9_*][A-Za-z0-9_.*+-]*"
PATH = re.compile(rf"(?<![\w./~$<>{{}}%*:-])((?:\.\./)*(?:{NAME}/)*{NAME}\.(?:{ENDINGS}))(?![\w/(-]|\.\w)")
FOLDER = re.compile(rf"`((?:{NAME}/)+)`")
LINK = re.compile(r"\]\((?=[^)\s])([^)#\s]*)(?:#([^)\s]*))?[^)]*\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)
CALL = re.compile(r"(?<![\w.>-])([A-Za-z_]\w*)\(\)")
USED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
MACRO = re.compile(r"`((?:BOARD|TILE|LOADER)_[A-Z0-9_]+)`")
DEFINED = re.compile(r"^#\s*define\s+(\w+)", re.M)
LABEL = re.compile(r"^([A-Za-z_]\w*):", re.M)

C_LIKE = (".c", ".h", ".S", ".ld.in", ".h.in")
HASH_LIKE = (".py", ".sh", ".cmake", "CMakeLists.txt", ".conf", ".cfg", ".list")
COMMENT_C = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
DOCSTRING = re.compile(r'"""(.*?)"""', re.S)
COMMENT_HASH = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.M)

# Files that are not in this tree (patterns), and why they are named.
FILES = {
    "build/*": "made by the build", "mpjoule*.specs": "made by the build", "mpj_ram.ld": "made by the build",
    "mpj_flash.ld": "made by the build",
    "sys/*.h": "of the C library", **dict.fromkeys(("net/if.h", "netdb.h", "netinet/tcp.h", "nl_types.h", "stropts.h", "syslog.h",
                                                    "trace.h", "ulimit.h", "utmpx.h", "aio.h", "dlfcn.h", "fmtmsg.h", "ftw.h",
                                                    "monetary.h", "mqueue.h", "ndbm.h", "termios.h", "fts.h", "ifaddrs.h",
                                                    "libintl.h", "link.h", "mntent.h", "obstack.h", "printf.h", "pty.h",
                                                    "resolv.h", "shadow.h", "arpa/nameser.h", "asm/types.h", "crypt.h",
                                                    "fpu_control.h", "fstab.h", "ieee754.h", "mcheck.h", "net/ethernet.h",
                                                    "net/route.h", "netinet/ether.h", "netinet/ip.h", "netinet/ip6.h",
                                                    "netinet/ip_icmp.h", "netinet/udp.h", "nss.h", "re_comp.h", "regexp.h",
                                                    "sgtty.h", "termio.h", "utmp.h"), "missing, and said to be"),
    "linux/*.h": "of Linux", "arch/arm/*.c": "of Linux", "board-eb.h": "of Linux", "realview_eb.c": "of Linux",
    "timer-oxnas-rps.c": "of Linux", "mach-oxnas/platsmp.c": "of Linux", "oxnas-restart.c": "of Linux", "platsmp-realview.c": "of Linux",
    "arm-versatile-reboot.c": "of Linux", "irq-versatile-fpga.c": "of Linux", "reset-oxnas.c": "of Linux", "clk-oxnas.c": "of Linux",
    "realview.c": "of QEMU",
    "cpu-exec.c": "of QEMU", "translate-all.c": "of QEMU", "tb-maint.c": "of QEMU",
    "interface/*.cfg": "of OpenOCD", "YOUR-ADAPTER.cfg": "of OpenOCD", "interface/ftdi/YOUR-ADAPTER.cfg": "of OpenOCD",
    "*NAME.*": "a placeholder", "*/NAME/*": "a placeholder", "FILE.*": "a placeholder", "SPACE.*": "a placeholder", "STEM.*": "a placeholder", "PROGRAM.c": "a placeholder", "*OLDER/*": "a placeholder",
    "file.[ch]": "a placeholder", "dir/file.c": "a placeholder", "a.c": "a placeholder", "b.c": "a placeholder",
    "app.c": "of the user", "prog.c": "of the user", "hello.c": "of the user", "cg.c": "of the user",
    "other.conf": "of the user", "*gate.yaml": "of the user", "gate.md": "of the user", "lost.c": "missing, in a test", "*baseline.json": "of the user", "solve.c": "of the user", "boards.yaml": "of the user", "t.json": "of the user", "*tile0.json": "of the user", "pogo.json": "of the user",
    "libgcc2.c": "of GCC", "*newlib/libc/string/memset.c": "of newlib", "mprofiler.json": "of the user", "run.json": "of the user", "input.txt": "of the user",
    "b.c": "made by a test", "here.txt": "made by a test", "target.txt": "made by a test", "p.c": "made by a test",
}
# Functions that no code of this tree calls, and why they are named.
FUNCTIONS = {
    "__clear_cache": "of GCC", "towctrans": "of newlib", "drand48": "of the C library", "sbrk": "of POSIX, _sbrk() in newlib", "tcg_cpus_exec": "of QEMU",
}


def listed(root):
    files = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return [f for f in files if os.path.isfile(os.path.join(root, f))]


def blanked(match):
    return re.sub(r"[^\n]", " ", match.group())


def is_script(text):
    return text.startswith("#!") and re.match(r"#!.*(?:python|sh)", text.split("\n", 1)[0])


def split(path, text):
    """(what to check, what defines names): both as long as the text, so that lines keep their numbers."""
    if path.endswith(".md"):
        return text, ""
    if path.endswith(C_LIKE):
        code = STRING.sub(blanked, COMMENT_C.sub(blanked, text))
        comments = list(text)
        for match in re.finditer(r"[^\n]", text):
            comments[match.start()] = " "
        for match in COMMENT_C.finditer(text):
            comments[match.start():match.end()] = match.group()
        return "".join(comments), code
    if path.endswith(HASH_LIKE) or is_script(text):
        found = [" " if c != "\n" else c for c in text]
        for pattern in (DOCSTRING, COMMENT_HASH):
            for match in pattern.finditer(text):
                found[match.start():match.end()] = match.group()
        return "".join(found), text
    return "", text if path.endswith(".patch") else ""


def known_file(name, folder, tree, tails):
    if any(fnmatch.fnmatch(name, pattern) for pattern in FILES):
        return True
    plain = os.path.normpath(os.path.join(folder, name))
    if name in tree or plain in tree:
        return True
    if "*" in name:
        return any(fnmatch.fnmatch(f, name) or fnmatch.fnmatch(f, "*/" + name) for f in tree)
    return name.lstrip("./") in tails


def anchors(text):
    """Names of a document's headings, as the services that show Markdown make them."""
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
            for heading in HEADING.findall(text)}


def fuzz_findings(texts):
    """What the list of the fuzz targets names that does not exist. They tell it, too, after a build of minutes."""
    path = "tests/fuzz/parsers.py"
    named = {file: () for _, files in parsers.TARGETS.values() for file in files.split()} | parsers.FUNCTIONS
    for file, functions in named.items():
        if file not in texts:
            yield f"{path}: there is no file {file}"
            continue
        for function in functions:
            if len(parsers.definitions(texts[file].splitlines(), function)) != 1:
                yield f"{path}: {file} has no function {function}()"


def main(root):
    files = listed(root)
    texts = {}
    for path in files:
        try:
            with open(os.path.join(root, path), encoding="utf-8") as handle:
                texts[path] = handle.read()
        except UnicodeDecodeError:
            pass
    tree = set(files)
    folders = set()
    tails = set()
    for path in files:
        parts = path.split("/")
        tails.update("/".join(parts[i:]) for i in range(len(parts)))
        for i in range(1, len(parts)):
            folders.update("/".join(parts[k:i]) + "/" for k in range(i))
    names = set()
    macros = set()
    checked = {}
    for path, text in texts.items():
        checked[path], code = split(path, text)
        names.update(USED.findall(code))
        macros.update(DEFINED.findall(code))
        if path.endswith(".S"):
            names.update(LABEL.findall(code))
        # Headers of the system that our code includes.
        tails.update(re.findall(r"#\s*include\s+<([^>]+)>", text))
    bad = list(fuzz_findings(texts))
    for path, text in sorted(checked.items()):
        folder = os.path.dirname(path)

        def report(match, what, path=path, text=text):
            bad.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {what}")

        for match in PATH.finditer(text):
            if not known_file(match.group(1), folder, tree, tails):
                report(match, f"there is no file {match.group(1)}")
        for match in CALL.finditer(text):
            if match.group(1) not in names and match.group(1) not in FUNCTIONS:
                report(match, f"there is no function {match.group(1)}()")
        if path.endswith(".md"):
            for match in MACRO.finditer(text):
                if path.startswith("docs/") and match.group(1) not in macros:
                    report(match, f"there is no macro {match.group(1)}")
            for match in FOLDER.finditer(text):
                if match.group(1) not in folders and not re.match(r"build/|.*/NAME/", match.group(1)):
                    report(match, f"there is no folder {match.group(1)}")
            for match in LINK.finditer(text):
                target = os.path.normpath(os.path.join(folder, match.group(1))) if match.group(1) else path
                if "://" in match.group(1):
                    continue
                if not os.path.exists(os.path.join(root, target)):
                    report(match, f"the link {match.group(1)} leads to nothing")
                elif match.group(2) and target.endswith(".md") and match.group(2) not in anchors(texts.get(target, "")):
                    report(match, f"the link {match.group(1)}#{match.group(2)} leads to no heading")
    for line in bad:
        print(line)
    print(f"references: {len(checked)} files, {len(bad)} findings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
