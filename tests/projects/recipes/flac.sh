# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    ./configure "${CONFIGURE[@]}" --disable-shared --disable-cpplibs --disable-ogg --disable-asm-optimizations
    make -j"$JOBS"
}

work() {
    input wave 60000 >wave.wav
    for level in 0 5 8; do
        run "$SOURCE/src/flac/flac" -s -$level wave.wav -o out/wave$level.flac
        run "$SOURCE/src/flac/flac" -s -d -f out/wave$level.flac -o back.wav
        same wave.wav back.wav
    done
    run "$SOURCE/src/metaflac/metaflac" --list out/wave5.flac >out/list
}
