#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts of the chip and board stand in tile/ and nowhere else: finds copies of event numbers and
names, of the ADC's scale, of the board's name and size, of defaults and bounds; and manual pages
that state others. Addresses and frequencies of a board stand in its folder: finds them in firmware
that every board shares. Tests are not searched: what they expect is written down independently.

usage: facts.py ROOT   (exit status 1 and one line per finding)
"""
import os
import re
import subprocess
import sys

ROOMS = ("apps/", "base/", "cli/", "firmware/", "hal/", "hil/", "link/", "log/", "models/", "report/", "run/", "sim/")
EVENT = re.compile(r'X\((\w+), (0x[0-9a-f]+|\d+), "(\w+)",')
CONSTANT = re.compile(r"^#define (TILE_\w+)\s+(\"[^\"]*\"|0x[0-9a-fA-F]+|\d+)", re.M)
# Names of events that mean other things as well: time on cores, a command, a key of a result, a format.
COMMON = {"cycles", "branch", "instr", "folded"}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NUMBERED = re.compile(r"\b(\w+?)(?:\s*=\s*|\s+)\(?(0x[0-9a-fA-F]+|\d+)[uU]?\)?\s*(?:[,}\n]|$)")
SETTING = re.compile(r"\b(quantum|seed|sample_us|adc_period_us)\s*=\s*[1-9]")
BOUND = re.compile(r'"--(?:quantum|sample-ms|rotate)",[^;]*?,\s*\d')
CORES = re.compile(r"#define\s+\w*CORES(?:_MAX)?\s+\(?4[uU]?\b")
# Programs that run on the chip, which print what they count; the self-test asks about the board.
# hal/fake describes the hardware a second time so that a driver fails against it. Headers of the C library
# have Linux's numbers.
APART = re.compile(r"^apps/(?!tools/(?!basis/))|^tests/programs/|^hal/fake/|^firmware/libc/include/")


# Firmware of every board; the resident loader is the RealView EB's.
SHARED = re.compile(r"^(firmware/(?!loader/|libc/include/)|hal/(include|io|soc|device)/|link/)")
PLACE = re.compile(r"^#define BOARD_\w+\s+(?:\(\w+ \+ )?(0x[0-9a-fA-F]{7,8}|\d{7,})[uU]?\b", re.M)
NUMBER = re.compile(r"(?<![\w.])(0x[0-9a-fA-F]{7,8}|\d{5,})[uU]?[lL]{0,2}(?![\w.])")


def places(root):
    """Addresses and frequencies that the boards' maps have; powers of two and of ten and multiples of 16 MB mean
    other things, too."""
    found = set()
    folder = os.path.join(root, "hal/board")
    for board in os.listdir(folder):
        path = os.path.join(folder, board, "include/hal_map.h")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as handle:
                found |= {int(number, 0) for number in PLACE.findall(handle.read())}
    # 4 ms of a time base, the time slice of threads.
    found |= {number // 250 for number in found if 20000000 < number < 30000000}
    return {n for n in found if n & (n - 1) and n % 0x1000000 and str(n).strip("0") != "1"}


def copied_places(text, known):
    """(offset, what) of each address or frequency of a board."""
    text = STRING.sub(blank, COMMENT.sub(blank, text))
    for match in NUMBER.finditer(text):
        if int(match.group(1), 0) in known:
            yield match.start(), f"{match.group(1)} is a board's: use hal_map.h"
    for match in re.finditer(r"\*\s*125U?\s*/\s*3U?\b|\*\s*3U?\s*\+\s*124U?\b", text):
        yield match.start(), "arithmetic of 24 MHz: use hal_time.h"


def facts(root):
    with open(os.path.join(root, "tile/include/tile_events.h"), encoding="utf-8") as handle:
        text = handle.read().replace("\\\n", "")
    text = re.sub(r",\s+", ", ", text)
    events = {ident: (int(number, 0), name) for ident, number, name in EVENT.findall(text)}
    constants = {}
    for name in ("tile_board.h", "tile_limits.h"):
        with open(os.path.join(root, "tile/include", name), encoding="utf-8") as handle:
            constants.update(CONSTANT.findall(handle.read()))
    if len(events) < 40 or "TILE_QUANTUM_MAX" not in constants:
        sys.exit("facts: tile/ has no table of events or no limits")
    return events, constants


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def copies(text, events, constants):
    """(offset, what) of each copy in a C file."""
    text = COMMENT.sub(blank, text)
    names = {name for _, name in events.values()} - COMMON
    strings = {value.strip('"') for value in constants.values() if value.startswith('"')}
    for match in STRING.finditer(text):
        if match.group(1) in names:
            yield match.start(), f'event name "{match.group(1)}": use its MPJ_ROW_ or MPJ_EVENT_'
        for known in strings:
            if re.search(rf"(?<![\w-]){re.escape(known)}(?![\w.-])", match.group(1)):
                yield match.start(), f'"{known}" is in tile/'
        if re.search(r"quantum|run apart|noise", match.group(1)) and re.search(r"default \d", match.group(1)):
            yield match.start(), "a default in a help text: use TILE_TEXT()"
    for match in NUMBERED.finditer(text):
        for ident, (number, _) in events.items():  # the clocks' names are common words
            if re.fullmatch(rf"(?:\w+_)?{ident}", match.group(1)) and int(match.group(2), 0) == number \
                    and not ident.endswith("CYCLES"):
                yield match.start(), f"number of event {ident}"
    step = int(constants["TILE_ADC_UV_PER_STEP"])
    scale = {step, int(constants["TILE_ADC_NA_PER_STEP"]), int(constants["TILE_ADC_PLL_NA_PER_STEP"])}
    scale |= {number // 1000 for number in scale if number % 1000 == 0}
    pattern = "|".join(sorted(rf"{number}(?:\.0)?(?:e-\d)?" for number in scale)) + r"|12\.2"
    code = STRING.sub(blank, text)
    for match in re.finditer(rf"(?<![\w.])(?:{pattern})[uUfF]?(?![\w.])", code):
        yield match.start(), f"scale of the ADC: {match.group()}"
    for pattern, what in ((SETTING, "a default"), (BOUND, "a bound"), (CORES, "number of cores")):
        for match in pattern.finditer(text):
            yield match.start(), f"{what}: use that of tile/"
    for match in re.finditer(r'"-smp";\s*\S+ = "\d|"-m";\s*\S+ = "\d', text):
        yield match.start(), "size of the machine"


def stated(text, constants):
    """(offset, what) where a document states another default or bound."""
    number = {"--quantum": "TILE_QUANTUM", "quantum=": "TILE_QUANTUM", "--seed": "TILE_SEED"}
    for match in re.finditer(r"(--quantum|quantum=|--seed)[^\n|]*?default (\d+)", text):
        if match.group(2) != constants[number[match.group(1)] + "_DEFAULT"]:
            yield match.start(), f"{match.group(1)}: default {match.group(2)}"
    for match in re.finditer(r"(?:--quantum|quantum=)[^\n]*?(\d+) to (\d+)", text):
        if match.groups() != (constants["TILE_QUANTUM_MIN"], constants["TILE_QUANTUM_MAX"]):
            yield match.start(), f"quantum {match.group(1)} to {match.group(2)}"
    for match in re.finditer(r"--calibration [^\n]*?default:? `?([a-z][\w-]*)", text):
        if f'"{match.group(1)}"' != constants["TILE_CALIBRATION_DEFAULT"]:
            yield match.start(), f"calibration: default {match.group(1)}"


def main(root):
    events, constants = facts(root)
    listing = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], check=True,
                             capture_output=True, text=True).stdout.splitlines()
    known_places = places(root)
    bad = files = 0
    for path in sorted(set(listing)):
        code = path.endswith((".c", ".h")) and path.startswith(ROOMS) and not APART.search(path)
        if not (code or path.startswith("docs/man/") or path == "sim/qemu/README.md"):
            continue
        if not os.path.exists(os.path.join(root, path)):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as handle:
            text = handle.read()
        files += 1
        found = list(copies(text, events, constants) if code else stated(text, constants))
        if SHARED.search(path):
            found += copied_places(text, known_places)
        for offset, what in found:
            line = text.count("\n", 0, offset) + 1
            print(f"{path}:{line}: {what}")
            bad += 1
    print(f"facts: {len(events)} events and {len(constants)} constants, {files} files, {bad} findings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
