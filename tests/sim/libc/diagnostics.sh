#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Messages of programs that divide by zero, abort, run out of memory, are too large or mix Thumb and ARM
# objects, and what `mpjoule cc` drops and refuses (-fPIC, of code with __thread, too).
# usage: diagnostics.sh divided.c
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
source=$(realpath "$1")
own_folder
run() { status=0; "$mpjoule" run --quiet --no-counters program.elf -- "$@" >out 2>err || status=$?; }

"$mpjoule" cc -O2 -Wall -Wextra -Werror -fPIC -pie "$source" -o program.elf
run caught
{ [ "$status" -eq 0 ] && grep -q "^signal 8, a division 1" out && grep -q "^went on 3" out && [ ! -s err ]; } ||
    die "caught: $status $(cat out err)"
for how in ignored blocked; do
    run divide $how
    { [ "$status" -eq 136 ] && ! grep -q "^[0-9]" out && grep -q "integer division by zero" err; } ||
        die "divide, $how: $status $(cat out err)"
done
for how in ignored blocked handled; do
    run abort $how
    signals=0
    [ $how != handled ] || signals=1
    { [ "$status" -eq 134 ] && [ "$(grep -c "^signal 6" out)" -eq $signals ]; } ||
        die "abort, $how: $status $(cat out err)"
done
run plain
{ [ "$status" -eq 136 ] && grep -q "integer division by zero" err; } || die "plain: $status $(cat out err)"
run memory
{ [ "$status" -eq 0 ] && grep -q "^malloc 1" out; } || die "memory: $status $(cat out err)"
grep -Eq "out of memory: the heap cannot grow by 10[0-9]{4} KB, it has 20[0-9]{4} of 2[0-9]{5} KB" err || die "memory: $(cat err)"
run product
{ [ "$status" -eq 0 ] && grep -q "^calloc 1" out; } || die "product: $status $(cat out err)"
grep -q "out of memory: the heap cannot grow by 1073741824 KB, it has" err || die "product: $(cat err)"

for option in -shared -Wl,-shared -Wl,-s,--shared,-x; do
    status=0
    "$mpjoule" cc "$option" "$source" -o lib.so 2>err || status=$?
    { [ "$status" -eq 125 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -e "$option: .*no shared libraries" err; } || die "$option: $status $(cat err)"
done
echo 'char all[300 << 20]; int main(void) { return all[1]; }' >large.c
status=0
"$mpjoule" cc large.c -o large.elf 2>err || status=$?
{ [ "$status" -eq 1 ] && grep -Eq "too large: .* exceed the 256 MB of RAM by [0-9]+ KB" err; } || die "large: $status $(cat err)"
{ [ "$(wc -l <err)" -eq 1 ]; } || die "large: $(cat err)"
echo 'double f(double x) { return x * 2; }' >part.c
echo 'double f(double); int main(void) { return (int)f(1); }' >whole.c
"$mpjoule" cc -mthumb -c part.c
status=0
"$mpjoule" cc whole.c part.o -o mixed.elf 2>err || status=$?
{ [ "$status" -ne 0 ] && grep -q "some objects are compiled with -mthumb" err && [ "$(wc -l <err)" -eq 1 ]; } || die "mixed: $status $(cat err)"
echo '#include <stdlib.h>
int main(int argc, char **argv) { char *p = alloca(argc + 1); p[argc] = 0; return argv[0] == p; }' >stack.c
"$mpjoule" cc -std=c99 -D_DEFAULT_SOURCE -Wall -Werror stack.c -o stack.elf

# The library's fork() would be warned of; a program's own is not, whatever else of the kind is called.
echo 'int fork(int x) { return x + 41; }' >own.c
echo 'int fork(int), symlink(const char *, const char *);
int main(void) { return fork(1) != 42 || symlink("a", "b") != -1; }' >uses.c
cat own.c uses.c >both.c
for sources in "uses.c own.c" "own.c uses.c" both.c; do
    # shellcheck disable=SC2086
    "$mpjoule" cc -w $sources -o program.elf 2>err
    { [ "$(grep -c "is not implemented" err)" -eq 1 ] && grep -q "symlink is not implemented" err; } || die "$sources: $(cat err)"
done
run
[ "$status" -eq 0 ] || die "own fork: $status $(cat err)"
echo '#include <unistd.h>
int main(void) { return fork() != -1; }' >forks.c
"$mpjoule" cc forks.c -o program.elf 2>err
[ "$(grep -c "fork is not implemented" err)" -eq 1 ] || die "fork: $(cat err)"
