#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# On a system that mpjoule is not built on, a line says what to do, before anything is installed or built.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder
export MPJOULE_OS_RELEASE=$dir/os-release

# system LINE...: this is one whose os-release has these lines
system() { printf '%s\n' "$@" >os-release; }

# elsewhere WORDS COMMAND...: ends with status 1 and one line on stderr, which has the words; says nothing else
elsewhere() {
    local words=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    [ "$status" -eq 1 ] || fail "status $status, not 1: $*"
    [ ! -s out ] || fail "$* began: $(head -n 3 out)"
    [ "$(wc -l <err)" = 1 ] || fail "not one line: $* ($(cat err))"
    grep -qF -- "$words" err || fail "not '$words': $* ($(cat err))"
    grep -q 'podman build -t mpjoule -f ci/Containerfile' err || fail "$* does not say what to do: $(cat err)"
}

system 'ID=fedora' 'VERSION_ID=42' 'PRETTY_NAME="Fedora Linux 42 (Workstation)"'
elsewhere "this is Fedora Linux 42 (Workstation)" "$root/demo.sh"
elsewhere "this is Fedora Linux 42 (Workstation)" "$root/test.sh" -L unit
elsewhere "this is Fedora Linux 42 (Workstation)" "$root/scripts/packages.sh" --check
system 'ID=ubuntu' 'ID_LIKE=debian' 'VERSION_ID="24.04"' 'PRETTY_NAME="Ubuntu 24.04 LTS"'
elsewhere "this is Ubuntu 24.04 LTS" "$root/demo.sh"
for release in 11 14; do
    system 'ID=debian' "VERSION_ID=\"$release\"" "PRETTY_NAME=\"Debian $release\""
    elsewhere "this is Debian $release" "$root/scripts/packages.sh" demo
done
rm os-release
elsewhere "this is $(uname -s)" "$root/scripts/packages.sh" demo
# building with tools from elsewhere is not forbidden, but said
ends 0 "this is $(uname -s)" "$root/scripts/build.sh"
for release in 12 13; do
    system 'ID=debian' "VERSION_ID=\"$release\""
    "$root/scripts/packages.sh" --check || fail "Debian $release is refused"
    mkdir -p bin
    ln -sf "$(command -v bash)" "$(command -v env)" "$(command -v dirname)" "$(command -v uname)" bin
    elsewhere "this is " env PATH="$dir/bin" "$root/scripts/packages.sh" demo # has no apt
done
# the image that the line names is of one of these
grep -qxE 'FROM debian:1[23]-slim' "$root/ci/Containerfile" || fail "ci/Containerfile is of another system"
finish "other systems: one line"
