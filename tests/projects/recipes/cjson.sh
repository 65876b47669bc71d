# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole suite of the project.
build() { built_and_tested cmake; }

work() {
    cp ../tests out
    run "$SOURCE/made/cJSON_test" >out/print
}
