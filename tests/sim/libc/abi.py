#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Types, structures, numbers and conversions are those of the GNU C library for 32-bit ARM Linux.

One program, from the tables below, is compiled by `mpjoule cc` (also with -mthumb) and by the distribution's
compiler for ARM Linux: sizes, alignments, signs, places of members and values must be the same, but for
those in EXCEPT; and conversions of printf() and scanf() must suit the types without a warning.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../../harness")
from harness import MPJOULE  # noqa: E402

# Debian 13 makes the 64-bit variants of time_t and off_t the default of this architecture.
GLIBC = ["arm-linux-gnueabihf-gcc", "-marm", "-U_TIME_BITS", "-U_FILE_OFFSET_BITS"]
HEADERS = """
sys/types sys/stat sys/time sys/times sys/timeb sys/resource sys/uio sys/utsname sys/wait sys/select sys/mman
sys/sysinfo time utime signal poll sched pthread semaphore fcntl errno unistd dirent regex glob fnmatch locale
limits stdint inttypes stddef stdio stdlib wchar wctype uchar search pwd grp fenv math getopt wordexp
""".split()
TYPES = """
time_t suseconds_t clock_t clockid_t timer_t off_t off64_t ino_t ino64_t dev_t mode_t nlink_t uid_t gid_t pid_t
id_t key_t ssize_t size_t ptrdiff_t blksize_t blkcnt_t fsblkcnt_t fsfilcnt_t useconds_t socklen_t loff_t daddr_t
rlim_t nfds_t fd_set intptr_t uintptr_t intmax_t uintmax_t int8_t int16_t int32_t int64_t uint32_t uint64_t
int_least8_t int_least32_t uint_least16_t int_fast8_t int_fast16_t int_fast32_t int_fast64_t uint_fast8_t
uint_fast16_t uint_fast32_t wchar_t wint_t wctype_t wctrans_t char16_t char32_t sig_atomic_t pthread_t
pthread_key_t pthread_once_t cpu_set_t div_t ldiv_t lldiv_t imaxdiv_t float_t double_t regoff_t fexcept_t fenv_t
u_int8_t u_int64_t quad_t enum\\ e long\\ double bool
""".replace("bool", "_Bool").split("\n")
MEMBERS = {
    "struct timeval": "tv_sec tv_usec", "struct timespec": "tv_sec tv_nsec", "struct timezone": "tz_minuteswest tz_dsttime",
    "struct itimerval": "it_interval it_value", "struct itimerspec": "it_interval it_value",
    "struct tm": "tm_sec tm_min tm_hour tm_mday tm_mon tm_year tm_wday tm_yday tm_isdst tm_gmtoff tm_zone",
    "struct stat": "st_dev st_ino st_mode st_nlink st_uid st_gid st_rdev st_size st_blksize st_blocks st_atim st_mtim "
                   "st_ctim st_mtime",
    "struct stat64": "st_dev st_ino st_mode st_nlink st_uid st_gid st_rdev st_size st_blksize st_blocks st_mtime",
    "struct rusage": "ru_utime ru_stime ru_maxrss ru_minflt ru_nvcsw ru_nivcsw", "struct rlimit": "rlim_cur rlim_max",
    "struct tms": "tms_utime tms_stime tms_cutime tms_cstime", "struct timeb": "time millitm timezone dstflag",
    "struct utimbuf": "actime modtime", "struct pollfd": "fd events revents", "struct iovec": "iov_base iov_len",
    "struct utsname": "sysname nodename release version machine domainname", "stack_t": "ss_sp ss_flags ss_size",
    "struct sigevent": "sigev_value sigev_signo sigev_notify sigev_notify_function sigev_notify_attributes",
    "union sigval": "sival_int sival_ptr", "struct flock": "l_type l_whence l_start l_len l_pid",
    "struct flock64": "l_type l_whence l_start l_len l_pid", "struct sched_param": "sched_priority",
    "struct dirent": "d_ino d_off d_reclen d_type d_name", "regmatch_t": "rm_so rm_eo",
    "glob_t": "gl_pathc gl_pathv gl_offs gl_flags", "wordexp_t": "we_wordc we_wordv we_offs",
    "struct lconv": "decimal_point grouping int_frac_digits n_sign_posn int_p_cs_precedes int_n_sign_posn",
    "struct passwd": "pw_name pw_uid pw_gid pw_gecos pw_shell", "struct group": "gr_name gr_gid gr_mem",
    "struct option": "name has_arg flag val", "struct sysinfo": "uptime totalram procs totalhigh mem_unit",
    "ENTRY": "key data",
}
# Macros whose values are numbers: all of theirs that match and that ours have, too.
VALUES = {
    "errno": "E[A-Z0-9]+", "signal": "SIG[A-Z0-9]+|SIG_(BLOCK|UNBLOCK|SETMASK)|S[AISV]_[A-Z]+|(ILL|FPE|SEGV|BUS|CLD|POLL)_[A-Z]+",
    "fcntl": "[OFS]_[A-Z_0-9]+|AT_[A-Z_]+|POSIX_FADV_[A-Z]+|LOCK_[A-Z]+", "sys/stat": "S_I[A-Z]+|UTIME_[A-Z]+",
    "time": "CLOCK_[A-Z_]+|TIMER_ABSTIME|CLOCKS_PER_SEC", "poll": "POLL[A-Z]+", "unistd": "_(SC|PC|CS)_[A-Z_0-9]+|[FRWX]_OK",
    "sys/mman": "(MAP|PROT|MS|MADV|MCL|POSIX_MADV)_[A-Z_]+", "sys/wait": "W[A-Z]+", "sys/resource": "(RLIMIT|RUSAGE|PRIO)_[A-Z]+",
    "pthread": "PTHREAD_[A-Z_]+", "sched": "SCHED_[A-Z]+|CPU_SETSIZE", "regex": "REG_[A-Z]+", "glob": "GLOB_[A-Z]+",
    "fnmatch": "FNM_[A-Z_]+", "locale": "LC_[A-Z_]+", "fenv": "FE_[A-Z]+", "sys/time": "ITIMER_[A-Z]+", "wordexp": "WRDE_[A-Z]+",
    "limits": "(U?INT|U?LONG|U?LLONG|U?SHRT|S?CHAR|UCHAR)_(MIN|MAX)|CHAR_BIT|NAME_MAX|IOV_MAX|MB_LEN_MAX|LONG_BIT",
    "stdint": "U?INT[A-Z_0-9]*_(MIN|MAX)|(SIZE|WCHAR|WINT|PTRDIFF|SIG_ATOMIC)_(MIN|MAX)",
    "stdio": "BUFSIZ|EOF|SEEK_[A-Z]+|L_[a-z]+|TMP_MAX|FOPEN_MAX|FILENAME_MAX|_IO[A-Z]BF", "stdlib": "RAND_MAX|EXIT_[A-Z]+",
    "math": "FP_[A-Z0-9]+",
}
# What differs, and why: docs/manual/programs-for-linux.md says the same.
EXCEPT = {
    "char32_t is signed int": "", "SIGRTMIN": "signals 32 to 63", "SIGRTMAX": "", "PTHREAD_.*INITIALIZER.*": "an object is a word", "PTHREAD_(MUTEX|RWLOCK)_.*": "enumerators",
    "PTHREAD_STACK_MIN": "there a call of sysconf()", "_SC_(MIN)?SIGSTKSZ": "",
    "SCHED_.*": "", "(MIN)?SIGSTKSZ": "there a call of sysconf()",
}
PRINT = {
    "ld": "time_t suseconds_t clock_t off_t blkcnt_t blksize_t", "d": "int32_t pid_t clockid_t int_fast16_t int_fast32_t "
    "int_least32_t intptr_t key_t", "u": "uint32_t uid_t gid_t mode_t nlink_t id_t useconds_t uint_fast32_t socklen_t pthread_key_t",
    "lu": "ino_t pthread_t rlim_t fsblkcnt_t nfds_t", "lld": "int64_t off64_t intmax_t", "llu": "uint64_t dev_t uintmax_t",
    "zd": "ssize_t", "zu": "size_t", "td": "ptrdiff_t", "jd": "intmax_t", "hhd": "int8_t int_fast8_t", "hd": "int16_t", "lc": "wint_t",
    '" PRId8 "': "int8_t", '" PRId32 "': "int32_t", '" PRIu32 "': "uint32_t", '" PRIxLEAST32 "': "uint_least32_t",
    '" PRIdFAST8 "': "int_fast8_t", '" PRIdFAST16 "': "int_fast16_t", '" PRIuFAST32 "': "uint_fast32_t", '" PRId64 "': "int64_t",
    '" PRIxPTR "': "uintptr_t", '" PRIdMAX "': "intmax_t",
}
SCAN = {'" SCNd8 "': "int8_t", '" SCNd16 "': "int16_t", '" SCNd32 "': "int32_t", '" SCNu32 "': "uint32_t", '" SCNd64 "': "int64_t",
        '" SCNdFAST8 "': "int_fast8_t", '" SCNuFAST32 "': "uint_fast32_t", '" SCNxPTR "': "uintptr_t", "ld": "time_t off_t"}


