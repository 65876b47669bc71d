#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Flashing a board through its resident loader: the emulator with file-backed NOR, started in it, behind
# a pseudo-terminal with the real libserialport.
# usage: flash.sh CASE...   (environment: board.sh)
# cases: flash faults slow resume identity run campaign selftest cold install stop refused
set -euo pipefail
# shellcheck source=tests/hil/board.sh
. "$(dirname "$0")/board.sh"
loader=$APPS/../loader/flash.bin # boot stage and both copies
board_in_flash ",model=\${MODEL:-time}"
boards

# A board as it is installed: the loader, and nothing else.
fresh() {
    power_off
    rm -f "$dir/nor.bin"
    cp "$loader" "$dir/nor.bin"
    truncate -s 64M "$dir/nor.bin"
    # The rest of a virgin flash is ones.
    head -c $((2 << 20)) /dev/zero | tr '\0' '\377' |
        dd of="$dir/nor.bin" bs=4K seek=$((($(stat -c %s "$loader") + 4095) / 4096)) conv=notrunc status=none
}

# What the boot stage says, without anybody who asks.
says() {
    power_off
    "$QEMU" -M "realview-eb-mpcore,calibration=$CALIBRATION,seed=1,start=nor,cold-ram=on,strict=on,model=time" \
        -smp 4 -m 256 -icount shift=0,sleep=off -display none -monitor none -nodefaults \
        -drive "if=pflash,format=raw,file=$dir/nor.bin" -serial "file:$dir/said" </dev/null &
    mine=($!)
    until_so 60 grep -qas "$1" "$dir/said" || fail "it does not say: $1"
    gone
    rm "$dir/said"
}

