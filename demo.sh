#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# From nothing to a measured energy profile: installs the packages, builds the
# host command, the firmware and the emulator, and runs a matrix multiplication
# on the four cores of the emulated ARM11 MPCore tile. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")"

scripts/packages.sh demo
scripts/build.sh host firmware qemu

events=instr,ddep_stall,dcache_rd,dcache_rd_miss,dcache_wr,dcache_wr_miss
echo
echo "\$ build/mpjoule run --events $events build/firmware/apps/matmul.elf"
build/mpjoule run -o build/demo.mpj --json build/demo.json --events "$events" build/firmware/apps/matmul.elf
echo
echo "stored: build/demo.mpj (build/mpjoule report --view cores build/demo.mpj), build/demo.json"
