#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a run (report --format html) in a real browser: what it shows is what the JSON says.

usage: page.py figures|range|names|recording|diff|large|read_back|theme|readme FOLDER

FOLDER is emptied. Runs are made (tests/unit/profile_maker.c) and changed. Without Chromium the test ends with status
77, and says so; `read_back` needs none. `readme` is the run of the README, in the emulator.
"""
import base64
import gzip
import json
import os
import random
import re
import shlex
import shutil
import sqlite3
import struct
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, f"{HERE}/../harness")
import browser  # noqa: E402
from harness import APPS, MPJOULE, ROOT, cc, check, finish, mpjoule, must  # noqa: E402

SKIPPED = 77
PAGE_MAX = 900_000   # bytes: of a run like the README's
LARGE_MAX = 14_000_000
READY_MS = 2000     # of work: how busy the machine is does not matter
BEGIN, LENGTH = 100000, 50000  # us, of the made run
# Units that figures are shown in, in base units of the report (s, uJ, uW, uV, uA).
UNITS = {"s": 1, "ms": 1e-3, "\u00b5s": 1e-6, "ns": 1e-9, "J": 1e6, "mJ": 1e3, "\u00b5J": 1, "nJ": 1e-3, "pJ": 1e-6,
         "W": 1e6, "mW": 1e3, "\u00b5W": 1, "V": 1e6, "mV": 1e3, "A": 1e6, "mA": 1e3, "\u00b5A": 1, "%": 1, "": 1,
         "MiB": 1 << 20, "KiB": 1024, "B": 1}
# Everything to be seen: rows behind "Show all", and tables that are made when they are opened.
OPEN = """(() => { document.querySelectorAll('details').forEach(d => { d.open = true; });
    return new Promise(done => setTimeout(() => {
        document.querySelectorAll('button.more').forEach(b => { if (!b.hidden) b.click(); }); done(0); }, 100)); })()"""
FIGURES = """[...document.querySelectorAll('[data-path]')].map(e => {
    const th = e.tagName === 'TD' ? e.closest('table').querySelectorAll('thead th')[e.cellIndex] : null;
    return [e.dataset.path, e.dataset.value, e.dataset.kind, e.textContent, th ? th.dataset.unit : null]; })"""
TABLE = """[...document.querySelectorAll('#%s tbody tr')].map(tr => [...tr.cells].map(c => c.textContent))"""
HEADS = """[...document.querySelectorAll('#%s thead th')].map(c => c.textContent)"""


def report(name, form="html", *options):
    done = mpjoule("report", "--format", form, *options, name)
    check(done.returncode == 0 and not done.stderr, f"{form} of {name}: {done.returncode}: {done.stderr}")
    return done.stdout


def page(name, *options):
    path = f"{name}.html"
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(report(name, "html", *options))
    return path


def at(value, path):
    """What stands at a path of the report; * adds up."""
    for i, part in enumerate(path):
        if part == "*":
            found = [at(x, path[i + 1:]) for x in value]
            return sum(x for x in found if x is not None)
        if isinstance(value, list):
            value = value[int(part)] if int(part) < len(value) else None
        else:
            value = value.get(part)
        if value is None:
            return None
    return value


def number(text, unit):
    """A figure as it is shown, in base units, and half a unit of its last digit."""
    text = text.replace(",", "").replace("\u2212", "-").replace("\u00a0", " ")
    found = re.fullmatch(r"([+-]?\d+(?:\.(\d+))?) ?(\D*)", text)
    if not found:
        return None, 0
    per = UNITS[unit if unit is not None else found[3]]
    return float(found[1]) * per, 0.5001 * per * 10.0 ** -len(found[2] or "")


def compare(shown, want, least):
    """Figures of the page against the report; every one of them."""
    paths = set()
    for path, value, kind, text, unit in shown:
        paths.add(path)
        true = at(want, path.split("."))
        check(true is not None and abs(float(value) - true) <= 1e-12 * abs(true),
              f"{path}: the page has {value}, the report {true}")
        got, half = number(text, unit)
        true = true * 100 if kind == "share" and true is not None else true
        check(got is not None and true is not None and abs(got - true) <= half + 1e-12 * abs(true),
              f"{path}: the page shows \"{text}\" {unit}, the report has {true}")
    check(len(paths) >= least, f"only {len(paths)} figures on the page")
    return paths


def must_show(paths, *wanted):
    for want in wanted:
        check(any(re.fullmatch(want, path) for path in paths), f"the page does not show {want}")


def quiet(b, name):
    """Nothing went wrong in the page, and it asked nobody for anything."""
    check(not b.run("document.getElementById('main').dataset.failed || ''"), f"{name} failed")
    check(not b.complaints(), f"{name}: {b.complaints()[:3]}")
    check(not b.requests(), f"{name} asks for {b.requests()[:3]}")


def table(b, ident):
    return b.run(TABLE % ident)


def column(b, ident, name):
    """{first cell: figure in base units} of a column."""
    heads = b.run(HEADS % ident)
    place = next(i for i, head in enumerate(heads) if head.startswith(name))
    unit = b.run(f"document.querySelectorAll('#{ident} thead th')[{place}].dataset.unit")
    return {row[0]: number(row[place], unit)[0] for row in table(b, ident)}


def figures(b):
    want = json.loads(report("made.mpj", "json"))
    path = page("made.mpj")
    check(os.path.getsize(path) <= PAGE_MAX, f"{os.path.getsize(path)} bytes")
    check(b.open(path) < READY_MS, "the page of a small run takes its time")
    b.run(OPEN)
    paths = compare(b.run(FIGURES), want, 150)
    must_show(paths, "time_s", "truth.energy_uj", r"functions\.\d+\.self\.energy_uj",
              r"functions\.\d+\.total\.energy_uj", r"functions\.\d+\.self\.time_s", r"functions\.\d+\.calls",
              r"functions\.\d+\.self\.causes_uj\.clock", r"threads\.\d+\.run_s", r"threads\.\d+\.block_s",
              r"regions\.\d+\.wall_s", "profile.chip.energy_uj", r"profile\.chip\.causes_uj\.leakage",
              r"adc\.processor\.energy_uj")
    # every function of the report is there
    named = {row[0] for row in table(b, "all-functions")}
    for f in want["functions"]:
        check(any(row.startswith(f["name"]) for row in named), f"no function {f['name']}")
    quiet(b, path)


def readme(b):
    """A run as it comes: cores, events, waits, the model; and its page is small."""
    events = "instr,ddep_stall,dcache_rd,dcache_rd_miss,dcache_wr,dcache_wr_miss"
    must(MPJOULE, "run", "--quiet", "-o", "readme.mpj", "--events", events, f"{APPS}/matmul.elf")
    must(MPJOULE, "run", "--quiet", "-o", "rich.mpj", "--events", events, "--functions", "--moments", "--waveform", "20",
         f"{APPS}/matmul.elf")
    for name, most, least in (("readme.mpj", PAGE_MAX, 80), ("rich.mpj", 2 * PAGE_MAX, 1000)):
        want = json.loads(report(name, "json"))
        path = page(name)
        size = os.path.getsize(path)
        ready = b.open(path)
        print(f"{name}: {size} bytes, ready in {b.ready_ms} ms, of which {ready:.0f} ms of work")
        check(size <= most, f"{path}: {size} bytes")
        check(ready <= READY_MS, f"{path} takes {ready:.0f} ms of work")
        b.run(OPEN)
        paths = compare(b.run(FIGURES), want, least)
        must_show(paths, r"cores\.\d+\.cycles", r"cores\.\d+\.events\.dcache_rd_miss", "truth.cycles", "parallelism.mean",
                  r"parallelism\.cores_s\.4", r"scu\.events\.scu_ext_rd", "cycles",
                  r"cores\.\*\.events\.instr", r"truth\.cores\.\d+\.energy_uj", r"threads\.\d+\.energy_uj")
        power = column(b, "range-power", "energy")
        check(abs(power["processor, by the ADC"] - want["adc"]["processor"]["energy_uj"]) < 1, f"energy of all: {power}")
        if name == "rich.mpj":
            total = sum(v for k, v in power.items() if "emulator" in k)
            true = want["truth"]["energy_uj"]
            check(abs(total - true) < 1e-4 * true, f"the waveform's sum is {total}, not {true}")
            got = column(b, "range-events", "count")
            true = {e: at(want, ["truth", "cores", "*", "events", e]) for e in got}
            check(got == true and len(got) == 8, f"events of the whole run: {got}, not {true}")
            b.run("(() => { const e = document.getElementById('counts-event'); e.selectedIndex = "
                  "[...e.options].findIndex(o => o.text === 'instr'); e.dispatchEvent(new Event('change')); })()")
            b.frames()
            parts = sum(number(cell, "")[0] for row in table(b, "counts-table") for cell in row[2:])
            check(abs(parts - true["instr"]) <= 100, f"the chart's table has {parts} instructions, not {true['instr']}")
            got = sum(column(b, "range-functions", "self energy").values())
            true = want["profile"]["functions"]["energy_uj"]
            check(abs(got - true) < 2e-3 * true, f"functions of the whole run: {got}, not {true}")
        quiet(b, path)
    must(MPJOULE, "run", "--quiet", "-o", "locks.mpj", f"{APPS}/locks.elf", "--", "100")  # has waits
    b.open(page("locks.mpj"))
    b.run(OPEN)
    must_show(compare(b.run(FIGURES), json.loads(report("locks.mpj", "json")), 50), r"sync\.\d+\.total_s",
              r"sync\.\d+\.count")
    polls(b)
    would_save(b)
    sampled(b)
    two_cores(b)


def polls(b):
    """Threads of which some poll before they sleep: blocked and polling are all of their waiting."""
    must(MPJOULE, "run", "--quiet", "--moments", "-o", "polls.mpj", f"{APPS}/locks.elf", "--", "100")
    want = {f"{t['id']} {t['name']}": t["block_s"] for t in json.loads(report("polls.mpj", "json"))["threads"]}
    b.open(page("polls.mpj"))
    b.run(OPEN)
    blocked, polling = (column(b, "range-threads", name) for name in ("blocked", "polling"))
    for name, true in want.items():
        check(abs(blocked[name] + polling[name] - true) <= 0.02 * true + 2e-5, f"{name}: {blocked[name]} + {polling[name]}, not {true}")
    check(sum(polling.values()) > 0, "nobody polls")


def would_save(b):
    """The commands of a hint, as they are shown, run and find a shorter time."""
    b.open(page("rich.mpj"))
    shown = b.run("document.querySelector('#hints details pre').textContent")
    before = json.loads(report("rich.mpj", "json"))["time_s"]
    for line in shown.splitlines():
        done = must(MPJOULE, *shlex.split(line)[1:]).stdout
    check("Time" in done and "what if function:" in done, f"{shown}: {done[:300]}")
    after = json.loads(report("what-if.mpj", "json"))["time_s"]
    check(after < 0.9 * before, f"{shown}: {after} s after {before} s")


def two_cores(b):
    """The page of a run on a board with two cores and without power channels."""
    must(MPJOULE, "run", "--quiet", "--functions", "-o", "ox820.mpj", cc(f"{ROOT}/apps/examples/hello.c", "ox820.elf", "--board", "ox820", "-O2", "-g"))
    path = page("ox820.mpj")
    b.open(path)
    b.run(OPEN)
    paths = compare(b.run(FIGURES), json.loads(report("ox820.mpj", "json")), 50)
    must_show(paths, r"cores\.1\.cycles", "truth.energy_uj")
    extra = [p for p in paths if re.search(r"cores\.[23]\.", p) or p.startswith("adc.")]
    check(not extra, f"figures of cores or channels that the board lacks: {extra}")
    text = b.run("document.body.innerText")
    check("emulated OX820" in text and "ARM11 MPCore tile" not in text, f"its board: {text[:300]}")
    check("core 1" in text and "core 2" not in text, "not two cores")
    quiet(b, path)


def sampled(b):
    """Functions of a part of time by the samples in it: nobody multiplies before the threads are there."""
    must(MPJOULE, "run", "--quiet", "-o", "samples.mpj", "--samples", "--sample-ms", "1", f"{APPS}/matmul.elf")
    want = json.loads(report("samples.mpj", "json"))
    check(want["profile"]["source"] == "samples", "no profile by samples")
    b.open(page("samples.mpj"))
    b.run(OPEN)
    name = "self cycles"
    whole = column(b, "range-functions", name)
    begun = min(t["created_s"] for t in want["threads"] if t["name"] == "run")
    b.run(f"window.mpjoule.range.set(0, {begun * 0.9})")
    b.frames()
    b.run(OPEN)
    first = column(b, "range-functions", name)
    check(whole["multiply"] > 0 and first["multiply"] == 0 and first["main"] > 0, f"before the threads: {first}")
    b.run(f"window.mpjoule.range.set({begun * 0.9}, {want['time_s']})")
    b.frames()
    b.run(OPEN)
    rest = column(b, "range-functions", name)
    check(all(abs(first[k] + rest[k] - v) <= 1e-3 * v + 0.1 for k, v in whole.items()), "parts do not add up")
    quiet(b, "samples.mpj")


def sums(b, ident, name="self energy"):
    return sum(column(b, ident, name).values())


def choose(b, begin_ms, end_ms):
    """A part of time through the fields, as somebody types it."""
    for field, value in (("range-from", 0), ("range-to", LENGTH / 1000), ("range-from", begin_ms), ("range-to", end_ms)):
        b.run(f"(() => {{ const e = document.getElementById('{field}'); e.value = '{value}'; "
              "e.dispatchEvent(new Event('change')); })()")
    b.frames()
    b.run(OPEN)


def parts(b):
    """The range by fields, dragging, keys and buttons, and what it makes of energy."""
    want = json.loads(report("made.mpj", "json"))
    b.open(page("made.mpj"))
    b.run(OPEN)
    whole = column(b, "range-functions", "self energy")
    true = {f["name"]: f["self"]["energy_uj"] for f in want["functions"] if "thread" not in f}
    for name, energy in true.items():
        check(abs(whole[name] - energy) <= 5e-5 * energy + 0.06, f"whole run: {name}: {whole[name]}, not {energy}")
    energies = {f"{t['id']} {t['name']}": t["energy_uj"] for t in want["threads"]}
    got = column(b, "range-threads", "energy")
    check(all(abs(got[k] - v) <= 1e-4 * v for k, v in energies.items()), f"whole run: threads {got}, not {energies}")
    # thread 2 runs from 0.1 to 10 ms and from 30 to 43 ms; from 10 to 30 ms it waits for main
    choose(b, 10, 30)
    blocked, run = column(b, "range-threads", "blocked"), column(b, "range-threads", "run")
    check(abs(blocked["2 run"] - 0.02) < 1e-6 and abs(run["2 run"]) < 1e-6 and abs(run["1 main"] - 0.02) < 1e-6,
          f"10 to 30 ms: run {run}, blocked {blocked}")
    got = column(b, "range-functions", "self energy")
    check(got["worker"] == 0 and got["main"] > 0, f"10 to 30 ms: {got}")
    check(column(b, "range-power", "energy")["core 0 (emulator)"] > 0, "10 to 30 ms: no energy of core 0")
    waits = table(b, "range-waits")
    check(len(waits) == 1 and "held by 1 main" in waits[0][1], f"10 to 30 ms: waits {waits}")
    # power of core 0: 0.1 uJ + 1 pJ more in each step of 10 us
    steps = range(1000, 3000)
    energy = sum(0.1 + i * 1e-6 for i in steps)
    check(abs(column(b, "range-power", "energy")["core 0 (emulator)"] - energy) < 1e-3 * energy, "10 to 30 ms: core 0")
    # instructions: 1 a step in the first half, 2 in the second
    instr = at(want, ["truth", "cores", "*", "events", "instr"])
    for begin, end, share in ((0, 25, 1 / 3), (25, 50, 2 / 3), (20, 40, 7 / 15)):
        choose(b, begin, end)
        got = column(b, "range-events", "count")["instr"]
        check(abs(got - share * instr) <= 1e-3 * instr, f"{begin} to {end} ms: {got} instructions of {instr}")
        got = sum(number(row[2], "")[0] for row in table(b, "counts-table"))
        check(abs(got - share * instr) <= 1e-3 * instr, f"{begin} to {end} ms: {got} in the chart's table, of {instr}")
    choose(b, 10, 30)
    # the region: from 5 to 33 ms, in which thread 2 runs 8 ms
    regions = column(b, "range-regions", "energy")
    check(all(v == 0 for k, v in regions.items() if k != "serial"), f"10 to 30 ms: regions {regions}")
    # parts of time add up
    halves = 0
    for begin, end in ((0, 20), (20, 50)):
        choose(b, begin, end)
        halves += sums(b, "range-functions")
    check(abs(halves - sum(true.values())) < 1e-4 * sum(true.values()), f"parts: {halves}, not {sum(true.values())}")
    # the same by buttons, by keys, by dragging across the chart of power and that of threads
    b.run("document.getElementById('range-all').click()")
    b.frames()
    text = "document.getElementById('range-text').textContent"
    check(b.run(text).startswith("50.0000"), f"whole run: {b.run(text)}")
    b.run("document.querySelector('#lanes canvas').focus()")
    b.key("+")
    check(b.run(text).startswith("25.0000"), f"key +: {b.run(text)}")
    b.key("ArrowLeft")
    check(b.run("document.getElementById('range-from').value") == "6.25", "key left")
    b.key("ArrowDown")
    b.key("n")
    check(b.run("document.getElementById('lane-hint').textContent").startswith("2 run"), "keys of the threads")
    b.key("0")
    check(b.run(text).startswith("50.0000"), f"key 0: {b.run(text)}")
    for chart in ("#wave .plot", "#lanes"):
        b.run(f"document.querySelector('{chart}').scrollIntoView({{block: 'center'}})")
        x, y, w = b.run(f"(() => {{ const r = document.querySelector('{chart}').getBoundingClientRect(); "
                        "return [r.x, r.y, r.width]; })()")
        b.drag(x + 104 + 0.25 * (w - 116), x + 104 + 0.5 * (w - 116), y + 30)
        check(abs(float(b.run("document.getElementById('range-from').value")) - 12.5) < 0.5 and
              abs(float(b.run("document.getElementById('range-to').value")) - 25) < 0.5,
              f"dragging across {chart}: {b.run(text)}")
        b.run("document.getElementById('range-all').click()")
        b.frames()
    quiet(b, "made.mpj")
    search(b, true)


def search(b, true):
    """The flame is searched, walked and looked into; tables are searched and sorted."""
    def put(selector, word):
        b.run(f"(() => {{ const e = document.querySelector('{selector}'); e.value = {json.dumps(word)}; "
              "e.dispatchEvent(new Event('input')); })()")
        b.frames()

    put("#flame-find", "fib")
    hint = b.run("document.getElementById('flame-hint').textContent")
    # recursion is counted once: 100000 + 200000 + 400000 + 30000 cycles
    check(hint.startswith("Found: 73.0000"), f"search: {hint}")
    check(b.run("document.querySelectorAll('#flame g.found').length") == 4, "search: what is marked")
    put("#flame-find", "")
    b.run("document.querySelector('#flame g[tabindex=\"0\"]').focus()")
    b.key("ArrowDown")
    b.key("ArrowDown")
    hint = b.run("document.getElementById('flame-hint').textContent")
    check(hint.startswith("main: "), f"flame, keys: {hint}")
    wide = "[...document.querySelectorAll('#flame g')].filter(g => g.getAttribute('aria-label').startsWith('main: '))" \
           "[0].querySelector('rect').getAttribute('width')"
    before = float(b.run(wide))
    b.key("Enter")
    check(float(b.run(wide)) > before * 1.1, "flame: Enter shows a function alone")
    b.key("Escape")
    check(abs(float(b.run(wide)) - before) < 1, "flame: Escape shows all")
    b.run("(() => { const e = document.getElementById('flame-item'); "
          "e.value = [...e.options].find(o => o.text === 'cycles').value; e.dispatchEvent(new Event('change')); })()")
    b.frames()
    check("14,580,000 cycles" in b.run("document.querySelector('#flame g').getAttribute('aria-label')"),
          "flame of cycles: another sum")
    put("#all-functions input", "WORK")
    names = {row[0].split()[0] for row in table(b, "all-functions")}
    check(names == {"work", "worker"} or all("work" in n for n in names), f"search in the table: {names}")
    put("#all-functions input", "")
    b.run("document.querySelectorAll('#all-functions thead button')[0].click()")
    names = [row[0].split("app.c")[0] for row in table(b, "all-functions")]
    check(names == sorted(names, key=str.lower), f"sorted by name: {names}")
    quiet(b, "made.mpj")
    check(len(true) > 5, "no functions")


NASTY = "</script><img src=x onerror=\"window.hurt=1\"><script>window.hurt=1</script><!-- \u2028 ' \" & &lt; \\u003c"


def names(b):
    """Whatever a program calls its parts stays text."""
    db = sqlite3.connect("made.mpj")
    db.execute("UPDATE prof_func SET name = ? || name, file = ?", (NASTY, NASTY))
    db.execute("UPDATE thread SET name = ?", (NASTY,))
    db.execute("UPDATE mark SET name = ?", (NASTY,))
    db.execute("INSERT OR REPLACE INTO place VALUES (33024, ?, ?, 1)", (NASTY, NASTY))
    db.execute("INSERT OR REPLACE INTO place VALUES (38912, ?, ?, 1)", (NASTY, NASTY))
    db.execute("UPDATE meta SET value = ? WHERE key IN ('program', 'calibration')", (NASTY,))
    db.execute("INSERT OR REPLACE INTO meta VALUES ('arguments', ?)", (NASTY,))
    db.commit()
    db.close()
    shutil.copy("made.mpj", "other.mpj")
    db = sqlite3.connect("other.mpj")
    db.execute("UPDATE prof_func SET name = 'x' || name")
    db.execute("UPDATE meta SET value = value || 'x' WHERE key = 'program'")
    db.commit()
    db.close()
    with open("two.html", "w", encoding="utf-8") as handle:
        handle.write(must(MPJOULE, "diff", "--format", "html", "made.mpj", "other.mpj").stdout)
    for path in (page("made.mpj"), page("made.mpj", "--view", "energy"), "two.html"):
        with open(path, encoding="utf-8") as handle:
            text = handle.read()
        check("hurt" not in text, f"{path} contains a name as it is")
        b.open(path)
        b.run(OPEN)
        check(b.run("window.hurt === undefined && [...document.images].every(i => i.src.startsWith('data:'))"), f"{path}: a name ran")
        check(b.run("document.body.innerText.includes('window.hurt=1')"), f"{path}: the names are not shown")
        check(not b.complaints() and not b.requests(), f"{path}: {b.complaints()[:2]} {b.requests()[:2]}")
    # and were something let through, the page's policy would not let it run
    b.open("made.mpj.html")
    b.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hurt=1\">')")
    b.run("(() => { const s = document.createElement('script'); s.textContent = 'window.hurt=1'; "
          "document.body.append(s); })()")
    b.frames()
    check(b.run("window.hurt === undefined"), "the policy lets scripts run")
    check(b.run("fetch('data:text/plain,x').then(() => 1, () => 0)") == 0, "the policy lets the page fetch")


def recording(b):
    want = json.loads(report("made.mpj", "json", "--view", "energy"))
    path = page("made.mpj", "--view", "energy")
    b.open(path)
    b.run(OPEN)
    paths = compare(b.run(FIGURES), want, 12)
    must_show(paths, "time_s", "samples", "lost", r"processor\.energy_uj", r"pll\.v_avg_uv",
              r"phases\.\d+\.processor\.energy_uj")
    check(len(table(b, "checks")) == len(want["checks"]), "checks")
    whole = column(b, "range-power", "energy")["processor, by the ADC"]
    check(abs(whole - want["processor"]["energy_uj"]) < 1e-3, f"energy of the whole: {whole}")
    choose(b, 0, LENGTH / 2000)
    half = column(b, "range-power", "energy")["processor, by the ADC"]
    check(abs(half - whole / 2) < 1e-3 * whole, f"energy of the first half: {half} of {whole}")
    quiet(b, path)


def diff(b):
    shutil.copy("made.mpj", "b.mpj")
    db = sqlite3.connect("b.mpj")
    for item, more in (("cycles", 600000), ("energy_fj", 60000000000), ("fj:clock", 60000000000)):
        db.execute("UPDATE prof_cost SET value = value + ? WHERE node = 5 AND item = ?", (more, item))
    db.execute("UPDATE meta SET value = '50' WHERE key = 'quantum'")
    db.commit()
    db.close()
    words = (MPJOULE, "diff", "made.mpj", "b.mpj", "--format")
    want = json.loads(must(*words, "json").stdout)
    with open("two.html", "w", encoding="utf-8") as handle:
        handle.write(must(*words, "html").stdout)
    b.open("two.html")
    b.run(OPEN)
    paths = compare(b.run(FIGURES), want, 30)
    must_show(paths, r"time_s\.0", r"energy_uj\.1", r"functions\.\d+\.energy_uj\.1", r"threads\.\d+\.cycles\.0",
              r"all\.causes_uj\.clock\.1")
    change = column(b, "diff-functions", "change")
    work = next(v for k, v in change.items() if k.startswith("work "))
    check(abs(work - 60) < 1e-3, f"change of work: {work} uJ")
    check(table(b, "labels") == [["quantum", "tools", "500", "50"]], f"labels: {table(b, 'labels')}")
    top = table(b, "paths")[0]
    check("work" in top[0] or "main" in top[0], f"call paths: {top}")
    b.run("(() => { const e = document.getElementById('flame-find'); e.value = 'work'; "
          "e.dispatchEvent(new Event('input')); })()")
    check(b.run("document.querySelectorAll('#flame g.found').length") >= 2, "search in the flame of both")
    quiet(b, "two.html")


def lengthen(path, seconds, samples, waits, nodes):
    """A run of so many seconds, with so many samples of the ADC, waits and call paths."""
    end = BEGIN + seconds * 1000000
    db = sqlite3.connect(path)
    db.execute("UPDATE pass SET time_end = ?", (end,))
    db.execute("UPDATE thread SET ended = ?", (end,))
    db.execute("DELETE FROM adc")
    step = seconds * 1000000 // samples
    chance = random.Random(1)
    db.executemany("INSERT INTO adc VALUES (0, ?, ?, ?, 2000, ?, 500)",
                   ((i, BEGIN + step // 2 + i * step, 2000 + i % 7, 1700 + chance.randrange(300)) for i in range(samples)))
    db.execute("UPDATE pass SET adc_period_us = ?", (step,))
    db.execute("DELETE FROM moment")
    gap = seconds * 1000000 // (waits + 1)
    moments = []
    for i in range(waits):
        at_us, thread = BEGIN + i * gap, 1 + i % 2
        length = chance.randrange(1, max(2, gap))
        core = thread - 1
        moments += [(at_us, core, thread, 2, 0x9800 + 4 * (i % 50), 3 - thread, 1),
                    (at_us, core, thread, 1, 0, 0, 1),
                    (at_us + length, core, thread, 3, 0x9800 + 4 * (i % 50), 0, 0),
                    (at_us + length, core, thread, 0, 0, 0, 0)]
    db.executemany("INSERT INTO moment VALUES (0, 0, ?, ?, ?, ?, ?, ?, ?, ?)",
                   ((seq, *m) for seq, m in enumerate(moments)))
    db.execute("DELETE FROM wave")
    steps = min(1 << 20, seconds * 1000)
    values = struct.pack(f"<{steps}Q", *(10**11 + chance.randrange(10**10) for _ in range(steps)))
    for core in (None, 0, 1, 2, 3):
        db.execute("INSERT INTO wave VALUES (0, ?, ?, ?, ?)", (core, BEGIN, seconds * 1000000 // steps, values))
    db.execute("DELETE FROM prof_func WHERE id > 10")
    db.executemany("INSERT INTO prof_func VALUES (0, 0, ?, ?, 'many.c', ?, ?, 0)",
                   ((1000 + i, f"function_{i}", i, 0x10000 + 16 * i) for i in range(nodes // 10)))
    db.executemany("INSERT INTO prof_node VALUES (0, 0, ?, ?, ?, 1, NULL, NULL, 1)",
                   ((100 + i, 1 if i < 100 else 100 + chance.randrange(i), 1000 + chance.randrange(nodes // 10))
                    for i in range(nodes)))
    db.executemany("INSERT INTO prof_cost VALUES (0, 0, ?, ?, ?)",
                   ((100 + i, item, 1000 * (1 + i % 97)) for i in range(nodes) for item in ("cycles", "energy_fj", "instr")))
    db.commit()
    db.close()


def large(b):
    """Ten minutes at a sample a millisecond with 100,000 waits open in two seconds, and the page stays bounded."""
    for seconds, samples, waits, nodes in ((600, 600000, 100000, 30000), (900, 20000, 200000, 1000)):
        name = f"large{seconds}.mpj"
        must(os.environ["MAKE_PROFILE"], name)
        lengthen(name, seconds, samples, waits, nodes)
        path = page(name)
        size = os.path.getsize(path)
        ready = max(b.open(path) for _ in range(2))
        print(f"{seconds} s, {samples} samples, {waits} waits, {nodes} call paths: {size} bytes, ready in {b.ready_ms} ms, "
              f"of which {ready:.0f} ms of work")
        check(size <= LARGE_MAX, f"{path}: {size} bytes")
        check(ready <= READY_MS, f"{path} takes {ready:.0f} ms of work")
        # what was put together still adds up
        run = column(b, "range-threads", "run")
        own = sqlite3.connect(name)
        for thread, text in ((1, "1 main"), (2, "2 run")):
            rows = own.execute("SELECT time, kind FROM moment WHERE thread = ? AND kind < 2 ORDER BY time, seq", (thread,))
            true, since = 0, None
            for time, kind in rows:
                if kind == 0:
                    since = time if since is None else since
                elif since is not None:
                    true, since = true + time - since, None
            true += BEGIN + seconds * 1000000 - since if since is not None else 0
            check(abs(run[text] - true / 1e6) < 1e-4 * true / 1e6, f"{path}: {text} ran {run[text]}, not {true / 1e6}")
        own.close()
        b.run(f"window.mpjoule.range.set({seconds * 0.3}, {seconds * 0.31})")
        b.frames()
        quiet(b, path)


def unpacked(html):
    """A page with its data as text."""
    return re.sub(r'(?<=id="data">)[^<]*', lambda m: gzip.decompress(base64.b64decode(m[0])).decode(), html)


def read_back():
    """The page is read again, in every format; damaged ones are refused with a line."""
    tmp = os.environ["TMPDIR"] = tempfile.mkdtemp()  # nobody else's files are in it
    path = page("made.mpj")
    for form, options in (("text", ()), ("json", ()), ("csv", ("--view", "functions")), ("folded", ()),
                          ("text", ("--view", "events"))):
        again = report(path, form, *options).replace(path, "made.mpj")  # hints name the file
        check(again == report("made.mpj", form, *options), f"read again, {form}: another output")
    check(unpacked(report(path, "html")).replace(path, "made.mpj") == unpacked(report("made.mpj", "html")), "the page of a page is another one")
    shutil.copy("made.mpj", "other.mpj")
    db = sqlite3.connect("other.mpj")
    db.execute("UPDATE prof_cost SET value = value + 7000000 WHERE node = 5 AND item IN ('energy_fj', 'fj:clock')")
    db.commit()
    db.close()
    other = page("other.mpj")
    for form in ("text", "json", "folded", "html"):
        want = must(MPJOULE, "diff", "-f", form, "made.mpj", "other.mpj").stdout
        for pair in ((path, other), (path, "other.mpj"), ("made.mpj", other)):
            got = must(MPJOULE, "diff", "-f", form, *pair).stdout.replace(path, "made.mpj").replace(other, "other.mpj")
            check(got == want or form == "html", f"diff of {pair}, {form}: another output")
            check(form != "html" or abs(len(got) - len(want)) < 100, f"diff of {pair}, {form}: another page")
    path = page("made.mpj.mplog", "--view", "energy")
    for pair in ((path, "other.mpj"), ("other.mpj", path)):
        done = mpjoule("diff", *pair)
        check(done.returncode == 125 and f"{path} is a recording's page" in done.stderr, f"diff of {pair}: {done.stderr}")
    check(report(path, "csv", "--view", "energy") == report("made.mpj.mplog", "csv", "--view", "energy"),
          "a recording read again")
    check(report(path, "csv", "--view", "samples").count("\n") == LENGTH // 10000 + 1, "samples of a page")
    with open("made.mpj.html", encoding="utf-8") as handle:
        text = handle.read()
    begin = text.index('id="source"')
    start = text.index('>', begin) + 1
    end = text.index("</script>", start)
    damaged = {
        "cut.html": text[:start + 200],
        "end.html": text[:end - 400] + text[end:],
        "letters.html": text[:start + 400] + "!!!!" + text[start + 404:],
        "flip.html": text[:start + 4000] + ("A" if text[start + 4000] != "A" else "B") + text[start + 4001:],
        "none.html": text[:text.rindex("<script", 0, begin)] + text[end:],
        "kind.html": text[:begin] + text[begin:start].replace("mpj", "../x") + text[start:],
        "empty.html": text[:start] + text[end:],
        "large.html": text[:begin] + 'id="source" data-kind="none">' + text[end:],
        "head.html": text[:200],
        "bomb.html": text[:start] + base64.b64encode(gzip.compress(bytes(100 << 20))).decode() + text[end:],
    }
    for name, content in damaged.items():
        with open(name, "w", encoding="utf-8") as handle:
            handle.write(content)
        done = mpjoule("report", name)
        check(done.returncode == 125 and done.stderr.count("\n") == 1 and name in done.stderr and not done.stdout,
              f"{name}: {done.returncode}: {done.stderr}")
    with open("two.html", "w", encoding="utf-8") as handle:
        handle.write(must(MPJOULE, "diff", "--format", "html", "made.mpj", "made.mpj").stdout)
    for words in (("report", "two.html"), ("diff", "two.html", "made.mpj"), ("diff", "made.mpj", "two.html"),
                  ("annotate", "main", "two.html"), ("annotate", "main", "flip.html")):
        done = mpjoule(*words)
        check(done.returncode == 125 and done.stderr.count("\n") == 1 and not done.stdout and
              ("two.html: the page carries no run" in done.stderr or "flip.html" in done.stderr), f"{words}: {done.stderr}")
    check(not os.listdir(tmp), f"left behind: {os.listdir(tmp)}")
    # a store whose times cannot be: the page stays as small, and does not take forever
    for time, step in ((1 << 62, 1), (1 << 62, 1 << 62), ((1 << 63) - 1, (1 << 63) - 1)):
        shutil.copy("made.mpj", "far.mpj")
        db = sqlite3.connect("far.mpj")
        for name in ("wave", "wave_count"):
            db.execute(f"UPDATE {name} SET time0 = ?, step = ?", (time, step))
        db.commit()
        db.close()
        done = mpjoule("report", "--format", "html", "far.mpj")
        check(done.returncode in (0, 125) and len(done.stdout) < 3 * len(text), f"far in time: {done.returncode}: {done.stderr}")
    shutil.rmtree(tmp)


def fits(b):
    """At each width nothing lies over another thing, and what is wider than the screen can be scrolled."""
    for width in (1280, 760, 390):
        b.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        b.run("window.dispatchEvent(new Event('resize'))")
        b.frames()
        check(b.run("document.documentElement.scrollWidth <= innerWidth"), f"wider than {width} px")
        over = b.run("""(() => { const all = [...document.querySelectorAll('h2, h3, table, .card, .chart, .legend, p.about')]
            .filter(e => e.offsetParent).map(e => [e, e.getBoundingClientRect()]).filter(x => x[1].width && x[1].height);
            for (const [e, a] of all) for (const [f, c] of all)
                if (e !== f && !e.contains(f) && !f.contains(e) && !e.closest('.scroll') && !f.closest('.scroll') &&
                    a.x < c.right - 1 && c.x < a.right - 1 && a.y < c.bottom - 1 && c.y < a.bottom - 1)
                    return e.outerHTML.slice(0, 60) + ' / ' + f.outerHTML.slice(0, 60);
            return ''; })()""")
        check(not over, f"at {width} px, one lies over the other: {over}")
        # what is wider than the screen is scrolled in its box, and says so; the names stay
        lost = b.run("""[...document.querySelectorAll('table')].filter(t => t.offsetParent && t.offsetWidth > innerWidth).filter(t => {
            const box = t.closest('.scroll');
            box.scrollLeft = 1e4;
            const name = t.querySelector('tbody td'), last = t.querySelector('tbody tr').lastElementChild;
            return name.getBoundingClientRect().left < 0 || last.offsetParent && last.getBoundingClientRect().right > innerWidth ||
                !getComputedStyle(box).backgroundAttachment.includes('local'); }).map(t => t.closest('.tablebox').id)""")
        check(not lost, f"at {width} px, tables run off: {lost}")


def theme(b):
    """Dark, print, narrow; charts have names and tables, and nothing lies over another thing."""
    b.open(page("made.mpj"))
    light = b.run("getComputedStyle(document.body).backgroundColor")
    b.media("dark")
    check(b.run("getComputedStyle(document.body).backgroundColor") != light, "dark is light")
    b.media("light", "print")
    check(b.run("getComputedStyle(document.getElementById('nav')).display") == "none", "the navigation is printed")
    b.media()
    b.pdf("made.pdf")
    check(os.path.getsize("made.pdf") > 20000, "nothing is printed")
    unnamed = b.run("[...document.querySelectorAll('canvas.lanes, .plot, svg.flame, .stack')]"
                    ".filter(e => !e.getAttribute('aria-label')).length")
    check(unnamed == 0, f"{unnamed} charts without a name")
    tables = b.run("document.querySelectorAll('#time details, #functions details, #causes details').length")
    check(tables >= 6, f"{tables} tables of charts")
    unlabelled = b.run("[...document.querySelectorAll('button, input, select')].filter(e => e.offsetParent && !e.textContent.trim() && "
                       "!e.getAttribute('aria-label') && !e.labels?.length).length")
    check(unlabelled == 0, f"{unlabelled} controls without a name")
    fits(b)
    quiet(b, "made.mpj")


def run_test(tests, what, folder):
    """The test of that name, on a made run in the folder, which becomes the current one; the exit status."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    if "MAKE_PROFILE" in os.environ:
        must(os.environ["MAKE_PROFILE"], "made.mpj")
    if what == "read_back":
        tests[what]()
        return finish()
    if browser.find() is None:
        print("skipped: no chromium to look at the page in")
        return SKIPPED
    with browser.Browser("browser") as b:
        tests[what](b)
    return finish()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(run_test({"figures": figures, "range": parts, "names": names, "recording": recording, "diff": diff, "large": large,
                       "theme": theme, "readme": readme, "read_back": read_back}, *sys.argv[1:]))
