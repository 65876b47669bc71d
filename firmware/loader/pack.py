#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The start of the flash as an installation leaves it: boot stage and two copies of the loader.

usage: pack.py BOOT LOADER OUT     (mpj_copies.h has the layout)
"""
import struct
import sys
import zlib

PART = 0x40000


def words(path):
    with open(path, "rb") as f:
        data = f.read()
    return data + bytes(-len(data) % 4)


def copy(loader, sequence):
    head = struct.pack("<4I44x", 0x4C4A504D, sequence, len(loader), zlib.crc32(loader))
    return head + struct.pack("<I", zlib.crc32(head)) + loader


def main():
    boot, loader = words(sys.argv[1]), words(sys.argv[2])
    if len(boot) > PART or len(loader) > PART - 64:
        sys.exit(f"pack.py: {sys.argv[1]} or {sys.argv[2]} does not fit into {PART} bytes")
    image = boot.ljust(PART, b"\xff") + copy(loader, 1).ljust(PART, b"\xff") + copy(loader, 0)
    with open(sys.argv[3], "wb") as f:
        f.write(image)


if __name__ == "__main__":
    main()
