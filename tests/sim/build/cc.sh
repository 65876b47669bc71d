#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `mpjoule cc` answers what build systems ask a compiler as gcc does.
# usage: cc.sh
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
own_folder
mkdir "lib s"
printf 'int twice(int x);\n' >words.h
printf '#include "words.h"\nint twice(int x) { return 2 * x; }\n' >"tw ice.c"
cat >main.c <<'END'
#include <stdio.h>

#include "words.h"

int main(void)
{
    printf("%d " WORDS "\n", twice(ONE + 20));
    return 0;
}
END
cc() { "$mpjoule" cc "$@"; }
# prints WORDS COMMAND...: ends well, and the first line it prints has the words
prints() {
    local words=$1 out
    shift
    out=$("$@" 2>err.txt) || fail "fails: $* ($(cat err.txt))"
    [[ $out == *"$words"* ]] || fail "not '$words' but '$out': $*"
}
# makes FILE COMMAND...: without a word
makes() {
    local file=$1
    shift
    rm -f "$file"
    "$@" >out.txt 2>&1 || fail "fails: $* ($(cat out.txt))"
    [ ! -s out.txt ] || fail "says '$(cat out.txt)': $*"
    [ -s "$file" ] || fail "makes no $file: $*"
}

prints "arm-none-eabi-gcc" cc --version
prints "arm-none-eabi" cc -dumpmachine
prints "$(arm-none-eabi-gcc -dumpversion)" cc -dumpversion
prints "/mpjoule.specs" cc -print-file-name=mpjoule.specs
prints "/libgcc.a" cc -print-libgcc-file-name
prints "libraries: =" cc -print-search-dirs
for tool in ar nm ranlib strip objcopy; do
    [ -x "$(cc -print-prog-name=$tool)" ] || fail "-print-prog-name=$tool names no program"
done
prints "#define __mpjoule__" bash -c "echo '#define __mpjoule__' | '$mpjoule' cc -E -dD -x c - | grep mpjoule"
prints "#define __ARM_ARCH 6" cc -dM -E -x c /dev/null

makes main.s cc -S -DONE=1 -DWORDS='"a b"' main.c
makes main.o cc -c -DONE=1 -DWORDS='"a b"' main.c
makes "o ut.o" cc -c "tw ice.c" -o "o ut.o"
prints "twice(1 + 20)" cc -E -P -DONE=1 -DWORDS='""' main.c
[ "$(cc -MM main.c)" = "main.o: main.c words.h" ] || fail "-MM: $(cc -MM main.c)"
prints "/stdio.h" cc -M main.c
makes deps.d cc -c -MMD -MP -MF deps.d -MT target -DONE=1 -DWORDS='""' main.c
[ "$(head -n 1 deps.d)" = "target: main.c words.h" ] || fail "-MMD: $(cat deps.d)"
grep -qx "words.h:" deps.d || fail "-MP: $(cat deps.d)"
# the compiler writes them, -MD also beside the object
makes main.d cc -MD -c -DONE=1 -DWORDS='""' main.c
makes a.out bash -c "echo 'int main(void) { return 0; }' | '$mpjoule' cc -x c -"

# static libraries, names with spaces, a response file
makes "lib s/libtwice.a" arm-none-eabi-ar rcD "lib s/libtwice.a" "o ut.o"
makes main.o cc -c -DONE=1 -DWORDS='"a b"' main.c
makes "pro gram.elf" cc main.o -L"lib s" -ltwice -lm -lpthread -o "pro gram.elf"
prints "42 a b" "$mpjoule" run --quiet "pro gram.elf"
printf '%s\n' -DONE=1 "'-DWORDS=\"c d\"'" -O2 main.c '"tw ice.c"' -o rsp.elf >arguments.rsp
makes rsp.elf cc @arguments.rsp
prints "42 c d" "$mpjoule" run --quiet rsp.elf
makes one.elf cc -flto -O2 -DONE=1 -DWORDS='"lto"' main.c "tw ice.c" -o one.elf
prints "42 lto" "$mpjoule" run --quiet one.elf
mkdir "fire ware"
ln -s "$(dirname "$(cc -print-file-name=mpjoule.specs)")" "fire ware/fw"
makes one.elf env MPJOULE_FIRMWARE="$dir/fire ware/fw" "$mpjoule" cc main.o "o ut.o" -o one.elf
# two commands at the same time
cc -c -DONE=1 -DWORDS='""' main.c -o 1.o &
cc -c -DONE=1 -DWORDS='""' main.c -o 2.o
wait
cmp 1.o 2.o || fail "the same source gives two objects"

# what cannot be
refused "-shared: the target has no shared libraries" cc -shared -o libx.so main.o
# profilers and checkers of others: one line that says what to use instead, also when only compiling
for option in -pg -p -fprofile-generate -fprofile-generate=there; do
    refused "$option: the target has no" cc $option -c main.c
