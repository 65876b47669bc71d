# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    meson setup made "${MESON[@]}" -Ddocs=false --default-library=static
    meson compile -C made -j "$JOBS"
}

work() {
    meson test -C "$SOURCE/made" --no-rebuild >log || { cat log; return 1; }
    sed -nE 's/^ *[0-9]+\/[0-9]+ +(.*[^ ]) +(OK|FAIL|SKIP|TIMEOUT).*/\1 \2/p' log | sort >out/tests
}
