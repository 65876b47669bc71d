#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports of profiles that were made (tests/unit/profile_maker.c), read by programs of others: the totals
they print are ours. First one of the emulator's truth, then what a board measures at entries and exits, and what
it estimates from samples, without a truth.

usage: exports.py callgrind|folded|speedscope|pprof|perfetto|firefox FOLDER

FOLDER is emptied. Readers from npm (package-lock.json) are installed into MPJOULE_READERS; a test whose reader
cannot be had ends with status 77, and says so.
"""
import base64
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/../harness")
from harness import call, check, finish, load, mpjoule, must  # noqa: E402

READERS = os.environ.get("MPJOULE_READERS", f"{HERE}/../../build/readers")
SKIPPED = 77
# Sums of profile_maker.c: 14,580,000 cycles at 100,000 fJ, 8,011 misses at 2,400,000 fJ, and the chip's 20 mJ.
CYCLES = 14580000
MISSES = 8011
ENERGY_NJ = (CYCLES * 100000 + MISSES * 2400000 + 20 * 10**12) // 10**6
LABEL = "made.elf, sha256 0011223344556677, calibration mprofiler, quantum 500, modelled, profile by truth"


# The same of what a board reports; None: it is not measured.
TARGET = {
    "entries": {"cycles": 9200000, "misses": 5710, "nj": (9200000 * 100000 + 5710 * 2400000) // 10**6, "samples": None,
                "label": "made.elf, sha256 0011223344556677, calibration mprofiler, quantum unknown, measured, "
                         "profile by entries (measured on the target, no truth)"},
    "samples": {"cycles": 13620000, "misses": 8010, "nj": None, "samples": 1362,
                "label": "made.elf, sha256 0011223344556677, calibration mprofiler, quantum unknown, measured, "
                         "profile by samples (estimated on the target, no truth)"},
}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def export(form, *options, binary=False):
    done = mpjoule("report", "--format", form, *options, "made.mpj", text=not binary)
    check(done.returncode == 0, f"{form}: status {done.returncode}: {done.stderr}")
    return done.stdout


def save(name, content):
    with open(name, "wb" if isinstance(content, bytes) else "w") as handle:
        handle.write(content)
    return name


def npm_readers():
    """The folder of their modules."""
    if shutil.which("npm") is None:
        skip("no npm to install readers with")
    os.makedirs(READERS, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(f"{HERE}/{name}", READERS)
    lock = load(f"{READERS}/package-lock.json")
    want = {path: part["version"] for path, part in lock["packages"].items() if path}
    there = all(os.path.exists(f"{READERS}/{path}/package.json") and
                load(f"{READERS}/{path}/package.json")["version"] == version for path, version in want.items())
    if not there:
        done = call("npm", "ci", "--ignore-scripts", cwd=READERS)
        if done.returncode != 0:
            skip(f"npm ci: {done.stderr.strip().splitlines()[-1:]}")
    return f"{READERS}/node_modules"


def folded_sum(lines):
    return sum(int(line.rsplit(" ", 1)[1]) for line in lines)


def numbers(line):
    return [int(n.replace(",", "")) for n in re.findall(r"(?<![\w.])([\d,]+)(?= \(|  )", line)]


def callgrind():
    if shutil.which("callgrind_annotate") is None:
        skip("no callgrind_annotate (package valgrind)")
    save("made.callgrind", export("callgrind"))
    done = must("callgrind_annotate", "--tree=both", "--inclusive=yes", "made.callgrind")
    text = done.stdout
    check(LABEL in text, "callgrind_annotate shows no label")
    total = next(line for line in text.splitlines() if "PROGRAM TOTALS" in line)
    check(numbers(total)[:4] == [ENERGY_NJ, CYCLES, CYCLES // 2, MISSES], f"callgrind: {total}")
    for name, energy, cycles in (("app.c:work", 700202, 6810000), ("app.c:main", 691826, 6750000),
                                 ("sub dir/par.c:worker", 385400, 3830000)):
        line = next((line for line in text.splitlines() if line.endswith(f"*  {name}")), "")
        check(numbers(line + "  ")[:2] == [energy, cycles], f"callgrind: {name}: {line}")
    flat = must("callgrind_annotate", "--threshold=100", "--inclusive=yes", "made.callgrind").stdout
    line = next((line for line in flat.splitlines() if line.endswith("app.c:fib []") or line.endswith("app.c:fib")),
                "")
    check(numbers(line + "  ")[:2] == [73000, 730000], f"callgrind: recursion is counted once: {line}")


def folded():
    for sort, unit, want in (("energy", "nJ", ENERGY_NJ), ("time", "cycles", CYCLES),
                             ("dcache_rd_miss", "events", MISSES)):
        lines = export("folded", "--sort", sort).splitlines()
        check(folded_sum(lines) == want, f"folded {sort}: another sum")
        check(all(f"({unit}): {LABEL};" in line for line in lines), f"folded {sort}: a line without a label")
    check(any(";1 main;main;fib;fib;fib 400000" in line for line in export("folded", "--sort", "time").splitlines()),
          "folded: no path of fib")
    check(any(";odd:name " in line for line in lines + export("folded").splitlines()), "folded: a name splits a path")
    # what filters leave out stays in the sum
    lines = export("folded", "-F", "work", "-D", "1").splitlines()
    check(folded_sum(lines) == ENERGY_NJ, "folded, filtered: another sum")


def in_speedscope(name, data):
    """What speedscope's page shows once it has loaded the file, line by line."""
    page = f"{npm_readers()}/speedscope/dist/release/index.html"
    browser = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    if browser is None:
        skip("no chromium to load speedscope in")
    content = base64.b64encode(data).decode()
    save("load.js", f"speedscope.loadFileFromBase64({json.dumps(name)}, {json.dumps(content)})")
    done = must(browser, "--headless", "--no-sandbox", "--allow-file-access-from-files", "--virtual-time-budget=10000",
                f"--user-data-dir={os.getcwd()}/browser", "--dump-dom",
                f"file://{page}#localProfilePath={os.getcwd()}/load.js&view=sandwich")
    return [line for line in re.sub("<[^>]*>", "\n", done.stdout).split("\n") if line.strip()]


