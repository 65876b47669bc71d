#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Views of the page of a run, in a real browser: trees, the selection in the address, large numbers of marks and threads,
hints.

usage: page_views.py trees|address|many|polling|hints FOLDER

FOLDER is emptied. Runs are made (tests/unit/profile_maker.c) and changed. Without Chromium the test ends with status 77.
"""
import json
import os
import shlex
import sqlite3
import sys

from page import BEGIN, LENGTH, OPEN, READY_MS, at, choose, column, page, quiet, report, run_test, table
from harness import check

# Totals of each tree by function, as the page computes them: [inverted self, callers, callees, calls of the callers].
TOTALS = """(() => { const {data, model} = window.mpjoule;
    const sum = n => n.value + n.children.reduce((s, c) => s + sum(c), 0);
    return data.profile.items.map(item => {
        const paths = callPaths(data, model, item, null, 'hidden');
        const self = new Map(makeTree(paths, 'inverted').children.map(n => [n.func, sum(n)]));
        return [item.name, perUnit(item), data.profile.funcs.map((f, i) => {
            const up = makeTree(paths, 'callers', i), down = makeTree(paths, 'callees', i);
            return [f[0], self.get(i) || 0, sum(up), sum(down), up.calls, down.calls, down.value]; })]; }); })()"""
CHILDREN = """makeTree(callPaths(window.mpjoule.data, window.mpjoule.model, window.mpjoule.data.profile.items[0], null, 'hidden'),
    '%s', window.mpjoule.data.profile.funcs.findIndex(f => f[0] === '%s')).children.map(n => n.name).sort()"""
SUM = """(() => { const {data, model} = window.mpjoule, item = data.profile.items.find(i => i.name === 'energy_fj');
    return callPaths(data, model, item, %s, '%s').reduce((s, p) => s + p.self, 0) / 1e9; })()"""


def put(b, ident, value):
    """Sets a control as somebody does who chooses or types."""
    b.run(f"(() => {{ const e = document.getElementById('{ident}'); e.value = {json.dumps(value)}; "
          "e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input')); })()")
    b.frames()


def text(b, ident):
    return b.run(f"document.getElementById('{ident}').textContent")


def labels(b, ident):
    return b.run(f"[...document.querySelectorAll('#{ident} g')].map(g => g.getAttribute('aria-label'))")


def same(a, b):
    """Equal to the last digit that the report has."""
    return f"{a:.12g}" == f"{b:.12g}"


def figure_of(costs, item):
    known = {"energy_fj": "energy_uj", "cycles": "cycles", "samples": "samples"}
    if item.startswith("fj:"):
        return costs["causes_uj"][item[3:]]
    return costs[known[item]] if item in known else costs["events"].get(item, 0)  # 0: not of functions


def trees(b):
    """Inverted trees, callers and callees have the totals of the report's functions, whatever recursion there is."""
    want = json.loads(report("made.mpj", "json"))
    functions = {f["name"]: f for f in want["functions"] if "thread" not in f}
    path = page("made.mpj")
    b.open(path)
    for item, per, rows in b.run(TOTALS):
        check(len(rows) == len(functions), f"{item}: {len(rows)} functions")
        for name, own, up, down, called, calls, own_again in rows:
            f = functions[name]
            self_cost, total = (figure_of(f[part], item) for part in ("self", "total"))
            check(same(own / per, self_cost), f"{item}, inverted, {name}: {own / per}, not {self_cost}")
            check(same(up / per, total), f"{item}, callers of {name}: {up / per}, not {total}")
            check(same(down / per, total), f"{item}, callees of {name}: {down / per}, not {total}")
            check(called == f["calls"], f"callers of {name}: {called} calls, not {f['calls']}")
            check(calls <= f["calls"] and own_again <= own, f"callees of {name}: {calls} calls, {own_again}")
    for order, name, children in (("callers", "fib", ["main", "work"]), ("callees", "fib", ["fib"]),
                                  ("callers", "memcpy", ["helper", "work"]), ("callees", "main", ["fib", "odd;name \"x\" <\u00e9>", "work"])):
        check(b.run(CHILDREN % (order, name)) == children, f"{order} of {name}: {b.run(CHILDREN % (order, name))}")
    chip(b, want)
    sandwich(b, functions)
    quiet(b, path)


