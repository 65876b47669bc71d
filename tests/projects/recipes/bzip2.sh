# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `make test` does, with each program through mpjoule-exec: this makefile has no word for that.
build() { make -j"$JOBS" libbz2.a bzip2 bzip2recover "${TOOLS[@]}"; }

work() {
    cp "$SOURCE"/sample*.ref "$SOURCE"/sample*.bz2 .
    for i in 1 2 3; do
        run "$SOURCE/bzip2" -$i <sample$i.ref >out/sample$i.bz2
        same sample$i.bz2 out/sample$i.bz2
        run "$SOURCE/bzip2" -d <sample$i.bz2 >sample$i.back
        same sample$i.ref sample$i.back
    done
    input words 200000 >text
    run "$SOURCE/bzip2" -kv text 2>out/said
    cp text.bz2 out
    run "$SOURCE/bzip2" -tvv text.bz2 2>>out/said
    rm text
    run "$SOURCE/bzip2" -d text.bz2
    cp text out
}
