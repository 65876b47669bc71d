#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the emulator: QEMU 7.2 from the source package of Debian 12, with our
# overlay, patches and the chip model, once, into a cache keyed by content.
#
# usage: sim/qemu/build.sh [--source DIR|TARBALL] [--link PATH] [--jobs N] [--baseline]
#        sim/qemu/build.sh --path [--baseline] | --stock | --clean | --help
#
#   --source X    an unpacked QEMU 7.2 tree, a tarball, or a folder with a source
#                 package's .dsc (also: MPJOULE_QEMU_SOURCE); without it the source
#                 package comes from the mirror that this machine's apt uses
#   --link PATH   make PATH a symbolic link to the built qemu-system-arm
#   --jobs N      parallel compilers (default: all processors)
#   --baseline    unpatched QEMU from the same source with its contrib cache plugin
#                 (for benchmarks): bin/qemu-system-arm and lib/libcache.so
#   --path        print the path of the binary; exit status 1 when it is not built
#   --stock       how to use the distribution's own QEMU; builds nothing
#   --clean       remove work trees and all builds but the current one
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
chip=$here/../chip
tile=$here/../../tile/include
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpjoule
# shellcheck source-path=SCRIPTDIR source=source.sh
. "$here/source.sh"

say() { printf 'qemu: %s\n' "$*"; }
die() {
    printf 'qemu: %s\n' "$*" >&2
    exit 1
}
usage() { sed -n '/^# usage/,/^set -euo/{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; }

# ---- command line ------------------------------------------------------------
source=${MPJOULE_QEMU_SOURCE:-}
link=
jobs=$(nproc)
variant=model
action=build
while [ $# -gt 0 ]; do
    case "$1" in
    --source | --link | --jobs)
        [ $# -ge 2 ] || die "$1 needs a value (see --help)"
        case "$1" in
        --source) source=$2 ;;
        --link) link=$2 ;;
        --jobs) jobs=$2 ;;
        esac
        shift
        ;;
    --baseline) variant=baseline ;;
    --path) action=path ;;
    --stock) action=stock ;;
    --clean) action=clean ;;
    --help | -h)
        usage
        exit 0
        ;;
    *) die "unknown option $1 (see --help)" ;;
    esac
    shift
done

if [ "$action" = stock ]; then
    cat <<'TEXT'
The distribution's own QEMU needs no build: install the package qemu-system-arm and
run with MPJOULE_QEMU=/usr/bin/qemu-system-arm. It boots the board, but has neither
the counters nor the power model: the firmware says so and ends the run. For
benchmarks, `sim/qemu/build.sh --baseline` builds unpatched QEMU from the same source.
TEXT
    exit 0
fi

# ---- what goes in ------------------------------------------------------------
configure_flags=(
    --target-list=arm-softmmu
    --without-default-features
    --enable-tcg
    --enable-fdt=system
    --without-default-devices
    --with-devices-arm=mpjoule
    --disable-werror
    --disable-debug-info
    --disable-qom-cast-debug
    --disable-pie
    --disable-stack-protector
    "--extra-cflags=-ffp-contract=off -Werror=implicit-function-declaration"
    --extra-ldflags=-no-pie
)
if [ "$variant" = baseline ]; then
    configure_flags+=(--enable-plugins)
else
    # Plugins cost a test per block and memory access even when none is loaded.
    configure_flags+=(--disable-plugins --enable-seccomp)
fi
recipe=1 # raise when this script changes what it builds from the same inputs

# Files that go into the tree: "FILE<tab>PATH IN TREE", sorted.
tree_files() {
    local device_list=configs/devices/arm-softmmu/mpjoule.mak
    {
        if [ "$variant" = baseline ]; then
            printf '%s\t%s\n' "$here/overlay/$device_list" "$device_list"
        else
            find "$here/overlay" -type f -printf '%p\t%P\n'
            find "$chip" -type f -name '*.[ch]' -printf '%p\tmpj/chip/%P\n'
            find "$tile" -type f -name '*.h' -printf '%p\tmpj/tile/%P\n'
        fi
    } | LC_ALL=C sort
}
patch_files() {
    [ "$variant" = baseline ] || find "$here/patches" -type f -name '*.patch' | LC_ALL=C sort
}
# Digest of everything that decides what comes out, but not of where it lies.
inputs_hash() {
    {
        printf '%s\n' "$recipe" "$variant" "$source_id" "${configure_flags[@]}"
        tree_files | cut -f2
        tree_files | cut -f1 | tr '\n' '\0' | xargs -0 -r sha256sum | cut -d' ' -f1
        patch_files | sed 's|.*/||'
        patch_files | tr '\n' '\0' | xargs -0 -r sha256sum | cut -d' ' -f1
    } | sha256sum | cut -c1-16
}

