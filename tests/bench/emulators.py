# SPDX-License-Identifier: GPL-2.0-or-later
"""Two builds of the emulator on the same programs: what side-by-side and model-change share."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MPJOULE = os.path.join(TOP, "build", "mpjoule")
APPS = os.path.join(TOP, "build", "firmware", "apps")
WORKLOADS = os.path.join(TOP, "apps", "workloads")
FLAGS = {"serial": [], "pthread": ["-pthread"], "openmp": ["-fopenmp"]}


class Emulator:
    """A binary, and the calibration it can read: a key that it does not know is an error."""

    def __init__(self, path, calibration):
        self.path = os.path.abspath(path)
        self.calibration = os.path.abspath(calibration) if os.sep in calibration else calibration
        if not os.access(self.path, os.X_OK):
            sys.exit(f"{os.path.basename(sys.argv[0])}: no emulator {path}: run scripts/build.sh qemu")

    def run(self, elf, args, options=()):
        """The report, and seconds of processor and wall time."""
        cpu, wall = processor_time(), time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [MPJOULE, "run", "--quiet", "--calibration", self.calibration, *options, "-o", "r.mpj",
                 "--json", "r.json", elf, "--", *args],
                cwd=folder, env={**os.environ, "MPJOULE_QEMU": self.path}, capture_output=True, text=True,
                check=False)
            cpu, wall = processor_time() - cpu, time.monotonic() - wall
            if done.returncode != 0:
                sys.exit(f"{os.path.basename(sys.argv[0])}: {self.path}: {os.path.basename(elf)} "
                         f"{' '.join(args)}: status {done.returncode}: {done.stderr.strip()}")
            with open(f"{folder}/r.json", encoding="utf-8") as handle:
                return json.load(handle), cpu, wall


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def add_options(parser):
    """The two emulators; A is what is compared with."""
    parser.add_argument("--against", required=True, metavar="QEMU", help="emulator A: another build")
    parser.add_argument("--against-calibration", default="mprofiler", metavar="NAME",
                        help="calibration of A, a name or path/to/file: that of its own commit, if keys differ")
    parser.add_argument("--emulator", default=os.path.join(TOP, "build", "sim", "qemu-system-arm"), metavar="QEMU",
                        help="emulator B, default this build's")
    parser.add_argument("--calibration", default="mprofiler", metavar="NAME", help="calibration of B")
    parser.add_argument("--quantum", type=int, default=500)
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name matches")


def emulators(opt):
    return Emulator(opt.against, opt.against_calibration), Emulator(opt.emulator, opt.calibration)


def build(source, flags, folder):
    """The ELF file of a workload, or of the source with that path."""
    elf = os.path.join(folder, os.path.splitext(os.path.basename(source))[0] + ".elf")
    if not os.path.exists(elf):
        subprocess.run([MPJOULE, "cc", "-std=gnu11", "-O2", *FLAGS[flags], os.path.join(WORKLOADS, source), "-o", elf,
                        "-lm"], check=True)
    return elf


def workloads():
    """Lines of workloads.txt: name, source, flags, arguments, quick arguments, status, purpose, paper."""
    with open(os.path.join(WORKLOADS, "workloads.txt"), encoding="utf-8") as handle:
        return [[field.strip() for field in line.split("|")] for line in handle
                if line.strip() and not line.startswith("#")]


def instructions(report):
    return sum(core["events"]["instr"] for core in report["truth"]["cores"])
