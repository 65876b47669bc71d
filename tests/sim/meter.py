#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An external power meter beside a run, a fake one: its clock is found to 1 ms, its energy is compared,
and whatever it does instead of measuring is one line and no failure.
usage: meter.py"""
import json
import os
import random
import sqlite3
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import APPS, MPJOULE, TIMEOUT_S, check, finish, mpjoule, write  # noqa: E402

OFFSET, SKEW, GAIN, MORE = 98.7654321, 150e-6, 1.02, 0.75
UV, NA = 610, 244000  # steps of the ADC


def adc(store):
    """[(seconds of the program, watts)]"""
    with sqlite3.connect(store) as db:
        rows = db.execute("SELECT (a.time - p.time_begin) * 1.0 / p.time_hz, a.code0, a.code2 FROM adc a, pass p WHERE a.pass = 0 "
                          "AND p.id = 0 AND a.time BETWEEN p.time_begin AND p.time_end ORDER BY a.time").fetchall()
    return [(t, v * UV * 1e-6 * i * NA * 1e-9) for t, v, i in rows]


def run(work, command, *more):
    done = mpjoule("run", "--quiet", "--sample-ms", "1", "--json", f"{work}/m.json", "-o", f"{work}/m.mpj", *more,
                   *(["--meter", command] if command is not None else []), f"{APPS}/phases.elf", "--", "2", "60")
    with open(f"{work}/m.json", encoding="utf-8") as f:
        return done, json.load(f).get("meter")


def main():
    random.seed(1)
    with tempfile.TemporaryDirectory() as work:
        plain, none = run(work, None)
        check(plain.returncode == 0 and none is None, f"without a meter: {none}")
        truth = adc(f"{work}/m.mpj")
        end = truth[-1][0]
        # what a meter shows: the same power, sampled at other moments, noise, its own clock, what else is on the supply
        lines, t, k = ["# seconds watts"], -0.4, 0
        while t < end + 0.3:
            while k + 1 < len(truth) and truth[k + 1][0] <= t:
                k += 1
            if 0 <= t <= end and k + 1 < len(truth):
                part = (t - truth[k][0]) / (truth[k + 1][0] - truth[k][0])
                watts = truth[k][1] + (truth[k + 1][1] - truth[k][1]) * min(max(part, 0), 1)
            else:
                watts = 0.2
            lines.append(f"{OFFSET + (1 + SKEW) * t:.7f} {GAIN * watts + MORE + random.gauss(0, 0.01):.6f}")
            t += 0.00083
        fake = write(f"{work}/lines", "\n".join(lines) + "\n")

        # in one piece: a run that is over does not wait for the rest
        all_at_once = f"dd bs=16M iflag=fullblock status=none <{fake}"
        done, m = run(work, all_at_once)
        check(done.returncode == 0 and done.stderr == "", f"with a meter: {done.stderr}")
        if "problem" in m:
            check(False, f"not aligned: {m}")
            return finish("")
        at_end = (m["offset_s"] - OFFSET) + (m["skew_ppm"] * 1e-6 - SKEW) * end
        check(abs(m["offset_s"] - OFFSET) < 1e-3 and abs(at_end) < 1e-3, f"its clock: {m['offset_s'] - OFFSET}, {at_end} at the end")
        check(abs(m["gain"] - GAIN) < 0.03 and m["correlation"] > 0.85, f"gain: {m}")
        with open(f"{work}/m.json", encoding="utf-8") as f:
            energy = json.load(f)["adc"]["processor"]["energy_uj"]
        want = GAIN * energy + MORE * end * 1e6
        check(abs(m["energy_uj"] / want - 1) < 0.002, f"energy: {m['energy_uj']}, not {want}")
        check(abs(m["adc_difference_percent"] - 100 * (m["energy_uj"] - energy) / energy) < 0.01, f"difference: {m}")
        # a meter changes no other result
        again = adc(f"{work}/m.mpj")
        check(again == truth, "the ADC's samples are others")
        summary = mpjoule("report", f"{work}/m.mpj").stdout
        check(" mJ by the external one (error not stated): +" in summary, f"the summary: {summary}")
        details = mpjoule("report", "--details", f"{work}/m.mpj").stdout
        check("its clock showed 98.76" in details, f"the details: {details}")

        # what a meter may do instead; one that goes on does so for longer than this test waits for a command
        forever = f"sleep {2 * TIMEOUT_S}.{os.getpid()}"  # nobody else's
        for command, says, warned in (
                (f"{all_at_once}; {forever}", None, None),
                (f"cat {fake} | {all_at_once.split(' <')[0]}; {forever} | cat", None, None),
                ("echo no device >&2; exit 3", "m.meter: the meter said nothing", "ended with status 3: no device"),
                ("/nowhere/meter", "m.meter: the meter said nothing", "ended with status 127"),
                ("echo 1 2; echo 1 2", "m.meter:2: time does not ascend", None),
                ("echo 1 volt", "m.meter:1: two numbers", None),
                ("echo 1 2; echo 2 3", "too few samples", None),
                (f"head -n 200 {fake}", "shorter than", None),
                ("head -c 100000 /dev/urandom", "", None),
                ("seq 0 0.01 1 | sed 's/.*/& 0.5/'", "does not follow", None)):
            done, m = run(work, command)
            check(done.returncode == 0, f"{command}: status {done.returncode}: {done.stderr}")
            check((says is None) == ("problem" not in m) and (says is None or says in m["problem"]), f"{command}: {m}")
            check(done.stderr.count("\n") == (warned is not None) and (warned is None or warned in done.stderr), f"{command}: {done.stderr}")
            check("no second opinion: " in mpjoule("report", f"{work}/m.mpj").stdout or says is None, f"{command}: the summary")
        left = os.popen("ps -eo args").read()
        check(forever not in left.splitlines(), "what the meter has started lives on")
        # a run without one leaves nothing of an earlier one; nothing else is left behind
        _, m = run(work, "")
        check(m is None and sorted(os.listdir(work)) == ["lines", "m.json", "m.mpj", "m.mplog"], f"left: {sorted(os.listdir(work))}")
        # another run into the same files, while one is going on, fails and leaves its meter alone
        write(f"{work}/other", f"cat {fake}; exec {MPJOULE} run --quiet --meter 'echo 1 2' -o {work}/m.mpj {APPS}/hello.elf >{work}/told 2>&1")
        done, m = run(work, f"sh {work}/other")
        told = open(f"{work}/told", encoding="utf-8").read()
        check(done.returncode == 0 and m is not None and m["samples"] > 100, f"beside another run: {m}")
        check("another process" in told and told.count("\n") == 1, f"the other run was told: {told}")
        for name in ("other", "told"):
            os.remove(f"{work}/{name}")
        # one that fails leaves the older run, and what its meter said
        run(work, all_at_once)
        mpjoule("run", "--quiet", "-o", f"{work}/m.mpj", "--meter", "echo 1 2", f"{work}/lines")
        check(open(f"{work}/m.meter", "rb").read() == open(fake, "rb").read(), "the older meter's lines are gone")
        # what the meter said of a failed attempt is kept; the next one without a meter leaves none
        for command, kept in (("echo 1 2", "1 2\n"), ("", None)):
            done = mpjoule("run", "--quiet", "-o", f"{work}/m.mpj", "--timeout", "2", "--meter", command, f"{APPS}/phases.elf", "--", "100000", "60")
            name = f"{work}/m.failed.meter"
            text = open(name, encoding="utf-8").read() if os.path.exists(name) else None
            check(done.returncode == 124 and text == kept, f"a failed attempt: status {done.returncode}, kept {text}: {done.stderr}")
        # so is that of a run that was killed
        write(f"{work}/m.meter.new", "3 4\n")
        run(work, all_at_once)
        check(open(f"{work}/m.failed.meter", encoding="utf-8").read() == "3 4\n", "what the killed run's meter said is gone")
        # another run's file is not taken for this one's
        write(f"{work}/m.meter", open(fake, encoding="utf-8").read() + "# another\n")
        text = mpjoule("report", "--format", "json", f"{work}/m.mpj").stdout
        check(json.loads(text)["meter"] == {"problem": "m.meter is of another run"}, f"another run's file: {json.loads(text)['meter']}")
    return finish("a meter's clock to 1 ms, and ten meters that are none")


if __name__ == "__main__":
    sys.exit(main())
