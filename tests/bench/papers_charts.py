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


def functions(table, folder):
    """What measuring functions costs (tables II and III of Safari)."""
    rows = [row for row in table("functions", "tests/bench/entries --long") if row["program"] != "mean"]
    figure, axis = plt.subplots(figsize=(8, 3))
    kinds = (("finstrument, %", "hooks, Bloom filter", "#bbbbbb"), ("pg, %", "-pg", "#77aadd"),
             ("groups 1, %", "ours, 1 group", "#4477aa"), ("groups 4, %", "ours, 4 groups", "#223355"))
    for n, (column, name, color) in enumerate(kinds):
        axis.bar([at + 0.2 * (n - 1.5) for at in range(len(rows))], [max(float(row[column]), 0.01) for row in rows], 0.2,
                 label=name, color=color)
    axis.set_yscale("log")
    axis.set_xticks(range(len(rows)), [row["program"].split(",")[0] for row in rows], rotation=30, ha="right")
    axis.set_ylabel("more time, %")
    axis.legend(frameon=False, ncols=2)
    save(figure, folder, "functions")


def policies(found, names, folder):
    """ED2 of each policy over that of all threads (figure 5 of the predictors' paper)."""
    figure, axis = plt.subplots(figsize=(8, 3))
    chosen = [(next(name for name in found if name.startswith(word)), color) for word, color in
              (("exh", "#bbbbbb"), ("hppatch", "#ccbb44"), ("pre", "#ee6677"), ("aurora", "#77aadd"), ("ed2", "#4477aa"),
               ("oracle", "#223355"))]
    for n, (name, color) in enumerate(chosen):
        axis.bar([at + 0.14 * (n - 2.5) for at in range(len(names))], [v[2] for v in found[name]], 0.14, label=name, color=color)
    axis.axhline(1, color="black", linewidth=0.5)
    axis.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axis.set_ylabel("ED2, of all threads'")
    axis.set_ylim(bottom=0.5)
    axis.legend(frameon=False, ncols=3)
    save(figure, folder, "policies")


def draw(m, table, by_policy, folder):
    os.makedirs(folder, exist_ok=True)
    lifetimes(m, folder)
    degrees(table, folder)
    functions(table, folder)
    policies(*by_policy, folder)
