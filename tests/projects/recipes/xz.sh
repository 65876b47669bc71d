# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For the target as the manual shows it. Compresses and expands with four threads.
build() {
    if [ "$SIDE" = target ]; then
        manual xz
    else
        ./configure "${CONFIGURE[@]}" --disable-shared
        make -j"$JOBS"
    fi
}

# Those of its tests that are programs; the others are scripts that start xz by its path.
tests="test_check test_hardware test_stream_flags test_filter_flags test_block_header test_index test_index_hash
    test_bcj_exact_size test_memlimit test_lzip_decoder test_vli"

work() {
    make -C "$SOURCE/tests" check TESTS="$tests" LOG_COMPILER="${RUN[*]}" >log || { cat log; return 1; }
    grep -E '^(PASS|FAIL|SKIP|ERROR): ' log >out/tests
    input words 400000 >text
    run "$SOURCE/src/xz/xz" -T4 --block-size=64KiB -3 -k text
    mv text.xz out
    run "$SOURCE/src/xz/xz" -d -T4 -k out/text.xz
    same text out/text
    run "$SOURCE/src/xz/xz" --robot -lv out/text.xz >out/list
    for file in "$SOURCE"/tests/files/good-1-[3bdls]*.xz; do
        cp "$file" .
        run "$SOURCE/src/xz/xz" -dc "${file##*/}" >"out/${file##*/}.back"
    done
    run_profiled lzma_mf_hc4_find 4 "$SOURCE/src/xz/xz" -T4 --block-size=64KiB -3 -k -f text
    cp text.xz out/profiled.xz
}
