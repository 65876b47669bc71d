#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts of the chip stand in tile/ and nowhere else, those of a board in its folder of hal/board/ and in the emulator's
machine: finds copies of event numbers and names, of the ADC's scale, of a board's name, size, frequencies, addresses
and channels, of defaults and bounds; host code that knows one board instead of reading what a board says of itself;
and manual pages that state others. Tests are not searched: what they expect is written down independently.

usage: facts.py ROOT   (exit status 1 and one line per finding)
"""
import math
import os
import re
import subprocess
import sys

ROOMS = ("apps/", "base/", "cli/", "firmware/", "hal/", "hil/", "link/", "log/", "models/", "report/", "run/", "batch/", "search/", "gate/", "project/", "sim/")
EVENT = re.compile(r'X\((\w+), (0x[0-9a-f]+|\d+), "(\w+)",')
CONSTANT = re.compile(r"^#define (TILE_\w+)\s+(\"[^\"]*\"|0x[0-9a-fA-F]+|\d+)", re.M)
# Names of events that mean other things as well: time on cores, a command, a key of a result, a format.
COMMON = {"cycles", "branch", "instr", "folded"}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NUMBERED = re.compile(r"\b(\w+?)(?:\s*=\s*|\s+)\(?(0x[0-9a-fA-F]+|\d+)[uU]?\)?\s*(?:[,}\n]|$)")
SETTING = re.compile(r"\b(quantum|seed|sample_us|adc_period_us)\s*=\s*[1-9]")
BOUND = re.compile(r'"--(?:quantum|rotate)",[^;]*?,\s*\d|"sample-ms",\s*\d')
CORES = re.compile(r"#define\s+\w*CORES(?:_MAX)?\s+\(?4[uU]?\b")
# The host knows bounds (*_MAX) and what a board says of itself (tile_machine.h), no board.
HOST = re.compile(r"^(?:base|cli|hil|link|log|models|report|run)/")
ONE_BOARD = re.compile(r"\bTILE_(?:CORES|RAM_MIB|NOR_\w+|ADC_\w+|PLATFORM)\b")
CHANNEL = re.compile(r"\b(?:cpu|pll)_[vi]\b")
EACH_CORE = re.compile(r"\bcore0\b.{1,40}\bcore1\b", re.S)
MASK = re.compile(r"\bcores_mask\b[^;\n]{0,30}?\b(?:0xf|15)[uU]?\b")
# Everywhere but in a board's folder and the emulator's machine: rates of clocks, addresses of devices.
BOARD_CODE = re.compile(r"^hal/board/|^sim/")
RATE = re.compile(r"(?<![\w.])(?:24000000|210000000|24e6|210e6)[uU]?(?![\w.])")
ADDRESS = re.compile(r"(?<!\w)0x1(?:0[01][0-9a-fA-F]{5}|f00[0-9a-fA-F]{4})[uU]?(?!\w)")
# Stores before version 8 had one board's channels as columns.
OLD_CHANNELS = {"report/store/check.c", "report/store/energy_read.c"}
# A data set of energy models has a column for each of TILE_CORES_MAX cores.
DATA_SET = "models/src/dataset_read.c"
# Programs that run on the chip, which print what they count; the self-test asks about the board.
# hal/fake describes the hardware a second time so that a driver fails against it. Headers of the C library
# have Linux's numbers.
APART = re.compile(r"^apps/(?!tools/(?!basis/))|^tests/programs/|^hal/fake/|^firmware/libc/include/")


# Firmware of every board.
SHARED = re.compile(r"^(firmware/(?!libc/include/)|hal/(include|io|soc|device)/|link/)")
# What puts programs and the loader into a board's memory, in whatever language.
PLACING = re.compile(r"^(firmware/loader/.*(?<!\.md)|hil/(src|include|openocd)/.*|scripts/first-install|cli/src/cmd_flash\.c)$")
HASH_COMMENT = re.compile(r"^[ \t]*#(?![ \t]*(?:define|if|el|en|inc)).*$|[ \t]#[ \t].*$|[ \t]@ .*$", re.M)
SIZE = re.compile(r"^#define BOARD_(RAM_BASE|RAM_BYTES|NOR0_BASE|NOR_BYTES|NOR_BANKS|DEVICES_BASE|DEVICES_BYTES)\s+"
                  r"([^/\n]+)", re.M)
HEX = re.compile(r"(?<!\w)(?<!& )0x([0-9a-fA-F]{7,8})[uU]?[lL]{0,2}(?!\w)")
PLACE = re.compile(r"^#define BOARD_\w+\s+(?:\(\w+ \+ )?(0x[0-9a-fA-F]{7,8}|\d{7,})[uU]?\b", re.M)
NUMBER = re.compile(r"(?<![\w.])(0x[0-9a-fA-F]{7,8}|[1-9]\d{4,})[uU]?[lL]{0,2}(?![\w.])")


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


def memories(root, constants):
    """Of each board its name and the ranges of its RAM, NOR flash and devices."""
    boards, ranges = [], []
    folder = os.path.join(root, "hal/board")
    for board in sorted(os.listdir(folder)):
        with open(os.path.join(folder, board, "include/hal_map.h"), encoding="utf-8") as handle:
            text = handle.read()
        size = {}
        for name, value in SIZE.findall(text):
            value = re.sub(r"TILE_\w+", lambda match: constants[match.group()], value)
            size[name] = math.prod(int(number, 0) for number in re.findall(r"0x[0-9a-fA-F]+|\d+", value))
        boards.append(board)
        ranges.append((size["RAM_BASE"], size["RAM_BYTES"]))
        ranges.append((size["DEVICES_BASE"], size["DEVICES_BYTES"]))
        if size["NOR_BANKS"]:
            ranges.append((size["NOR0_BASE"], size["NOR_BANKS"] * size["NOR_BYTES"]))
    return boards, ranges


def placed(text, boards, ranges):
    """(offset, what) of each address in a board's memory, and of each board's name. Eight digits are an address,
    fewer are one from 16 MB on; pages have addresses of this kind, magic numbers and masks have not."""
    text = HASH_COMMENT.sub(blank, COMMENT.sub(blank, text))
    for match in HEX.finditer(text):
        number = int(match.group(1), 16)
        if (len(match.group(1)) == 8 or number >= 0x1000000) and number >= 0x100000 and number % 0x1000 == 0 \
                and any(base <= number < base + size for base, size in ranges):
            yield match.start(), f"{match.group()} is in a board's memory: its hal_map.h or machine.bin has it"
    for match in re.finditer(rf"(?<![\w-])({'|'.join(boards)})(?![\w-])", text):
        yield match.start(), f"{match.group()} is one board: BOARD_NAME has it, or machine.bin"


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


def boards(path, text):
    """(offset, what) where code outside of a board's folder knows a board."""
    text = COMMENT.sub(blank, text)
    if not BOARD_CODE.search(path):
        for pattern, what in ((RATE, "rate of a clock"), (ADDRESS, "address of a device")):
            for match in pattern.finditer(STRING.sub(blank, text)):
                yield match.start(), f"{what}, {match.group()}: hal_map.h of the board has it, the host reads it"
    if not HOST.search(path):
        return
    for match in ONE_BOARD.finditer(text):
        yield match.start(), f"{match.group()} is one board's: read tile_machine.h's description"
    for match in EACH_CORE.finditer(text) if path != DATA_SET else ():
        yield match.start(), "a list of cores: as many as TILE_CORES_MAX says"
    for match in MASK.finditer(text):
        yield match.start(), "a mask of four cores"
    for match in CHANNEL.finditer(text) if path not in OLD_CHANNELS else ():
        yield match.start(), f"power channel {match.group()} of one board"


