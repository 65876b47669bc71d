# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    cmake -S . -B made "${CMAKE[@]}" -DCMARK_SHARED=OFF
    cmake --build made -j "$JOBS"
}

work() {
    run "$SOURCE/made/api_test/api_test" >out/api
    cp "$SOURCE"/test/spec.txt .
    for format in html xml man latex commonmark; do run "$SOURCE/made/src/cmark" -t $format spec.txt >out/spec.$format; done
}
