#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every function that the headers of C11 and POSIX declare links, or the manual says what it does.

usage: functions.py unsupported.txt programs-for-linux.md

What POSIX and C11 have is read from this machine's headers, too: a function that those declare and ours
do not at all is missing.

Headers that do not compile, functions that do not link and functions of unsupported.txt (which only
fail with ENOSYS) must be exactly those of the manual's table. Functions that fail so in some cases
(their code stores that number) must be named on the page.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../../harness")
from harness import FIRMWARE, MPJOULE  # noqa: E402

HEADERS = """
assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
aio arpa/inet cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen monetary mqueue
ndbm net/if netdb netinet/in netinet/tcp nl_types poll pthread pwd regex sched search semaphore spawn
strings stropts sys/ipc sys/mman sys/msg sys/resource sys/select sys/sem sys/shm sys/socket sys/stat
sys/statvfs sys/time sys/times sys/types sys/uio sys/un sys/utsname sys/wait syslog tar termios trace
ulimit unistd utime utmpx wordexp
""".split()
# What GNU/Linux has beside those, as far as programs without a network ask for it.
OF_LINUX = """
alloca argp argz arpa/nameser asm/types byteswap crypt endian envz err error execinfo features fpu_control fstab
fts getopt ieee754 ifaddrs libintl link linux/futex linux/limits linux/perf_event linux/types linux/version
malloc mcheck mntent net/ethernet net/route netinet/ether netinet/ip netinet/ip6 netinet/ip_icmp netinet/udp nss
obstack paths printf pty re_comp regexp resolv sgtty shadow stdio_ext sys/acct sys/auxv sys/cdefs sys/elf
sys/epoll sys/eventfd sys/file sys/fsuid sys/inotify sys/io sys/ioctl sys/klog sys/mount sys/param
sys/personality sys/poll sys/prctl sys/procfs sys/ptrace sys/queue sys/quota sys/random sys/reboot sys/sendfile
sys/signalfd sys/statfs sys/swap sys/syscall sys/sysinfo sys/syslog sys/sysmacros sys/termios sys/timerfd
sys/timex sys/ucontext sys/user sys/vfs sys/xattr sysexits termio ucontext utmp wait
""".split()
# Macros that programs choose by, or give sizes with.
ENOSYS = 38
MACROS = """
CLOCKS_PER_SEC PATH_MAX NAME_MAX SSIZE_MAX IOV_MAX HOST_NAME_MAX LINE_MAX RE_DUP_MAX EXIT_SUCCESS
RAND_MAX BUFSIZ FILENAME_MAX FOPEN_MAX L_tmpnam TMP_MAX SEEK_SET O_APPEND O_CLOEXEC O_DIRECTORY S_IFMT
AT_FDCWD SIGALRM SIG_SETMASK SA_RESTART SA_SIGINFO CLOCK_REALTIME CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID
CLOCK_THREAD_CPUTIME_ID TIMER_ABSTIME PTHREAD_STACK_MIN PTHREAD_KEYS_MAX SEM_VALUE_MAX FE_ALL_EXCEPT
FE_TONEAREST DT_REG FNM_NOMATCH GLOB_NOMATCH GLOB_NOSPACE WEOF WCHAR_MAX SIZE_MAX INT64_MAX DBL_EPSILON
LDBL_MAX HUGE_VAL NAN INFINITY _POSIX_CPUTIME _POSIX_THREAD_CPUTIME _POSIX_TIMERS _POSIX_THREADS
_POSIX_MONOTONIC_CLOCK _POSIX_BARRIERS _POSIX_REALTIME_SIGNALS SIGRTMIN SIGRTMAX NSIG SI_QUEUE SI_TIMER SA_ONSTACK _SC_NPROCESSORS_ONLN _SC_PAGESIZE _PC_PATH_MAX LC_ALL ECANCELED
""".split()


def call(*args, text=""):
    return subprocess.run([MPJOULE, "cc", "-std=gnu11", "-pthread", "-D_GNU_SOURCE", "-w", *args, "-x", "c", "-"],
                          input=text, capture_output=True, text=True, check=False)


# This machine declares them among those of POSIX: older ones, BSD's; setjmp is a macro.
NOT_POSIX = {"wcswcs", "inet_lnaof", "inet_makeaddr", "inet_netof", "inet_network", "setjmp"}


def of_this_machine(headers):
    """Functions of POSIX and C11 in these headers and not in others; none where it has no such header."""
    def names(header):
        done = subprocess.run(["cc", "-std=c11", "-D_XOPEN_SOURCE=700", "-w", "-E", "-P", "-x", "c", "-"],
                              input=f"#include <{header}.h>\n", capture_output=True, text=True, check=False)
        return declared(done.stdout) if done.returncode == 0 else set()
    others = set().union(*(names(header) for header in HEADERS if header not in headers))
    return set().union(*(names(header) for header in headers)) - others - NOT_POSIX


def declared(text):
    """Names of the functions a preprocessed header declares and does not define."""
    names = set()
    before = None
    while before != text:
        before, text = text, re.sub(r"(\)?)\s*\{[^{}]*\}", lambda m: ") @;" if m.group(1) else ";", text)
    for one in text.split(";"):
        one = re.sub(r"__attribute__\s*\(\(.*?\)\)\s*|__asm__\s*\([^)]*\)", "", one, flags=re.S).strip()
        found = re.search(r"\(\s*\*\s*(\w+)\s*\(", one) or re.match(r"[\w\s*]*?\b(\w+)\s*\(", one)
        if found and "@" not in one and not one.startswith("typedef") and found.group(1)[0] != "_":
            names.add(found.group(1))
    return names - {"int", "void", "main"}


