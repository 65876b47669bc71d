#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mpjoule boards --emulate: the emulated board as a reader of the manual has it, without any preloaded library.
# usage: emulate.sh CASE...   (environment: harness.sh)
# cases: terminal tcp ram faults cuts command several ends lost quiet tags shared health hostile errors
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder
LEASH=${LEASH:-$root/build/asan/tests/hil/leash}
export MPJOULE_FIRMWARE=$APPS/.. MPJOULE_QEMU=$QEMU TMPDIR=$dir/tmp XDG_STATE_HOME=$dir/state MPJOULE_LOCKS=$dir/locks MPJOULE_PORT_LOCKS=$dir/ports
mkdir "$TMPDIR" "$MPJOULE_PORT_LOCKS"
board=
# shellcheck disable=SC2317 # called when the test ends
leave() {
    local status=$?
    [ -z "$board" ] || kill -9 "$board" 2>/dev/null || true
    rm -rf "$dir"
    exit "$status"
}
trap leave EXIT

until_so() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.05
    done
}

# offer OPTIONS...: a board in the background; $port is what it prints, $list its list.
offer() {
    rm -f "$dir/events"
    "$LEASH" $$ "$MPJOULE" boards --emulate "$@" >"$dir/port" 2>"$dir/events" &
    board=$!
    until_so 60 grep -qs 'Ctrl-C ends' "$dir/events" || die "no board: $(cat "$dir/events")"
    port=$(head -n 1 "$dir/port")
    MPJOULE_BOARDS=$(sed -n 's/.*MPJOULE_BOARDS=\([^;]*\);.*/\1/p' "$dir/events")
    export MPJOULE_BOARDS
}
# withdraw [SIGNAL]: it ends with status 0, and leaves nothing.
withdraw() {
    local got=0
    kill "-${1:-TERM}" "$board"
    wait "$board" || got=$?
    board=
    [ "$got" -eq 0 ] || fail "status $got after ${1:-TERM}"
    [ -z "$(ls "$TMPDIR")" ] || fail "left in the folder of temporary files: $(ls "$TMPDIR")"
    if [ -L "$dir/tile" ] || [ -e "$dir/tile.power" ]; then fail "the link is left"; fi
}
runs() { ends 0 'hello: 4 cores' "$MPJOULE" run --target emulated -o "$dir/x.mpj" --quiet "$@" "$APPS/hello.elf"; }

# begins NAME [options]: a program that does not end by itself, in the background; $pid
begins() {
    local name=$1
    shift
    rm -f "$dir/$name"
    "$MPJOULE" run --target emulated -o "$dir/$name.mpj" --quiet "$@" "$APPS/hang.elf" >"$dir/$name" 2>"$dir/$name.err" &
    pid=$!
    until_so 60 test -s "$dir/$name" || die "no program: $(cat "$dir/$name.err")"
}
# asks_to NAME [options]: a program that reads the pipe at descriptor 3, in the background; $pid
asks_to() {
    local name=$1
    shift
    "$MPJOULE" run --target emulated -o "$dir/$name.mpj" --quiet --stdin - "$@" "$dir/asks.elf" <&3 >"$dir/$name" 2>"$dir/$name.err" &
    pid=$!
    until_so 60 test -s "$dir/$name" || die "no program: $(cat "$dir/$name.err")"
}
# ended NAME PID STATUS WORDS [SECONDS]: so ends such a program, and so soon
ended() {
    local got=0 since=$SECONDS
    wait "$2" || got=$?
    [ "$got" -eq "$3" ] || fail "$1: status $got: $(cat "$dir/$1.err")"
    grep -q "$4" "$dir/$1.err" || fail "$1: $(cat "$dir/$1.err")"
    [ $((SECONDS - since)) -le "${5:-30}" ] || fail "$1: only after $((SECONDS - since)) s"
}
# emulators: the process of the newest one
emulator() { pgrep -n -f -- "-chardev socket,id=line,path=$TMPDIR/"; }

