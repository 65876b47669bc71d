# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For tests in the emulator, to be sourced; $mpjoule is the command.

# refused TEXT ARGUMENTS...: the command ends with status 125, one line on stderr that has the text, and
# nothing on stdout. Otherwise it says so and fails.
refused() {
    local want=$1 status=0
    shift
    "${mpjoule:?}" "$@" >out.txt 2>err.txt || status=$?
    [ "$status" = 125 ] && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" = 1 ] && grep -qF -- "$want" err.txt && return
    echo "$*: status $status, not '$want': $(cat err.txt)" >&2
    return 1
}
