# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compresses and expands with four threads.
build() {
    ./configure "${CONFIGURE[@]}"
    make -j"$JOBS"
}

work() {
    input text 600000 >text
    run "$SOURCE/src/lbzip2" -n4 -1 -k -c text >out/text.bz2
    run "$SOURCE/src/lbzip2" -n4 -d -c out/text.bz2 >back
    same text back
    bzip2 -dc out/text.bz2 >back
    same text back
    run "$SOURCE/src/lbzip2" -n4 -v -1 text 2>/dev/null
    same text.bz2 out/text.bz2
}
