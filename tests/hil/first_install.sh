#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The first installation of the loader on a tile whose flash is erased: each way as far as it can go
# without a tile. The emulator runs what came over the line, and then starts from the flash.
# usage: first_install.sh CASE...  (environment: board.sh)
# cases: ram boot-monitor ymodem jtag chain backup restore refused
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

monitor() { # MODE: what runs on the tile now; run: the installer; loader: the loader, in RAM
    rm -rf "$dir/there" "$dir/ready" "$dir/tile"
    mkdir "$dir/there"
    local mode=$1
    [ "$mode" != run ] || cp "$APPS/../loader/install.bin" "$dir/there/image"
    [ "$mode" != loader ] || { cp "$APPS/../loader/loader.bin" "$dir/there/image" && mode=run; }
    ready python3 "$here/monitor.py" "$mode" "$dir/tile" "$dir/there" "$QEMU" "${machine[@]}"
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
        # the loader in RAM: programs run, and the flash stays as it is
        virgin
        cp "$dir/nor.bin" "$dir/was.bin"
        monitor loader
        ln -sfn "$dir/tile" "$dir/pty"
        MPJOULE_FIRMWARE=$APPS/.. ends 0 'nothing was written to the flash' timeout 1400 "$root/scripts/first-install" listen "$dir/tile" --ram
        boards 'boot: loader'
        outcome 0 'flash of 64 MB' flash --info tile0
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        gone
        cmp "$dir/nor.bin" "$dir/was.bin" || fail "the flash was written"
        # ... and installs nothing over what others have put into the flash
        printf 'somebody' | dd of="$dir/nor.bin" conv=notrunc status=none
        monitor loader
        ln -sfn "$dir/tile" "$dir/pty"
        boards 'boot: loader'
        outcome 121 'other contents than mpjoule.s loader.*nothing was changed.*--overwrite' flash --install tile0
        gone
        [ "$(head -c 8 "$dir/nor.bin")" = somebody ] || fail "it was overwritten"
        ;;
    boot-monitor)
        virgin
        monitor boot-monitor
        install 0 'words in RAM, compared' boot-monitor "$dir/tile" --rate 38400
        grep -q 'installer: DONE' "$dir/out" || fail "not done"
        installed boot-monitor
        virgin
        monitor forgetful
        install 1 'verification failed' boot-monitor "$dir/tile"
        monitor deaf
        install 1 'no answer' boot-monitor "$dir/tile" --patience 5
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
        # cut off while it was read: no backup, and none that is in the way of the next
        printf '#!/bin/sh\necho half | tee "%s" >"%s.first"\nexit 1\n' "$dir/half" "$dir/half" >"$dir/bin/openocd"
        monitor deaf
        PATH=$dir/bin:$PATH install 1 'openocd failed' jtag "$dir/tile" --interface mine.cfg --backup "$dir/half"
        for file in half half.first; do
            [ ! -e "$dir/$file" ] || fail "half a backup is kept: $file"
        done
        # the loader into RAM, as a start command: the port is the command's that runs it
        printf '#!/bin/sh\necho "$@" >"%s"\n' "$dir/told" >"$dir/bin/openocd"
        PATH=$dir/bin:$PATH install 0 'until the next reset' jtag "$dir/none" --interface mine.cfg --ram
        grep -q -- "-c init -c mpj_start {.*loader.bin} -c shutdown" "$dir/told" ||
            fail "openocd was told: $(cat "$dir/told")"
        install 1 'which JTAG adapter' jtag "$dir/tile"
        echo 'adapter driver dummy' >"$dir/dummy.cfg"
        timeout 600 openocd -f "$dir/dummy.cfg" -f "$root/hil/openocd/mpcore-tile.cfg" \
            -c 'echo "taps [jtag names] targets [target names] [info procs mpj_*]"' -c shutdown >"$dir/out" 2>&1 || fail "openocd refuses the script: $(tail -3 "$dir/out")"
        grep -q 'taps mpcore.cpu0 mpcore.cpu1 mpcore.cpu2 mpcore.cpu3 targets mpcore.cpu0 .*mpj_install' "$dir/out" || fail "openocd: $(tail -3 "$dir/out")"
        ;;
    chain) # what the script does by JTAG, without a tile: OpenOCD with words of ours for memory
        echo 'adapter driver dummy' >"$dir/dummy.cfg"
        cat >"$dir/words.tcl" <<'EOF'