for part in "$@"; do
    case $part in
    flash)
        fresh
        line
        outcome 0 'no program' flash --info tile0
        line
        outcome 0 'program hello.elf in slot 1' flash tile0 "$APPS/hello.elf"
        line
        outcome 0 'program matmul.elf in slot 0' flash tile0 "$APPS/matmul.elf"
        cmp -n "$(stat -c %s "$loader")" "$loader" "$dir/nor.bin" || fail "the loader was changed"
        line
        outcome 0 'program hello_flash.elf in slot 0' flash tile0 "$APPS/hello_flash.elf"
        line
        outcome 0 'no program' flash --forget tile0
        ;;
    faults)
        # The board is told apart from a clean line's by nothing: every upload is compared by CRC, every
        # word of the flash with what was written.
        n=0
        for faults in '--bit-error 1e-4' '--bit-error 1e-3' '--drop 1e-4' '--twice 1e-4' '--stall 0.02 --stall-ms 300' \
            '--noise 5000' '--unplug 3000 --unplug-ms 700' \
            '--bit-error 2e-5 --drop 5e-5 --twice 5e-5 --stall 0.005 --noise 2000'; do
            fresh
            # shellcheck disable=SC2086  # several words
            line --seed "$n" $faults
            outcome 0 'program hello.elf' flash tile0 "$APPS/hello.elf"
            cmp -n "$(stat -c %s "$loader")" "$loader" "$dir/nor.bin" || fail "$faults: the loader was changed"
            n=$((n + 1))
        done
        # Out of reach while the bit rate is agreed on, for so long that the loader gives the rate up.
        for bytes in 250 300 350 400 450 500 550 600; do
            line --unplug "$bytes" --unplug-ms 1500
            outcome 0 'flash of 64 MB' flash --info tile0
        done
        echo "$n lines with faults"
        ;;
    slow) # what lies in a driver's queue is not lost: sent again, it only makes the queue longer
        for faults in '' '--bit-error 1e-4'; do
            fresh
            boards 'bit_rate: 115200'
            # shellcheck disable=SC2086  # several words
            line --rate 115200 $faults
            outcome 0 'program hello.elf' flash tile0 "$APPS/hello.elf"
            sent=$(sed -n 's/.* s as \([0-9]*\) bytes on the line at 115200 .*/\1/p' "$dir/err")
            bytes=$(sed -n 's/.*program hello.elf in slot [01], \([0-9]*\) bytes.*/\1/p' "$dir/out")
            [ "${sent:-0}" -ge "${bytes:-1}" ] || fail "115200 bit/s $faults: what was sent is not told: $(cat "$dir/err")"
            [ -n "$faults" ] || [ "$sent" -lt $((bytes * 3 / 2)) ] || fail "a line without faults: $sent bytes for $bytes"
        done
        # a port that takes nothing for a while is not lost: it is opened once
        fresh
        boards 'boot: loader'
        line --stay --rate 921600 --hold 60000
        MPJ_PTY_OPENS=$dir/once outcome 0 'no program' flash --info tile0
        MPJ_PTY_OPENS=$dir/opens mpjoule flash tile0 "$APPS/hello.elf" >"$dir/out" 2>"$dir/err" &
        uploading=$!
        until_so 60 said holding || fail "no upload"
        sleep 1 # it fills
        kill -USR1 "${mine[@]}"
        wait $uploading || fail "a port that was full: status $?: $(cat "$dir/err")"
        cmp "$dir/once" "$dir/opens" || fail "a port that was full was opened $(wc -c <"$dir/opens") times"
        ;;
    resume) # a host that is killed in the middle of an upload: the next one goes on
        fresh
        boards 'boot: loader'
        line --stay --rate 921600 --hold 60000
        outcome 0 'no program' flash --info tile0
        mpjoule flash --quiet tile0 "$APPS/hello.elf" >/dev/null 2>&1 &
        uploading=$!
        until_so 60 said holding || fail "no upload"
        kill -KILL "$("$MPJOULE" boards | sed -n 's/.*process \([0-9]*\).*/\1/p')"
        wait $uploading 2>/dev/null || true
        kill -USR1 "${mine[@]}"
        outcome 0 'bytes were already there from an interrupted upload' flash tile0 "$APPS/hello.elf"
        outcome 0 'program hello.elf' flash --info tile0
        ;;
    identity) # nothing is written to another board than the list's
        fresh
        for wrong in 'sys_id: 0x12345678' 'proc_id: 0x05000000' 'midr: 0x410fb360' 'flash_id: 0x00890019'; do
            boards "identity: {$wrong}"
            line
            cp "$dir/nor.bin" "$dir/was.bin"
            outcome 119 'this is not tile0' flash tile0 "$APPS/hello.elf"
            cmp "$dir/nor.bin" "$dir/was.bin" || fail "$wrong: the flash was written"
        done
        boards 'boot: loader' 'identity: {flash_id: 0x00890019}'
        line --stay
        outcome 119 'flash id is 0x00890018' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        boards 'identity: {midr: 0x410fb022, flash_id: 0x00890018}'
        line
        outcome 0 'id 0x00890018' flash --info tile0
        ;;
    run) # the board lives in its loader: uploaded, run, and back there, whatever became of the program
        fresh
        export MODEL=full
        boards 'boot: loader'
        line --stay
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        # nothing starts the board anew: it is to answer, if on a busy machine later than the host then waits
        sed -i '/start:/d' "$MPJOULE_BOARDS"
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        outcome 7 'status: 7' run --target tile0 -o "$dir/x.mpj" "$APPS/status.elf" -- 7
        outcome 122 'faulted: data abort' run --target tile0 -o "$dir/x.mpj" "$APPS/fault.elf" -- null
        outcome 122 'faulted: undefined' run --target tile0 -o "$dir/x.mpj" "$APPS/fault.elf" -- undef 2
        # a recording of the board by itself, and beside a program
        # ... at a terminal, which shows each upload
        printf '#!/bin/sh\nexec python3 -c "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))" "%s" "$@"\n' \
            "$MPJOULE" >"$dir/at-terminal"
        chmod +x "$dir/at-terminal"
        MPJOULE=$dir/at-terminal outcome 0 'samples *ok *none of 2000 lost' record tile0 --period 1ms --for 2s \
            -o "$dir/r.mplog" </dev/null
        [ "$(tr '\r' '\n' <"$dir/out" | grep -c '^upload .* 100 %')" -eq 1 ] || fail "not uploaded once for one recording"
        outcome 0 'all cores  *2 ' record tile0 --period 1ms -o "$dir/r.mplog" "$APPS/phases.elf" -- 2 20
        # nothing but the watchdog ends this one
        outcome 122 'back in its loader' run --target tile0 -o "$dir/x.mpj" "$APPS/hang.elf" -- masked
        # every pass by the loader; a board whose flash has the program boots that
        outcome 0 'instructions' run --target tile0 -o "$dir/x.mpj" --events instr,dcache_rd,dcache_wr \
            "$APPS/hello.elf" -- c
        [ -f "$dir/x.1.mplog" ] || fail "one pass only"
        outcome 0 'program hello.elf in slot 1' flash tile0 "$APPS/hello.elf"
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        outcome 125 'write it with' run --target tile0 -o "$dir/x.mpj" "$APPS/hello_flash.elf"
        outcome 0 'program hello_flash.elf in slot 0' flash tile0 "$APPS/hello_flash.elf"
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello_flash.elf" -- a b
        ;;
    campaign) # programs uploaded one after the other, pass by pass
        fresh
        export MODEL=full
        boards 'boot: loader'
        line --stay
        printf 'idle|wait|idle.elf|1 20\nhello|cpu|hello.elf|\n' >"$dir/list"
        cat >"$dir/tiny.json" <<EOF
{"format": "mpjoule-model/1", "name": "tiny", "method": "by hand", "constant_mw": 540, "terms":
 [{"predictor": "instr", "coefficient_mw_s": 1e-7}], "statistics": {}, "provenance": {}}
