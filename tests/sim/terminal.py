#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""On a narrow terminal: the line of progress does not wrap, Ctrl-C is one line.
usage: terminal.py MPJOULE"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time

COLUMNS = 30
mpjoule = sys.argv[1]
failed = []

with tempfile.TemporaryDirectory() as work:
    with open(f"{work}/busy.c", "w", encoding="ascii") as f:
        f.write("int main(void) { for (;;) { } }")
    subprocess.run([mpjoule, "cc", "-O2", "busy.c", "-o", "busy.elf"], cwd=work, check=True)
    for command, seen in ((["run", "--timeout", "90"], b"bytes"),
                          (["run", "--timeout", "90", "--all-events"], b"passes"),
                          (["sweep", "--timeout", "90", "--cores", "1,2"], b"under w")):
        us, them = pty.openpty()
        fcntl.ioctl(them, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        p = subprocess.Popen([mpjoule, *command, "busy.elf"], cwd=work, stdin=them, stdout=them,
                             stderr=them, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(them)
        said, asked = b"", None
        while True:
            try:
                more = os.read(us, 4096)
            except OSError:  # nobody has the terminal any more
                break
            if not more:
                break
            said += more
            if asked is None and seen in said:
                os.write(us, b"\x03")
                asked = time.monotonic()
        status = p.wait()
        os.close(us)
        if asked is not None and time.monotonic() - asked > 60:  # and not the run's --timeout
            failed.append(f"{command}: Ctrl-C did not end it")
        if status != 130 or asked is None:
            failed.append(f"{command}: status {status}, it said {said}")
        lines = [x for x in re.split(rb"\r\n|\r\x1b\[K", said.replace(b"^C", b"")) if x]
        messages = [x for x in lines if x.startswith(b"mpjoule: ")]
        wide = [x for x in lines if len(x) >= COLUMNS and x not in messages]
        if wide or len(messages) != 1:
            failed.append(f"{command}: too wide: {wide}, messages: {messages}")

for text in failed:
    print(text)
sys.exit(bool(failed))
