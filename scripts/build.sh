#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Configures and builds the presets named, in order, one line per step.
# usage: scripts/build.sh PRESET[:[TARGET]]...     (host, asan, firmware, qemu, fuzz)
#   PRESET:TARGET    this target of it and what it needs;  PRESET:   configured only
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/packages.sh --check || true # a system with the same tools may do
for what in "$@"; do
    preset=${what%%:*}
    target=all
    [ "$what" = "$preset" ] || target=${what#*:}
    start=$(date +%s)
    mkdir -p build
    log=build/$preset.log
    printf 'build: %-9s ' "$preset"
    # The emulator's own build script shows its progress; the others are short.
    if [ "$preset" = qemu ]; then
        echo "(the first build takes about 3 minutes, then it is cached)"
        cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
        cmake --build --preset "$preset"
        printf 'build: %-9s ' "$preset"
    elif ! { cmake --preset "$preset" &&
        { [ -z "$target" ] || cmake --build --preset "$preset" --target "$target"; }; } >"$log" 2>&1; then
        echo failed
        tail -n 40 "$log" >&2
        echo "build: preset $preset failed; the whole log is $log" >&2
        exit 1
    fi
    echo "done in $(($(date +%s) - start)) s"
done
