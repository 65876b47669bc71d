# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The interpreter executes a script: tables, strings, closures, coroutines, integers, numbers.
build() { make -j"$JOBS" posix "${TOOLS[@]}" AR="$AR rcu"; }

work() {
    cp "${RECIPES:?}/lua.lua" .
    run "$SOURCE/src/lua" lua.lua 7 >out/script
    run "$SOURCE/src/luac" -o out/script.luac lua.lua
    rm out/script.luac # of the size of this machine's words
    run "$SOURCE/src/lua" -e 'print(_VERSION, #arg)' >out/version
}
