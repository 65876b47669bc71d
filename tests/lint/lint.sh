#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Static checks over the files git tracks.
# usage: lint.sh format|shell|script|words ROOT
set -euo pipefail
check=$1
root=$2
cd "$root"

# Overlay and patches follow QEMU's style, not ours.
ours() { git ls-files --cached --others --exclude-standard -- "$@" | grep -v '^sim/qemu/overlay/' || true; }
some() { [ ${#files[@]} -gt 0 ] || { echo "lint: no file to check" >&2; exit 1; }; }

case "$check" in
format)
    mapfile -t files < <(ours '*.c' '*.h')
    some
    wanted=$(sed -n '1s/^# clang \([0-9]*\),.*/\1/p' .clang-format)
    [[ $(clang-format --version) == *"version $wanted."* ]] ||
        { echo "lint: skipped: the format is that of clang-format $wanted" >&2; exit 77; }
    clang-format --dry-run --Werror "${files[@]}"
    ;;
shell)
    mapfile -t files < <(ours '*.sh' '.ci/run')
    some
    shellcheck "${files[@]}"
    ;;
script)
    # The page's own scripts. A Node.js from elsewhere does not look for Debian's modules by itself.
    command -v eslint >/dev/null || { echo "lint: no eslint (package eslint)" >&2; exit 77; }
    mapfile -t files < <(ours 'report/export/page/*.js')
    some
    NODE_PATH=/usr/share/nodejs eslint --format unix --no-eslintrc --config report/export/page/eslint.json "${files[@]}"
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
    echo "usage: lint.sh format|shell|script|words ROOT" >&2
    exit 2
    ;;
esac
