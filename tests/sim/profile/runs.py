# SPDX-License-Identifier: GPL-2.0-or-later
"""Building and running workloads, and what must hold in the profile of every run."""
import glob
import math
import os
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../../harness")
from harness import FIRMWARE, MPJOULE, WORKLOADS, cc, load, mpjoule  # noqa: E402

TICK = 1 / 24e6  # clock of all times in a profile
SLEEPS = {"sleep", "omp idle"}


def build(name, flags):
    """Compiles a workload into the current directory, once; the ELF's name."""
    source, elf = f"{WORKLOADS}/{name}", os.path.splitext(name)[0] + ".elf"
    inputs = (source, MPJOULE, f"{FIRMWARE}/libmpjoule.a", *glob.glob(f"{WORKLOADS}/*.h"))
    if not os.path.exists(elf) or any(os.path.getmtime(elf) < os.path.getmtime(f) for f in inputs):
        cc(source, elf, "-std=gnu11", "-O2", *flags)
    return elf


def run(elf, args, options=(), store="run.mpj"):
    """(exit status, stderr, profile)"""
    name = store.replace(".mpj", ".json")
    done = mpjoule("run", "--quiet", "--timeout", "1000", "-o", store, "--json", name, *options, elf, "--", *args,
                   timeout=None)
    try:
        profile = load(name)
    except (OSError, ValueError) as error:
        raise SystemExit(f"{elf}: {error}\n{done.stdout}{done.stderr}") from error
    os.unlink(name)
    return done.returncode, done.stderr, profile


def near(a, b, ticks):
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=ticks * TICK)


def against_truth(profile, events):
    """Differences between threads and truth: counts and cycles, which must be the same."""
    truth = {t["id"]: t for t in profile["truth"]["threads"]}
    bad = []
    for thread in profile["threads"]:
        name = f"thread {thread['id']} ({thread['name']})"
        real = truth.pop(thread["id"], None)
        if real is None:
            bad.append(f"{name} is not in truth")
            continue
        pairs = [("cycles", thread["cycles"], real["cycles"])]
        pairs += [(e, thread["events"].get(e), real["events"].get(e)) for e in events]
        bad += [f"{name}: {what} {got}, truth {want}" for what, got, want in pairs if got != want]
    bad += [f"thread {i} of truth is not in the profile" for i in truth if i != 0]
    return bad


def consistent(profile):
    """What holds in every profile, whatever the program."""
    bad = []

    def want(ok, text):
        if not ok:
            bad.append(text)

    threads = {t["id"]: t for t in profile["threads"]}
    end = profile.get("time_s", math.inf)
    for i, t in threads.items():
        name = f"thread {i} ({t['name']})"
        waits = [w for w in profile["sync"] if w["thread"] == i]
        blocked = sum(w["total_s"] for w in waits if w["kind"] not in SLEEPS | {"host"})
        slept = sum(w["total_s"] for w in waits if w["kind"] in SLEEPS)
        for_host = sum(w["total_s"] for w in waits if w["kind"] == "host")
        want(near(t["life_s"], t["run_s"] + t["block_s"] + t["host_s"] + t["other_s"], 2), f"{name}: parts of life")
        want(for_host <= t["host_s"] + TICK, f"{name}: waits for the host {for_host} > {t['host_s']}")
        want(t["sleep_s"] <= t["other_s"] + TICK, f"{name}: sleeps {t['sleep_s']} > {t['other_s']}")
        want(t["kernel_s"] <= t["run_s"] + TICK, f"{name}: kernel {t['kernel_s']} > {t['run_s']}")
        want(t["run_s"] == 0 or near(sum(t["core_share"]), 1, 0), f"{name}: shares {t['core_share']}")
        want(near(blocked, t["block_s"], 2), f"{name}: waits {blocked}, blocked {t['block_s']}")
        want(near(slept, t["sleep_s"], 2), f"{name}: waits {slept}, sleeps {t['sleep_s']}")
        want(t["created_s"] + t["life_s"] <= end + 2 * TICK, f"{name}: outlives the run")
        line = t.get("timeline")
        for key in ("run_s", "block_s", "host_s") if line else ():
            want(near(sum(line[key]), t[key], 4), f"{name}: {key} of the timeline {sum(line[key])}, "
                 f"of the thread {t[key]}")
            want(max(line[key]) <= line["bin_s"] * (1 + 1e-5), f"{name}: {key} overfills a bin")
        if i != 1:
            parent = threads.get(t["parent"])
            want(parent is not None and parent["created_s"] <= t["created_s"], f"{name}: parent")
    for w in profile["sync"]:
        want(w["count"] > 0 and w["longest_s"] <= w["total_s"] + TICK and
             w["total_s"] <= w["longest_s"] * w["count"] + TICK, f"wait {w}")
        want(w.get("owner", w["thread"]) in threads, f"wait for nobody: {w}")
        want(w["kind"] == "omp idle" or w["at"].get("line", 0) > 0, f"wait at no line: {w}")
    cores = profile["parallelism"]["cores_s"]
    ran = sum(t["run_s"] for t in threads.values())
    weighed = sum(k * s for k, s in enumerate(cores))
    slack = 8 + 2 * sum(t["switches"] for t in threads.values())
    want(near(sum(cores), end, 2), f"parallelism covers {sum(cores)} of {end}")
    want(near(weighed, ran, slack), f"parallelism says {weighed}, threads ran {ran}")
    first = profile["threads"][0]
    # a region inside another one is in that one's counts
    outer = [r for r in profile["regions"]
             if "_omp_fn" not in r.get("from", {}).get("function", "")]
    parts = [(r, p) for r in outer for p in r["threads"] if p["thread"] == first["id"]]
    # which of so_nested's were forked by functions that regions call is not recorded
    if parts and "so_nested" not in profile["program"]:
        for e, n in first["events"].items():
            got = sum(p["events"].get(e, 0) for r, p in parts)
            want(got == n, f"main's {e}: {got} in its regions and between, {n} in all")
    for r in profile["regions"]:
        if r["name"] == "serial":
            continue
        want(r.get("line", 0) > 0, f"region {r['name']}: no line")
        for p in r["threads"]:
            want(p["run_s"] <= r["wall_s"] + (2 + r["calls"]) * TICK,
                 f"region {r['name']}: thread {p['thread']} ran {p['run_s']} of {r['wall_s']}")
        want("function" in r.get("from", {}), f"region {r['name']}: unknown who forked it")
    return bad
