#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `mpjoule build` with each build system: the same project four times, tests that name a path, results,
# a second call, and what cannot be built in one clear line.
# usage: projects.sh make|cmake|autoconf|meson|refusals|interrupt
# shellcheck disable=SC2016 # what makefiles and scripts expand
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
own_folder
unset MPJOULE # the tools find the command by themselves
project=$dir/project
built=$project/build-mpjoule

# row TEXT RESULT: the last table has this test with that result and figures above 0
row() {
    grep -E "^ *$1 +$2 +0\.[0-9]*[1-9][0-9]* s +[0-9.]*[1-9][0-9.]* mJ" "$dir/out" >/dev/null ||
        fail "no row '$1 $2' with figures in: $(cat "$dir/out" "$dir/err")"
}

# clean: git sees nothing new in the project
clean() {
    [ -z "$(git -C "$project" status --porcelain)" ] || fail "the tree has changed: $(git -C "$project" status --short)"
}

# keep: the project as it is, under version control
keep() {
    git -C "$project" init -q
    git -C "$project" add -A
    git -C "$project" -c user.name=a -c user.email=a@b.invalid commit -q -m a
}

# alike: a second call says the same, and compiles nothing
alike() {
    local first
    first=$(cat "$dir/out")
    touch "$dir/now"
    ends 0 passed "$mpjoule" build "$project" "$@"
    [ "$first" = "$(cat "$dir/out")" ] || fail "a second call says another thing: $(diff <(echo "$first") "$dir/out")"
    find "$built" -name '*.o' -newer "$dir/now" >"$dir/objects"
    [ ! -s "$dir/objects" ] || fail "a second call compiles: $(cat "$dir/objects")"
}

# for_target FILE...: programs of the target
for_target() {
    local program
    for program in "$@"; do
        arm-none-eabi-readelf -h "$program" | grep -q "Machine: *ARM" || fail "$program is not for the target"
    done
}

cp -r "$root/apps/examples/wordfreq" "$project"
case "$1" in
make)
    # a library's AR with its operation in it, LD that means the compiler, a generator of the host and one
    # of the target, and objects that a build for this machine has left
    cd "$project"
    sed -i 's/^RUN =.*/AR = ar rcu\nLD = gcc\nHOSTCC = gcc/; s/\$(AR) \$(ARFLAGS)/$(AR)/; s/\$(CC) \$(CFLAGS) \$(LDFLAGS) -o \$@ wordtest.o/$(LD) -o $@ wordtest.o/' Makefile
    printf '%s\n' 'int printf(const char *, ...);' 'int main(void) { return printf("#define LONG %d\n", (int)sizeof(long)) < 0; }' >gen.c
    cat >>Makefile <<'END'
host.h: gen.c
	$(HOSTCC) -o gen-host gen.c && ./gen-host >$@
target.h: gen.c
	$(CC) -o gen gen.c && ./gen >$@
