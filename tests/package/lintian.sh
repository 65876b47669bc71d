#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian package by Debian's own rules (lintian), and its documents: no link leads nowhere, and what a package must have
# is there.
# usage: lintian.sh BUILD-OF-HOST
set -euo pipefail
build=$1
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
command -v lintian >/dev/null || { echo "skipped: lintian is not installed"; exit 77; }
own_folder

cmake --build "$build" >build.log 2>&1 || die "the host's build failed: $(tail -n 3 build.log)"
cpack --config "$build/CPackConfig.cmake" -B "$dir/pack" >pack.log 2>&1 || die "cpack: $(tail -n 5 pack.log)"
deb=$(echo "$dir"/pack/*.deb)
lintian --fail-on error,warning -I "$deb" >lintian.log 2>lintian.err ||
    fail "$(grep '^[EW]:' lintian.log; tail -n 3 lintian.err)"
! grep '^I:.* hardening-no-' lintian.log || fail "binaries without Debian's hardening"
# every override is still needed for something
! grep 'unused-override\|mismatched-override' lintian.log || fail "overrides that override nothing"

dpkg-deb -x "$deb" root
python3 "$root/package/docs.py" --check root/usr || fail "links of installed documents"
for file in changelog.gz copyright README.md documentation.md mpjoule-run.schema.json manual/gate-a-pull-request.md; do
    [ -s "root/usr/share/doc/mpjoule/$file" ] || fail "$file is not installed"
done
version=$(dpkg-deb -f "$deb" Version)
[ "$(zcat root/usr/share/doc/mpjoule/changelog.gz | dpkg-parsechangelog -l - -S Version)" = "$version" ] ||
    fail "package/changelog has another version than $version"
[ -s root/usr/share/zsh/vendor-completions/_mpjoule ] || fail "zsh does not find the completion"
finish "lintian, and $(find root/usr/share/doc/mpjoule -name '*.md' | wc -l) documents"
