# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    cmake -S . -B made "${CMAKE[@]}" -DJANSSON_BUILD_DOCS=OFF
    cmake --build made -j "$JOBS"
}

work() {
    (cd "$SOURCE/made" && ctest -j "$JOBS") >log || { cat log; return 1; }
    sed -nE 's/^.*Test +#[0-9]+: ([^ ]+) .*(Passed|Failed).*/\1 \2/p' log | sort >out/tests
}
