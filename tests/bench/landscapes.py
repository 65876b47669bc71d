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


def options(source):
    """Compiler options, each off or on, over -O1."""
    names = {"gcse": "gcse", "inline": "inline-functions", "schedule": "schedule-insns", "schedule2": "schedule-insns2",
             "unroll": "unroll-loops"}
    axes = {axis: [f"-fno-{name}", f"-f{name}"] for axis, name in names.items()}
    axes["align"] = ["-falign-loops=1", "-falign-loops=32"]
    return {"axes": axes, "sources": [source], "compiler": "-O1 " + " ".join(f"{{{axis}}}" for axis in axes),
            "arguments": ["-n", "12"], "run": RUN, "roles": {"flags": list(axes)}}


def threads(source, axes, arguments, baseline, **more):
    return {"axes": {**axes, "opt": ["-O2", "-O3"]}, "sources": [source], "compiler": "-pthread {opt}",
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
    "kernels": options("kernels.c"),
    "qsort": threads("qsort.c", {"threads": "1..6", "cutoff": ["16", "64", "256", "1024", "4096", "16384"]},
                     ["-n", "20000", "-t", "{threads}", "-c", "{cutoff}"], {"threads": "4", "cutoff": "256"}),
    "msort": threads("msort.c", {"depth": "0..5", "cores": "1..4"}, ["-n", "16000", "-d", "{depth}"],
                     {"depth": "2", "cores": "4"}, cores="{cores}"),
    "radix": threads("radix.c", {"threads": "1..8", "cores": "1..4"}, ["-n", "30000", "-t", "{threads}"],
                     {"threads": "4", "cores": "4"}, cores="{cores}"),
    "lu": threads("lu.c", {"block": ["2", "4", "8", "16", "20", "40"], "threads": "1..6"},
                  ["-n", "80", "-b", "{block}", "-t", "{threads}"], {"block": "16", "threads": "4"}),
}
