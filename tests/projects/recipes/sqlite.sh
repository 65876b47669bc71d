# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The shell executes a script; four threads use a database in turn, by the project's own test.
build() {
    ./configure "${CONFIGURE[@]}" --disable-shared --disable-tcl --disable-readline
    make -j"$JOBS" libsqlite3.la sqlite3
    # shellcheck disable=SC2086 # the compiler is two words
    $CC -O2 -I. test/threadtest4.c .libs/libsqlite3.a -o threadtest4 -lm -ldl -lpthread
}

work() {
    cp "$RECIPES/sqlite.sql" .
    run "$SOURCE/sqlite3" -batch data.db <sqlite.sql >out/answers
    run "$SOURCE/sqlite3" -batch data.db .dump >out/dump
    run "$SOURCE/threadtest4" -serialized 4 >threads
    sed 's/ in [0-9]* tests//' threads | sort >out/threads # how many depends on who comes first
}
