#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The demo's result, byte for byte, against the file in this folder: counters and
# energy must be the same on every machine. After a wanted change of the firmware
# or of the model: golden.sh update, and say in the commit why the figures moved.
# usage: golden.sh check|update
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# The program's hash is left out: it covers debug information, which no figure depends on.
result() {
    "$root/build/mpjoule" run --quiet --calibration "$1" -o "$out/run.mpj" --json "$out/run.json" \
        "$root/build/firmware/apps/matmul.elf" -- 96 >"$out/stdout"
    sed '/"firmware_sha256"/d' "$out/run.json"
}

status=0
for calibration in mprofiler epro-mp; do
    golden=$here/matmul96.$calibration.json
    result "$calibration" >"$out/now.json"
    case "${1:-}" in
    update) cp "$out/now.json" "$golden" ;;
    check)
        if ! diff -u "$golden" "$out/now.json" >"$out/diff"; then
            head -n 40 "$out/diff"
            echo "golden: $calibration differs; when the change is wanted: tests/golden/golden.sh update" >&2
            status=1
        else
            echo "golden: $calibration identical, $(wc -c <"$golden") bytes"
        fi
        ;;
    *)
        echo "usage: golden.sh check|update" >&2
        exit 2
        ;;
    esac
done
exit "$status"
