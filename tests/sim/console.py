#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Printing is the runtime's work, not the program's: it is in the kernel share of who prints.

usage: console.py MPJOULE
"""
import json
import subprocess
import sys
import tempfile

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
BAD = []


def check(fine, text):
    if not fine:
        BAD.append(text)


def threads(mpjoule, folder, lines, *options):
    done = subprocess.run([mpjoule, "run", "--quiet", "-o", f"{folder}/r.mpj", "--json", f"{folder}/r.json", *options,
                           f"{folder}/p.elf", "--", str(lines)], capture_output=True, text=True, timeout=1000, check=True)
    check(done.stdout.count("sixty bytes") == lines, f"{lines} lines: {done.stdout.count('sixty bytes')} came")
    with open(f"{folder}/r.json", encoding="utf-8") as f:
        return {t["function"] if "function" in t else "main": t for t in json.load(f)["threads"]}


def main(mpjoule):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/p.c", "w", encoding="utf-8") as f:
            f.write(SOURCE)
        subprocess.run([mpjoule, "cc", "-O2", "-pthread", f"{folder}/p.c", "-o", f"{folder}/p.elf"], check=True)
        own = {}
        for lines, options in ((20, []), (200, []), (200, ["--cores=1"])):
            t = threads(mpjoule, folder, lines, *options)
            printing, counting = t["prints"], t["counts"]
            check(printing["kernel_s"] <= printing["run_s"], f"{lines} {options}: more than it ran: {printing}")
            own[lines] = (printing["run_s"] - printing["kernel_s"]) / lines
            # A frame of 80 bytes at some 150 cycles each, at 210 MHz.
            check(printing["kernel_s"] / lines > 30e-6, f"{lines} {options}: {printing['kernel_s'] / lines} s a line")
            check(own[lines] < 20e-6, f"{lines} {options}: {own[lines]} s a line are the program's")
            check(counting["kernel_s"] < 0.1 * counting["run_s"], f"{lines} {options}: who does not print: {counting}")
    for line in BAD:
        print(line)
    return 1 if BAD else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
