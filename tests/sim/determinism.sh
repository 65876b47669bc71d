#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same run gives the same JSON, byte for byte: alone, repeated, on a loaded
# host, and with the portable path instead of the generated fast path.
# usage: determinism.sh APP.elf [ARGS]
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
app=$1
shift
dir=$(mktemp -d)
busy=()
# Background loads end with the script, however it ends: also killed.
trap 'kill "${busy[@]}" 2>/dev/null || true; rm -rf "$dir"' EXIT

one() { "$mpjoule" run -o "$dir/run.mpj" --json "$dir/$1.json" "$app" -- "${args[@]}" >"$dir/$1.txt"; }
args=("$@")
one first
one again
for _ in 1 2 3 4; do
    (while kill -0 $$; do :; done 2>/dev/null) &
    busy+=($!)
done
one loaded
kill "${busy[@]}"
wait "${busy[@]}" 2>/dev/null || true
busy=()
MPJOULE_QEMU_MACHINE=fastpath=off one portable

for other in again loaded portable; do
    if ! cmp "$dir/first.json" "$dir/$other.json"; then
        diff "$dir/first.json" "$dir/$other.json" | head -20
        fail "$other: not the first run's JSON"
    fi
done
finish "4 runs, $(wc -c <"$dir/first.json") bytes each, identical"