for part in "$@"; do
    case $part in
    terminal)
        offer
        [ -c "$port" ] || fail "no terminal: $port"
        ends 0 'no program' "$MPJOULE" flash --info emulated
        runs
        ends 0 "emulated  *$port  *921600  attached free" "$MPJOULE" boards
        withdraw INT
        # a flash of the user's: what was written is there again, and starts by itself
        offer --nor "$dir/nor.bin" --link "$dir/tile" --cold-ram
        ends 0 'program hello.elf in slot 1' "$MPJOULE" flash emulated "$APPS/hello.elf"
        withdraw
        offer --nor "$dir/nor.bin" --link tile
        ends 0 'program hello.elf in slot 1' "$MPJOULE" flash --info emulated
        runs
        "$MPJOULE" boards --restart tile || fail "not restarted: $?"
        runs
        withdraw
        ;;
    tcp)
        offer --listen 0
        case $port in tcp://127.0.0.1:*) ;; *) fail "no address: $port" ;; esac
        runs
        # a second host is refused while the first is there
        exec 3<>"/dev/tcp/127.0.0.1/${port##*:}"
        sleep 0.2
        for _ in 1 2 3; do # a busy machine's refusal may come later than the host waits for one: status 120
            got=0
            "$MPJOULE" run --target emulated -o "$dir/x.mpj" "$APPS/hello.elf" >"$dir/out" 2>"$dir/err" || got=$?
            [ "$got" -eq 120 ] || break
        done
        [ "$got" -eq 117 ] || fail "a second host: status $got: $(cat "$dir/err")"
        grep -q 'another host uses this board' "$dir/err" || fail "a second host: $(cat "$dir/err")"
        # it is not when the first has gone, also if the board learns of both at once
        kill -STOP "$board"
        exec 3>&-
        exec 3<>"/dev/tcp/127.0.0.1/${port##*:}"
        kill -CONT "$board"
        ! read -r -t 3 -u 3 line || fail "the next host: $line"
        exec 3>&-
        withdraw
        ;;
    ram)
        offer --ram --link "$dir/tile"
        ends 125 'name a program for its RAM' "$MPJOULE" boards --restart "$dir/tile"
        runs
        runs # a reset leaves nothing in RAM: the list's start command brings it again
        grep -q 'the program has ended: the board is off' "$dir/events" || fail "no word of its end: $(cat "$dir/events")"
        withdraw
        ;;
    faults)
        # the same log as on a good line
        offer --ram --link "$dir/tile"
        runs --sample-ms 0.1
        cp x.mplog clean.mplog
        withdraw
        for faults in '--bit-errors 1e-4' '--drop 1e-3' '--duplicate 1e-3' '--delay 0.02 --delay-ms 300' '--noise 5000' \
            '--unplug 300 --unplug-ms 700' '--rate 115200 --seed 3 --bit-errors 1e-5'; do
            # shellcheck disable=SC2086 # several words
            offer --ram --link "$dir/tile" $faults
            # the seed is the chip's, too
            case $faults in *--seed*) runs ;; *) runs --sample-ms 0.1 && { cmp x.mplog clean.mplog || fail "$faults: another log"; } ;; esac
            withdraw
        done
        ;;
    cuts) # the supply fails in the middle of an upload, then of a write: the next one comes to its end
        offer --nor "$dir/nor.bin" --link "$dir/tile" --power-cut 60000 --cuts 2
        tries=0
        until "$MPJOULE" flash emulated "$APPS/hello.elf" >"$dir/out" 2>"$dir/err"; do
            tries=$((tries + 1))
            [ "$tries" -lt 6 ] || die "six times: $(cat "$dir/err")"
        done
        grep -q 'power cut 2 of 2' "$dir/events" || fail "no power cut: $(cat "$dir/events")"
        ends 0 'program hello.elf in slot' "$MPJOULE" flash --info emulated
        echo "$tries failed"
        withdraw
        ;;
    command) # while a command runs: its status, and the board in its environment
        ends 0 'no program' "$MPJOULE" board --emulate -- "$MPJOULE" flash --info emulated
        # shellcheck disable=SC2016 # sh expands it
        ends 7 '^/dev/pts/[0-9]*$' "$MPJOULE" boards --emulate -- sh -c 'echo "$MPJOULE_PORT"; exit 7'
        ends 125 'cannot run ./nothing' "$MPJOULE" boards --emulate -- ./nothing
        # its emulator dies: the command is told to end and waited for, or ended when it does not obey
        cat >dies.sh <<'END'