def speedscope():
    """speedscope needs no format of its own: it reads call paths, with threads, and pprof's files, with the energy."""
    for name, form in (("made.folded", "folded"), ("made.pb.gz", "pprof")):
        lines = in_speedscope(name, export(form, binary=True))
        total = {func: int(total.split()[0].replace(",", "")) for total, self, func in zip(lines, lines[1:], lines[2:])
                 if total.endswith("%)") and self.endswith("%)")}
        check({key: total.get(key) for key in ("(chip)", "work", "main", "fib")} ==
              {"(chip)": 20000000, "work": 700202, "main": 691826, "fib": 73000}, f"speedscope, {form}: {total}")
        if form == "folded":
            check(total[f"energy_fj (nJ): {LABEL}"] == ENERGY_NJ and total["1 main"] == 691826, f"speedscope: {total}")


def pprof_read():
    save("made.pb.gz", export("pprof", binary=True))
    script = """
const fs = require('fs'), zlib = require('zlib'), {Profile} = require(process.argv[1] + '/pprof-format');
const p = Profile.decode(zlib.gunzipSync(fs.readFileSync('made.pb.gz'))), s = p.stringTable.strings;
const sums = {};
p.sampleType.forEach((t, i) => sums[s[Number(t.type)] + '/' + s[Number(t.unit)]] =
    Number(p.sample.reduce((a, x) => a + BigInt(x.value[i]), 0n)));
const label = x => x.label.map(l => s[Number(l.key)] + '=' + s[Number(l.str)]).join();
console.log(JSON.stringify({sums, first: s[Number(p.defaultSampleType)], comment: s[Number(p.comment[0])],
    labels: [...new Set(p.sample.map(label))], functions: p.function.length}));
"""
    return json.loads(must("node", "-e", script, npm_readers()).stdout)


