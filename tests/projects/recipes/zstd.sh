# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compresses with four threads: the same bytes as with any number of them.
build() {
    make -j"$JOBS" -C programs zstd "${TOOLS[@]}" HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0

}

work() {
    input words 1500000 >text
    for level in 1 3 9; do
        run "$SOURCE/programs/zstd" -q -T4 -B256K -$level -c text >out/text.$level.zst
        run "$SOURCE/programs/zstd" -q -d -c out/text.$level.zst >back
        same text back
    done
    run_profiled ZSTD_compressBlock_doubleFast 4 "$SOURCE/programs/zstd" -q -T4 -B256K -f text -o out/profiled.zst
    same out/text.3.zst out/profiled.zst
}
