#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sim/qemu/build.sh without building QEMU: errors in one clear line, a hash that follows
# the inputs and nothing else, the cache, and the mirror it downloads from.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
own_folder
export XDG_CACHE_HOME=$dir/cache
unset MPJOULE_QEMU_SOURCE

# refuses WORDS COMMAND...: fails, with exactly one line on stderr that holds WORDS
refuses() {
    local words=$1 out
    shift
    if out=$("$@" 2>&1 >/dev/null); then fail "accepted: $*"; fi
    [ "$(printf '%s\n' "$out" | wc -l)" -eq 1 ] || fail "more than a line for: $*: $out"
    [[ $out == *"$words"* ]] || fail "expected '$words' for $*, got: $out"
}

# Two copies of what build.sh reads, and an unpacked "QEMU".
for copy in one two; do
    mkdir -p "$dir/$copy/sim"
    cp -r "$root/sim/qemu" "$root/sim/chip" "$dir/$copy/sim/"
    cp -r "$root/tile" "$root/scripts" "$dir/$copy/"
    mkdir "$dir/$copy/firmware"
    cp -r "$root/firmware/gnulib" "$dir/$copy/firmware/"
done
tree() { # NAME VERSION
    mkdir -p "$dir/$1"
    echo "$2" >"$dir/$1/VERSION"
    printf '#!/bin/sh\n' >"$dir/$1/configure"
    chmod +x "$dir/$1/configure"
    touch -d 2024-01-01 "$dir/$1/VERSION" "$dir/$1/configure"
}
tree qemu 7.2.9
tree newer 8.2.1
build=$dir/one/sim/qemu/build.sh
other=$dir/two/sim/qemu/build.sh

refuses "unknown option --frobnicate" "$build" --frobnicate
refuses "--source needs a value" "$build" --source
refuses "no such file" "$build" --source "$dir/nowhere"
mkdir "$dir/empty"
refuses "no QEMU source" "$build" --source "$dir/empty"
refuses "neither a folder nor a tarball" "$build" --source "$dir/qemu/VERSION"
refuses "is QEMU 8.2.1, but the patches are for 7.2" "$build" --source "$dir/newer"
refuses "MPJOULE_QEMU_SOURCE" env MPJOULE_QEMU_SOURCE="$dir/newer" "$build"
tar -C "$dir" -czf "$dir/newer.tar.gz" newer
refuses "is QEMU 8.2.1, but the patches are for 7.2" "$build" --source "$dir/newer.tar.gz"
"$build" --stock | grep -q qemu-system-arm || fail "--stock does not say how"
"$build" --help | grep -q -- --baseline || fail "--help is not complete"

# The hash: same inputs, same hash, wherever they lie; each kind of input counts.
path() { "$1" --path --source "$dir/qemu" || true; }
first=$(path "$build")
[[ $first =~ ^$dir/cache/mpjoule/qemu-[0-9a-f]{16}/bin/qemu-system-arm$ ]] || fail "path $first"
[ "$(path "$other")" = "$first" ] || fail "the hash depends on where the inputs lie"
echo "more" >>"$dir/two/sim/qemu/README.md"
[ "$(path "$other")" = "$first" ] || fail "the hash depends on the documentation"
differs() { # FILE: a change of it must change the hash
    echo "/* */" >>"$dir/two/$1"
    [ "$(path "$other")" != "$first" ] || fail "the hash ignores $1"
    cp "$dir/one/$1" "$dir/two/$1"
}
differs sim/chip/include/mpj_chip.h
differs tile/include/tile_events.h
differs sim/qemu/overlay/include/exec/mpj.h
differs "sim/qemu/patches/$(basename "$(find "$dir/two/sim/qemu/patches" -name '*.patch' | head -n 1)")"
[ "$(path "$other")" = "$first" ] || fail "the hash does not come back"
[ "$("$build" --path --baseline --source "$dir/qemu" || true)" != "$first" ] || fail "baseline has the same path"
echo 7.2.10 >"$dir/qemu/VERSION"
[ "$(path "$build")" != "$first" ] || fail "the hash ignores the source"
echo 7.2.9 >"$dir/qemu/VERSION"
touch -d 2024-01-01 "$dir/qemu/VERSION"