def without(headers):
    """Those of these headers that are not there, or do not compile."""
    text = "".join(f"#if !__has_include(<{h}.h>)\n#error no {h}.h\n#endif\n" for h in headers)
    absent = set(re.findall(r"#error no (\S+)", call("-fsyntax-only", text=text).stderr))
    return absent | {f"{h}.h" for h in headers if f"{h}.h" not in absent and
                     call("-fsyntax-only", text=f"#include <{h}.h>\n").returncode != 0}


def giving_enosys(program):
    """Functions of a program in whose code ENOSYS is stored; not those that only their own file can call, such as what
    asks the host, which fails so where no host is (mpj_text.h)."""
    found = set()
    external = {line.split()[2].removeprefix("__private_") for line in subprocess.run(
        ["arm-none-eabi-nm", "--extern-only", "--defined-only", program], capture_output=True, text=True,
        check=True).stdout.splitlines()}
    name, holds = "", set()
    listed = subprocess.run(["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", program],
                            capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        start = re.match(r"[0-9a-f]+ <(\S+)>:", line)
        if start:
            name, holds = start.group(1).removeprefix("__private_"), set()
            continue
        code = re.match(r"\s*[0-9a-f]+:\t(\w+)\t(\w+)(.*)", line)
        if not code:
            continue
        what, register, rest = code.groups()
        if what.startswith("mov") and re.match(rf", #{ENOSYS}\b", rest):
            holds.add(register)
        elif what.startswith("str") and register in holds:
            found.add(name)
        elif what.startswith("bl"):
            holds -= {"r0", "r1", "r2", "r3"}
        elif not what.startswith(("cmp", "tst", "str")):
            holds.discard(register)
    return found & external


def defined_twice(library):
    """Symbols that two objects of a library define: a program that links both does not link."""
    places = {}
    listed = subprocess.run(["arm-none-eabi-nm", "-A", "--extern-only", "--defined-only", library],
                            capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        where, kind, name = line.rsplit(None, 2)
        if kind in "TDBRAC":
            places.setdefault(name, []).append(where.split(":")[1])
    return [f"{name}: in {' and '.join(objects)} of {os.path.basename(library)}"
            for name, objects in sorted(places.items()) if len(objects) > 1]


def refused(linked, missing):
    """Why a program does not link, but for functions that are missing."""
    if linked.returncode == 0:
        return []
    said = [line for line in linked.stderr.splitlines()
            if re.search("error: |multiple definition|undefined reference|cannot", line) and "ld returned" not in line
            and not any(f"`{name}'" in line for name in missing)]
    return said or ([] if missing else [f"it does not link: {linked.stderr[-400:]}"])


def main(source, manual):
    absent = without(OF_LINUX)
    here = set()
    names = set()
    for header in HEADERS:
        text = f"#include <{header}.h>\n"
        if call("-fsyntax-only", text=text).returncode != 0:
            absent.add(f"{header}.h")
            continue
        here.add(header)
        names |= declared(call("-E", "-P", text=text).stdout)
    names = {n for n in names if not n.startswith("mpj_newlib_")} - {"setjmp"}
    body = "".join(f"#include <{h}.h>\n" for h in sorted(here - {"tgmath"}))
    body += "".join(f"#undef {n}\n" for n in sorted(names))
    body += "void *volatile all[] = {" + ", ".join(f"(void *){n}" for n in sorted(names))
    body += "};\nint main(void) { return !all[0]; }\n"
    linked = call("-o", "all.elf", text=body)
    missing = set(re.findall(r"undefined reference to `(\w+)'", linked.stderr))
    missing = {n for n in missing if n[0] != "_"}
    with open(source, encoding="utf-8") as handle:
        failing = {name for line in handle if re.match("[A-Z]", line) for name in line.split()[1:]}
    with open(manual, encoding="utf-8") as handle:
        page = handle.read()
    table = page.split("## What is missing")[1].split("\n## ")[0]
    told = set(re.findall(r"`([\w/.]+)(?:\(\))?`", table))
    told_headers = {n for n in told if n.endswith(".h")}
    bad = refused(linked, missing)
    for library in ("libmpjoule.a", "libmpjoule_thumb.a"):
        bad += defined_twice(f"{FIRMWARE}/{library}")
    for what, found, said in (("functions", missing | failing, told - told_headers), ("headers", absent, told_headers)):
        if found != said:
            bad.append(f"{what}: not in the manual {sorted(found - said)}, only there {sorted(said - found)}")
    partly = {n for n in giving_enosys("all.elf") if not n.startswith("mpj_")} - set(re.findall(r"`(\w+)`", page))
    if partly:
        bad.append(f"fail with ENOSYS, and the manual does not name them: {sorted(partly)}")
    here_not_there = of_this_machine(here) - names
    if here_not_there - (told - told_headers):
        bad.append(f"of POSIX, and not declared: {sorted(here_not_there)}")
    if len(names) < 1000:
        bad.append(f"only {len(names)} functions")
    macros = "".join(f"#include <{h}.h>\n" for h in sorted(here - {'tgmath'}))
    macros += "".join(f"#ifndef {m}\n#error no {m}\n#endif\n" for m in MACROS)
    bad += re.findall(r"#error (no \w+)", call("-fsyntax-only", text=macros).stderr)
    for header in sorted(here):  # without what GNU and POSIX have beside C
        strict = call("-std=c11", "-U_GNU_SOURCE", "-fsyntax-only", text=f"#include <{header}.h>\n")
        bad += [f"{header}.h, -std=c11: {e}" for e in re.findall("error: .*", strict.stderr)[:1]]
    for line in bad:
        print(line)
    print(f"{len(names)} functions of {len(here)} headers, {len(missing)} do not link, {len(failing)} fail")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
