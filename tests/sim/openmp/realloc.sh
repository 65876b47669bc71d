#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A program of allocators prints the same on the target and with this machine's libgomp.
# usage: realloc.sh omp_realloc.c
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
source=$(realpath "$1")
own_folder
cc -O1 -fopenmp "$source" -o native
"$mpjoule" cc -O1 -fopenmp "$source" -o realloc.elf
./native >want
"$mpjoule" run --quiet --no-counters realloc.elf >out
diff want out || fail "another output than on this machine"
finish "omp_realloc as on this machine"
