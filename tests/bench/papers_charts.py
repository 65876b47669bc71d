# SPDX-License-Identifier: GPL-2.0-or-later
"""The charts of docs/papers.md, each of what a table there or in another document says."""
import os
import re

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "mpjoule", "svg.fonttype": "none", "font.size": 9,
                            "axes.spines.top": False, "axes.spines.right": False})
import matplotlib.pyplot as plt  # noqa: E402


def save(figure, folder, name):
    figure.tight_layout(rect=(0, 0, 1, figure.subplotpars.top if figure.legends else 1))
    figure.savefig(os.path.join(folder, f"{name}.svg"), metadata={"Date": None, "Creator": None})
    plt.close(figure)


def lifetimes(m, folder):
    """Threads over time (figure 3 of mProfiler), and of what their lives consist (figure 4)."""
    threads = sorted((t for t in m.decode()["threads"] if t["id"] != 0), key=lambda t: t["id"])
    figure, (one, two) = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
    names = [f"{t['id']} {t['name']}" for t in threads]
    one.barh(names, [1e3 * t["life_s"] for t in threads], left=[1e3 * t["created_s"] for t in threads], color="#4477aa")
    one.invert_yaxis()
    one.set_xlabel("alive, ms since the start")
    at = [0.0] * len(threads)
    for part, color in (("run", "#228833"), ("block", "#ccbb44"), ("other", "#ee6677"), ("host", "#bbbbbb")):
        some = [1e3 * t[f"{part}_s"] for t in threads]
        two.barh(names, some, left=at, color=color, label=part)
        at = [a + b for a, b in zip(at, some)]
    two.set_xlabel("life, ms")
    two.legend(frameon=False)
    save(figure, folder, "threads")


def degrees(table, folder):
    """Time and energy by number of threads, of one thread (figures 5 and 7 of ePRO-OMP)."""
    figure, axes = plt.subplots(1, 3, figsize=(8, 3), sharey=True)
    rows = table("degree", "tests/bench/degree", 2)
    for k, (axis, name) in enumerate(zip(axes, ("time", "energy of the chip", "energy of the threads"))):
        for at, row in enumerate(rows):
            cells = [re.findall(r"[\d.]+", row[column]) for column in row if column[0].isdigit()]
            some = [float(cell[k]) for cell in cells] if k < 2 else [float(v) for v in row["threads alone, mJ"].split(",")]
            for n, value in enumerate(some):
                axis.bar(at + 0.2 * (n - 1.5), value / some[0], 0.2, color=("#bbccee", "#77aadd", "#4477aa", "#223355")[n],
                         label=f"{n + 1}" if at == 0 else None)
        axis.set_xticks(range(len(rows)), [row["kernel"].split()[0].removeprefix("omp_") for row in rows])
        axis.set_title(name, fontsize=9)
    axes[0].set_ylabel("of one thread's")
    figure.legend(*axes[0].get_legend_handles_labels(), frameon=False, title="threads", ncols=4, loc="upper center")
    figure.subplots_adjust(top=0.75)
    save(figure, folder, "degree")


def draw(m, table, folder):
    os.makedirs(folder, exist_ok=True)
    lifetimes(m, folder)
    degrees(table, folder)
