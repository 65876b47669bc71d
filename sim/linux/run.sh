#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots Linux on an emulated board; its console is the standard output. Ends when Linux reboots.
#
# usage: sim/linux/run.sh [--board NAME] [--cores N] [--calibration FILE|none] [--machine PROPERTIES]
#                         [--initramfs FILE] [--append TEXT] [--kernel FOLDER]
#
#   --board NAME    tile (default): RealView EB with the Core Tile; pb11mp; ox820
#   --cores N       1 to the board's 4 (ox820: 2), which is the default
#   --calibration   chip to model, default sim/calibrations/NAME.conf (tile: mprofiler.conf)
#   --machine       further properties of the machine, as sim/qemu/README.md has them: quantum=1,fastpath=off
#   --initramfs     another file system in memory than the stress, its first process /init
#   --append        further words on the kernel's command line, such as rounds=10 for the stress
#   --kernel        a folder with zImage, NAME.dtb and initramfs.gz, instead of what sim/linux/build.sh has made
#
# Two runs print the same bytes: Linux gets its time from modelled time only.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
board=tile
cores=
calibration=
machine=
initramfs=
append=
kernel=
die() {
    printf 'linux: %s\n' "$*" >&2
    exit 1
}
while [ $# -gt 0 ]; do
    case "$1" in
    --board | --cores | --calibration | --machine | --initramfs | --append | --kernel)
        [ $# -ge 2 ] || die "$1 needs a value (see --help)"
        printf -v "${1#--}" %s "$2"
        shift
        ;;
    --help | -h)
        sed -n '/^# usage/,/^set -euo/{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *) die "unknown option $1 (see --help)" ;;
    esac
    shift
done
kind=$board most=4 ram=256 console=ttyAMA0 own=$board
case $board in
tile) kind=realview-eb-mpcore own=mprofiler compatible=arm,realview-eb ;;
pb11mp) ram=512 compatible=arm,realview-pb11mp ;;
ox820) most=2 ram=128 console=ttyS0 compatible=oxsemi,ox820 ;;
*) die "--board $board: tile, pb11mp and ox820 are there" ;;
esac
cores=${cores:-$most}
case $cores in [1-"$most"]) ;; *) die "--cores $cores: 1 to $most are there" ;; esac
calibration=${calibration:-$here/../calibrations/$own.conf}
if [ "$calibration" != none ]; then
    [ -f "$calibration" ] || die "--calibration $calibration: no such file"
    machine=calibration=$calibration${machine:+,$machine}
fi
qemu=$("$here/../qemu/build.sh" --path) || die "the emulator is not built: sim/qemu/build.sh"
linux=$kernel
[ -n "$linux" ] || linux=$("$here/build.sh" --path) || die "Linux is not built: sim/linux/build.sh"

# ---- is it for this board? -------------------------------------------------------
# Another kernel, or one without its device tree, prints nothing at all.
tree=$linux/$board.dtb
for file in zImage "$board.dtb" "${initramfs:-initramfs.gz}"; do
    case $file in /*) ;; "$initramfs") ;; *) file=$linux/$file ;; esac
    [ -f "$file" ] || die "$file: no such file"
done
dtb_magic=$(head -c 4 "$tree" | od -An -tx1 | tr -d ' \n')
[ "$dtb_magic" = d00dfeed ] || die "$tree is not a device tree"
grep -aq "$compatible" "$tree" || die "$tree is the device tree of another board than $compatible"
# The number at the same place in each zImage for ARM, in the order of bytes of this core.
magic=$(dd if="$linux/zImage" bs=4 skip=9 count=1 2>/dev/null | od -An -tx1 | tr -d ' \n')
[ "$magic" = 18286f01 ] || die "$linux/zImage is not a zImage of an ARM kernel"
unpacked() { # Of one that is packed by gzip; of another one nothing.
    local at
    at=$(LC_ALL=C grep -abo -m 1 -P '\x1f\x8b\x08\x00' "$linux/zImage" | head -n 1 | cut -d: -f1) || true
    [ -n "$at" ] && tail -c "+$((at + 1))" "$linux/zImage" | gzip -dc 2>/dev/null
}
known=$(unpacked | grep -ac "$compatible") || true # what comes after the packed kernel is no error
[ "$known" != 0 ] || [ -z "$(unpacked | head -c 1 | od -An -tx1)" ] ||
    die "$linux/zImage is a kernel for another board: it does not know $compatible"
exec "$qemu" -M "$kind${machine:+,$machine}" -smp "$cores" -m "$ram" -kernel "$linux/zImage" \
    -dtb "$tree" -initrd "${initramfs:-$linux/initramfs.gz}" -append "console=$console $append" \
    -icount shift=0,sleep=off -rtc base=2026-01-01,clock=vm -no-reboot -display none -monitor none -nodefaults \
    -serial stdio </dev/null