def chip(b, want):
    """What belongs to no core is hidden, shown or shared out; then all is as much as the run used."""
    functions, whole = want["profile"]["functions"], want["truth"]["energy_uj"]
    for how, energy in (("hidden", functions["energy_uj"]), ("shown", whole), ("shared", whole)):
        got = b.run(SUM % ("null", how))
        check(abs(got - energy) < 1e-9 * energy, f"(chip) {how}: {got}, not {energy}")
    # by time: thread 2 has the share of its cycles
    cycles = sum(f["self"]["cycles"] for f in want["functions"] if f.get("thread") == 2)
    energy = sum(f["self"]["energy_uj"] for f in want["functions"] if f.get("thread") == 2)
    energy += want["profile"]["chip"]["energy_uj"] * cycles / functions["cycles"]
    got = b.run(SUM % ("2", "shared"))
    check(abs(got - energy) < 1e-9 * energy, f"(chip) shared with thread 2: {got}, not {energy}")
    shown = []
    for how in ("hidden", "shown", "shared"):
        put(b, "flame-chip", how)
        shown.append((any(x.startswith("(chip)") for x in labels(b, "flame")), text(b, "flame-hint").split(" (")[0]))
    check([x[0] for x in shown] == [False, True, False], f"(chip) in the flame: {shown}")
    check(shown[0][1] != shown[1][1] == shown[2][1], f"sums of the flame: {shown}")
    put(b, "flame-item", "instr")
    check(b.run("document.getElementById('flame-chip').closest('label').hidden"), "instructions of no core")
    put(b, "flame-item", "energy")
    put(b, "flame-chip", "hidden")


def sandwich(b, functions):
    """By the controls, by the button of the flame and by the table of functions."""
    put(b, "flame-view", "inverted")
    b.run(OPEN)
    top = [row for row in table(b, "paths") if "\u203a" not in row[0]]
    own = functions["work"]["self"]["energy_uj"]
    row = next(r for r in top if r[0] == "work")
    check(abs(float(row[1]) - own) < 1e-3, f"inverted, work: {row}, not {own}")
    check(row[2].startswith(f"{100 * own / sum(f['self']['energy_uj'] for f in functions.values()):.1f}"), f"share of work: {row}")
    put(b, "flame-view", "sandwich")
    check("Name a function" in text(b, "flame-note"), f"no function: {text(b, 'flame-note')}")
    put(b, "flame-function", "nothing of that name")
    check("no function" in text(b, "flame-note"), f"a wrong name: {text(b, 'flame-note')}")
    b.run("[...document.querySelectorAll('#all-functions button.link')].find(e => e.textContent === 'helper').click()")
    b.frames()
    check(b.run("document.getElementById('flame-function').value") == "helper", "a click in the table")
    total = f"{functions['helper']['total']['energy_uj']:.3f}"
    for ident in ("flame-callers", "flame"):
        label = next((x for x in labels(b, ident) if x.startswith("helper: ")), "none")
        check(label.startswith(f"helper: {total}"), f"{ident}: {label}, not {total}")
    check(total in text(b, "flame-note"), f"the table's total: {text(b, 'flame-note')}")
    y = "[...document.querySelectorAll('#flame-callers g')].map(g => [g.querySelector('text').textContent, g.getBoundingClientRect().y])"
    rows = dict(b.run(y))
    check(rows["helper"] > rows["work"] > min(rows.values()), f"callers stand above: {rows}")
    b.run("document.querySelector('#flame-callers g[tabindex=\"0\"]').focus()")
    b.key("ArrowDown")
    check(text(b, "flame-turn").endswith("work"), f"button: {text(b, 'flame-turn')}")
    b.run("document.getElementById('flame-turn').click()")
    b.frames()
    check(b.run("document.getElementById('flame-function').value") == "work", "the button turns to another function")


HASH = "decodeURIComponent(location.hash)"


def later(b):
    """The address is written a moment after the selection changed."""
    b.run("new Promise(f => setTimeout(f, 300))")


