# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    ./configure "${CONFIGURE[@]}"
    make -j"$JOBS"
}

work() {
    cp "$SOURCE"/examples/*.m4 .
    for file in foreach2 forloop2 hanoi loop misc multiquotes patsubst regexp reverse sync-lines translit; do
        run "$SOURCE/src/m4" $file.m4 >out/$file 2>&1 || echo "$?" >>out/$file
    done
}