def pprof():
    got = pprof_read()
    sums = got["sums"]
    check(sums["energy/nanojoules"] == ENERGY_NJ and sums["cycles/cycles"] == CYCLES and
          sums["dcache_rd_miss/events"] == MISSES and sums["time/nanoseconds"] == CYCLES * 1000 // 210, f"pprof: {sums}")
    check(got["first"] == "energy" and got["comment"] == LABEL and got["functions"] == 11, f"pprof: {got}")
    check(got["labels"] == ["thread=1 main", "thread=2 run", "thread=2 run,region=0x00008100", "core=1", ""],
          f"pprof: labels {got['labels']}")
    # as a text: pprof takes a label with the number 0 for none
    db = sqlite3.connect("made.mpj")
    db.execute("UPDATE prof_node SET core = 0 WHERE core = 1")
    db.commit()
    db.close()
    got = pprof_read()
    check("core=0" in got["labels"], f"pprof: labels of core 0: {got['labels']}")


def perfetto_read():
    """The trace as text, the time of each track's outermost slices in ns, and the rails' energies in uWs."""
    if shutil.which("protoc") is None:
        skip("no protoc (package protobuf-compiler)")
    trace = export("perfetto", binary=True)
    done = subprocess.run(["protoc", f"--proto_path={HERE}", "--decode=Trace", f"{HERE}/perfetto.proto"], input=trace,
                          capture_output=True, check=True, timeout=1000)
    text = done.stdout.decode()
    check(re.search(r"^ *[0-9]+[:{ ]", text, re.M) is None, "perfetto: a field that its definition does not have")
    packets = re.split(r"^}\n?", text, flags=re.M)
    # energy of each rail at the end, in uWs: nothing but the rounding is missing
    energy = {}
    for packet in packets:
        found = re.search(r"energy {\n *index: (\d+)\n *ms: (\d+)\n *uws: (\d+)", packet)
        if found:
            energy[int(found[1])] = int(found[3])
    # slices of each track nest, and functions last as long as they ran
    state = {}
    outer = {}
    for packet in packets:
        kind = re.search(r"type: (\w+)\n *track: (\d+)", packet)
        if kind and kind[1] in ("BEGIN", "END"):
            time, track = int(re.search(r"timestamp: (\d+)", packet)[1]), int(kind[2])
            open_ = state.setdefault(track, [])
            if kind[1] == "BEGIN":
                check(not open_ or time >= open_[-1], "perfetto: a slice begins before the one around it")
                open_.append(time)
            else:
                begin = open_.pop()
                if not open_:
                    outer[track] = outer.get(track, 0) + time - begin
    check(not any(state.values()), "perfetto: a slice does not end")
    return text, outer, energy


def perfetto():
    text, outer, energy = perfetto_read()
    check(LABEL in text, "perfetto: no label")
    check(len(energy) == 2 and 0 <= ENERGY_NJ / 1000 - sum(energy.values()) < 2, f"perfetto: rails {energy}")
    functions = sorted(ns for track, ns in outer.items() if track >> 40 == 4)
    check(functions == [3830000 * 1000 // 210, 4000000 * 1000 // 210, 6750000 * 1000 // 210], f"perfetto: {functions}")
    check([outer[2 << 40 | 3], outer[3 << 40 | 3]] == [20000000, 28000000], f"perfetto: waits, regions {outer}")
    check(text.count("task_state {") == 6 and 'comm: "2 run"' in text, "perfetto: threads on cores")
    check(text.count("flow: 1") == text.count("flow_end: 1") == 1, "perfetto: flows")


def in_firefox(text, look):
    """Calls look(ask) with what asks profiler-cli about the profile."""
    save("made.json", text)
    reader = f"{npm_readers()}/@firefox-devtools/profiler-cli/dist/profiler-cli.js"
    node = must("node", "--version").stdout.strip()
    if int(node[1:].split(".")[0]) < 20:
        skip(f"profiler-cli needs Node.js 20, here is {node}")
    home = {**os.environ, "HOME": os.getcwd()}  # where its daemon leaves its socket

    def ask(*words):
        return call("node", reader, *words, env=home)

    ask("load", f"{os.getcwd()}/made.json")  # the daemon may need longer than this waits
    try:
        for _ in range(600):
            if ask("counter", "list", "--json").returncode == 0:
                break
            time.sleep(1)
        look(ask)
    finally:
        ask("stop", "--all")


def firefox_took(ask, thread):
    """Milliseconds of a thread's functions."""
    ask("thread", "select", thread)
    return json.loads(ask("thread", "samples", "--json").stdout)["categoryBreakdown"]["totalSamples"]


def firefox():
    text = export("firefox")
    check(json.loads(text)["meta"]["product"] == LABEL, "firefox: no label")

    def look(ask):
        counters = json.loads(ask("counter", "list", "--json").stdout)["counters"]
        check(all(c["unit"] == "pWh" for c in counters), "firefox: power is not in pWh")
        energy = 3.6 * sum(stat["value"] for c in counters for stat in c["stats"])  # nJ
        check(len(counters) == 2 and abs(energy - ENERGY_NJ) < 10, f"firefox: {energy} nJ")
        for thread, want in (("t-1", 6750000), ("t-2", 3830000), ("t-3", 4000000)):
            got = firefox_took(ask, thread)
            check(abs(got - want / 210000) < 1e-6, f"firefox: {thread} took {got} ms")
        ask("thread", "select", "t-0")
        check("2 run: waits for mutex 0x00009800, held by 1 main" in ask("thread", "markers").stdout,
              "firefox: no marker of a wait")

    in_firefox(text, look)


def lanes(source):
    """Cycles of each thread or core, as threads of the firefox profile number them."""
    return [9200000] if source == "entries" else [6000000, 3620000, 4000000]


def on_target(form, source):
    """A board's profile: totals and label, by the same readers."""
    want = TARGET[source]
    label, energy = want["label"], want["nj"]
    if form == "callgrind":
        save("made.callgrind", export("callgrind"))
        text = must("callgrind_annotate", "--tree=both", "--inclusive=yes", "made.callgrind").stdout
        total = next(line for line in text.splitlines() if "PROGRAM TOTALS" in line)
        figures = [n for n in (energy, want["cycles"], want["samples"], want["misses"]) if n is not None]
        check(label in text and sorted(numbers(total)) == sorted(figures), f"callgrind, {source}: {total}")
    elif form == "folded":
        for sort, sum_ in (("energy", energy), ("time", want["cycles"]), ("dcache_rd_miss", want["misses"])):
            if sum_ is None:
                done = mpjoule("report", "--format", "folded", "--sort", sort, "made.mpj")
                check(done.returncode == 125 and "energy" in done.stderr, f"folded, {source}: energy: {done.stderr}")
                continue
            lines = export("folded", "--sort", sort).splitlines()
            check(folded_sum(lines) == sum_ and all(label in line for line in lines), f"folded, {source}: {sort}")
    elif form == "pprof":
        got = pprof_read()
        sums = {"cycles/cycles": want["cycles"], "dcache_rd_miss/events": want["misses"], "energy/nanojoules": energy,
                "samples/samples": want["samples"]}
        check(got["comment"] == label and {key: got["sums"].get(key) for key in sums} == sums, f"pprof, {source}: {got}")
    elif form == "perfetto":
        text, outer, energies = perfetto_read()
        functions = sorted(ns for track, ns in outer.items() if track >> 40 == 4)
        check(label in text and not energies, f"perfetto, {source}: label, or energies {energies}")
        check(functions == sorted(cycles * 1000 // 210 for cycles in lanes(source)), f"perfetto, {source}: {functions}")
    elif form == "firefox":
        text = export("firefox")
        check(json.loads(text)["meta"]["product"] == label, f"firefox, {source}: no label")

        def look(ask):
            check(not json.loads(ask("counter", "list", "--json").stdout)["counters"], f"firefox, {source}: power")
            for i, cycles in enumerate(lanes(source)):
                got = firefox_took(ask, f"t-{i + 1}")
                check(abs(got - cycles / 210000) < 1e-6, f"firefox, {source}: thread {i + 1} took {got} ms")

        in_firefox(text, look)


def target_moments(form):
    """Entries, and events in time as the target notes them: waits, regions and flows as those of the truth."""
    if form == "perfetto":
        text, outer, _ = perfetto_read()
        check([outer[2 << 40 | 3], outer[3 << 40 | 3]] == [20000000, 28000000], f"perfetto, target: {outer}")
        check(text.count("task_state {") == 6 and text.count("flow: 1") == text.count("flow_end: 1") == 1,
              "perfetto, moments of the target: threads on cores, flows")
    elif form == "firefox":
        def look(ask):
            ask("thread", "select", "t-0")
            check("2 run: waits for mutex 0x00009800, held by 1 main" in ask("thread", "markers").stdout,
                  "firefox, moments of the target: no marker of a wait")

        in_firefox(export("firefox"), look)


def main(what, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    must(os.environ["MAKE_PROFILE"], "made.mpj")
    {"callgrind": callgrind, "folded": folded, "speedscope": speedscope, "pprof": pprof,
     "perfetto": perfetto, "firefox": firefox}[what]()
    for source in TARGET:
        os.remove("made.mpj")
        must(os.environ["MAKE_PROFILE"], "made.mpj", source)
        on_target(what, source)
    os.remove("made.mpj")
    must(os.environ["MAKE_PROFILE"], "made.mpj", "moments")
    target_moments(what)
    return finish()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except subprocess.TimeoutExpired as late:
        sys.exit(f"exports.py: {late}")