trap "$1" TERM
: >said
echo $$ >its_pid
for pid in $(cat "/proc/$PPID/task/$PPID/children"); do
    [ "$pid" = $$ ] || kill -9 "$pid"
done
for _ in $(seq 600); do sleep 0.1; done
END
        for on_term in 'sleep 2; echo ended >said; exit 3' ''; do
            ends 125 'emulator was ended by signal 9' "$MPJOULE" boards --emulate -- sh dies.sh "$on_term"
            ! kill -0 "$(cat its_pid)" 2>/dev/null || fail "the command is left"
            [ -z "$on_term" ] || [ "$(cat said)" = ended ] || fail "the command was not waited for: $(cat said)"
        done
        [ -z "$(ls "$TMPDIR")" ] || fail "left: $(ls "$TMPDIR")"
        ;;
    several)
        offer --link "$dir/one"
        one=$board
        first=$MPJOULE_BOARDS
        offer --link "$dir/two"
        "$MPJOULE" run --target emulated --boards "$first" -o "$dir/y.mpj" --quiet "$APPS/hello.elf" >"$dir/hello" &
        runs
        wait $! || fail "the first board's run"
        cmp "$dir/out" "$dir/hello" || fail "two boards, two outputs"
        # a link has one board
        ends 117 'another emulated board uses' "$MPJOULE" boards --emulate --link "$dir/two"
        [ -e "$dir/two" ] || fail "the link of another board was removed"
        kill "$one"
        wait "$one" || fail "the first board: status $?"
        withdraw
        ;;
    ends) # killed: the next board with its link takes its place, and removes what it left
        offer --link "$dir/tile"
        kill -KILL "$board"
        wait "$board" 2>/dev/null || true
        # the terminal that its link names is another program's now, and is left alone
        "$LEASH" $$ python3 -c 'import os, sys, time
ends = []
while len(ends) < 50 and not (ends and os.ttyname(ends[-1][1]) == sys.argv[1]):
    ends.append(os.openpty())
