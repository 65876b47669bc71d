#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A list of boards with the board of a labgrid place that is acquired: its serial port, which has another number
# each time, and its power.
# usage: labgrid.sh PLACE ["KEY: VALUE"]... >boards.yaml    (more keys of `mpjoule help boards`, such as "boot: loader")
set -eu

place=${1:?PLACE}
shift
at=$(labgrid-client -p "$place" show | tr -d '\n' |
    sed -n "s/.*'cls': 'NetworkSerialPort'.*'host': '\([^']*\)', *'port': \([0-9][0-9]*\).*/\1:\2/p")
[ -n "$at" ] || {
    echo "labgrid.sh: $place has no serial port: is it acquired (labgrid-client -p $place acquire)?" >&2
    exit 1
}
printf 'boards:\n  - id: labgrid\n    port: rfc2217://%s\n    power_cycle: labgrid-client -p %s power cycle\n' "$at" "$place"
[ $# -eq 0 ] || printf '    %s\n' "$@"
