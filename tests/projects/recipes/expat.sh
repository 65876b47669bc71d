# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    cd expat || return
    ./buildconf.sh
    ./configure "${CONFIGURE[@]}" --disable-shared --without-docbook
    make -j"$JOBS"
    make -C tests runtests
}

work() {
    run "$SOURCE/expat/tests/runtests" >out/tests
}
