#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Static checks over the files git tracks.
# usage: lint.sh format|tidy|shell|words ROOT [BUILD]
set -euo pipefail
check=$1
root=$2
build=${3:-}
cd "$root"

# Overlay and patches follow QEMU's style, not ours.
ours() { git ls-files --cached --others --exclude-standard -- "$@" | grep -v '^sim/qemu/overlay/' || true; }
some() { [ ${#files[@]} -gt 0 ] || { echo "lint: no file to check" >&2; exit 1; }; }

case "$check" in
format)
    mapfile -t files < <(ours '*.c' '*.h')
    some
    clang-format --dry-run --Werror "${files[@]}"
    ;;
tidy)
    mapfile -t files < <(ours 'hal/*.c' 'base/*.c' 'link/*.c' 'log/*.c' 'sim/chip/*.c' 'hil/*.c' 'report/*.c' 'models/*.c' 'run/*.c' 'cli/*.c')
    # Only what the host build compiles has flags to check it with.
    mapfile -t files < <(for f in "${files[@]}"; do
        if grep -q "\"file\": \".*/$f\"" "$build/compile_commands.json"; then echo "$f"; fi
    done)
    some
    out=$(mktemp)
    trap 'rm -f "$out"' EXIT
    if ! printf '%s\n' "${files[@]}" |
        xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" >"$out" 2>&1; then
        grep -E '(warning|error):' "$out" | sort -u
        exit 1
    fi
    echo "lint: clang-tidy found nothing in ${#files[@]} files"
    ;;
shell)
    mapfile -t files < <(ours '*.sh' '.ci/run')
    some
    shellcheck "${files[@]}"
    ;;
words)
    # What must not stand in the project: registry hosts and machine paths.
    pattern='deb\.debian\.org|registry\.npmjs|pypi\.org|crates\.io|/root/|/work/main|/work/shared|/tmp/q/'
    if git grep -nE "$pattern" -- . ':!tests/lint/lint.sh'; then
        echo "lint: the lines above name a registry host or a machine path" >&2
        exit 1
    fi
    ;;
*)
    echo "usage: lint.sh format|tidy|shell|words ROOT [BUILD]" >&2
    exit 2
    ;;
esac