print("it is" if os.ttyname(ends[-1][1]) == sys.argv[1] else "another has it", flush=True)
time.sleep(987)' "$(readlink "$dir/tile")" >"$dir/reused" &
        other=$!
        until_so 60 test -s "$dir/reused" || fail "no terminals"
        ends 117 'no emulated board at' "$MPJOULE" run --target emulated -o "$dir/x.mpj" "$APPS/hello.elf"
        kill "$other"
        wait "$other" 2>/dev/null || true
        offer --link "$dir/tile"
        runs
        # also while a program runs
        "$MPJOULE" run --target emulated -o "$dir/h.mpj" --quiet "$APPS/hang.elf" >"$dir/hang" 2>&1 &
        hanging=$!
        until_so 60 test -s "$dir/hang" || fail "no program"
        withdraw
        got=0
        wait "$hanging" || got=$?
        [ "$got" -eq 120 ] || fail "a run whose board ends: status $got: $(cat "$dir/hang")"
        ;;
    lost) # a board that dies, a cable that is pulled, a board that resets: not the program's fault
        offer --link "$dir/tile"
        tile=$board
        begins dies --retries 1 --timeout 0
        dies=$pid
        kill -STOP "$(emulator)"
        on_tile=$MPJOULE_BOARDS
        offer --listen 0
        begins pulled
        kill -STOP "$board"
        pulled_run=$pid pulled=$board
        # also while the program waits for input; one that waits as long and then has it runs on
        "$MPJOULE" cc -O2 "$root/tests/hil/asks.c" -o "$dir/asks.elf"
        mkfifo "$dir/typed"
        exec 3<>"$dir/typed"
        offer --ram --link "$dir/stays"
        stays=$board on_stays=$MPJOULE_BOARDS
        asks_to patient --timeout 0
        patient=$pid
        offer --listen 0
        asks_to gone --timeout 0
        kill -STOP "$board"
        ended gone "$pid" 120 'the board is gone.*: nothing came from it for 25 s' 120
        kill -9 "$board"
        wait "$board" 2>/dev/null || true
        rm -r "$(dirname "$MPJOULE_BOARDS")"
        echo 'now' >&3
        exec 3>&-
        wait "$patient" || fail "a program that waited: status $?: $(cat "$dir/patient.err")"
        grep -q '^4 bytes$' "$dir/patient" || fail "a program that waited: $(cat "$dir/patient")"
        MPJOULE_BOARDS=$on_stays
        ends 0 '^4 bytes$' "$MPJOULE" run --target emulated -o "$dir/asked.mpj" --quiet --stdin - "$dir/asks.elf" < <(echo 'now')
        cmp "$dir/asked.mpj" "$dir/patient.mpj" || fail "its wait is in its result"
        ended pulled "$pulled_run" 120 'the board is gone: nothing came from it for 25 s' 120
        kill -CONT "$pulled"
        kill "$pulled" "$stays"
        wait "$pulled" || fail "the board that was unplugged: status $?"
        wait "$stays" || fail "the board that waited: status $?"
        # the first one was switched off and on, and runs the program once more
        until_so 30 grep -q 'the board is gone.*; retry 1 of 1' "$dir/dies.err" || fail "not once more: $(cat "$dir/dies.err")"
        board=$tile MPJOULE_BOARDS=$on_tile
        # shellcheck disable=SC2016 # eval expands it
        until_so 60 eval '[ "$(wc -l <"$dir/dies")" -ge 2 ]' || fail "not begun again: $(cat "$dir/dies" "$dir/dies.err")"
        "$MPJOULE" boards --restart "$dir/tile" || fail "no restart"
        ended dies "$dies" 120 'restarted in the middle of the run (it lost its RAM, and is back in its loader)' 60
        # also when --timeout is over before its silence is long
        begins short --timeout 24
        kill -STOP "$(emulator)"
        ended short "$pid" 120 'the board is gone.*: nothing came from it for [0-9]* s'
        runs
        withdraw
        ;;
    tags) # any board of several, at the same time, and in turn
        for name in one two; do
            offer --link "$dir/$name"
            sed "s/id: emulated/id: $name\n    tags: [pool, $name]/; $([ "$name" = one ] || echo 1d)" "$MPJOULE_BOARDS" >>"$dir/both.yaml"
            boards="${boards:-} $board"
        done
        export MPJOULE_BOARDS=$dir/both.yaml
        ends 0 'tags: pool two' "$MPJOULE" boards
        ends 0 '"tags": "pool one"' "$MPJOULE" boards --json
        begins first --target any:pool --timeout 400
        first=$pid
        begins second --target any:pool --timeout 400
        second=$pid
        ends 0 'one .*taken by .*mpjoule any:' "$MPJOULE" boards
        ends 0 'two .*taken by .*mpjoule any:' "$MPJOULE" boards
        ends 117 'all 2 boards are taken, one by ' "$MPJOULE" run --target any:pool -o "$dir/x.mpj" "$APPS/hello.elf"
        ends 125 'no board has the tag "none"' "$MPJOULE" run --target any:none -o "$dir/x.mpj" "$APPS/hello.elf"
        { sleep 3 && kill "$first"; } & # the next one waits by then
        ends 0 'hello: 4 cores' "$MPJOULE" run --target any:pool --wait 120 --json "$dir/x.json" -o "$dir/x.mpj" --quiet "$APPS/hello.elf"
        grep -q '"target": "one"' "$dir/x.json" || fail "not the board that became free: $(grep target "$dir/x.json")"
        ended first "$first" 130 'interrupted' 60
        kill "$second"
        wait "$second" || true
        # a campaign measures on as many at a time as are free
        printf '%s\n' 'idle|wait|idle.elf|1 40' 'matmul|cpu|matmul.elf|48 float 6' >"$dir/list"
        campaign=("$MPJOULE" model campaign --target any:pool --model mprofiler --programs "$dir/list")
        "${campaign[@]}" -j 4 -o "$dir/both.mpc" >"$dir/campaign.out" 2>"$dir/campaign.err" &
        both=$!
        # shellcheck disable=SC2016 # eval expands it
        until_so 60 eval '"$MPJOULE" boards | grep -q "two .*taken by" && "$MPJOULE" boards | grep -q "one .*taken by"' || fail "not both boards"
        # shellcheck disable=SC2016 # eval expands it
        until_so 120 eval '[ "$(find "$dir/both.mpc.work" -name "*.mplog.new" 2>/dev/null | wc -l)" -eq 2 ]' || fail "not two runs at a time"
        wait "$both" || fail "campaign: status $?: $(cat "$dir/campaign.err")"
        grep -q '2 of 2 programs complete' "$dir/campaign.out" || fail "campaign: $(cat "$dir/campaign.out")"
        [ "$(sqlite3 "$dir/both.mpc" "SELECT value FROM meta WHERE key = 'target'")" = any:pool ] || fail "another target"
        ends 0 'one .*free' "$MPJOULE" boards
        ends 0 'two .*free' "$MPJOULE" boards
        # one of another calibration is not like the others
        sed '0,/tags/s//calibration: epro-mp\n    tags/' "$MPJOULE_BOARDS" >"$dir/mixed.yaml"
        ends 125 'one and two have the same tag and different calibrations' "${campaign[@]}" --boards "$dir/mixed.yaml" -j 2 -o "$dir/mixed.mpc"
        # ... if the command does not name one for all; a board whose port a terminal program has gets no run
        python3 -c 'import fcntl, os, sys, time
