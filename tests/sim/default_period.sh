#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A host that names no ADC period gets the default one, and functions are measured.
# usage: default_period.sh no_period
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
"$mpjoule" cc -O2 --functions "$WORKLOADS/mu_functions.c" -o f.elf
"$1" f.elf
