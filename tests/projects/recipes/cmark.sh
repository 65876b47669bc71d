# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without its test of the interface, a part of which is in C++.
build() {
    cmake -S . -B made "${CMAKE[@]}" -DCMARK_SHARED=OFF -DCMARK_TESTS=OFF
    cmake --build made -j "$JOBS"
}

work() {
    cp "$SOURCE"/test/*.txt .
    for format in html xml man latex commonmark; do run "$SOURCE/made/src/cmark" -t $format spec.txt >out/spec.$format; done
    run "$SOURCE/made/src/cmark" --smart smart_punct.txt >out/smart
    run "$SOURCE/made/src/cmark" --unsafe --sourcepos regression.txt >out/regression
}
