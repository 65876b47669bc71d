#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The first installation of the loader on a tile whose flash is erased: each way as far as it can go
# without a tile. The emulator runs what came over the line, and then starts from the flash.
# usage: first_install.sh CASE...  (environment: board.sh)
# cases: ram boot-monitor ymodem jtag refused
# shellcheck disable=SC2119 # boards and line have arguments in other tests
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/hil/board.sh
. "$here/board.sh"
export MPJOULE_FIRMWARE=$APPS/..
loader=$APPS/../loader/flash.bin # boot stage and both copies
# shellcheck disable=SC2054
machine=(-M "realview-eb-mpcore,calibration=$CALIBRATION,seed=1" -smp 4 -m 256 -icount shift=0,sleep=off
    -display none -monitor none -nodefaults -no-reboot -drive "if=pflash,format=raw,file=$dir/nor.bin")

# An erased flash: as far as anybody looks.
virgin() {
    rm -f "$dir/nor.bin"
    head -c $((2 << 20)) /dev/zero | tr '\0' '\377' >"$dir/nor.bin"
    truncate -s 64M "$dir/nor.bin"
}

monitor() { # MODE: what runs on the tile now
    rm -rf "$dir/there" "$dir/ready" "$dir/tile"
    mkdir "$dir/there"
    [ "$1" != run ] || cp "$APPS/../loader/install.bin" "$dir/there/image"
    ready python3 "$here/monitor.py" "$1" "$dir/tile" "$dir/there" "$QEMU" "${machine[@]}"
}

# install STATUS WORDS ARGUMENTS...
install() {
    ends "$1" "$2" timeout 1400 "$root/scripts/first-install" "${@:3}"
    gone
}

# The loader is there, starts after a reset, and takes a program.
installed() {
    cmp -n "$(stat -c %s "$loader")" "$loader" "$dir/nor.bin" || fail "$1: another loader in the flash"
    board_in_flash "" # no more of the loader's work is wanted than to answer
    boards
    line
    mpjoule flash --info tile0 >"$dir/out" 2>"$dir/err" || fail "$1: no loader answers: $(cat "$dir/err")"
    grep -q 'flash of 64 MB' "$dir/out" || fail "$1: $(cat "$dir/out")"
    gone
    power_off
}

for part in "$@"; do
    case $part in
    ram) # by a debugger or anything else: the image stands in RAM and runs
        virgin
        timeout 600 "$QEMU" "${machine[@]}" -kernel "$APPS/../loader/install.elf" -serial stdio </dev/null >"$dir/out"
        grep -q 'installer: DONE' "$dir/out" || fail "not installed: $(cat "$dir/out")"
        installed ram
        monitor run # again: nothing to do
        install 0 'it is there already' listen "$dir/tile"
        ;;
    boot-monitor)
        virgin
        monitor boot-monitor
        install 0 'words in RAM, compared' boot-monitor "$dir/tile" --rate 38400
        grep -q 'installer: DONE' "$dir/out" || fail "not done"
        installed boot-monitor
        virgin
        monitor forgetful
        install 1 'reads back otherwise' boot-monitor "$dir/tile"
        monitor deaf
        install 1 'no answer' boot-monitor "$dir/tile"
        ;;
    ymodem)
        if ! command -v rb >/dev/null || ! command -v sb >/dev/null; then
            echo "package lrzsz is missing" >&2
            exit 1
        fi
        virgin
        monitor ymodem
        install 0 'installer: DONE' ymodem "$dir/tile" --receive loady --go go
        installed ymodem
        ;;
    jtag) # OpenOCD takes the script; what it would tell a tile cannot be exercised
        mkdir -p "$dir/bin"
        cat >"$dir/bin/openocd" <<EOF
#!/bin/sh
echo "\$@" >"$dir/told"
grep -q . "$dir/ready"
EOF
        chmod +x "$dir/bin/openocd"
        virgin
        monitor run
        PATH=$dir/bin:$PATH install 0 'installer: DONE' jtag "$dir/tile" --interface mine.cfg --backup "$dir/kept"
        grep -q -- "-f mine.cfg -f .*hil/openocd/mpcore-tile.cfg -c init -c mpj_backup {$dir/kept} -c mpj_install {.*install.elf} -c shutdown" "$dir/told" ||
            fail "openocd was told: $(cat "$dir/told")"
        installed jtag
        install 1 'which JTAG adapter' jtag "$dir/tile"
        echo 'adapter driver dummy' >"$dir/dummy.cfg"
        timeout 600 openocd -f "$dir/dummy.cfg" -f "$root/hil/openocd/mpcore-tile.cfg" \
            -c 'echo "taps [jtag names] targets [target names] [info procs mpj_*]"' -c shutdown >"$dir/out" 2>&1 || fail "openocd refuses the script: $(tail -3 "$dir/out")"
        grep -q 'taps mpcore.cpu0 mpcore.cpu1 mpcore.cpu2 mpcore.cpu3 targets mpcore.cpu0 .*mpj_install' "$dir/out" || fail "openocd: $(tail -3 "$dir/out")"
        ;;
    refused)
        # something else in the flash: kept, unless told otherwise
        virgin
        printf 'somebody' | dd of="$dir/nor.bin" conv=notrunc status=none
        monitor run
        install 1 'nothing was changed' listen "$dir/tile"
        [ "$(head -c 8 "$dir/nor.bin")" = somebody ] || fail "it was overwritten"
        monitor run
        install 0 'installer: DONE' listen "$dir/tile" --overwrite
        installed overwrite
        # an older loader, of those without a boot stage, is replaced without a question
        virgin
        head -c 512 "$APPS/../loader/loader.bin" | dd of="$dir/nor.bin" conv=notrunc status=none
        monitor run
        install 0 'installer: DONE' listen "$dir/tile"
        installed older
        # no flash
        monitor deaf
        install 1 'says nothing more' listen "$dir/tile" --patience 2
        install 1 'cannot open' listen "$dir/none"
        echo >"$dir/file"
        install 1 'not a serial port' listen "$dir/file"
        MPJOULE_FIRMWARE=$dir install 1 'scripts/build.sh firmware' boot-monitor "$dir/none"
        ;;
    *)
        echo "first_install.sh: no case $part" >&2
        exit 2
        ;;
    esac
done
finish "all of: $*"
