# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole suite of the project, with Unicode's tests of conformance.
build() { built_and_tested meson -Ddocs=false; }

work() {
    cp ../tests out
    run "$SOURCE/made/bin/fribidi" --test --charset CapRTL "$SOURCE/test/test_CapRTL_implicit.input" >out/implicit
}
