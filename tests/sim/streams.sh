#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A program's stdin and stdout: pipes nobody reads, full disks, input that does not come or can be
# read only once.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder

# No emulator of ours is left behind.
none_left() {
    local folder
    for folder in /proc/[0-9]*/cwd; do
        if [ "$(readlink "$folder")" = "$dir" ] && tr '\0' ' ' <"${folder%cwd}cmdline" | grep -q '^[^ ]*qemu-system-arm '; then
            fail "$1: an emulator is left behind"
        fi
    done 2>/dev/null
}

cat >ticks.c <<'EOF'
#include <stdio.h>
int main(int argc, char **argv)
{
    long n = 0;
    do
        printf("tick %ld of %s\n", n++, argv[0]);
    while (argc > 1 || n < 3);
    return 3;
}
EOF
cat >sum.c <<'EOF'
#include <stdio.h>
int main(void)
{
    long sum = 0;
    int x;
    puts("numbers?");
    while (scanf("%d", &x) == 1)
        sum += x;
    printf("%ld\n", sum);
    return 0;
}
EOF
echo 'int main(void) { return 3; }' >silent.c
"$mpjoule" cc -O2 silent.c -o silent.elf
"$mpjoule" cc -O2 ticks.c -o ticks.elf
"$mpjoule" cc -O2 sum.c -o sum.elf

# ---- nobody reads ----------------------------------------------------------------

# usage: head_of NAME STATUS OPTIONS... : the first line only, of a program that never ends
head_of() {
    local name=$1 want=$2 status
    shift 2
    set +e
    timeout 1000 "$mpjoule" run -o "$name.mpj" "$@" 2>"$name.err" | head -n 1 >"$name.out"
    status=${PIPESTATUS[0]}
    set -e
    [ "$status" -eq "$want" ] || fail "$name: exit status $status, expected $want"
    grep -q '^tick 0 of ticks.elf$' "$name.out" || fail "$name: the first line is missing"
    none_left "$name"
}
head_of endless 141 ticks.elf -- on
[ ! -s endless.err ] || fail "endless: $(head -n 1 endless.err)"
"$mpjoule" report endless.failed.mpj >endless.txt
grep -q '^Failed .*Broken pipe' endless.txt || fail "endless: the store does not say that it failed"
head_of passes 141 --events instr,branch,dcache_rd,dcache_wr ticks.elf -- on
[ ! -s passes.err ] || fail "passes: $(head -n 1 passes.err)"
# as everywhere: who ignores SIGPIPE wants to be told
(
    trap '' PIPE
    head_of ignored 125 ticks.elf -- on
    [ "$(cat ignored.err)" = "mpjoule: cannot write the program's output: Broken pipe; what was measured is in ignored.failed.mpj" ] || fail "ignored: $(cat ignored.err)"
    exit $((failures > 0))
) || failures=$((failures + 1))

# A recording ends in order.
set +e
timeout 1000 "$mpjoule" record -o record.mplog sim ticks.elf -- on </dev/null 2>record.err | head -n 1 >record.out
status=${PIPESTATUS[0]}
set -e
[ "$status" -eq 141 ] || fail "record: exit status $status, expected 141"
[ ! -s record.err ] || fail "record: $(head -n 1 record.err)"
"$mpjoule" report --view energy record.failed.mplog >record.txt || fail "record: what was recorded is gone"
none_left record

# What goes to files is there though nobody reads the report.
mkfifo unread
exec 5<>unread
exec 6>unread
exec 5>&-
status=0
"$mpjoule" run -o report.mpj --json report.json --compress silent.elf >&6 2>report.err || status=$?
[ "$status" -eq 141 ] || fail "report: exit status $status, expected 141"
[ ! -s report.err ] || fail "report: $(head -n 1 report.err)"
grep -q '"exit_status": *3' report.json || fail "report: no JSON"
"$mpjoule" run --quiet -o plain.mpj silent.elf || true
[ "$(stat -c %s report.mplog)" -lt "$(stat -c %s plain.mplog)" ] || fail "report: the raw log is not compressed"
"$mpjoule" report report.mpj >report.txt
grep -q '^Exit status  3' report.txt || fail "report: the store is not whole"
exec 6>&-

# ---- a full disk -----------------------------------------------------------------

