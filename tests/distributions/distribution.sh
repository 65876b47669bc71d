#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A release of Debian with nothing in it but apt: ./demo.sh on a copy of the checkout builds and runs everything, and the
# package made there works in another root, without the checkout. On the release of ci/Containerfile its lines go first.
# usage: distribution.sh SUITE [whole]    bookworm or trixie; needs root or sudo, mmdebstrap, and a mirror of it
# whole: all of ./test.sh there, not --quick
# Kept in ~/.cache/mpjoule/distributions/SUITE: the empty root, the downloaded packages, the emulator.
set -euo pipefail
suite=$1 tests=--quick
[ "${2:-}" != whole ] || tests=
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"

skip() {
    echo "skipped: $*"
    exit 77
}

# ---- what it needs -----------------------------------------------------------------------
as=()
if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || skip "neither root nor sudo"
    as=(sudo)
fi
command -v mmdebstrap >/dev/null || skip "no mmdebstrap (scripts/packages.sh test installs it)"
# shellcheck source=scripts/debian_pool.sh
. "$root/scripts/debian_pool.sh"
mirror=$(pool_mirrors "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" | head -n 1) || true
[ -n "$mirror" ] || skip "apt has no mirror of Debian"
keep=${XDG_CACHE_HOME:-$HOME/.cache}/mpjoule/distributions/$suite
mkdir -p "$keep/archives/partial" "$keep/cache"
export TMPDIR=$keep # roots are large
own_folder
trap '"${as[@]}" rm -rf --one-file-system "$dir"' EXIT
chmod 755 "$dir"
/usr/lib/apt/apt-helper -o APT::Sandbox::User= download-file "$mirror/dists/$suite/InRelease" "$dir/InRelease" >mirror.log 2>&1 ||
    skip "$mirror has no $suite, or does not answer"

# took WHAT: how long it was since the last one
before=$SECONDS
took() {
    echo "$1: $((SECONDS - before)) s"
    before=$SECONDS
}

# ---- roots -------------------------------------------------------------------------------
# inside ROOT USER COMMAND: in the root, with mounts of its own that end with it
inside() {
    # shellcheck disable=SC2016 # for the inner shell
    "${as[@]}" unshare --mount --pid --ipc --fork bash -c '
        cd "$1"
        mount -t proc proc proc && mount --rbind /dev dev && mount -t tmpfs tmpfs run &&
            mount --bind "$2/archives" var/cache/apt/archives && mount --bind "$2/cache" root/.cache/mpjoule || exit
        home=/root
        [ "$3" = root ] || home=/home/$3
        exec chroot --userspec="$3:$3" . env -i HOME="$home" PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive bash -ec "$4"' _ "$dir/$1" "$keep" "$2" "$3"
}

home=root # of who builds and installs, in a root

# new_root ROOT: with what this machine knows of names and proxies
new_root() {
    mkdir "$1"
    "${as[@]}" tar -C "$1" -xf "$keep/base.tar" --exclude=./dev/*
    "${as[@]}" mkdir -p "$1/$home/.cache/mpjoule"
    "${as[@]}" cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    apt-config dump | grep -E '^Acquire::(http|https)::' | "${as[@]}" tee "$1/etc/apt/apt.conf.d/90host" >/dev/null || true
}

if [ ! -s "$keep/base.tar" ]; then
    "${as[@]}" mmdebstrap --quiet --variant=minbase --mode=root "$suite" "$dir/base.tar" "$mirror" >base.log 2>&1 ||
        die "no root could be made: $(tail -n 5 base.log)"
    mv base.tar "$keep/base.tar"
    took "an empty root"
fi

# ---- demo.sh -----------------------------------------------------------------------------
new_root build
"${as[@]}" mkdir -p build/opt/mpjoule
git -C "$root" ls-files --cached --others --exclude-standard -z |
    (cd "$root" && tar -c --null --ignore-failed-read -T - 2>/dev/null) | "${as[@]}" tar -C build/opt/mpjoule -x --no-same-owner
"${as[@]}" git -C build/opt/mpjoule init -q # as in a clone: the lints ask git for the files
"${as[@]}" git -C build/opt/mpjoule add -A

# Containerfile's lines RUN, in the folder that it copies the project to
release=$(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' build/etc/os-release)
if grep -qx "FROM debian:$release-slim" "$root/ci/Containerfile"; then
    sed -n 's/^RUN //p' "$root/ci/Containerfile" >steps
    while IFS= read -r step; do
        inside build root "cd /opt/mpjoule; $step" >>container.log 2>&1 </dev/null ||
            die "ci/Containerfile: $step: $(tail -n 20 container.log)"
    done <steps
    took "ci/Containerfile"
fi
inside build root 'cd /opt/mpjoule; ./demo.sh' >demo.log 2>&1 </dev/null || die "demo.sh: $(tail -n 30 demo.log)"
grep -q '^matmul: .* correct$' demo.log || fail "demo.sh shows no result of the program: $(tail -n 30 demo.log)"
grep -q '^stored: ' demo.log || fail "demo.sh does not come to its end: $(tail -n 5 demo.log)"
took "demo.sh"
inside build root 'cd /opt/mpjoule; ./demo.sh' >again.log 2>&1 </dev/null || die "demo.sh again: $(tail -n 30 again.log)"
grep -q '^packages: all [0-9]* present$' again.log || fail "demo.sh installs again: $(head -n 3 again.log)"
took "demo.sh again"

# ---- test.sh -----------------------------------------------------------------------------
inside build root "cd /opt/mpjoule; ./test.sh $tests" >test.log 2>&1 </dev/null || fail "test.sh $tests: $(tail -n 40 test.log)"
grep 'tests passed' test.log || fail "test.sh $tests: no result: $(tail -n 5 test.log)"
took "test.sh $tests"

# ---- the package -------------------------------------------------------------------------
inside build root 'cd /opt/mpjoule; cpack --config build/host/CPackConfig.cmake -B build/package' >pack.log 2>&1 </dev/null ||
    die "cpack: $(tail -n 15 pack.log)"
dpkg-deb --field build/opt/mpjoule/build/package/*.deb Depends
new_root other
"${as[@]}" cp build/opt/mpjoule/build/package/*.deb "other/$home/mpjoule.deb"
"${as[@]}" install -m 755 "$root/tests/package/inside.sh" other/usr/local/bin/inside.sh
inside other root 'cp ~/mpjoule.deb /tmp; apt-get -q update; apt-get install -qy /tmp/mpjoule.deb
    useradd --create-home user' >install.log 2>&1 </dev/null || die "installing the package: $(tail -n 10 install.log)"
took "installing the package"
inside other user /usr/local/bin/inside.sh >inside.log 2>&1 </dev/null || fail "the package: $(tail -n 20 inside.log)"
cat inside.log
took "using the package"
finish "$suite: demo.sh, test.sh $tests and the package work"
