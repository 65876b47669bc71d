#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same program with two OpenMP libraries says the same. usage: compare.sh OURS REFERENCE [ARG...]
set -euo pipefail
ours=$1
reference=$2
shift 2
diff <("$reference" "$@") <("$ours" "$@" || echo "exit status $?")
