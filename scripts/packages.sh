#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs the distribution packages that demo.sh and test.sh need.
# usage: scripts/packages.sh [--list] demo|test
#        scripts/packages.sh --check
# Says what it installs; does nothing when all are there. --list: prints their names instead. --check: only
# whether this system is one that mpjoule is built on, in a line when it is not.
set -euo pipefail

# supported: Debian 12 or 13; otherwise a line says what to do
supported() {
    local ID='' VERSION_ID='' PRETTY_NAME=''
    # shellcheck source=/dev/null
    if [ -r "${MPJOULE_OS_RELEASE:-/etc/os-release}" ]; then . "${MPJOULE_OS_RELEASE:-/etc/os-release}"; fi
    case $ID:$VERSION_ID in
    debian:12 | debian:13) command -v apt-get >/dev/null && return ;;
    esac
    echo "mpjoule is built on Debian 12 or 13, and this is ${PRETTY_NAME:-$(uname -s)}: make an image with" \
        "'podman build -t mpjoule -f ci/Containerfile .' (or docker), or install the .deb in a container of Debian" >&2
    return 1
}

host=(build-essential cmake ninja-build pkg-config python3 file
      libelf-dev libdw-dev libjansson-dev libsqlite3-dev libzstd-dev libxml2-dev
      libgsl-dev libserialport-dev libtelnet-dev libyaml-dev libmd-dev nettle-dev
      zlib1g-dev libcapstone-dev lowdown
      libjs-dygraphs node-d3-axis node-d3-brush node-d3-hierarchy node-d3-scale)
target=(gcc-arm-none-eabi libnewlib-arm-none-eabi binutils-arm-none-eabi)
emulator=(dpkg-dev xz-utils meson libglib2.0-dev libpixman-1-dev libfdt-dev
          libseccomp-dev)
tests=(git gcc-arm-linux-gnueabihf libc6-dev-armhf-cross linux-libc-dev-armhf-cross libcmocka-dev sqlite3 clang libclang-rt-dev clang-format clang-tidy llvm shellcheck python3-jsonschema tzdata qemu-system-arm u-boot-qemu lrzsz gkermit openocd
       csmith libcsmith-dev autoconf automake scons
       valgrind gdb-multiarch protobuf-compiler chromium eslint mmdebstrap man-db lintian ser2net
       libxml2-utils yamllint python3-yaml python3-prometheus-client
       slurmctld slurmd slurm-client parallel
       gcc-arm-linux-gnueabi libc6-dev-armel-cross bc flex bison)
# For sim/linux, whose test is skipped without: Debian 13 has another Linux.
release=${MPJOULE_OS_RELEASE:-/etc/os-release}
if [ -r "$release" ] && [[ $(<"$release") == *'VERSION_ID="12"'* ]]; then tests+=(linux-source-6.1); fi
# Node.js often comes from elsewhere, with its npm.
command -v npm >/dev/null || tests+=(nodejs npm)

list=
if [ "${1:-}" = --check ]; then
    supported
    exit
elif [ "${1:-}" = --list ]; then
    list=1
    shift
fi
case "${1:-}" in
demo) want=("${host[@]}" "${target[@]}" "${emulator[@]}") ;;
test) want=("${host[@]}" "${target[@]}" "${emulator[@]}" "${tests[@]}") ;;
*)
    echo "usage: scripts/packages.sh [--list] demo|test, or --check" >&2
    exit 2
    ;;
esac
if [ -n "$list" ]; then
    printf '%s\n' "${want[@]}"
    exit 0
fi

supported || exit
missing=()
for p in "${want[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$p")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "packages: all ${#want[@]} present"
    exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
    root=()
elif command -v sudo >/dev/null; then
    root=(sudo)
else
    echo "packages: need root or sudo to install: ${missing[*]}" >&2
    exit 1
fi
echo "packages: installing ${#missing[@]} of ${#want[@]}: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
    if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "packages: '$*' failed (above)" >&2
        exit 1
    fi
}
run apt-get update
run apt-get install -y --no-install-recommends "${missing[@]}"
echo "packages: done"
