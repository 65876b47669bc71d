# SPDX-License-Identifier: GPL-2.0-or-later
"""Two builds of the emulator on the same programs: what side-by-side and model-change share."""
import os
import resource
import sys
import tempfile
import time

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../harness")
from harness import MPJOULE, QEMU, call, load  # noqa: E402


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
        # an older emulator has no sandbox: both without
        with tempfile.TemporaryDirectory() as folder:
            done = call(MPJOULE, "run", "--quiet", "--calibration", self.calibration, *options, "-o", "r.mpj",
                        "--json", "r.json", elf, "--", *args,
                        cwd=folder, env={**os.environ, "MPJOULE_QEMU": self.path, "MPJOULE_SANDBOX": "off"}, timeout=None)
            cpu, wall = processor_time() - cpu, time.monotonic() - wall
            if done.returncode != 0:
                sys.exit(f"{os.path.basename(sys.argv[0])}: {self.path}: {os.path.basename(elf)} "
                         f"{' '.join(args)}: status {done.returncode}: {done.stderr.strip()}")
            return load(f"{folder}/r.json"), cpu, wall


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def add_options(parser):
    """The two emulators; A is what is compared with."""
    parser.add_argument("--against", required=True, metavar="QEMU", help="emulator A: another build")
    parser.add_argument("--against-calibration", default="mprofiler", metavar="NAME",
                        help="calibration of A, a name or path/to/file: that of its own commit, if keys differ")
    parser.add_argument("--emulator", default=QEMU, metavar="QEMU",
                        help="emulator B, default this build's")
    parser.add_argument("--calibration", default="mprofiler", metavar="NAME", help="calibration of B")
    parser.add_argument("--quantum", type=int, default=500)
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name matches")


def emulators(opt):
    return Emulator(opt.against, opt.against_calibration), Emulator(opt.emulator, opt.calibration)


def instructions(report):
    return sum(core["events"]["instr"] for core in report["truth"]["cores"])
