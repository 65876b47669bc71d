# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without assembly. Its suite compares sums of what it compresses and expands in each mode.
build() { built_and_tested cmake -DENABLE_SHARED=0 -DWITH_SIMD=0; }

work() {
    cp ../tests out
    input image 200 >image.ppm
    run "$SOURCE/made/cjpeg-static" -quality 80 -optimize -outfile out/image.jpg image.ppm
    run "$SOURCE/made/djpeg-static" -ppm -outfile out/image.ppm out/image.jpg
}
