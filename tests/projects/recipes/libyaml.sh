# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Its suite, and its examples as events and written again.
build() { built_and_tested cmake -DBUILD_SHARED_LIBS=OFF; }

work() {
    cp ../tests out
    cp "$SOURCE"/examples/*.yaml .
    for file in *.yaml; do
        run "$SOURCE/made/tests/run-parser-test-suite" "$file" >"out/${file%.yaml}.events" || true
        run "$SOURCE/made/tests/run-emitter" -c "$file" >"out/${file%.yaml}.again" || true
    done
}
