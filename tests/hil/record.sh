#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `mpjoule record`: over the emulator's socket, and over a serial line that misbehaves with the real
# libserialport on a pseudo-terminal; ended in every way there is.
# usage: record.sh CASE...   (environment: board.sh)
# cases: whole marks terminal faults stop kill full program lost errors twenty twenty-line
set -euo pipefail
# shellcheck source=tests/hil/board.sh
. "$(dirname "$0")/board.sh"
board_in_ram
boards 'boot: command'
peak=0
first=0

board() {
    mpjoule record tile0 "$@"
}
# The same without a time limit, for the background: a signal is for the command itself.
# shellcheck disable=SC2317 # called through background
on_board() {
    exec env LD_PRELOAD="$PRELOAD" MPJ_PTY_SERIAL="/dev/ttyTILE0=$dir/pty" "$MPJOULE" record tile0 "$@"
}
# shellcheck disable=SC2317
on_sim() {
    exec "$MPJOULE" record sim "$@"
}
sim() {
    timeout 1400 "$MPJOULE" record sim "$@"
}
# A recording in the background, its own process (the signals are for it); waits for bytes.
background() { # LOG BYTES COMMAND...
    local log=$1.new bytes=$2
    shift 2
    rm -f "$log"
    exec 3<&0 # a command in the background would get an empty stdin
    "$@" <&3 3<&- &
    recorder=$!
    exec 3<&-
    until_so 600 holds "$log" "$bytes" && kill -0 "$recorder" && return
    fail "no $bytes bytes in $log"
}
# At least so many bytes, or nobody is there to write them.
# shellcheck disable=SC2317 # called through until_so
holds() { # LOG BYTES
    [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2" ] || ! kill -0 "$recorder" 2>/dev/null
}
# The text of a mark is in the log: it was on its way to the target before.
# shellcheck disable=SC2317
marked() { grep -q -a -F "$1" "$dir/m.mplog.new"; }
says() { # FILE WORDS
    grep -q -e "$2" "$1" || { fail "\"$2\" not in $(basename "$1")"; sed 's/^/    /' "$1" >&2; }
}
energy() {
    "$MPJOULE" report --view energy "$1" >"$dir/energy" 2>&1 || fail "report: status $? ($(cat "$dir/energy"))"
}
json() { # FILE PYTHON-EXPRESSION of d
    obeys energy "$1"
    python3 -c "import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not ($2))" "$1" ||
        fail "not so in $(basename "$1"): $2"
}
# Whole frames of a cut log are a prefix of the whole one's.
prefix() { # CUT WHOLE
    python3 - "$1" "$2" <<'PY' || fail "$(basename "$1") is no beginning of the whole log"
import sys
cut, whole = (open(n, "rb").read() for n in sys.argv[1:3])
end = cut.rfind(b"\0") + 1
if not whole.startswith(cut[:end]): # what the recorder says last, where there was room for that
    last = cut.rfind(b"\0", 0, end - 1) + 1
    end = last if cut[last + 1] == 0x63 else 0
sys.exit(not (len(cut) - end < 1038 and end > 1000 and whole.startswith(cut[:end])))
PY
}

# Marks by lines of stdin and by a signal, and the end by Ctrl-C.
set_marks() { # on_sim|on_board
    mkfifo "$dir/lines"
    exec 4<>"$dir/lines"
    background "$dir/m.mplog" 5000 "$1" -o "$dir/m.mplog" --period 10 --ask 200 --marks \
        --json "$dir/m.json" --quiet <"$dir/lines"
    for text in 'supply on' '' 'a "quoted" one'; do
        echo "$text" >&4
        until_so 60 marked "${text:-mark}" || fail "no mark $text"
        # samples of its own
        until_so 60 holds "$dir/m.mplog.new" $(($(stat -c %s "$dir/m.mplog.new") + 1000)) || fail "nothing after mark $text"
    done
    kill -USR1 "$recorder"
    until_so 60 marked 'signal 1' || fail "no mark of the signal"
    kill -INT "$recorder"
    wait "$recorder" || fail "Ctrl-C: status $?"
    json "$dir/m.json" "[p.get('mark') for p in d['phases']] == [None, 'supply on', 'mark', 'a \"quoted\" one', 'signal 1']
        and all(p['from'] == 'host' for p in d['phases'][1:]) and d['complete'] and d['lost'] == 0
        and abs(sum(p['processor']['energy_uj'] for p in d['phases']) / d['processor']['energy_uj'] - 1) < 1e-9"
    exec 4>&-
    rm "$dir/lines"
}

for part in "$@"; do
    case $part in
    whole)
        for words in 'sim 1ms' 'sim 7ms' 'sim 10' 'sim 997ms' 'board 1ms' 'board 997ms' 'sim 1s'; do
            period=${words#* }
            [ "${words% *}" = sim ] || line --bit-error 1e-5
            "${words% *}" -o "$dir/a.mplog" --period "$period" --for 20s --json "$dir/a.json" --csv "$dir/a.csv" >"$dir/a.out" ||
                fail "$words: status $?"
            says "$dir/a.out" 'samples *ok *none of'
            says "$dir/a.out" 'file *ok'
            json "$dir/a.json" "d['complete'] and d['lost'] == 0 and 0 <= d['time_s'] - 20 < 1e-3 and
                abs(d['samples'] - round(20 / d['sample_s'])) <= 1 and d['samples'] >= 20 and
                all(c['verdict'] == 'ok' for c in d['checks'] if c['check'] != 'clock') and
                0.5 < d['processor']['p_avg_uw'] / 1e6 < 0.56"
            [ "$(wc -l <"$dir/a.csv")" -eq "$(($(python3 -c "import json; print(json.load(open('$dir/a.json'))['samples'])") + 1))" ] ||
                fail "$period: samples in the CSV"
        done
        # the same recording twice is the same file; compressed it says the same
        sim -o "$dir/b.mplog" --period 1s --for 20s --quiet
        cmp "$dir/a.mplog" "$dir/b.mplog" || fail "two recordings differ"
        energy "$dir/a.mplog"
        cp "$dir/energy" "$dir/plain"
        sim -o "$dir/b.mplog" --period 1s --for 20s --quiet --compress
        energy "$dir/b.mplog"
        cmp "$dir/plain" "$dir/energy" || fail "a compressed log says something else"
        ;;
    marks)
        set_marks on_sim
        line
        set_marks on_board
        ;;
    terminal)
        # a person at a terminal: a line that is alive, Enter, Ctrl-C
        python3 - "$MPJOULE" "$dir/t.mplog" >"$dir/out" <<'PY' || fail "at a terminal: $(tail -c 500 "$dir/out")"
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], ["mpjoule", "record", "sim", "--period", "10", "-o", sys.argv[2]])
out, start, step = b"", time.time(), 0
while time.time() - start < 300:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            got = os.read(fd, 65536)
        except OSError:
            break
        if not got:
            break
        out += got
    if step == 0 and out.count(b" samples") >= 3:
        os.write(fd, b"supply on\n")
        step = 1
    if step == 1 and b" s  supply on\r\n" in out:
        os.write(fd, b"\x03")
        step = 2
