#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every counter group counts what it computes from: no metric of a busy program stays empty.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
program=("$apps/basis.elf" -- rounds=2 "0=sh_migrate:200,code_64k:100,tlb_main:20,ld_mem:20"
    "1=sh_migrate:200,code_itlb:50" "2=k_hash:100" "3=br_random:100")

names=$("$mpjoule" groups | cut -d' ' -f1)
[ "$(wc -l <<<"$names")" -ge 7 ] || die "only: $names"
for name in $names; do
    "$mpjoule" groups "$name" >list.txt
    grep -q '^Metrics' list.txt || die "$name: no metrics listed"
    "$mpjoule" run --group "$name" --sample-ms 0.5 -o "$name.mpj" "${program[@]}" >out.txt
    "$mpjoule" report --group "$name" "$name.mpj" >again.txt
    grep -q "(group $name)" again.txt || die "$name: no section"
    tail -n "$(wc -l <again.txt)" out.txt | cmp - again.txt || die "$name: report says otherwise"
    ! grep -E '  -( |$)' again.txt || die "$name: empty metrics (above)"
done

# IPC by the group is IPC by the report.
"$mpjoule" report ipc.mpj | awk '/\(IPC\)/ { print $NF }' >a
"$mpjoule" report --group ipc ipc.mpj | awk '/instructions per busy cycle/ { print $NF }' >b
cmp a b || die "two figures for IPC: $(cat a b)"

refused 'no counter group is called "nonsense" (branch, cache' run --group nonsense "$apps/hello.elf"
mkdir -p own
printf 'title = Own\nevents = instr\nmetric = doubled | core | 1 | 2 * instr\n' >own/own.conf
MPJOULE_GROUPS=own "$mpjoule" run --group own -o own.mpj "$apps/hello.elf" >out.txt
grep -q doubled out.txt || die "a group of one's own is not shown"
echo 'metric = ' >>own/own.conf
! MPJOULE_GROUPS=own "$mpjoule" groups 2>err.txt || die "it took a bad file"
grep -q 'own/own.conf, line 4: ' err.txt || die "$(cat err.txt)"
finish "all right"
