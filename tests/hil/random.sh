#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boards behind a line with faults from a seed, and runs that end in every way.
# usage: random.sh CASE SEED TIMES   (environment: board.sh)
# cases: line     runs over a line with faults: log and output are those of a clean line, byte for byte
#        verdict  a program that ends, faults or hangs, a board that dies or stops, a line that is pulled: the exit
#                 status tells which, and the older result stands unless the program came to its end
set -euo pipefail
# shellcheck source=tests/hil/board.sh
. "$(dirname "$0")/board.sh"
part=$1 RANDOM=$2 times=$3
seed=$2
board_in_ram
boards 'boot: command'

# A rate: none, or 1 to 9 times a power of ten.
rate() { # OPTION EXPONENT
    [ $((RANDOM % 2)) -eq 0 ] || words+=("$1" "$((1 + RANDOM % 9))e-$2")
}
# faults EXPONENT: $words, options of the line. Not in a subshell, which has random numbers of its own.
faults() {
    words=()
    rate --bit-error "$1"
    rate --drop "$1"
    rate --twice "$1"
    [ $((RANDOM % 3)) -ne 0 ] || words+=(--stall "0.00$((1 + RANDOM % 9))" --stall-ms "$((RANDOM % 400))")
    [ $((RANDOM % 3)) -ne 0 ] || words+=(--noise "$((1000 + RANDOM % 9000))")
}

run() { # NAME
    mpjoule run --target tile0 -o "$dir/$1.mpj" --sample-ms 0.1 --quiet "$APPS/matmul.elf" -- 64 float 30 \
        >"$dir/$1.out" 2>"$dir/$1.err"
}

case $part in
line)
    line
    run clean || die "a clean line: $(head -1 "$dir/clean.err")"
    for ((i = 0; i < times; i++)); do
        faults 5
        line --seed $((seed * 1000 + i)) "${words[@]}"
        run dirty || fail "seed $seed, run $i, ${words[*]}: status $?: $(head -1 "$dir/dirty.err")"
        cmp "$dir/clean.mplog" "$dir/dirty.mplog" || fail "seed $seed, run $i, ${words[*]}: another log"
        cmp "$dir/clean.out" "$dir/dirty.out" || fail "seed $seed, run $i, ${words[*]}: another output"
    done
    finish "$times runs over lines with faults"
    ;;
verdict)
    kinds=(ends faults hangs dies stops pulled)
    line
    mpjoule run --target tile0 -o "$dir/x.mpj" --quiet "$APPS/hello.elf" >"$dir/out" || die "hello: status $?"
    for ((i = 0; i < times; i++)); do
        cp "$dir/x.mpj" "$dir/older.mpj"
        kind=${kinds[RANDOM % 6]}
        case $kind in
        ends) want=0 program=("$APPS/hello.elf") ;;
        faults) want=122 program=("$APPS/fault.elf" -- null) ;;
        hangs) want=124 program=(--timeout 4 "$APPS/hang.elf") ;;
        *) want=120 program=(--timeout 0 "$APPS/hang.elf") ;;
        esac
        faults 6
        line --seed $((seed * 1000 + i)) "${words[@]}"
        mpjoule run --target tile0 -o "$dir/x.mpj" --quiet "${program[@]}" >"$dir/out" 2>"$dir/err" &
        command=$!
        if [ "$want" -eq 120 ]; then
            # The emulator takes what the host sends only where the program waits. If the line has lost the frame,
            # this program, which never waits, does not repeat it: then its beats keep the command from ending.
            until_so 60 grep -q -a -s 'here I stay' "$dir/x.mplog.new" || kill -0 "$command" ||
                fail "seed $seed, run $i: does not begin"
            sleep "0.$(printf %03d $((RANDOM % 1000)))"
            case $kind in
            dies) power_off ;;
            stops) kill -STOP "$(cat "$dir/qemu.pid")" ;;
            pulled) gone ;;
            esac
        fi
        status=0
        wait "$command" || status=$?
        what="seed $seed, run $i, $kind, ${words[*]}"
        [ "$status" -eq "$want" ] || fail "$what: status $status, not $want: $(tail -n 1 "$dir/err")"
        case $kind in # a fault is a result
        ends | faults) mpjoule report "$dir/x.mpj" >"$dir/out" || fail "$what: no new result" ;;
        *) cmp "$dir/older.mpj" "$dir/x.mpj" || fail "$what: the older result does not stand" ;;
        esac
        [ "$kind" != faults ] || grep -q 'Failed' "$dir/out" || fail "$what: the result has no fault"
        power_off
    done
    finish "$times verdicts"
    ;;
*) die "no case $part" ;;
esac
