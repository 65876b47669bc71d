#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mpjoule sweep in the emulator: every combination, resumed, repeated when something changed. In modelled
# time: without a model the firmware's patience with cores that start is the machine's, and runs out on a
# busy one.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder
app=$APPS/matmul.elf

"$MPJOULE" sweep --cores 1..2 --env X=a,b -j 2 -o s --json s.json "$app" -- 32 float 3 >s.txt ||
    fail "failed: $(cat s.txt s/*.err)"
[ "$(find s -name '*.mpj' | wc -l)" = 4 ] || fail "not four runs"
grep -q 'speed-up' s.txt || fail "no table"
grep -q 'best: time' s.txt || fail "nothing marked"
grep -q '"schema": "mpjoule-sweep/1"' s.json || fail "no JSON"
[ "$(grep -c '"time_s"' s.json)" = 4 ] || fail "not four points"

# done: nothing is run again; the table is the same
touch -d '2001-01-01' s/*.json
"$MPJOULE" sweep --cores 1..2 --env X=a,b -o s "$app" -- 32 float 3 >again.txt
cmp s.txt again.txt || fail "another table"
[ -z "$(find s -name '*.json' -newermt '2002-01-01')" ] || fail "a finished run was repeated"

# broken off: only what is missing is made
rm 's/run-cores=2-X=a.key'
"$MPJOULE" sweep --cores 1..2 --env X=a,b -o s "$app" -- 32 float 3 >again.txt
[ "$(find s -name '*.json' -newermt '2002-01-01')" = 's/run-cores=2-X=a.json' ] || fail "not resumed"

# other options: all of it
"$MPJOULE" sweep --cores 1..2 --env X=a,b --seed 2 -o s "$app" -- 32 float 3 >again.txt
[ "$(find s -name '*.json' -newermt '2002-01-01' | wc -l)" = 4 ] || fail "other options, old runs"

for bad in "--cores 0..4" "--cores 4..1" "--cores 5" "--env X" "" "--cores 1 -j 0"; do
    # shellcheck disable=SC2086
    ends 125 '' "$MPJOULE" sweep $bad "$app"
done
refused '' sweep --cores 1 /dev/null

# no such board: nothing runs, and no folder is left
printf 'boards:\n  - {id: tile0, port: /dev/ttyNONE}\n' >boards.yaml
for command in sweep tune; do
    for board in tile1 any:pool; do
        refused 'no board ' $command --cores 1 --boards boards.yaml --target "$board" -o none "$app"
        [ ! -e none ] || fail "$command left $(find none)"
    done
done

# no calibration: nothing runs, and no folder is left
for command in sweep tune; do
    refused 'cannot read the calibration' $command --cores 1 --calibration nonesuch -o none "$app"
    [ ! -e none ] || fail "$command left $(find none)"
done
finish "all right"
