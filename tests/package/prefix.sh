#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installed under a prefix that is moved then: everything is found from where the command lies. Manual
# pages, completion, and what `mpjoule doctor` says of a place where something is missing.
# usage: prefix.sh BUILD-OF-HOST
set -euo pipefail
build=$1
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder

cmake --build "$build" >build.log 2>&1 || die "the host's build failed: $(tail -n 3 build.log)"
cmake --install "$build" --prefix "$dir/first" >install.log 2>&1 || die "cannot install: $(tail -n 3 install.log)"
mv first moved
mpjoule=$dir/moved/bin/mpjoule
unset MPJOULE_QEMU MPJOULE_FIRMWARE MPJOULE_CALIBRATIONS MPJOULE_GROUPS MPJOULE_MODELS
mkdir empty
export PATH=$dir/moved/bin:$PATH

# ---- it works where it is -----------------------------------------------------------------------
matmul=$dir/moved/share/mpjoule/apps/examples/matmul.c
"$mpjoule" cc -O2 -o matmul.elf "$matmul" -lm || die "cannot build"
"$mpjoule" run --quiet -o run.mpj matmul.elf >/dev/null || die "cannot run"
"$mpjoule" report run.mpj >report.txt || die "cannot report"
grep -q '^Time ' report.txt || fail "the report has no time"
"$mpjoule" groups >/dev/null || fail "the counter groups are not found"
# the same program from the build tree: the same bytes
"$root/build/mpjoule" cc -O2 -o tree.elf "$matmul" -lm
cmp -s matmul.elf tree.elf || fail "installed, the compiler makes another program than in the build tree"
# in another folder, assembly code with them: the same bytes, although the assembler sees temporary names
printf '.globl twice\ntwice: add r0, r0, r0\nbx lr\n' >twice.S
printf 'int twice(int x);\nint main(void) { return twice(0); }\n' >main.c
mkdir other
cp twice.S main.c other
"$mpjoule" cc -g -o here.elf main.c twice.S
(cd other && "$root/build/mpjoule" cc -g -o ../there.elf main.c twice.S)
cmp -s here.elf there.elf || fail "in another folder the compiler makes another program"
cmake -E make_directory project
printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(p C)' "add_executable(p $matmul)" 'target_link_libraries(p m)' \
    >project/CMakeLists.txt
toolchain=$("$mpjoule" cc -print-file-name=mpjoule.cmake)
if ! cmake -S project -B project/b -DCMAKE_TOOLCHAIN_FILE="$toolchain" >cmake.log 2>&1 || ! cmake --build project/b >>cmake.log 2>&1; then
    fail "the toolchain file: $(tail -n 3 cmake.log)"
fi
if ! (mkdir begun && cd begun && mpjoule init && cmake -B build && cmake --build build && mpjoule gate) >init.log 2>&1; then
    fail "mpjoule init, build, gate: $(tail -n 5 init.log)"
fi
cp -r "$dir/moved/share/mpjoule/apps/examples/wordfreq" wordfreq
mpjoule build wordfreq --quiet || fail "mpjoule build"
# The Containerfile names the folder that it copies to, which may be this one.
if grep -arl --exclude=Containerfile "$root\|$dir/first" moved/share/mpjoule; then
    fail "what is installed names the build tree or the first prefix"
fi