_, status = os.waitpid(pid, 0)
text = out.decode()
print(text)
sys.exit(not (status == 0 and step == 2 and "\r\x1b[K" in text and " mJ  " in text
              and "  supply on  " in text and "closed normally" in text))
PY
        # without one there is no such line
        sim --period 10 --for 5s -o "$dir/t.mplog" --quiet >"$dir/out" 2>"$dir/err"
        [ -z "$(cat "$dir/out" "$dir/err")" ] || fail "something on stderr without a terminal"
        ;;
    faults)
        line
        board -o "$dir/clean.mplog" --period 1ms --for 60s --quiet || fail "clean: status $?"
        n=0
        for seed in 1 2; do
            for faults in '--bit-error 1e-4' '--drop 1e-3' '--twice 1e-3' '--stall 0.02 --stall-ms 300' \
                '--bit-error 1e-4 --drop 1e-4 --twice 1e-4 --stall 0.005 --noise 3000' '--unplug 50000 --unplug-ms 700'; do
                # shellcheck disable=SC2086  # several words
                line --seed "$seed" $faults
                board -o "$dir/dirty.mplog" --period 1ms --for 60s --quiet || fail "$faults: status $?"
                cmp "$dir/clean.mplog" "$dir/dirty.mplog" || fail "$faults: not the clean line's log"
                n=$((n + 1))
            done
        done
        energy "$dir/dirty.mplog"
        says "$dir/energy" 'none of 6000[0-9] lost'
        echo "$n lines with faults"
        ;;
    stop)
        # Ctrl-C on a board: it ends in order, with everything it had recorded
        line
        background "$dir/s.mplog" 20000 on_board -o "$dir/s.mplog" --period 1ms --ask 200 --json "$dir/s.json" --quiet
        kill -USR1 "$recorder"
        until_so 60 grep -q -a 'signal 1' "$dir/s.mplog.new" || fail "no mark of the signal"
        kill -INT "$recorder"
        wait "$recorder" || fail "Ctrl-C on a board: status $?"
        json "$dir/s.json" "d['complete'] and d['lost'] == 0 and [p.get('mark') for p in d['phases']] == [None, 'signal 1']
            and d['checks'][-2]['text'] == 'whole, closed normally'"
        # ... also when the board takes its time
        line
        background "$dir/s.mplog" 5000 on_board -o "$dir/s.mplog" --period 1ms --ask 200 --json "$dir/s.json" --quiet
        kill -STOP "$(cat "$dir/qemu.pid")"
        kill -INT "$recorder"
        sleep 4
        kill -CONT "$(cat "$dir/qemu.pid")"
        wait "$recorder" || fail "Ctrl-C on a board that is slow: status $?"
        json "$dir/s.json" "d['complete'] and d['checks'][-2]['text'] == 'whole, closed normally'"
        # a program that does not listen is ended; what came is good
        background "$dir/s.mplog" 3000 "$MPJOULE" record sim -o "$dir/s.mplog" --period 1ms "$APPS/hang.elf" 2>"$dir/err"
        kill -INT "$recorder"
        got=0
        wait "$recorder" || got=$?
        [ "$got" -eq 130 ] || fail "Ctrl-C beside a program: status $got"
        says "$dir/err" "ended before the program's end"
        says "$dir/err" 's.failed.mplog holds [0-9.]* s, [1-9][0-9]* samples'
        # ... and so is one at the end of --for, which is what was asked for
        sim -o "$dir/s.mplog" --period 1ms --for 500ms "$APPS/phases.elf" -- 100000 50 >"$dir/out" || fail "--for: status $?"
        says "$dir/out" 'ended by --for'
        says "$dir/out" 'all cores .* [1-9][0-9]* '
        ;;
    kill)
        # long enough to be killed in the middle, on a machine that does much else
        sim -o "$dir/all.mplog" --period 1ms --for 300s --quiet
        background "$dir/k.mplog" 30000 "$MPJOULE" record sim -o "$dir/k.mplog" --period 1ms --for 300s --quiet
        kill -KILL "$recorder"
        wait "$recorder" 2>/dev/null || true
        prefix "$dir/k.mplog.new" "$dir/all.mplog"
        energy "$dir/k.mplog.new"
        says "$dir/energy" 'file *bad *the log is cut off after [0-9.]* s; of 300 s planned, [0-9.]* s are missing'
        says "$dir/energy" 'samples *ok *none of'
        # the end of the file at any byte: what is whole before it is read, and the rest counted
        size=$(stat -c %s "$dir/all.mplog")
        for cut in 1 2 7 100 500 1000 1500 3000; do
            head -c "$((size - cut))" "$dir/all.mplog" >"$dir/c.mplog"
            energy "$dir/c.mplog"
            says "$dir/energy" "cut off"
        done
        head -c 300 "$dir/all.mplog" >"$dir/c.mplog"
        got=0
        "$MPJOULE" report --view energy "$dir/c.mplog" >"$dir/out" 2>"$dir/err" || got=$?
        [ "$got" -eq 125 ] || fail "a log without samples: status $got"
        says "$dir/err" 'ends before the first sample'
        # a byte that is another one: read up to there, and said
        python3 -c "
