#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `mpjoule record`: over the emulator's socket, and over a serial line that misbehaves with the real
# libserialport on a pseudo-terminal; ended in every way there is.
# usage: record.sh CASE...   (environment: MPJOULE, APPS, QEMU, CALIBRATION, LOSSY, PRELOAD)
# cases: whole marks faults stop kill full program errors twenty twenty-line
set -euo pipefail
: "${MPJOULE:?}" "${APPS:?}" "${QEMU:?}" "${CALIBRATION:?}" "${LOSSY:?}" "${PRELOAD:?}"
dir=$(mktemp -d)
mine=()
trap 'kill "${mine[@]}" 2>/dev/null || true; rm -rf "$dir"' EXIT
export MPJOULE_LOCKS=$dir/locks MPJOULE_BOARDS=$dir/boards.yaml
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

cat >"$dir/start" <<EOF2
#!/bin/sh
"$QEMU" -M "realview-eb-mpcore,calibration=$CALIBRATION,seed=1" -smp 4 -m 256 -kernel "\$MPJOULE_ELF" \\
    -icount shift=0,sleep=off -display none -monitor none -nodefaults -no-reboot \\
    -chardev "socket,id=line,path=$dir/line,server=off" -serial chardev:line \\
    >"$dir/qemu.out" 2>&1 </dev/null &
echo \$! >"$dir/qemu.pid"
EOF2
chmod +x "$dir/start"
cat >"$MPJOULE_BOARDS" <<EOF2
boards:
  - id: tile0
    port: /dev/ttyTILE0
    boot: command
    start: env -u LD_PRELOAD $dir/start
    calibration: mprofiler
EOF2

# line FAULTS...: a fresh line.
line() {
    [ ${#mine[@]} -eq 0 ] || { kill "${mine[@]}" && wait "${mine[@]}"; } 2>/dev/null || true
    rm -f "$dir/ready"
    "$LOSSY" --socket "$dir/line" --link "$dir/pty" "$@" >"$dir/ready" &
    mine=($!)
    for _ in $(seq 500); do
        grep -q ready "$dir/ready" 2>/dev/null && return
        sleep 0.02
    done
    echo "no line" >&2
    exit 1
}

# The command with a libserialport that finds the pseudo-terminal.
board() {
    LD_PRELOAD="$PRELOAD" MPJ_PTY_SERIAL="/dev/ttyTILE0=$dir/pty" timeout 280 "$MPJOULE" record tile0 "$@"
}
sim() {
    timeout 280 "$MPJOULE" record sim "$@"
}
# A recording in the background, its own process (the signals are for it); waits for bytes.
background() { # LOG BYTES COMMAND...
    local log=$1 bytes=$2
    shift 2
    rm -f "$log"
    "$@" &
    recorder=$!
    for _ in $(seq 1500); do
        [ -f "$log" ] && [ "$(stat -c %s "$log")" -ge "$bytes" ] && return
        kill -0 "$recorder" 2>/dev/null || break
        sleep 0.02
    done
    fail "no $bytes bytes in $log"
}
says() { # FILE WORDS
    grep -q -e "$2" "$1" || { fail "\"$2\" not in $(basename "$1")"; sed 's/^/    /' "$1" >&2; }
}
energy() {
    "$MPJOULE" report --view energy "$1" >"$dir/energy" 2>&1 || fail "report: status $? ($(cat "$dir/energy"))"
}
json() { # FILE PYTHON-EXPRESSION of d
    python3 -c "import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not ($2))" "$1" ||
        fail "not so in $(basename "$1"): $2"
}
# Whole frames of a cut log are a prefix of the whole one's.
prefix() { # CUT WHOLE
    python3 - "$1" "$2" <<'PY' || fail "$(basename "$1") is no beginning of the whole log"
import sys
cut, whole = (open(n, "rb").read() for n in sys.argv[1:3])
end = cut.rfind(b"\0") + 1
sys.exit(not (len(cut) - end < 1038 and end > 1000 and whole.startswith(cut[:end])))
PY
}

for part in "$@"; do
    case $part in
    whole)
        for period in 1ms 7ms 10 997ms 1s; do
            sim -o "$dir/a.mplog" --period "$period" --for 20s --json "$dir/a.json" --csv "$dir/a.csv" >"$dir/a.out" ||
                fail "$period: status $?"
            says "$dir/a.out" 'samples *ok *none of'
            says "$dir/a.out" 'file *ok'
            json "$dir/a.json" "d['complete'] and d['lost'] == 0 and 0 <= d['time_s'] - 20 < 1e-3 and
                abs(d['samples'] - round(20 / d['sample_s'])) <= 1 and d['samples'] >= 20 and
                all(c['verdict'] == 'ok' for c in d['checks']) and
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
        background "$dir/m.mplog" 100 sim -o "$dir/m.mplog" --period 10 --marks --json "$dir/m.json" --quiet \
            < <(echo 'supply on'; sleep 0.3; echo; sleep 0.3; echo 'a "quoted" one'; sleep 30) 2>"$dir/err"
        sleep 0.8
        child=$(pgrep -P "$recorder" -x mpjoule || pgrep -P "$(pgrep -P "$recorder")" -x mpjoule)
        kill -USR1 "$child"
        sleep 0.3
        kill -INT "$child"
        wait "$recorder" || fail "Ctrl-C: status $?"
        json "$dir/m.json" "[p.get('mark') for p in d['phases']] == [None, 'supply on', 'mark', 'a \"quoted\" one', 'signal 1']
            and all(p['from'] == 'host' for p in d['phases'][1:]) and d['complete'] and d['lost'] == 0
            and abs(sum(p['processor']['energy_uj'] for p in d['phases']) / d['processor']['energy_uj'] - 1) < 1e-9"
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
    *)
        echo "no case $part" >&2
        exit 2
        ;;
    esac
done
[ "$failures" -eq 0 ] && echo "all of: $*"
exit $((failures > 0))
