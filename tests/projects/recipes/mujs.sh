# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() { make -j"$JOBS" release "${TOOLS[@]}" HAVE_READLINE=no; }

work() {
    cp "${RECIPES:?}/mujs.js" .
    run "$SOURCE/build/release/mujs" mujs.js 6 >out/script
    run "$SOURCE/build/release/mujs-pp" mujs.js >out/printed
}
