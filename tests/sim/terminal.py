#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""On a narrow terminal: the line of progress does not wrap, Ctrl-C is one line.
usage: terminal.py"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, cc, check, finish, write  # noqa: E402

COLUMNS = 30

with tempfile.TemporaryDirectory() as work:
    cc(write(f"{work}/busy.c", "int main(void) { for (;;) { } }"), f"{work}/busy.elf", "-O2")
    # The limit is beyond CTest's: Ctrl-C is what ends them.
    for command, seen in ((["run", "--timeout", "9000"], b"bytes"),
                          (["run", "--timeout", "9000", "--all-events"], b"passes"),
                          (["sweep", "--timeout", "9000", "--cores", "1,2"], b"under w")):
        us, them = pty.openpty()
        fcntl.ioctl(them, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        p = subprocess.Popen([MPJOULE, *command, "busy.elf"], cwd=work, stdin=them, stdout=them,
                             stderr=them, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(them)
        said, asked = b"", False
        while True:
            try:
                more = os.read(us, 4096)
            except OSError:  # nobody has the terminal any more
                break
            if not more:
                break
            said += more
            if not asked and seen in said:
                os.write(us, b"\x03")
                asked = True
        status = p.wait()
        os.close(us)
        check(status == 130 and asked, f"{command}: status {status}, it said {said}")
        lines = [x for x in re.split(rb"\r\n|\r\x1b\[K", said.replace(b"^C", b"")) if x]
        messages = [x for x in lines if x.startswith(b"mpjoule: ")]
        wide = [x for x in lines if len(x) >= COLUMNS and x not in messages]
        check(not wide and len(messages) == 1, f"{command}: too wide: {wide}, messages: {messages}")

sys.exit(finish())