def address(b):
    """A link shows what was selected; what it contains stays text, and a wrong one is no selection."""
    path = page("made.mpj")
    b.open(path)
    check(b.run("location.hash") == "", f"nothing is selected: {b.run(HASH)}")
    choose(b, 10, 30)
    put(b, "flame-view", "sandwich")
    put(b, "flame-function", "fib")
    put(b, "flame-item", "cycles")
    put(b, "counts-event", b.run("document.getElementById('counts-event').options[0].value"))
    b.run("document.querySelector('#nav a[href=\"#functions\"]').click()")
    later(b)
    link = b.run("location.hash")
    check(link.startswith("#functions&") and "view=sandwich" in link and "function=fib" in link and "from=0.01" in link, f"link: {link}")

    def opened(text):
        b.send("Page.navigate", url="about:blank")
        b.open(path + text)
        b.frames()
        return [b.run(f"document.getElementById('{x}').value")
                for x in ("range-from", "range-to", "flame-view", "flame-function", "flame-item")]

    check(opened(link) == ["10", "30", "sandwich", "fib", "cycles"], f"opened again: {opened(link)}")
    check(b.run("Math.abs(document.getElementById('functions').getBoundingClientRect().y) < 200"), "the section is not in sight")
    check(labels(b, "flame-callers")[0].startswith("fib: "), f"opened again: {labels(b, 'flame-callers')[:1]}")
    # going on in the same page: another address is another selection, none is all of the run
    b.run("location.hash = 'from=0.02&to=0.03'")
    later(b)
    got = b.run("[window.mpjoule.range.from, window.mpjoule.range.to, document.getElementById('flame-view').value]")
    check(abs(got[0] - 0.02) < 1e-9 and abs(got[1] - 0.03) < 1e-9 and got[2] == "paths", f"another address: {got}")
    default = ["0", "50", "paths", "", "energy"]
    for wrong in ("#from=x&to=%zz&view=no&item=&function", "#&&=&==&from=NaN&to=-1", "#from=1e99&to=1e99&zoom=77777"):
        got = opened(wrong)
        check(got[2:] == default[2:] and 0 <= float(got[0]) < float(got[1]) <= 50, f"{wrong}: {got}")
        quiet(b, wrong)
    evil = "<img src=x onerror=window.hurt=1>"
    got = opened(f"#view=sandwich&function={evil}&find={evil}&thread={evil}&{evil}={evil}")
    check(got[3] == evil and b.run("window.hurt === undefined && [...document.images].every(i => i.src.startsWith('data:'))"), f"a name in the address ran: {got}")
    b.run("document.getElementById('flame-find').dispatchEvent(new Event('input'))")
    check(not b.complaints(), f"{b.complaints()[:2]}")


