#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The scheduler's time slice by MPJ_SLICE_US: how often two threads that compute share one core, and what is none.
usage: time_slice.py"""
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, check, finish, load, mpjoule, must  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
(work / "two.c").write_text("""
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
static void *work(void *arg)
{
    for (volatile unsigned i = 0; i < 150000; i++) { }
    return arg;
}
int main(void)
{
    struct timespec slice;
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    sched_rr_get_interval(0, &slice);
    return printf("%ld\\n", (long)slice.tv_sec * 1000000L + slice.tv_nsec / 1000) < 0;
}
""")
must(MPJOULE, "cc", "-O2", "-pthread", "two.c", "-o", "two.elf", cwd=work)


def run(*environment):
    return mpjoule("run", "--quiet", "--cores", 1, "--json", "run.json", *(f"--env=MPJ_SLICE_US={e}" for e in environment),
                   "two.elf", cwd=work)


switches = {}
for us in (0, 200, 1000, 4000, None):
    r = run(*([] if us is None else [us]))
    check(r.returncode == 0 and r.stdout.split()[-1] == str(4000 if us is None else us), f"slice {us}: {r.stdout} {r.stderr}")
    switches[us] = sum(t["switches"] for t in load(work / "run.json")["threads"] if t["name"] == "work")
ran = sum(t["run_s"] for t in load(work / "run.json")["threads"] if t["name"] == "work") * 1e6
for us in (200, 1000, 4000):
    check(0.8 * ran / us - 2 <= switches[us] <= 1.3 * ran / us + 3, f"slice {us}: {switches} switches in {ran} us")
check(switches[0] == 2 and switches[None] == switches[4000], f"switches {switches}")
for wrong in ("", "99", "1000001", "x", "5ms", "99999999999"):
    r = run(wrong)
    check(r.returncode == 125 and "MPJ_SLICE_US" in r.stderr and r.stderr.count("\n") == 1, f"{wrong}: {r.returncode}, {r.stderr}")

shutil.rmtree(work)
sys.exit(finish())
