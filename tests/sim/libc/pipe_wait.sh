#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads that wait for a pipe are blocked in the profile, and for what; and a program in which all do is
# told so.
# usage: pipe_wait.sh PROGRAM.c
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
source=$1
own_folder
"$mpjoule" cc -O2 -Wall -Wextra -Werror -pthread "$source" -o wait.elf
"$mpjoule" run --quiet --no-counters -o wait.mpj wait.elf -- flow >/dev/null
"$mpjoule" report --format csv --view sync wait.mpj >sync.csv
grep -q '^1,pipe,.*"main",.*pipe_wait.c",45,[1-9][0-9],' sync.csv || fail "no waits for a pipe: $(cat sync.csv)"
grep -q '^1,poll,.*"watch",.*pipe_wait.c",30,1,' sync.csv || fail "no wait for descriptors: $(cat sync.csv)"
"$mpjoule" report --format csv --view threads wait.mpj >threads.csv
awk -F, '$1 == 1 && $6 > 0.02 && $6 < $4 { n++ } END { exit n != 1 }' threads.csv ||
    fail "main is not blocked: $(cat threads.csv)"
"$mpjoule" run --quiet wait.elf -- stuck >out 2>&1 && fail "a deadlock ends with status 0"
grep -q 'thread 1 waits for pipe 0x[0-9a-f]* at 0x[0-9a-f]* .main, pipe_wait.c:' out || fail "thread 1: $(cat out)"
grep -q 'thread 2 waits for descriptors 0x[0-9a-f]* at' out || fail "thread 2: $(cat out)"
finish "all right"
