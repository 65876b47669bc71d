#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What may run on a virgin tile, at the other end of a pseudo-terminal: a monitor that deposits words,
a YMODEM receiver (lrzsz's rb), or nothing; and then, in the emulator, what it was told to run.

usage: monitor.py MODE LINK DIR QEMU [qemu options...]
  MODE   boot-monitor | deaf | forgetful | ymodem | garbled | run
  LINK   symbolic link to the pseudo-terminal; DIR: for files
forgetful: one word of those deposited is kept wrong. garbled: ymodem, and one byte
from the emulator is lost. run: DIR/image is started at once.
The emulator is started with -kernel DIR/image (the bytes that were received), its line is the
pseudo-terminal. Goes on when it has ended, until SIGTERM: what it said last may be unread.
"""
import atexit
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tty


def receive(master, folder):
    """rb behind pipes: right after each of its calls it flushes the terminal it reads from, and the sender's
    answer, which no serial line would bring that fast, with it."""
    rb = subprocess.Popen(["rb", "--ymodem", "--binary"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, cwd=folder)
    while True:
        ready = select.select([master, rb.stdout], [], [])[0]
        if rb.stdout in ready:
            data = os.read(rb.stdout.fileno(), 4096)
            if not data:
                break
            os.write(master, data)
        if master in ready:
            os.write(rb.stdin.fileno(), os.read(master, 4096))
    if rb.wait() != 0:
        sys.exit("rb failed")


def main():
    mode, link, folder, qemu = sys.argv[1:5]
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.symlink(os.ttyname(slave), link + ".new")
    os.replace(link + ".new", link)
    image = os.path.join(folder, "image")
    print("ready", flush=True)

    def say(text):
        os.write(master, text.encode())

    if mode == "deaf":
        while True:
            os.read(master, 4096)
    if mode in ("boot-monitor", "forgetful"):
        memory = {}
        debug = False
        command = b""
        while True:
            c = os.read(master, 1)
            say(c.decode("latin1"))  # it echoes
            if c != b"\r":
                command += c
                continue
            words = command.decode("latin1").split()
            command = b""
            say("\n")
            if words == ["DEBUG"]:
                debug = True
            elif debug and words[:1] == ["DEPOSIT"] and words[3:] == ["WORD"]:
                memory[int(words[1], 16)] = int(words[2], 16)
                if mode == "forgetful" and len(memory) == 777:
                    memory[int(words[1], 16)] ^= 0x10
            elif debug and words[:1] == ["EXAMINE"]:
                say(f"0x{int(words[1], 16):08X} 0x{memory.get(int(words[1], 16), 0):08X}\r\n")
            elif debug and words[:1] == ["GO"]:
                break
            elif words:
                say("Unknown command\r\n")
            say("Debug> " if debug else "> ")
        first = int(words[1], 16)
        with open(image, "wb") as f:
            f.write(b"".join(memory[a].to_bytes(4, "little") for a in range(first, first + 4 * len(memory), 4)))
    elif mode in ("ymodem", "garbled"):
        # The receiver is started by a word, as in monitors that have one.
        text = b""
        while not re.search(rb"loady\r", text):
            text += os.read(master, 1)
        before = set(os.listdir(folder))
        receive(master, folder)
        (name,) = set(os.listdir(folder)) - before
        os.rename(os.path.join(folder, name), image)
        text = b""
        while not re.search(rb"go\r", text):
            text += os.read(master, 1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what follows ends the emulator, too
    child = subprocess.Popen([os.environ["LEASH"], str(os.getpid()), qemu, *sys.argv[5:], "-kernel", image,
                              "-serial", "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(child.wait)  # after the other: its files are the next one's
    atexit.register(child.kill)
    os.set_blocking(child.stdin.fileno(), False)
    passed = 0
    while True:
        ready = select.select([master, child.stdout], [], [])[0]
        if master in ready:
            os.write(child.stdin.fileno(), os.read(master, 256))
        if child.stdout in ready:
            data = os.read(child.stdout.fileno(), 4096)
            if not data:
                break
            passed += len(data)
            if mode == "garbled" and passed > 100000 and data.strip():
                at = len(data.rstrip()) - 1  # a line's end may be missing without harm
                data = data[:at] + data[at + 1:]
                mode = "ymodem"
            os.write(master, data)
    child.wait()
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
