#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Strategies of mpjoule tune on landscapes whose answer is known, their talk with another optimiser, and landscapes that
are none. Nothing is run in the emulator but one small space, whose replay must be what was measured.
usage: tune_search.py"""
import itertools
import json
import math
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import ROOT, check, finish, mpjoule, must  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
COMMAND = os.environ.get("MPJOULE", f"{ROOT}/build/mpjoule")
LANDSCAPES = pathlib.Path(f"{ROOT}/tests/bench/landscapes")


def tune(*words, said=None, **options):
    return mpjoule("tune", *words, cwd=work, input=said, timeout=500, **options)


def landscape(name, axes, figures, roles=(), baseline=(), objectives=("time", "energy")):
    """figures: from the values of the axes by name, or a reason."""
    points = [figures(dict(zip(axes, at))) for at in itertools.product(*axes.values())]
    names = sorted({key for p in points if isinstance(p, dict) for key in p})
    (work / name).write_text(json.dumps({
        "schema": "mpjoule-landscape/1", "axes": [[k, [str(v) for v in values]] for k, values in axes.items()],
        "constraints": [], "objectives": list(objectives), "caps": [], "roles": list(roles),
        "baseline": [[k, str(v)] for k, v in baseline], "figures": names,
        "points": [[p.get(key) for key in names] if isinstance(p, dict) else p for p in points]}))


def replay(name, *words):
    r = tune("--replay", name, "--json", "-", *words)
    check(r.returncode == 0, f"{name} {words}: {r.returncode}, {r.stderr}")
    return json.loads(r.stdout)


def order(found, *axes):
    """Values of the points that were tried, in their order."""
    tried = sorted((p for p in found["points"] if "evaluation" in p), key=lambda p: p["evaluation"])
    return [tuple(p["at"][axis] for axis in axes) for p in tried]


def best(found, objective, *axes):
    return tuple(found["points"][found["best"][objective]]["at"][axis] for axis in axes)


# ---- co-running: figure 6 of ePRO-MP, where the search goes to (3,1) in eight runs ------------

PAPER = {(1, 1): 10, (2, 1): 8, (1, 2): 9.5, (3, 1): 7, (2, 2): 7.9, (4, 1): 7.2, (3, 2): 7.1, (4, 4): 7.5}
FOUR = [1, 2, 3, 4]
landscape("corun", {"mm": FOUR, "is": FOUR},
          lambda at: {"time": PAPER.get((at["mm"], at["is"]), 6), "energy": PAPER.get((at["mm"], at["is"]), 6)},
          [["threads", "mm"], ["threads", "is"]], [("mm", 4), ("is", 4)])
found = replay("corun", "--strategy", "co-running")
check(order(found, "mm", "is") == [("1", "1"), ("2", "1"), ("1", "2"), ("3", "1"), ("2", "2"), ("4", "1"), ("3", "2"),
                                   ("4", "4")], f"co-running went {order(found, 'mm', 'is')}")
check(best(found, "time", "mm", "is") == ("3", "1"), "co-running: not (3,1)")
check(abs(found["regret"]["time"] - 1 / 6) < 1e-9, f"regret {found['regret']}: not a sixth")
# Only when neither time nor energy improves, it ends: here energy still does.
landscape("both", {"a": FOUR, "b": [1]}, lambda at: {"time": at["a"], "energy": 10 - at["a"]}, [["threads", "a"]])
check(order(replay("both", "--strategy", "co-running"), "a") == [("1",), ("2",), ("3",), ("4",)],
      "ended while energy improved")

# ---- producer and consumer: threads to (4,1), the tile from 500 to 100, threads once more -------

TILES = [500, 250, 167, 125, 100, 83, 71, 62]


def pipeline(at):
    p, c, tile = at["p"], at["c"], at["tile"]
    cost = 100 / min(p, 4) * (1 + 0.05 * (p - 4) ** 2 * (p > 4)) + 3 * (c - 1) + abs(tile - 100) / 20
    return {"time": cost, "energy": cost, "wait_mm": 1.0 if p > 4 else 0.1, "wait_mt": 0.5}


landscape("pipe", {"p": [1, 2, 3, 4, 5], "c": FOUR, "tile": TILES}, pipeline,
          [["producer", "p"], ["consumer", "c"], ["tile", "tile"], ["producer_thread", "mm"], ["consumer_thread", "mt"]],
          [("p", 2), ("c", 2), ("tile", 500)])
found = replay("pipe", "--strategy", "producer-consumer")
check(best(found, "time", "p", "c", "tile") == ("4", "1", "100"), f"producer-consumer: {best(found, 'time', 'p', 'c', 'tile')}")
went = order(found, "p", "c", "tile")
check(went[:5] == [(str(p), "1", "500") for p in range(1, 6)], f"threads: {went}")
check(went[5:10] == [("4", "1", str(t)) for t in (250, 167, 125, 100, 83)], f"tiles: {went}")
check(went[-1] == ("2", "2", "500"), f"not compared with the baseline: {went}")

# ---- elimination: two options that harm, one of them only without the other ------------------------

FLAGS = ["a", "b", "c", "d"]


def options(at):
    on = {f for f in FLAGS if at[f] == "on"}
    cost = 100 + 10 * ("a" in on) + 5 * ("b" in on and "a" in on) - 5 * ("b" in on and "a" not in on) - 3 * ("c" in on) + (
        "d" in on)
    return {"time": cost}


landscape("flags", {f: ["off", "on"] for f in FLAGS}, options, [["flags", f] for f in FLAGS], objectives=["time"])
for name, want, most in (("batch-elimination", {"c"}, 6), ("iterative-elimination", {"b", "c"}, 11),
                         ("combined-elimination", {"b", "c"}, 10)):
    found = replay("flags", "--strategy", name)
    last = order(found, *FLAGS)[-1] if name.startswith("batch") else best(found, "time", *FLAGS)
    check({f for f, v in zip(FLAGS, last) if v == "on"} == want, f"{name}: {last}, not {want}")
    check(found["evaluations"] <= most, f"{name}: {found['evaluations']} evaluations")
landscape("broken", {f: ["off", "on"] for f in "ab"}, lambda at: "does not compile" if at["a"] == "on" else {"time": 1},
          [["flags", "a"], ["flags", "b"]], objectives=["time"])
check(best(replay("broken", "--strategy", "combined-elimination"), "time", "a")[0] == "off", "an option that fails stays")

# ---- schedules -----------------------------------------------------------------------------------

for waits, want in ((0.01, 1), (0.3, 2)):
    landscape("sched", {"s": ["static", "static,4", "dynamic,1", "guided"]},
              lambda at: {"time": 1 + len(at["s"]), "region_wait": waits}, [["schedule", "s"]], objectives=["time"])
    tried = order(replay("sched", "--strategy", "schedule"), "s")
    check(tried == [("static",), ("dynamic,1",)][:want], f"waits {waits}: {tried}")

# ---- the model: a smooth landscape, in a twentieth of its points --------------------------------------


def smooth(at):
    instr = 1e6 * {"x": 1.2, "y": 1.0, "z": 1.4}[at["o"]]
    busy = instr / 2e8 * (1 + 0.5 * abs(math.log(at["tile"] / 32)) + 0.05 * at["n"])
    time = busy / min(at["n"], 4) + 1e-4 * at["n"]
    return {"time": time, "busy": busy, "instr": instr, "energy": time * (0.4 + 0.05 * min(at["n"], 4))}


AXES = {"n": list(range(1, 9)), "tile": [2, 4, 8, 16, 32, 64, 128, 256], "o": ["x", "y", "z"], "p": [1, 2]}
landscape("smooth", AXES, smooth)
for draw in range(1, 6):
    for objective in ("time", "energy", "edp"):
        if objective == "edp":
            continue
        found = replay("smooth", "--strategy", "model", "--draw", draw, "-O", objective, "--evaluations", 20)
        check(found["evaluations"] <= 20 and found["regret"][objective] <= 0.01,
              f"model, {objective}, draw {draw}: {found['evaluations']} evaluations, regret {found['regret']}")
check(replay("smooth", "--strategy", "model") == replay("smooth", "--strategy", "model"), "another result of the same draw")
found = replay("smooth", "--svg", "smooth.svg")
circles = xml.etree.ElementTree.parse(work / "smooth.svg").getroot().findall("{http://www.w3.org/2000/svg}circle")
check(len(circles) == len(found["points"]) and sum(c.get("fill") != "#fff" for c in circles) == sum(
    p["front"] for p in found["points"]), "not every point is drawn")
found = replay("smooth", "-O", "time", "--why")
why = {r["axis"]: r for r in found["why"]}
for r in why.values():
    check(abs(r["time"] - r["instructions"] * r["cost"] / r["cores"]) < 1e-9, f"factors that do not make the time: {r}")
check(abs(why["o"]["instructions"] - 1.2) < 1e-9 and abs(why["o"]["cost"] - 1) < 1e-9, f"why {why['o']}")
check(abs(why["tile"]["instructions"] - 1) < 1e-9 and why["tile"]["cost"] > 1.1, f"why {why['tile']}")
r = tune("--replay", "smooth", "-O", "time", "--why")
check(r.stdout.count(": time x") == 4 and "instructions x1.200" in r.stdout, f"why as text: {r.stdout}")
found = replay("smooth", "--strategy", "model", "-O", "energy", "--cap", "time <= 0.003")
check(found["points"][found["best"]["energy"]]["time_s"] <= 0.003 and found["regret"]["energy"] <= 0.02,
      f"under a cap: {found['regret']}")
landscape("fails", {"n": [1, 2, 3, 4]}, lambda at: "exit status 1" if at["n"] < 4 else {"time": 1, "energy": 1})
check(best(replay("fails", "--strategy", "model"), "time", "n") == ("4",), "a space where nearly all fail")
landscape("none", {"n": [1, 2, 3, 4]}, lambda at: "exit status 1")
r = tune("--replay", "none", "--strategy", "model")
check(r.returncode == 125 and r.stderr.count("\n") == 1, f"all fail: {r.returncode}, {r.stderr}")

# ---- on measured landscapes of programs: not worse than what was reported ---------------------------------

for path in sorted(LANDSCAPES.glob("*.zst")):
    found = replay(path, "--strategy", "exhaustive", "-O", "energy")
    check(found["regret"]["energy"] == 0 and found["evaluations"] == len(found["points"]), f"{path.stem}: not the whole space")
    check(any(p["state"] == "measured" for p in found["points"]), f"{path.stem}: nothing measured")
good = []
for path in sorted(LANDSCAPES.glob("*.zst")):
    points = len(replay(path, "--evaluations", 1)["points"])
    most = max(8, -(-points // 20))
    regrets = [replay(path, "--strategy", "model", "-O", "energy", "--evaluations", most, "--draw", d)["regret"]["energy"]
               for d in (1, 2, 3)]
    good.append(statistics.median(regrets) <= 0.01)
check(sum(good) >= 0.9 * len(good) and len(good) >= 12, f"model: within 1 % on {sum(good)} of {len(good)} programs")
check(sum(p.stat().st_size for p in LANDSCAPES.glob("*.zst")) < 5e6, "landscapes of more than 5 MB")

# ---- how far it may be from the best of all -------------------------------------------------------------------

check(replay("smooth")["bound"] == {"time": 0, "energy": 0}, "all points were measured")
check(replay("smooth", "--strategy", "random", "--evaluations", 5)["bound"] == {}, "a bound from five points")
check("at most" not in tune("--replay", "smooth").stdout and
      "too few points, or too many" in tune("--replay", "smooth", "--strategy", "random", "--evaluations", 5).stdout, "its text")
# hundreds of points: the fit would take longer than the search
landscape("many", {"n": list(range(200)), "m": list(range(10))}, lambda at: {"time": 1 + at["n"] / 1000 + at["m"]}, objectives=["time"])
many = replay("many", "--strategy", "random", "--evaluations", 1500)
check(many["bound"] == {} and many["evaluations"] == 1500, f"many points: {many['bound']}")
# one axis, of which a half is known and the rest follows from it: nothing is left to find
landscape("line", {"n": list(range(1, 41))}, lambda at: {"time": 1 + at["n"] / 1000}, objectives=["time"])
line = replay("line", "--strategy", "random", "--evaluations", 20)
check(line["regret"]["time"] <= line["bound"]["time"] < 0.02, f"a line: {line['regret']}, {line['bound']}")
# a needle that nothing announces cannot be excluded while few points are known
landscape("noise", {"n": list(range(1, 101))}, lambda at: {"time": 1 + (at["n"] * 7919 % 101) / 101}, objectives=["time"])
noise = replay("noise", "--strategy", "random", "--evaluations", 20)
check(noise["bound"]["time"] > 0.05, f"noise: {noise['bound']}")
near = []  # searches that ended within 1 %, and bounds that were right
right = []
for path in sorted(LANDSCAPES.glob("**/*.zst")):
    for draw, objective in itertools.product((1, 2), ("time", "energy")):
        found = replay(path, "--strategy", "model", "-O", objective, "--draw", draw)
        check(found["bound"][objective] <= 0.01, f"{path.stem}: ended with a bound of {found['bound']}")
        near.append(found["regret"][objective] <= 0.01)
        right.append(found["regret"][objective] <= found["bound"][objective] + 1e-9)
check(sum(near) >= 0.95 * len(near) and sum(right) >= 0.95 * len(right) and len(near) >= 84,
      f"within 1 % in {sum(near)}, bounds right in {sum(right)} of {len(near)} searches")
# numbers that are not smooth: a mode between two worse ones, a tile that divides the work evenly; as measured of such a program
EVEN, MODE, LEVEL = {8: 1.023, 16: 1.009, 40: 1.0013, 80: 1, 240: 1.8}, (1.15, 1, 1.008), {"-O1": 1.43, "-O3": 1}
SCHEDULE = {"static": 1, "dynamic": 1.002, "guided": 1.001}


def uneven(p):
    time_s = 0.065 * EVEN[p["tile"]] * MODE[p["mode"]] * (1 + 3.9 / p["th"]) / 1.975 * SCHEDULE[p["s"]] * LEVEL[p["o"]]
    return {"time": time_s, "energy": 0.56 * time_s}


landscape("uneven", {"tile": EVEN, "mode": range(3), "th": range(1, 5), "s": SCHEDULE, "o": LEVEL}, uneven, baseline=[("th", 4)])
for draw in range(1, 12):
    found = replay("uneven", "--strategy", "model", "-O", "time", "--draw", draw)
    check(found["regret"]["time"] <= found["bound"]["time"] + 1e-9, f"uneven {draw}: {found['regret']}, {found['bound']}")
found = replay(path, "--strategy", "model", "-O", "time", "--within", 20)
check(0.01 < found["bound"]["time"] <= 0.2 or found["evaluations"] == 16, f"--within 20: {found['bound']}, {found['evaluations']}")

# ---- measured, written, replayed ----------------------------------------------------------------------------

(work / "p.c").write_text("#include <stdlib.h>\nint main(int c, char **v) { volatile int x = 0;\n"
                          "for (int i = 0; i < atoi(v[1]) * 100000; i++) x++; return c != 2; }\n")
must(COMMAND, "cc", "-O2", "p.c", "-o", "p.elf", cwd=work)
r = tune("--axis", "n=1..4", "--sample-ms", 1, "--landscape", "own.zst", "--json", "own.json", "p.elf", "--", "{n}")
check(r.returncode == 0, f"own: {r.stderr}")
measured = json.loads((work / "own.json").read_text())
check([p["objectives"] for p in replay("own.zst")["points"]] ==
      [{k: float(f"{v:.9g}") for k, v in p["objectives"].items()} for p in measured["points"]], "a replay of other figures")
check((work / "own.zst").read_bytes()[:4] == b"\x28\xb5\x2f\xfd", "not compressed")

# ---- another optimiser -----------------------------------------------------------------------------------------

r = tune("--tell", "--replay", "corun", "-O", "time", "--json", "told.json", said=
         '{"at": {"mm": "3", "is": "1"}}\n\nx\n[]\n{"at": {"mm": "9", "is": "1"}}\n{"at": {"mm": "4"}}\n{"at": {"mm": "4", "is": "4"}}\n')
lines = [json.loads(line) for line in r.stdout.splitlines()]
check([next(iter(line.get("objectives", {}).values()), None) for line in lines] == [7, None, None, None, None, 7.5] and
      sum("error" in line for line in lines) == 4 and r.returncode == 0, f"told: {r.stdout} {r.stderr}")
check(lines[0]["tell"] == 8, f"its number: {lines[0]}")
told = json.loads((work / "told.json").read_text())
check(told["strategy"] == "tell" and told["evaluations"] == 2, "told: other evaluations")
r = tune("--tell", "--replay", "corun", "-O", "time", said='{"at": {"mm": 3, "is": 1.0}}\n{"at": {"mm": 3.5, "is": 1}}\n'
         '{"at": {"mm": true, "is": 1}}\n{"at": {"mm": null, "is": 1}}\n')
lines = [json.loads(line) for line in r.stdout.splitlines()]
check(lines[0].get("tell") == 8 and ["error" in line for line in lines] == [False, True, True, True], f"numbers: {r.stdout}")
# what can be understood in two ways, or only in part, is refused
for said, says in (('{"at": {"mm": 3, "is": 1, "mm": 4}}', "twice"), ('{"at": {"mm": 3, "is": 1}, "at": {"mm": 4, "is": 1}}', "twice"),
                   ('{"at": {"mm": 3, "is": 1, "tile": 8}}', 'unknown axis \\"tile\\"'), ('{"at": {"mm": 3, "is": 1}}\0{}', "not an object"),
                   ('[{"at": {"mm": 3, "is": 1}}]', "not an object"), ('{"at": {"mm": 3, "is": 1}', "not an object"),
                   ('{"at": [3, 1]}', "no value of the axis mm"), ('{"at": {"mm": NaN, "is": 1}}', "not an object")):
    r = tune("--tell", "--replay", "corun", "-O", "time", said=f'{said}\n{{"at": {{"mm": 4, "is": 4}}}}\n')
    check(says in r.stdout.splitlines()[0] and r.stdout.count("\n") == 2 and '"tell": 15' in r.stdout, f"{said}: {r.stdout}")
(work / "only.yaml").write_text("axes: {a: 1..3, b: [x, y]}\nobjectives: time\nroles: {threads: a}\n")
with subprocess.Popen([COMMAND, "tune", "--ask", "--strategy", "co-running", "--json", "asked.json", "only.yaml"], cwd=work,
                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as asking:
    asked = []
    for line in asking.stdout:
        one = json.loads(line)
        if "error" in one:
            asked.append("error")
            continue
        asked.append(one["at"]["a"])
        if asked == ["1"]:
            asking.stdin.write('{"tell": 77, "figures": {}}\nnothing\n')
        answer = {"figures": {"time": 10 - int(one["at"]["a"])}} if one["at"]["a"] != "3" else {"failed": "too hot"}
        asking.stdin.write(json.dumps({"tell": one["ask"], **answer}) + "\n")
        asking.stdin.flush()
    asking.stdin.close()
check(asked == ["1", "error", "error", "2", "3"] and asking.returncode == 0, f"asked: {asked}, {asking.returncode}")
asked = json.loads((work / "asked.json").read_text())
check(best(asked, "time", "a") == ("2",) and asked["points"][4]["reason"] == "too hot", f"asked: {asked}")
for path in ("own.json", "told.json", "asked.json"):
    must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-tune.schema.json", work / path)
# figures that are none are refused, and asked for again: none becomes the best
BAD = ('null', '"0.5"', 'true', '[]', '{}', '-1', '0', '1e999')
for bad in BAD:
    r = tune("--ask", "--strategy", "co-running", "--json", "bad.json", "only.yaml", said="".join(
        f'{{"tell": {k}, "figures": {{"time": {figure}}}}}\n' for k, figure in ((0, bad), (0, 3), (2, 4))))
    got = [json.loads(line) for line in r.stdout.splitlines()]
    check(["error" in line for line in got] == [False, True, False], f"time {bad}: {r.stdout}")
    check(best(json.loads((work / "bad.json").read_text()), "time", "a") == ("1",), f"time {bad}: best")
r = tune("--ask", "only.yaml", said='{"tell": 0, "figures": {"time": 1, "energie": 2}}\n')
check('unknown figure \\"energie\\"' in r.stdout, f"a misspelt figure: {r.stdout}")
for bad in ('"figures": {"time": 1, "time": 2}', '"figures": {"time": 1}, "failed": "too hot"', '"figures": 1, "failed": "too hot"'):
    r = tune("--ask", "only.yaml", said=f'{{"tell": 0, {bad}}}\n')
    check(r.stdout.count('"error"') == 1 and r.returncode == 125, f"{bad}: {r.stdout}")
land = json.loads((work / "corun").read_text())
for bad, says in (("1", "point 3: time is not a number"), (True, "not a number"), (-1, "is -1"), (0, "not above 0")):
    row = list(land["points"][3])
    row[land["figures"].index("time")] = bad
    (work / "bad").write_text(json.dumps({**land, "points": land["points"][:3] + [row] + land["points"][4:]}))
    r = tune("--replay", "bad")
    check(r.returncode == 125 and says in r.stderr and r.stderr.count("\n") == 1, f"{bad}: {r.returncode} {r.stderr}")
r = tune("--ask", "only.yaml", said="")
check(r.returncode != 0 and "stdin ended" in r.stderr and r.stderr.count("\n") == 1, f"--ask without an answer: {r.stderr}")
for size, says in (((1 << 20) - 1, "stdin ended"), (1 << 20, "a line on stdin has more than 1048576 bytes")):
    r = tune("--ask", "only.yaml", said=" " * size + "\n")
    check(r.returncode == 125 and says in r.stderr and r.stderr.count("\n") == 1, f"--ask, {size} blanks: {r.stderr}")

r = tune("--replay", "/dev/zero")
check(r.returncode == 125 and "/dev/zero is too large for a landscape: more than" in r.stderr and r.stderr.count("\n") == 1,
      f"endless: {r.returncode} {r.stderr}")

# what was told is written, whatever ends it
OUTPUTS = ("--json", "part.json", "--csv", "part.csv", "--landscape", "part.land")
ANSWERS = "".join(json.dumps({"tell": n, "figures": {"time": 9 - n}}) + "\n" for n in range(6))


def told_of(what, want):
    part = json.loads((work / "part.json").read_text())
    check(part["evaluations"] == want == sum(p["state"] == "measured" for p in part["points"]) and
          part["best"]["time"] == want - 1, f"{what}: {part}")
    check(len((work / "part.csv").read_text().splitlines()) == 7, f"{what}: no CSV")
    check(sum(p["objectives"]["time"] < 10 for p in replay("part.land")["points"] if p["state"] == "measured") == want,
          f"{what}: another landscape")
    must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-tune.schema.json", work / "part.json")
    for name in OUTPUTS[1::2]:
        (work / name).unlink()


r = tune("--ask", *OUTPUTS, "only.yaml", said="".join(ANSWERS.splitlines(True)[:4]))
check(r.returncode == 0 and "stdin ended: 4 of 6 points were answered" in r.stderr and r.stderr.count("\n") == 1,
      f"--ask, its stdin ended: {r.returncode} {r.stderr}")
told_of("end of stdin", 4)
r = tune("--ask", *OUTPUTS, "--svg", "/dev/full", "only.yaml", said=ANSWERS)
check(r.returncode == 125 and "/dev/full" in r.stderr and r.stderr.count("\n") == 1, f"a full disk: {r.returncode} {r.stderr}")
told_of("a full disk", 6)
for how in ("a signal", "no reader"):
    with subprocess.Popen([COMMAND, "tune", "--ask", *OUTPUTS, "only.yaml"], cwd=work, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asking:
        for line in ANSWERS.splitlines(True)[:2]:
            asking.stdout.readline()
            asking.stdin.write(line)
            asking.stdin.flush()
        asking.stdout.readline()
        if how == "a signal":
            while asking.poll() is None:
                asking.send_signal(signal.SIGINT)
                time.sleep(0.1)
        else:
            asking.stdout.close()
            asking.stdin.write(ANSWERS.splitlines(True)[2])
            asking.stdin.flush()
        said = asking.stderr.read()
    check(asking.returncode == (130 if how == "a signal" else 125) and said.count("\n") == 1, f"{how}: {asking.returncode} {said}")
    told_of(how, 2 if how == "a signal" else 3)

# ---- what cannot be -------------------------------------------------------------------------------------------------

good = (work / "corun").read_text()
packed = (work / "own.zst").read_bytes()
(work / "cut.zst").write_bytes(packed[:len(packed) // 2])
(work / "bad.zst").write_bytes(packed[:40] + bytes(b ^ 0x55 for b in packed[40:60]) + packed[60:])
for name, content in (("empty", ""), ("text", "hello"), ("list", "[]"), ("schema", good.replace("landscape/1", "landscape/9")),
                      ("axes", good.replace('"axes"', '"taxes"')), ("few", good.replace("[7.5, 7.5]", "[7.5, 7.5], 3")),
                      ("value", good.replace('["1", "2", "3", "4"]', '["1", "1", "3", "4"]')),
                      ("number", good.replace('["1", "2", "3", "4"]', '[1, 2, 3, 4]')),
                      ("name", good.replace('"mm", ["1"', '"m m", ["1"'))):
    (work / name).write_text(content)
for name in ("empty", "text", "list", "schema", "axes", "few", "value", "number", "name", "cut.zst", "bad.zst", "missing", "."):
    r = tune("--replay", name)
    check(r.returncode == 125 and r.stderr.count("\n") == 1 and r.stderr.count("is not a landscape") <= 1,
          f"{name}: {r.returncode}, {r.stderr}")
    check(r.returncode == 125 and r.stderr.count("\n") == 1, f"{name}: {r.returncode}, {r.stderr}")
# texts of files and answers command no terminal
CODES = "x\x1b[31m\u009b\u202ey"
landscape("codes", {"a": [CODES, "ok"]}, lambda at: {"time": 1, "energy": 1} if at["a"] == "ok" else CODES,
          objectives=["time", f'"time" /* {CODES} */'])
(work / "codes.yaml").write_text(f"axes: {{a: [{json.dumps(CODES)}, ok]}}\nobjectives: time\n")
for words, said in ((["--replay", "codes", "--all"], None),
                    (["--ask", "codes.yaml", "--csv", "codes.csv", "--landscape", "codes.land"],
                     f'{json.dumps({"tell": 0, "failed": CODES})}\n{{"tell": 1, "figures": {{"time": 1}}}}\n'),
                    (["--replay", "codes.land", "--all"], None)):
    r = tune(*words, said=said)
    shown = r.stdout + r.stderr if "--ask" not in words else (work / "codes.csv").read_text().splitlines()[1].split(",")[2]
    check(r.returncode == 0 and "y" in shown and not any(c in shown for c in CODES[1] + "\u009b\u202e"),
          f"{words}: {r.returncode}, {r.stderr}, {shown!r}")
for words, says in ((["--replay", "corun", "--strategy", "producer-consumer"], "roles"),
                    (["--replay", "pipe", "--strategy", "co-running"], "roles"),
                    (["--replay", "corun", "--strategy", "schedule"], "roles"),
                    (["--replay", "corun", "--strategy", "batch-elimination"], "flags"),
                    (["--replay", "corun", "--stop"], "omit"), (["--replay", "corun", "p.elf"], "omit"),
                    (["--replay", "corun", "--axis", "n=1..2"], "omit"), (["--ask", "--replay", "corun"], "omit"),
                    (["--ask", "--tell", "only.yaml"], "exclude"), (["--replay", "corun", "-O", "watts"], "no such column"),
                    (["--replay", "corun", "--evaluations", "0"], "--evaluations"),
                    (["--replay", "corun", "--within", "0"], "--within"),
                    (["--replay", "corun", "--landscape", "/nowhere/x"], "/nowhere")):
    r = tune(*words)
    check(r.returncode == 125 and says in r.stderr and r.stderr.count("\n") == 1, f"{words}: {r.returncode}, {r.stderr}")
for old, new, says in (("threads: a", "threads: c", "unknown axis c"), ("threads: a", "thread: a", "unknown role"),
                       ("roles: {threads: a}", "baseline: {a: 9}", "no axis a with the value 9"),
                       ("roles: {threads: a}", "roles: [a]", "only.yaml:3")):
    (work / "only.yaml").write_text("axes: {a: 1..3, b: [x, y]}\nobjectives: time\nroles: {threads: a}\n".replace(old, new))
    r = tune("--ask", "only.yaml", said="")
    check(r.returncode == 125 and says in r.stderr and r.stderr.count("\n") == 1, f"{new}: {r.stderr}")

shutil.rmtree(work)
sys.exit(finish())
