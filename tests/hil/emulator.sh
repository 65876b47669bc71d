#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The emulator as a child: what it may do, and that it ends with whoever started it, however that goes.
# usage: emulator.sh CASE...   (environment: board.sh)
# cases: sandbox orphans stuck passes foreign kills
set -euo pipefail
# shellcheck source=tests/hil/board.sh
. "$(dirname "$0")/board.sh"
board_in_ram
boards 'boot: command'
export TMPDIR=$dir/tmp
mkdir "$TMPDIR"

# The emulators below a process.
emulators() { pgrep -P "$1" -x qemu-system-arm; }
# shellcheck disable=SC2317 # these are called through until_so
started() { emulators "$1" >/dev/null; }
# Dead, or dead and not yet collected.
# shellcheck disable=SC2317
dead() { ! grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null; }
# shellcheck disable=SC2317
either_dead() { dead "$1" || dead "$2"; }
# The command is there: what was before it, the shell and env, ignores SIGINT for a while.
# shellcheck disable=SC2317
is_there() { dead "$1" || [ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$(basename "$MPJOULE")" ]; }
# A program that does not end; $command and $emulator are the processes.
hang() {
    "$MPJOULE" run --timeout 600 --quiet -o "$dir/hang.mpj" "$APPS/hang.elf" >"$dir/hang.out" 2>"$dir/hang.err" &
    command=$!
    until_so 60 started "$command" || die "no emulator: $(cat "$dir/hang.err")"
    emulator=$(emulators "$command")
    until_so 60 test -s "$dir/hang.out" || die "the program does not start"
}
# No emulator of ours runs.
# shellcheck disable=SC2317
quiet() { ! pgrep -f "$TMPDIR/mpjoule\." >/dev/null; }
# ends_soon PROCESS WHAT
ends_soon() { until_so 60 dead "$1" || fail "$2 lives on after 60 s"; }

for part in "$@"; do
    case $part in
    sandbox)
        hang
        for task in "/proc/$emulator/task"/*; do
            grep -q '^Seccomp:.*2$' "$task/status" || fail "no filter in thread ${task##*/}"
            grep -q '^NoNewPrivs:.*1$' "$task/status" || fail "thread ${task##*/} may gain privileges"
        done
        kill -INT "$command"
        wait "$command" || true
        MPJOULE_SANDBOX=off hang
        grep -q '^Seccomp:.*0$' "/proc/$emulator/status" || echo "this test runs below a filter itself"
        kill -INT "$command"
        wait "$command" || true
        # it changes no result
        "$MPJOULE" run --quiet -o "$dir/in.mpj" "$APPS/matmul.elf" -- 48 float 6 >"$dir/in.out"
        MPJOULE_SANDBOX=off "$MPJOULE" run --quiet -o "$dir/off.mpj" "$APPS/matmul.elf" -- 48 float 6 >"$dir/off.out"
        cmp "$dir/in.mplog" "$dir/off.mplog" || fail "another log"
        cmp "$dir/in.out" "$dir/off.out" || fail "another output"
        # an emulator without
        printf '#!/bin/sh\necho "qemu: -sandbox on: -sandbox support is not enabled in this QEMU binary" >&2\nexit 1\n' >"$dir/bare"
        chmod +x "$dir/bare"
        ends 125 "has no sandbox here (.*): build ours, or set MPJOULE_SANDBOX=off" \
            env MPJOULE_QEMU="$dir/bare" "$MPJOULE" run -o "$dir/x.mpj" "$APPS/hello.elf"
        ;;
    orphans)
        # the command is killed: its emulator goes with it, its folder with the next command
        hang
        kill -KILL "$command"
        ends_soon "$emulator" "the emulator of a killed command"
        wait "$command" 2>/dev/null || true
        [ "$(find "$TMPDIR" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ] || fail "not one folder: $(ls "$TMPDIR")"
        hang # whose folder stays while another looks
        mine_now=$(find "$TMPDIR" -mindepth 1 -maxdepth 1)
        "$MPJOULE" run --quiet -o "$dir/x.mpj" "$APPS/hello.elf" >/dev/null
        [ "$(find "$TMPDIR" -mindepth 1 -maxdepth 1)" = "$mine_now" ] || fail "folders: $(ls "$TMPDIR")"
        kill -INT "$command"
        wait "$command" || true
        [ -z "$(ls "$TMPDIR")" ] || fail "left: $(ls "$TMPDIR")"
        # a test's script is killed: its line and its board go, although that is nobody's child
        cat >"$dir/script.sh" <<EOF
. "$(dirname "$(realpath "$0")")/board.sh"
board_in_ram
boards 'boot: command'
line --stay
mpjoule run --target tile0 -o "\$dir/x.mpj" "$APPS/hang.elf" >"\$dir/out" 2>&1 &
until_so 60 grep -q 'here I stay' "\$dir/out"
echo "\${mine[0]} \$(cat "\$dir/qemu.pid") \$! \$dir"
sleep 100
EOF
        bash "$dir/script.sh" >"$dir/script.out" 2>"$dir/script.err" &
        script=$!
        until_so 100 test -s "$dir/script.out" || die "the script: $(cat "$dir/script.err")"
        read -r its_line its_board its_command its_dir <"$dir/script.out"
        if dead "$its_line" || dead "$its_board"; then fail "no board"; fi
        kill -KILL "$script"
        wait "$script" 2>/dev/null || true
        ends_soon "$its_line" "the line of a killed script"
        ends_soon "$its_board" "the board of a killed script"
        kill -KILL "$its_command" 2>/dev/null || true
        rm -rf "$its_dir"
        ;;
    stuck)
        # It sends what is not read: SIGTERM ends it all the same, and Ctrl-C its command.
        cat >"$dir/chatter.c" <<'EOF'