def words(text):
    return [w.replace("\\ ", " ") for w in re.findall(r"(?:\\ |\S)+", " ".join(text).replace("\\\\ ", "\\ "))]


def included():
    return "#define _GNU_SOURCE\n" + "".join(f"#include <{h}.h>\n" for h in HEADERS) + "enum e { E };\n"


def macros():
    """Names of both, of headers that VALUES names."""
    found = set()
    for header, pattern in VALUES.items():
        text = f"#define _GNU_SOURCE\n#include <{header}.h>\n"
        names = []
        for compiler in (GLIBC, [MPJOULE, "cc"]):
            listed = subprocess.run([*compiler, "-w", "-E", "-dM", "-x", "c", "-"], input=text, capture_output=True,
                                    text=True, check=True).stdout
            names.append({line.split(None, 2)[1] for line in listed.splitlines() if len(line.split(None, 2)) > 2})
        found |= {name for name in names[0] & names[1] if re.fullmatch(pattern, name)}
    return sorted(name for name in found if not any(re.fullmatch(e, name) for e in EXCEPT))


def expressions():
    """Name: expression of what both must agree on."""
    table = {}
    for name in words(TYPES):
        table[f"sizeof {name}"] = f"sizeof({name})"
        table[f"_Alignof {name}"] = f"_Alignof({name})"
        if not re.search("fd_set|cpu_set_t|div_t|fenv_t|timer_t|wctrans_t", name):
            table[f"sign of {name}"] = f"({name})-1 < ({name})1"
            if name != "char32_t":
                for kind in ("int", "unsigned", "long", "unsigned long", "long long", "unsigned long long", "short", "signed char"):
                    table[f"{name} is {kind}"] = f"__builtin_types_compatible_p({name}, {kind})"
    for name, members in MEMBERS.items():
        table[f"sizeof {name}"] = f"sizeof({name})"
        for member in members.split():
            table[f"place of {name}.{member}"] = f"__builtin_offsetof({name}, {member})"
            table[f"sizeof {name}.{member}"] = f"sizeof((({name} *)0)->{member})"
            table[f"sign of {name}.{member}"] = \
                f"__builtin_types_compatible_p(__typeof__((({name} *)0)->{member}), long) * 2 + " \
                f"__builtin_types_compatible_p(__typeof__((({name} *)0)->{member}), int)"
    table.update({name: name for name in macros()})
    return table