words.o: host.h target.h
END
    keep
    gcc -c words.c -o words.o
    ends 0 "1 passed, 0 failed" "$mpjoule" build --system make
    row "make test" passed
    row "wordtest" ""
    row "wordfreq -n 1 text.txt" ""
    rm words.o
    clean
    for_target "$built/wordfreq" "$built/wordtest" "$built/gen"
    [ "$(cat "$built/host.h" "$built/target.h")" = "$(printf '#define LONG 8\n#define LONG 4')" ] || fail "generators: $(cat "$built"/*.h)"
    alike --system make
    # a file that the project no longer has, and one that has changed
    echo 'broken' >"$project/more.mk"
    ends 0 "built in" "$mpjoule" build --system make --no-tests
    [ -e "$built/more.mk" ] || fail "a new file is not copied"
    rm "$project/more.mk"
    sed -i 's/13/14/' "$project/text.txt"
    echo 'fourteenth' >>"$project/text.txt"
    ends 0 passed "$mpjoule" build . --system make -- wordfreq
    [ ! -e "$built/more.mk" ] || fail "a file that is gone is still in the copy"
    cmp "$project/text.txt" "$built/text.txt" || fail "a changed file is not copied"
    # an older file in the place of another
    echo old >"$dir/old"
    touch -d 2020-01-01 "$dir/old"
    mv "$dir/old" "$project/text.txt"
    ends 0 "built in" "$mpjoule" build . --system make --no-tests
    cmp "$project/text.txt" "$built/text.txt" || fail "an older file that was moved there is not copied"
    # a folder in the place of a file, and a file in that of a folder, in which a build has written
    echo file >"$project/kind"
    mkdir "$project/part"
    echo one >"$project/part/one"
    ends 0 "built in" "$mpjoule" build . --system make --no-tests
    echo object >"$built/part/two"
    rm -r "$project/part" "$project/kind"
    echo file >"$project/part"
    mkdir "$project/kind"
    echo one >"$project/kind/one"
    ends 0 "built in" "$mpjoule" build . --system make --no-tests
    cmp "$project/part" "$built/part" || fail "a file is not copied to where a folder was"
    cmp "$project/kind/one" "$built/kind/one" || fail "a folder is not copied to where a file was"
    # a test that fails, and one that does not end; what they print is no driver's verdict
    printf '%s\n' 'test: ok bad' '	./ok' '	@echo "ERROR: expected"' '	./bad' >>Makefile.more
    printf '%s\n' 'all: ok bad' 'ok bad: %: %.c' '	$(CC) -o $@ $<' >GNUmakefile
    cat Makefile.more >>GNUmakefile
    echo 'int main(void) { return 0; }' | tee ok.c >bad.c
    ends 0 "1 test: 1 passed" "$mpjoule" build . --system make
    row "make test" passed
    echo 'int main(void) { return 3; }' >bad.c
    ends 1 "1 of 1 tests failed: their output is in build-mpjoule/.mpjoule/test.log" "$mpjoule" build . --system make
    row "make test" FAILED
    row "bad" "status 3"
    echo 'int main(void) { for (volatile int i = 0;; i++) ; }' >bad.c
    ends 1 "1 of 1 tests failed" "$mpjoule" build . --system make --timeout 2
    grep -q "bad .*status 124" "$dir/out" || fail "no time-out: $(cat "$dir/out")"
    ;;
cmake)
    # tests by target, by path, by a script, with data by absolute path; C++ enabled as by default
    cd "$project"
    sed -i 's/^project(.*/project(wordfreq)/' CMakeLists.txt
    cat >>CMakeLists.txt <<'END'
add_test(NAME path COMMAND ${CMAKE_BINARY_DIR}/wordfreq -n 1 ${CMAKE_SOURCE_DIR}/text.txt)
add_test(NAME script COMMAND sh -c "./wordfreq -n 1 ../text.txt | grep different && ./wordtest")
add_test(NAME variable COMMAND sh -c "WORD=x ./environment && ! ./environment")
set_tests_properties(variable PROPERTIES ENVIRONMENT "OMP_NUM_THREADS=3")
add_executable(environment environment.c)
add_custom_command(OUTPUT made.h COMMAND environment made > made.h)
add_custom_target(made ALL DEPENDS made.h)
END
    cat >environment.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? puts("/* made */") < 0 : getenv("WORD") == NULL || getenv("OMP_NUM_THREADS") == NULL || getenv("HOME") != NULL;
}
END
    keep
    ends 0 "5 tests: 5 passed" "$mpjoule" build
    for test in wordtest text path script variable; do
        row "$test" passed
    done
    clean
    for_target "$built/wordfreq" "$built/wordtest"
    [ "$(cat "$built/made.h")" = "/* made */" ] || fail "a custom command"
    grep -q "HAVE_FORK 0" "$built/config.h" || fail "fork is found"
    alike -j 1
    "$mpjoule" build . --quiet --json "$dir/result.json"
    obeys build "$dir/result.json"
    python3 - "$dir/result.json" <<'END' || fail "JSON: $(cat "$dir/result.json")"
import json, sys
result = json.load(open(sys.argv[1]))
runs = {t["name"]: [r["status"] for r in t["runs"]] for t in result["tests"]}
assert result["system"] == "cmake" and runs["script"] == [0, 0] and runs["variable"] == [0, 1], runs
for test in result["tests"]:
    assert abs(sum(r["energy_j"] for r in test["runs"]) - test["energy_j"]) < 1e-12, test