proc mww {address value} { echo [format "w %08x %08x" $address $value] }
proc mmw {address set clear} { echo [format "m %08x %08x" $address $set] }
proc halt {ms} {}
set reads 0
set wrong 0
proc dump_image {file address bytes} {
    global reads wrong
    incr reads
    echo [format "d %08x %x" $address $bytes]
    set f [open $file wb]
    puts -nonewline $f "\x00\xff[expr {$wrong * $reads}]"
    close $f
}
EOF
        timeout 600 openocd -f "$dir/dummy.cfg" -c 'set MPJ_TAPS 1; set MPJ_BEFORE {4 8}; set MPJ_AFTER 3; set MPJ_KHZ 200' \
            -f "$root/hil/openocd/mpcore-tile.cfg" -c 'echo "taps [jtag names] [adapter speed]"' -f "$dir/words.tcl" \
            -c 'mpj_memory_setup; mpj_memory_remap' -c "mpj_backup {$dir/kept}" \
            -c 'set wrong 1' -c "if {[catch {mpj_backup {$dir/not}} said]} {echo \$said}" -c shutdown >"$dir/out" 2>&1 || fail "openocd: $(tail -3 "$dir/out")"
        grep -q 'taps other0.tap other1.tap mpcore.cpu0 other2.tap' "$dir/out" || fail "another chain: $(cat "$dir/out")"
        # what is kept is the bank that the installer writes
        base=$(sed -n 's/ *\. = 0x\(4[0-9a-f]*\);/\1/p' "${MPJOULE_FIRMWARE:-$root/build/firmware}/loader/boot.ld")
        grep -q "^d $base 100000" "$dir/out" ||
            fail "another bank than $base is kept: $(grep '^d ' "$dir/out")"
        # ... twice, and compared before it has its name
        [ "$(grep -c "^d $base 100000" "$dir/out")" = 4 ] || fail "not read twice: $(grep '^d ' "$dir/out")"
        printf '\0\3770' | cmp - "$dir/kept" || fail "another backup"
        grep -q 'reads differently twice: nothing was changed' "$dir/out" || fail "a wrong bit: $(tail -3 "$dir/out")"
        [ ! -e "$dir/not" ] || fail "a backup that reads differently is kept"
        [ "$(cd "$dir" && echo kept*)" = kept ] || fail "parts of the backup are left"
        # the same words in the same order as the boot stage's table
        grep '^w ' "$dir/out" | sed 's/^w 10018//' >"$dir/words"
        python3 - "$APPS/../loader/boot.bin" >"$dir/table" <<'EOF'
import struct, sys
data = open(sys.argv[1], "rb").read()
at = data.index(struct.pack("<4I", 4, 4, 0x10, 0xB0))
while (pair := struct.unpack_from("<2I", data, at))[0] != 0xFFFFFFFF:
    print("%03x %08x" % pair)
    at += 8
EOF
        cmp "$dir/words" "$dir/table" || fail "JTAG sets the memory up otherwise than the boot stage"
        [ "$(wc -l <"$dir/words")" -gt 30 ] || fail "a short table"
        grep -q 'm 10001000 00000100' "$dir/out" || fail "no remap"
        ;;
    backup) # what is in the flash is kept before anything is written, and can be put back
        virgin
        machine[1]+=,model=time # sixteen thousand lines
        head -c $((1 << 20)) /dev/urandom >"$dir/before"
        dd if="$dir/before" of="$dir/nor.bin" conv=notrunc status=none
        monitor ymodem
        install 0 "kept the first megabyte of the flash in $dir/kept" ymodem "$dir/tile" --receive loady --go go \
            --backup "$dir/kept" --overwrite
        cmp "$dir/before" "$dir/kept" || fail "another backup"
        installed backup
        # a file that is there is the way back: another installation, of a flash that by now has something else
        monitor ymodem
        install 1 'kept exists.*nothing was done' ymodem "$dir/tile" --receive loady --go go --backup "$dir/kept"
        install 1 'none/kept: .*nothing was done' listen "$dir/none" --backup "$dir/none/kept"
        install 1 'omit --backup' boot-monitor "$dir/none" --ram --backup "$dir/more"
        install 1 'exclude each other' jtag "$dir/none" --interface mine.cfg --ram --restore "$dir/kept"
        cmp "$dir/before" "$dir/kept" || fail "the backup is lost"
        # damaged on its way: what was to be kept stays, an older loader of ours, too
        printf 'older' | dd of="$dir/nor.bin" bs=1 seek=$(($(stat -c %s "$loader") - 300)) conv=notrunc status=none
        cp "$dir/nor.bin" "$dir/was.bin"
        monitor garbled
        install 1 'came over damaged at 0x.*: nothing was changed' ymodem "$dir/tile" --receive loady --go go \
            --backup "$dir/more" --overwrite
        [ ! -e "$dir/more" ] || fail "a damaged backup is kept"
        cmp "$dir/nor.bin" "$dir/was.bin" || fail "it was overwritten without a backup"
        printf 'somebody' | dd of="$dir/nor.bin" conv=notrunc status=none
        monitor garbled
        install 1 'came over damaged at 0x.*: nothing was changed' ymodem "$dir/tile" --receive loady --go go \
            --backup "$dir/more" --overwrite
        [ "$(head -c 8 "$dir/nor.bin")" = somebody ] || fail "it was overwritten without a backup"
        cp "$loader" "$dir/nor.bin"
        truncate -s 64M "$dir/nor.bin"
        monitor run # its order says nothing of a backup
        install 1 'has sent no backup, and is done' listen "$dir/tile" --backup "$dir/more" --overwrite
        printf 'somebody' | dd of="$dir/nor.bin" conv=notrunc status=none # the emulator reads it at its start
        monitor run
        install 1 'has sent no backup: nothing' listen "$dir/tile" --backup "$dir/more" --overwrite
        [ ! -e "$dir/more" ] || fail "a backup of nothing"
        [ "$(head -c 8 "$dir/nor.bin")" = somebody ] || fail "it was overwritten"
        ;;
    restore) # by JTAG: the installer with a backup beside it
        head -c $((1 << 20)) /dev/urandom >"$dir/before"
        cp "$loader" "$dir/nor.bin"
        truncate -s 64M "$dir/nor.bin"
        mkdir -p "$dir/bin"
        cat >"$dir/bin/openocd" <<EOF
