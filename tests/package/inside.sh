#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What an ordinary user does first where only the package is installed (deb.sh runs it there).
set -euo pipefail
mkdir "$HOME/work"
cd "$HOME/work"
mpjoule --version
mpjoule cc -O2 -o matmul.elf /usr/share/mpjoule/apps/examples/matmul.c -lm
mpjoule run -o run.mpj --json run.json matmul.elf >run.txt
grep '^Time ' run.txt
mpjoule run --functions --quiet -o functions.mpj matmul.elf >/dev/null
mpjoule report --view functions functions.mpj | grep multiply
mpjoule doctor | tee doctor.txt
if grep -q MISSING doctor.txt; then exit 1; fi
mkdir begun
(cd begun && mpjoule init && cmake -B build && cmake --build build && mpjoule gate) | tail -n 1
rm -r begun
# a home that cannot be written: one line, and the next step works
chmod a-w . "$HOME"
if mpjoule run -o no.mpj matmul.elf 2>/tmp/said; then exit 1; fi
[ "$(wc -l </tmp/said)" = 1 ] && grep 'cannot create no.mpj: Permission denied' /tmp/said
mpjoule run --quiet -o /tmp/yes.mpj matmul.elf
mpjoule doctor --quiet | grep -F 'the current folder is not writable'
chmod u+w . "$HOME"
mpjoule help run | grep '^# mpjoule run'
gzip -t /usr/share/man/man1/mpjoule*.gz
# nothing is left behind but what was asked for
left=$(find . -type f -printf '%P ' | tr ' ' '\n' | LC_ALL=C sort | tr '\n' ' ')
[ "$left" = "doctor.txt functions.mpj functions.mplog matmul.elf run.json run.mpj run.mplog run.txt " ] || {
    echo "unexpected files: $left"
    exit 1
}
