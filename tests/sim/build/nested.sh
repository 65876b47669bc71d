#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A nested function whose address is taken would run from the stack and fault: the compiler says so,
# as a warning also under -Werror, and not when told to keep quiet. The fault is reported as what it is;
# a nested function that is only called works.
# usage: nested.sh
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
own_folder
cat >nested.c <<'END'
int call(int (*f)(int));
int outer(int by);
int outer(int by)
{
    int add(int x) { return x + by; }
    return call(add);
}
END
"$mpjoule" cc -O1 -Wall -Werror -c nested.c -o nested.o 2>said.txt
grep -q "trampoline generated for nested function 'add'" said.txt
"$mpjoule" cc -O1 -Wno-trampolines -c nested.c -o nested.o 2>said.txt
[ ! -s said.txt ]

cat >main.c <<'END'
#include <stdio.h>
int call(int (*f)(int));
int outer(int by);
int call(int (*f)(int))
{
    return f(40);
}
int main(int argc, char **argv)
{
    int twice(int x) { return x * argc + argv[0][0] * 0; }
    printf("called %d\n", twice(20));
    fflush(stdout);
    return outer(2);
}
END
"$mpjoule" cc -O1 -Wno-trampolines nested.c main.c -o main.elf
ends 125 '^called 20' "$mpjoule" run --quiet --no-counters main.elf
ends 125 'prefetch abort' "$mpjoule" run --quiet --no-counters main.elf
ends 125 'data, which is not executable' "$mpjoule" run --quiet --no-counters main.elf
finish "all right"
