#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints ports of this machine that nobody uses, below those that the kernel gives to whoever asks for any: between
the look and their use no other process gets them but by naming them.

usage: free_ports.py [N]
"""
import random
import socket
import sys

FIRST = 10000


def last():
    """The one before the kernel's own."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as handle:
        return max(FIRST + 1000, int(handle.read().split()[0]) - 1)


def free_ports(n=1):
    """n different ones."""
    held = []
    while len(held) < n:
        s = socket.socket()
        try:
            s.bind(("127.0.0.1", random.randint(FIRST, last())))
        except OSError:
            s.close()
            continue
        held.append(s)
    found = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return found


if __name__ == "__main__":
    print(*free_ports(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
