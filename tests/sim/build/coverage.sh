#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Coverage (--coverage) of a program is what gcov says on this machine, run by run.
# usage: coverage.sh
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
own_folder
mkdir -p src native
cat >src/part.c <<'END'
int part(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += i % 3 == 0 ? 1 : 2;
    if (n > 100)
        sum = 0;
    return sum;
}
END
cat >main.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int part(int n);

static void *work(void *arg)
{
    return (void *)(size_t)part(*(int *)arg);
}

static void at_end(void)
{
    part(2);
}

int main(int argc, char **argv)
{
    pthread_t t;
    int n = argc > 1 ? atoi(argv[1]) : 5;

    atexit(at_end);
    pthread_create(&t, NULL, work, &n);
    pthread_join(t, NULL);
    if (argc > 2)
        exit(3);
    printf("%d\\n", part(n));
    return 0;
}
END
build() { # COMPILER...: in the folder
    "$@" -O0 --coverage -c src/part.c -o src/part.o
    "$@" -O0 --coverage -pthread -c main.c -o main.o
    "$@" --coverage -pthread main.o src/part.o -o cover.elf
}
# lines GCOV: executions by line, without what names the files
lines() {
    "$1" -t main.o | grep -v 'Graph:\|Data:\|Source:'
    "$1" -t src/part.o | grep -v 'Graph:\|Data:\|Source:'
}
cp -r src main.c native
build "$mpjoule" cc
(cd native && build gcc)
same() {
    lines arm-none-eabi-gcov >have.txt 2>/dev/null
    (cd native && lines gcov 2>/dev/null) >want.txt
    diff want.txt have.txt || fail "$1: other counts than on this machine"
}
run() { "$mpjoule" run --quiet --no-counters --dir . cover.elf -- "$@" >out.txt 2>err.txt; }
run 7 || fail "$(cat err.txt)"
(cd native && ./cover.elf 7 >/dev/null)
same "one run"
run 200 || fail "$(cat err.txt)"
(cd native && ./cover.elf 200 >/dev/null)
same "two runs"
run 3 leave && fail "status 0"
(cd native && ./cover.elf 3 leave >/dev/null) || true
same "exit()"
grep -q 'Runs:3' have.txt || fail "not three runs: $(head -n 3 have.txt)"

# another program of the same name: what counts the same goes on, the other begins again
sed -i 's/n > 100/n > 10 \&\& n < 15/' src/part.c native/src/part.c
build "$mpjoule" cc
(cd native && build gcc)
run 20 || fail "$(cat err.txt)"
(cd native && ./cover.elf 20 >/dev/null 2>&1)
same "compiled again"
grep -q 'Runs:4' have.txt || fail "$(grep Runs have.txt)"
grep -q 'Runs:1' have.txt || fail "$(grep Runs have.txt)"
# a damaged file
head -c 50 src/part.gcda >part.cut
cp part.cut src/part.gcda
rm main.gcda native/main.gcda native/src/part.gcda
run 20 || fail "$(cat err.txt)"
(cd native && ./cover.elf 20 >/dev/null 2>&1)
same "after a damaged file"
# and one whose record of a function says that it is all zeros
python3 - src/part.gcda <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = 4 * struct.unpack(f"<{len(data) // 4}I", data).index(0x01000000)
size, = struct.unpack_from("<i", data, at + 4)
data[at + 4:at + 8 + size] = struct.pack("<i", -size)
open(sys.argv[1], "wb").write(data)
END
rm main.gcda native/main.gcda native/src/part.gcda
run 20 || fail "$(cat err.txt)"
(cd native && ./cover.elf 20 >/dev/null 2>&1)
same "after a damaged record"

# Thumb code
build "$mpjoule" cc -mthumb
rm -f main.gcda src/part.gcda
run 20 || fail "$(cat err.txt)"
same "Thumb"

# without the folder: one line, and the program's status
"$mpjoule" run --quiet --no-counters cover.elf -- 7 >out.txt 2>err.txt || fail "$(cat err.txt)"
[ "$(wc -l <err.txt)" -eq 1 ] || fail "more than one line: $(cat err.txt)"
grep -q 'mpjoule: coverage of 2 objects is not saved: .mpjoule run --dir FOLDER.' err.txt || fail "$(cat err.txt)"
finish "coverage is that of this machine"
