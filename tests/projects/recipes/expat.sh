# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    cd expat
    ./buildconf.sh
    ./configure "${CONFIGURE[@]}" --disable-shared --without-docbook
    make -j"$JOBS"
}

work() {
    make -C "$SOURCE/expat/tests" runtests
    run "$SOURCE/expat/tests/runtests" >out/tests
}