#include <stdio.h>

int main(void)
{
    for (;;)
        puts("the quick brown fox jumps over the lazy dog");
}
EOF
        "$MPJOULE" cc -O2 "$dir/chatter.c" -o "$dir/chatter.elf"
        "$MPJOULE" run --timeout 600 -o "$dir/x.mpj" "$dir/chatter.elf" >"$dir/out" 2>"$dir/err" &
        command=$!
        until_so 60 test -s "$dir/out" || die "no output: $(cat "$dir/err")"
        emulator=$(emulators "$command")
        kill -STOP "$command"
        sleep 1 # the socket fills
        kill -TERM "$emulator"
        ends_soon "$emulator" "an emulator that nobody reads"
        kill -CONT "$command"
        got=0
        wait "$command" || got=$?
        [ "$got" -eq 125 ] || fail "status $got"
        mkfifo "$dir/pipe"
        sleep 987 <>"$dir/pipe" & # keeps it open and reads nothing
        reader=$!
        "$MPJOULE" run --timeout 600 -o "$dir/x.mpj" "$dir/chatter.elf" >"$dir/pipe" 2>"$dir/err" &
        command=$!
        until_so 60 started "$command" || die "no emulator"
        emulator=$(emulators "$command")
        sleep 2
        begun=$(date +%s%N)
        kill -INT "$command"
        ends_soon "$command" "a command whose output is not read"
        kill -KILL "$command" 2>/dev/null || true # should it have failed
        echo "ended $((($(date +%s%N) - begun) / 1000000)) ms after SIGINT"
        got=0
        wait "$command" || got=$?
        [ "$got" -eq 130 ] || fail "status $got: $(cat "$dir/err")"
        ends_soon "$emulator" "its emulator"
        kill "$reader"
        wait "$reader" 2>/dev/null || true
        ;;
    passes)
        # A run of several passes is of one piece: whatever happens in one of them, the older run stays.
        three=(run --quiet --sample-ms 0.05 --events "instr,dcache_rd,dcache_wr,branch,dcache_evict" -o "$dir/p.mpj" "$APPS/matmul.elf" -- 32 float)
        "$MPJOULE" "${three[@]}" 3 >/dev/null
        [ -f "$dir/p.2.mplog" ] || die "not three passes"
        sha256sum "$dir"/p.* >"$dir/older"
        # the third start does what it says
        cat >"$dir/third" <<EOF
