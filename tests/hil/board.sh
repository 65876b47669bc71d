# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For the tests of boards, to be sourced: the emulator in a board's place, a serial line between it and
# the real libserialport on a pseudo-terminal.
# environment: MPJOULE, APPS, QEMU, CALIBRATION, LOSSY, PRELOAD; gives $dir, a folder that goes at the end
: "${MPJOULE:?}" "${APPS:?}" "${QEMU:?}" "${CALIBRATION:?}" "${LOSSY:?}" "${PRELOAD:?}"
dir=$(mktemp -d)
mine=() # processes of the line
failures=0
export MPJOULE_LOCKS=$dir/locks MPJOULE_BOARDS=$dir/boards.yaml
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# The supply of a board that goes on when its program ends.
power_off() { { kill -9 "$(cat "$dir/qemu.pid")"; } 2>/dev/null || true; }
trap 'kill "${mine[@]}" 2>/dev/null || true; power_off; rm -rf "$dir"' EXIT

# board_start PROPERTIES COMMAND OPTIONS...: what the board's start command does, COMMAND first: the
# emulator with these machine properties (",a=b") and options, as the script of the start writes them.
board_start() {
    cat >"$dir/start" <<EOF
#!/bin/sh
$2
"$QEMU" -M "realview-eb-mpcore,calibration=$CALIBRATION,seed=1$1" -smp 4 -m 256 \\
    -icount shift=0,sleep=off -display none -monitor none -nodefaults ${*:3} \\
    -chardev "socket,id=line,path=$dir/line,server=off" -serial chardev:line \\
    >"$dir/qemu.out" 2>&1 </dev/null &
echo \$! >"$dir/qemu.pid"
EOF
    chmod +x "$dir/start"
}
# A program in RAM, its file in MPJOULE_ELF, and a reset that ends it.
board_in_ram() { board_start "" "" -no-reboot -kernel "\"\$MPJOULE_ELF\""; }
# The NOR flash $dir/nor.bin; power off and on: it keeps what it has.
board_in_flash() { # PROPERTIES
    board_start ",start=nor$1" "kill -9 \$(cat \"$dir/qemu.pid\" 2>/dev/null) 2>/dev/null" \
        -drive "\"if=pflash,format=raw,file=$dir/nor.bin\""
}

# boards [LINE...]: the list of boards: tile0, with these lines.
boards() {
    cat >"$MPJOULE_BOARDS" <<EOF
boards:
  - id: tile0
    port: /dev/ttyTILE0
    start: env -u LD_PRELOAD $dir/start
    calibration: mprofiler
$([ $# -eq 0 ] || printf '    %s\n' "$@")
EOF
}

# ready COMMAND...: in the background, until it says so.
ready() {
    [ ${#mine[@]} -eq 0 ] || { kill "${mine[@]}" && wait "${mine[@]}"; } 2>/dev/null || true
    rm -f "$dir/ready"
    "$@" >"$dir/ready" 2>"$dir/ready.err" &
    mine=($!)
    for _ in $(seq 500); do
        grep -q ready "$dir/ready" 2>/dev/null && return
        sleep 0.02
    done
    echo "$1 is not ready: $(cat "$dir/ready.err")" >&2
    exit 1
}

# line FAULTS...: a fresh line.
line() { ready "$LOSSY" --socket "$dir/line" --link "$dir/pty" "$@"; }

# The command, with a libserialport that finds the pseudo-terminal; PATIENCE: seconds.
mpjoule() {
    env LD_PRELOAD="$PRELOAD" MPJ_PTY_SERIAL="/dev/ttyTILE0=$dir/pty" timeout "${PATIENCE:-120}" "$MPJOULE" "$@"
}

# outcome STATUS WORDS ARGUMENTS...: how it ends and what it says.
outcome() {
    local want=$1 words=$2 got=0
    shift 2
    mpjoule "$@" >"$dir/out" 2>"$dir/err" || got=$?
    [ "$got" -eq "$want" ] || fail "status $got, not $want: mpjoule $* ($(tail -n 2 "$dir/err"))"
    grep -q -e "$words" "$dir/err" "$dir/out" || fail "\"$words\" not said by: mpjoule $* ($(tail -n 2 "$dir/err"))"
}