def crowd(path, marks, threads):
    """Adds marks and threads to a made run: thread N runs in the N-th part of the time, the last one waits, too."""
    db = sqlite3.connect(path)
    db.execute("DELETE FROM mark")
    db.executemany("INSERT INTO mark VALUES (0, ?, ?, 0, 1, ?, ?)",
                   ((i, BEGIN + i * LENGTH // marks, f"mark {i}", i) for i in range(marks)))
    columns = [row[1] for row in db.execute("PRAGMA table_info(thread)")]
    row = dict(zip(columns, db.execute("SELECT * FROM thread WHERE id = 2").fetchone()))
    db.execute("DELETE FROM thread WHERE id = 2")
    seq = db.execute("SELECT max(seq) FROM moment").fetchone()[0] + 1
    moments = []
    for i in range(2, threads + 1):
        row.update(id=i, parent=1, name=f"worker {i}")
        db.execute(f"INSERT INTO thread VALUES ({', '.join('?' * len(columns))})", [row[c] for c in columns])
        begin = BEGIN + (LENGTH - 1000) * i // threads
        moments += [(begin, i, 0, 0, 0), (begin + 500, i, 2, 0x9800, 1), (begin + 500, i, 1, 0, 1), (begin + 900, i, 3, 0x9800, 0)]
    db.execute("DELETE FROM moment WHERE thread = 2")
    db.executemany("INSERT INTO moment VALUES (0, 0, ?, ?, 1, ?, ?, ?, ?, 1)",
                   ((seq + k, t, i, kind, obj, other) for k, (t, i, kind, obj, other) in enumerate(sorted(moments))))
    db.commit()
    db.close()


# The colour of the chart of threads at a time, in a row of pixels.
PIXELS = """(() => { const c = document.querySelector('#lanes canvas'), y = %d;
    const copy = Object.assign(document.createElement('canvas'), {width: c.width, height: 1}).getContext('2d', {willReadFrequently: true});
    copy.drawImage(c, 0, -y);
    return [...copy.getImageData(0, 0, c.width, 1).data]; })()"""


def red(pixels):
    return [x for x in range(len(pixels) // 4) if pixels[4 * x] > 150 and pixels[4 * x + 1] < 60 and pixels[4 * x + 2] < 60]


def many(b):
    """100,000 marks and 2,000 threads are all there, and the page can be used."""
    marks, threads = 100000, 2000
    crowd("made.mpj", marks, threads)
    path = page("made.mpj")
    work = min(b.open(path) for _ in range(2))
    print(f"{marks} marks, {threads} threads: {b.ready_ms} ms, of which {work:.0f} ms of work")
    check(work <= READY_MS, f"{work:.0f} ms of work")
    check(f"{threads:,} of {threads:,} threads" in text(b, "lane-count"), f"threads: {text(b, 'lane-count')}")
    check(len(red(b.run(PIXELS % 20))) > 1000, "marks are not drawn in every column")
    # the last ones, which are far beyond any first part
    b.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    before = b.busy()
    choose_only(b, 49.9965, 50)  # two marks in each of the last three ticks
    took = b.busy() - before
    check(took < READY_MS, f"another part of time takes {took:.0f} ms of work")
    rows = table(b, "marks")
    check([row[0] for row in rows] == [f"mark {marks - 6 + i}" for i in range(6)], f"last marks: {rows}")
    check(len(red(b.run(PIXELS % 20))) == 3, f"last marks in the chart: {len(red(b.run(PIXELS % 20)))}")
    choose_only(b, 0, 50)
    caption = b.run("document.querySelector('#marks caption').textContent")
    check(caption.startswith(f"{marks:,} of {marks:,} marks"), f"marks: {caption}")
    b.run("document.querySelector('#marks button.more').click()")
    check(len(table(b, "marks")) == 2012 and "more of 100,000" in b.run("document.querySelector('#marks button.more').textContent"),
          f"{len(table(b, 'marks'))} rows after a click")
    b.run("(() => { const e = document.querySelector('#marks input'); e.value = 'mark 99999'; e.dispatchEvent(new Event('input')); })()")
    check([row[0] for row in table(b, "marks")] == ["mark 99999"], "a mark is not found")
    put(b, "lane-find", f"worker {threads}")
    check(text(b, "lane-count").endswith(f"1 of {threads:,} threads"), f"find: {text(b, 'lane-count')}")
    b.run("document.querySelector('#lanes canvas').focus()")
    b.key("n")
    check(text(b, "lane-hint").startswith(f"{threads} worker {threads}"), f"the last thread: {text(b, 'lane-hint')}")
    put(b, "lane-find", "")
    b.run("document.getElementById('lanes').scrollTop = 1e9")
    b.frames()
    r = b.run("(() => { const r = document.querySelector('#lanes canvas').getBoundingClientRect(); return [r.x, r.y, r.height]; })()")
    b.run(f"document.getElementById('lanes').dispatchEvent(new MouseEvent('mousemove', {{clientX: {r[0] + 300}, clientY: {r[1] + r[2] - 6}}}))")
    check(text(b, "lane-hint").startswith(f"{threads} worker {threads}"), f"scrolled to the end: {text(b, 'lane-hint')}")
    put(b, "lane-order", "time run")
    b.run("document.querySelector('#lanes canvas').focus()")
    b.key("n")
    check(text(b, "lane-hint").startswith("1 main"), f"by time run: {text(b, 'lane-hint')}")
    waits = b.run("document.querySelector('#range-waits button.more').textContent")
    check(f"all {threads - 1:,} rows" in waits, f"waits: {waits}")
    quiet(b, path)


def choose_only(b, begin_ms, end_ms):
    b.run(f"window.mpjoule.range.set({begin_ms / 1000}, {end_ms / 1000})")
    b.frames()


def polling(b):
    """Waiting on the core is what the target's timeline has of waiting and the moments have not."""
    db = sqlite3.connect("made.mpj")
    # thread 1 runs all the time and polls 1 ms of 10 to 15 ms; thread 2 blocks from 10 to 30 ms and polls 0.5 ms before
    blocked = {1: {2: 1000}, 2: {1: 500, 2: 5000, 3: 5000, 4: 5000, 5: 5000}}
    db.executemany("INSERT INTO timeline VALUES (0, ?, ?, 5000, ?, ?, 0)",
                   ((t, i, 5000 - blocked[t].get(i, 0), blocked[t].get(i, 0)) for t in (1, 2) for i in range(10)))
    db.commit()
    db.close()
    path = page("made.mpj")
    b.open(path)
    for begin, end, true in ((0, 50, (1e-3, 0.5e-3)), (10, 15, (1e-3, 0)), (12.5, 20, (0.5e-3, 0)), (20, 50, (0, 0))):
        choose(b, begin, end)
        got = column(b, "range-threads", "polling")
        check(all(abs(got[k] - v) < 1e-7 for k, v in zip(("1 main", "2 run"), true)), f"{begin} to {end} ms: {got}, not {true}")
    choose(b, 0, 50)
    r = b.run("(() => { const r = document.querySelector('#lanes canvas').getBoundingClientRect(); return [r.x, r.y, r.width]; })()")
    x = r[0] + 104 + 0.25 * (r[2] - 104)
    b.run(f"document.getElementById('lanes').dispatchEvent(new MouseEvent('mousemove', {{clientX: {x}, clientY: {r[1] + 26}}}))")
    check("polling for 1.0000\u00a0ms of 10.0000\u00a0ms to 15.0000\u00a0ms" in text(b, "lane-hint"), f"hint: {text(b, 'lane-hint')}")
    # waiting is quieter than running, in light and dark
    for scheme in ("light", "dark"):
        b.media(scheme)
        rgb = [[int(c[i:i + 2], 16) for i in (1, 3, 5)] for c in b.run("['run', 'wait', 'spin'].map(colour)")]
        spread = [max(c) - min(c) for c in rgb]
        check(spread[0] > 2 * max(spread[1:]), f"{scheme}: colours {rgb}")
    b.media()
    quiet(b, path)
    check(at(json.loads(report("made.mpj", "json")), ["threads", "0", "timeline", "bin_s"]) == 0.005, "no timeline")


def hints(b):
    """What the summary suggests, with commands that a shell reads as they are meant, whatever functions are called."""
    def shown(path):
        b.open(path)
        quiet(b, path)
        return b.run("[...document.querySelectorAll('#hints > li')].map(li => [li.querySelector('p').textContent, "
                     "...[...li.querySelectorAll('pre')].map(pre => pre.textContent)])")

    summary = report("made.mpj", "text").split("Look next\n")[1].splitlines()
    found = shown(page("made.mpj"))
    check(len(found) >= 2 and [line.strip() for line in summary[:4]] == [x for hint in found[:2] for x in hint[:2]],
          f"hints: {found}, not {summary}")
    function = next(h for h in found if h[0].startswith("Function"))
    name = function[0].split()[1].rstrip(":")
    check(function[2] == f"mpjoule run -o what-if.mpj --what-if=function:{name}=0.5 made.elf\nmpjoule diff made.mpj what-if.mpj",
          f"what it would save: {function}")
    check(all(len(h) == 2 for h in found if h[0].startswith(("Idle", "Region"))), f"nothing of these can be changed: {found}")
    evil = "x'; touch hurt; $(touch hurt) `touch hurt` <b>"
    db = sqlite3.connect("made.mpj")
    db.execute("UPDATE prof_func SET name = ? || name", (evil,))
    db.commit()
    db.close()
    os.rename("made.mpj", "a b'.mpj")
    function = next(h for h in shown(page("a b'.mpj")) if h[0].startswith("Function"))
    check(shlex.split(function[1])[-2:] == [evil + name, "a b'.mpj"], f"an evil name: {function[1]}")
    again, compare = function[2].splitlines()
    check(shlex.split(again)[1:] == ["run", "-o", "what-if.mpj", f"--what-if=function:{evil}{name}=0.5", "made.elf"], f"an evil name: {again}")
    check(shlex.split(compare) == ["mpjoule", "diff", "a b'.mpj", "what-if.mpj"], f"an evil file: {compare}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(run_test({"trees": trees, "address": address, "many": many, "polling": polling, "hints": hints}, *sys.argv[1:]))
