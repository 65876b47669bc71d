#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole test suite: unit tests with sanitizers, tests in the emulator, lint.
# Arguments go to ctest (for instance: ./test.sh -L unit, ./test.sh -R sim.known).
set -euo pipefail
cd "$(dirname "$0")"

scripts/packages.sh test
scripts/build.sh host firmware qemu asan
ctest --preset asan -j "$(nproc)" "$@"
