#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A board behind a serial line: the real libserialport on a pseudo-terminal, the emulator as the
# board, between them a line that misbehaves. The log must be that of the clean line, byte for byte.
# usage: line.sh CASE...   (environment: board.sh)
# cases: faults rate unplug transfer programs long outcomes selftest campaign gate locks ports
set -euo pipefail
# shellcheck source=tests/hil/board.sh
. "$(dirname "$0")/board.sh"
board_in_ram

run() { # NAME [run options]: a run with many frames, its log kept
    local name=$1
    shift
    mpjoule run --target tile0 -o "$dir/$name.mpj" --sample-ms 0.1 --quiet "$@" \
        "$APPS/matmul.elf" -- 64 float 30 >"$dir/$name.out" 2>"$dir/$name.err" ||
        fail "$name: status $?: $(head -1 "$dir/$name.err")"
}

same() {
    cmp "$dir/clean.mplog" "$dir/$1.mplog" || fail "$1: not the clean run's log"
    cmp "$dir/clean.out" "$dir/$1.out" || fail "$1: not the clean run's output"
}

# shellcheck disable=SC2317 # called through until_so
taken() { mpjoule boards | grep 'taken by .*process' >/dev/null; }

# shellcheck disable=SC2317 # called through until_so
waits() { compgen -G "$MPJOULE_LOCKS/*.turn.*" >/dev/null; }

# EBUSY for another process that is no superuser.
# shellcheck disable=SC2016,SC2317 # called through until_so; sh expands it
refuses() {
    ! "${plain[@]}" /bin/sh -c 'exec 3<>"$1"' sh "$(readlink "$dir/pty")" 2>"$dir/opened" &&
        grep -q 'Device or resource busy' "$dir/opened"
}

