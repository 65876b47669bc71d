#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Views of the page of a run, in a real browser: large numbers of marks and threads, and waiting by polling.

usage: page_views.py many|polling FOLDER

FOLDER is emptied. Runs are made (tests/unit/profile_maker.c) and changed. Without Chromium the test ends with status 77.
"""
import json
import sqlite3
import sys

from page import BEGIN, LENGTH, OPEN, READY_MS, at, choose, column, page, quiet, report, run_test, table
from harness import check

def put(b, ident, value):
    """Sets a control as somebody does who chooses or types."""
    b.run(f"(() => {{ const e = document.getElementById('{ident}'); e.value = {json.dumps(value)}; "
          "e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input')); })()")
    b.frames()


def text(b, ident):
    return b.run(f"document.getElementById('{ident}').textContent")


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


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(run_test({"many": many, "polling": polling}, *sys.argv[1:]))
