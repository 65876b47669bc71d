#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program without the host: text on the UART of our emulator and of Debian's, which has no model of the chip.

usage: text.py   (environment: as harness.sh)
"""
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPJOULE = os.environ.get("MPJOULE", str(ROOT / "build/mpjoule"))
QEMU = os.environ.get("QEMU", str(ROOT / "build/sim/qemu-system-arm"))
STOCK = "/usr/bin/qemu-system-arm"
INVITATION = b"mpjoule: waits for the host; Enter starts the program, with its output as text\r\n"

PROGRAM = r"""
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *work(void *arg)
{
    return (void *)((long)arg * 2);
}

int main(int argc, char **argv)
{
    pthread_t t[8];
    void *r;
    long sum = 0;

    (void)argv;
    for (long i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 8; i++) {
        pthread_join(t[i], &r);
        sum += (long)r;
    }
    printf("argc %d, sum %ld, processors %ld\n", argc, sum, sysconf(_SC_NPROCESSORS_ONLN));
    printf("input ends: %d\n", getchar() == EOF);
    printf("file: %s\n", fopen("x", "r") == NULL ? strerror(errno) : "there");
    fprintf(stderr, "to stderr\n");
#ifdef FAULT
    *(volatile int *)0 = 1;
#elif defined DEADLOCK
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
#elif defined FOREVER
    for (;;) {
        printf("again\n");
        usleep(10000);
    }
#endif
    printf("no line end");
    return 3;
}
"""
OUTPUT = (b"argc 1, sum 56, processors 4\r\ninput ends: 1\r\nfile: Function not implemented\r\n"
          b"to stderr\r\n")


class Board:
    """An emulator with a program, and a terminal on its UART."""

    def __init__(self, qemu, elf):
        self.seen = b""
        self.process = subprocess.Popen(
            [qemu, "-M", "realview-eb-mpcore", "-smp", "4", "-m", "256", "-nodefaults", "-display", "none",
             *self.audio(qemu), "-serial", "stdio", "-kernel", elf],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    @staticmethod
    def audio(qemu):
        """What keeps it from looking for an audio driver: the option is another one from release 8.2 on."""
        said = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=True).stdout
        release = tuple(int(n) for n in re.search(r"version (\d+)\.(\d+)", said).groups())
        return ["-audio", "driver=none"] if release >= (8, 2) else ["-audiodev", "none,id=none"]

    def type(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def until(self, text, seconds=120):
        """Reads until the text comes, and returns what came before."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{text!r} does not come: {self.seen[-300:]!r}")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                raise AssertionError(f"the emulator ends before {text!r}: {self.seen[-300:]!r}")
            self.seen += more
        before, self.seen = self.seen.split(text, 1)
        return before

    def close(self):
        self.process.kill()
        self.process.wait()


def expect(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: {got!r}, not {want!r}")


def run(qemu, elf, last):
    """A run by Enter: all that a terminal shows after that."""
    board = Board(qemu, elf)
    try:
        board.until(INVITATION)
        board.type(b"\r")
        board.until(b"argc")
        board.seen = b"argc" + board.seen
        got = board.until(last)
        if qemu != STOCK:  # which has no reset register on this board
            board.until(INVITATION)
        return got
    finally:
        board.close()


def check(qemu, elves):
    end = b"\r\nmpjoule: the program has ended with status "
    expect(run(qemu, elves["PLAIN"], end + b"3\r\n"), OUTPUT + b"no line end", "the output")
    fault = run(qemu, elves["FAULT"], end + b"-1\r\n")
    if not fault.startswith(OUTPUT + b"\r\nmpjoule: data abort at 0x") or b", address 0x00000000, " not in fault:
        raise AssertionError(f"a fault: {fault!r}")
    stuck = run(qemu, elves["DEADLOCK"], end + b"-1\r\n")
    if not stuck.startswith(OUTPUT + b"\r\nmpjoule: every thread is blocked: thread 1 waits for mutex"):
        raise AssertionError(f"a deadlock: {stuck!r}")
    if qemu == STOCK:
        return
    # the host comes while the program runs as text
    board = Board(qemu, elves["FOREVER"])
    try:
        board.until(INVITATION)
        board.type(b"go\n")
        board.until(b"again\r\nagain\r\n")
        board.type(b"\x04\x08\x01\x01\x05\xba\xad\xf0\x0d\x00")
        board.until(INVITATION)
    finally:
        board.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "text.c")
        source.write_text(PROGRAM, encoding="ascii")
        elves = {}
        for kind in ("PLAIN", "FAULT", "DEADLOCK", "FOREVER"):
            elves[kind] = f"{folder}/{kind}.elf"
            subprocess.run([MPJOULE, "cc", "-O2", "-pthread", f"-D{kind}", str(source), "-o", elves[kind]], check=True)
        for qemu in (QEMU, STOCK):
            if not os.path.exists(qemu):
                raise AssertionError(f"{qemu} is missing")
            check(qemu, elves)
    print("a program without the host: output, fault, deadlock and restart are text, in both emulators")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as e:
        sys.exit(f"FAILED: {e}")
