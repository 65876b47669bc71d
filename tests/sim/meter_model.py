#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Energy on a board without an ADC, the OX820: an external meter of two channels measures a run and a campaign, a model is fitted to
each channel, and it is as good as the emulator's truth says; what is no measurement is one line.
usage: meter_model.py"""
import json
import os
import sqlite3
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/../harness")
import harness  # noqa: E402
from harness import FIRMWARE, check, finish, mpjoule, write  # noqa: E402

BOARD = "ox820"
BASIS = f"{FIRMWARE}/board/{BOARD}/apps/basis.elf"
COUNT = 10
FAULTS = {"unit": 'channel core has the unknown unit "furlong"', "twice": "channel core is there twice",
          "words": "a number is expected in each column", "micro": "W on average: are its values really in A? if they are uA",
          "flat": "does not show when the program began and ended", "ended": "ended with status 1: the bus does not answer"}
# What the small model counts: two passes, not all.
EVENTS = {"format": "mpjoule-model/1", "name": "events", "method": "by hand", "constant_mw": 100,
          "terms": [{"predictor": p, "coefficient_mw_s": 1e-7} for p in ("run_cycles", "instr", "dl1_access")],
          "statistics": {}, "provenance": {}}


def model(*args, status=0):
    done = mpjoule("model", *args)
    check(done.returncode == status, f"model {' '.join(args)}: status {done.returncode}: {done.stdout[-300:]}{done.stderr[-500:]}")
    return done


def compare(arguments, meter):
    """Two runs without the emulator's truth, as on silicon: diff goes by the meter, and does not compare with a run without it."""
    for name in ("one", "again", "none"):
        by = ["--meter", meter] if name != "none" else []
        done = mpjoule("run", "--quiet", *by, "-o", f"{name}.mpj", BASIS, "--", *arguments.split())
        check(done.returncode == 0, f"{name}: {done.stderr}")
        with sqlite3.connect(f"{name}.mpj") as db:
            db.execute("DELETE FROM truth")
    said = mpjoule("diff", "one.mpj", "again.mpj").stdout
    check(" by the external meter\n" in said, f"diff of two runs by the meter: {said}")
    said = mpjoule("diff", "one.mpj", "none.mpj").stdout
    check("Energy        not compared: A's is by the external meter, B's not known\n" in said, f"diff with a run without the meter: {said}")