EOF
        outcome 0 '2 of 2 programs complete, 1 passes' model campaign --target tile0 \
            --programs "$dir/list" --sample-ms 0.1 --model "$dir/tiny.json" -o "$dir/x.mpc"
        ;;
    selftest) # uploaded into RAM, beside whatever the flash holds
        fresh
        export MODEL=full
        boards 'boot: loader'
        line
        selftest tile0 --all --timeout 1400
        grep -q '^watchdog.rate *ok' "$dir/out" || fail "no watchdog"
        grep -q 'note: flash id 0x' "$dir/out" || fail "no flash id"
        ;;
    cold) # as a board comes out of a reset: no RAM until it is set up, the flash at address 0
        board_in_flash ",cold-ram=on,strict=on,model=\${MODEL:-time}"
        fresh
        line
        outcome 0 'no program' flash --info tile0
        line
        outcome 0 'program hello.elf in slot 1' flash tile0 "$APPS/hello.elf"
        export MODEL=full
        boards 'boot: loader'
        line --stay
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        # RAM from the controller, and the flash out of its way, after every reset; nothing else starts it
        sed -i '/start:/d' "$MPJOULE_BOARDS"
        outcome 122 'faulted: data abort' run --target tile0 -o "$dir/x.mpj" "$APPS/fault.elf" -- null
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        # one copy is damaged, and then the other: said over the line, by a program that has RAM
        printf X | dd of="$dir/nor.bin" bs=1 seek=$((0x40000 + 1000)) conv=notrunc status=none
        boards
        line
        outcome 0 'program hello.elf' flash --info tile0
        printf X | dd of="$dir/nor.bin" bs=1 seek=$((0x80000 + 1000)) conv=notrunc status=none
        says 'no copy of the loader is whole'
        # a controller that does not become ready: said by a program that has none
        fresh
        off=$(LC_ALL=C grep -obUaP '\x04\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff' "$dir/nor.bin" | head -n 1 | cut -d : -f 1)
        printf '\x04' | dd of="$dir/nor.bin" bs=1 seek=$((off + 4)) conv=notrunc status=none # configure, not go
        says 'the memory controller does not become ready'
        # a loader that sets nothing up, as at the start of the flash before there was a boot stage
        fresh
        head -c $((1 << 20)) /dev/zero | tr '\0' '\377' | dd of="$dir/nor.bin" bs=1M conv=notrunc status=none
        dd if="$APPS/../loader/loader.bin" of="$dir/nor.bin" conv=notrunc status=none
        line
        outcome 118 'does not answer' flash --info tile0
        board_in_flash ",strict=on,model=\${MODEL:-time}"
        line
        outcome 0 'flash of 64 MB' flash --info tile0
        ;;
    install) # a loader is replaced by the loader itself, and by what was there before it
        fresh
        export MODEL=full
        boards 'boot: loader'
        line --stay
        outcome 0 'installer: it is there already' flash --install tile0
        grep -q 'loader version .*flash of 64 MB' "$dir/out" || fail "no loader afterwards: $(cat "$dir/out")"
        outcome 0 'program hello.elf in slot 1' flash tile0 "$APPS/hello.elf"
        # another loader: the older copy is overwritten, the one that runs stays
        gone
        power_off
        { cat "$APPS/../loader/loader.bin" && printf 'otherwise'; } >"$dir/other.bin"
        "$root/firmware/loader/pack.py" "$APPS/../loader/boot.bin" "$dir/other.bin" "$dir/other.flash"
        dd if="$dir/other.flash" of="$dir/nor.bin" conv=notrunc status=none
        cp "$dir/nor.bin" "$dir/was.bin"
        line --stay
        outcome 0 'takes the place of another loader' flash --install tile0
        grep -q 'program hello.elf in slot 1' "$dir/out" || fail "the program is lost: $(cat "$dir/out")"
        grep -q 'writing at 0x80000' "$dir/err" || fail "not the older copy: $(cat "$dir/err")"
        cmp -n $((0x80000)) "$dir/was.bin" "$dir/nor.bin" || fail "more than the older copy was written"
        cmp -i 64:$((0x80040)) -n 16384 <(head -c 64 /dev/zero; cat "$APPS/../loader/loader.bin") "$dir/nor.bin" ||
            fail "the new loader is not there"
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        # cut off after its journal's first entry, while the older copy was erased
        gone
        power_off
        fresh
        python3 -c 'import struct, sys, zlib