# What is built is found again; one that no longer runs does not count.
if "$build" --path --source "$dir/qemu" >/dev/null; then fail "--path finds a build where none is"; fi
mkdir -p "$(dirname "$first")"
printf '#!/bin/sh\nexit 0\n' >"$first"
chmod +x "$first"
"$build" --path --source "$dir/qemu" >/dev/null || fail "--path does not find the build"
"$build" --source "$dir/qemu" --link "$dir/link/qemu-system-arm" | grep -q "cached: $first" || fail "not found in the cache"
[ "$(readlink "$dir/link/qemu-system-arm")" = "$first" ] || fail "--link makes no link"
printf '#!/bin/sh\nexit 1\n' >"$first"
if "$build" --path --source "$dir/qemu" >/dev/null; then fail "a build that does not run counts"; fi

# The mirror: Debian's, from any file of apt's, not another vendor's.
mkdir -p "$dir/etc/parts" "$dir/state/lists/partial" "$dir/mirror/pool/main/q/qemu"
cat >"$dir/etc/own.list" <<'LIST'
# deb http://mirror.invalid/commented stable main
deb [arch=amd64] http://vendor.invalid/apt cloud-stable main
deb [arch=amd64 trusted=yes] http://mirror.invalid/debian oldstable main contrib
deb http://mirror.invalid/security bookworm-security/updates main
LIST
cat >"$dir/etc/parts/a.sources" <<'DEB822'
Types: deb deb-src
URIs: http://other.invalid/debian http://mirror.invalid/debian
Suites: bookworm
 bookworm-updates
Components: main

Types: deb
URIs: http://vendor.invalid/node
Suites: nodistro
Components: main

Enabled: no
Types: deb
URIs: http://mirror.invalid/off
Suites: bookworm
Components: main
DEB822
cat >"$dir/etc/apt.conf" <<CONF
Dir::State "$dir/state";
Dir::Cache "$dir/state";
Dir::Etc::sourcelist "$dir/etc/own.list";
Dir::Etc::sourceparts "$dir/etc/parts";
CONF
export APT_CONFIG=$dir/etc/apt.conf
mirrors=$(
    # shellcheck source=/dev/null
    . "$root/sim/qemu/source.sh"
    pool_mirrors bookworm | tr '\n' ' '
)
want="http://other.invalid/debian http://mirror.invalid/debian http://mirror.invalid/security "
[ "$mirrors" = "$want" ] || fail "mirrors: $mirrors, not $want"

# The source package: what the mirror lacks, or has otherwise, is refused in a line and leaves nothing.
rm -r "$dir/etc/parts"/*
echo "deb [trusted=yes] file://$dir/mirror stable main" >"$dir/etc/own.list"
refuses "copy:$dir/mirror/pool/main/q/qemu/" "$build"
echo "not it" >"$dir/mirror/pool/main/q/qemu/qemu_7.2+dfsg-7+deb12u18.dsc"
refuses "Hash Sum mismatch" "$build"
# gnulib likewise: a copy is taken where it is the right one.
gnulib=$dir/one/firmware/gnulib/obtain.sh
refuses "copy:$dir/mirror/pool/main/g/gnulib/" "$gnulib"
mkdir -p "$dir/mirror/pool/main/g/gnulib"
echo "not it" >"$dir/mirror/pool/main/g/gnulib/gnulib_20230209+stable-1_all.deb"
refuses "Hash Sum mismatch" "$gnulib"
echo "deb http://vendor.invalid/apt cloud-stable main" >"$dir/etc/own.list"
refuses "no mirror of" "$build"
refuses "no mirror of" "$gnulib"
[ -z "$(ls -A "$dir/cache/mpjoule/source")" ] || fail "left behind: $(ls -A "$dir/cache/mpjoule/source")"

finish "all right"