boards 'boot: command'
for part in "$@"; do
    case $part in
    faults)
        line
        run clean
        echo "clean: $(wc -c <"$dir/clean.mplog") bytes"
        n=0
        for seed in 1 2 3 4; do
            for faults in '--bit-error 1e-4' '--drop 1e-3' '--twice 1e-3' \
                '--stall 0.02 --stall-ms 300' '--noise 5000' \
                '--bit-error 1e-4 --drop 1e-4 --twice 1e-4 --stall 0.005 --noise 3000'; do
                # shellcheck disable=SC2086  # several words
                line --seed "$seed" $faults
                run dirty
                same dirty
                n=$((n + 1))
            done
        done
        echo "$n lines with faults"
        # no long frame arrives: parts of them do
        line --seed 3 --bit-error 1e-3 --rate 921600
        run dirty
        same dirty
        ;;
    rate)
        line
        run clean
        line --rate 115200 --seed 5 --bit-error 1e-5
        run slow
        same slow
        ;;
    unplug)
        line
        run clean
        for at in 40 90 200 1500 5000; do
            line --unplug "$at" --unplug-ms 700
            run gone
            same gone
        done
        line --unplug 300 --unplug-ms 60000
        outcome 120 'did not come back' run --target tile0 -o "$dir/x.mpj" "$APPS/matmul.elf"
        ;;
    transfer)
        # Input and output of the program itself: what the line repeats takes no modelled time.
        "$MPJOULE" cc -O2 -fopenmp "$root/tests/sim/libc/transfer.c" -o "$dir/transfer.elf"
        mkdir "$dir/files"
        head -c 12000 /dev/urandom >"$dir/files/data"
        for how in read stdin; do
            for name in clean dirty; do
                line --seed 7
                [ "$name" = clean ] || line --seed 7 --bit-error 5e-5 --drop 1e-4
                mpjoule run --target tile0 -o "$dir/$name.mpj" --quiet --dir "$dir/files" \
                    --stdin "$dir/files/data" "$dir/transfer.elf" -- "$how" >"$dir/$name.out" 2>"$dir/$name.err" ||
                    fail "$how, $name: status $?: $(head -1 "$dir/$name.err")"
            done
            same dirty
        done
        ;;
    programs)
        # the same programs on the board and on the emulator's socket: what they say and how they end
        for app in 'hello a b' 'matmul 32 float 3' 'locks 300' 'stream_chase 64 1' 'idle 1 50' \
            'known_alu' 'fault abort' 'fault stack' 'fault undef'; do
            # shellcheck disable=SC2206
            words=($app)
            name=${words[0]}
            here=0
            there=0
            "$MPJOULE" run -o "$dir/sim.mpj" --quiet "$APPS/$name.elf" -- "${words[@]:1}" >"$dir/sim.out" 2>"$dir/sim.err" || here=$?
            line --seed 9 --bit-error 5e-5 --drop 1e-4
            mpjoule run --target tile0 -o "$dir/board.mpj" --quiet "$APPS/$name.elf" -- "${words[@]:1}" >"$dir/board.out" 2>"$dir/board.err" || there=$?
            [ "$here" -ne 125 ] || here=122 # boards tell faults from failures of ours
            [ "$here" -eq "$there" ] || fail "$app: status $there, on the socket $here"
            # its end waits for acknowledgements: times differ a little
            cmp <(sed 's/[0-9.]\+/N/g' "$dir/sim.out") <(sed 's/[0-9.]\+/N/g' "$dir/board.out") || fail "$app: other output"
            case $name in
            fault) cmp <(head -1 "$dir/sim.err") <(head -1 "$dir/board.err") || fail "$app: other words" ;;
            esac
        done
        # the board is started anew for every pass
        line --stay --seed 4 --bit-error 5e-5
        outcome 0 'instructions' run --target tile0 -o "$dir/x.mpj" --events instr,dcache_rd,dcache_wr \
            "$APPS/matmul.elf" -- 32 float 3
        [ -f "$dir/x.1.mplog" ] || fail "one pass only"
        ;;
    long)
        # More samples than the sampler's ring holds, from a program that never writes. The run lasts the
        # program's 300 s and some 3 ms for its start and end: a sample for every whole millisecond of
        # that, and none lost (they are numbered on the target). The emulator's timers have periods of whole
        # nanoseconds: the sampler's clock is 1 ppm fast.
        line --seed 3 --bit-error 1e-5
        outcome 0 'by the ADC (30000[0-9] samples)' run --target tile0 --timeout 1400 -o "$dir/x.mpj" --sample-ms 1 \
            --json "$dir/x.json" "$APPS/idle.elf" -- 0 300000
        python3 - "$dir/x.json" <<'PY' || fail "samples of the whole run: $(grep -A3 '"adc"' "$dir/x.json")"
import json, math, sys
run = json.load(open(sys.argv[1]))
print(run["time_s"], run["adc"]["samples"])
sys.exit(not (300 < run["time_s"] < 300.01 and "lost" not in run["adc"]
              and run["adc"]["samples"] in (math.floor(run["time_s"] * 1000), math.floor(run["time_s"] * 1000.001))))
