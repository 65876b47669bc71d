#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A project of several files is built for the target as the manual says ("Build an existing project"),
# by its own build system: its checks find what is there and nothing else, and its tests run in the
# emulator.
# usage: project.sh make|cmake|autoconf|scons|script      (script: a configure script of its own)
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
own_folder
mkdir "$dir/bin"
ln -s "$mpjoule" "$dir/bin/mpjoule"
export PATH=$dir/bin:$PATH MPJOULE=$mpjoule
exec=$(mpjoule cc -print-file-name=mpjoule-exec)
folder=$dir/project
[ "$1" != cmake ] || folder="$dir/a project" # make and autoconf themselves fail in such a folder
cp -r "$root/apps/examples/wordfreq" "$folder"
cd "$folder"

# says WORDS FILE: one of its lines is that
says() {
    grep -qxF -- "$1" "$2" || fail "$2 has no line '$1': $(tail -n 20 "$2")"
}

# for_target FILE...: programs of the target
for_target() {
    for program in "$@"; do
        arm-none-eabi-readelf -h "$program" | grep -q "Machine: *ARM" || fail "$program is not for the target"
    done
}

case "$1" in
make)
    make -j4 CC="mpjoule cc" AR=arm-none-eabi-ar RUN="$exec" test >made.txt
    says "wordtest: ok" made.txt
    says "13 different words" made.txt
    for_target wordfreq wordtest
    [ "$("$exec" ./wordfreq -n 2 <text.txt | tail -n 1)" = "     3 cat" ] || fail "stdin"
    ends 1 "nofile: No such file" "$exec" ./wordfreq nofile
    ends 2 "usage: wordfreq" "$exec" ./wordfreq -x
    printf 'a b\n' >"a text.txt"
    ends 0 "2 different words" "$exec" ./wordfreq "a text.txt"
    if compgen -G "*.mpj" >/dev/null; then fail "mpjoule-exec leaves a store"; fi
    arm-none-eabi-strip wordtest
    ends 0 "wordtest: ok" "$exec" ./wordtest
    cat >env.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) { return puts(getenv("OMP_NUM_THREADS")) < 0; }
END
    mpjoule cc env.c -o env
    OMP_NUM_THREADS="3 ,2" ends 0 "^3 ,2$" "$exec" ./env
    ;;
cmake)
    cmake -S . -B built -DCMAKE_TOOLCHAIN_FILE="$(mpjoule cc -print-file-name=mpjoule.cmake)" >made.txt 2>&1 ||
        die "cmake: $(cat made.txt)"
    cmake --build built -j 2 >>made.txt 2>&1 || die "cmake --build: $(tail -n 30 made.txt)"
    for line in "GETDELIM 1" "FORK 0" "MMAP 1" "SYMLINK 0" "SYS_MMAN_H 1" "SYS_PTRACE_H 0"; do
        says "#define HAVE_$line" built/config.h
    done
    says "#define SIZEOF_LONG 4" built/config.h
    says "#define CHAR_IS_UNSIGNED 1" built/config.h
    for_target built/wordfreq built/wordtest
    (cd built && ctest -j 2 >ctest.txt) || fail "ctest: $(cat built/ctest.txt)"
    # a library is static, unless the project insists
    sed -i 's/add_library(words words.c)/add_library(words SHARED words.c)/' CMakeLists.txt
    ends 2 "mpjoule: -shared: the target has no shared libraries" cmake --build built
    ;;
autoconf)
    autoreconf -i >made.txt 2>&1 || die "autoreconf: $(cat made.txt)"
    CONFIG_SITE=$(mpjoule cc -print-file-name=config.site)
    export CONFIG_SITE
    mkdir built
    cd built
    ../configure --host=arm-none-eabi CC="mpjoule cc" >made.txt 2>&1 || die "configure: $(tail made.txt)"
    make -j2 check LOG_COMPILER="$exec" >>made.txt 2>&1 || fail "make check: $(tail -n 30 made.txt)"
    make >>made.txt 2>&1
    says "# PASS:  1" made.txt
    for line in "sys/mman.h... yes" "sys/ptrace.h... no" "getdelim... yes" "mmap... yes" "fork... no" \
        "symlink... no" "chown... yes" "strlcpy... yes" "GNU libc compatible malloc... (cached) yes"; do
        says "checking for $line" made.txt
    done
    says "checking whether fork is declared... yes" made.txt
    for_target wordfreq wordtest
    make install DESTDIR="$dir/there" >>made.txt 2>&1
    for_target "$dir/there/usr/local/bin/wordfreq"
    ;;
scons)
    scons CC="mpjoule cc" AR=arm-none-eabi-ar RANLIB=arm-none-eabi-ranlib RUN="$exec" . test >made.txt 2>&1
    for line in "function getdelim()... yes" "function mmap()... yes" "function fork()... no" "library pthread... yes"; do
        says "Checking for C $line" made.txt
    done
    says "wordtest: ok" made.txt
    for_target wordfreq wordtest
    ;;
script)
    CC="mpjoule cc" "$root/apps/workloads/paint/configure" >made.txt || die "configure: $(cat made.txt)"
    says "checking for htonl... yes" made.txt
    says "checking for OpenMP... yes" made.txt
    make -s -j2 -f Makefile >>made.txt 2>&1 || die "make: $(cat made.txt)"
    for_target paint
    ends 0 "paint: ok 30x20" "$exec" ./paint -n 30 -o 1
    python3 -c 'import struct, sys, zlib
data = open("paint.png", "rb").read()
at, idat = 8, b""
while at < len(data):
    n, = struct.unpack(">I", data[at:at + 4])
    kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + n]
    assert struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0] == zlib.crc32(kind + body)
    idat += body if kind == b"IDAT" else b""
    at += 12 + n
sys.exit(len(zlib.decompress(idat)) != 20 * 91)' || fail "paint.png is not a PNG file of 30 x 20"
    ;;
*) die "usage: project.sh make|cmake|autoconf|scons|script" ;;
esac
finish "$1: all right"
