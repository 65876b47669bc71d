# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of Debian 12's pool, whichever release of Debian this machine has: they stay there as long as Debian 12
# itself, and what is built does not depend on when it is. Sourced.
#
# pool_whole DIR SUMS               true when DIR has the files of SUMS (lines of sha256sum) and no byte differs
# pool_obtain DIR SUMS POOL LOG     downloads them into DIR, from POOL (q/qemu) of a mirror that this machine's apt
#                                   uses; fails with the reason on stderr

# The mirrors of Debian that this machine installs from, in apt's order. $1: code name of its release
pool_mirrors() {
    apt-get --print-uris update | sed -nE "s,^'([^']*)/dists/($1|(old)*stable)(-[^/']*)?/.*,\\1,p" |
        sed 's,^file:,copy:,' | awk '!seen[$0]++'
}

pool_whole() { (cd "$1" && sha256sum --check --status <<<"$2") 2>/dev/null; }

# As apt does, with its proxies and the like. $1: file, $2: SHA-256, $3: its name in the pool; then mirrors
pool_download() {
    local file=$1 sum=$2 name=$3 mirror
    shift 3
    for mirror; do
        /usr/lib/apt/apt-helper -o APT::Sandbox::User= \
            download-file "$mirror/pool/main/$name" "$file" "SHA256:$sum" && return
    done
    return 1
}

pool_obtain() {
    local folder=$1 sums=$2 pool=$3 log=$4 code mirrors sum name new
    new=${folder%/*}/.new.$$
    command -v apt-get >/dev/null || {
        echo "this system has no apt" >&2
        return 1
    }
    # shellcheck disable=SC1091
    code=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    mirrors=$(pool_mirrors "$code" 2>"$log") || true
    [ -n "$mirrors" ] || {
        echo "no mirror of '$code' in /etc/apt" >&2
        return 1
    }
    rm -rf "$new" "$folder"
    mkdir -p "$new"
    while read -r sum name; do
        # shellcheck disable=SC2086 # a word for each
        pool_download "$new/$name" "$sum" "$pool/$name" $mirrors >>"$log" 2>&1 || break
    done <<<"$sums"
    if ! pool_whole "$new" "$sums"; then
        rm -rf "$new"
        echo "cannot download: $(sed -n 's/^E: Failed to fetch //p' "$log" | tail -n 1) (log: $log)" >&2
        return 1
    fi
    mv -T "$new" "$folder"
}