def copies(path, text, events, constants):
    """(offset, what) of each copy in a C file."""
    text = COMMENT.sub(blank, text)
    names = {name for _, name in events.values()} - COMMON
    strings = {value.strip('"') for value in constants.values() if value.startswith('"')}
    for match in STRING.finditer(text):
        if match.group(1) in names:
            yield match.start(), f'event name "{match.group(1)}": use its MPJ_ROW_ or MPJ_EVENT_'
        for known in strings:
            if re.search(rf"(?<![\w-]){re.escape(known)}(?![\w.-])", match.group(1)) and not path.startswith("hal/board/"):
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
    memory = memories(root, constants)
    bad = files = 0
    for path in sorted(set(listing)):
        code = path.endswith((".c", ".h")) and path.startswith(ROOMS) and not APART.search(path)
        places_it = PLACING.search(path)
        if not (code or places_it or path.startswith("docs/man/") or path == "sim/qemu/README.md"):
            continue
        if not os.path.exists(os.path.join(root, path)):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as handle:
            text = handle.read()
        files += 1
        found = list(copies(path, text, events, constants) if code else () if places_it else stated(text, constants))
        if code:
            found += boards(path, text)
        if places_it:
            found += placed(text, *memory)
        if SHARED.search(path) or places_it:
            found += copied_places(text, known_places)
        for offset, what in found:
            line = text.count("\n", 0, offset) + 1
            print(f"{path}:{line}: {what}")
            bad += 1
    print(f"facts: {len(events)} events and {len(constants)} constants, {files} files, {bad} findings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