#!/bin/bash
exec {starts}>>"$dir/starts" # a number that is free: the command has handed others down
flock "\$starts"
echo x >&"\$starts"
[ "\$(wc -l <"$dir/starts")" -ne 3 ] || eval "\$(cat "$dir/deed")"
exec {starts}>&-
exec "$QEMU" "\$@"
EOF
        chmod +x "$dir/third"
        while IFS=';' read -r want words deed; do
            rm -f "$dir/starts"
            echo "$deed" >"$dir/deed"
            got=0
            MPJOULE_QEMU=$dir/third "$MPJOULE" "${three[@]}" 5 >/dev/null 2>"$dir/err" || got=$?
            [ "$got" -eq "$want" ] || fail "$deed: status $got"
            [ -z "$words" ] || grep -q "$words" "$dir/err" || fail "$deed: $(cat "$dir/err")"
            [ "$want" -gt 130 ] || [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$deed: not one line"
            [ "$want" -gt 130 ] || [ -z "$(find "$dir" -name '*.new')" ] || fail "$deed: something is left"
            sha256sum --quiet -c "$dir/older" || fail "$deed: not the older run's files"
        done <<'LIST'
125;something is wrong;echo "something is wrong" >&2; exit 1
130;interrupted;kill -INT $PPID
130;interrupted;kill -TERM $PPID
137;;kill -KILL $PPID; exit
LIST
        find "$dir" -name '*.new' -delete # the killed one's, which its next run would use
        # a disk that fills: a log, or the store, when the logs are whole
        for size in $(($(stat -c %s "$dir/p.2.mplog") / 1024 - 1)) $(($(stat -c %s "$dir/p.mpj") / 1024 - 1)); do
            got=0
            (
                ulimit -f "$size"
                "$MPJOULE" "${three[@]}" 3
            ) >/dev/null 2>"$dir/err" || got=$?
            [ "$got $(wc -l <"$dir/err")" = "125 1" ] || fail "a full disk: status $got ($(cat "$dir/err"))"
            sha256sum --quiet -c "$dir/older" || fail "a full disk: not the older run's files"
            [ -z "$(find "$dir" -name '*.new')" ] || fail "a full disk: something is left"
            cat "$dir/err"
        done
        # no pass begins without the first one's log, of which another process has the lock: two at once could hold one each
        rm -f "$dir/starts"
        : >"$dir/deed"
        : >"$dir/q.mplog.new"
        for i in 1 2 3 4 5; do
            ends 125 "another process is writing" flock "$dir/q.mplog.new" env MPJOULE_QEMU="$dir/third" "$MPJOULE" run -j 3 \
                -o "$dir/q.mpj" "${three[@]:1:5}" "$APPS/matmul.elf" -- 32 float 5
            [ ! -e "$dir/starts" ] || fail "try $i: a pass began before the first log"
        done
        rm "$dir/q.mplog.new"
        # two at once: one of them is told, and what is there in the end is of one run; who comes first goes on when
        # the other has ended
        printf '#!/bin/sh\nuntil [ -e "%s" ]; do sleep 0.05; done\nexec "%s" "$@"\n' "$dir/go" "$QEMU" >"$dir/held"
        chmod +x "$dir/held"
        MPJOULE_QEMU=$dir/held "$MPJOULE" "${three[@]}" 60 >/dev/null 2>"$dir/err1" &
        one=$!
        MPJOULE_QEMU=$dir/held "$MPJOULE" "${three[@]}" 61 >/dev/null 2>"$dir/err2" &
        two=$!
        until_so 60 either_dead "$one" "$two" || fail "two at once: none of them is told"
        touch "$dir/go"
        also=0
        wait "$one" || also=$?
        got=0
        wait "$two" || got=$?
        [ "$got $also" = "125 0" ] || [ "$got $also" = "0 125" ] || fail "two at once: $got, $also"
        cat "$dir/err1" "$dir/err2" >"$dir/err"
        grep -q 'another process is writing it' "$dir/err" || fail "two at once: $(cat "$dir/err")"
        for log in "$dir"/p.mplog "$dir"/p.?.mplog; do
            "$MPJOULE" report "$log" | grep '^Program'
        done | sort -u | wc -l >"$dir/runs"
        [ "$(cat "$dir/runs")" -eq 1 ] || fail "logs of $(cat "$dir/runs") runs"
        # the next one replaces all of it
        "$MPJOULE" "${three[@]}" 3 >/dev/null
        sha256sum --quiet -c "$dir/older" || fail "the same run again: other files"
        # where there is no older run, none appears; what was recorded is kept, and says that it failed
        rm -f "$dir"/p.* "$dir/starts"
        echo 'exit 1' >"$dir/deed"
        got=0
        MPJOULE_QEMU=$dir/third "$MPJOULE" "${three[@]}" 5 >/dev/null 2>"$dir/err" || got=$?
        [ "$got" -eq 125 ] || fail "no older run: status $got"
        [ -z "$(find "$dir" -name p.mpj -o -name p.mplog)" ] || fail "a failed attempt made a result"
        "$MPJOULE" report "$dir/p.failed.mpj" >"$dir/out" 2>&1 || true
        grep -q '^Failed' "$dir/out" || fail "half a run that looks whole: $(head -5 "$dir/out")"
        ;;
    foreign)
        # A store of others commands no terminal: every text in it, one column after the other.
        "$MPJOULE" run --quiet -o "$dir/f.mpj" "$APPS/locks.elf" -- 30 >/dev/null
        evil="char(10) || 'Truth  forged' || char(27) || '[31m' || char(155) || '2J' || char(7, 8206, 8238, 8203, 8233)"
        shown=0
        while IFS='|' read -r table column; do
            cp "$dir/f.mpj" "$dir/evil.mpj"
            sqlite3 "$dir/evil.mpj" "UPDATE \"$table\" SET \"$column\" = \"$column\" || $evil WHERE typeof(\"$column\") = 'text'"
            for view in summary cores threads sync regions timeline; do
                got=0
                "$MPJOULE" report --view "$view" "$dir/evil.mpj" >"$dir/out" 2>"$dir/err" || got=$?
                [ "$got" -eq 0 ] || [ "$got" -eq 125 ] || fail "$table.$column, $view: status $got"
                ! LC_ALL=C grep -q $'[\001-\010\013-\037\177]\|\302[\200-\237]\|\342\200[\213-\217\250-\256]' "$dir/out" "$dir/err" ||
                    fail "$table.$column: $view commands the terminal"
                ! grep -q '^ *Truth  forged' "$dir/out" "$dir/err" || fail "$table.$column: $view has a forged line"
                ! grep -q '2J' "$dir/out" || shown=$((shown + 1))
            done
        done < <(sqlite3 "$dir/f.mpj" "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND upper(c.type) LIKE '%TEXT%'")
        [ "$shown" -gt 5 ] || fail "only $shown views show what was put in"
        echo "$shown views show text of others"
        ;;
    kills)
        # Every command that takes its time, told to end at moments from a seed: it does, leaves nothing, and
        # what it has recorded can be read.
        printf '%s\n' 'idle|wait|idle.elf|1 4000' 'matmul|cpu|matmul.elf|48 float 400' >"$dir/list"
        boards 'boot: command' 'calibration: mprofiler'
        sed -i 's/start: .*/start: sleep 987/; 0,/calibration/{/calibration/d}' "$MPJOULE_BOARDS"
        RANDOM=${SEED:-7}
        worst=0
        for ((i = 0; i < ${KILLS:-50}; i++)); do
            case $((i % 6)) in
            0) words=(run --quiet --all-events -o "$dir/k.mpj" "$APPS/matmul.elf" -- 64 float 400) ;;
            1) words=(record sim -o "$dir/k.mplog" --period 1ms --quiet) ;;
            2) words=(sweep --cores 1..4 -o "$dir/k.sweep" "$APPS/matmul.elf" -- 64 float 400) ;;
            3) words=(model campaign --model mprofiler --programs "$dir/list" -o "$dir/k.mpc" --quiet) ;;
            4) words=(selftest sim) ;;
            5)
                [ ${#mine[@]} -gt 0 ] || line --stay
                words=(run --quiet --target tile0 -o "$dir/k.mpj" "$APPS/hello.elf")
                ;;
            esac
            signal=$((RANDOM % 3))
            signal=${signal/0/INT}
            signal=${signal/1/TERM}
            signal=${signal/2/KILL}
            # without job control the shell has it ignore SIGINT until it catches it
            env --default-signal=INT LD_PRELOAD="$PRELOAD" MPJ_PTY_SERIAL="/dev/ttyTILE0=$dir/pty" \
                "$MPJOULE" "${words[@]}" </dev/null >"$dir/out" 2>"$dir/err" &
            command=$!
            until_so 60 is_there "$command" || fail "${words[*]}: does not start"
            sleep "0.$(printf %03d $((RANDOM % 900)))"
            begun=$(date +%s%N)
            kill -"$signal" "$command" 2>/dev/null || true
            until_so 60 dead "$command" || fail "${words[*]}: runs on after SIG$signal"
            took=$((($(date +%s%N) - begun) / 1000000))
            kill -KILL "$command" 2>/dev/null || true
            got=0
            wait "$command" 2>/dev/null || got=$?
            case $signal.$got in
            *.0 | *.130 | TERM.143 | KILL.137) ;; # 143: before it could catch it
            *) fail "${words[*]}: status $got after SIG$signal: $(tail -n 1 "$dir/err")" ;;
            esac
            [ "$signal" = KILL ] || [ "$took" -le "$worst" ] || {
                worst=$took
                slowest="${words[*]:0:2} after SIG$signal"
            }
            until_so 60 quiet || fail "${words[*]}: left after SIG$signal: $(pgrep -a -f "$TMPDIR/mpjoule\\.")"
            for file in "$dir"/k.mpj "$dir"/k.mplog "$dir"/k.failed.mpj "$dir"/k.failed.mplog; do
                [ ! -e "$file" ] || "$MPJOULE" report "$file" >"$dir/out" 2>"$dir/err" || [ $? -eq 125 ] ||
                    fail "${words[*]}: report $file: $(tail -n 1 "$dir/err")"
            done
        done
        "$MPJOULE" run --quiet -o "$dir/x.mpj" "$APPS/hello.elf" >/dev/null
        [ -z "$(ls "$TMPDIR")" ] || fail "left: $(ls "$TMPDIR")"
        echo "slowest: $slowest, $worst ms"
        ;;
    *)
        echo "no case $part" >&2
        exit 2
        ;;
    esac
done
finish "all of: $*"
