#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds Linux 6.1 for the emulated tile from the distribution's source package, unpatched, once, into a cache
# keyed by content, and the stress (stress.c) as its first process.
#
# usage: sim/linux/build.sh [--source DEB|TARBALL|DIR] [--jobs N] [--link DIR]
#        sim/linux/build.sh --path | --cat FILE | --clean | --help
#
#   --source X   linux-source-6.1 as a .deb, its tarball or an unpacked tree (also: MPJOULE_LINUX_SOURCE);
#                without it the installed package's, else the package is downloaded (135 MB)
#   --jobs N     parallel compilers (default: all processors)
#   --link DIR   make DIR a symbolic link to the folder with zImage, device trees and initramfs.gz
#   --path       print that folder; exit status 1 when it is not built
#   --cat FILE   print a file of the source, such as arch/arm/kernel/perf_event_v6.c
#   --clean      remove what is built and the work tree
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpjoule
cross=arm-linux-gnueabi-
# Of each machine: NAME=FILE; NAME.dtb in the folder is what sim/linux/run.sh --board NAME takes.
device_trees=(
    tile=arm-realview-eb-11mp-ctrevb.dtb
    pb11mp=arm-realview-pb11mp.dtb
    ox820=ox820-cloudengines-pogoplug-series-3.dtb
)
needs_mb=2500
recipe=1 # raise when this script changes what it builds from the same inputs

say() { printf 'linux: %s\n' "$*"; }
die() {
    printf 'linux: %s\n' "$*" >&2
    exit 1
}
usage() { sed -n '/^# usage/,/^set -euo/{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; }

source=${MPJOULE_LINUX_SOURCE:-}
jobs=$(nproc)
action=build
link=
file=
while [ $# -gt 0 ]; do
    case "$1" in
    --source | --jobs | --link | --cat)
        [ $# -ge 2 ] || die "$1 needs a value (see --help)"
        case "$1" in
        --source) source=$2 ;;
        --jobs) jobs=$2 ;;
        --link) link=$2 ;;
        --cat) action=cat file=$2 ;;
        esac
        shift
        ;;
    --path) action=path ;;
    --clean) action=clean ;;
    --help | -h)
        usage
        exit 0
        ;;
    *) die "unknown option $1 (see --help)" ;;
    esac
    shift
done

if [ "$action" = clean ]; then
    rm -rf "$cache"/linux-* "$cache"/work-linux* "$cache"/.new-linux*
    say "cleaned $cache"
    exit 0
fi

# ---- source ------------------------------------------------------------------
[ -n "$source" ] || source=$(find /usr/src "$cache/source" -maxdepth 1 -name 'linux-source-6.1*' -type f \
    \( -name '*.tar.xz' -o -name '*.deb' \) 2>/dev/null | LC_ALL=C sort | tail -n 1) || true # a folder may be missing
if [ -z "$source" ]; then
    [ "$action" = build ] || exit 1
    command -v apt-get >/dev/null ||
        die "this system has no apt; get linux-source-6.1 of Debian 12 and use --source DEB|TARBALL|DIR"
    say "downloading linux-source-6.1 (135 MB)"
    mkdir -p "$cache/source"
    (cd "$cache/source" && apt-get -q download linux-source-6.1) >/dev/null 2>&1 ||
        die "cannot download linux-source-6.1. Without network: --source DEB|TARBALL|DIR"
    source=$(find "$cache/source" -maxdepth 1 -name 'linux-source-6.1_*.deb' | LC_ALL=C sort | tail -n 1)
fi
[ -e "$source" ] || die "--source $source: no such file or folder"
source=$(realpath "$source")

if [ "$action" = cat ]; then
    # tar ends at the file it wants, and whoever writes into the pipe with it.
    pick() { tar "$@" --occurrence=1 --wildcards "*/$file" 2>/dev/null || die "$source has no $file"; }
    set +o pipefail
    case "$source" in
    *.deb) dpkg-deb --fsys-tarfile "$source" 2>/dev/null | tar -xO ./usr/src/linux-source-6.1.tar.xz 2>/dev/null | pick -xJO ;;
    *) if [ -d "$source" ]; then cat "$source/$file"; else pick -xO -f "$source"; fi ;;
    esac
    exit
fi

compiler=$("${cross}gcc" -dumpfullversion 2>/dev/null) ||
    die "needs ${cross}gcc (packages gcc-arm-linux-gnueabi, libc6-dev-armel-cross)"
source_hash() { # of 135 MB: kept with the file's size and time
    local key memo=$cache/linux-source.sha256
    if [ -d "$source" ]; then # sizes and times stand for the content
        find "$source" -type f -printf '%P %s %T@\n' | LC_ALL=C sort | sha256sum | cut -d' ' -f1
        return
    fi
    key=$(stat -L -c '%n %s %Y' "$source")
    if ! grep -qsxF "$key" "$memo"; then
        mkdir -p "$cache"
        printf '%s\n%s\n' "$key" "$(sha256sum "$source" | cut -d' ' -f1)" >"$memo.$$"
        mv "$memo.$$" "$memo"
    fi
    tail -n 1 "$memo"
}
hash=$({
    printf '%s\n' "$recipe" "$compiler" "$(source_hash)" "${device_trees[@]}"
    cat "$here/config"
} | sha256sum | cut -c1-16)
init_hash=$({
    echo "$hash"
    cat "$here"/stress*.[ch]
} | sha256sum | cut -c1-16)
kernel=$cache/linux-$hash
out=$cache/linux-$hash-$init_hash

