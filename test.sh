#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole test suite: unit tests with sanitizers, tests in the emulator, lint.
# usage: ./test.sh [--quick] [ctest arguments]
#   --quick    the tests to run before every commit: unit tests, lint, a few runs in the emulator
# For instance ./test.sh -L unit, ./test.sh -R sim.known. With -L LABEL (tests/README.md) only what the
# tests of that label need is built.
set -euo pipefail
cd "$(dirname "$0")"

label=
if [ "${1:-}" = --quick ]; then
    shift
    label=quick
    set -- -L '^quick$' "$@"
elif [ "${1:-}" = -L ]; then
    label=${2:-}
    set -- -C "$label" "$@" # those that run with their label only
fi
case $label in
unit | workload) build=("asan:tests-$label") ;;
fuzz) build=("asan:tests-$label" fuzz:fuzzers) ;;
lint) build=(firmware:mpj_sysroot asan:) ;; # asan configured: how each file is compiled
distributions) build=(asan:) ;; # they build themselves
sim | docs | golden | hil | bench | projects | quick) build=(host:mpjoule firmware qemu "asan:tests-$label") ;;
*) build=(host firmware qemu asan fuzz:fuzzers) ;;
esac

scripts/packages.sh test
scripts/build.sh "${build[@]}"
# Jobs are halves of a processor (cmake/tests.cmake). The closing lines are those of ctest, and so is the exit
# status. What failed is tried once more, since many tests deal with this machine's clock, processes and ports:
# those that pass then are named before the summary.
case " $* " in *" --repeat "*) ;; *) set -- --repeat until-pass:2 "$@" ;; esac
ctest --preset asan -j "$((2 * $(nproc)))" "$@" 2>&1 | tests/harness/slowest.py
