#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A board that is started from the prompt of U-Boot: the distribution's U-Boot in the distribution's QEMU,
# behind a pseudo-terminal with the real libserialport and a line that misbehaves.
# usage: uboot.sh CASE...   (environment: board.sh)
# cases: console loady loadb tftp late log echo fresh noise-SEED broken line prompt absent list
# shellcheck disable=SC2119 # `line` without faults
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/hil/board.sh
. "$here/board.sh"
uboot=/usr/lib/u-boot/qemu_arm/u-boot.bin
[ -r "$uboot" ] || die "package u-boot-qemu is missing"

# U-Boot 2023.01 waits in `go` until the PL011's transmitter is full, instead of until it is not, and so for ever: `eor`
# of that flag, whose result is to be taken without. The rest is as the distribution has it.
python3 - "$uboot" "$dir/u-boot.bin" <<'END'
import pathlib, sys
code = pathlib.Path(sys.argv[1]).read_bytes()
pathlib.Path(sys.argv[2]).write_bytes(code.replace(bytes.fromhex("200023e2d002e0e7"), bytes.fromhex("200023e2d302e0e7")))
END

abi=$(sed -n 's/^#define MPJ_ABI_VERSION *\([0-9]*\).*/\1/p' "$root"/link/include/*.h)
arm-none-eabi-gcc -nostdlib -mcpu=arm1176jzf-s -DABI="$abi" -Wl,-Ttext-segment=0x40010000,-Tdata=0x40200000,--build-id \
    "$here/virt/speaks.S" -o "$dir/speaks.elf"

# power [OPTIONS of uboot_board.py]: what the board's power command does.
power() {
    cat >"$dir/start" <<END
#!/bin/sh
echo x >>"$dir/starts"
flock -n "$dir/power" true || kill -9 "\$(cat "$dir/qemu.pid")"
exec 9>>"$dir/power"
flock -w 60 9 || exit 1
"$LEASH" $$ python3 "$here/uboot_board.py" "$dir/line" $* -- qemu-system-arm -M virt -cpu cortex-a15 -m 256 \\
    -bios "$dir/u-boot.bin" -display none -monitor none -serial stdio -nodefaults \\
    -netdev user,id=n,tftp="$dir/tftp" -device virtio-net-device,netdev=n >"$dir/qemu.out" 2>&1 </dev/null &
echo \$! >"$dir/qemu.pid"
END
    chmod +x "$dir/start"
    rm -f "$dir/starts"
}

# board [LINE of the key uboot...]
board() {
    cat >"$MPJOULE_BOARDS" <<END
boards:
  - id: virt0
    port: /dev/ttyTILE0
    start: uboot
    power_cycle: exec env -u LD_PRELOAD $dir/start
$([ $# -eq 0 ] || { echo '    uboot:' && printf '      %s\n' "$@"; })
END
}

# starts: the program runs: its line is what the host shows of a program that does not come to its HELLO.
starts() { says 'U-Boot has started this'; }
says() {
    limited uncounted 3 122 "$1" mpjoule run --target virt0 -o "$dir/x.mpj" --timeout @ "$dir/speaks.elf"
}
# shellcheck disable=SC2317 # called by limited
uncounted() { rm -f "$dir/starts"; }
refuses() { # STATUS WORDS
    outcome "$1" "$2" run --target virt0 -o "$dir/x.mpj" --timeout 60 "$dir/speaks.elf"
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "not one line: $(cat "$dir/err")"
}

power
for part in "$@"; do
    case $part in
    loady)
        line --stay
        board
        starts
        [ "$(wc -l <"$dir/starts")" -eq 1 ] || fail "started $(wc -l <"$dir/starts") times"
        ;;
    loadb)
        line --stay
        board 'transfer: loadb'
        starts
        ;;
    tftp)
        line --stay
        mkdir -p "$dir/tftp"
        board 'transfer: tftp' "folder: $dir/tftp" 'before: setenv autoload no; dhcp; setenv serverip 10.0.2.2'
        starts
        [ -z "$(ls "$dir/tftp")" ] || fail "left: $(ls "$dir/tftp")"
        board 'transfer: tftp' "folder: $dir" 'before: setenv autoload no; dhcp; setenv serverip 10.0.2.2'
        refuses 120 'did not fetch mpjoule-virt0.bin.*The server must offer'
        ;;
    late)
        line --stay
        power --late 4
        board
        starts
        ;;
    log)
        line --stay --noise 500
        power --log
        board
        starts
        ;;
    echo)
        line --stay
        power --no-echo
        board
        starts
        ;;
    fresh)
        line --stay
        board 'fresh: on' 'stop_when: always' 'stop_keys: q'
        starts
        [ "$(wc -l <"$dir/starts")" -eq 1 ] || fail "started $(wc -l <"$dir/starts") times"
        ;;
    noise-[0-9]) # the seed
        line --stay --seed "${part#noise-}" --bit-error 1e-4 --drop 1e-4 --twice 1e-4
        board
        # its line may be damaged, too
        says 'start-up faulted: '
        ;;
    broken) # the supply fails in the middle of an upload
        line --stay
        power --cut 3000
        board
        refuses 120 'the upload to virt0 stopped after [0-9]* of'
        power
        starts
        ;;
    line) # the port's RTS resets the board, here by what watches it; it is released before
        line --stay
        board
        sed -i 's/power_cycle: .*/reset_line: rts/' "$MPJOULE_BOARDS"
        : >"$dir/lines"
        { until_so 60 grep -q '^+rts' "$dir/lines" && "$dir/start"; } &
        export MPJ_PTY_LINES=$dir/lines
        starts
        unset MPJ_PTY_LINES
        [ "$(grep rts "$dir/lines" | uniq | paste -sd' ')" = '-rts +rts -rts' ] || fail "the lines: $(paste -sd' ' "$dir/lines")"
        # ... or a break
        line --stay
        sed -i 's/reset_line: .*/reset_line: break/' "$MPJOULE_BOARDS"
        : >"$dir/lines"
        { until_so 60 grep -q '^+break' "$dir/lines" && "$dir/start"; } &
        export MPJ_PTY_LINES=$dir/lines
        starts
        unset MPJ_PTY_LINES
        [ "$(grep break "$dir/lines" | uniq | paste -sd' ')" = '-break +break -break' ] || fail "the lines: $(paste -sd' ' "$dir/lines")"
        ;;
    console) # switched on, its boot log, a command at its prompt
        line --stay
        board
        : >"$dir/out"
        {
            until_so 120 grep -qa 'Hit any key' "$dir/out"
            echo
            until_so 120 grep -qa '=> ' "$dir/out"
            echo 'echo a"b"c'
            until_so 60 grep -qa '^abc' "$dir/out"
        } | outcome 0 'U-Boot 2' console --reset virt0
        tr -d '\r' <"$dir/out" | grep -q '^abc$' || fail "the command was not executed: $(cat "$dir/out")"
        [ "$(wc -l <"$dir/starts")" -eq 1 ] || fail "started $(wc -l <"$dir/starts") times"
        mpjoule console --for 20 virt0 >/dev/null 2>&1 </dev/null &
        until_so 20 eval 'mpjoule boards | grep -q "taken by .*mpjoule console"' || fail "not taken: $(mpjoule boards)"
        refuses 117 'virt0 is taken by .* (mpjoule console) since'
        wait $!
        # at a terminal: Ctrl-] leaves, and the terminal is as before
        python3 - env LD_PRELOAD="$PRELOAD" MPJ_PTY_SERIAL="/dev/ttyTILE0=$dir/pty" "$MPJOULE" console virt0 <<'PY' || fail "at a terminal: status $?"
