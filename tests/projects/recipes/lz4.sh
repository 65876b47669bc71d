# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() { make -j"$JOBS" -C programs lz4 "${TOOLS[@]}"; }

work() {
    input text 400000 >text
    for level in -1 -9 -12; do
        run "$SOURCE/programs/lz4" -q "$level" text "out/text$level.lz4"
        run "$SOURCE/programs/lz4" -q -d -f "out/text$level.lz4" back
        same text back
    done
    run "$SOURCE/programs/lz4" -q -BD -B4 -c <text >out/linked.lz4
}
