# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs as the first process of Linux on the emulated tile (sim/linux)."""
import gzip
import os

from harness import ROOT, call, must

LINUX = f"{ROOT}/sim/linux"
CROSS = ("arm-linux-gnueabi-gcc -static -s -O2 -marm -march=armv6k -mfpu=vfpv2 -mfloat-abi=softfp -mtp=soft "
         "-std=gnu11 -Wall -Wextra -Werror -pthread").split()
NOT_BUILT = "skipped: Linux is not built (sim/linux/build.sh)"


def built():
    """Is there a kernel in the cache, of this configuration and compiler?"""
    return call(f"{LINUX}/build.sh", "--path").returncode == 0


def source(path):
    """A file of the kernel's source."""
    return must(f"{LINUX}/build.sh", "--cat", path).stdout


def archive(files):
    """An initramfs (cpio, newc) of files: name -> path on this machine, all executable."""
    entries = [("dev", 0o40755, b"")]
    for name, path in files.items():
        with open(path, "rb") as handle:
            entries.append((name, 0o100755, handle.read()))
    out = b""
    for name, mode, data in [*entries, ("TRAILER!!!", 0, b"")]:
        fields = (len(out) + 1, mode, 0, 0, 1, 0, len(data), 0, 0, 5, 1, len(name) + 1, 0)
        out += b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    return gzip.compress(out, mtime=0)


def initramfs(folder, files):
    """The same as a file in the folder, after the stress's archive, which has the console; the last /init counts."""
    path = os.path.join(folder, "initramfs.gz")
    linux = must(f"{LINUX}/build.sh", "--path").stdout.strip()
    with open(f"{linux}/initramfs.gz", "rb") as base, open(path, "wb") as out:
        out.write(base.read() + archive(files))
    return path


def boot(*options, **more):
    """The finished run: sim/linux/run.sh with these options."""
    return call(f"{LINUX}/run.sh", *options, **more)
