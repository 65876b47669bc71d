#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the folder with gnulib's files, unpacked from Debian 12's package, which is downloaded when there is none.
# usage: firmware/gnulib/obtain.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../../scripts/debian_pool.sh
. "$here/../../scripts/debian_pool.sh"

name=gnulib_20230209+stable-1_all.deb
sums="5c72af7f9fe2ad2e311ca2d98722d0d4b9852d0db109dce37734f3f2f4237d24  $name"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpjoule
package=$cache/source/gnulib
out=$cache/gnulib-${sums:0:16}

if [ ! -d "$out" ]; then
    mkdir -p "$cache/log" "$cache/source"
    exec 9>"$cache/.lock-gnulib"
    flock 9
    if [ ! -d "$out" ]; then
        if ! pool_whole "$package" "$sums" &&
            ! why=$(pool_obtain "$package" "$sums" g/gnulib "$cache/log/gnulib.log" 2>&1); then
            echo "gnulib: $why; another copy of $name goes into $package" >&2
            exit 1
        fi
        rm -rf "$out.new"
        mkdir "$out.new"
        dpkg-deb --fsys-tarfile "$package/$name" |
            tar -x -C "$out.new" --strip-components=3 ./usr/share/gnulib/lib ./usr/share/doc/gnulib/copyright
        mv -T "$out.new" "$out"
    fi
fi
echo "$out"
