#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# OMP_DISPLAY_AFFINITY: each thread's line when it is new, as on this machine.
# OMP_ALLOCATOR: predefined ones, and a memory space with traits.
# usage: display_affinity.sh omp_display.c
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
source=$(realpath "$1")
own_folder
cc -O1 -fopenmp "$source" -o native
"$mpjoule" cc -O1 -fopenmp "$source" -o said.elf
# said NAME=VALUE...: its output on the target, the lines on stderr sorted into `err`
said() {
    local options=()
    for one in "$@"; do options+=(--env "$one"); done
    "$mpjoule" run --quiet --no-counters "${options[@]}" said.elf >out 2>err.all || fail "status $?: $(cat err.all)"
    sort err.all >err
}
format='level %L thread %n of %N, above %a|%0.3n|%5n|%{num_threads}'
said OMP_DISPLAY_AFFINITY=true "OMP_AFFINITY_FORMAT=$format"
OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT=$format ./native 2>&1 >native.out | sort >native.err
# of the nested regions this machine's library leaves some out, and says others twice
diff <(grep "of 3" native.err) <(grep "of 3" err) || fail "other lines than on this machine"
sort >want <<'END'
level 1 thread 0 of 3, above 0|000|0    |3
level 1 thread 1 of 3, above 0|001|1    |3
level 1 thread 2 of 3, above 0|002|2    |3
level 1 thread 0 of 2, above 0|000|0    |2
level 1 thread 1 of 2, above 0|001|1    |2
level 2 thread 0 of 2, above 0|000|0    |2
level 2 thread 1 of 2, above 0|001|1    |2
level 2 thread 0 of 2, above 1|000|0    |2
level 2 thread 1 of 2, above 1|001|1    |2
END
diff want err || fail "other lines than OpenMP asks for"
diff native.out out || fail "another output than on this machine"
said OMP_NUM_THREADS=300
[ "$(grep -c '^openmp: a team has at most 256 threads' err)" = 1 ] || fail "no word of the limit: $(cat err)"
said OMP_NUM_THREADS=256
[ ! -s err ] || fail "lines that were not asked for: $(cat err)"
said
[ ! -s err ] || fail "lines that were not asked for: $(cat err)"

for value in omp_high_bw_mem_alloc OMP_DEFAULT_MEM_SPACE omp_default_mem_space:pool_size=9000; do
    said "OMP_ALLOCATOR=$value"
    grep -q "^small 1 large 1" out || fail "$value: $(cat out err)"
    [ ! -s err ] || fail "$value: $(cat err)"
done
said OMP_ALLOCATOR=omp_default_mem_space:alignment=256,pool_size=4096,fallback=null_fb
grep -q "^small 1 large 0 aligned 1" out || fail "traits: $(cat out err)"
said OMP_ALLOCATOR=omp_default_mem_space:pool_size=4096,fallback=default_mem_fb
grep -q "^small 1 large 1" out || fail "fallback: $(cat out err)"
for value in no_alloc omp_default_mem_space:alignment=3 omp_default_mem_space:size=4 omp_default_mem_alloc,x \
    omp_default_mem_space:fallback; do
    said "OMP_ALLOCATOR=$value"
    grep -qx "openmp: ignored, invalid value: OMP_ALLOCATOR" err || fail "$value: $(cat err)"
done
# three deep: one level more than is accounted for, which is not a matter of memory
"$mpjoule" run --quiet said.elf -- 3 >out 2>err || fail "three levels: $(cat err)"
grep -q "^8 threads" out || fail "three levels: $(cat out)"
{ [ "$(wc -l <err)" = 1 ] && grep -q "no account of 2 executions of parallel regions: nested more than two deep" err; } ||
    fail "three levels: $(cat err)"
finish "all right"
