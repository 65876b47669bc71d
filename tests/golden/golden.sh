#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The demo's result, byte for byte, against the file in this folder: counters and
# energy must be the same on every machine. After a wanted change of the firmware
# or of the model: golden.sh update, and say in the commit why the figures moved.
# usage: golden.sh check|update
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
here=$root/tests/golden
own_folder

# Hashes and versions are left out: the program's covers debug information, which no figure depends on, and the
# others change with each build.
result() {
    "$mpjoule" run --quiet --calibration "$1" -o "$dir/run.mpj" --json "$dir/run.json" \
        "$apps/matmul.elf" -- 96 >"$dir/stdout"
    sed -E '/"([a-z]+_sha256|version|compiler)"/d' "$dir/run.json"
}

for calibration in mprofiler epro-mp; do
    golden=$here/matmul96.$calibration.json
    result "$calibration" >"$dir/now.json"
    case "${1:-}" in
    update) cp "$dir/now.json" "$golden" ;;
    check)
        if ! diff -u "$golden" "$dir/now.json" >"$dir/diff"; then
            head -n 40 "$dir/diff"
            fail "$calibration differs; when the change is wanted: tests/golden/golden.sh update"
        fi
        ;;
    *)
        echo "usage: golden.sh check|update" >&2
        exit 2
        ;;
    esac
done
finish "golden: identical"
