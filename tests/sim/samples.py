#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions from samples of the program counter, against a program whose shares are known.

usage: samples.py

mu_functions works 10:20:30:40 in four functions, which end in a jump to the same worker: the paths tell them
apart. Functions of one block each, on all cores: an interrupt comes between any two instructions. Samples by an
event are compared with its count; and what the samples cost. Works in the current directory.
"""
import json
import os
import sqlite3
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, WORKLOADS, call, cc, check, finish, must, write  # noqa: E402

PATHS = """
WITH RECURSIVE tree (id, path) AS (
    SELECT n.id, f.name FROM prof_node n JOIN prof_func f USING (pass, source)
        WHERE f.id = n.func AND pass = 0 AND source = 2 AND parent IS NULL
    UNION ALL
    SELECT n.id, path || ';' || f.name FROM tree JOIN prof_node n ON n.parent = tree.id
        JOIN prof_func f USING (pass, source) WHERE f.id = n.func AND pass = 0 AND source = 2)
SELECT path, sum(value) FROM tree JOIN prof_cost c ON c.node = tree.id
    WHERE c.pass = 0 AND c.source = 2 AND item = ? GROUP BY path"""
MOST = 0.05  # percent of the run's time
SHARES = {"part_one": 10, "part_two": 20, "part_three": 30, "part_four": 40}

# Functions of one block each, called in turn, on each core. A sample is at the instruction after the one that was
# under way: behind the call for the return, whose cycles are the function's.
RETURN_CYCLES = 4  # its target is predicted
BLOCKS = {"tiny": 7, "small": 16, "large": 30}
LOOP = """
#include <pthread.h>
static void *loop(void *rounds)
{
    __asm__ volatile("1: bl tiny; mov r1, r1; bl small; mov r1, r1; bl large; subs %%0, %%0, #1; bne 1b"
                     : "+r"(rounds) : : "r1", "lr", "cc");
    return NULL;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, loop, (void *)%d);
    (void)loop((void *)%d);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}
"""


def run(store, *command):
    must(MPJOULE, "run", "--quiet", "-o", store, *command)
    return sqlite3.connect(store)


def paths(store, item):
    return dict(store.execute(PATHS, [item]).fetchall())


def time_of(store):
    return store.execute("SELECT time_end - time_begin FROM pass").fetchone()[0]


def shares():
    """1 ms instead of 10, for the statistics: the cost is measured with 10."""
    cc(f"{WORKLOADS}/mu_functions.c", "f.elf", "-O2")
    program = ["f.elf", "--", "-n", "300"]
    fine = run("f.mpj", "--samples", "--sample-ms", "1", *program)
    found = paths(fine, "samples")
    of = {name: sum(n for path, n in found.items() if f";{name};wl_work" in path) for name in SHARES}
    total = sum(of.values())
    for name, share in SHARES.items():  # three standard deviations of a binomial distribution
        limit = 3 * (share * (100 - share) / total) ** 0.5
        check(abs(100 * of[name] / total - share) <= limit,
              f"{name}: {100 * of[name] / total:.1f} % of {total} samples instead of {share} +- {limit:.1f}")
    check(sorted(of, key=of.get) == list(SHARES), f"not in the order of their shares: {of}")
    idle = found.get("(idle)", 0)
    check(abs(idle - 3 * (sum(found.values()) - idle)) <= 3, f"three of four cores are idle: {found}")
    cycles = sum(paths(fine, "cycles").values())
    cores = fine.execute("SELECT sum(cycles) FROM core").fetchone()[0]
    check(abs(cycles - cores) <= sum(found.values()), f"samples stand for {cycles} cycles of {cores}")
    times = [time_of(run(f"{name}.mpj", *options, *program))
             for name, options in (("without", []), ("with", ["--samples"]))]
    cost = 100 * (times[1] - times[0]) / times[0]
    check(cost <= MOST, f"samples cost {cost:.3f} % instead of at most {MOST} %")
    return cost


def thread_shares(store, item):
    """Thread -> function -> what it has of the item."""
    found = {}
    for thread, name, value in store.execute(
            "SELECT n.thread, f.name, sum(c.value) FROM prof_cost c JOIN prof_node n USING (pass, source) JOIN "
            "prof_func f USING (pass, source) WHERE n.id = c.node AND f.id = n.func AND pass = 0 AND source = 2 "
            "AND item = ? AND n.thread IS NOT NULL GROUP BY 1, 2", [item]):
        found.setdefault(thread, {})[name] = value
    return found


def blocks():
    source = LOOP % (1600000, 1600000) + "".join(
        f'__asm__(".balign 64; .type {name}, %function; {name}: .rept {n}; mov r1, r1; .endr; bx lr; "\n'
        f'        ".size {name}, . - {name}");\n' for name, n in BLOCKS.items())
    cc(write("b.c", source), "b.elf", "-O2")
    found = thread_shares(run("b.mpj", "--samples", "--sample-ms", "0.25", "b.elf"), "samples")
    check(len(found) == 4, f"threads with samples: {found}")
    for thread, of in found.items():
        total = sum(of.get(name, 0) for name in BLOCKS)
        for name, n in BLOCKS.items():
            share = 100 * (n + RETURN_CYCLES) / sum(n + RETURN_CYCLES for n in BLOCKS.values())
            limit = 3 * (share * (100 - share) / total) ** 0.5
            check(abs(100 * of.get(name, 0) / total - share) <= limit,
                  f"thread {thread}, {name}: {100 * of.get(name, 0) / total:.1f} % of {total} samples instead of "
                  f"{share:.1f} +- {limit:.1f}")


def heads():
    """
    A loop that begins its function: a sample at its head is the function's, not the call's; the loop is all of the time.
    Its branch goes either way by chance: after one that was predicted wrongly the core waits at the head.
    """
    source = """int main(void)
{
    __asm__ volatile("mov r4, %0; mov r1, #1; mov r2, #0xd0000001; 1: mov r0, #200; bl looping; subs r4, r4, #1; bne 1b"
                     : : "r"(20000) : "r0", "r1", "r2", "r4", "lr", "cc");
}
__asm__(".balign 64; .type looping, %function; looping: sub r0, r0, #1; movs r1, r1, lsr #1; eorcs r1, r1, r2; "
        "bcs looping; cmp r0, #0; bgt looping; bx lr; .size looping, . - looping");