import os, pty, sys, termios
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
before = termios.tcgetattr(fd)
said = b""
while b"Ctrl-] leaves" not in said:
    said += os.read(fd, 1000)
os.write(fd, b"\x03echo x'y'z\r")
while b"xyz" not in said:
    said += os.read(fd, 1000)
raw = termios.tcgetattr(fd)
os.write(fd, b"\x1d")
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status or (raw[3] == before[3]) or (termios.tcgetattr(fd)[3] != before[3]))
PY
        outcome 125 'name a board' console
        outcome 125 'no board is called' console nothing
        outcome 117 'no serial port' console /dev/ttyNONE9
        sed -i '/power_cycle/d' "$MPJOULE_BOARDS"
        outcome 125 'virt0 has nothing that restarts it' console --reset virt0
        ;;
    prompt) # another one than the list says
        line --stay
        power
        board 'prompt: "OX820 # "' 'wait: 12'
        refuses 118 'no U-Boot prompt "OX820 # " on virt0 within 12 s; its last line is "=> ". If that is the prompt'
        ;;
    absent)
        line --stay
        power --dumb
        board 'wait: 5'
        refuses 118 'its last line is "OX820 # "'
        line --stay
        power --garbage
        refuses 118 'virt0 sends no text'
        line --stay
        power --late 100
        refuses 118 'virt0 sends nothing'
        board 'wait: 5'
        sed -i '/power_cycle/d' "$MPJOULE_BOARDS"
        refuses 118 'press its reset button'
        ;;
    list)
        for wrong in 'prompt: ""' 'transfer: xmodem' 'transfer: tftp' 'folder: /x' 'verify: maybe' 'wait: 99999' 'promt: x'; do
            board "$wrong"
            outcome 125 "boards.yaml:[0-9]*: " boards
        done
        board
        sed -i 's/start: uboot/boot: uboot/' "$MPJOULE_BOARDS"
        outcome 125 'U-Boot is .start: uboot.' boards
        board
        outcome 0 'virt0' boards
        outcome 125 'has no mpjoule loader' flash virt0 "$dir/speaks.elf"
        ;;
    *) die "no case $part" ;;
    esac
done
finish "boards with U-Boot: $*"
