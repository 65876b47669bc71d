# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    cmake -S . -B made "${CMAKE[@]}" -DENABLE_SHARED=0 -DWITH_SIMD=0
    cmake --build made -j "$JOBS"
}

work() {
    (cd "$SOURCE/made" && ctest -j "$JOBS") >log || { cat log; return 1; }
    sed -nE 's/^.*Test +#[0-9]+: ([^ ]+) .*(Passed|Failed).*/\1 \2/p' log | sort >out/tests
    input image 200 >image.ppm
    run "$SOURCE/made/cjpeg-static" -quality 80 -optimize -outfile out/image.jpg image.ppm
    run "$SOURCE/made/djpeg-static" -ppm -outfile out/image.ppm out/image.jpg
}