prefix=qemu
[ "$variant" = model ] || prefix=qemu-baseline
locate() {
    hash=$(inputs_hash)
    out=$cache/$prefix-$hash
}
keep_days=30 # since a build was last asked for: different checkouts share the cache, and link to it
# A cached build counts only while it still runs (a library may have gone).
built() { "$out/bin/qemu-system-arm" --version >/dev/null 2>&1; }
finish() {
    touch "$out" # last use
    if [ -n "$link" ]; then
        mkdir -p "$(dirname "$link")"
        ln -sfn "$out/bin/qemu-system-arm" "$link"
    fi
    say "$1: $out/bin/qemu-system-arm"
    exit 0
}

if [ "$action" = clean ]; then
    source_identify
    locate
    for d in "$cache"/work-* "$cache"/qemu-* "$cache"/.new-*; do
        if [ -d "$d" ] && [ "$d" != "$out" ]; then rm -rf "$d"; fi
    done
    say "cleaned $cache"
    exit 0
fi

source_identify
locate
if [ "$action" = path ]; then
    echo "$out/bin/qemu-system-arm"
    if built; then exit 0; fi
    exit 1
fi
if built; then finish "cached"; fi

# ---- one build at a time -----------------------------------------------------
mkdir -p "$cache/log"
exec 9>"$cache/.lock"
if ! flock -n 9; then
    say "another build is running, waiting for it"
    flock 9
    if built; then finish "cached"; fi
fi
start=$SECONDS

for tool in meson ninja patch tar xz cc pkg-config python3; do
    command -v "$tool" >/dev/null || die "needs '$tool'; scripts/packages.sh demo installs what is missing"
done
for lib in glib-2.0 pixman-1 zlib libseccomp; do
    pkg-config --exists "$lib" || die "needs the development files of $lib; scripts/packages.sh demo installs what is missing"
done

echo '#include <libfdt.h>' | cc -E - >/dev/null 2>&1 ||
    die "needs the development files of libfdt; scripts/packages.sh demo installs what is missing"

source_obtain # downloads when there is none

log=$cache/log/$prefix-$hash.log
: >"$log"
failed() {
    grep -nE '(^|[^-])error:|ERROR|FAILED|undefined reference' "$log" | tail -n 15 >&2 || true
    die "$1; the whole log is $log"
}

flags_hash=$(printf '%s\n' "$recipe" "$source_id" "${configure_flags[@]}" | sha256sum | cut -c1-8)
work=$cache/work-$flags_hash
tree=$work/tree
if [ ! -d "$tree" ]; then
    say "unpacking $source_name"
    rm -rf "$work"
    mkdir -p "$work/orig"
    source_unpack "$work/tree.new" >>"$log" 2>&1 || failed "cannot unpack $source_name"
    source_check_version "$work/tree.new"
    mv "$work/tree.new" "$tree"
fi