e = struct.pack("<3I16x", 0x4A4A504D, 1, 1)
sys.stdout.buffer.write(e + struct.pack("<I", zlib.crc32(e)))' | dd of="$dir/nor.bin" bs=1 seek=$((0xc0000)) conv=notrunc status=none
        head -c 100000 /dev/urandom | dd of="$dir/nor.bin" bs=4K seek=$((0x80000 / 4096)) conv=notrunc status=none
        line --stay
        outcome 0 'an installation was interrupted: it is resumed' flash --install tile0
        outcome 0 'it is there already' flash --install tile0
        # what was there before any loader
        head -c $((1 << 20)) /dev/urandom >"$dir/before.bin"
        head -c 1000 "$dir/before.bin" >"$dir/short.bin"
        outcome 125 'short.bin is not a backup' flash --restore "$dir/short.bin" tile0
        outcome 125 'cannot open' flash --restore "$dir/none.bin" tile0
        outcome 125 'exclude each other' flash --install --forget tile0
        outcome 0 'what was there before is back' flash --restore "$dir/before.bin" tile0
        cmp -n $((1 << 20)) "$dir/before.bin" "$dir/nor.bin" || fail "not restored"
        ;;
    stop) # a command that hangs, a port that is gone, a user who has had enough
        fresh
        cat >"$MPJOULE_BOARDS" <<EOF
boards:
  - {id: tile0, port: /dev/ttyTILE0, start: sleep 1000}