status=0
"$mpjoule" run --quiet -o full.mpj ticks.elf >/dev/full 2>full.err || status=$?
[ "$status" -eq 125 ] || fail "full: exit status $status, expected 125"
grep -q "^mpjoule: cannot write the program's output: No space left on device" full.err || fail "full: $(cat full.err)"
status=0
timeout 1000 "$mpjoule" run --quiet -o full.mpj ticks.elf -- on >/dev/full 2>full.err || status=$?
[ "$status" -eq 125 ] || fail "full, endless: exit status $status, expected 125"
none_left full
status=0
"$mpjoule" help run >/dev/full 2>full.err || status=$?
[ "$status" -eq 125 ] || fail "help: exit status $status, expected 125"
status=0
"$mpjoule" doctor >/dev/full 2>full.err || status=$?
[ "$status" -eq 125 ] || fail "doctor: exit status $status, expected 125"
[ "$(cat full.err)" = "mpjoule: cannot write all output to stdout" ] || fail "doctor: $(cat full.err)"

# ---- files that cannot be written are known before the run ---------------------------

for bad in "--json nowhere/x" "--json ." "-o nowhere/x.mpj" "-o ."; do
    status=0
    rm -f ./*.mplog
    # shellcheck disable=SC2086
    "$mpjoule" run $bad silent.elf >bad.out 2>bad.err || status=$?
    [ "$status" -eq 125 ] || fail "$bad: exit status $status, expected 125"
    [ -z "$(find . -name '*.mplog')" ] || fail "$bad: it was run"
done

# ---- input that does not come ------------------------------------------------------

mkfifo never
exec 5<>never
limited true 1 124 'did not end within @ s' timeout 1000 "$mpjoule" run --quiet --timeout @ --stdin never -o late.mpj sum.elf
timeout 1000 "$mpjoule" run --quiet --stdin never -o cut.mpj sum.elf >cut.out 2>cut.err &
until grep -q numbers cut.out || ! kill -0 $! 2>/dev/null; do
    sleep 0.05
done
kill -INT $! || fail "Ctrl-C: it has ended by itself"
status=0
wait $! || status=$?
[ "$status $(cat cut.err)" = "130 mpjoule: interrupted; what was measured is in cut.failed.mpj" ] || fail "Ctrl-C: $status, $(cat cut.err)"
none_left Ctrl-C
exec 5>&-
status=0
"$mpjoule" run --stdin . sum.elf 2>folder.err || status=$?
[ "$status" -eq 125 ] || fail "folder as stdin: exit status $status, expected 125"

# ---- a terminal that closes ------------------------------------------------------------

# usage: hang_up NAME : a run that has begun to print gets SIGHUP
hang_up() {
    mkdir tmp
    TMPDIR=$dir/tmp "$mpjoule" run --quiet --timeout 1000 -o "$1.mpj" ticks.elf -- on >"$1.out" 2>"$1.err" &
    pid=$!
    until grep -q tick "$1.out" || ! kill -0 "$pid" 2>/dev/null; do
        sleep 0.05
    done
    kill -HUP "$pid" || fail "$1: it has ended by itself"
}
hang_up closed
status=0
wait "$pid" || status=$?
[ "$status $(cat closed.err)" = "130 mpjoule: interrupted; what was measured is in closed.failed.mpj" ] ||
    fail "a terminal that closes: $status, $(cat closed.err)"
rmdir tmp || fail "a terminal that closes: the emulator's folder is left"
none_left closed
# nohup: it goes on, until something else ends it
(
    trap '' HUP
    hang_up nohup
    size=$(stat -c %s nohup.out)
    until [ "$(stat -c %s nohup.out)" -gt $((size + 100000)) ] || ! kill -0 "$pid" 2>/dev/null; do
        sleep 0.05
    done
    kill -TERM "$pid" || fail "nohup: it has ended by itself"
    status=0
    wait "$pid" || status=$?
    [ "$status" = 130 ] || fail "nohup: $status, $(cat nohup.err)"
    rmdir tmp
    exit $((failures > 0))
) || failures=$((failures + 1))

# ---- input that can be read only once ------------------------------------------------

seq 1 100 | "$mpjoule" run --quiet --stdin - -o once.mpj sum.elf >once.out
[ "$(tail -n 1 once.out)" = 5050 ] || fail "a pipe as stdin: $(cat once.out)"
(
    for i in 1 2 3; do
        echo "$i"
        sleep 0.1
    done
) | "$mpjoule" run --quiet --json several.json --stdin - -o several.mpj \
    --events instr,branch,dcache_rd,dcache_wr sum.elf >several.out
[ "$(tail -n 1 several.out)" = 6 ] || fail "a pipe as stdin of several passes: $(cat several.out)"
printf '1\n2\n3\n' >input
"$mpjoule" run --quiet --json file.json --stdin input -o file.mpj \
    --events instr,branch,dcache_rd,dcache_wr sum.elf >/dev/null
sed -i '/^  "stdin": "/d' several.json file.json # its name is no part of what it says
cmp several.json file.json || fail "several passes do not all read what the pipe says"

finish "all right"