fcntl.flock(os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY), fcntl.LOCK_EX)
time.sleep(987)' "$(readlink -f "$dir/one")" &
        other=$!
        # shellcheck disable=SC2016 # eval expands it
        until_so 60 eval '"$MPJOULE" boards | grep -q "^one .*taken by"' || fail "not taken: $("$MPJOULE" boards)"
        ends 0 '2 of 2 programs complete' "${campaign[@]}" --boards "$dir/mixed.yaml" --calibration mprofiler -j 2 -o "$dir/mixed.mpc"
        ! grep -q 'held' "$dir/err" || fail "a board whose port is taken had runs: $(cat "$dir/err")"
        kill "$other"
        wait "$other" 2>/dev/null || true
        for board in $boards; do
            kill "$board"
            wait "$board" || true
        done
        board=
        ;;
    shared) # sweep, gate, tune and campaign share the runs among boards; one fails, and the others make its runs
        for name in one two; do
            offer --link "$dir/$name"
            sed "s/id: emulated/id: $name\n    tags: [pool, $name]/; $([ "$name" = one ] || echo 1d)" "$MPJOULE_BOARDS" >>"$dir/both.yaml"
            eval "$name=\$board"
            boards="${boards:-} $board"
        done
        export MPJOULE_BOARDS=$dir/both.yaml
        cd "$dir"
        # no figures, which differ from run to run: which points there are, of which program and options
        points() { sed 's/: [0-9.e-]*\(,*\)$/\1/' "$1"; }
        sweep=("$MPJOULE" sweep --quiet --cores '2,4' --env 'X=a,b' --json -)
        "${sweep[@]}" --target one -o alone "$APPS/matmul.elf" -- 48 float 3 >alone.json || fail "sweep of one board"
        for how in any:pool two,one; do
            rm -rf both
            "${sweep[@]}" --target "$how" -o both "$APPS/matmul.elf" -- 48 float 3 >both.json || fail "sweep of two boards, $how"
            diff <(points alone.json | sed '/best/,$d') <(points both.json | sed '/best/,$d') || fail "two boards, $how: another sweep"
            for name in one two; do
                grep -q "\"target\": \"$name\"" both/*.json || fail "$how: no run on $name"
            done
        done
        ends 125 'no board is called "three"' "${sweep[@]}" --target one,three -o both "$APPS/matmul.elf" -- 48 float 3
        ends 125 'one is twice in "one,two,one"' "${sweep[@]}" --target one,two,one -o both "$APPS/matmul.elf" -- 48 float 3
        touch -d '2001-01-01' both/*.json
        "${sweep[@]}" --target two,one --wait 5 -o both "$APPS/matmul.elf" -- 48 float 3 >again.json || fail "sweep: again"
        cmp both.json again.json || fail "another table"
        [ -z "$(find both -name '*.json' -newermt '2002-01-01')" ] || fail "a finished run was repeated"
        ends 125 'assumptions are those of the emulator' "$MPJOULE" sweep --assumptions --cores 1 --target any:pool "$APPS/matmul.elf"
        ends 125 'engine local' "$MPJOULE" sweep --engine slurm --cores 1 --target any:pool "$APPS/matmul.elf"
        ends 125 'omit --stop' "$MPJOULE" tune --stop --cores '1,2' --target any:pool "$APPS/matmul.elf"

        # what fails by itself fails on every board, and is no board's fault
        printf 'int main(void) { return 3; }\n' >three.c
        printf 'programs:\n  three:\n    sources: [three.c]\n' >three.yaml
        ends 125 'exit status 3' "$MPJOULE" gate -c three.yaml --target any:pool --repeat 2
        # ... nor does a status that mpjoule has for boards
        printf 'int main(void) { return 118; }\n' >own.c
        "$MPJOULE" cc own.c -o own.elf
        "$MPJOULE" sweep --target two --cores '1,2,3,4' -o own own.elf >own.out 2>&1 || true
        [ "$(grep -c 'exit status 118' own.out)" -eq 4 ] || fail "a program's own status: $(cat own.out)"
        ! grep -q 'no board is left' own.out || fail "a program's status took the board away"
        ends 0 'two .*free' "$MPJOULE" boards
        ! "$MPJOULE" boards | grep -q quarantine || fail "a program put a board into quarantine"

        # commands of two terminals, in turn: the second waits until the first has ended
        printf 'int main(void) { for (volatile int i = 0; i < 200000; i++) ; return 0; }\n' >g.c
        printf 'limits: {time: 5 %%}\nprograms:\n  g:\n    sources: [g.c]\n    run: {sample-ms: 1}\n  h:\n    sources: [g.c]\n    compiler: -O2\n' >gate.yaml
        gate=("$MPJOULE" gate --target any:pool --repeat 4 --cache cache)
        "${gate[@]}" --update >first 2>&1 &
        first=$!
        # shellcheck disable=SC2016 # eval expands it
        until_so 60 eval '"$MPJOULE" boards | grep -q "^two .*taken by .*mpjoule any:"' || fail "not both boards: $("$MPJOULE" boards)"
        ends 117 'all 2 boards are taken' "$MPJOULE" run --target any:pool -o x.mpj "$APPS/hello.elf"
        ends 0 'best' "$MPJOULE" tune --target any:pool --wait 200 --cores '1,2' -O time "$APPS/matmul.elf" -- 48 float 3
        wait "$first" || fail "gate: status $?: $(cat first)"
        [ "$(grep -c '"target": "any:pool"' baseline.json)" = 2 ] || fail "another target: $(cat baseline.json)"
        [ "$(grep -c '"samples": 4' baseline.json)" = 2 ] || fail "not four repetitions"

        # two dies in the middle of a run
        "${gate[@]}" --update --baseline renewed.json >second 2>second.err &
        second=$!
        # shellcheck disable=SC2016 # eval expands it
        until_so 60 eval '[ "$(find cache -name "*.mplog.new" | wc -l)" -eq 2 ]' || fail "not two runs at a time"
        # shellcheck disable=SC2154 # set by eval
        kill -9 "$two"
        wait "$second" || fail "gate: status $?: $(cat second second.err)"
        grep -q '2 ok' second || fail "gate: $(cat second)"
        grep -q 'two is in quarantine (3 sessions in a row failed, the last one: .*); other boards make its runs' second.err ||
            fail "it does not say why: $(cat second.err)"
        [ "$(grep -c '"samples": 4' renewed.json)" = 2 ] || fail "not four repetitions"
        ends 0 'in quarantine: 3 sessions in a row failed' "$MPJOULE" boards

        # a campaign: each pass is there
        "$MPJOULE" boards --lift two
        printf '%s\n' 'idle|wait|idle.elf|1 40' 'matmul|cpu|matmul.elf|48 float 6' >list
        "$MPJOULE" model campaign --target any:pool --model mprofiler --programs list -j 2 -o a.mpc >out 2>err ||
            fail "campaign: status $?: $(cat out err)"
        grep -q '2 of 2 programs complete' out || fail "campaign: $(cat out)"
        grep -q 'two is in quarantine' err || fail "campaign: it does not say why: $(cat err)"

        # no board left: what is finished stays, and the reason is said
        # shellcheck disable=SC2154 # set by eval
        kill -9 "$one"
        ends 125 'no board is left: one is in quarantine (3 sessions in a row' \
            "${sweep[@]}" --target any:pool -o none "$APPS/matmul.elf" -- 48 float 4
        for name in $boards; do
            wait "$name" || true
        done
        board=
        ;;
    health) # a board that fails again and again is not chosen any longer
        offer --link "$dir/tile"
        sed "s/id: emulated/id: tile0\n    tags: pool/" "$MPJOULE_BOARDS" >"$dir/pool.yaml"
        export MPJOULE_BOARDS=$dir/pool.yaml
        ends 125 'no session of this user with tile0 is known' "$MPJOULE" boards --health tile0
        runs --target any:pool
        for n in 1 2 3; do
            begins "lost$n" --target any:pool
            "$MPJOULE" boards --restart "$dir/tile" || fail "no restart"
            ended "lost$n" "$pid" 120 'restarted in the middle of the run'
        done
        ends 125 'every board with the tag "pool" is in quarantine (3 sessions in a row failed, the last one: the target restarted' \
            "$MPJOULE" run --target any:pool --wait 10 -o "$dir/x.mpj" "$APPS/hello.elf"
        ends 0 'in quarantine: 3 sessions in a row failed' "$MPJOULE" boards
        ends 0 '"quarantine": "3 sessions' "$MPJOULE" boards --json
        runs --target tile0 # who names it gets it
        "$MPJOULE" boards --health tile0 >"$dir/lines" || fail "no lines"
        python3 - "$dir/lines" <<'PY' || fail "not their lines: $(cat "$dir/lines")"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
sys.exit([line["ok"] for line in lines] != [True, False, False, False, True] or lines[4]["frames"] < 5
         or "restarted" not in lines[1]["error"] or "error" in lines[0])
PY
        ends 125 'in quarantine' "$MPJOULE" run --target any:pool -o "$dir/x.mpj" "$APPS/hello.elf"
        "$MPJOULE" boards --lift tile0 || fail "not lifted"
        runs --target any:pool
        "$MPJOULE" boards --quarantine 'tile0=smells of smoke' || fail "not put into quarantine"
        ends 125 '(smells of smoke)' "$MPJOULE" run --target any:pool -o "$dir/x.mpj" "$APPS/hello.elf"
        ends 125 'takes BOARD=REASON' "$MPJOULE" boards --quarantine tile0
        ends 125 'no board is called' "$MPJOULE" boards --lift nothing
        "$MPJOULE" boards --lift tile0
        withdraw
        ;;
    hostile) # names that are commands, and other users of the machine
        mkdir "$dir/it's \$(touch pwned); touch pwned"
        cd "$dir/it's \$(touch pwned); touch pwned"
        umask 0
        offer --link tile
        "$MPJOULE" run --target emulated -o "$dir/h.mpj" --quiet --timeout 5 "$APPS/hang.elf" -- masked >"$dir/out" 2>&1 || true
        kill -STOP "$(emulator)" # its loader does not answer: the list's command switches it off and on
        runs
        grep -q 'switched off and on' "$dir/events" || fail "the command was not executed: $(cat "$dir/events")"
        [ -z "$(find "$dir" -name pwned)" ] || fail "a folder's name was executed"
        [ "$(stat -c %a tile.power)" = 700 ] || fail "others may switch the board: $(stat -c %A tile.power)"
        for file in "$(dirname "$MPJOULE_BOARDS")" "$TMPDIR"/mpjoule.*; do
            [ "$(stat -c %a "$file")" = 700 ] || fail "others may enter $file"
        done
        umask 022
        cd "$dir"
        kill "$board"
        wait "$board" || fail "status $?"
        board=
        # a lock that is a hard link to a file of ours: who has the board is not written there
        offer
        echo mine >precious
        mkdir -p "$MPJOULE_LOCKS"
        rm -f "$MPJOULE_LOCKS"/*
        ln precious "$MPJOULE_LOCKS/$(tr / _ <<<"$port")"
        ends 125 'is another file, too (a hard link)' "$MPJOULE" run --target emulated -o "$dir/x.mpj" "$APPS/hello.elf"
        [ "$(cat precious)" = mine ] || fail "a lock was written into another file"
        rm "$MPJOULE_LOCKS"/*
        mkfifo "$MPJOULE_LOCKS/$(tr / _ <<<"$port")"
        ends 125 'is another file, too (a hard link), or none' "$MPJOULE" run --target emulated -o "$dir/x.mpj" "$APPS/hello.elf"
        rm "$MPJOULE_LOCKS"/*
        ln -s "$dir/precious" "$MPJOULE_LOCKS/$(tr / _ <<<"$port")"
        ends 125 'cannot open the lock' "$MPJOULE" run --target emulated -o "$dir/x.mpj" "$APPS/hello.elf"
        [ "$(cat precious)" = mine ] || fail "a lock was written through a link"
        withdraw
        ;;
    quiet) # one without anything to say is there: only --timeout ends it
        offer --ram --link "$dir/tile" ox820
        echo 'int main(void) { for (;;) ; }' >"$dir/hang.c"
        "$MPJOULE" cc --board ox820 "$dir/hang.c" -o "$dir/hang.elf" || die "not compiled"
        ends 124 'did not end within 45 s (--timeout)' "$MPJOULE" run --target emulated --timeout 45 -o "$dir/x.mpj" --quiet "$dir/hang.elf"
        withdraw
        ;;
    errors)
        ends 125 'no board is called "nothing"' "$MPJOULE" boards --emulate nothing
        ends 125 'cannot open the flash' "$MPJOULE" boards --emulate --nor /nowhere/nor.bin
        echo mine >file
        ends 125 'file is not a flash of 64 MB: it has 5 bytes' "$MPJOULE" boards --emulate --nor file
        ends 117 'is not a link to a terminal' "$MPJOULE" boards --emulate --link file
        [ "$(cat file)" = mine ] || fail "a file was replaced"
        ends 117 'no emulated board at' "$MPJOULE" boards --restart nowhere
        for where in here 127.0.0.1:99999 :5000 '' '[::1:5000'; do
            ends 125 'is not \[HOST:\]PORT' "$MPJOULE" boards --emulate --listen "$where"
        done
        printf 'boards:\n  - {id: a, port: %s}\n' "$dir/file" >list.yaml
        ends 0 '^a .* not a serial port free' "$MPJOULE" boards --boards list.yaml
        ends 0 '"attached": false' "$MPJOULE" boards --boards list.yaml --json
        ends 125 'exclude each other' "$MPJOULE" boards --emulate --listen 0 --link x
        ends 125 'needs --link' "$MPJOULE" boards --emulate --ram
        ends 125 'only --emulate and --restart' "$MPJOULE" boards x
        ends 125 'bit-errors' "$MPJOULE" boards --emulate --bit-errors 2
        ends 125 'cannot read the calibration' "$MPJOULE" boards --emulate --calibration nothing
        MPJOULE_QEMU=$dir/none ends 125 'emulator .* is missing' "$MPJOULE" boards --emulate
        mkfifo "$dir/fifo"
        ends 125 'fifo is not a file' timeout 60 "$MPJOULE" boards --emulate --nor "$dir/fifo"
        # a disk of 1 MB, where we may mount one, has no room for a new flash: nothing is kept that looks like one
        mkdir small
        : >"$TMPDIR/old"
        ln -s small/linked link
        # shellcheck disable=SC2016 # expanded by the shell in the namespace
        small=(unshare -rm sh -c 'mount -t tmpfs -o size=1m none small && cp "$TMPDIR/old" small && "$@"; s=$?; cat small/* >left; exit $s' sh)
        # shellcheck disable=SC2016
        "${small[@]}" true 2>/dev/null || small=(sh -c 'ulimit -f 1000; "$@"; s=$?; cat small/* >left; exit $s' sh)
        for nor in small/new small/old link; do
            ends 125 "cannot write $nor" "${small[@]}" timeout 60 "$MPJOULE" boards --emulate --nor "$nor"
            [ ! -s left ] || fail "--nor $nor on a full disk left $(stat -c %s left) bytes"
        done
        rm "$TMPDIR/old"
        # one flash, one board
        offer --nor "$dir/nor.bin"
        ends 117 'another emulated board uses the flash' "$MPJOULE" boards --emulate --nor "$dir/nor.bin"
        withdraw
        ;;
    *) die "no case $part" ;;
    esac
done
finish "emulated boards: $*"