import sys
b = bytearray(open(sys.argv[1], 'rb').read())
b[300000] ^= 0x55
open(sys.argv[2], 'wb').write(b)" "$dir/all.mplog" "$dir/c.mplog"
        energy "$dir/c.mplog"
        says "$dir/energy" 'read up to its damage only'
        # on a board
        line
        board -o "$dir/all.mplog" --period 1ms --for 60s --quiet
        line --hold 100000
        background "$dir/k.mplog" 30000 on_board -o "$dir/k.mplog" --period 1ms --for 60s --quiet
        kill -KILL "$recorder"
        wait "$recorder" 2>/dev/null || true
        power_off
        prefix "$dir/k.mplog.new" "$dir/all.mplog"
        energy "$dir/k.mplog.new"
        says "$dir/energy" 'cut off'
        ;;
    full)
        sim -o "$dir/all.mplog" --period 1ms --for 100s --quiet
        mkdir "$dir/small"
        # a disk of 200 KB where we may mount one, else a limit on the size of files
        if [ "$(id -u)" -eq 0 ] && unshare -m sh -c "mount -t tmpfs -o size=200k none '$dir/small'" 2>/dev/null; then
            shield=(unshare -m sh -c "mount -t tmpfs -o size=200k none '$dir/small' && \"\$@\"; s=\$?; cp '$dir/small/f.failed.mplog' '$dir/f.mplog'; exit \$s" sh)
            echo "on a full tmpfs"
        else
            shield=(sh -c "ulimit -f 400; \"\$@\"; s=\$?; cp '$dir/small/f.failed.mplog' '$dir/f.mplog'; exit \$s" sh)
        fi
        got=0
        "${shield[@]}" timeout 1400 "$MPJOULE" record sim -o "$dir/small/f.mplog" --period 1ms --for 100s >"$dir/out" 2>"$dir/err" || got=$?
        [ "$got" -eq 125 ] || fail "full disk: status $got"
        says "$dir/err" 'cannot write the log .*: \(No space left on device\|File too large\)'
        says "$dir/err" 'f.failed.mplog holds [0-9.]* s, [0-9]* samples'
        prefix "$dir/f.mplog" "$dir/all.mplog"
        [ "$(tail -c 1 "$dir/f.mplog" | od -An -tx1 | tr -d ' ')" = 00 ] || fail "half a frame at the end of a full disk's log"
        energy "$dir/f.mplog"
        says "$dir/energy" 'file *bad *\(cannot write the log .* s are missing\|the log is cut off after .* s are missing; 0 bytes\)'
        ;;
    program)
        sim -o "$dir/p.mplog" --period 1ms --json "$dir/p.json" "$APPS/phases.elf" -- 5 100 >"$dir/out" || fail "phases: status $?"
        says "$dir/out" 'phases: 5 rounds'
        "$MPJOULE" report --format json "$dir/p.mplog" >"$dir/run.json"
        python3 - "$dir/p.json" "$dir/run.json" <<'PY' || fail "energies of phases"