END
    # other options make the folder anew; arguments are handed on
    ends 0 "built in" "$mpjoule" build --no-tests --configure -DCMAKE_BUILD_TYPE=Release --configure -DBUILD_TESTING=ON -- wordfreq
    grep -q "CMAKE_BUILD_TYPE:.*=Release" "$built/CMakeCache.txt" || fail "--configure is not handed on"
    [ ! -e "$built/wordtest" ] || fail "more than the target is built"
    # failures of tests
    cat >>CMakeLists.txt <<'END'
add_test(NAME ends3 COMMAND environment)
add_test(NAME words COMMAND wordtest)
set_tests_properties(words PROPERTIES PASS_REGULAR_EXPRESSION "nothing like it")
add_test(NAME nothing COMMAND ${CMAKE_BINARY_DIR}/nothing)
END
    ends 1 "3 of 8 tests failed: their output is in build-mpjoule/Testing/Temporary/LastTest.log" "$mpjoule" build
    row ends3 FAILED
    row words FAILED
    grep -q "^nothing *FAILED *- *- *Not Run" "$dir/out" || fail "a test without a program: $(cat "$dir/out")"
    # C++ is refused when it is compiled, and no program of this machine comes out
    echo 'int main() { return 0; }' >x.cpp
    echo 'add_executable(x x.cpp)' >>CMakeLists.txt
    ends 125 "^mpjoule: cannot build $project .*: C++: the runtime is for programs in C" "$mpjoule" build
    [ "$(wc -l <"$dir/err")" = 1 ] || fail "more than a line: $(cat "$dir/err")"
    [ ! -e "$built/x" ] || fail "there is a program of C++"
    ;;
autoconf)
    cd "$project"
    keep
    sed -i 's/AC_PROG_CC/AC_PROG_CC\nAC_PROG_CXX/' configure.ac
    sed -i 's/^TESTS = .*/TESTS = wordtest script.sh\nEXTRA_DIST = script.sh/' Makefile.am
    printf '%s\n' '#!/bin/sh' './wordfreq -n 1 "$srcdir/text.txt" && ./wordtest && exit 77' >script.sh
    chmod +x script.sh
    git add -A
    git -c user.name=a -c user.email=a@b.invalid commit -q -m b
    ends 0 "1 passed, 0 failed, 1 skipped" "$mpjoule" build --system autoconf
    row wordtest passed
    row script.sh skipped
    clean
    for_target "$built/wordfreq" "$built/wordtest"
    grep -q "define HAVE_FORK" "$built/config.h" && fail "fork is found"
    alike --system autoconf
    # a script that is broken
    sed -i 's/AC_PROG_CC$/AC_PROG_CC\nAC_MSG_ERROR([the moon is missing])/' configure.ac
    ends 125 "cannot configure $project (status 1): configure: error: the moon is missing; full output: $built/.mpjoule/" \
        "$mpjoule" build --system autoconf --configure --prefix=/x
    [ "$(wc -l <"$dir/err")" = 1 ] || fail "more than a line: $(cat "$dir/err")"
    ;;
meson)
    cd "$project"
    keep
    ends 0 "2 tests: 2 passed" "$mpjoule" build --system meson
    row wordtest passed
    row text passed
    clean
    for_target "$built/wordfreq" "$built/wordtest"
    grep -q "HAVE_FORK 0" "$built/config.h" || fail "fork is found"
    grep -q "HAVE_GETDELIM 1" "$built/config.h" || fail "getdelim is not found"
    alike --system meson
    echo "test('bad', wordfreq, args: ['-x'])" >>meson.build
    ends 1 "1 of 3 tests failed: their output is in build-mpjoule/meson-logs/testlog.txt" "$mpjoule" build --system meson
    row bad FAILED
    sed -i "s/project('wordfreq', 'c'/project('wordfreq', 'c', 'cpp'/" meson.build
    ends 125 "cannot configure $project .*cpp" "$mpjoule" build --system meson --configure -Dwerror=true
    [ "$(wc -l <"$dir/err")" = 1 ] || fail "more than a line: $(cat "$dir/err")"
    ;;