# ---- overlay and patches -----------------------------------------------------
# The work tree is kept between builds so that a changed patch recompiles only
# what depends on it: bring each touched file to its new content, and the ones no
# longer touched back to the original. work/applied lists the files that differ
# (or may differ, after an interruption) from the source package.
stage=$work/stage
rm -rf "$stage"
mkdir -p "$stage"
touch "$work/applied"
mapfile -t patches < <(patch_files)
{
    tree_files | cut -f2
    if [ ${#patches[@]} -gt 0 ]; then
        sed -nE 's,^(---|\+\+\+) [ab]/([^[:space:]]+).*$,\2,p' "${patches[@]}"
    fi
} | LC_ALL=C sort -u >"$work/wanted"
while IFS= read -r f; do
    if [ -e "$tree/$f" ] && ! grep -qxF -- "$f" "$work/applied"; then
        mkdir -p "$work/orig/$(dirname "$f")"
        cp -p "$tree/$f" "$work/orig/$f"
    fi
    if [ -e "$work/orig/$f" ]; then
        mkdir -p "$stage/$(dirname "$f")"
        cp -p "$work/orig/$f" "$stage/$f"
    fi
done <"$work/wanted"
while IFS=$'\t' read -r from to; do
    mkdir -p "$stage/$(dirname "$to")"
    cp "$from" "$stage/$to"
done < <(tree_files)
for p in "${patches[@]}"; do
    printf '== %s\n' "$p" >>"$log"
    patch -d "$stage" -p1 --forward --no-backup-if-mismatch <"$p" >>"$log" 2>&1 ||
        failed "$(basename "$p") does not apply to $source_name"
done
say "applying $(tree_files | wc -l) files and ${#patches[@]} patches to $source_name"
cp "$work/applied" "$work/before"
LC_ALL=C sort -u -o "$work/applied" "$work/before" "$work/wanted"
while IFS= read -r f; do
    if [ -e "$work/orig/$f" ]; then cp "$work/orig/$f" "$tree/$f"; else rm -f "$tree/$f"; fi
done < <(LC_ALL=C comm -23 "$work/before" "$work/wanted")
while IFS= read -r f; do
    if [ ! -e "$stage/$f" ]; then
        rm -f "$tree/$f" # a patch deletes it
    elif ! cmp -s "$stage/$f" "$tree/$f"; then
        mkdir -p "$tree/$(dirname "$f")"
        cp "$stage/$f" "$tree/$f"
        touch "$tree/$f"
    fi
done <"$work/wanted"
# New and vanished source files are found at configuration time.
if ! cmp -s "$work/before" "$work/wanted"; then touch "$tree/meson.build"; fi
mv "$work/wanted" "$work/applied"
rm -rf "$stage" "$work/before"

# ---- configure and compile ---------------------------------------------------
if [ ! -f "$tree/build/build.ninja" ]; then
    say "configuring"
    mkdir -p "$tree/build"
    # The distribution's meson belongs to the system's Python.
    (cd "$tree/build" && PATH=/usr/bin:$PATH ../configure --meson="$(command -v meson)" \
        --with-git-submodules=ignore "${configure_flags[@]}") >>"$log" 2>&1 || failed "configure failed"
fi

# One line per tenth (or one moving line on a terminal) instead of a wall of text.
progress() {
    local last=-1 line pct step=10 end='\n'
    if [ -t 1 ]; then
        step=1
        end='\r'
    fi
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        pct=$((BASH_REMATCH[1] * 100 / BASH_REMATCH[2] / step * step))
        if [ "$pct" -gt "$last" ]; then
            # shellcheck disable=SC2059 # end is a control sequence of ours
            printf "qemu: compiling %3d %% of %d steps, %d s$end" \
                "$pct" "${BASH_REMATCH[2]}" $((SECONDS - start))
            last=$pct
        fi
    done
    if [ -t 1 ] && [ "$last" -ge 0 ]; then echo; fi
}
NINJA_STATUS='[%f/%t] ' ninja -C "$tree/build" -j "$jobs" qemu-system-arm 2>&1 | progress ||
    failed "compiling failed"

# ---- publish -----------------------------------------------------------------
new=$cache/.new-$hash.$$
rm -rf "$new"
mkdir -p "$new/bin"
strip -o "$new/bin/qemu-system-arm" "$tree/build/qemu-system-arm"
if [ "$variant" = baseline ]; then
    mkdir -p "$new/lib"
    make -C "$tree/build/contrib/plugins" libcache.so >>"$log" 2>&1 || failed "building the cache plugin failed"
    cp "$tree/build/contrib/plugins/libcache.so" "$new/lib/"
fi
# Every run names the emulator by its SHA-256: noted, with the size and the time of the file that has
# it, since to compute it takes a fifth of a short run.
(
    cd "$new/bin"
    sum=$(sha256sum qemu-system-arm)
    stat -L -c '%s %Y' qemu-system-arm | tr '\n' ' ' >qemu-system-arm.sum
    echo "${sum%% *}" >>qemu-system-arm.sum
)
{
    echo "source: $source_name ($source_id)"
    echo "configure: ${configure_flags[*]}"
} >"$new/BUILD"
rm -rf "$out"
mv -T "$new" "$out"
if [ "$variant" = baseline ]; then rm -rf "$work"; fi # built once, never changed
find "$cache" -maxdepth 1 -type d -name "$prefix-*" -regex ".*/$prefix-[0-9a-f]*" -mtime "+$keep_days" \
    -exec rm -rf {} +
finish "built in $((SECONDS - start)) s"
