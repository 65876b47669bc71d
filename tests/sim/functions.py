#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`run --functions`: known calls come out, and no other result changes.

usage: functions.py known | sweep [--full] [--only WORD]

known: a program whose calls are known, as ARM and as Thumb code; the same profile without the fast path; a
stripped program, a board, no calibration. sweep: every workload with and without the profile: the JSON is the
same but for what is added, and the profile adds up to the truth (the store is not made otherwise).
"""
import argparse
import json
import os
import sqlite3
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, CALIBRATION, MPJOULE, QEMU, ROOT, build_workload, call, cc, check, finish, mpjoule, must, usage, workloads  # noqa: E402

PROGRAM = f"{ROOT}/tests/programs/fn_known.c"
TURNS = {"ten": 1000, "twenty": 2000, "thirty": 3000, "forty": 4000}


class Profile:
    """Calls and costs by path of names; an inlined function is part of the one that holds it unless `inlined`."""

    def __init__(self, store, each, inlined=False):
        self.each = each  # instructions a turn
        db = sqlite3.connect(store)
        self.nodes, paths = {}, {}
        for node, parent, name, kind, thread, calls in db.execute(
                "SELECT n.id, parent, name, kind, thread, calls FROM prof_node n JOIN prof_func f ON f.id = func "
                "WHERE n.pass = 0 AND f.pass = 0 ORDER BY n.id"):
            paths[node] = paths.get(parent, ()) + ((name,) if kind != 5 or inlined else ())
            cost = dict(db.execute("SELECT item, value FROM prof_cost WHERE pass = 0 AND node = ?", (node,)))
            self.nodes.setdefault(paths[node], []).append((thread, calls, cost))

    def find(self, *tail):
        """Calls and instructions over all nodes whose path ends so."""
        found = [n for path, nodes in self.nodes.items() if path[-len(tail):] == tail for n in nodes]
        return sum(n[1] for n in found), sum(n[2].get("instr", 0) for n in found)

    def expect(self, name, calls, turns, *tail):
        """So many calls, with the instructions of so many turns in all, and at most 60 others each."""
        found, instr = self.find(*tail)
        check(found == calls, f"{name}: {'/'.join(tail)}: {found} calls, not {calls}")
        check(self.each * turns <= instr <= self.each * turns + 60 * calls + 60,
              f"{name}: {'/'.join(tail)}: {instr} instructions for {turns} turns in {calls} calls")


def known_calls(name, store, each):
    p = Profile(store, each)
    for fn, turns in TURNS.items():
        p.expect(name, 100, 100 * turns, "main", "shares", fn)
    # calls(n) = 1 + calls(n - 1) + calls(n - 2), calls(0) = calls(1) = 1: 465. The longest path is fib(12), fib(11) and so on to
    # fib(2), which calls fib(1) and fib(0)
    check(p.find("fib")[0] == 465, f"{name}: fib is called {p.find('fib')[0]} times, not 465")
    check(p.find("main", "fib")[0] == 1 and p.find("main", *["fib"] * 12)[0] == 2, f"{name}: fib's levels")
    p.expect(name, 21, 21 * 100, "even")
    p.expect(name, 20, 20 * 300, "odd")
    p.expect(name, 50, 50 * 50, "jumps", "jumper")
    p.expect(name, 50, 50 * 50, "jumps", *["jumper"] * 4)
    p.expect(name, 20, 20 * 500, "handler")
    p.expect(name, 20, 20 * 1000, "main", "pointed", "ten")
    p.expect(name, 10, 10 * 2000, "main", "pointed", "twenty")
    p.expect(name, 6, 6 * 6000000, "busy", "leaf")
    threads = {n[0] for path, nodes in p.nodes.items() if path[-1] == "leaf" for n in nodes}
    check(len(threads) == 6, f"{name}: leaf runs in {len(threads)} threads")
    interrupted = sum(path[-2:] == ("leaf", "(interrupt)") for path in p.nodes)
    check(interrupted > 0, f"{name}: leaf was never interrupted")


def everything(name, store, each):
    """Moments, waveform and instructions of the same run, and inlined functions, which these tell apart."""
    parts = Profile(store, each, inlined=True)
    for turns, path in ((1000, ("once",)), (3000, ("thrice",)), (1000, ("thrice", "once"))):
        instr = parts.find("main", "inlined", *path, "spin")[1]
        check(50 * turns * each <= instr <= 50 * (turns * each + 4), f"{name}: {path}: {instr} instructions")
    db = sqlite3.connect(store)

    def one(sql):
        return db.execute(sql).fetchone()[0] or 0

    begin, end = db.execute("SELECT time_begin, time_end FROM pass").fetchone()
    moments = db.execute("SELECT time, kind, thread, core FROM moment ORDER BY seq").fetchall()
    check(moments == sorted(moments, key=lambda m: m[0]), f"{name}: moments are not in the order of their times")
    check(all(begin <= m[0] <= end + 1000 for m in moments), f"{name}: a moment is not within the run")
    where = {}
    for time, kind, thread, core in moments:
        if kind == 0:
            check(thread not in where and core not in where.values(), f"{name}: {time}: thread {thread} on core {core}")
            where[thread] = core
        elif kind == 1:
            check(where.pop(thread, None) == core, f"{name}: {time}: thread {thread} was not on core {core}")
    check(one("SELECT count(*) FROM moment WHERE kind = 1 AND value = 2") >= 6, f"{name}: six threads do not end")
    check(one("SELECT count(*) FROM moment WHERE kind = 1 AND value = 0") > 6, f"{name}: none is preempted")
    check(one("SELECT count(*) FROM moment WHERE kind = 2 AND value = 4") > 0, f"{name}: none waits for another's end")
    steps = db.execute("SELECT count(*), min(step), max(length(fj)) / 8 FROM wave").fetchone()
    check(steps[:2] == (5, 240) and abs(steps[2] - (end - begin) / 240) <= 10, f"{name}: waveform of {steps}")
    instr = one("SELECT sum(value) FROM prof_cost WHERE item = 'instr'")
    executions, cycles = db.execute("SELECT sum(executions), sum(cycles) FROM prof_insn").fetchone()
    busy = one("SELECT sum(value) FROM prof_cost WHERE item = 'cycles'") - \
        one("SELECT sum(value) FROM prof_cost WHERE item = 'wfi_cycles'")
    check(0 <= instr - executions < 0.001 * instr, f"{name}: {executions} executions of {instr}")
    check(abs(busy - cycles) < 0.01 * busy, f"{name}: {cycles} cycles of {busy}")
    for event in ("dcache_rd_miss", "dcache_wr_miss", "icache_miss", "branch_mispred"):
        check(one(f"SELECT sum(value) FROM prof_insn_cost WHERE item = '{event}'") ==
              one(f"SELECT sum(value) FROM prof_cost WHERE item = '{event}'"), f"{name}: {event} of instructions")


def profile_of(store):
    db = sqlite3.connect(store)
    return [db.execute(f"SELECT * FROM {t} ORDER BY 1, 2, 3, 4").fetchall() for t in
            ("prof_func", "prof_node", "prof_cost", "prof_chip")]


def others(text):
    """A run's JSON without the profile and the options that asked for it, key by key."""
    return {key: json.dumps(value) for key, value in json.loads(text).items() if key not in ("profile", "functions", "options")}


