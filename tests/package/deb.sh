#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian package in an empty root with nothing but what it depends on: an ordinary user builds and
# runs a program from an own folder, without the checkout.
# usage: deb.sh BUILD-OF-HOST        needs root or sudo, and the distribution's packages
set -euo pipefail
build=$1
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
here=$(cd "$(dirname "$0")" && pwd)
as=()
[ "$(id -u)" -eq 0 ] || as=(sudo)
own_folder
trap '"${as[@]}" rm -rf --one-file-system "$dir"' EXIT

cmake --build "$build" >build.log 2>&1 || die "the host's build failed: $(tail -n 3 build.log)"
cpack --config "$build/CPackConfig.cmake" -B "$dir/pack" >pack.log 2>&1 || die "cpack: $(tail -n 5 pack.log)"
deb=$(echo "$dir"/pack/*.deb)
dpkg-deb --info "$deb" | grep -E '^ (Depends|Installed-Size)'
chmod 755 "$dir" # apt's own user reads the package
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016 # for mmdebstrap's shell
"${as[@]}" mmdebstrap --quiet --variant=minbase --mode=root --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
    --include="$deb,cmake,make" --customize-hook='chroot "$1" useradd --create-home user' \
    --customize-hook="copy-in $here/inside.sh /usr/local/bin" \
    "$suite" "$dir/root" >root.log 2>&1 ||
    die "no root could be made: $(tail -n 5 root.log)"

# Mounts of its own, which end with it.
# shellcheck disable=SC2016 # for the inner shell
"${as[@]}" unshare --mount --pid --ipc --net --fork bash -c '
    cd "$1"
    mount -t proc proc proc && mount --rbind /dev dev && mount -t tmpfs tmpfs run || exit
    exec chroot --userspec=user:user . env -i HOME=/home/user PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
        bash /usr/local/bin/inside.sh' _ "$dir/root" >inside.log 2>&1 || fail "in the root: $(tail -n 20 inside.log)"
cat inside.log
finish "the package works in a root of its own"
