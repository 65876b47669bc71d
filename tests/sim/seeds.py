#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`mpjoule run --seeds`: its figures against those of single runs, and what it refuses.
usage: seeds.py"""
import fcntl
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, ROOT, cc, check, finish, load, mpjoule, must  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
elf = cc(f"{ROOT}/tests/programs/seeds.c", work / "seeds.elf", "-O2", "-pthread")
PLAIN = ["--no-threads", "--model", "none", "-o", "run.mpj"]


def run(*options, program=(elf,), jitter=4):
    return mpjoule("run", *PLAIN, *options, *program, cwd=work, env={**os.environ, "MPJOULE_QEMU_MACHINE": f"jitter={jitter}"})


def fine(*options, **more):
    """What a run that has to succeed printed."""
    done = run(*options, **more)
    check(done.returncode == 0 and done.stderr == "", f"{options}: {done.returncode}, {done.stderr}")
    return done.stdout


def near(a, b, by=1e-9):
    return abs(a - b) <= by * max(abs(a), abs(b))


# ---- the figures are those of single runs ------------------------------------------------------------

text = fine("--seeds", 5, "--seed", 7, "--sample-ms", 0.1, "--json", "all.json")
check(fine("--seeds", 5, "--seed", 7, "--sample-ms", 0.1, "--json", "again.json", "-j", 1) == text, "two reports differ")
check((work / "all.json").read_bytes() == (work / "again.json").read_bytes(), "two JSON files differ")
must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-run.schema.json", work / "all.json")
everything = load(work / "all.json")
seeds = everything.pop("seeds")
check([one["seed"] for one in seeds["runs"]] == [7, 8, 9, 10, 11], f"seeds: {seeds['runs']}")
check(text.startswith("pushed\n") and text.count("pushed") == 1 and "\nSeeds 7 to 11 " in text, f"report: {text}")
for one in seeds["runs"]:
    fine("--seed", one["seed"], "--sample-ms", 0.1, "--json", "one.json", "-o", "one.mpj")
    single = load(work / "one.json")
    truth = single["truth"]
    check(one["exit_status"] == 0 and one["time_s"] == single["time_s"] and one["energy_uj"] == truth["energy_uj"] and
          one["adc_energy_uj"] == single["adc"]["processor"]["energy_uj"] and
          one["transfers"] == sum(n for name, n in truth["scu"]["events"].items() if "_c2c_" in name), f"seed {one['seed']}: {one}")
    check(one["seed"] != 7 or single == everything, "the JSON is not that of the first run")
for key, title, scale in (("time_s", "time, ms", 1e3), ("energy_uj", "energy, mJ", 1e-3),
                          ("adc_energy_uj", "energy by the ADC, mJ", 1e-3), ("transfers", "lines between cores", 1)):
    values = [one[key] for one in seeds["runs"]]
    v = seeds[key]
    deviation = statistics.stdev(values)
    check(near(v["mean"], statistics.mean(values)) and near(v["standard_deviation"], deviation, 1e-6) and deviation > 0 and
          near(v["least"], min(values)) and near(v["most"], max(values)), f"{key}: {v} of {values}")
    row = [line.split() for line in text.splitlines() if line.startswith(f" {title} ")]
    digits = 1 if key == "transfers" else 4
    mean, deviation, least, most = (f"{v[name] * scale:.{digits}f}" for name in ("mean", "standard_deviation", "least", "most"))
    expected = [mean, deviation, f"{100 * v['standard_deviation'] / v['mean']:.2f}", "%", least, most]
    check(len(row) == 1 and row[0][-6:] == expected, f"{key}: {row}, not {expected}")

# The store is the first run's. Nothing disturbs a chip without jitter, and a short run has no sample of the ADC.
fine("--seeds", 2, "--seed", 9)
fine("--seed", 9, "-o", "nine.mpj")
differ = mpjoule("diff", "nine.mpj", "run.mpj", cwd=work)
check(differ.returncode == 0 and differ.stdout.count("+0.000 %") == 2, f"diff: {differ.stdout}")
text = fine("--seeds", 3, "--json", "still.json", jitter=0)
still = load(work / "still.json")["seeds"]
for key in ("time_s", "energy_uj", "transfers"):
    v = still[key]
    check(v["standard_deviation"] == 0 and v["least"] == v["mean"] == v["most"] > 0, f"{key} without jitter: {v}")
check("adc_energy_uj" not in still and " ADC, mJ" not in text and text.count("  0.00 %") == 3, f"without jitter: {text}")

# ---- where it goes --------------------------------------------------------------------------------------

done = run("--seeds", 5, "--seed", 7, "--sample-ms", 0.1, "--json", "-")
check(done.returncode == 0 and done.stderr == "pushed\n" and done.stdout == (work / "all.json").read_text(), f"--json -: {done.stderr}")
check(fine("--seeds", 2, "--quiet") == "pushed\n", "--quiet: a table")
text = fine("--stdout", "out.txt", "--seeds", 2)
check((work / "out.txt").read_text() == "pushed\n" and " - " not in text, f"--stdout: {text}")

# ---- runs that fail -------------------------------------------------------------------------------------

status = {seed: run("--quiet", "--seed", seed, program=(elf, "--", 500, "x")).returncode for seed in range(1, 13)}
check(set(status.values()) == {0, 3}, f"exit statuses: {status}")
first = next(seed for seed in status if status[seed] == 0 and 3 in list(status.values())[seed:])
bad = next(seed for seed in status if seed > first and status[seed] == 3)
span = bad - first + 1
done = run("--seeds", span, "--seed", first, "--json", "some.json", program=(elf, "--", 500, "x"))
check(done.returncode == 3 and done.stderr == f"mpjoule: seed {bad}: exit status 3; 1 of {span} seeds failed. --seed {bad} repeats "
      "this run\n", f"a later seed fails: {done.returncode}, {done.stderr}")
some = load(work / "some.json")["seeds"]
check([one["exit_status"] for one in some["runs"]] == [0] * (span - 1) + [3] and "time_s" not in some["runs"][-1], f"runs: {some}")
check(("standard_deviation" in some["time_s"]) == (span > 2), f"of {span - 1} runs: {some}")
must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-run.schema.json", work / "some.json")
done = run("--seeds", 3, "--seed", bad, "--json", "-", program=(elf, "--", 500, "x"))
check(done.returncode == 3 and done.stderr == f"pushed\nmpjoule: seed {bad}: exit status 3; no other seed was tried\n" and
      '"seeds"' not in done.stdout and '"exit_status": 3' in done.stdout, f"the first fails: {done.returncode}, {done.stderr}")

# Interrupted when the first run has ended: its store stays, with its JSON, which is there before the others have ended.
fine("--seed", 1, "--json", "single.json", "-o", "single.mpj", jitter=0)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
    (work / "run.mpj").unlink()
    (work / "all.json").write_text("an older run's")
    with subprocess.Popen([MPJOULE, "run", *PLAIN, "--seeds", "64", "--json", "all.json", elf], cwd=work, text=True,
                          env={**os.environ, "MPJOULE_QEMU_MACHINE": "jitter=0"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as going:
        while not (work / "run.mpj").exists() and going.poll() is None:
            time.sleep(0.01)
        while (work / "all.json").read_text() == "an older run's" and going.poll() is None:
            time.sleep(0.01)
        going.send_signal(number)
        out, err = going.communicate()
    ends = (-9, "") if number == signal.SIGKILL else (130, "mpjoule: interrupted\n")
    check((going.returncode, err) == ends and "Seeds " not in out, f"{number}: {going.returncode}, {err}")
    check((work / "all.json").read_bytes() == (work / "single.json").read_bytes(), f"{number}: the JSON is not that of the store")

def terminal(slave):
    """Makes a pseudo-terminal that of the process and its children."""
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


# A run that does not end: a signal to the command alone ends that, too, as Ctrl-C at the terminal of both does; what the first run made is
# as above.
JITTER = {**os.environ, "MPJOULE_QEMU_MACHINE": "jitter=4"}
HANGS = [*PLAIN, "--timeout", "0", "--seeds", "2", "--seed", str(bad - 1), "--json", "all.json", elf, "--", "500", "h"]
for number in (signal.SIGINT, signal.SIGTERM, "Ctrl-C"):
    (work / "all.json").write_text("an older run's")
    master, slave = os.openpty()
    with subprocess.Popen([MPJOULE, "run", *HANGS], cwd=work, text=True, env=JITTER, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=lambda tty=slave: terminal(tty)) as going:
        children = pathlib.Path(f"/proc/{going.pid}/task/{going.pid}/children")
        while (work / "all.json").read_text() == "an older run's" and going.poll() is None:
            time.sleep(0.01)
        while not (others := children.read_text().split()) and going.poll() is None:
            time.sleep(0.01)
        time.sleep(0.5)  # it has caught signals, and its emulator runs
        if number == "Ctrl-C":
            os.write(master, b"\x03")
        else:
            going.send_signal(number)
        try:
            out, err = going.communicate(timeout=100)
        except subprocess.TimeoutExpired:
            going.kill()
            out, err = going.communicate()
    os.close(master)
    os.close(slave)
    check((going.returncode, err) == (130, "mpjoule: interrupted\n") and "Seeds " not in out, f"{number}, a run hangs: {going.returncode}, {err}")
    check(len(others) == 1 and not pathlib.Path(f"/proc/{others[0]}").exists(), f"{number}: a run is left: {others}")
    check("seeds" not in load(work / "all.json"), f"{number}: the JSON has figures of a run that was interrupted")

# A child that the process had before it was mpjoule is none of its runs. (The child of the fork ends at once.)
wanted = fine("--seeds", 2)
done = mpjoule("run", *PLAIN, "--seeds", 2, elf, cwd=work, env=JITTER, preexec_fn=lambda: os.fork() or os._exit(0))
check((done.returncode, done.stdout, done.stderr) == (0, wanted, ""), f"with a child of another: {done.returncode}, {done.stderr}")

# ---- the input of several runs --------------------------------------------------------------------------

(work / "input").write_text("read by all")
for name in ("input", "/dev/null"):
    check(fine("--seeds", 2, "--quiet", "--stdin", name) == "pushed\n", f"--stdin {name}")
os.mkfifo(work / "fifo")
for name in ("fifo", "/dev/fd/0", "/dev/zero", "."):
    done = mpjoule("run", "-o", "bad.mpj", "--seeds", 2, "--stdin", name, elf, cwd=work, input="read by one")
    check(done.returncode == 125 and done.stderr.endswith("--seeds reads --stdin several times: it must be a regular file\n") and
          done.stderr.count("\n") == 1 and not (work / "bad.mpj").exists(), f"--stdin {name}: {done.returncode}, {done.stderr}")

# ---- what makes no sense --------------------------------------------------------------------------------

for words, says in ((["1"], "from 2 to 64"), (["65"], "from 2 to 64"), (["x"], "from 2 to 64"), (["2", "--target", "/dev/null"], "a board has no seed"),
                    (["2", "--assumptions"], "--assumptions"), (["2", "--what-if", "miss:l2=0", "--spread"], "--spread"),
                    (["2", "--learned", "file", "--env", "MPJ_ADAPT=time"], "--learned"), (["2", "--gdb"], "--gdb"),
                    (["2", "--bound", "1:0"], "--bound"), (["2", "--stdin", "-"], "--stdin"), (["2", "--calibration", "none"], "none"),
                    (["3", "--seed", 2**63 - 2], "--seed is too large")):
    done = run("-o", "bad.mpj", "--seeds", *words)
    check(done.returncode == 125 and done.stdout == "" and done.stderr.count("\n") == 1 and "--seed" in done.stderr and
          says in done.stderr and not (work / "bad.mpj").exists(), f"{words}: {done.returncode}, {done.stderr}")
done = run("--seeds", 3, program=("nothing.elf",))
check(done.returncode == 125 and done.stderr.count("\n") == 1, f"no program: {done.returncode}, {done.stderr}")

shutil.rmtree(work)
sys.exit(finish())
