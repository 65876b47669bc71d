# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole suite of the project by ctest.
build() {
    cmake -S . -B made "${CMAKE[@]}"
    cmake --build made -j "$JOBS"
}

work() {
    (cd "$SOURCE/made" && ctest -j "$JOBS") >log || { cat log; return 1; }
    sed -nE 's/^.*Test +#([0-9]+: [a-z_A-Z]+) .*(Passed|Failed).*/\1 \2/p' log | sort >out/tests
    run "$SOURCE/made/cJSON_test" >out/print
}
