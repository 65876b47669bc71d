# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    ./configure "${CONFIGURE[@]}" --disable-shared --disable-nls --without-readline
    make -j"$JOBS"
}

work() {
    input words 30000 | awk '{ print "store key" NR " \"" $1 "-" $2 "\"" }' >commands
    printf 'count\nfetch key7\nreorganize\ncount\nquit\n' >>commands
    run "$SOURCE/tools/gdbmtool" -n -q words.db <commands >out/session
    run "$SOURCE/tools/gdbm_dump" words.db dump
    grep -v '^#:\?version' dump | grep -v '^# GDBM dump file created' >out/dump
    run "$SOURCE/tools/gdbm_load" dump again.db
    echo list | run "$SOURCE/tools/gdbmtool" -q -r again.db | sort >out/list
}
