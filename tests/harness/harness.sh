# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034 # what is set here is for the scripts that source it
# What the tests' shell scripts share, to be sourced: where things lie, a folder of their own, counting
# what is wrong. The environment may name others: MPJOULE, APPS, QEMU, CALIBRATION.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
MPJOULE=${MPJOULE:-$root/build/mpjoule}
APPS=${APPS:-$root/build/firmware/apps}
QEMU=${QEMU:-$root/build/sim/qemu-system-arm}
CALIBRATION=${CALIBRATION:-$root/sim/calibrations/mprofiler.conf}
WORKLOADS=$root/apps/workloads
mpjoule=$MPJOULE
apps=$APPS
failures=0

# fail WORDS...: told and counted; the test goes on.
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# die WORDS...: the test ends here.
die() {
    fail "$@"
    exit 1
}

# finish WORDS...: the end of a test, with what it says when all was right.
finish() {
    [ "$failures" -gt 0 ] || echo "$*"
    exit $((failures > 0))
}

# own_folder: $dir, the current folder from now on, which goes when the test ends.
own_folder() {
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
    cd "$dir" || exit
}

# ends STATUS WORDS COMMAND...: how it ends, and what it says on stdout or stderr (kept in $dir/out, $dir/err).
ends() {
    local want=$1 words=$2 got=0
    shift 2
    "$@" >"$dir/out" 2>"$dir/err" || got=$?
    [ "$got" -eq "$want" ] || fail "status $got, not $want: $* ($(tail -qn 2 "$dir/err" "$dir/out"))"
    grep -q -e "$words" "$dir/err" "$dir/out" || fail "\"$words\" not said by: $* ($(tail -n 2 "$dir/err"))"
}

# limited BEFORE SECONDS STATUS WORDS COMMAND...: the same of a command that --timeout ends. An argument @, and any @
# of the words, is the limit: SECONDS, or more when a busy machine has not even started the program by then. The
# command BEFORE comes before each attempt.
limited() {
    local before=$1 limit=$2 want=$3 words=$4 word got
    shift 4
    while :; do
        local attempt=()
        for word in "$@"; do
            [ "$word" != @ ] || word=$limit
            attempt+=("$word")
        done
        got=0
        $before
        "${attempt[@]}" >"$dir/out" 2>"$dir/err" || got=$?
        if [ "$limit" -ge 100 ] || ! grep -q -e 'did not \(start\|answer\|open its serial line\) within' \
            -e 'command of .* did not end within' "$dir/err"; then
            break
        fi
        limit=$((limit * 10))
    done
    words=${words//@/$limit}
    [ "$got" -eq "$want" ] || fail "status $got, not $want: ${attempt[*]} ($(tail -qn 2 "$dir/err" "$dir/out"))"
    grep -q -e "$words" "$dir/err" "$dir/out" || fail "\"$words\" not said by: ${attempt[*]} ($(tail -n 2 "$dir/err"))"
}

# refused TEXT ARGUMENTS...: the command ends with status 125, one line on stderr that has the text, and
# nothing on stdout.
refused() {
    local want=$1 status=0
    shift
    timeout 1000 "$mpjoule" "$@" >refused.out 2>refused.err || status=$?
    [ "$status" = 125 ] && [ ! -s refused.out ] && [ "$(wc -l <refused.err)" = 1 ] &&
        grep -qF -- "$want" refused.err && return
    fail "$*: status $status, not '$want': $(cat refused.err refused.out)"
}

# obeys NAME FILE: the JSON file obeys docs/mpjoule-NAME.schema.json.
obeys() {
    "$root/tests/harness/schema_check.py" "$root/docs/mpjoule-$1.schema.json" "$2" ||
        fail "$(basename "$2") does not obey its schema"
}