EOF
        line
        outcome 125 'the start command of tile0 did not end within 2 s (--timeout)' flash --timeout 2 --info tile0
        boards 'boot: loader'
        line --stay --rate 921600 --hold 60000
        outcome 0 'no program' flash --info tile0
        outcome 124 'not finished within 3 s' flash --timeout 3 tile0 "$APPS/hello.elf"
        line --stay --rate 921600 --hold 60000
        outcome 0 'no program' flash --info tile0
        mpjoule flash --quiet tile0 "$APPS/hello.elf" >"$dir/out" 2>"$dir/err" &
        uploading=$!
        until_so 60 said holding || fail "no upload"
        kill -INT "$("$MPJOULE" boards | sed -n 's/.*process \([0-9]*\).*/\1/p')"
        got=0
        wait $uploading || got=$?
        [ "$got" -eq 130 ] || fail "status $got after an interrupt"
        grep -q interrupted "$dir/err" || fail "no word of it: $(cat "$dir/err")"
        kill -USR1 "${mine[@]}"
        outcome 0 'program hello.elf' flash tile0 "$APPS/hello.elf"
        ;;
    refused)
        fresh
        # a loader is not the program: a port nobody has described, and a list that does not say so
        line --stay
        "$dir/start"
        outcome 119 'in its resident loader' run --target /dev/ttyTILE0 -o "$dir/x.mpj" "$APPS/hello.elf"
        boards 'boot: self'
        outcome 119 'needs "boot: loader"' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        boards
        line
        echo "not a program" >"$dir/text.elf"
        outcome 125 'not an ELF' flash tile0 "$dir/text.elf"
        head -c 100000 "$APPS/hello.elf" >"$dir/cut.elf"
        outcome 125 'is truncated' flash tile0 "$dir/cut.elf"
        # a program for other memory, and one that starts nowhere
        for what in '52 + 32 * 1 + 12, 0x20000000' '52 + 32 * 1 + 12, 0x7f00' '52 + 32 * 1 + 20, 0x0f500000' '24, 0x04000000'; do
            python3 -c 'import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<I", data, *eval(sys.argv[3]))
open(sys.argv[2], "wb").write(data)' "$APPS/hello.elf" "$dir/other.elf" "$what"
            outcome 125 "other.elf cannot be $([ "${what%%,*}" = 24 ] && echo 'started: it has nothing' || echo loaded)" \
                flash tile0 "$dir/other.elf"
        done
        outcome 117 'text.elf is not a serial port' flash "$dir/text.elf" "$APPS/hello.elf"
        outcome 125 'no program given' flash tile0
        outcome 125 'exclude each other' flash --info tile0 "$APPS/hello.elf" # which only looks
        outcome 125 'exclude each other' flash --info --forget tile0
        outcome 125 '--wait takes a whole number' flash --wait 4294967297 --info tile0
        # kinds of boards that the loader is not for: one without a flash, one whose memory nobody sets up
        for what in --info --forget --install "--restore $dir/nor.bin" "$APPS/../board/ox820/apps/selftest.elf"; do
            boards 'platform: ox820' 'boot: loader'
            # shellcheck disable=SC2086  # several words
            outcome 125 'the board ox820 has no NOR flash, and thus no resident loader' flash tile0 $what
            [ "$(wc -l <"$dir/err")" = 1 ] || fail "more than a line: $(cat "$dir/err")"
        done
        outcome 125 'the board ox820 has no NOR flash' run --target tile0 -o "$dir/x.mpj" "$APPS/../board/ox820/apps/selftest.elf"
        boards 'platform: pb11mp' 'boot: loader'
        outcome 125 'the resident loader does not support the board pb11mp' flash --info tile0
        boards
        : >"$dir/nor.bin" # a board without a loader
        truncate -s 64M "$dir/nor.bin"
        line
        outcome 118 'does not answer' flash --info tile0
        ;;
    *)
        echo "flash.sh: no case $part" >&2
        exit 2
        ;;
    esac
done
finish "all of: $*"
