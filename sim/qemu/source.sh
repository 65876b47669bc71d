# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the QEMU source comes from; sourced by build.sh, which sets: cache, source
# (--source, may be empty), say and die.
#
# source_identify  sets source_id, source_name and source_dsc (empty: no source package)
# source_obtain    downloads the source package unless it is there
# source_unpack D  unpacks into the folder D (which must not exist)
# source_check_version D  ends the script unless D holds QEMU 7.2
# shellcheck disable=SC2034,SC2154  # variables shared with build.sh

# shellcheck source-path=SCRIPTDIR source=../../scripts/debian_pool.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/debian_pool.sh"

# The source package of Debian 12's last release.
source_wanted=7.2
source_version=7.2+dfsg-7+deb12u18
source_sums="\
6b6bd27b947ec89e40a1d6b26d9c9f3c698ca691da13163e0483f6061bbb20b3  qemu_$source_version.dsc
91aca71520040edc40b8d437aa3004dae614f58e286cf653ee8996c07af2962f  qemu_7.2+dfsg.orig.tar.xz
28a1c86310ee53b6bf1854cffe6f6be6ed29a08db7d05759f8ac57b8d6a6cb2f  qemu_$source_version.debian.tar.xz"

source_wrong_version() { # $1: version found, $2: where
    die "$2 is QEMU $1, but the patches are for $source_wanted. Take the source package of Debian 12" \
        "or an upstream qemu-$source_wanted.x tarball and say: sim/qemu/build.sh --source DIR|TARBALL" \
        "(or set MPJOULE_QEMU_SOURCE)"
}

source_identify() {
    source_id=
    source_name=
    source_dsc=
    if [ -n "$source" ]; then
        [ -e "$source" ] || die "--source $source: no such file or folder"
        source=$(realpath "$source")
        if [ -f "$source" ]; then
            case "$source" in
            *.tar | *.tar.*) ;;
            *) die "--source $source: neither a folder nor a tarball" ;;
            esac
            source_name=$(basename "$source")
            source_id=tarball-$(sha256sum "$source" | cut -c1-16)
        elif source_dsc=$(source_find_dsc "$source"); then
            source_name=$(basename "$source_dsc" .dsc)
            source_id=$source_name-$(sha256sum "$source_dsc" | cut -c1-16)
        elif [ -f "$source/VERSION" ] && [ -x "$source/configure" ]; then
            source_check_version "$source"
            source_name="QEMU $(cat "$source/VERSION") in $source"
            # Sizes and times stand for the content: reading it all would take seconds.
            source_id=tree-$(find "$source" -name .git -prune -o -path "$source/build" -prune -o \
                -type f -printf '%P %s %T@\n' | LC_ALL=C sort | sha256sum | cut -c1-16)
        else
            die "--source $source: no QEMU source (neither a .dsc nor VERSION and configure in it)"
        fi
        return 0
    fi
    source_dsc=$cache/source/qemu_$source_version/qemu_$source_version.dsc
    source_name=qemu_$source_version
    source_id=$source_name-${source_sums:0:16}
}

source_find_dsc() {
    local found
    found=$(find "$1" -maxdepth 1 -name 'qemu_*.dsc' | LC_ALL=C sort | tail -n 1)
    [ -n "$found" ] && echo "$found"
}

source_obtain() {
    local why folder=$cache/source/qemu_$source_version
    if [ -n "$source" ] || pool_whole "$folder" "$source_sums"; then return 0; fi
    say "downloading the source package (24 MB)"
    why=$(pool_obtain "$folder" "$source_sums" q/qemu "$cache/log/source.log" 2>&1) ||
        die "$why; with another copy of $source_name, or a QEMU $source_wanted tree: --source DIR|TARBALL"
}

source_unpack() {
    local to=$1 part
    if [ -n "$source" ] && [ -f "$source" ]; then
        mkdir -p "$to"
        tar -xf "$source" -C "$to" --strip-components=1
        return
    fi
    if [ -z "$source_dsc" ]; then
        mkdir -p "$to"
        (cd "$source" && tar -cf - --exclude=./.git --exclude=./build .) | tar -xf - -C "$to"
        return
    fi
    if command -v dpkg-source >/dev/null; then
        dpkg-source --no-check -x "$source_dsc" "$to"
        return
    fi
    # By hand: the original tarball, the packaging on top, then its patch series.
    mkdir -p "$to"
    for part in "${source_dsc%/*}"/qemu_*.orig.tar.*; do
        tar -xf "$part" -C "$to" --strip-components=1
    done
    for part in "${source_dsc%/*}"/qemu_*.debian.tar.*; do
        tar -xf "$part" -C "$to"
    done
    while read -r part; do
        patch -d "$to" -p1 --forward <"$to/debian/patches/$part"
    done < <(sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$to/debian/patches/series")
}

source_check_version() {
    local v
    v=$(cat "$1/VERSION" 2>/dev/null) || die "$1: no QEMU source (no VERSION file)"
    case "$v" in
    "$source_wanted" | "$source_wanted".*) ;;
    *) source_wrong_version "$v" "the given source" ;;
    esac
}