"""
    cc(write("h.c", source), "h.elf", "-O2")
    found = thread_shares(run("h.mpj", "--samples", "--sample-ms", "0.25", "h.elf"), "samples")[1]
    total = sum(found.values())
    check(total > 300 and found["looping"] >= 0.97 * total, f"a loop that begins its function: {found}")


def portable():
    """With a call into the model per block and access, cores are interrupted at the same instructions."""
    cc(f"{WORKLOADS}/qsort.c", "q.elf", "-O2")
    results = []
    for fast in ("on", "off"):
        must(MPJOULE, "run", "--quiet", "-o", "q.mpj", "--json", "q.json", "q.elf", "--", "-n", "50000", "-t", "4",
             env={**os.environ, "MPJOULE_QEMU_MACHINE": f"fastpath={fast}"})
        with open("q.json", encoding="utf-8") as handle:
            results.append(handle.read())
    check(results[0] == results[1], "another result with fastpath=off")


def event():
    every = 1000
    store = run("e.mpj", "--sample-event", "dcache_rd_miss", "--every", str(every),
                f"{APPS}/stream_chase.elf", "--", "64", "2")
    found = paths(store, "dcache_rd_miss")
    counted = store.execute("SELECT sum(value) FROM counter WHERE event = 'dcache_rd_miss'").fetchone()[0]
    check(0 <= counted - sum(found.values()) < 4 * every, f"{sum(found.values())} of {counted} misses sampled")
    top = max(found, key=found.get)
    check(found[top] > counted / 2, f"the misses are not in one function: {found}")
    truth = json.loads(store.execute("SELECT json FROM truth").fetchone()[0])["window"]["cores"]
    true = sum(core["events"]["dcache_rd_miss"] for core in truth)
    check(abs(counted - true) <= 0.001 * true, f"{counted} misses counted of {true}")


def errors():
    for options, what in (
            (["--sample-event", "nothing", "--every", "2000"], "an event of the cores"),
            (["--sample-event", "instr"], "require each other"),
            (["--every", "2000"], "require each other"),
            (["--sample-event", "instr", "--every", "10"], "from 1000"),
            (["--sample-event", "instr", "--every", "2000", "--rotate"], "--rotate"),
            (["--sample-event", "instr", "--every", "2000", "--no-counters"], "--no-counters")):
        done = call(MPJOULE, "run", *options, "f.elf")
        check(done.returncode != 0 and what in done.stderr, f"{options}: {done.stderr}")


def main():
    cost = shares()
    blocks()
    heads()
    portable()
    event()
    errors()
    return finish(f"samples cost {cost:.3f} %")


sys.exit(main())