refusals)
    mkdir empty bin full broken
    refused "no folder $dir/nowhere" build "$dir/nowhere"
    refused "no build system in $dir/empty: no CMakeLists.txt" build empty
    [ -z "$(ls -A empty)" ] || fail "a folder was made in what is no project"
    refused '--system takes cmake, meson, autoconf or make, not "ant"' build project --system ant
    refused "not a project of meson" build "$root/apps/skeleton" --system meson
    refused "has files that \`mpjoule build\` did not create" build project -B project
    ( # the folder can be created, but has no path
        mkdir deep
        cd deep
        for _ in {1..20}; do
            mkdir "$(printf 'd%.0s' {1..240})"
            cd d*
        done
        status=0
        "$mpjoule" build "$dir/project" -B out 2>"$dir/deep.err" || status=$?
        [ "$status" = 125 ] && grep -qx 'mpjoule: cannot use the folder out: File name too long' "$dir/deep.err"
    ) || fail "a folder without a path: $(cat deep.err)"
    touch full/file
    refused "full has files that \`mpjoule build\` did not create" build project -B full
    refused "expected one project" build project empty
    refused "cannot create the folder /dev/null/x" build project -B /dev/null/x
    # tools that are not there
    for tool in sh env rm arm-none-eabi-gcc make; do
        ln -s "$(command -v "$tool")" "bin/$tool"
    done
    for system in cmake meson; do
        status=0
        PATH=$dir/bin "$mpjoule" build project --system "$system" >out 2>err || status=$?
        [ "$status" = 125 ] || fail "without $system: status $status"
        grep -qx "mpjoule: $system is not in PATH, and .*/project needs it: install it" err || fail "without $system: $(cat err)"
    done
    ends 125 "autoreconf is not in PATH" env PATH="$dir/bin" "$mpjoule" build project --system autoconf
    rm bin/arm-none-eabi-gcc
    ends 125 "compiler arm-none-eabi-gcc is missing" env PATH="$dir/bin" "$mpjoule" build project --system make
    ends 125 "/nowhere is missing" env MPJOULE_PRELOAD=/nowhere "$mpjoule" build project --system make
    # what does not compile, does not configure
    printf 'all: x\nx: x.c\n\t$(CC) -o x x.c\n' >broken/Makefile
    echo 'int main(void) { return nothing; }' >broken/x.c
    refused "cannot build $dir/broken (status 2): x.c:1:25: error: 'nothing' undeclared" build broken
    echo 'all: nowhere.o' >broken/Makefile
    refused "No rule to make target 'nowhere.o'" build broken
    echo 'all: ; exec sh -c "kill -9 $$PPID"' >broken/Makefile
    ends 125 "cannot build $dir/broken" "$mpjoule" build broken
    echo 'all: ; @echo built' >broken/Makefile
    ends 0 "no tests: the makefile has no target check or test" "$mpjoule" build broken
    printf 'cmake_minimum_required(VERSION 3.16)\nproject(x C)\nmessage(FATAL_ERROR "the moon is missing")\n' >broken/CMakeLists.txt
    refused "CMake Error at CMakeLists.txt:3 (message): the moon is missing; full output: $dir/broken/build-mpjoule/.mpjoule/configure.log" \
        build broken
    # the handler of the kernel, in a folder that stands for its file system
    mkdir binfmt
    touch binfmt/register
    export MPJOULE_BINFMT=$dir/binfmt
    ends 1 "^not registered$" "$mpjoule" binfmt --status
    "$mpjoule" binfmt || fail "binfmt"
    grep -qE '^:mpjoule:M::(\\x[0-9a-f]{2}){28}::/.*/mpjoule-exec:$' binfmt/register || fail "binfmt: $(cat binfmt/register)"
    magic=$(sed -E 's/^:mpjoule:M::([^:]*):.*/\1/' binfmt/register)
    for thumb in "" -mthumb; do
        # shellcheck disable=SC2086 # none or one
        echo 'int main(void) { return 0; }' | "$mpjoule" cc $thumb -x c - -o x.elf
        cmp -n 28 <(printf '%b' "$magic") x.elf || fail "the handler does not know programs of $thumb"
    done
    printf 'enabled\ninterpreter /there/mpjoule-exec\n' >binfmt/mpjoule
    ends 0 "^registered: /there/mpjoule-exec$" "$mpjoule" binfmt --status
    "$mpjoule" binfmt --remove || fail "binfmt --remove"
    grep -q -- "-1" binfmt/mpjoule || fail "binfmt --remove"
    MPJOULE_BINFMT=/proc/nowhere refused "without it: \`mpjoule exec PROGRAM\`" binfmt
    # exec: stdin, files by any path, variables, exit status
    refused "expected a program" exec
    refused "expected a program" exec --cores 2 ./nowhere
    ends 125 "/nowhere" "$mpjoule" exec ./nowhere
    cat >cat.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char here[512], line[100];
    printf("%s %s %s\n", argv[1], getcwd(here, sizeof(here)), getenv("OMP_NUM_THREADS"));
    for (int i = 2; i < argc; i++) {
        FILE *f = fopen(argv[i], "r");
        if (f == NULL || fgets(line, sizeof(line), f) == NULL)
            return 7;
        fputs(line, stdout);
    }
    return fgets(line, sizeof(line), stdin) != NULL ? fputs(line, stdout) < 0 : 9;
}
END
    mkdir sub
    echo one >sub/one
    echo two >two
    "$mpjoule" cc cat.c -o sub/cat.elf
    cd sub
    echo three | OMP_NUM_THREADS=2 "$mpjoule" exec ./cat.elf "a  b" one ../two "$dir/two" >"$dir/said" || fail "exec: status $?"
    printf '%s\n' "a  b $dir/sub 2" one two two three | cmp - "$dir/said" || fail "exec: $(cat "$dir/said")"
    ends 9 "^x $dir/sub (null)$" "$mpjoule" exec cat.elf x </dev/null
    ends 7 "^x " "$mpjoule" exec cat.elf x nothing
    [ "$(ls)" = "$(printf 'cat.elf\none')" ] || fail "exec leaves: $(ls)"
    # more variables than a run can have
    readarray -t many < <(seq -f 'MPJ_V%g=1' 100)
    ends 9 "^mpjoule: [0-9]* environment variables are left out: a run can have at most 63$" \
        env "${many[@]}" "$mpjoule" exec cat.elf x </dev/null
    ;;