def run(folder, elf, store, *options, machine=""):
    env = dict(os.environ, MPJOULE_QEMU_MACHINE=machine) if machine else None
    must(MPJOULE, "run", "--quiet", "-o", f"{folder}/{store}", "--json", f"{folder}/{store}.json", *options, elf, env=env)
    with open(f"{folder}/{store}.json", encoding="utf-8") as f:
        return others(f.read())


def refuses(folder, what, text, *args):
    done = mpjoule("run", "--functions", "-o", f"{folder}/none.mpj", *args)
    check(done.returncode != 0 and text in done.stderr and done.stderr.count("\n") == 1,
          f"{what}: status {done.returncode}: {done.stderr}")


def unsaved(folder, elf):
    """What a machine that writes a profile says when it is to be saved."""
    with open(f"{folder}/monitor.txt", "w", encoding="utf-8") as f:
        f.write("savevm x\nquit\n")
    with open(f"{folder}/monitor.txt", encoding="utf-8") as f:
        done = call(QEMU, "-M", f"realview-eb-mpcore,calibration={CALIBRATION},profile={folder}/p,functions=on",
                    "-icount", "shift=0,sleep=off", "-smp", "4", "-m", "256", "-kernel", elf, "-display", "none",
                    "-S", "-monitor", "stdio", "-serial", "null", stdin=f)
    return done.stdout + done.stderr


