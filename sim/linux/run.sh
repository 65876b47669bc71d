#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots Linux on an emulated board; its console is the standard output. Ends when Linux reboots.
#
# usage: sim/linux/run.sh [--board NAME] [--cores N] [--calibration FILE|none] [--machine PROPERTIES] 
#                         [--initramfs FILE] [--append TEXT]
#
#   --board NAME    tile (default): RealView EB with the Core Tile; pb11mp; ox820
#   --cores N       1 to the board's 4 (ox820: 2), which is the default
#   --calibration   chip to model, default sim/calibrations/NAME.conf (tile: mprofiler.conf)
#   --machine       further properties of the machine, as sim/qemu/README.md has them: quantum=1,fastpath=off
#   --initramfs     another file system in memory than the stress, its first process /init
#   --append        further words on the kernel's command line, such as rounds=10 for the stress
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
die() {
    printf 'linux: %s\n' "$*" >&2
    exit 1
}
while [ $# -gt 0 ]; do
    case "$1" in
    --board | --cores | --calibration | --machine | --initramfs | --append)
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
tile) kind=realview-eb-mpcore own=mprofiler ;;
pb11mp) ram=512 ;;
ox820) most=2 ram=128 console=ttyS0 ;;
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
linux=$("$here/build.sh" --path) || die "Linux is not built: sim/linux/build.sh"
exec "$qemu" -M "$kind${machine:+,$machine}" -smp "$cores" -m "$ram" -kernel "$linux/zImage" \
    -dtb "$linux/$board.dtb" -initrd "${initramfs:-$linux/initramfs.gz}" -append "console=$console $append" \
    -icount shift=0,sleep=off -rtc base=2026-01-01,clock=vm -no-reboot -display none -monitor none -nodefaults \
    -serial stdio </dev/null
