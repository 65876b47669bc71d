#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A board is a folder: two made-up ones, copied to a place outside of the checkout, get a runtime of their own
# with nothing else touched. The one that the emulator can be taken for runs a program; the other one is linked.
# Builds the runtime twice: minutes.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder

firmware=${MPJOULE_FIRMWARE:-$root/build/firmware}
cp -r "$root/tests/boards/bare" "$root/tests/boards/made-up" .
if ! { cmake -S "$root" --preset firmware -B build "-DMPJ_BOARDS=$dir/bare;$dir/made-up" &&
    cmake --build build --target mpj_board-bare mpj_board-made-up; } >log 2>&1; then
    die "$(tail -n 20 log)"
fi

# link NAME: the program with the runtime of a board, as `mpjoule cc` links it.
link() {
    arm-none-eabi-gcc "-Bbuild/board/$1/" "-B$firmware/" "-specs=$firmware/mpjoule.specs" -O2 "$root/tests/boards/clock.c" \
        -o "$1.elf"
}

# Which board a program is for, and that it lies in its memory.
link made-up
readelf -x .note.mpjoule made-up.elf | grep -q 'made-up' || fail "the note does not name the board"
entry=$(readelf -h made-up.elf | sed -n 's/ *Entry point address: *//p')
[ "$entry" = 0x48200000 ] || fail "the program begins at $entry"
[ "$(grep -c -e '^realview-eb$' -e '^made-up$' build/boards.txt)" = 2 ] || fail "boards.txt lists not every board"

# Two cores, no power, no L220, and a clock of 24 bits that turns over twice in the run.
link bare
"$mpjoule" run --cores 2 bare.elf -o run.mpj >out 2>err || die "bare.elf: $(tail -n 3 err out)"
grep -q '^2 cores, 16384 pages, 50000$' out || fail "what the program found: $(head -n 3 out)"
grep -q '^time is right$' out || fail "time: $(head -n 3 out)"
grep -Eq '^Time +40\.[0-9]+ s' out || fail "the run's time: $(grep ^Time out)"
finish "two boards from outside: both are linked, one runs"
