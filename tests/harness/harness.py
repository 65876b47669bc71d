# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests' Python scripts share: where things lie, running them, and counting what is wrong.

MPJOULE in the environment: another build of the command than build/mpjoule.
"""
import collections
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MPJOULE = os.path.abspath(os.environ.get("MPJOULE", f"{ROOT}/build/mpjoule"))
FIRMWARE = f"{ROOT}/build/firmware"
APPS = f"{FIRMWARE}/apps"
QEMU = f"{ROOT}/build/sim/qemu-system-arm"
CALIBRATION = f"{ROOT}/sim/calibrations/mprofiler.conf"
PROGRAM_HEADERS = f"{ROOT}/apps"  # known.h
WORKLOADS = f"{ROOT}/apps/workloads"
TIMEOUT_S = 1000  # ends what hangs; a busy machine is slow

FLAGS = {"serial": [], "pthread": ["-pthread"], "openmp": ["-fopenmp"]}
CORE_EVENTS = """icache_miss ifetch_stall ddep_stall iutlb_miss dutlb_miss branch branch_notpred
branch_mispred instr folded dcache_rd dcache_rd_miss dcache_wr dcache_wr_miss dcache_evict pc_change
tlb_miss ext_req lsu_stall sb_drain sb_merge""".split()

Workload = collections.namedtuple("Workload", "name source flags args quick status purpose paper")
failures = []


def check(fine, text):
    """Counts what is not fine; goes on."""
    if not fine:
        failures.append(text)


def finish(summary=""):
    """Tells what was not fine; the script's exit status."""
    for text in failures:
        print(f"FAILED: {text}")
    if summary and not failures:
        print(summary)
    return 1 if failures else 0


def usage(doc):
    """The usage in a script's comment, for argparse."""
    return doc.split("usage: ")[1].split("\n\n")[0]


def call(*command, **options):
    """The finished process, whatever its status, with what it said."""
    options = {"capture_output": True, "text": True, "timeout": TIMEOUT_S, **options}
    return subprocess.run([str(word) for word in command], check=False, **options)


def must(*command, **options):
    """The same of a command that has to succeed: the script ends if it does not."""
    done = call(*command, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr or done.stdout}")
    return done


def mpjoule(*args, **options):
    return call(MPJOULE, *args, **options)


def cc(source, elf, *flags, **options):
    """Builds a program for the target, from a source file or all those of a folder."""
    sources = sorted(glob.glob(f"{source}/*.c")) if os.path.isdir(source) else [source]
    must(MPJOULE, "cc", *flags, *sources, "-o", elf, "-lm", **options)
    return elf


def load(path):
    with open(path, encoding="utf-8") as handle:
        return json.load(handle)


def write(path, text):
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text)
    return path


def run_json(folder, elf, *args, options=(), **more):
    """The JSON of a quiet run that has to succeed, its files in the folder."""
    must(MPJOULE, "run", "--quiet", "-o", "r.mpj", "--json", "r.json", *options, os.path.abspath(elf), "--", *args,
         cwd=folder, **more)
    return load(os.path.join(folder, "r.json"))


def waits_for(process, path):
    """Whether the process waits for a lock (flock) of the file; False, too, when it has ended."""
    with open("/proc/locks", encoding="utf-8") as handle:
        waiting = [line.split()[5:7] for line in handle if " -> " in line]
    return any(pid == str(process.pid) and place.endswith(f":{os.stat(path).st_ino}") for pid, place in waiting)


def workloads():
    """The table of workloads; flags as a list."""
    with open(f"{WORKLOADS}/workloads.txt", encoding="utf-8") as handle:
        rows = [[field.strip() for field in line.split("|")] for line in handle
                if line.strip() and not line.startswith("#")]
    return [Workload(*row)._replace(flags=FLAGS[row[2]]) for row in rows]


def build_workload(source, flags, folder):
    """The ELF file of a workload, or of the source with that path; made once per folder."""
    elf = os.path.join(folder, os.path.splitext(os.path.basename(source))[0] + ".elf")
    if not os.path.exists(elf):
        cc(os.path.join(WORKLOADS, source), elf, "-std=gnu11", "-O2", *flags)
    return elf
