#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine that is saved and loaded into another emulator, over and over, gives the same run.

usage: saved.py SAVES APP.elf [ARGS]

Runs the program twice, the second time with this script in the place of the emulator: it passes
the line on and every now and then stops the machine, saves it, ends it and loads the next one.
Counters, ADC, truth and output must be the same to the last byte. At least SAVES machines must have
been saved; where this machine is too fast for that, they are saved more often.
"""
import fcntl
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, QEMU, must  # noqa: E402

MOST, FOREVER = 8, 1e9
INTERVALS = 0.04, 0.02, 0.01, 0.005, 0.0025  # seconds between two saves; half of it before the first


class Emulator:
    """One machine; self.line is the other end of its serial line."""

    def __init__(self, arguments, folder, state=None):
        line, monitor = os.path.join(folder, "line"), os.path.join(folder, "monitor")
        listeners = [self.listen(path) for path in (line, monitor)]
        arguments = [re.sub("path=[^,]*", "path=" + line, a) if a.startswith("socket,id=line") else a for a in arguments]
        at = arguments.index("-monitor")
        arguments[at + 1] = f"unix:{monitor}"
        if state:
            arguments += ["-incoming", f"exec:cat {state}"]
        self.process = subprocess.Popen([os.environ["SAVED_QEMU"], *arguments], stdin=subprocess.DEVNULL)
        # The emulator connects to both: a monitor that it serves may not be there yet.
        self.line, self.monitor = (listener.accept()[0] for listener in listeners)
        self.monitor.settimeout(60)
        for listener in listeners:
            listener.close()
        self.command()

    @staticmethod
    def listen(path):
        if os.path.exists(path):
            os.unlink(path)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(1)
        listener.settimeout(60)
        return listener

    def command(self, line=None):
        if line:
            self.monitor.sendall(line.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"(qemu) "):
            data = self.monitor.recv(4096)
            if not data:
                raise EOFError("the emulator closed its monitor")
            answer += data
        return answer.decode(errors="replace")

    def unread(self):
        return int.from_bytes(fcntl.ioctl(self.line, termios.TIOCOUTQ, bytes(4)), sys.byteorder)


def received(line):
    """What the other end sent, nothing once it has closed (an end with unread bytes resets the line)."""
    try:
        return line.recv(65536)
    except ConnectionResetError:
        return b""


def sent(line, data):
    """Whether the other end still takes data."""
    try:
        line.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


def save(machine, state):
    """Whether the machine was stopped and saved; its program may end before, and with it the emulator."""
    try:
        machine.command("stop")
        machine.command(f'migrate "exec:cat >{state}"')
        status = machine.command("info migrate")
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return False
    if "completed" not in status:
        sys.exit("not saved: " + status)
    machine.monitor.sendall(b"quit\n")
    return True


def emulator(arguments):
    saves = 0
    interval = float(os.environ["SAVED_INTERVAL"])
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "state")
        chardev = arguments[arguments.index("-chardev") + 1]
        host = socket.socket(socket.AF_UNIX)
        host.connect(re.search("path=([^,]*)", chardev)[1])
        machine = Emulator(arguments, folder)
        signal.signal(signal.SIGTERM, lambda *_: machine.process.terminate())
        due = FOREVER  # until the program is there: the host does not wait for ever
        ended = False
        while not ended:
            ready = select.select([host, machine.line], [], [], max(0, due - time.monotonic()))[0]
            if machine.line in ready:
                data = received(machine.line)
                ended = not data or not sent(host, data)
                if due == FOREVER and saves == 0:
                    due = time.monotonic() + interval / 2
            if host in ready:
                data = received(host)
                ended = ended or not data
                sent(machine.line, data)  # a machine that has ended needs it no more
            if time.monotonic() < due or ended:
                continue
            # What has been sent belongs to the machine: it must have got it.
            if machine.unread():
                time.sleep(0.001)
                continue
            saved = save(machine, state)
            while data := received(machine.line):
                sent(host, data)
            if not saved:
                break
            machine.process.wait(timeout=60)
            machine.line.close()
            machine.monitor.close()
            machine = Emulator(arguments, folder, state)
            while "inmigrate" in machine.command("info status"):
                time.sleep(0.002)
            machine.command("cont")
            saves += 1
            # On a loaded machine a program comes to its end in fewer, longer pieces only.
            due = time.monotonic() + interval if saves < MOST else FOREVER
        machine.line.close()
        machine.process.wait(timeout=60)
    with open(os.environ["SAVED_COUNT"], "w", encoding="utf-8") as out:
        out.write(str(saves))
    return machine.process.returncode


def run(folder, program, variables):
    """What the run prints and its JSON, without the checksum of the emulator: this script is one of the two."""
    json = os.path.join(folder, "run.json")
    done = must(MPJOULE, "run", "-o", os.path.join(folder, "run.mpj"), "--json", json, program[0], "--", *program[1:],
                env=os.environ | variables)
    with open(json, encoding="utf-8") as handle:
        lines = [line for line in handle if '"emulator_sha256"' not in line]
    return done.stdout, "".join(lines)


def test(least, *program):
    with tempfile.TemporaryDirectory() as folder:
        count = os.path.join(folder, "count")
        whole = run(folder, program, {})
        for interval in INTERVALS:
            saved = run(folder, program, {"MPJOULE_QEMU": os.path.abspath(__file__), "SAVED_QEMU": QEMU,
                                           "SAVED_COUNT": count, "SAVED_INTERVAL": str(interval),
                                           "MPJOULE_SANDBOX": "off"})  # exec: is a process of its own
            with open(count, encoding="utf-8") as handle:
                saves = int(handle.read())
            print(f"{saves} machines saved, one every {interval} s, {len(saved[1])} bytes of JSON")
            ones, others = ("\n".join(result).splitlines() for result in (whole, saved))
            wrong = [pair for pair in zip(ones, others) if pair[0] != pair[1]]
            for one, other in wrong:
                print("-", one, "\n+", other)
            if wrong or len(ones) != len(others):
                return 1
            if saves >= int(least):
                return 0
    return 1


if "SAVED_QEMU" in os.environ:
    sys.exit(emulator(sys.argv[1:]))
sys.exit(test(*sys.argv[1:]))
