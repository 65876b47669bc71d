# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Its own tests run programs through QEMU_RUN.
build() {
    CC="$CC" AR="$AR" RANLIB="$RANLIB" ./configure --static
    make -j"$JOBS" static
}

work() {
    make -C "$SOURCE" teststatic QEMU_RUN="${RUN[*]}" | grep -E 'OK|inflate|deflate|gz' | sed 's/tmpst_[0-9]*//' >out/tests
    input words 300000 >text
    for level in -1 -6 -9; do
        run "$SOURCE/minigzip" "$level" <text >"out/text$level.gz"
        run "$SOURCE/minigzip" -d <"out/text$level.gz" >text.back
        same text text.back
    done
}
