#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What goes wrong in the emulator: one clear line, the right exit status, and the
# raw log of what was received survives.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder

# expect NAME STATUS PATTERN COMMAND...: exit status, one line on stderr that matches
# (the first one, for a fault that is followed by its registers); no pattern: silence
expect() {
    local name=$1 want=$2 pattern=$3 status=0
    shift 3
    "$@" >"$name.out" 2>"$name.err" || status=$?
    [ "$status" -eq "$want" ] || fail "$name: exit status $status, expected $want"
    if [ -z "$pattern" ]; then
        [ ! -s "$name.err" ] || fail "$name: unexpected: $(head -n 1 "$name.err")"
    elif ! head -n 1 "$name.err" | grep -qE "$pattern"; then
        fail "$name: the first line of stderr does not match '$pattern': $(head -n 3 "$name.err")"
    fi
}
log_survives() {
    if [ ! -s "$1.mplog" ] || ! "$mpjoule" report "$1.mplog" >/dev/null 2>"$1.report"; then
        # A report of a failed run says so, but the log must be readable.
        ! grep -qiE 'cannot read|not a log|corrupt' "$1.report" ||
            fail "$1: the raw log did not survive: $(head -n 1 "$1.report")"
    fi
    [ -s "$1.mplog" ] || fail "$1: no raw log"
}

expect fault 125 'the program faulted: data abort at address 0x00000000' \
    "$mpjoule" run -o fault.mpj "$apps/fault.elf"
grep -q 'level3.*fault\.c:' fault.err || fail "fault: no symbolised backtrace"
grep -q 'status 0x805: nothing is mapped there: an access through a NULL pointer' fault.err || fail "fault: nothing about its cause"
log_survives fault
expect call 125 'the program faulted: prefetch abort, jump to address 0x00000000, core 0, lr 0x' \
    "$mpjoule" run --no-counters -o call.mpj "$apps/fault.elf" -- call
grep -q '#1 .*level3.*fault\.c:' call.err || fail "call: $(cat call.err)"
grep -q 'nothing is mapped there: a call through a NULL pointer' call.err || fail "call: nothing about its cause"
# a member of a structure, on another core
expect member 125 'the program faulted: data abort at address 0x00000014, core 1' \
    "$mpjoule" run --no-counters -o member.mpj "$apps/fault.elf" -- nothing 1

# A deadlock, and any other failure, does not say that something is missing when nothing is.
cat >deadlock.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    pthread_mutex_lock(&a);
    return pthread_mutex_lock(&a);
}
END
"$mpjoule" cc -pthread deadlock.c -o deadlock.elf
expect deadlock 125 'every thread is blocked: 1 in all' "$mpjoule" run -o deadlock.mpj deadlock.elf
for run in deadlock fault; do
    "$mpjoule" report "$run.mpj" >"$run.said" || [ $? -eq 125 ]
    grep -q '^Failed ' "$run.said" || fail "$run: $(cat "$run.said")"
    ! grep -q '^Incomplete' "$run.said" || fail "$run: $(grep '^Incomplete' "$run.said")"
done

# How far a program comes in seconds of the host's is the host's business: a slow one gets more.
for seconds in 2 15 100; do
    expect hang 124 "mpjoule: the (program did not (start|end)|emulator did not open its serial line) within $seconds s .--timeout." \
        "$mpjoule" run --timeout "$seconds" -o hang.mpj "$apps/hang.elf"
    ! grep -q 'here I stay' hang.out || break
done
grep -q 'here I stay' hang.out || fail "hang: the output before the hang is lost"
grep -q "^mpjoule: the program did not end within $seconds s" hang.err || fail "hang: $(cat hang.err)"
log_survives hang.failed
limited true 2 124 '^mpjoule: the program did not end within @ s' "$mpjoule" run --timeout @ -o sleep.mpj "$apps/hang.elf" -- wfi
[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "sleep: not one line: $(cat "$dir/err")"

expect status 7 "" "$mpjoule" run --quiet -o status.mpj "$apps/status.elf" -- 7

printf 'int main(int argc, char **argv) { return argv[argc - 1][0] == 0x78 ? argc / 10 : 1; }\n' >many.c
"$mpjoule" cc many.c -o many.elf
# shellcheck disable=SC2046
expect many 51 "" "$mpjoule" run --quiet --no-counters many.elf -- $(seq 1 509) x
# shellcheck disable=SC2046
expect more 125 'too many arguments: at most 511' "$mpjoule" run --quiet many.elf -- $(seq 1 511)

expect foreign 125 'not for 32-bit little-endian ARM' "$mpjoule" run /bin/true
expect missing 125 'no-such-qemu is missing' env MPJOULE_QEMU=no-such-qemu "$mpjoule" run "$apps/status.elf"
printf '#!/bin/sh\n' >denied
expect denied 125 'emulator ./denied cannot be run by this user: Permission denied' \
    env MPJOULE_QEMU=./denied "$mpjoule" run "$apps/status.elf"
ends 1 '^MISSING *emulator *./denied cannot be run by this user: Permission denied' \
    env MPJOULE_QEMU=./denied "$mpjoule" doctor
! grep -q 'denied does not exist' out || fail "doctor: what is there is said not to be"
# the hint is for what is wrong
ends 1 '^MISSING *running' env MPJOULE_LOCKS=/etc/passwd MPJOULE_QEMU=/bin/true "$mpjoule" doctor
grep -A 1 '/etc/passwd is not a folder' out | grep -q 'set MPJOULE_LOCKS to a folder' || fail "doctor: $(grep -A 1 ' locks ' out)"
grep -A 1 ' running ' out | grep -q 'unset MPJOULE_QEMU' || fail "doctor: $(grep -A 1 ' running ' out)"
ends 1 '^MISSING *running' env MPJOULE_CALIBRATIONS=/none "$mpjoule" doctor
grep -A 1 ' running ' out | grep -q 'first mend the calibration' || fail "doctor: $(grep -A 1 ' running ' out)"
printf '#!/bin/sh\necho "qemu: -sandbox on: failed to install seccomp syscall filter" >&2\nexit 1\n' >strict
chmod +x strict
ends 1 '^MISSING *running' env MPJOULE_QEMU=./strict "$mpjoule" doctor
grep -A 1 ' running ' out | grep -q 'MPJOULE_SANDBOX=off' || fail "doctor: $(grep -A 1 ' running ' out)"
expect stock 125 'without mpjoule.s chip model' env MPJOULE_QEMU="$(command -v qemu-system-arm)" \
    "$mpjoule" run "$apps/status.elf"

expect flash 125 'no board given' "$mpjoule" flash
[ -e /etc/mpjoule/boards.yaml ] || expect no-list 125 'no list of boards.*mpjoule help boards' env HOME=/nonexistent "$mpjoule" boards
expect boards 125 'unrecognized option' "$mpjoule" boards --frobnicate
expect run 125 'unrecognized option' "$mpjoule" run --frobnicate

finish "all right"
