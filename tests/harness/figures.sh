#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs a test that compares figures of programs with kept ones, which are those of Debian 12's compiler and C
# library: with others, whose code is another, the test is skipped.
# usage: figures.sh COMMAND [ARG...]
set -euo pipefail
found=$(arm-none-eabi-gcc -dumpfullversion) || exit
if [ "${found%.*}" != 12.2 ]; then
    echo "skipped: the kept figures are those of Debian 12 (arm-none-eabi-gcc 12.2), not of arm-none-eabi-gcc $found"
    exit 77
fi
exec "$@"
