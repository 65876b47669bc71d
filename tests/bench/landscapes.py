# SPDX-License-Identifier: GPL-2.0-or-later
"""The spaces of the landscapes, as `mpjoule tune` reads them. Sources lie in a copy of apps/workloads in which loops
with a static schedule, or with none, have got schedule(runtime)."""

LEVELS = ["-O1", "-O2", "-O3", "-Os"]
UNROLL = ["", "-funroll-loops"]
RUN = {"sample-ms": "1"}


def openmp(source, size="1"):
    return {
        "axes": {"threads": "1..4", "schedule": ["static", "static,1", "static,4", "dynamic,1", "dynamic,4", "guided"],
                 "opt": LEVELS, "unroll": UNROLL},
        "sources": [source], "compiler": "-fopenmp {opt} {unroll}", "arguments": ["-c", size],
        "environment": {"OMP_NUM_THREADS": "{threads}", "OMP_SCHEDULE": "{schedule}"}, "run": RUN,
        "roles": {"threads": "threads", "schedule": "schedule"},
        "baseline": {"threads": "4", "schedule": "static", "opt": "-O2"},
    }


NAMES = {"gcse": "gcse", "inline": "inline-functions", "schedule": "schedule-insns", "schedule2": "schedule-insns2",
         "unroll": "unroll-loops"}


def options(sources, arguments, names, more=""):
    """Compiler options, each off or on, over -O1."""
    axes = {axis: [f"-fno-{name}", f"-f{name}"] for axis, name in names.items()}
    axes["align"] = ["-falign-loops=1", "-falign-loops=32"]
    return {"axes": axes, "sources": sources, "compiler": f"-O1{more} " + " ".join(f"{{{axis}}}" for axis in axes),
            "arguments": arguments, "run": RUN, "roles": {"flags": list(axes)}}


def threads(sources, axes, arguments, baseline, opt=("-O2", "-O3"), **more):
    return {"axes": {**axes, "opt": list(opt)}, "sources": sources, "compiler": "-pthread {opt}",
            "arguments": arguments, "run": {**RUN, **more},
            "roles": {"threads": [axis for axis in axes if axis in ("threads", "cores")]},
            "baseline": {**baseline, "opt": "-O2"}}


SPACES = {
    # two programs at once, the problem of ePRO-MP 6.1
    "mmis": {
        "axes": {"mm": "1..6", "is": "1..6", "opt": ["-O1", "-O2", "-O3"], "unroll": UNROLL},
        "sources": ["mmis.c"], "compiler": "-pthread {opt} {unroll}",
        "arguments": ["-n", "80", "-e", "600", "-m", "{mm}", "-i", "{is}"], "run": RUN,
        "roles": {"threads": ["mm", "is"]}, "baseline": {"mm": "4", "is": "4", "opt": "-O2"},
    },
    # producer and consumer, the problem of ePRO-MP 6.2
    "mmmt": {
        "axes": {"producers": "1..5", "consumers": "1..4", "tile": ["8", "10", "13", "16", "20", "27", "40", "80"],
                 "opt": ["-O2", "-O3"]},
        "sources": ["mmmt.c"], "compiler": "-pthread {opt}",
        "arguments": ["-p", "{producers}", "-c", "{consumers}", "-b", "{tile}"], "run": RUN,
        "roles": {"producer": "producers", "consumer": "consumers", "tile": "tile", "producer_thread": "producer",
                  "consumer_thread": "consumer"},
        "baseline": {"producers": "2", "consumers": "2", "tile": "80", "opt": "-O2"},
    },
    "omp_lu": openmp("omp_lu.c"),
    "omp_ep": openmp("omp_ep.c"),
    "omp_cg": openmp("omp_cg.c", "0"),
    "omp_ft": openmp("omp_ft.c"),
    "omp_bt": openmp("omp_bt.c"),
    "omp_is": openmp("omp_is.c"),
    "kernels": options(["kernels.c"], ["-n", "12"], NAMES),
    "qsort": threads(["qsort.c"], {"threads": "1..6", "cutoff": ["16", "64", "256", "1024", "4096", "16384"]},
                     ["-n", "20000", "-t", "{threads}", "-c", "{cutoff}"], {"threads": "4", "cutoff": "256"}),
    "msort": threads(["msort.c"], {"depth": "0..5", "cores": "1..4"}, ["-n", "16000", "-d", "{depth}"],
                     {"depth": "2", "cores": "4"}, cores="{cores}"),
    "radix": threads(["radix.c"], {"threads": "1..8", "cores": "1..4"}, ["-n", "30000", "-t", "{threads}"],
                     {"threads": "4", "cores": "4"}, cores="{cores}"),
    "lu": threads(["lu.c"], {"block": ["2", "4", "8", "16", "20", "40"], "threads": "1..6"},
                  ["-n", "80", "-b", "{block}", "-t", "{threads}"], {"block": "16", "threads": "4"}),
    "mm": threads(["mm.c"], {"tile": ["0", "8", "12", "16", "24", "36", "48", "72"], "threads": "1..6"},
                  ["-n", "72", "-b", "{tile}", "-t", "{threads}"], {"tile": "0", "threads": "4"}, LEVELS[:3]),
}

# Spaces that were measured when the search was done, to judge it: nothing in it was chosen by them.
PRESS = [f"press/{name}.c" for name in ("bits", "block", "huff", "lz", "main")]
TREES = [f"search/{name}.c" for name in ("knapsack", "main", "queens", "share")]
HELD_OUT = {
    "omp_mg": openmp("omp_mg.c", "0"),
    "omp_sp": openmp("omp_sp.c", "0"),
    "press": threads(PRESS, {"block": ["2048", "4096", "8192", "16384", "32768"], "threads": "1..8"},
                     ["-n", "40000", "-k", "{block}", "-t", "{threads}"], {"block": "16384", "threads": "4"}, LEVELS[:3]),
    "ocean": threads(["ocean.c"], {"threads": "1..8", "cores": "1..4"}, ["-n", "64", "-p", "6", "-t", "{threads}"],
                     {"threads": "4", "cores": "4"}, LEVELS[:3], cores="{cores}"),
    "search": threads(TREES, {"threads": "1..8", "cores": "1..4"}, ["-n", "7", "-k", "20", "-t", "{threads}"],
                      {"threads": "4", "cores": "4"}, LEVELS, cores="{cores}"),
    "decode": threads(["decode.c"], {"workers": "0..7", "cores": "1..4"}, ["-n", "100", "-p", "4", "-w", "{workers}"],
                      {"workers": "3", "cores": "4"}, LEVELS[:3], cores="{cores}"),
    "isort": options(["isort.c"], ["-n", "300", "-a", "8"], {**NAMES, "pre": "tree-pre"}, " -pthread"),
    "press_options": options(PRESS, ["-n", "20000"], {**NAMES, "vrp": "tree-vrp", "tail": "tree-tail-merge"}, " -pthread"),
    # the chip itself: sizes of its caches
    "chip": {
        "axes": {"threads": "1..4", "l1": ["8", "16", "32", "64"], "l2": ["128", "256", "512", "1024"], "opt": ["-O2", "-O3"]},
        "sources": ["mm.c"], "compiler": "-pthread {opt}", "arguments": ["-n", "96", "-t", "{threads}"], "run": RUN,
        "chip": {"l1d_kb": "{l1}", "l2_kb": "{l2}"}, "roles": {"threads": "threads"},
        "baseline": {"threads": "4", "l1": "32", "l2": "1024", "opt": "-O2"},
    },
}
