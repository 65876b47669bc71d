#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The controller of parallel regions in the emulator: that it keeps to the policy and to the program's bounds, adapts
again when a region changes, is deterministic, and that what it cannot use costs a line and nothing else.
usage: adapt.py"""
import json
import os
import pathlib
import sqlite3
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, ROOT, cc, check, finish, must, mpjoule  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
PREDICTOR = f"{ROOT}/models/fitted/mprofiler.predictor"

YOUNG_S = 30e-3  # of a program that is left alone
WORTH_S = 8e-3  # of a region's time that a test is worth

# Computes in registers; from execution 48 on it only fights for a lock: one thread is best then.
TURN = r"""
#include <stdio.h>
static unsigned sum, shared;
static void work(int locked)
{
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < 1600; i++) {
        unsigned v = (unsigned)i;
        if (locked) {
            for (int k = 0; k < 4; k++) {
#pragma omp critical
                shared += v + (unsigned)k;
            }
        } else {
            for (int k = 0; k < 64; k++)
                v = v * 1664525U + 1013904223U;
        }
        sum += v;
    }
}
static void few(void)
{
#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 1600; i++)
        for (int k = 0; k < 64; k++)
            sum += (unsigned)(i ^ k);
}
int main(void)
{
    for (int run = 0; run < 72; run++) {
        work(run >= 48);
        few();
    }
    printf("%u\n", sum + shared);
    return 0;
}
"""

# A phase of threads that the program makes itself.
PHASES = r"""
#include <mpj.h>
#include <pthread.h>
#include <stdio.h>
static unsigned threads, sum[4];
#ifdef STREAM
#define RUNS 40
#define N 100000U
unsigned a[N], b[N], c[N];
static void *part(void *arg)
{
    const unsigned id = (unsigned *)arg - sum;
    for (unsigned i = N * id / threads; i < N * (id + 1U) / threads; i++)
        a[i] = b[i] + 3U * c[i];
    return NULL;
}
#else
#define RUNS 32
static void *part(void *arg)
{
    unsigned *const s = arg;
    for (unsigned i = 0; i < 240000U / threads; i++)
        *s = *s * 1664525U + 1013904223U;
    return NULL;
}
#endif
int main(void)
{
    static int phase;
    for (int run = 0; run < RUNS; run++) {
        pthread_t t[4];
        threads = mpj_adapt_begin(&phase, 4);
        for (unsigned i = 0; i < threads; i++)
            pthread_create(&t[i], NULL, part, &sum[i]);
        for (unsigned i = 0; i < threads; i++)
            pthread_join(t[i], NULL);
        mpj_adapt_end(threads);
        printf("%u", threads);
    }
    puts("");
    return 0;
}
"""


def build(name, text, *flags):
    (work / f"{name}.c").write_text(text)
    return cc(work / f"{name}.c", work / f"{name}.elf", "-O2", *flags)


def run(elf, policy, *options, store="run"):
    """stdout, stderr and the executions."""
    env = ["--env", f"MPJ_ADAPT={policy}"] if policy else []
    done = must(MPJOULE, "run", "--quiet", *env, *options, "-o", f"{work}/{store}.mpj", "--json",
                f"{work}/{store}.json", elf)
    view = must(MPJOULE, "report", "--view", "adapt", "--format", "json", f"{work}/{store}.mpj")
    return done.stdout, done.stderr, json.loads(view.stdout)["executions"]


def of(runs, name):
    return [r for r in runs if r.get("function", "").startswith(name)]


def keeps_to_policies(elf, plain):
    _, _, runs = run(elf, "")
    check(not runs, "without MPJ_ADAPT something was adapted")
    for policy in ("static:1", "static:3"):
        out, _, runs = run(elf, policy)
        check(out == plain, f"{policy}: another result")
        check({r["threads"] for r in of(runs, "work")} == {int(policy[-1])}, f"{policy}: other numbers")
        check(max(r["threads"] for r in of(runs, "few")) <= 2, f"{policy}: more than num_threads")
    address = of(runs, "work")[0]["address"]
    _, _, runs = run(elf, f"fixed:{address}=2")
    check({r["threads"] for r in of(runs, "work")} == {2}, "fixed: another number")
    for policy in ("pre", "aurora", "cap:560mW", "dynamic"):
        out, _, runs = run(elf, policy)
        check(out == plain, f"{policy}: another result")
        check(all(1 <= r["threads"] <= r["most"] for r in runs), f"{policy}: numbers out of bounds")


def adapts(elf, plain):
    out, err, runs = run(elf, "ed2", store="a")
    first = (work / "a.json").read_bytes()
    check(out == plain and not err, f"ed2: {out} {err}")
    mine = of(runs, "work")
    why = [r["why"] for r in mine]
    tested = why.index("test")
    check(set(why[:tested]) == {"first"}, f"decided before a test: {why[:tested]}")
    check(sum(r["s"] for r in mine[:tested]) >= WORTH_S > sum(r["s"] for r in mine[:tested - 1]),
          f"tested after {tested} executions")
    check(mine[0]["time_s"] >= YOUNG_S, f"adapted {mine[0]['time_s']} s after the program's beginning")
    changed = next(i for i in range(1, len(mine)) if not 0.75 < mine[i]["s"] / mine[i - 1]["s"] < 1.25)
    check(changed > tested and mine[changed]["threads"] == 4, f"computing with {mine[changed]['threads']} threads")
    after = why[changed:changed + 3]  # of those that are examined: one in four
    check("test" in after, f"not tested again within three executions of the change: {after}")
    check(any("believed_s" in r for r in mine), "nothing was believed")
    run(elf, "ed2", store="b")
    check(first == (work / "b.json").read_bytes(), "the same run twice: not the same bytes")


def executions(store):
    return json.loads(must(MPJOULE, "report", "--view", "adapt", "--format", "json", store).stdout)["executions"]


def true_power(elf):
    """By the emulator's waveform: near what the ADC's samples say, and exact where the waveform is known."""
    _, _, runs = run(elf, "ed2", "--waveform", "20", store="w")
    check([{k: v for k, v in r.items() if k != "true_mw"} for r in runs] == run(elf, "ed2", store="a")[2],
          "another run with the waveform")
    both = [r for r in runs if "mw" in r]
    check(all("true_mw" in r for r in runs) and both, "executions without true power")
    check(abs(sum(r["mw"] for r in both) / sum(r["true_mw"] for r in both) - 1) < 0.02, f"another power: {both}")
    half = runs[len(runs) // 2]
    db = sqlite3.connect(work / "w.mpj")
    hz, begin = db.execute("SELECT time_hz, time_begin FROM pass").fetchone()
    until = (half["time_s"] + half["s"] / 2) * hz + (begin or 0)
    chip = {}  # its steps: begin, end and energy
    for row, core, time0, step, fj in db.execute("SELECT rowid, core, time0, step, fj FROM wave").fetchall():
        begins = [time0 + i * step for i in range(len(fj) // 8) if core is not None or time0 + (i + 1) * step <= until]
        # 500 fJ a tick of each core; of the chip some thousands, other ones in each step
        each = [500 * step if core is not None else 1000 * step * (1 + b // step % 7) for b in begins]
        db.execute("UPDATE wave SET fj = ? WHERE rowid = ?", (b"".join(e.to_bytes(8, "little") for e in each), row))
        if core is None:
            chip.update({b: (b + step, e) for b, e in zip(begins, each)})
    db.commit()
    db.close()
    known = executions(work / "w.mpj")
    for i, r in enumerate(known):
        check(("true_mw" in r) == (i < len(runs) // 2), f"execution {i}: {r}")
        first = r["time_s"] * hz + (begin or 0)
        last = first + r["s"] * hz
        fj = sum(e * max(0, min(end, last) - max(b, first)) / (end - b) for b, (end, e) in chip.items())
        mw = (fj + 2000 * (last - first)) * 1e-12 / r["s"]
        check(abs(r.get("true_mw", mw) / mw - 1) < 1e-6, f"execution {i}: {r}, not {mw} mW")
    table = must(MPJOULE, "report", "--view", "adapt", "--top", 0, work / "w.mpj").stdout
    check("true mW" in table and f" {known[0]['true_mw']:.1f}\n" in table, table)


def wrong(elf, plain):
    text = pathlib.Path(PREDICTOR).read_text()
    bad = work / "bad.predictor"
    without = "the program runs without MPJ_ADAPT"
    for what, old, new in (("calibration", "calibration mprofiler", "calibration epro-mp"),
                           ("chip", "chip ARM11 MPCore tile", "chip other"), ("firmware", "abi 1", "abi 2"),
                           ("version", "mpjoule-predictor 2", "mpjoule-predictor 3"),
                           ("complete", "ipc 4 3", "# "), ("line", "ipc 4 3", "ipx 4 3")):
        bad.write_text(text.replace(old, new, 1))
        done = mpjoule("predictor", "show", bad)
        check((done.returncode == 0) == (what in ("calibration", "chip", "firmware")), f"show {what}: {done.stderr}")
        if done.returncode != 0:
            check(what in done.stderr, f"show {what}: {done.stderr}")
        if what in ("version", "complete", "line"):
            done = mpjoule("run", "--env", "MPJ_ADAPT=ed2", "--predictor", bad, "-o", work / "run.mpj", elf)
            check(done.returncode == 125 and what in done.stderr and done.stderr.count("\n") == 1 and not done.stdout,
                  f"run {what}: {done.returncode} {done.stderr}")
        if what not in ("calibration", "firmware"):
            continue
        out, err, runs = run(elf, "ed2", "--predictor", bad)
        check(out == plain and not runs, f"{what}: the program did not run as without")
        check(what in err and without in err and err.count("\n") == 1, f"{what}: {err}")
    done = mpjoule("run", "--env", "MPJ_ADAPT=ed2", "--predictor", work / "none", "-o", work / "run.mpj", elf)
    check(done.returncode == 125 and f"{work}/none" in done.stderr and done.stderr.count("\n") == 1 and not done.stdout,
          f"no file: {done.returncode} {done.stderr}")
    out, err, runs = run(elf, "best")
    check(out == plain and not runs and "unknown policy" in err, f"unknown policy: {err}")
    out, err, runs = run(elf, "ed2", "--events", "dcache_rd,dcache_wr")
    check(out == plain and runs and "measures numbers of threads" in err, f"other events: {err}")
    _, err, measured = run(elf, "ed2")
    out, err, runs = run(elf, "ed2", "--model", "none")
    check(out == plain and runs == measured and "predict" not in err, f"--model none changes what is adapted: {err}")
    check(mpjoule("predictor").returncode != 0, "predictor without a subcommand")
    (work / "one.list").write_text(f"{work}/turn.elf\n")
    done = mpjoule("predictor", "verify", "--calibration", "epro-mp", PREDICTOR, work / "one.list")
    check(done.returncode == 125 and "trained for calibration mprofiler" in done.stderr and not done.stdout,
          f"a predictor of another calibration: {done.stderr}")
    (work / "none.list").write_text("# no program\n")
    done = mpjoule("predictor", "train", "-o", work / "none.predictor", work / "none.list")
    check(done.returncode != 0 and not (work / "none.predictor").exists(), f"a list without programs: {done.stderr}")


def main():
    turn = build("turn", TURN, "-fopenmp")
    plain = run(turn, "")[0]
    keeps_to_policies(turn, plain)
    adapts(turn, plain)
    true_power(turn)
    wrong(turn, plain)
    phases = build("phases", PHASES, "-pthread")
    check(run(phases, "")[0] == "4" * 32 + "\n", "phases without MPJ_ADAPT")
    check(run(phases, "static:2")[0] == "2" * 32 + "\n", "phases with static:2")
    check(run(phases, "exh")[0] == "44321" + "4" * 27 + "\n", "phases with exh")
    out, _, runs = run(phases, "ed2")
    tests = [r for r in runs if r["why"] == "test"]
    check(out == "4" * 32 + "\n" and len(tests) == 1, f"a phase that scales: {out}{tests}")
    # a multiplication, an addition, a count and a branch; what making and joining a thread takes
    check(all(960e3 < r["event0"] < 960e3 + 4 * 15e3 for r in tests), f"instructions of a phase: {tests}")
    out, _, runs = run(build("stream", PHASES, "-pthread", "-DSTREAM"), "ed2")
    tried = [r for r in runs if r["why"] == "try"]
    check(max(out[-9:-1]) < "4", f"a phase that waits for memory: {out}")
    check(tried and all(r["believed_s"] > 0 for r in tried), f"trials of a phase: {tried}")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
