#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Flashing a board through its resident loader: the emulator with file-backed NOR, started in it, behind
# a pseudo-terminal with the real libserialport.
# usage: flash.sh CASE...   (environment: MPJOULE, APPS, QEMU, LOSSY, PRELOAD; CUTS: power failures)
# cases: flash faults refused power
set -euo pipefail
: "${MPJOULE:?}" "${APPS:?}" "${QEMU:?}" "${CALIBRATION:?}" "${LOSSY:?}" "${PRELOAD:?}"
dir=$(mktemp -d)
mine=()
power_off() { { kill -9 "$(cat "$dir/qemu.pid")"; } 2>/dev/null || true; }
trap 'kill "${mine[@]}" 2>/dev/null || true; power_off; rm -rf "$dir"' EXIT
export MPJOULE_LOCKS=$dir/locks MPJOULE_BOARDS=$dir/boards.yaml
loader=$APPS/../loader/loader.bin
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# Power off and on: the NOR keeps what it has.
cat >"$dir/start" <<EOF
#!/bin/sh
kill -9 \$(cat "$dir/qemu.pid" 2>/dev/null) 2>/dev/null
"$QEMU" -M "realview-eb-mpcore,start=nor,calibration=$CALIBRATION,seed=1,model=\${MODEL:-time}" -smp 4 -m 256 \\
    -icount shift=0,sleep=off -display none -monitor none -nodefaults \\
    -drive "if=pflash,format=raw,file=$dir/nor.bin" \\
    -chardev "socket,id=line,path=$dir/line,server=off" -serial chardev:line \\
    >"$dir/qemu.out" 2>&1 </dev/null &
echo \$! >"$dir/qemu.pid"
EOF
chmod +x "$dir/start"
boards() { # [MORE KEYS]
    cat >"$MPJOULE_BOARDS" <<EOF
boards:
  - id: tile0
    port: /dev/ttyTILE0
    start: env -u LD_PRELOAD $dir/start
    calibration: mprofiler
$([ $# -eq 0 ] || printf '    %s\n' "$@")
EOF
}
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

line() {
    [ ${#mine[@]} -eq 0 ] || { kill "${mine[@]}" && wait "${mine[@]}"; } 2>/dev/null || true
    rm -f "$dir/ready"
    "$LOSSY" --socket "$dir/line" --link "$dir/pty" "$@" >"$dir/ready" 2>"$dir/lossy.err" &
    mine=($!)
    for _ in $(seq 500); do
        grep -q ready "$dir/ready" 2>/dev/null && return
        sleep 0.02
    done
    echo "no line" >&2
    exit 1
}

mpjoule() {
    env LD_PRELOAD="$PRELOAD" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
        MPJ_PTY_SERIAL="/dev/ttyTILE0=$dir/pty" timeout 120 "$MPJOULE" "$@"
}

outcome() { # STATUS WORDS ARGUMENTS...
    local want=$1 words=$2 got=0
    shift 2
    mpjoule "$@" >"$dir/out" 2>"$dir/err" || got=$?
    [ "$got" -eq "$want" ] || fail "status $got, not $want: mpjoule $* ($(tail -2 "$dir/err"))"
    grep -q -e "$words" "$dir/err" "$dir/out" || fail "\"$words\" not said by: mpjoule $* ($(tail -2 "$dir/err"))"
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
        fresh
        for seed in 1 2; do
            line --seed "$seed" --bit-error 1e-4 --drop 1e-4 --twice 1e-4 --noise 2000
            outcome 0 'program matmul.elf' flash tile0 "$APPS/matmul.elf"
        done
        ;;
    run) # the board lives in its loader: uploaded, run, and back there, whatever became of the program
        fresh
        export MODEL=full
        boards 'boot: loader'
        line --stay
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        board=$(cat "$dir/qemu.pid")
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        outcome 7 'status: 7' run --target tile0 -o "$dir/x.mpj" "$APPS/status.elf" -- 7
        outcome 122 'faulted: data abort' run --target tile0 -o "$dir/x.mpj" "$APPS/fault.elf" -- null
        outcome 122 'faulted: undefined' run --target tile0 -o "$dir/x.mpj" "$APPS/fault.elf" -- undef 2
        # nothing but the watchdog ends this one
        outcome 122 'back in its loader' run --target tile0 -o "$dir/x.mpj" "$APPS/hang.elf" -- masked
        # every pass by the loader; a board whose flash has the program boots that
        outcome 0 'instructions' run --target tile0 -o "$dir/x.mpj" --events instr,dcache_rd,dcache_wr \
            "$APPS/hello.elf" -- c
        [ -f "$dir/x.1.mplog" ] || fail "one pass only"
        outcome 0 'program hello.elf in slot 1' flash tile0 "$APPS/hello.elf"
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" -- a b
        outcome 125 'put it there with' run --target tile0 -o "$dir/x.mpj" "$APPS/hello_flash.elf"
        outcome 0 'program hello_flash.elf in slot 0' flash tile0 "$APPS/hello_flash.elf"
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello_flash.elf" -- a b
        [ "$board" = "$(cat "$dir/qemu.pid")" ] || fail "the board had to be started anew"
        ;;
    refused)
        fresh
        line
        echo "not a program" >"$dir/text.elf"
        outcome 125 'not an ELF' flash tile0 "$dir/text.elf"
        outcome 125 'which program' flash tile0
        : >"$dir/nor.bin" # a board without a loader
        truncate -s 64M "$dir/nor.bin"
        line
        outcome 118 'does not answer' flash --info tile0
        ;;
    power) # the supply fails at random moments of a flash write
        fresh
        line
        outcome 0 'program hello.elf' flash tile0 "$APPS/hello.elf"
        old=0 new=0
        RANDOM=7
        for ((i = 0; i < ${CUTS:-12}; i++)); do
            line
            mpjoule flash --quiet tile0 "$APPS/$([ $((i % 2)) = 0 ] && echo matmul || echo hello).elf" >"$dir/out" 2>&1 &
            flashing=$!
            sleep "0.$(printf %03d $((RANDOM % 600)))"
            power_off
            kill "$flashing" 2>/dev/null || true
            wait "$flashing" 2>/dev/null || true
            cmp -s -n "$(stat -c %s "$loader")" "$loader" "$dir/nor.bin" || fail "cut $i: the loader was changed"
            line
            mpjoule flash --info tile0 >"$dir/out" 2>"$dir/err" || fail "cut $i: no loader ($(cat "$dir/err"))"
            case $(cat "$dir/out") in
            *hello.elf*) old=$((old + 1)) ;;
            *matmul.elf*) new=$((new + 1)) ;;
            *) fail "cut $i: no program: $(cat "$dir/out")" ;;
            esac
        done
        echo "power failed ${CUTS:-12} times: hello $old, matmul $new"
        ;;
    *)
        echo "flash.sh: no case $part" >&2
        exit 2
        ;;
    esac
done
exit $((failures > 0))
