#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Printing is not the program's work: its time is `host` of who prints, and nobody's cycles.

usage: console.py
"""
import os
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, cc, check, finish, load, must, write  # noqa: E402

SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int lines;

static void *prints(void *arg)
{
    for (int i = 0; i < lines; i++)
        puts("a line of sixty bytes, which takes its time on a serial line");
    return arg;
}

static void *counts(void *arg)
{
    for (volatile int i = 0; i < 200000; i++)
        ;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];

    (void)argc;
    lines = atoi(argv[1]);
    pthread_create(&t[0], NULL, prints, NULL);
    pthread_create(&t[1], NULL, counts, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
"""


def threads(elf, lines, *options):
    folder = os.path.dirname(elf)
    done = must(MPJOULE, "run", "--quiet", "-o", "r.mpj", "--json", "r.json", *options, elf, "--", lines, cwd=folder)
    check(done.stdout.count("sixty bytes") == lines, f"{lines} lines: {done.stdout.count('sixty bytes')} came")
    return {t.get("function", "main"): t for t in load(f"{folder}/r.json")["threads"]}


def main():
    with tempfile.TemporaryDirectory() as folder:
        elf = cc(write(f"{folder}/p.c", SOURCE), f"{folder}/p.elf", "-O2", "-pthread")
        own = {}
        for lines, options in ((20, []), (200, []), (200, ["--cores=1"])):
            t = threads(elf, lines, *options)
            printing, counting = t["prints"], t["counts"]
            check(printing["kernel_s"] <= printing["run_s"], f"{lines} {options}: more than it ran: {printing}")
            own[lines] = (printing["run_s"] - printing["kernel_s"]) / lines
            # Two reads of the monitors and two writes to the UART, of some 50 cycles at least, at 210 MHz.
            check(1e-6 < printing["host_s"] / lines < 30e-6, f"{lines} {options}: {printing['host_s'] / lines} s a line")
            check(own[lines] < 20e-6, f"{lines} {options}: {own[lines]} s a line are the program's")
            life = sum(printing[part] for part in ("run_s", "block_s", "host_s", "other_s"))
            check(abs(life - printing["life_s"]) < 1e-9, f"{lines} {options}: {life} s of {printing['life_s']}")
            check(counting["kernel_s"] < 0.1 * counting["run_s"], f"{lines} {options}: who does not print: {counting}")
            check(counting["host_s"] == 0, f"{lines} {options}: who does not print: {counting}")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