interrupt)
    # a signal to the command alone ends all that it has started, and their folders go
    mkdir long temporary
    printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(long C)' 'enable_testing()' \
        'add_executable(long long.c)' 'add_test(NAME long COMMAND long)' >long/CMakeLists.txt
    cat >long/long.c <<'END'
#include <stdio.h>
int main(void)
{
    fclose(fopen("runs", "w"));
    for (volatile unsigned i = 0;; i++)
        ;
}
END
    for signal in INT TERM; do
        rm -f long/build-mpjoule/runs
        # a shell's background commands ignore SIGINT
        TMPDIR=$dir/temporary python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$mpjoule" build long >out 2>err &
        command=$!
        for ((i = 0; i < 1200; i++)); do
            [ ! -e long/build-mpjoule/runs ] || break
            sleep 0.1
        done
        [ -e long/build-mpjoule/runs ] || die "the test did not begin: $(cat out err)"
        kill -"$signal" "$command"
        status=0
        wait "$command" || status=$?
        [ "$status" = 130 ] || fail "$signal: status $status"
        grep -qx "mpjoule: interrupted" err || fail "$signal: $(cat err)"
        [ -z "$(ls temporary)" ] || fail "$signal: left behind: $(ls temporary)"
        for process in /proc/[0-9]*; do
            [[ $(readlink "$process/cwd") != $dir/long* ]] || {
                fail "$signal: runs on: $(tr '\0' ' ' <"$process/cmdline")"
                kill "${process#/proc/}"
            }
        done
    done
    ;;
*) die "usage: projects.sh make|cmake|autoconf|meson|refusals|interrupt" ;;
esac
finish "$1: all right"
