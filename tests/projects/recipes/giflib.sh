# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() { make -j"$JOBS" libgif.a giftext gif2rgb gifbuild gifclrmp "${TOOLS[@]}" ; }

work() {
    cp "$SOURCE"/pic/*.gif .
    for file in *.gif; do
        run "$SOURCE/giftext" "$file" >"out/$file.text"
        run "$SOURCE/gif2rgb" -1 "$file" >"out/$file.rgb"
    done
}
