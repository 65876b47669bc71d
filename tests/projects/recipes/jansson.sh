# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole suite of the project, 213 tests.
build() { built_and_tested cmake -DJANSSON_BUILD_DOCS=OFF; }

work() {
    cp ../tests out
}