#!/bin/sh
echo "\$@" >"$dir/told"
cp "\$(sed 's/.*mpj_restore {\([^}]*\)} .*/\1/' "$dir/told")" "$dir/image"
exit 1
EOF
        chmod +x "$dir/bin/openocd"
        monitor deaf
        PATH=$dir/bin:$PATH install 1 'openocd failed' jtag "$dir/tile" --interface mine.cfg --taps 1 --before '4 8' \
            --idcode 0x17b37f0f --khz 100 --restore "$dir/before"
        grep -q -- "-c set MPJ_TAPS {1} -c set MPJ_BEFORE {4 8} -c set MPJ_IDCODE {0x17b37f0f} -c set MPJ_KHZ {100} .*-c init -c mpj_restore {.*} {$dir/before}" "$dir/told" ||
            fail "openocd was told: $(cat "$dir/told")"
        # in the emulator the backup comes to the middle of the RAM
        python3 - "$dir/image" <<'EOF'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(b"mpjoule-order") + 20
assert struct.unpack_from("<2I", data, at) == (0x400000, 1 << 20)
struct.pack_into("<I", data, at, 0x08000000)
open(sys.argv[1], "wb").write(data)
EOF
        timeout 600 "$QEMU" "${machine[@]}" -kernel "$dir/image" -serial stdio </dev/null >"$dir/out" &
        until_so 60 grep -q 'FAILED: they are not where they should be' "$dir/out" || fail "from nowhere: $(cat "$dir/out")"
        kill %%
        wait %% || true # it has the flash's file locked
        cmp -n "$(stat -c %s "$loader")" "$loader" "$dir/nor.bin" || fail "the flash was written"
        timeout 600 "$QEMU" "${machine[@]}" -kernel "$dir/image" -initrd "$dir/before" -serial stdio </dev/null >"$dir/out"
        grep -q 'what was there before is back' "$dir/out" || fail "not restored: $(cat "$dir/out")"
        cmp -n $((1 << 20)) "$dir/before" "$dir/nor.bin" || fail "not what was there before"
        head -c 1000 "$dir/before" >"$dir/short"
        install 1 'not a backup' jtag "$dir/none" --interface mine.cfg --restore "$dir/short"
        install 1 'by jtag, or where' listen "$dir/none" --restore "$dir/before"
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
        install 1 'stopped responding' listen "$dir/tile" --patience 2
        # a port that another program has: by a lock file, by flock(); a dead one's is taken over
        monitor deaf
        lock=$MPJOULE_PORT_LOCKS/LCK..$(readlink "$dir/tile" | sed 's#/dev/##; s#/#_#g')
        sleep 987 &
        other=$!
        printf '%10d\n' "$other" >"$lock"
        ends 1 "is held by process $other, as $lock says" timeout 60 "$root/scripts/first-install" listen "$dir/tile"
        printf 'nobody\n' >"$lock"
        ends 1 "is held by no process that can be named" timeout 60 "$root/scripts/first-install" listen "$dir/tile"
        kill "$other"
        wait "$other" 2>/dev/null || true
        printf '%10d\n' "$other" >"$lock"
        flocks "$(readlink "$dir/tile")"
        ends 1 'is held by another program: .mpjoule boards.' timeout 60 "$root/scripts/first-install" listen "$dir/tile"
        kill "$other"
        wait "$other" 2>/dev/null || true
        install 1 'stopped responding' listen "$dir/tile" --patience 2
        [ ! -e "$lock" ] || fail "the lock stays"
        install 1 'cannot open' listen "$dir/none"
        echo >"$dir/file"
        install 1 'not a serial port' listen "$dir/file"
        # kinds of boards that the loader is not for: one without a flash, one whose memory nobody sets up
        install 1 'the board ox820 has no NOR flash, and thus no resident loader' listen "$dir/none" --board ox820
        [ "$(wc -l <"$dir/err")" = 1 ] || fail "more than a line: $(cat "$dir/err")"
        install 1 'the resident loader does not support the board pb11mp' listen "$dir/none" --board pb11mp
        install 1 'no board is called "toaster": realview-eb, ' listen "$dir/none" --board toaster
        install 1 'cannot open' listen "$dir/none" --board realview-eb
        MPJOULE_FIRMWARE=$dir install 1 'scripts/build.sh firmware' boot-monitor "$dir/none"
        ;;
    *)
        echo "first_install.sh: no case $part" >&2
        exit 2
        ;;
    esac
done
finish "all of: $*"
