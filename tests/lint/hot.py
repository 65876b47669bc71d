#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that the profile's hooks stay in the hot section: what functions marked HAL_HOT call must be
marked, too, or be a slow path listed below. A cold callee comes from memory in the middle of a program,
and mpj_prof_warm() does not bring it into the caches.

usage: hot.py libmpjoule.a   (exit status 1 and one line per finding)
"""
import re
import subprocess
import sys

SECTION = ".text.mpj_hot"
LIBC = "the C library's: seldom, and the program's own calls keep it in the caches"
NEW = "a new thread, wait or region: once each"
ROTATES = "once a turn of the events, by default every 10 ms at most"
SAMPLE = "once a sample, and what it does there is the line's"
ASKED = "only where the run notes moments, and what that costs is in its table (docs/functions.md)"
FILLS = "only where the SCU counts linefills, whose registers take longer than a line from memory"
SHORT = "a few instructions, once in an execution that is looked at closely"
# Calls that leave the section: (caller, callee): why it does not matter. The caller "*" is any.
SLOW = {
    ("*", "memset"): LIBC,
    ("*", "memmove"): LIBC,
    ("steps", "memcmp"): "after an overflow of a counter: every 2^32 counts",
    ("mpj_prof_ticks_at", "__aeabi_uldivmod"): "once a run and core",
    ("mpj_timeline_init", "__aeabi_uldivmod"): NEW,
    ("mpj_prof_thread_init", "mpj_prof_pairs"): NEW,
    ("mpj_prof_thread_init", "mpj_prof_rotates"): NEW,
    ("mpj_prof_thread_init", "mpj_slices_init"): NEW,
    ("mpj_prof_thread_init", "mpj_prof_fold"): "once in hundreds of threads, beyond what there are records for",
    ("mpj_prof_scu_read", "hal_spin_lock"): FILLS,
    ("mpj_prof_scu_read", "hal_spin_unlock"): FILLS,
    ("mpj_prof_switch", "switch_moments"): ASKED,
    ("mpj_prof_irq_sample", "mpj_prof_irq_rotate"): ROTATES,
    ("mpj_slices_end", "mpj_prof_shift"): ROTATES,
    ("mpj_prof_irq_sample", "mpj_in_service"): SAMPLE,
    ("mpj_prof_irq_sample", "mpj_stream_notes"): SAMPLE,
    ("mpj_prof_irq_sample", "mpj_stream_turn"): SAMPLE,
    ("mpj_prof_irq_sample", "relieve"): SAMPLE,
    ("mpj_prof_irq_sample", "mpj_prof_l2_read"): "once in 64 samples",
    ("finish", "mpj_prof_begin_time"): SHORT,
    ("choose", "read_predictor"): "once a run",
    ("has_grown", "mpj_prof_begin_time"): "while the program is young",
    ("keep_more", "mpj_prof_power_sum"): "once in an execution that was sampled",
}
HEAD = re.compile(r"^RELOCATION RECORDS FOR \[(.*)\]:$")
COPY = re.compile(r"\.(?:constprop|isra|part)\.\d+$")  # the compiler's copies of a function
# Branches and calls only: an address that is loaded is data.
CALL = re.compile(r"^([0-9a-f]+) R_ARM_(?:CALL|JUMP24|THM_CALL|PC24)\s+(\S+)$")
SYMBOL = re.compile(r"^([0-9a-f]+) (.{7}) (\S+)\s+([0-9a-f]+) (?:\.hidden )?(\S+)$")
MEMBER = re.compile(r"^(\S+\.obj):\s+file format")


def members(archive):
    """Object -> lines of objdump's symbols and relocations."""
    text = subprocess.run(["arm-none-eabi-objdump", "-t", "-r", archive], check=True, capture_output=True,
                          text=True).stdout
    found = {}
    for line in text.splitlines():
        match = MEMBER.match(line)
        if match:
            current = found.setdefault(match.group(1), [])
        elif found:
            current.append(line)
    return found


def functions(lines):
    """Functions of an object as (section, start, end, name, is it global)."""
    for line in lines:
        match = SYMBOL.match(line)
        if match and "F" in match.group(2):
            start = int(match.group(1), 16)
            yield (match.group(3), start, start + int(match.group(4), 16), match.group(5),
                   match.group(2)[0] != "l")


def calls(lines):
    """(section, offset, callee) of an object's branches."""
    section = None
    for line in lines:
        match = HEAD.match(line)
        if match:
            section = match.group(1)
        match = CALL.match(line)
        if match:
            yield section, int(match.group(1), 16), match.group(2)


def main(archive):
    objects = members(archive)
    marked = set()
    for lines in objects.values():
        marked |= {name for section, _, _, name, shared in functions(lines) if section == SECTION and shared}
    hot, used, bad = 0, set(), []
    for member, lines in sorted(objects.items()):
        own = list(functions(lines))
        near = marked | {name for section, _, _, name, _ in own if section == SECTION} | {SECTION}
        hot += sum(1 for f in own if f[0] == SECTION)
        for section, offset, callee in calls(lines):
            if section != SECTION or callee in near:
                continue
            caller = next((f[3] for f in own if f[0] == SECTION and f[1] <= offset < f[2]), "?")
            plain = COPY.sub("", callee)
            keys = {(caller, plain), ("*", plain)} & set(SLOW)
            used |= keys
            if not keys:
                bad.append(f"{member[:-4]}: {caller}() is hot and calls {callee}(), which is not: mark it HAL_HOT, "
                           "or list the slow path in tests/lint/hot.py")
    for line in sorted(set(bad)):
        print(line)
    for caller, callee in sorted(set(SLOW) - used):
        bad.append(callee)
        print(f"hot.py lists {caller} -> {callee}, which is not called any more")
    print(f"hot: {hot} functions, {len(bad)} findings")
    return 1 if bad or not hot else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
