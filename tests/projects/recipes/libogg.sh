# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    ./configure "${CONFIGURE[@]}" --disable-shared
    make -j"$JOBS"
}

work() {
    make -C "$SOURCE/src" -j"$JOBS" test_bitwise test_framing
    run "$SOURCE/src/test_bitwise" >out/bitwise 2>&1
    run "$SOURCE/src/test_framing" >out/framing 2>&1
}
