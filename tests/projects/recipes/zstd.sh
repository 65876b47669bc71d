# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compresses with four threads: the same bytes as with any number of them.
build() {
    make -j"$JOBS" -C programs zstd "${TOOLS[@]}" HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0
}

work() {
    input words 1500000 >text # a thread compresses 512 KB at least
    run "$SOURCE/programs/zstd" -q -T4 -1 text -B512K -o out/text.1.zst
    run_profiled ZSTD_compressBlock_doubleFast 3 "$SOURCE/programs/zstd" -q -T4 -B512K text -o out/text.3.zst
    run "$SOURCE/programs/zstd" -q -d out/text.3.zst -o back
    same text back
}