import json, sys
d, run = (json.load(open(n)) for n in sys.argv[1:3])
total = d["processor"]["energy_uj"]
parts = {}
for p in d["phases"]:
    parts.setdefault(p.get("mark"), []).append(p)
ok = abs(total / run["truth"]["energy_uj"] - 1) < 0.002
ok = ok and abs(total / run["adc"]["processor"]["energy_uj"] - 1) < 1e-9
ok = ok and abs(sum(p["processor"]["energy_uj"] for p in d["phases"]) / total - 1) < 1e-9
ok = ok and abs(sum(p["time_s"] for p in d["phases"]) / d["time_s"] - 1) < 1e-9
mean = {n: sum(p["processor"]["p_avg_uw"] for p in l) / len(l) for n, l in parts.items()}
ok = ok and [len(parts[n]) for n in ("rest", "one core", "all cores", "done")] == [5, 5, 5, 1]
ok = ok and mean["rest"] + 5e3 < mean["one core"] < mean["all cores"] - 15e3
# each phase alone, as a run of its own would show it
ok = ok and all(abs(p["processor"]["p_avg_uw"] / mean[n] - 1) < 0.002 for n, l in parts.items() if n for p in l)
print(mean, total / run["truth"]["energy_uj"])
sys.exit(not ok)
PY
        # the views say the same of the log and of a store
        "$MPJOULE" run --quiet --sample-ms 1 -o "$dir/r.mpj" "$APPS/phases.elf" -- 3 20 >/dev/null
        for view in 'energy --format text' 'energy --format json' 'energy --format csv' 'samples --format csv' 'samples --format json'; do
            # shellcheck disable=SC2086  # several words
            "$MPJOULE" report --view $view "$dir/r.mplog" >"$dir/a" || fail "$view of the log: status $?"
            # shellcheck disable=SC2086
            "$MPJOULE" report --view $view "$dir/r.mpj" >"$dir/b" || fail "$view of the store: status $?"
            cmp "$dir/a" "$dir/b" || fail "$view: log and store differ"
        done
        got=0
        sim -o "$dir/p.mplog" --quiet "$APPS/status.elf" -- 7 >/dev/null || got=$?
        [ "$got" -eq 7 ] || fail "the program's status is $got, not 7"
        got=0
        sim -o "$dir/p.mplog" --quiet "$APPS/fault.elf" -- null >/dev/null 2>"$dir/err" || got=$?
        [ "$got" -eq 125 ] || fail "a fault: status $got"
        says "$dir/err" 'faulted: data abort'
        # without a stdout the log is not it
        sim -o "$dir/p.mplog" --quiet "$APPS/status.elf" -- 7 >/dev/null || true
        sim -o "$dir/q.mplog" --quiet "$APPS/status.elf" -- 7 >&- 2>&- || true
        cmp "$dir/p.mplog" "$dir/q.mplog" || fail "another log with stdout and stderr closed"
        # on the board, over a bad line, it is the same recording as over a good one
        line
        board -o "$dir/clean.mplog" --period 1ms --quiet "$APPS/phases.elf" -- 5 100 >/dev/null || fail "board: status $?"
        line --seed 3 --bit-error 1e-4 --drop 1e-4 --stall 0.01
        board -o "$dir/dirty.mplog" --period 1ms --quiet "$APPS/phases.elf" -- 5 100 >/dev/null || fail "board: status $?"
        cmp "$dir/clean.mplog" "$dir/dirty.mplog" || fail "a program's recording depends on the line"
        ;;
    lost)
        # the port goes for good, and a board that falls silent
        line --unplug 20000 --unplug-ms 60000
        got=0
        board -o "$dir/l.mplog" --period 1ms --for 60s >"$dir/out" 2>"$dir/err" || got=$?
        [ "$got" -eq 120 ] || fail "unplugged: status $got"
        says "$dir/err" 'did not come back'
        says "$dir/err" 'l.failed.mplog holds [1-9]'
        energy "$dir/l.failed.mplog"
        says "$dir/energy" 'file *bad .*did not come back.*; of 60 s planned'
        power_off
        line
        background "$dir/l.mplog" 5000 on_board -o "$dir/l.mplog" --period 1ms 2>"$dir/err"
        kill -STOP "$(cat "$dir/qemu.pid")"
        got=0
        wait "$recorder" || got=$?
        power_off
        [ "$got" -eq 120 ] || fail "silent: status $got"
        says "$dir/err" 'the board is gone.*: nothing came from it for 25 s'
        ;;
    errors)
        while IFS=';' read -r want words arguments; do
            got=0
            # shellcheck disable=SC2086  # several words
            timeout 300 "$MPJOULE" record $arguments >"$dir/out" 2>"$dir/err" </dev/null || got=$?
            [ "$got" -eq "$want" ] || fail "status $got, not $want: record $arguments"
            says "$dir/err" "$words"
            [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "not one line: record $arguments"
        done <<LIST
125;no target given;
125;whole milliseconds from 1ms to 1s;sim --period 0
125;whole milliseconds from 1ms to 1s;sim --period 2s
125;whole milliseconds from 1ms to 1s;sim --period 1.5ms
125;takes a time;sim --period fast
125;takes a time;sim --for 3x
125;requires an argument;sim --for
125;--for takes 1ms to;sim --for 0
125;--for takes 1ms to;sim --for 100000h
125;whole number;sim --ask -1
125;no board is called;tile9
117;serial port;/dev/ttyNONE9
125;need a program;sim --dir $dir
125;No such file;sim $dir/none.elf
125;not a\|no ELF;sim $MPJOULE_BOARDS
125;cannot create the log;sim -o $dir/none/x.mplog
125;nothing to record;sim --calibration none
125;calibration;sim --calibration $dir/none.conf -o $dir/x.mplog
125;unrecognized;sim --nonsense
125;/dev/full: cannot write the samples: No space left;sim --for 100ms --quiet -o $dir/x.mplog --csv /dev/full
LIST
        # an older recording survives what records nothing ...
        sim -o "$dir/old.mplog" --for 1s --quiet
        cp "$dir/old.mplog" "$dir/kept.mplog"
        while IFS=';' read -r want words; do
            got=0
            # shellcheck disable=SC2086  # several words
            env MPJOULE_QEMU="$dir/none" timeout 60 "$MPJOULE" record $words -o "$dir/old.mplog" 2>"$dir/err" </dev/null || got=$?
            [ "$got" -eq "$want" ] || fail "status $got, not $want: record $words"
            [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "not one line: record $words"
            cmp "$dir/kept.mplog" "$dir/old.mplog" || fail "record $words: the older recording is gone"
        done <<LIST
117;/dev/ttyNONE9
125;sim
LIST
        # ... and so does the first of two into one file
        "$MPJOULE" record sim -o "$dir/old.mplog" --quiet </dev/null &
        recorder=$!
        until_so 60 holds "$dir/old.mplog.new" 500 || fail "the recording does not begin"
        cmp "$dir/kept.mplog" "$dir/old.mplog" || fail "a recording under way replaces the older one"
        got=0
        "$MPJOULE" record sim -o "$dir/old.mplog" --for 1s --quiet 2>"$dir/err" || got=$?
        [ "$got $(wc -l <"$dir/err")" = "125 1" ] || fail "the second into one file: status $got"
        says "$dir/err" 'old.mplog: another process is writing it'
        kill -INT "$recorder"
        wait "$recorder" || fail "the first into one file: status $?"
        energy "$dir/old.mplog"
        says "$dir/energy" 'file *ok *whole'
        [ ! -e "$dir/old.mplog.new" ] || fail "something stays beside the log"
        # what others do to the file is an incomplete recording
        background "$dir/d.mplog" 30000 "$MPJOULE" record sim -o "$dir/d.mplog" --period 1ms --ask 200
        printf 'damaged' | dd of="$dir/d.mplog.new" bs=1 seek=20000 conv=notrunc 2>/dev/null
        kill -INT "$recorder"
        got=0
        wait "$recorder" || got=$?
        [ "$got" -eq 125 ] || fail "a damaged recording: status $got"
        for wrong in 'summary.txt' "$MPJOULE_BOARDS"; do
            got=0
            "$MPJOULE" report --view energy "$wrong" >"$dir/out" 2>"$dir/err" || got=$?
            [ "$got $(wc -l <"$dir/err")" = "125 1" ] || fail "report --view energy $wrong: status $got"
        done
        got=0
        "$MPJOULE" report --view samples "$MPJOULE_BOARDS" >"$dir/out" 2>"$dir/err" || got=$?
        [ "$got" -eq 125 ] || fail "samples as text: status $got"
        ;;
    twenty)
        # twenty minutes at 1 ms: nothing lost, memory flat
        for length in 2m 20m; do
            background "$dir/t.mplog" 100 "$MPJOULE" record sim -o "$dir/t.mplog" --period 1ms --for $length --quiet --json "$dir/t.json"
            while sleep 0.1 && kill -0 "$recorder" 2>/dev/null; do
                now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$recorder/status" 2>/dev/null || true)
                peak=${now:-$peak}
            done
            wait "$recorder" || fail "$length: status $?"
            echo "$length: $peak KB of memory at most, $(stat -c %s "$dir/t.mplog") bytes"
            [ "$length" = 20m ] || first=$peak
        done
        json "$dir/t.json" "d['complete'] and d['lost'] == 0 and d['samples'] in (1200000, 1200001) and
            1200 <= d['time_s'] < 1200.001 and all(c['verdict'] == 'ok' for c in d['checks'])"
        # What libraries allocate once comes and goes by pages, 640 KB of it at the end, which a look every 0.1 s
        # may miss in the short one; what grew with the log would be megabytes: the logs differ by 5.8 MB.
        [ "$peak" -le "$((first + 2048))" ] || fail "memory grew from $first to $peak KB"
        bytes=$(stat -c %s "$dir/t.mplog")
        [ "$((bytes * 10))" -le "$((1200001 * 54))" ] || fail "more than 5.4 bytes a sample"
        ;;
    twenty-line)
        line
        board -o "$dir/clean.mplog" --period 1ms --for 20m --quiet || fail "clean: status $?"
        line --seed 7 --bit-error 1e-5 --drop 1e-5 --twice 1e-5 --stall 0.001 --noise 1000
        board -o "$dir/dirty.mplog" --period 1ms --for 20m --json "$dir/t.json" --quiet || fail "dirty: status $?"
        cmp "$dir/clean.mplog" "$dir/dirty.mplog" || fail "not the clean line's log"
        json "$dir/t.json" "d['complete'] and d['lost'] == 0 and d['samples'] in (1200000, 1200001) and
            'an emulator?' in d['checks'][-1]['text']"
        # of what a sample takes on the line, 5 bytes are its time and codes: 93 % at least
        bytes=$(stat -c %s "$dir/dirty.mplog")
        [ "$((1200001 * 500))" -ge "$((bytes * 93))" ] || fail "$bytes bytes: less than 93 % of them are samples"
        ;;
    *)
        echo "no case $part" >&2
        exit 2
        ;;
    esac
done
finish "all of: $*"