finish() {
    if [ -n "$link" ]; then
        mkdir -p "$(dirname "$link")"
        ln -sfn "$out" "$link"
    fi
    say "$1: $out"
    exit 0
}
if [ "$action" = path ]; then
    echo "$out"
    [ -f "$out/initramfs.gz" ] || exit 1
    exit 0
fi
if [ -f "$out/initramfs.gz" ]; then finish cached; fi

mkdir -p "$cache/log"
exec 9>"$cache/.lock-linux"
flock 9
if [ -f "$out/initramfs.gz" ]; then finish cached; fi
start=$SECONDS
log=$cache/log/linux-$hash.log
failed() {
    grep -nE 'error:|Error |undefined reference|No such file' "$log" | tail -n 15 >&2 || true
    die "$1; the whole log is $log"
}

# ---- kernel ------------------------------------------------------------------
unpack() { # $1: folder
    mkdir -p "$1"
    case "$source" in
    *.deb) dpkg-deb --fsys-tarfile "$source" | tar -xO ./usr/src/linux-source-6.1.tar.xz | tar -xJ -C "$1" --strip-components=1 ;;
    *) tar -xf "$source" -C "$1" --strip-components=1 ;;
    esac
}
build_kernel() {
    local tool dtb free work=$cache/work-linux tree=$cache/work-linux/tree build=$cache/work-linux/build
    for tool in make bc flex bison xz gzip; do
        command -v "$tool" >/dev/null || die "needs '$tool'"
    done
    : >"$log"
    rm -rf "$work"
    free=$(df -Pm "$cache" | awk 'NR == 2 { print $4 }')
    [ "$free" -ge "$needs_mb" ] ||
        die "$cache has $free MB free, building takes $needs_mb; XDG_CACHE_HOME names another folder"
    mkdir -p "$work"
    if [ -d "$source" ]; then
        tree=$source
    else
        say "unpacking $(basename "$source")"
        unpack "$tree" >>"$log" 2>&1 || failed "cannot unpack $source"
    fi
    [ "$(sed -n "s/^VERSION = //p; s/^PATCHLEVEL = //p" "$tree/Makefile" | head -n 2 | tr "\n" .)" = 6.1. ] ||
        die "$source is not Linux 6.1"
    # No name, time or number of the machine that builds it.
    export ARCH=arm CROSS_COMPILE=$cross KBUILD_BUILD_USER=mpjoule KBUILD_BUILD_HOST=mpjoule
    export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 2026' KBUILD_BUILD_VERSION=1
    say "compiling, some minutes"
    make -C "$tree" O="$build" KCONFIG_ALLCONFIG="$here/config" allnoconfig >>"$log" 2>&1 || failed "configuring failed"
    make -C "$tree" O="$build" -j "$jobs" zImage "${device_trees[@]#*=}" >>"$log" 2>&1 || failed "compiling failed"
    rm -rf "$cache/.new-linux"
    mkdir -p "$cache/.new-linux"
    cp "$build/arch/arm/boot/zImage" "$build/usr/gen_init_cpio" "$build/.config" "$cache/.new-linux/"
    for dtb in "${device_trees[@]}"; do
        cp "$build/arch/arm/boot/dts/${dtb#*=}" "$cache/.new-linux/${dtb%%=*}.dtb"
    done
    cp "$build/System.map" "$cache/.new-linux/"
    rm -rf "$kernel"
    mv -T "$cache/.new-linux" "$kernel"
    rm -rf "$work"
}
[ -f "$kernel/zImage" ] || build_kernel

# ---- first process -------------------------------------------------------------
new=$cache/.new-linux.$$
rm -rf "$new"
mkdir -p "$new"
"${cross}gcc" -static -s -O2 -marm -march=armv6k -mfpu=vfpv2 -mfloat-abi=softfp -mtp=soft -std=gnu11 -Wall -Wextra -Werror \
    -pthread "$here"/stress*.c -o "$new/init" >>"$log" 2>&1 || failed "compiling the stress failed"
cat >"$new/list" <<LIST
dir /dev 0755 0 0
nod /dev/console 0600 0 0 c 5 1
file /init $new/init 0755 0 0
LIST
"$kernel/gen_init_cpio" -t 0 "$new/list" | gzip -9n >"$new/initramfs.gz"
cp "$kernel/zImage" "$kernel"/*.dtb "$new/"
rm -rf "$out"
mv -T "$new" "$out"
finish "built in $((SECONDS - start)) s"
