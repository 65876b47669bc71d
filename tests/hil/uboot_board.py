#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A board that runs U-Boot: the distribution's, in the distribution's QEMU, on a Unix socket.

usage: uboot_board.py SOCKET [--late S] [--log] [--no-echo] [--cut BYTES] [--dumb] -- QEMU ARGUMENTS...
  --late S     switches on after S seconds
  --log        prints a boot log first, with the prompt's text in it
  --no-echo    the console does not echo what is typed
  --cut BYTES  the supply fails after so many bytes to the board
  --dumb       prints a login prompt instead of starting U-Boot
  --garbage    prints what is no text instead of starting U-Boot
"""
import argparse
import contextlib
import ctypes
import os
import selectors
import signal
import socket
import subprocess
import sys
import time

LOG = [b"\r\nROM 1.0\r\n=> ", b"=> hang\r\n", b"map 0x0 => 0x4000\r\n=> \x1b[1m", b"\x1b[0m\r\nramdisk ==> \r\n=> \r\n",
       b"no autoboot here\r\n"]


class Echo:
    """What was typed and comes back; nothing during a transfer."""

    def __init__(self):
        self.typed = b""
        self.seen = b""
        self.transfer = False

    def type(self, data):
        if not self.transfer:
            self.typed += bytes(b for b in data if b >= 32)

    def strip(self, data):
        out = b""
        for byte in data:
            self.seen = (self.seen + bytes([byte]))[-40:]
            if b"download to" in self.seen:
                self.transfer = True
                self.typed = b""
            if b"Start Addr" in self.seen or b"aborted" in self.seen:
                self.transfer = False
            if self.typed and byte == self.typed[0]:
                self.typed = self.typed[1:]
            else:
                if byte == 10:
                    self.typed = b""
                out += bytes([byte])
        return out


def relay(line, board, options):
    echo = Echo()
    sent = 0
    wait = selectors.DefaultSelector()
    wait.register(line, selectors.EVENT_READ)
    wait.register(board.stdout, selectors.EVENT_READ)
    while True:
        for key, _ in wait.select():
            if key.fileobj is line:
                data = line.recv(4096)
                if not data:
                    return
                if options.cut and sent + len(data) >= options.cut:
                    board.kill()
                    return
                sent += len(data)
                echo.type(data)
                os.write(board.stdin.fileno(), data)
            else:
                data = os.read(board.stdout.fileno(), 4096)
                if not data:
                    return
                line.sendall(echo.strip(data) if options.no_echo else data)


def instead(line, text):
    """Prints it for every byte that comes."""
    line.sendall(text * 20)
    while line.recv(4096):
        line.sendall(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("socket")
    parser.add_argument("--late", type=float, default=0)
    parser.add_argument("--log", action="store_true")
    parser.add_argument("--no-echo", action="store_true")
    parser.add_argument("--cut", type=int, default=0)
    parser.add_argument("--dumb", action="store_true")
    parser.add_argument("--garbage", action="store_true")
    parser.add_argument("qemu", nargs="+")
    options = parser.parse_args()
    line = socket.socket(socket.AF_UNIX)
    line.connect(options.socket)
    time.sleep(options.late)
    if options.dumb:
        return instead(line, b"\r\nOX820 # ")
    if options.garbage:
        return instead(line, bytes(range(128, 256)))
    if options.log:
        for part in LOG:
            line.sendall(part)
            time.sleep(0.4)
    with subprocess.Popen(options.qemu, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL)) as board:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            relay(line, board, options)
        board.kill()
    return None


if __name__ == "__main__":
    sys.exit(main())
