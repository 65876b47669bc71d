#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a power monitor like an INA226 shows of a run on an emulated board that has none: the emulator's truth of the same
program, read before, sampled every 0.28 ms in steps of 1.25 mV and 0.25 mA with noise, and a little of the time before and after.
For `mpjoule run --meter`: prints all lines at once.
usage: ina226.py TRUTHS [FAULT]    TRUTHS: JSON, {store: [seconds, watts]}    FAULT: unit, twice, words, micro, flat, ended"""
import json
import os
import random
import signal
import sys

LSB_V, LSB_A = 1.25e-3, 0.25e-3
PERIOD, BEFORE, AFTER = 0.28e-3, 0.3, 0.2
VOLTS, IDLE_W, OTHERS_W = 1.2, 0.25, 0.4  # of the core's supply; in the loader; what else the board draws
HEADS = {"unit": "time:s core:V core:furlong board:mW", "twice": "time:s core:V core:A core:A board:mW",
         "micro": "time:s core:V core:A board:mW"}


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        truths = json.load(f)
    fault = (sys.argv[2:] or [""])[0]
    name = os.path.basename(os.environ["MPJOULE_STORE"]).rsplit(".", 1)[0]
    seconds, watts = truths.get(name) or truths.get(name.rsplit(".", 1)[0]) or truths["others"]
    noise = random.Random(name)
    start = noise.uniform(10, 1000)
    lines = [HEADS.get(fault, "time:s core:V:0.1% core:mA:0.1% board:mW")]
    unit = 1e6 if fault == "micro" else 1e3
    for k in range(int((BEFORE + seconds + AFTER) / PERIOD)):
        t = k * PERIOD - BEFORE
        true = watts if 0 <= t < seconds and fault != "flat" else IDLE_W
        volts = round((VOLTS + noise.gauss(0, 0.5e-3)) / LSB_V) * LSB_V
        amps = round((true / VOLTS + noise.gauss(0, 1e-3)) / LSB_A) * LSB_A
        board = round((true / 0.85 + OTHERS_W) / (25 * LSB_V * LSB_A)) * 25 * LSB_V * LSB_A
        lines.append(f"{start + t:.6f} {volts:.5f} {amps * unit:.2f} {board * 1e3:.3f}")
    if fault == "words":
        lines[100] = lines[100].rsplit(" ", 1)[0] + " overload"
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
    if fault == "ended":
        sys.exit("the bus does not answer")
    signal.pause()


if __name__ == "__main__":
    main()
