# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    ./configure "${CONFIGURE[@]}"
    make -j"$JOBS"
}

# shellcheck disable=SC2016 # scripts in mawk's language
work() {
    input words 100000 >text
    run "$SOURCE/mawk" '{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) print n[w], w }' text | sort -k1nr -k2 >out/words
    run "$SOURCE/mawk" '{ gsub(/[aeiou]+/, "<&>"); print toupper(substr($0, 1, 20)), length, NR % 7 }' text >out/subst
    run "$SOURCE/mawk" 'BEGIN { for (i = 0; i < 20; i++) printf "%d %.6f %s %x\n", i, sin(i) * exp(i / 3), sprintf("%c", 65 + i), i * i }' >out/numbers
}
