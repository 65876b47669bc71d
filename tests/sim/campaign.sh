#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A small measuring campaign: killed and continued, the same data as one that ran through, and
# failures that are named.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
rm -rf -- *.mpc *.csv *.work list odd
# What is killed leaves its files.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# Killed in the middle, with whatever it was doing: each emulator is started, those from the twentieth on do not
# come to speak.
cat >"$TMPDIR/some" <<EOF
#!/bin/sh
echo x >>"$TMPDIR/starts"
[ \$(wc -l <"$TMPDIR/starts") -lt 20 ] || exec sleep 1000
exec "$QEMU" "\$@"
EOF
chmod +x "$TMPDIR/some"
MPJOULE_QEMU=$TMPDIR/some "$mpjoule" model campaign --count 6 -j 2 -o a.mpc --quiet &
pid=$!
while kill -0 "$pid" 2>/dev/null; do
    runs=$(sqlite3 -readonly a.mpc 'SELECT count(*) FROM run' 2>/dev/null || echo 0)
    [ "$runs" -lt 8 ] || break
    sleep 0.1
done
kill -9 "$pid" 2>/dev/null || die "it had ended before it could be killed"
wait "$pid" 2>/dev/null || true
before=$(sqlite3 a.mpc 'SELECT count(*) FROM run')
{ [ "$before" -ge 8 ] && [ "$before" -lt 66 ]; } || die "$before runs when killed"
"$mpjoule" model coverage a.mpc >/dev/null 2>&1 || true # readable in any state

"$mpjoule" model campaign --count 6 -j 2 -o a.mpc --csv a.csv >out.txt 2>err.txt
grep -q '6 of 6 programs complete, 11 passes each' out.txt || die "not complete: $(cat out.txt)"
[ "$(wc -l <a.csv)" = 7 ] || die "the CSV has $(wc -l <a.csv) lines"
[ ! -e a.mpc.work ] || die "its working folder is still there"
[ "$(sqlite3 a.mpc 'PRAGMA integrity_check')" = ok ] || die "the file is damaged"

# Nothing left to do; and what ran through has the same bytes, program by program.
"$mpjoule" model campaign --count 6 -o a.mpc --csv again.csv --quiet
cmp a.csv again.csv || die "reading it again gives other bytes"
"$mpjoule" model campaign --count 2 -j 1 -o b.mpc --csv b.csv --quiet
head -n 3 a.csv | cmp - b.csv || die "a campaign of its own gives other data"

# Every event of every core is there, and power near the truth.
python3 - a.csv <<'PY'
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")):
    missing = [k for k, v in row.items() if v == ""]
    assert not missing, (row["name"], missing)
    assert row["complete"] == "1"
    truth = float(row["truth.energy_uj"]) / float(row["truth.window_s"]) / 1e3
    assert abs(float(row["power_mw"]) - truth) < 0.01 * truth, (row["name"], row["power_mw"], truth)
    assert 0.03 < float(row["time_s"]) < 0.5, (row["name"], row["time_s"])
PY
"$mpjoule" model coverage a.mpc >out.txt
grep -q '^instr .*/20$' out.txt || die "no coverage"
"$mpjoule" model generate --count 6 | cut -d'|' -f1-3 >names
tail -n +2 a.csv | cut -d, -f2-4 | tr , '|' | cmp - names || die "generate says otherwise"

# Events in turn within the run: fewer runs, the same programs, counts near the others'.
"$mpjoule" model campaign --count 6 --rotate -o r.mpc --csv r.csv >out.txt 2>err.txt
grep -q '6 of 6 programs complete, 5 passes each' out.txt || die "in turn: $(cat out.txt)"
python3 - a.csv r.csv <<'PY'
import csv, sys
exact, turns = [list(csv.DictReader(open(name, newline=""))) for name in sys.argv[1:]]
for a, r in zip(exact, turns):
    assert a["name"] == r["name"] and r["complete"] == "1"
    x, y = (sum(float(row[f"core{k}.instr"]) for k in range(4)) for row in (a, r))
    assert x != y and abs(y / x - 1) < 0.20, (a["name"], x, y)
PY
if "$mpjoule" model campaign --count 6 -o r.mpc --quiet 2>err.txt; then
    die "it mixed turns and passes"
fi
grep -q 'belongs to another campaign' err.txt || die "$(cat err.txt)"

# Another campaign must not be mixed in.
if "$mpjoule" model campaign --count 6 --generator-seed 2 -o a.mpc --quiet 2>err.txt; then
    die "it mixed two campaigns"
fi
grep -q 'belongs to another campaign' err.txt || die "$(cat err.txt)"

# Given programs, one of which faults: named, not repeated, and the data set says so.
printf '# two\nidle|wait|%s/idle.elf|1 40\nfault|bad|%s/fault.elf|\n' "$apps" "$apps" >list
status=0
"$mpjoule" model campaign --programs list -o c.mpc >out.txt 2>err.txt || status=$?
[ "$status" = 125 ] || die "status $status"
grep -q '1 of 2 programs complete' out.txt || die "$(cat out.txt)"
grep -q 'fault: 0 of 11 passes; pass 1 failed: ' out.txt || die "$(cat out.txt)"
[ "$(sqlite3 c.mpc 'SELECT max(tries) FROM run')" = 1 ] || die "a fault was repeated"
[ -e c.mpc.work/fault.1.mplog ] || die "the log of the failure is gone"