def gate(arguments, meter):
    """The gate of a board whose energy only a meter knows: the same program passes, one that draws 5 % more does not."""
    write("gate.yaml", json.dumps({"programs": {"basis": {"program": BASIS, "arguments": arguments.split(), "limits": {"energy": "1 %"}}}}))
    write("gate.sh", f'''sed "s|^    notes: .*|&\\n    meter: '{meter}'|" "$MPJOULE_BOARDS" >boards.yaml
export MPJOULE_BOARDS=boards.yaml
gate() {{ "{harness.MPJOULE}" gate --target emulated --repeat 2 "$@"; }}
gate --update && gate; echo "same: $?"; cp more truths; gate; echo "more: $?"
''')
    with open("truths", encoding="utf-8") as f:
        truths = json.load(f)
    seconds, watts = truths["others"]
    write("more", json.dumps(dict(truths, others=[seconds, watts * 1.05])))
    done = mpjoule("boards", "--emulate", BOARD, "--ram", "--link", "line", "--", "bash", "gate.sh")
    check("same: 0\n" in done.stdout and "more: 1\n" in done.stdout and "REGRESSION basis: energy" in done.stdout, f"the gate: {done.stdout}{done.stderr}")
    write("truths", json.dumps(truths))


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        write("events.json", json.dumps(EVENTS))
        # the truth of each program, by a run of its own
        truths = {}
        for line in model("generate", "--board", BOARD, "--count", str(COUNT)).stdout.splitlines():
            name, _, _, arguments = line.split("|")
            done = mpjoule("run", "--quiet", "--json", "r.json", BASIS, "--", *arguments.split())
            check(done.returncode == 0, f"{name}: {done.stderr}")
            with open("r.json", encoding="utf-8") as f:
                r = json.load(f)
            check("adc" not in r and r["time_s"] > 0.01, f"{name}: {r['time_s']} s, ADC: {r.get('adc')}")
            truths[name] = [r["time_s"], r["truth"]["energy_uj"] / 1e6 / r["time_s"]]
            truths.setdefault("run", truths[name])
            truths.setdefault("others", truths[name])
            first = arguments if len(truths) == 3 else first
        write("truths", json.dumps(truths))
        meter = f"{sys.executable} {HERE}/ina226.py {work}/truths"

        # a run
        done = mpjoule("run", "--quiet", "--meter", meter, "-o", "run.mpj", "--json", "r.json", BASIS, "--", *first.split())
        check(done.returncode == 0 and done.stderr == "", f"a run: {done.stderr}")
        with open("r.json", encoding="utf-8") as f:
            m = json.load(f)["meter"]
        seconds, watts = truths["run"]
        check("problem" not in m and [c["name"] for c in m.get("channels", [])] == ["core", "board"], f"its channels: {m}")
        if "problem" not in m:
            check(abs(m["energy_uj"] / (seconds * watts * 1e6) - 1) < 0.01, f"its energy: {m}, not {seconds * watts}")
            check(m["channels"][0]["unit"] == "V*mA" and m["channels"][1]["energy_uj"] > m["energy_uj"], f"its channels: {m}")
        summary = mpjoule("report", "run.mpj").stdout
        check("mJ by the external meter, channel core (+-0.2 %)\n" in summary and "channel board (error not stated)" in summary and
              "not measured" not in summary, f"the summary: {summary}")

        # campaigns, and what is fitted to them
        campaign = ["campaign", "--board", BOARD, "--count", str(COUNT), "--model", "events.json", "--quiet"]
        for channel in ("core", "board"):
            model(*campaign, "-o", f"{channel}.mpc", "--meter", meter, "--meter-channel", channel)
            fitted = model("fit", f"{channel}.mpc", "-o", f"{channel}.json", "--events", "run_cycles,instr,dl1_access").stdout
            check(f"fitted to the external meter, channel {channel}" in fitted, f"the fit: {fitted}")
            model("verify", f"{channel}.json", f"{channel}.mpc")
        with sqlite3.connect("core.mpc") as db:
            rows = db.execute("SELECT name, energy_uj / time_s / 1e6 FROM run JOIN program ON program = id WHERE pass = 0").fetchall()
        check(len(rows) == COUNT, f"{len(rows)} programs")
        for name, watts in rows:
            check(watts and abs(watts / truths[name][1] - 1) < 0.01, f"{name}: {watts} W, not {truths[name][1]}")
        check(not os.path.exists("core.mpc.work"), "the campaign's files are left")
        # the same campaign by something else is another one; a model and another channel do not fit
        said = model(*campaign, "-o", "core.mpc", status=125).stderr
        check("its power is by the meter, channel core, not by the ADC" in said, f"without the meter: {said}")
        said = model("verify", "core.json", "board.mpc", status=125).stderr
        check("was fitted to the external meter core" in said and said.count("\n") == 1, f"another channel: {said}")
        done = mpjoule("run", "--quiet", "--model", "core.json", "--meter", meter, "-o", "run.mpj", "--json", "r.json", BASIS, "--", *first.split())
        with open("r.json", encoding="utf-8") as f:
            r = json.load(f)
        check(abs(r["model"]["meter_difference_percent"]) < 5 and "adc_difference_percent" not in r["model"], f"the model: {r['model']}")
        check(abs(r["model"]["energy_uj"] / r["truth"]["energy_uj"] - 1) < 0.05, f"{r['model']}, true {r['truth']['energy_uj']}")
        cores = sum(core.get("energy_uj", 0) for core in r["cores"])
        check(abs(cores / r["model"]["energy_uj"] - 1) < 1e-6, f"the model's cores draw {cores} of {r['model']['energy_uj']} uJ")
        model("verify", "core.json", "run.mpj")
        compare(first, meter)
        gate(first, meter)
        report = mpjoule("report", "--model", "core.json", "run.mpj").stdout
        check("% against meter core" in report, f"the model in the report: {report}")
        without = mpjoule("run", "--quiet", "--model", "core.json", "-o", "bare.mpj", BASIS, "--", *first.split())
        report = mpjoule("report", "--model", "core.json", "bare.mpj").stdout
        check(without.returncode == 0 and "its stated error is" in report and "not measured here" in report, f"a model alone: {report}")

        # bad streams: of a run a line of the report, of a campaign a failed pass
        for fault, says in FAULTS.items():
            done = mpjoule("run", "--quiet", "--meter", f"{meter} {fault}", "-o", "run.mpj", BASIS, "--", *first.split())
            check(done.returncode == 0, f"{fault}: status {done.returncode}: {done.stderr}")
            said = done.stderr + mpjoule("report", "run.mpj").stdout
            check(len([line for line in said.splitlines() if says in line]) == 1, f"{fault}: {said}")
        said = model("campaign", "--board", BOARD, "--count", "1", "--model", "events.json", "-o", "bad.mpc", "--meter", f"{meter} micro",
                     status=125).stderr
        check(FAULTS["micro"] in said, f"a campaign: {said}")
        said = model(*campaign, "-o", "none.mpc", "--meter-channel", "core", status=125).stderr
        check("no external meter given" in said, f"no meter: {said}")
        said = model("campaign", "--board", BOARD, "--count", "1", "--model", "events.json", "-o", "no.mpc", "--meter", meter, "--meter-channel",
                     "usb", status=125).stderr
        check("no channel usb" in said, f"no such channel: {said}")
    return finish("a meter of two channels on a board without an ADC, and two models by it")


if __name__ == "__main__":
    sys.exit(main())