def values(compiler, table):
    text = included() + "".join(f"const long long value_{i} = (long long)({e});\n" for i, e in enumerate(table.values()))
    done = subprocess.run([*compiler, "-w", "-fno-zero-initialized-in-bss", "-S", "-o", "-", "-x", "c", "-"], input=text,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{compiler[0]}: {done.stderr[:2000]}")
    found = {}
    for at, first, second in re.findall(r"^value_(\d+):\n\s+\.word\s+(-?\d+)\n\s+\.word\s+(-?\d+)", done.stdout, re.M):
        found[int(at)] = ((int(second) & 0xffffffff) << 32) + (int(first) & 0xffffffff)
    return [found.get(i, 0) for i in range(len(table))]


def formats():
    text = included() + "int main(void)\n{\n"
    for n, (call, table) in enumerate((("printf", PRINT), ("scanf", SCAN))):
        for conversion, types in table.items():
            for name in types.split():
                text += f'    {{ {name} x = 0; {call}("%{conversion}\\n", {"&" * n}x); }}\n'
    return text + '    struct timeval a; struct stat s; gettimeofday(&a, 0); stat("/", &s);\n' \
        '    printf("%ld %ld %ld %lu %u\\n", a.tv_sec, a.tv_usec, s.st_size, s.st_ino, s.st_mode);\n    return 0;\n}\n'


def main():
    table = expressions()
    theirs = values(GLIBC, table)
    said = []
    for options in ([], ["-mthumb"]):
        ours = values([MPJOULE, "cc", *options], table)
        said += [f"{' '.join(['mpjoule cc', *options])}: {name} is {a}, on Linux {b}"
                 for name, a, b in zip(table, ours, theirs) if a != b]
    for compiler in (GLIBC, [MPJOULE, "cc"], [MPJOULE, "cc", "-mthumb"]):
        done = subprocess.run([*compiler, "-Wall", "-Wformat", "-Werror", "-c", "-o", "/dev/null", "-x", "c", "-"],
                              input=formats(), capture_output=True, text=True, check=False)
        said += [f"{compiler[-1]}: {line}" for line in done.stderr.splitlines() if "error" in line]
    print(*said, sep="\n")
    print(f"{len(table)} values, {len(said)} differences")
    return bool(said) or len(table) < 900


if __name__ == "__main__":
    sys.exit(main())
