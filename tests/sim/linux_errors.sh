#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What sim/linux/run.sh and build.sh say about wrong input: one line, what and where, and nothing is left over.
# usage: linux_errors.sh
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder
run=$root/sim/linux/run.sh
build=$root/sim/linux/build.sh

# refuses TEXT COMMAND...: ends with status 1, one line on the error output, which has that text, and no output
refuses() {
    local text=$1 status=0
    shift
    "$@" >output 2>error </dev/null || status=$?
    [ "$status" = 1 ] || fail "$*: status $status"
    [ "$(wc -l <error)" = 1 ] || fail "$*: not one line: $(cat error)"
    grep -qF -- "$text" error || fail "$*: says $(cat error), not $text"
    [ ! -s output ] || fail "$*: prints $(cat output)"
}

# ---- run.sh ---------------------------------------------------------------------
# A zImage, as far as run.sh looks at it: the number at its place, then a packed kernel.
zimage() { # $1: what the kernel knows
    head -c 36 /dev/zero
    printf '\x18\x28\x6f\x01'
    head -c 100 /dev/zero
    printf 'kernel %s\n' "$1" | gzip -n
}
mkdir good
zimage arm,vexpress >good/zImage
refuses 'good/tile.dtb: no such file' "$run" --kernel good
printf '\xd0\x0d\xfe\xed...arm,realview-eb-11mp...' >good/tile.dtb
: >good/initramfs.gz
refuses 'none.gz: no such file' "$run" --kernel good --initramfs none.gz
refuses 'zImage is a kernel for another board: it does not know arm,realview-eb' "$run" --kernel good
printf 'MZ, a kernel of a PC' >good/zImage
refuses 'zImage is not a zImage of an ARM kernel' "$run" --kernel good
printf '\xd0\x0d\xfe\xed...arm,vexpress...' >good/tile.dtb
refuses 'tile.dtb is the device tree of another board than arm,realview-eb' "$run" --kernel good
printf 'no tree' >good/tile.dtb
refuses 'tile.dtb is not a device tree' "$run" --kernel good
refuses 'nowhere/zImage: no such file' "$run" --kernel nowhere
refuses '--initramfs' "$run" --initramfs
refuses '--cores 5: 1 to 4 are there' "$run" --cores 5
refuses '--calibration nowhere.conf: no such file' "$run" --calibration nowhere.conf
refuses 'unknown option --fast' "$run" --fast
refuses "is not built: sim/" env XDG_CACHE_HOME="$PWD/empty" "$run" --calibration none

# A calibration that does not fit is the emulator's to refuse.
zimage arm,realview-eb >good/zImage
printf '\xd0\x0d\xfe\xed...arm,realview-eb-11mp...' >good/tile.dtb
echo 'cycles = 3' >key.conf
printf 'include %s\nclock_hz = fast\n' "$CALIBRATION" >value.conf
refuses 'key.conf:1: cycles: unknown key' "$run" --kernel good --calibration key.conf
refuses 'value.conf:2: clock_hz' "$run" --kernel good --calibration value.conf

# ---- build.sh -------------------------------------------------------------------
# Commands that are wanted, without the compiler, and others that say what a machine without room or network says.
mkdir bin
export XDG_CACHE_HOME=$PWD/cache
source_tree() {
    mkdir -p "$1"
    printf 'VERSION = 6\nPATCHLEVEL = %s\n' "$2" >"$1/Makefile"
}
fake() { # $1: name, the rest: its script
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}
source_tree tree 1
source_tree newer 12
refuses '--source nowhere: no such file or folder' "$build" --source nowhere
fake arm-linux-gnueabi-gcc 'exit 127'
refuses 'packages gcc-arm-linux-gnueabi' env PATH="$PWD/bin:$PATH" "$build" --source tree
fake arm-linux-gnueabi-gcc 'echo 12.2.0'
fake df 'echo Filesystem; echo "disk 4000 3900 100 98% /"'
refuses 'has 100 MB free, building takes' env PATH="$PWD/bin:$PATH" "$build" --source tree
rm bin/df
refuses 'newer is not Linux 6.1' env PATH="$PWD/bin:$PATH" "$build" --source newer
fake find 'exit 0'
fake apt-get 'echo no network >&2; exit 100'
PATH=$PWD/bin:$PATH MPJOULE_LINUX_SOURCE='' "$build" >output 2>error && fail "a download without network has succeeded"
[ "$(cat error)" = 'linux: cannot download linux-source-6.1. Without network: --source DEB|TARBALL|DIR' ] ||
    fail "without network: $(cat error)"
for left in cache/mpjoule/linux-*; do
    case $left in *.sha256 | *'*') ;; *) fail "$left is left over" ;; esac
done
finish "what is wrong is said in one line"
