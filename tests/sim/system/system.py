#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""System code that the firmware does not use: address spaces, faults in the middle of instructions, domains,
User mode, code that is written. The programs here (test_*.c) check themselves; in every mode of the emulator
they must find nothing wrong.

usage: system.py [CORES [PROPERTIES]]

  PROPERTIES of the machine beside the calibration, such as quantum=1,fastpath=off; none: no calibration, and
  without -icount: QEMU's own scheduler lets one core run until the next timer is due, so a core that sets its timer
  in each tick gets nothing else done while another one waits for it. The host's time is no time for such ticks, so
  there are none.
"""
import glob
import os
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../harness")
from harness import CALIBRATION, QEMU, call, check, finish, must  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-mcpu=mpcore", "-mfpu=vfpv2", "-mfloat-abi=soft", "-marm", "-std=gnu11", "-O1", "-ffreestanding", "-nostdlib",
         "-Wall", "-Wextra", "-Werror", "-fno-tree-loop-distribute-patterns", "-Wl,--no-warn-rwx-segments"]
TESTS = 40  # of each core alone


NO_TICKS = "-DTICKS=0"


def run(elf, cores, properties):
    icount = ["-icount", "shift=0,sleep=off"] if properties else []
    done = call(QEMU, "-M", "realview-eb-mpcore" + properties, "-smp", cores, "-m", "256", "-kernel", elf, *icount,
                "-display", "none", "-monitor", "none", "-nodefaults",
                "-no-reboot", "-serial", "stdio", stdin=-3)
    check(done.returncode == 0, f"exit status {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def main():
    cores = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    said = sys.argv[2] if len(sys.argv) > 2 else ""
    model = said != "none"
    properties = f",calibration={CALIBRATION}{',' * bool(said)}{said}" if model else ""
    with tempfile.TemporaryDirectory() as folder:
        elf = os.path.join(folder, "system.elf")
        must("arm-none-eabi-gcc", *FLAGS, *([] if model else [NO_TICKS]), "-Wa,--no-warn", "-T", os.path.join(HERE, "system.ld"),
             *sorted(glob.glob(f"{HERE}/*.[cS]")), "-lgcc", "-o", elf)
        lines = run(elf, cores, properties)
        for line in lines:
            check(line.startswith("ok ") or line == "end", line)
        count = sum(line.startswith("ok ") for line in lines)
        check(count == cores * TESTS + 1, f"{count} tests have passed, not {cores * TESTS + 1}")
        check(lines[-1:] == ["end"], "the program has not come to its end")
    return finish(f"{count} tests, {cores} cores {said}".rstrip())


if __name__ == "__main__":
    sys.exit(main())
