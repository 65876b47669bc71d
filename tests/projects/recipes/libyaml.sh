# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    cmake -S . -B made "${CMAKE[@]}"
    cmake --build made -j "$JOBS"
}

work() {
    (cd "$SOURCE/made" && ctest -j "$JOBS") >log || { cat log; return 1; }
    sed -nE 's/^.*Test +#([0-9]+: [-a-z_A-Z]+) .*(Passed|Failed).*/\1 \2/p' log | sort >out/tests
    cp "$SOURCE"/examples/*.yaml .
    for file in *.yaml; do
        run "$SOURCE/made/tests/run-parser-test-suite" "$file" >"out/${file%.yaml}.events" || true
        run "$SOURCE/made/tests/run-dumper" "$file" >"out/${file%.yaml}.dump" || true
    done
}
