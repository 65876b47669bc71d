#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A list of boards with the device of a LAVA job, for a docker test: its serial port and its power are in the
# environment. The port must be of a server that knows RFC 2217 (ser2net: `accepter: telnet(rfc2217),tcp,PORT`).
# usage: lava.sh ["KEY: VALUE"]... >boards.yaml    (more keys of `mpjoule help boards`, such as "boot: loader")
set -eu

: "${LAVA_CONNECTION_COMMAND:?is not set: this is for a docker test of a LAVA job}"
# shellcheck disable=SC2086 # "telnet HOST PORT"
at=$(set -- $LAVA_CONNECTION_COMMAND && [ $# -ge 3 ] && shift $(($# - 2)) && echo "$1:$2") || {
    echo "lava.sh: expected \"telnet HOST PORT\", not \"$LAVA_CONNECTION_COMMAND\"" >&2
    exit 1
}
printf 'boards:\n  - id: lava\n    port: rfc2217://%s\n' "$at"
[ -z "${LAVA_HARD_RESET_COMMAND:-}" ] ||
    printf "    power_cycle: '%s'\n" "$(printf %s "$LAVA_HARD_RESET_COMMAND" | sed "s/'/''/g")"
[ $# -eq 0 ] || printf '    %s\n' "$@"
