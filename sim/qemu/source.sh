# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the QEMU source comes from; sourced by build.sh, which sets: cache, source
# (--source, may be empty), say and die.
#
# source_identify  sets source_id and source_name without touching the network;
#                  fails when the source package has not been downloaded yet
# source_obtain    the same, downloading when needed
# source_unpack D  unpacks into the folder D (which must not exist)
# source_check_version D  ends the script unless D holds QEMU 7.2
# shellcheck disable=SC2034,SC2154  # variables shared with build.sh

# The patches are for this release; other ones differ in every file we touch.
source_wanted=7.2

source_wrong_version() { # $1: version found, $2: where
    die "$2 is QEMU $1, but the patches are for $source_wanted. Take the source package of Debian 12" \
        "or an upstream qemu-$source_wanted.x tarball and say: sim/qemu/build.sh --source DIR|TARBALL" \
        "(or set MPJOULE_QEMU_SOURCE)"
}

source_identify() {
    source_id=
    source_name=
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
    [ -f "$cache/source/current" ] || return 1
    source_dsc=$cache/source/$(cat "$cache/source/current")
    [ -f "$source_dsc" ] || return 1
    source_name=$(basename "$source_dsc" .dsc)
    source_id=$source_name-$(sha256sum "$source_dsc" | cut -c1-16)
}

source_find_dsc() {
    local found
    found=$(find "$1" -maxdepth 1 -name 'qemu_*.dsc' | LC_ALL=C sort | tail -n 1)
    [ -n "$found" ] && echo "$found"
}

# The machine's own package sources as source-package ones, for a private apt state.
# Only the distribution's: others (suites not named after the release) have no QEMU.
# $1: folder to read (normally /etc/apt), $2: folder to write, $3: release code name
source_write_apt_sources() {
    local f
    : >"$2/own.list"
    mkdir -p "$2/parts"
    for f in "$1"/sources.list "$1"/sources.list.d/*.list; do
        [ -f "$f" ] || continue
        # deb [options] URI SUITE COMPONENT...
        awk -v code="$3" '
            $1 == "deb" {
                i = 2
                if ($2 ~ /^\[/) { while ($i !~ /\]$/ && i < NF) i++; i++ }
                suite = $(i + 1); sub("/.*", "", suite)
                if (suite == code || index(suite, code "-") == 1 || suite ~ /^(old)*stable/) {
                    sub(/^[ \t]*deb[ \t]/, "deb-src "); print
                }
            }' "$f" >>"$2/own.list"
    done
    for f in "$1"/sources.list.d/*.sources; do
        [ -f "$f" ] || continue
        # deb822: paragraphs; a field may go on in lines that start with a blank.
        awk -v code="$3" '
            function flush(   n, i, w) {
                if (types && !off) {
                    n = split(suites, w, /[ \t]+/)
                    for (i = 1; i <= n; i++) {
                        sub("/.*", "", w[i])
                        if (w[i] == code || index(w[i], code "-") == 1 || w[i] ~ /^(old)*stable/) good = 1
                    }
                    if (good) print "Types: deb-src\n" text
                }
                text = ""; suites = ""; types = 0; off = 0; good = 0; field = ""
            }
            /^[ \t]*$/ { flush(); next }
            /^#/ { next }
            /^[^ \t]/ { field = tolower($0); sub(/:.*/, "", field) }
            field == "types" { if ($0 ~ /(^|[ \t:])deb([ \t]|$)/) types = 1; next }
            field == "enabled" { if (tolower($0) ~ /no|false/) off = 1; next }
            field == "architectures" { next }
            field == "suites" { s = $0; sub(/^[^ \t:]*:/, "", s); suites = suites " " s }
            { text = text $0 "\n" }
            END { flush() }' "$f" >"$2/parts/$(basename "$f")"
        [ -s "$2/parts/$(basename "$f")" ] || rm "$2/parts/$(basename "$f")"
    done
    [ -s "$2/own.list" ] || [ -n "$(ls "$2/parts")" ]
}

source_obtain() {
    if source_identify; then return 0; fi
    local apt=$cache/apt code log=$cache/log/source.log new
    command -v apt-get >/dev/null ||
        die "this system has no apt; get a QEMU $source_wanted tree and use --source DIR|TARBALL"
    # shellcheck disable=SC1091
    code=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    rm -rf "$apt"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    source_write_apt_sources /etc/apt "$apt" "$code" ||
        die "no package source of '$code' in /etc/apt; get a QEMU $source_wanted tree and use --source DIR|TARBALL"
    # Everything private: neither root nor a change of the system is needed. The
    # keyrings named by Signed-By, proxies and the trust settings stay the machine's.
    cat >"$apt/apt.conf" <<CONF
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/own.list";
Dir::Etc::sourceparts "$apt/parts";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::IndexTargets::deb::Packages::DefaultEnabled "false";
CONF
    say "looking up the source package"
    APT_CONFIG=$apt/apt.conf apt-get -q update >"$log" 2>&1 || source_offline "$log"
    new=$cache/source/.new.$$
    rm -rf "$new"
    mkdir -p "$new"
    say "downloading the source package (about 25 MB)"
    (cd "$new" && APT_CONFIG=$apt/apt.conf apt-get -q source --download-only --only-source qemu) >>"$log" 2>&1 ||
        source_offline "$log"
    source_dsc=$(source_find_dsc "$new") || source_offline "$log"
    local version
    version=$(sed -n 's/^Version: *//p' "$source_dsc" | head -n 1)
    version=${version#*:}
    case "$version" in
    "$source_wanted" | "$source_wanted"[.+~-]*) ;;
    *)
        rm -rf "$new"
        source_wrong_version "$version" "this distribution's source package"
        ;;
    esac
    local dir=$cache/source/qemu_$version
    rm -rf "$dir" "$apt"
    mv -T "$new" "$dir"
    echo "qemu_$version/$(basename "$source_dsc")" >"$cache/source/current"
    source_identify
}

source_offline() {
    grep -E '^(E|W):' "$1" | tail -n 5 >&2 || true
    die "cannot download the source package (log: $1). Without network: --source DIR|TARBALL with a QEMU $source_wanted tree"
}

source_unpack() {
    local to=$1 part
    if [ -n "$source" ] && [ -f "$source" ]; then
        mkdir -p "$to"
        tar -xf "$source" -C "$to" --strip-components=1
        return
    fi
    if [ -z "${source_dsc:-}" ]; then
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
