# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Level 1 finds other matches where words have 64 bits: only what is read back is compared.
build() { make -j"$JOBS" -C programs lz4 "${TOOLS[@]}"; }

work() {
    input words 150000 >text
    for level in -1 -9 -12 "-BD -B4 -3"; do
        # shellcheck disable=SC2086 # several options
        run "$SOURCE/programs/lz4" -q -f $level text text.lz4
        run "$SOURCE/programs/lz4" -q -d -f text.lz4 back
        same text back
        [ "$level" = -1 ] || cp text.lz4 "out/text${level// /}.lz4"
    done
}