def known(folder):
    for name, flags, each in (("arm", [], 2), ("thumb", ["-mthumb"], 3)):
        elf = cc(PROGRAM, f"{folder}/{name}.elf", "-O2", "-g", "-pthread", *flags)
        plain = run(folder, elf, "plain.mpj")
        check(run(folder, elf, "on.mpj", "--functions") == plain, f"{name}: the JSON differs")
        known_calls(name, f"{folder}/on.mpj", each)
        check(run(folder, elf, "all.mpj", "--moments", "--waveform", "10", "--instructions") == plain,
              f"{name}: the JSON differs with all of it")
        known_calls(name, f"{folder}/all.mpj", each)
        everything(name, f"{folder}/all.mpj", each)
    run(folder, elf, "slow.mpj", "--functions", machine="fastpath=off")
    check(profile_of(f"{folder}/slow.mpj") == profile_of(f"{folder}/on.mpj"), "without the fast path it differs")
    run(folder, elf, "again.mpj", "--functions")
    check(profile_of(f"{folder}/again.mpj") == profile_of(f"{folder}/on.mpj"), "a second run differs")
    must("arm-none-eabi-strip", "-o", f"{folder}/bare.elf", elf)
    refuses(folder, "stripped", "no function symbols", f"{folder}/bare.elf")
    check("machine with profile= cannot be saved" in unsaved(folder, elf), "a machine that writes a profile is saved")
    refuses(folder, "no model", "needs the chip model", "--calibration", "none", elf)


def same_with_profile(folder, name, elf, *args):
    texts = []
    for options in ([], ["--functions"]):
        done = call(MPJOULE, "run", "--quiet", "-o", "w.mpj", "--json", "w.json", *options, elf, "--", *args, cwd=folder)
        check(done.returncode == 0, f"{name} {options}: status {done.returncode}: {done.stderr}")
        if done.returncode != 0:
            return
        with open(f"{folder}/w.json", encoding="utf-8") as f:
            texts.append(f.read())
    check(others(texts[0]) == others(texts[1]), f"{name}: the JSON differs with --functions")
    count = sqlite3.connect(f"{folder}/w.mpj").execute("SELECT count(*) FROM prof_node").fetchone()[0]
    check(count > 0, f"{name}: no profile")
    print(f"{name}: {json.loads(texts[1])['time_s']:.4f} s, {count} nodes", flush=True)


def sweep(folder, full, only):
    for w in workloads():
        if only in w.name and w.status == "0":
            same_with_profile(folder, w.name, build_workload(w.source, w.flags, folder), *(w.args if full else w.quick).split())
    if only in "bench_omp":  # blocks left by interrupts of other cores right after a flush
        same_with_profile(folder, "bench_omp", f"{APPS}/bench_omp.elf")


def main():
    parser = argparse.ArgumentParser(usage=usage(__doc__))
    parser.add_argument("what", choices=("known", "sweep"))
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.what == "known":
            known(folder)
        else:
            sweep(folder, args.full, args.only)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
