#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Bare-metal tests of the emulated devices: runs QEMU directly, without the firmware.

usage: devices.py monitors|unmapped|flash|uart|saved|options
"""
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../harness")
from harness import CALIBRATION, QEMU, call, check, finish, load, must  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-mcpu=mpcore", "-marm", "-std=gnu11", "-O1", "-ffreestanding", "-nostdlib", "-Wall", "-Wextra", "-Werror",
         "-fno-tree-loop-distribute-patterns", "-Wl,--no-warn-rwx-segments"]
LIMIT_S = 100  # for what takes a moment, also on a loaded machine


def expect(name, value, want):
    check(want(value) if callable(want) else value == want,
          f"{name} is {value}" + ("" if callable(want) else f", expected {want}"))


def between(low, high):
    return lambda value: value is not None and low <= value <= high


def listen(path):
    """For the emulator to connect to: what it serves itself need not be there yet when one looks for it."""
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.settimeout(LIMIT_S)
    listener.bind(path)
    listener.listen(1)
    return listener


class Machine:
    """One run of a program; the host's end of UART0 is self.peer."""

    def __init__(self, name, extra=(), properties="", model=True):
        elf = os.path.join(TMP, name + ".elf")
        if not os.path.exists(elf):
            must("arm-none-eabi-gcc", *FLAGS, "-T", os.path.join(HERE, "bare.ld"),
                 *[os.path.join(HERE, f) for f in ("start.S", "bare.c", name + ".c")], "-lgcc", "-o", elf)
        self.truth = os.path.join(TMP, name + ".truth")
        if os.path.exists(self.truth):
            os.unlink(self.truth)
        path = os.path.join(TMP, "socket")
        listener = listen(path)
        self.process = subprocess.Popen(
            [QEMU, "-M", "realview-eb-mpcore" + (f",calibration={CALIBRATION},truth={self.truth}" if model else "") + properties,
             "-smp", "4", "-m", "256", "-kernel", elf, "-icount", "shift=0,sleep=off", "-display", "none",
             "-monitor", "none", "-nodefaults", "-no-reboot", "-serial", "unix:" + path, *extra],
            stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        self.peer = listener.accept()[0]
        self.peer.settimeout(LIMIT_S)
        listener.close()
        self.output = b""

    def read(self, until=None):
        while until is None or not self.output.endswith(until):
            data = self.peer.recv(4096)
            if not data:
                break
            self.output += data
        return self.output

    def end(self):
        error = self.process.communicate(timeout=LIMIT_S)[1]
        self.peer.close()
        return self.process.returncode, error

    def values(self):
        pairs = (line.split(" ") for line in self.output.decode().splitlines())
        return {p[0]: int(p[1]) for p in pairs if len(p) == 2}


def monitors():
    outputs = []
    for properties in ("", ",fastpath=off"):
        m = Machine("monitors", properties=properties)
        m.read()
        expect("exit", m.end(), (0, ""))
        outputs.append(m.output)
    expect("helper path and fast path agree", outputs[0] == outputs[1], True)
    v = m.values()
    for core in range(4):
        want = {"pmnc_reset_": 0, "actlr_reset_": 0xf, "instructions_": 101, "branches_": 50, "held_": 1, "reset_p_": 1,
                "reset_c_": 0, "pmnc_kept_": 1, "divider_": 1, "flags_": 1, "wrapped_": 1, "flags_cleared_": 0,
                "no_interrupt_": 0, "ccnt_irq_": 49 + core, # The other cores poll memory without caches and slow the handler down.
                "ccnt_late_": between(0, 10000), "pmn0_irq_": 49 + core, "irqs_": 2}
        for name, value in want.items():
            expect(f"{name}{core}", v.pop(f"{name}{core}", None), value)
    want = {"scu_config": 0x5503, "scu_config_smp": 0x5513, "cpu_status": 0xa8, "cpu_status_byte": 0, "selectors": 0x1f1f,
            "scu_same_event": 1, "scu_held": 1, "scu_flags": 0x80, "scu_flags_cleared": 0, "mn0_irq": 53, "mn7_irq": 60,
            "scu_reset_all": 0, "l220_id": 0x41000080, "l220_counts": 1, "l220_held": 1, "l220_irq": 61, "l220_cleared": 0,
            "timer_rate": 1, "watchdog_ticks": 1, "prescaler": 1, "clock_24mhz": 1, "timer_irq": 29, "watchdog_irq": 30,
            "dac": 0x5a, "processor_uv": between(1225000, 1240000), "processor_ua": between(300000, 600000),
            "pll_uv": between(1240000, 1245000), "pll_step_na": between(18000000, 20000000), "still_here": 1}
    for name, value in want.items():
        expect(name, v.pop(name, None), value)
    expect("unexpected values", v, {})


def unmapped():
    """Without MMU code is cached and data are not, whichever access to their page came first."""
    for properties in ("", ",fastpath=off"):
        m = Machine("unmapped", properties=properties)
        m.read()
        expect("exit", m.end(), (0, ""))
        v = m.values()
        for first in ("code", "data"):
            expect(f"code after {first}", v.get(f"code_after_{first}"), between(8, 60))
            expect(f"data after {first}", v.get(f"data_after_{first}"), between(800, 10000))


def flash():
    image = os.path.join(TMP, "nor.bin")
    with open(image, "wb") as handle:
        handle.truncate(64 << 20)
    drive = ["-drive", f"if=pflash,format=raw,file={image}"]
    want = {"query": 1, "chip_bytes_log2": 25, "sectors": 256, "sector_bytes": 128 << 10, "vpp_off_erase": 0x00a800a8,
            "vpp_off_program": 0x00980098, "vpp": 1, "erase": 0x00800080, "erased": 1, "program": 0x00800080,
            "clears_only": 0x12005678, "execute": 42}
    for found in (0, 0xe3a0002a):  # the second run finds what the first one wrote
        m = Machine("flash", extra=drive)
        m.read()
        expect("exit", m.end(), (0, ""))
        v = m.values()
        expect("found", v.pop("found", None), found)
        expect("values", v, want)
    with open(image, "rb") as handle:
        head = handle.read(16)
        handle.seek(256 << 10)
        after = handle.read(4)
    expect("file", head.hex(), "785600122a00a0e31eff2fe1ffffffff")
    expect("file after the sector", after.hex(), "00000000")
    m = call(QEMU, "-M", "realview-eb-mpcore", "-display", "none", "-drive",
             f"if=pflash,format=raw,file={os.path.join(HERE, 'bare.c')}")
    expect("a file of another size is refused", m.returncode, 1)


def uart():
    # The same bytes at any speed: the same output and the same truth.
    results = []
    for delay in (0, 0.003):
        m = Machine("uart")
        m.read(b"visible_before 0\n")
        for byte in b"hello\nworld\nq\n":
            m.peer.send(bytes([byte]))
            time.sleep(delay)
        m.read()
        expect("exit", m.end(), (0, ""))
        t = load(m.truth)
        expect("windows", t["windows"], 1)
        results.append((m.output, json.dumps(t)))
    expect("independent of the host's speed", results[0] == results[1], True)
    expect("echo", b"hello" in m.output and b"world" in m.output, True)
    expect("never visible without waiting", b"visible_without_waiting" in m.output, False)
    expect("polls", m.values().get("polls"), 0)

    # Every way to end leaves a truth file, its window closed.
    m = Machine("uart")
    m.read(b"visible_before 0\n")
    m.peer.close()
    m.process.wait(timeout=LIMIT_S)
    expect("windows after the peer has gone", load(m.truth)["windows"], 1)
    m = Machine("uart")
    m.read(b"visible_before 0\n")
    m.process.send_signal(signal.SIGTERM)
    m.process.wait(timeout=LIMIT_S)
    expect("windows after SIGTERM", load(m.truth)["windows"], 1)
    expect("left-over files", [f for f in os.listdir(TMP) if ".truth." in f], [])


def command(monitor, line=None):
    """A line for QEMU's monitor (None: none); its answer, up to the next prompt."""
    if line is not None:
        monitor.sendall(line.encode() + b"\n")
    answer = b""
    while not answer.endswith(b"(qemu) "):
        data = monitor.recv(4096)
        if not data:
            break
        answer += data
    return answer.decode(errors="replace")


def saved():
    state = os.path.join(TMP, "state")
    path = os.path.join(TMP, "monitor")

    def machine(**kinds):
        listener = listen(path)
        m = Machine("saved", extra=["-monitor", "unix:" + path, *kinds.pop("extra", ())], **kinds)
        monitor = listener.accept()[0]
        listener.close()
        monitor.settimeout(LIMIT_S)
        if "properties" not in kinds:  # else it ends at once
            command(monitor)  # the greeting
        return m, monitor

    m, monitor = machine()
    m.read(b"waiting_0 1\n")
    for core in range(4):
        command(monitor, "stop")
        command(monitor, f'migrate "exec:cat >{state}"')
        expect(f"saved at core {core}", "completed" in command(monitor, "info migrate"), True)
        command(monitor, "quit")
        monitor.close()
        expect("exit", m.end(), (0, ""))
        m, monitor = machine(extra=["-incoming", f"exec:cat {state}"])
        while "inmigrate" in command(monitor, "info status"):
            time.sleep(0.01)
        command(monitor, "cont")
        m.peer.send(b"x")
        m.read(f"waiting_{core + 1} 1\n".encode() if core < 3 else None)
        v = m.values()
        want = {"pmnc_": 0x0120b048 + 0x1000 * core, "ccnt_": 0xc0000000 + core, "pmn0_": 0xa0000000 + core,
                "pmn1_": 0xb0000000 + core, "actlr_": 0xf, "polls_": 0}
        for name, value in want.items():
            expect(f"{name}{core}", v.get(f"{name}{core}"), value)
        want = {"scu_status": 0xa8, "scu_control": 0xa500, "scu_events_low": 0x07060504, "scu_events_high": 0x0b0a0908,
                "scu_first": 0x1000, "scu_last": 0x1007, "l220_config0": 3 << 2, "l220_config1": 8 << 2 | 1,
                "l220_count0": 0x2000, "l220_count1": 0x2001, "l220_mask": 0x155, "leds": 0x5a}
        for name, value in want.items():
            expect(f"{name} at core {core}", v.get(name), value)
    monitor.close()
    expect("exit", m.end(), (0, ""))

    # Into another machine: refused, and why.
    for properties, words in ((",seed=2", "another seed"), (",quantum=499", "has quantum=500,model=full"),
                              (",model=time", "has quantum=500,model=full")):
        m, monitor = machine(properties=properties, extra=["-incoming", f"exec:cat {state}"])
        monitor.close()
        status, error = m.end()
        expect(f"status with '{properties}'", status, 1)
        expect(f"message with '{properties}': {error!r}", words in error, True)


def options():
    def refused(properties, words, flags=("-icount", "shift=0,sleep=off")):
        run = call(QEMU, "-M", "realview-eb-mpcore" + properties, "-display", "none", *flags, timeout=LIMIT_S)
        expect(f"status of '{properties}'", run.returncode, 1)
        expect(f"message of '{properties}': {run.stderr!r}", words in run.stderr and run.stderr.count("\n") == 1, True)

    calibration = ",calibration=" + CALIBRATION
    refused(calibration + ",quantum=0", "1 to 8192")
    refused(calibration + ",quantum=8193", "1 to 8192")
    refused(calibration + ",model=half", "full or time")
    refused(",calibration=/nowhere/x.conf", "/nowhere/x.conf")
    refused(",truth=t.json", "calibration=")
    refused(calibration, "-icount", flags=())


with tempfile.TemporaryDirectory() as TMP:
    {"monitors": monitors, "unmapped": unmapped, "flash": flash, "uart": uart, "saved": saved,
     "options": options}[sys.argv[1]]()
sys.exit(finish())