# ---- manual pages and completion ------------------------------------------------------------------
for page in "$root"/docs/man/*.md; do
    name=$(basename "$page" .md)
    gz=moved/share/man/man1/$name.1.gz
    [ -s "$gz" ] || { fail "no manual page $name"; continue; }
    lexgrog "$gz" | grep -q ": \"$name - ." || fail "$name: no line for apropos"
    ! zcat "$gz" | grep -q '^\.SH.*##' || fail "$name: headings"
done
# complete WORD...: what bash offers for the last one
complete_words() {
    bash -c '
        . "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _mpjoule
        printf "%s\n" "${COMPREPLY[@]}"' _ "$dir/moved/share/bash-completion/completions/mpjoule" "$@"
}
[ "$(complete_words mpjoule dia)" = "" ] || fail "completion offers what is no command"
[ "$(complete_words mpjoule doc)" = doctor ] || fail "completion of doc: $(complete_words mpjoule doc)"
[ "$(complete_words mpjoule diff --fo)" = --format= ] || fail "completion of --fo: $(complete_words mpjoule diff --fo)"
[ "$(complete_words mpjoule model cov)" = coverage ] || fail "completion of model cov: $(complete_words mpjoule model cov)"
complete_words mpjoule run matm | grep -qx matmul.elf || fail "completion offers no files"

# ---- the doctor -----------------------------------------------------------------------------------
# doctor STATUS WORDS VARIABLE=VALUE...: how it ends, and a line of what it says
doctor() {
    local want=$1 words=$2 status=0
    shift 2
    env "$@" "$mpjoule" doctor >doctor.out 2>&1 || status=$?
    [ "$status" -eq "$want" ] || fail "doctor ($*): exit status $status, not $want: $(cat doctor.out)"
    grep -qE "$words" doctor.out || fail "doctor ($*) does not say \"$words\": $(cat doctor.out)"
}
doctor 0 '^ok +running +it runs' A=b
doctor 0 '^ok +command .*/moved/bin/mpjoule' A=b
doctor 1 '^MISSING +compiler' PATH="$dir/empty"
doctor 1 '^MISSING +runtime +/nowhere/mpjoule.specs' MPJOULE_FIRMWARE=/nowhere
doctor 1 '^MISSING +emulator +/nowhere' MPJOULE_QEMU=/nowhere
doctor 1 '^MISSING +running' MPJOULE_QEMU=/bin/false
doctor 1 '^MISSING +temporary' TMPDIR=/nowhere
doctor 0 '^note +command .*another one' PATH="$root/build:$PATH"
doctor 0 '^note +boards .*/report.txt:2: ' MPJOULE_BOARDS="$dir/report.txt"
doctor 0 '^ok +running' HOME=/nowhere XDG_CACHE_HOME=/nowhere
doctor 0 '^note +environment +MPJOULE_QEMU=.* instead of this version' MPJOULE_QEMU="$root/build/sim/qemu-system-arm"
doctor 1 '^MISSING +skeleton +/nowhere/gate.yaml' MPJOULE_SKELETON=/nowhere
doctor 1 '^MISSING +pipelines +/nowhere' MPJOULE_CI=/nowhere
doctor 1 '^note +debugger +gdb-multiarch is not in PATH' PATH="$dir/empty"
doctor 0 '^note +debugger +/nowhere is missing' MPJOULE_GDB=/nowhere
# each package that the Debian package depends on, recommends or suggests is named where it is missing
doctor 1 '^note +tool +git is not in PATH' PATH="$dir/empty"
grep -E '^set\(CPACK_DEBIAN_PACKAGE_(DEPENDS|RECOMMENDS|SUGGESTS)' "$root/package/CMakeLists.txt" | cut -d'"' -f2 | tr -d ' ' | tr , '\n' >packages
[ "$(wc -l <packages)" -ge 12 ] || fail "packages: $(cat packages)"
while read -r package; do
    grep -q "apt-get install .*\b$package\b" doctor.out || fail "doctor does not name the package $package"
done <packages
# ---- bad places: one line each, and nothing half --------------------------------------------------
sqlite3 old.mpj "ATTACH 'run.mpj' AS r; PRAGMA application_id = 1297107505; PRAGMA user_version = 2; CREATE TABLE meta(x)"
ends 125 "old.mpj" "$mpjoule" report old.mpj
[ "$(wc -l <"$dir/err")" = 1 ] || fail "an old store takes more than a line: $(cat "$dir/err")"
grep -qi "version" "$dir/err" || fail "an old store: $(cat "$dir/err")"
# an emulator of another version, without what this one asks for
printf '#!/bin/sh\necho "qemu-system-arm: Property '"'"'realview-eb-mpcore-machine.debug'"'"' not found" >&2\nexit 1\n' >older
chmod 755 older
ends 125 "unset MPJOULE_QEMU" env MPJOULE_QEMU="$dir/older" "$mpjoule" run --gdb -o older.mpj matmul.elf
# folders that are none
ends 125 "/dev/null/run.mpj" "$mpjoule" run -o /dev/null/run.mpj matmul.elf
(cd begun && ends 125 "/dev/null/cache" mpjoule gate --cache /dev/null/cache)
ends 125 "/nowhere" env TMPDIR=/nowhere "$mpjoule" run -o t.mpj matmul.elf
ends 0 . env HOME=/nowhere XDG_CACHE_HOME=/nowhere XDG_CONFIG_HOME=/nowhere "$mpjoule" run --quiet -o home.mpj matmul.elf
# what is missing is one line elsewhere, too
ends 125 "mpjoule doctor" env MPJOULE_FIRMWARE=/nowhere "$mpjoule" cc "$matmul"
ends 125 "mpjoule doctor" env MPJOULE_QEMU=/nowhere "$mpjoule" run matmul.elf
rm moved/share/mpjoule/calibrations/mprofiler.conf
doctor 1 '^MISSING +calibration' A=b

finish "installed under a prefix, moved: $(du -sh moved | cut -f1)"
