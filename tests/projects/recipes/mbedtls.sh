# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() { make -j"$JOBS" -C library "${TOOLS[@]}" && make -j"$JOBS" -C programs test/selftest "${TOOLS[@]}"; }

work() {
    run "$SOURCE/programs/test/selftest" >out/selftest
}
