#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An interrupted night leaves no process behind, whose later acts would be another round's faults.

usage: night_ends.py
"""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import check, finish  # noqa: E402

NIGHT = f"{os.path.dirname(os.path.abspath(__file__))}/night"
MARK = f"MPJ_NIGHT={os.getpid()}"


def marked():
    """Names of the processes that have the mark in their environment."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/environ", "rb") as handle:
                if MARK.encode() in handle.read().split(b"\0"):
                    with open(f"/proc/{number}/comm", encoding="utf-8") as name:
                        found.append(name.read().strip())
        except OSError:
            pass  # gone, or another user's
    return found


def until(wanted, seconds):
    """Waits until it is true of the marked processes; returns them."""
    end = time.monotonic() + seconds
    while not wanted(now := marked()) and time.monotonic() < end:
        time.sleep(0.1)
    return now


for number in (signal.SIGINT, signal.SIGTERM):
    with subprocess.Popen([NIGHT, "--hours", "1", "--jobs", "2", "--only", "line,results"], text=True,
                          env=os.environ | dict([MARK.split("=")]), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as night:
        began = until(lambda now: now.count("mpjoule") >= 2, 300)
        check(began.count("mpjoule") >= 2, f"no rounds: {began}")
        time.sleep(1)  # well into a round
        night.send_signal(number)
        out, err = night.communicate(timeout=300)
    check(night.returncode == 0 and "| signals to commands that replace a result | 0 | 0 |" in out, f"{number}: {night.returncode}, {out}")
    check(err == "interrupted in a round of seed 1\n", f"{number}: {err}")
    left = until(lambda now: not now, 3)  # killed, and gone as soon as the machine finds time for it
    check(not left, f"{number}: left: {left}")
sys.exit(finish("interrupted nights"))
