# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For the tests of boards, to be sourced: the emulator in a board's place, a serial line between it and
# the real libserialport on a pseudo-terminal.
# environment: LOSSY, LEASH, PRELOAD, and what harness.sh takes; gives $dir, a folder that goes at the end
# shellcheck source=tests/harness/harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/../harness/harness.sh"
LOSSY=${LOSSY:-$root/build/asan/tests/hil/lossy}
LEASH=${LEASH:-$root/build/asan/tests/hil/leash}
PRELOAD=${PRELOAD:-$root/build/asan/tests/hil/libpty_serial.so}
own_folder # files of commands that are told no name are this test's
# The dynamic linker would split the name of a build at blanks and colons.
cp -- "$PRELOAD" "$dir/pty_serial.so"
PRELOAD=$dir/pty_serial.so
export LEASH
mine=() # processes of the line
export XDG_STATE_HOME=$dir/state MPJOULE_LOCKS=$dir/locks MPJOULE_PORT_LOCKS=$dir/ports MPJOULE_BOARDS=$dir/boards.yaml
mkdir "$MPJOULE_PORT_LOCKS"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

# A running emulator holds a lock on $dir/power until the last of it has gone, its files with it: a number
# without one is nobody's, or by now somebody else's.
power_off() {
    flock -n "$dir/power" true || kill -9 "$(cat "$dir/qemu.pid")" 2>/dev/null || true
    flock -w 60 "$dir/power" true || fail "the emulator goes on"
}
leave() { # [STATUS]
    local status=${1:-$?}
    # shellcheck disable=SC2046 # some, or none
    kill $(jobs -p) 2>/dev/null || true
    gone
    power_off
    rm -rf "$dir" || true
    exit "$status"
}
trap leave EXIT

# board_start PROPERTIES COMMAND OPTIONS...: what the board's start command does, COMMAND first: power off
# and on, the emulator with these machine properties (",a=b") and options, as the script writes them.
board_start() {
    cat >"$dir/start" <<EOF
#!/bin/sh
$2
flock -n "$dir/power" true || kill -9 "\$(cat "$dir/qemu.pid")"
exec 9>>"$dir/power"
flock -w 60 9 || exit 1
"$LEASH" $$ "$QEMU" -M "realview-eb-mpcore,calibration=$CALIBRATION,seed=1$1" -smp 4 -m 256 \\
    -icount shift=0,sleep=off -display none -monitor none -nodefaults ${*:3} \\
    -chardev "socket,id=line,path=$dir/line,server=off" -serial chardev:line \\
    >"$dir/qemu.out" 2>&1 </dev/null &
echo \$! >"$dir/qemu.pid"
EOF
    chmod +x "$dir/start"
}
# A program in RAM, its file in MPJOULE_ELF, and a reset that ends it.
board_in_ram() { board_start "" "" -no-reboot -kernel "\"\$MPJOULE_ELF\""; }
# The NOR flash $dir/nor.bin: it keeps what it has.
board_in_flash() { # PROPERTIES
    board_start ",start=nor$1" "" -drive "\"if=pflash,format=raw,file=$dir/nor.bin\""
}

# boards [LINE...]: the list of boards: tile0, with these lines.
boards() {
    cat >"$MPJOULE_BOARDS" <<EOF
boards:
  - id: tile0
    port: /dev/ttyTILE0
    start: exec env -u LD_PRELOAD $dir/start
    calibration: mprofiler
$([ $# -eq 0 ] || printf '    %s\n' "$@")
EOF
}

# gone: the line's processes end, and have ended.
gone() {
    [ ${#mine[@]} -eq 0 ] || { kill "${mine[@]}" || true; wait "${mine[@]}"; } 2>/dev/null || true
    mine=()
}

# until_so SECONDS COMMAND...: as soon as the command succeeds; not at all: status 1.
until_so() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.02
    done
}

# ready COMMAND...: in the background, until it says so.
ready() {
    gone
    rm -f "$dir/ready"
    "$LEASH" $$ "$@" >"$dir/ready" 2>"$dir/ready.err" &
    mine=($!)
    until_so 60 said ready && return
    echo "$1 is not ready: $(cat "$dir/ready.err")" >&2
    exit 1
}
# said WORD: by what runs in the background.
said() { grep -q "$1" "$dir/ready" 2>/dev/null; }

# line FAULTS...: a fresh line.
line() { ready "$LOSSY" --socket "$dir/line" --link "$dir/pty" "$@"; }

# The command, with a libserialport that finds the pseudo-terminal. How long is CTest's business: a busy
# machine is slow.
mpjoule() {
    env LD_PRELOAD="$PRELOAD" MPJ_PTY_SERIAL="/dev/ttyTILE0=$dir/pty" timeout 1400 "$MPJOULE" "$@"
}

# selftest ARGUMENTS...: every item is ok but those that a machine which is busy with something else makes
# wrong, because the ends of the line then wait for each other: frames sent again after the time for an
# acknowledgement, a bit rate whose trial was not answered in time, bytes a second.
selftest() {
    local busy='^line\.\(resent\|rate\|speed\) ' got=0
    mpjoule selftest "$@" >"$dir/out" 2>"$dir/err" || got=$?
    [ "$got" -eq 0 ] || { [ "$got" -eq 1 ] && grep -q "$busy *differs" "$dir/out"; } ||
        fail "status $got: mpjoule selftest $* ($(tail -n 2 "$dir/err"))"
    grep -q ' 0 fail, 0 skipped' "$dir/out" || fail "no verdict: mpjoule selftest $*"
    if grep ' \(differs\|fails\|skipped\) ' "$dir/out" | grep -v "$busy"; then
        fail "the items above: mpjoule selftest $*"
    fi
}

# flocks TERMINAL: another program that has the port by flock(), as tio and picocom do, in the background; $other.
flocks() {
    python3 -c 'import fcntl, os, sys, time
fcntl.flock(os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY), fcntl.LOCK_EX)
time.sleep(987)' "$1" &
    # shellcheck disable=SC2034 # for the test
    other=$!
    until_so 10 flocked "$1" || fail "no flock"
}
# shellcheck disable=SC2317 # called through until_so
flocked() { ! flock -n "$1" true; }

# outcome STATUS WORDS ARGUMENTS...: how it ends and what it says.
outcome() { ends "$1" "$2" mpjoule "${@:3}"; }
