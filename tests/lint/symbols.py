#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the firmware's layers by their objects: a symbol that an object does not define itself must
come from a layer that docs/DESIGN.md's table lets its own layer use, or from the C library.

usage: symbols.py ROOT libmpjoule.a mpj_crt0.o   (exit status 1 and one line per finding)
"""
import collections
import os
import re
import subprocess
import sys

import layers

FOLDERS = re.compile(r"^(firmware/(?!loader/)|hal/(?!fake/)|link/src/).*\.[cS]$")
UNSUPPORTED = "firmware/libc/unsupported.txt"  # functions that the build makes an object of each
# Where the vectors and the reset end: addresses in the start code, which calls nothing else upwards.
ENTRIES = {"mpj_boot_main", "mpj_secondary_main", "mpj_irq_dispatch", "mpj_svc", "mpj_fault_entry"}


def sources(root, allowed):
    """Name of an object -> its layer."""
    found = {}
    for path in layers.listed(root) + layers.listed(root, "--others", "--exclude-standard"):
        if FOLDERS.match(path) and os.path.exists(os.path.join(root, path)):
            found[os.path.splitext(os.path.basename(path))[0]] = layers.room_of(path, allowed)
    with open(os.path.join(root, UNSUPPORTED), encoding="utf-8") as handle:
        names = [name for line in handle if re.match("[A-Z]", line) for name in line.split()[1:]]
    return found | dict.fromkeys(names, layers.room_of(UNSUPPORTED, allowed))


def interface(root):
    """The HAL's public headers as one text: what they declare a driver defines in the name of hal."""
    paths = [p for p in layers.listed(root) if p.startswith("hal/") and "/include/" in p]
    return "".join(open(os.path.join(root, p), encoding="utf-8").read() for p in paths)


def symbols(binary):
    """(object, type, name) of all symbols that others see or should define."""
    text = subprocess.run(["arm-none-eabi-nm", "-A", "-g", binary], check=True, capture_output=True,
                          text=True).stdout
    for line in text.splitlines():
        place, name = line.rsplit(None, 1)
        member = re.split(r"[:/]", place.rsplit(":", 1)[0])[-1]
        yield member.split(".")[0], line.split()[-2], name


def main(root, archive, crt0):
    allowed = layers.rooms(root)
    layer_of = sources(root, allowed)
    layer_of["mpj_crt0"] = "firmware/boot"
    public = set(re.findall(r"\b(hal_\w+)[(;]", interface(root)))
    needs = collections.defaultdict(set)
    weak, strong, bad = {}, {}, []
    for member, kind, name in list(symbols(archive)) + list(symbols(crt0)):
        layer = layer_of.get(member)
        if layer is None:
            bad.append(f"{member}: an object without a source in a layer")
        elif kind in "wv":
            continue  # used where something else has it linked
        elif kind == "U":
            needs[layer].add((name, member))
        elif kind in "WV":
            weak.setdefault(name, set()).add(layer)
        else:
            strong.setdefault(name, set()).add(layer)
    for layer, names in sorted(needs.items()):
        for name, member in sorted(names):
            owners = strong.get(name, set()) | weak.get(name, set()) | ({"hal"} if name in public else set())
            if not owners or layer in owners or owners & allowed[layer]:
                continue
            if layer == "firmware/boot" and name in ENTRIES:
                continue
            bad.append(f"{layer}: {member} needs {name} of {'/'.join(sorted(owners))}; it may only use "
                       f"{', '.join(sorted(allowed[layer])) or 'nothing'}")
    for line in bad:
        print(line)
    print(f"symbols: {sum(map(len, needs.values()))} references of {len(needs)} layers, {len(bad)} findings")
    return 1 if bad or not needs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
