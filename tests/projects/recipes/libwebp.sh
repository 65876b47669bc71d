# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two threads: -mt.
build() {
    ./configure "${CONFIGURE[@]}" --disable-shared
    make -j"$JOBS"
}

work() {
    input image 200 >image.ppm
    run "$SOURCE/examples/cwebp" -quiet -mt -q 75 image.ppm -o out/lossy.webp
    run "$SOURCE/examples/cwebp" -quiet -mt -lossless image.ppm -o out/lossless.webp
    run "$SOURCE/examples/dwebp" -quiet -mt out/lossless.webp -ppm -o back.ppm
    same image.ppm back.ppm
    run "$SOURCE/examples/dwebp" -quiet -mt out/lossy.webp -ppm -o out/lossy.ppm
    run "$SOURCE/examples/webpinfo" out/lossy.webp >out/info
    run_profiled DoSegmentsJob 2 "$SOURCE/examples/cwebp" -quiet -mt -q 75 image.ppm -o out/profiled.webp
}
