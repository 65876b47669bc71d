# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    ./autogen.sh -s
    ./configure "${CONFIGURE[@]}" --disable-shared
    make -j"$JOBS"
}

work() {
    make -C "$SOURCE/test" -j"$JOBS" check LOG_COMPILER="${RUN[*]}" >log 2>&1 || { cat log; return 1; }
    grep -E '^(PASS|FAIL|SKIP|ERROR): ' log | sort >out/tests
    cp "$SOURCE"/test/default/*.res out
}
