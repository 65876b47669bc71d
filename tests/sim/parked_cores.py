#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Cores that `run --cores` leaves out are parked: they draw what a core in WFI draws, count nothing, and
do not appear in the results.

usage: parked_cores.py

Expected: mProfiler's table 3, within a step of the ADC; a parked core's energy is e_wfi_cycle of
mprofiler.conf for every cycle, and none of its counters moves.
"""
import os
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, check, finish, run_json  # noqa: E402

TABLE3 = {4: (1230193, 440732), 3: (1230057, 439127), 2: (1230117, 437874), 1: (1229794, 436677)}
STEP_UV, STEP_UA = 610, 244
WFI_PJ = 100.000  # per cycle


def run(folder, cores, app, *args):
    return run_json(folder, f"{APPS}/{app}.elf", *args, options=["--cores", cores])


def parked(r, used, what):
    check([c["core"] for c in r["cores"]] == used, f"{what}: results of cores {[c['core'] for c in r['cores']]}")
    for c in r["truth"]["cores"]:
        moved = {k: v for k, v in c["events"].items() if v != 0}
        if c["core"] in used:
            check(c["events"].get("instr", 0) > 1000, f"{what}: core {c['core']} did nothing")
            continue
        check(not moved, f"{what}: core {c['core']} is parked and counts {moved}")
        want = c["cycles"] * WFI_PJ * 1e-6
        check(abs(c["energy_uj"] - want) < 1e-4 * want + 0.01,
              f"{what}: core {c['core']} is parked and takes {c['energy_uj']} uJ, in WFI it would be {want}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        current = {}
        for n, (uv, ua) in TABLE3.items():
            r = run(folder, str(n), "idle", str(n), "1000")
            parked(r, list(range(n)), f"--cores {n}")
            p = r["adc"]["processor"]
            current[n] = p["i_avg_ua"]
            check(abs(p["i_avg_ua"] - ua) <= STEP_UA, f"--cores {n}: {p['i_avg_ua']:.0f} uA, table 3 has {ua}")
            check(abs(p["v_avg_uv"] - uv) <= STEP_UV, f"--cores {n}: {p['v_avg_uv']:.0f} uV, table 3 has {uv}")
            # In WFI because there is nothing to do, or parked: the same current.
            w = run(folder, "4", "idle", str(n), "1000")["adc"]["processor"]["i_avg_ua"]
            check(abs(w - p["i_avg_ua"]) <= STEP_UA, f"{4 - n} cores in WFI: {w:.0f} uA, parked {p['i_avg_ua']:.0f}")
        check(all(current[n] - current[n - 1] > STEP_UA for n in (4, 3, 2)), f"no steps: {current}")
        for cores, used in (("0,2", [0, 2]), ("0-1,3", [0, 1, 3])):
            parked(run(folder, cores, "idle", "4", "300"), used, f"--cores {cores}")
        # While the others work on shared data, too.
        parked(run(folder, "2", "matmul", "64", "float", "2"), [0, 1], "matmul")
    return finish("idle current, uA: " + ", ".join(f"{n} cores {ua:.0f}" for n, ua in current.items()))


if __name__ == "__main__":
    sys.exit(main())