PY
        ! grep -q -i 'lost\|no memory' "$dir/out" "$dir/err" || fail "samples lost"
        ;;
    outcomes)
        line
        outcome 117 'cannot open\|no serial port' run --target /dev/ttyNONE9 "$APPS/hello.elf"
        outcome 117 'no USB serial adapter' run --target usb0 --boards <(
            echo 'boards: [{id: usb0, usb_serial: "A-0"}]'
        ) "$APPS/hello.elf"
        outcome 125 'no board is called' run --target tile9 "$APPS/hello.elf"
        line
        outcome 122 'faulted: data abort' run --target tile0 -o "$dir/x.mpj" "$APPS/fault.elf" -- null
        limited line 3 124 'did not end within @ s' mpjoule run --target tile0 -o "$dir/x.mpj" --timeout @ "$APPS/hang.elf"
        power_off
        boards 'boot: command' 'identity: {midr: 0x12345678}'
        line
        outcome 119 'this is not tile0: its MIDR is 0x4' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        power_off
        boards 'boot: command'
        sed -i 's/start: .*/start: exit 3/' "$MPJOULE_BOARDS"
        line
        outcome 125 'the start command of tile0 failed with status 3: exit 3' run --target tile0 --retries 2 -o "$dir/x.mpj" "$APPS/hello.elf"
        [ "$(grep -c 'retry ' "$dir/err")" -eq 2 ] || fail "not retried twice"
        # Ctrl-C, which the start command hears, too: not its failure, and not tried again
        sed -i "s/start: .*/start: 'kill -INT \$PPID; exit 3'/" "$MPJOULE_BOARDS"
        line
        outcome 130 'interrupted' run --target tile0 --retries 2 -o "$dir/x.mpj" "$APPS/hello.elf"
        ! grep -q 'retry ' "$dir/err" || fail "tried again after Ctrl-C"
        # one that hangs ends with the time limit, or when we are told to end, with all it started
        sed -i "s#start: .*#start: 'sleep 987 \& echo \$! >$dir/left; sleep 987'#" "$MPJOULE_BOARDS"
        line
        outcome 125 'the start command of tile0 did not end within 2 s (--timeout)' run --target tile0 --timeout 2 --retries 1 -o "$dir/x.mpj" "$APPS/hello.elf"
        grep -q 'retry ' "$dir/err" || fail "a start command that hangs is the program's fault"
        mpjoule boards --health tile0 | tail -n 1 | grep -q '"ok": false' || fail "... and the board is well: $(mpjoule boards --health tile0)"
        # gone, or dead and not yet collected by its new parent
        # shellcheck disable=SC2016 # eval expands it
        until_so 10 eval '! grep -q "^State:.[^ZX]" "/proc/$(cat "$dir/left")/status" 2>/dev/null' || fail "what the start command left behind runs on"
        # also when we are killed
        sed -i "s#start: .*#start: 'sleep 987 \& echo \$! >$dir/left; echo \$PPID >$dir/owner; sleep 987; echo'#" "$MPJOULE_BOARDS"
        # ... at once after its start, on a machine that finds no time for us
        for ms in 0 300; do
            rm -f "$dir/left" "$dir/owner"
            line
            MPJ_FORK_MS=$ms mpjoule run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" >/dev/null 2>&1 &
            until_so 20 test -s "$dir/owner" || fail "the start command does not start"
            kill -KILL "$(cat "$dir/owner")"
            # shellcheck disable=SC2016 # eval expands it
            until_so 10 eval '! grep -q "^State:.[^ZX]" "/proc/$(cat "$dir/left")/status" 2>/dev/null' || fail "the start command outlives a killed mpjoule ($ms ms after a fork)"
        done
        # a power cycle that has begun ends in its own time
        cp "$MPJOULE_BOARDS" "$dir/starting"
        boards 'boot: self'
        sed -i "s#start: .*#power_cycle: echo \$PPID >$dir/off; sleep 2; touch $dir/on#" "$MPJOULE_BOARDS"
        line
        outcome 125 'the power_cycle command of tile0 did not end within 1 s (--timeout)' \
            run --target tile0 --timeout 1 -o "$dir/x.mpj" "$APPS/hello.elf"
        [ -e "$dir/on" ] || fail "a power cycle that was late left the board off"
        rm "$dir/on" "$dir/off"
        mpjoule run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" >/dev/null 2>&1 &
        until_so 20 test -s "$dir/off" || fail "the power cycle does not start"
        kill -KILL "$(cat "$dir/off")"
        until_so 10 test -e "$dir/on" || fail "the power cycle of a killed mpjoule left the board off"
        sed -i 's/power_cycle: .*/power_cycle: exit 4/' "$MPJOULE_BOARDS"
        line
        outcome 125 'the power_cycle command of tile0 failed with status 4: exit 4' \
            run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        cp "$dir/starting" "$MPJOULE_BOARDS"
        sed -i "s/start: .*/start: 'kill -TERM \$PPID; sleep 987'/" "$MPJOULE_BOARDS"
        line
        outcome 130 'interrupted' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        # a line on which hardly a frame arrives is named, not the program
        cp "$MPJOULE_BOARDS" "$dir/hanging"
        boards 'boot: command'
        line --seed 3 --bit-error 2e-3 --rate 38400
        outcome 120 'the line damages frames, [0-9]* of [0-9]*: check cable' \
            run --target tile0 --timeout 20 -o "$dir/x.mpj" "$APPS/matmul.elf" -- 64 float 30
        power_off
        cp "$dir/hanging" "$MPJOULE_BOARDS"
        # our stdin is not the start command's
        sed -i "s#start: .*#start: cat >$dir/ate; env -u LD_PRELOAD $dir/start#" "$MPJOULE_BOARDS"
        line
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf" <<<'a mark'
        [ ! -s "$dir/ate" ] || fail "the start command ate stdin: $(cat "$dir/ate")"
        sed -i 's/start: .*/start: "true"/' "$MPJOULE_BOARDS"
        line
        outcome 118 'no HELLO from the target' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        boards 'boot: command'
        ;;
    selftest)
        line
        selftest tile0
        grep -q '^line.rate  *\(ok  *921600\|differs  *115200\) ' "$dir/out" || fail "no rate"
        grep -q '^line.from_board  *ok  *16384' "$dir/out" || fail "no pattern"
        outcome 117 'no serial port' selftest /dev/ttyNONE9
        # damage that the link repairs is told, and nothing else is
        line --seed 6 --bit-error 1e-4 --drop 1e-4
        outcome 1 'line.damaged  *differs' selftest tile0
        ! grep -v '^line\.' "$dir/out" | grep -q ' differs \| fails ' || fail "other items, too"
        grep -q 'edit the line of bit_rate in boards.yaml' "$dir/out" || fail "no advice"
        grep -q '^line.from_board  *ok  *16384' "$dir/out" || fail "the pattern came back wrong"
        line --noise 3000 # a banner before the firmware speaks is not the line's fault
        selftest tile0
        line --stall 0.02 --stall-ms 2500 # nor is what the firmware tells a person while no host answers
        selftest tile0
        ;;
    gate)
        # A board's repetitions have a spread: what lies within is not worse, whatever the limit. Nothing is kept.
        cd "$dir"
        printf 'int main(void) { for (volatile int i = 0; i < N; i++) ; return 0; }\n' >g.c
        gate() { # N STATUS WORD [options]
            printf 'limits: {time: 0 %%, energy: 5 %%}\nprograms:\n  g:\n    sources: [g.c]\n    compiler: -O2 -DN=%s\n    run: {sample-ms: 1}\n' "$1" >gate.yaml
            outcome "$2" "$3" gate --target tile0 --repeat 3 -o json=gate.json "${@:4}"
        }
        line --stay --seed 11 --bit-error 5e-5
        gate 200000 0 '1 ok' --update
        grep -q '"samples": 3' baseline.json || fail "not three repetitions: $(cat baseline.json)"
        grep -q '"target": "tile0"' baseline.json || fail "another target"
        ! grep -q functions baseline.json || fail "functions of a board"
        gate 200000 0 '1 ok'
        grep -q '"kept": 0' gate.json || fail "a board's runs are kept"
        gate 200100 0 '1 ok'
        gate 230000 1 'REGRESSION g: time'
        outcome 125 'the target tile0, this with sim' gate --target sim
        ;;
    campaign)
        # Programs one after the other, each pass with the board started anew; interrupted, it goes
        # on; what was measured is what the emulator measures without a line.
        printf '%s\n' 'idle|wait|idle.elf|1 40' 'matmul|cpu|matmul.elf|48 float 6' \
            'chase|memory|stream_chase.elf|64 1' >"$dir/list"
        campaign=(model campaign --target tile0 --model mprofiler --programs "$dir/list" -o "$dir/b.mpc")
        line --stay --seed 8 --bit-error 5e-5 --drop 1e-4
        # the fourth start of the board interrupts it
        board_start "" "echo x >>$dir/starts; [ \$(wc -l <$dir/starts) -ne 4 ] || kill -TERM \$PPID" \
            -no-reboot -kernel "\"\$MPJOULE_ELF\""
        outcome 130 'run the same command again to resume' "${campaign[@]}" --quiet
        [ "$(sqlite3 "$dir/b.mpc" 'SELECT count(*) FROM run')" -eq 3 ] || fail "not three passes"
        line --stay --seed 9 --bit-error 5e-5 --drop 1e-4
        outcome 0 '3 of 3 programs complete' "${campaign[@]}"
        "$MPJOULE" model campaign --model mprofiler --programs "$dir/list" -o "$dir/s.mpc" --quiet 2>/dev/null ||
            fail "the same on the emulator"
        for set in b s; do
            sqlite3 "$dir/$set.mpc" "SELECT program, sum(value) FROM observation WHERE event = 'instr'
                GROUP BY program ORDER BY program" >"$dir/$set.instr"
        done
        # The line's interrupts make for other waits, which are polls at first (of core 0, 4 % of chase's
        # instructions): nearly the same.
        paste "$dir/b.instr" "$dir/s.instr"
        paste -d'|' "$dir/b.instr" "$dir/s.instr" | awk -F'|' '{ d = ($2 - $4) / $4
            if (d * d > 0.02 * 0.02) { print; bad = 1 } } END { exit bad || NR != 3 }' ||
            fail "other counts on the board"
        [ "$(sqlite3 "$dir/b.mpc" "SELECT value FROM meta WHERE key = 'target'")" = tile0 ] || fail "label"
        outcome 0 '^chase ' model verify mprofiler "$dir/b.mpc"
        outcome 125 'no model was fitted to target tile0' run --target tile0 --model default \
            -o "$dir/x.mpj" "$APPS/hello.elf"
        line --stay
        outcome 0 '^Model  *mprofiler: [0-9.]* mJ' run --target tile0 --model mprofiler -o "$dir/x.mpj" \
            "$APPS/matmul.elf" -- 48 float 6
        ;;
    locks)
        line --stay
        outcome 0 'tile0 .*attached *free' boards
        mkdir -p "$MPJOULE_LOCKS"
        mpjoule run --target tile0 -o "$dir/held.mpj" --timeout 110 "$APPS/hang.elf" >/dev/null 2>&1 &
        holder=$!
        until_so 60 taken || fail "not taken: $(mpjoule boards)"
        outcome 0 '"free": false' boards --json
        outcome 117 'tile0 is taken by .*process [0-9]* (mpjoule run) since' \
            run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        for words in 'INT sweep --cores 2,4' 'TERM tune --cores 2,4'; do
            read -r signal words <<<"$words"
            # shellcheck disable=SC2086 # several words
            timeout -s KILL 60 "$MPJOULE" $words --target tile0 --wait 3600 -o "$dir/waits" "$APPS/hello.elf" >"$dir/out" 2>"$dir/err" &
            waiter=$!
            until_so 20 waits || fail "does not wait: $words: $(cat "$dir/err")"
            kill -s "$signal" "$waiter"
            got=0
            wait "$waiter" || got=$?
            { [ "$got" -eq 130 ] && grep -q 'interrupted' "$dir/err"; } || fail "status $got after $signal: $words: $(cat "$dir/err")"
            ! waits || fail "its turn stays: $words"
        done
        kill -KILL "$(mpjoule boards | sed -n 's/.*process \([0-9]*\).*/\1/p')"
        wait "$holder" 2>/dev/null || true
        power_off
        outcome 0 'tile0 .*attached *free' boards
        line
        outcome 0 'hello: 4 cores' run --target tile0 --wait 5 -o "$dir/x.mpj" "$APPS/hello.elf"
        ;;
    ports)
        # Terminal programs and we leave each other alone: by the lock in $MPJOULE_PORT_LOCKS ...
        lock=$MPJOULE_PORT_LOCKS/LCK..ttyTILE0
        sleep 987 & # a program that has the port
        other=$!
        printf '%10d\n' "$other" >"$lock"
        line --stay
        outcome 117 "ttyTILE0 is held by process $other (sleep), as $lock says" \
            run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        [ "$(cat "$lock")" -eq "$other" ] || fail "another's lock is gone"
        outcome 0 "attached *taken by process $other (sleep), as $lock says" boards
        outcome 0 '"free": false' boards --json
        (sleep 2 && kill "$other") &
        outcome 0 'hello: 4 cores' run --target tile0 --wait 60 -o "$dir/x.mpj" "$APPS/hello.elf"
        wait "$other" 2>/dev/null || true
        sed "s#/dev/ttyTILE0#\"/dev/tty\\\\e[31mX\"#" "$MPJOULE_BOARDS" >"$dir/raw.yaml"
        outcome 0 'tile0 .*\[31mX' boards --boards "$dir/raw.yaml"
        ! grep -q $'\033' "$dir/out" || fail "a port's name commands the terminal"
        [ ! -e "$lock" ] || fail "the lock stays after the run"
        # ... by flock(), as tio and picocom do ...
        line --stay
        at=$(readlink "$dir/pty")
        flocks "$at"
        sed "s#/dev/ttyTILE0#$at#" "$MPJOULE_BOARDS" >"$dir/terminal.yaml"
        outcome 117 "$at is held by .*, process $other (python3)" run --target tile0 --boards "$dir/terminal.yaml" -o "$dir/x.mpj" "$APPS/hello.elf"
        outcome 117 "ttyTILE0 is held by " run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        outcome 0 "attached *taken by .*, process $other (python3)" boards --boards "$dir/terminal.yaml"
        outcome 0 '"free": false' boards --json --boards "$dir/terminal.yaml"
        (sleep 2 && kill "$other") &
        outcome 0 'hello: 4 cores' run --target tile0 --boards "$dir/terminal.yaml" --wait 60 -o "$dir/x.mpj" "$APPS/hello.elf"
        wait "$other" 2>/dev/null || true
        # ... and by the terminal itself: who is not root cannot open it
        line --stay
        mpjoule run --target tile0 -o "$dir/held.mpj" --timeout 110 "$APPS/hang.elf" >/dev/null 2>&1 &
        until_so 60 test -s "$lock" || fail "no lock"
        holder=$(($(cat "$lock")))
        [ "$(cat "/proc/$holder/comm")" = mpjoule ] || fail "the lock names $holder"
        [ "$(wc -c <"$lock")" -eq 11 ] || fail "the lock has $(wc -c <"$lock") bytes"
        until_so 60 taken || fail "not taken"
        until_so 10 flocked "$(readlink "$dir/pty")" || fail "a program with flock() could take the port"
        chmod 666 "$(readlink "$dir/pty")"
        plain=(env)
        [ "$(id -u)" -ne 0 ] || plain=(setpriv --reuid 65534 --regid 65534 --clear-groups)
        until_so 10 refuses || fail "another process opens the port: $(cat "$dir/opened")"
        # a board's second user without our folder of locks is told by the port's
        MPJOULE_LOCKS=$dir/locks2 outcome 117 "ttyTILE0 is held by process $holder (mpjoule)" \
            run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        # after kill -9 the lock is nobody's
        kill -KILL "$holder"
        power_off
        [ -e "$lock" ] || fail "who removed the lock?"
        line
        outcome 0 'hello: 4 cores' run --target tile0 -o "$dir/x.mpj" "$APPS/hello.elf"
        [ ! -e "$lock" ] || fail "the lock stays"
        ;;
    *)
        echo "no case $part" >&2
        exit 2
        ;;
    esac
done
finish "all of: $*"