# Its CSV does not replace a whole one; to a pipe it goes as it is.
echo whole >c.csv
! "$mpjoule" model campaign --programs list -o c.mpc --csv c.csv --quiet 2>err.txt || die "it is complete"
grep -q '1 of 2 programs are incomplete; what was measured is in c.failed.csv$' err.txt || die "$(cat err.txt)"
{ [ "$(cat c.csv)" = whole ] && [ "$(wc -l <c.failed.csv)" = 3 ]; } || die "$(head -n 2 c.csv c.failed.csv)"
{ "$mpjoule" model campaign --programs list -o c.mpc --csv /dev/stdout --quiet 2>err.txt || true; } | cmp - c.failed.csv ||
    die "to a pipe: $(cat err.txt)"
refused 'c.failed.csv is an input and would be overwritten' model campaign --programs c.failed.csv -o c.mpc --csv c.csv

# Resumed, what failed comes last, after the other passes of its program, and these after other programs.
"$mpjoule" model campaign --count 2 --model mprofiler -o f.mpc --quiet
passes=$(sqlite3 f.mpc 'SELECT max(pass) + 1 FROM run')
sqlite3 f.mpc "UPDATE run SET outcome = 3, message = 'lost' WHERE program = 0 AND pass = 0;
    DELETE FROM run WHERE program = 0 AND pass = 1 OR program = 1 AND pass = 0"
cat >"$TMPDIR/order" <<EOF
#!/bin/sh
sqlite3 -readonly f.mpc "SELECT coalesce(group_concat(program || '.' || pass, ' '), '') FROM run WHERE outcome = 0" >>"$TMPDIR/was"
exec "$QEMU" "\$@"
EOF
chmod +x "$TMPDIR/order"
MPJOULE_QEMU=$TMPDIR/order "$mpjoule" model campaign --count 2 --model mprofiler -j 1 -o f.mpc --quiet
python3 - "$TMPDIR/was" "$passes" <<'PY'
import sys
had = {f"{n}.{k}" for n in range(2) for k in range(int(sys.argv[2]))} - {"0.0", "0.1", "1.0"}
was = [set(line.split()) - had for line in open(sys.argv[1], encoding="utf-8")]
assert was == [set(), {"1.0"}, {"1.0", "0.1"}], was
PY

# The only board is gone, which no quarantine says of one without a tag: given up after three runs, and resumed with
# those of another program.
printf 'boards:\n  - {id: t0, port: "tcp://localhost:1", calibration: mprofiler}\n' >"$TMPDIR/boards"
for runs in 3 6; do
    status=0
    MPJOULE_LOCKS=$TMPDIR XDG_STATE_HOME=$TMPDIR "$mpjoule" model campaign --count 2 --boards "$TMPDIR/boards" --target t0 -o g.mpc --quiet 2>err.txt || status=$?
    { [ "$status" = 125 ] && grep -q 'no board is left: t0 failed 3 runs in a row (cannot connect to tcp://localhost:1' err.txt; } ||
        die "$status: $(cat err.txt)"
    [ "$(sqlite3 g.mpc 'SELECT count(*) FROM run WHERE outcome <> 0 AND pass < 3')" = $runs ] || die "not $runs runs: $(cat err.txt)"
done

# Sources are compiled, relative to the list; an application of the firmware goes by its name. Only
# what a model needs is counted, and it can be verified with what was measured.
mkdir -p src 'src/a folder'
cat >'src/a folder/spin.c' <<'EOF'
#include <stdlib.h>
int main(int argc, char **argv)
{
    volatile unsigned n = 0;
    while (n < strtoul(argv[argc - 1], NULL, 0) * SCALE)
        n++;
    return n == 0;
}
EOF
cp -- "$apps/idle.elf" 'src/a folder/idle.elf'
printf 'spin|cpu|a folder/spin.c -DSCALE=1000|200\nidle|wait|src/a folder/idle.elf|1 40\n' >src/list
rm -rf s.mpc s.mpc.work
"$mpjoule" model campaign --programs src/list --model mprofiler -o s.mpc >out.txt
grep -q '2 of 2 programs complete, [2-9] passes each' out.txt || die "$(cat out.txt)"
[ ! -e s.mpc.work ] || die "compiled programs were left behind"
"$mpjoule" model verify mprofiler s.mpc --csv s.csv --svg s.svg >out.txt || die "verify failed"
grep -q '^spin ' out.txt || die "verify: $(cat out.txt)"
[ "$(grep -c '^mprofiler,spin,core,' s.csv)" = 4 ] || die "verify --csv: $(cat s.csv)"
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' s.svg || die "verify --svg"
echo 'x|y|src/a folder/spin.c -DSCALE=nothing|1' >list
! "$mpjoule" model campaign --programs list -o d.mpc >out.txt 2>err.txt || die "it ran what does not compile"
grep -q 'list, line 1: src/a folder/spin.c does not compile' err.txt || die "$(cat err.txt)"

for line in 'nothing' 'a|b' 'a|b|/nonexistent.elf|'; do
    echo "$line" >list
    ! "$mpjoule" model campaign --programs list -o d.mpc 2>err.txt || die "it took \"$line\""
    [ "$(wc -l <err.txt)" = 1 ] || die "$(cat err.txt)"
done

mkdir odd
refused 'the name of the data set must be UTF-8' model campaign --count 1 -o odd/$'\xff.mpc'
refused 'no serial port /dev/ttyNONE: is the adapter attached?' model campaign --count 1 --target /dev/ttyNONE -o odd/d.mpc
rmdir odd || die "something is left"

# The program itself names what it does not understand.
status=0
"$mpjoule" run --quiet -o e.mpj "$apps/basis.elf" -- 0=nonsense:3 2>err.txt || status=$?
{ [ "$status" = 2 ] && grep -q 'no such segment: "nonsense"' err.txt; } || die "$status: $(cat err.txt)"
finish "all right"