done
for option in address thread leak undefined address,undefined bounds; do
    refused "-fsanitize=$option: the target has no such library" cc -fsanitize=$option -c main.c
done
refused "-fsanitize=address: the target has no such library" cc -fsanitize-undefined-trap-on-error -fsanitize=address main.c
refused "-fsplit-stack: stacks do not grow" cc -fsplit-stack -c main.c
refused "-m64: the target is a 32-bit processor" cc -m64 -c main.c
printf 'int main(void) { return 0; }\n' >m.c
ends 1 "^mpjoule: -finstrument-functions: the program has no __cyg_profile_func_enter" cc -finstrument-functions m.c -o x.elf
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line: $(cat err)"
cat >hooks.c <<'END'
#include <stdio.h>
#define NOT __attribute__((no_instrument_function))
static int entered;
NOT void __cyg_profile_func_enter(void *fn, void *from) { (void)fn; (void)from; entered++; }
NOT void __cyg_profile_func_exit(void *fn, void *from) { (void)fn; (void)from; }
static int twice(int x) { return 2 * x; }
int main(void) { int x = twice(1); printf("%d %d\n", x, entered); return 0; }
END
makes hooks.elf cc -finstrument-functions hooks.c -o hooks.elf
prints "2 2" "$mpjoule" run --quiet hooks.elf
# what configure tries works
cat >safe.c <<'END'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    char text[16];

    (void)argv;
    strcpy(text, argc > 5 ? argv[5] : "safe");
    printf("%s %d\n", text, (int)strlen(text));
    return 0;
}
END
for option in -fstack-protector -fstack-protector-strong -fstack-protector-all -fstack-clash-protection "-O2 -D_FORTIFY_SOURCE=2" \
    -m32 -march=native -static-pie "-fsanitize=undefined -fsanitize-undefined-trap-on-error"; do
    # shellcheck disable=SC2086
    makes safe.elf cc $option safe.c -o safe.elf
    prints "safe 4" "$mpjoule" run --quiet safe.elf
done
printf '#include <string.h>\nint main(int n, char **v) { char t[8]; (void)v; memset(t, 1, 12u * n); return t[n] - 1; }\n' >smash.c
makes smash.elf cc -fstack-protector-all -w smash.c -o smash.elf
ends 134 "stack smashing detected" "$mpjoule" run --quiet smash.elf

printf 'void f(void) { }\nint g(void) { return h(); }\n' >bad.c
ends 1 "error: implicit declaration" cc -Werror -c bad.c
ends 1 "error: implicit declaration" env --ignore-signal=CHLD "$mpjoule" cc -Werror -c bad.c
printf '#include <iostream>\nint main() { std::cout << 1; }\n' >x.cc
ends 1 "^mpjoule: C++ is not supported: the runtime has no C++ library$" cc x.cc -o x.elf
printf 'int main() { return *new int(3); }\n' >y.cpp
cc -c y.cpp -o y.o
ends 1 "^mpjoule: C++ is not supported" cc y.o -o y.elf
ends 1 "undefined reference to .twice" cc main.o -o x.elf
ends 1 "cannot find -lnothere" cc main.o "o ut.o" -lnothere -o x.elf
ends 1 "no input files" cc -O2

# what only fails is named when it is linked, once it is called; nobody else hears of it
printf '#include <unistd.h>\nint main(void) { return fork() < 0 ? 0 : 1; }\n' >fork.c
cc fork.c -o fork.elf >said.txt 2>&1
grep -q "warning: fork is not implemented on the target: it always fails with ENOSYS" said.txt || fail "$(cat said.txt)"
"$mpjoule" run --quiet fork.elf || fail "fork() does not fail"
printf '#include <stdlib.h>\nint main(void) { return system(NULL); }\n' >system.c
makes system.elf cc system.c -o system.elf
printf 'int chown(void) { return 3; }\nint main(void) { return chown(); }\n' >own.c
makes own.elf cc -w own.c -o own.elf

# the compiler ends with the command, and writes nothing later
mkdir fake
cat >fake/arm-none-eabi-gcc <<'END'
#!/bin/sh
echo $$ >its_pid
for i in $(seq 600); do sleep 0.1; done
echo late >late.o
END
chmod +x fake/arm-none-eabi-gcc
for signal in TERM KILL; do
    rm -f its_pid
    PATH=$dir/fake:$PATH "$mpjoule" cc -c main.c -o late.o &
    until [ -s its_pid ]; do sleep 0.1; done
    kill -$signal $!
    wait $! 2>/dev/null || true
    while kill -0 "$(cat its_pid)" 2>/dev/null; do sleep 0.1; done
    [ ! -e late.o ] || fail "$signal: the compiler went on"
done
finish "all right"
