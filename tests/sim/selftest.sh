#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The self-test in the emulator: all ok; and with an emulator that is another one on purpose, exactly
# the items that have to do with it are not ok.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder

# The items that are not ok, one word each: name:verdict, in one line.
bad() {
    python3 - "$dir/out.json" <<'EOF'
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    r = json.load(f)
assert r["schema"] == "mpjoule-selftest/1" and r["complete"], r
names = [i["item"] for i in r["items"]]
assert len(names) == len(set(names)) >= 70, names
assert sum(r["counts"].values()) == len(names), r["counts"]
not_ok = [i for i in r["items"] if i["verdict"] != "ok"]
assert r["ok"] == (not not_ok), r["ok"]
for i in not_ok:
    assert i["verdict"] == "skipped" or "text" in i, i
    assert i["verdict"] != "differs" or i["change"]["name"], i
print(" ".join(i["item"] + ":" + i["verdict"] for i in not_ok))
EOF
}

# expect STATUS "ITEM:VERDICT ..." [arguments...]: these and no others (a regular expression).
expect() {
    local want=$1 items=$2 got=0 seen
    shift 2
    timeout 1000 "$mpjoule" selftest --timeout 1000 --json "$dir/out.json" "$@" >"$dir/out" 2>"$dir/err" || got=$?
    [ "$got" -eq "$want" ] || fail "status $got, not $want: $* ($(head -1 "$dir/err"))"
    obeys selftest "$dir/out.json"
    seen=$(bad) || fail "JSON: $*"
    [[ $seen =~ ^$items$ ]] || fail "not ok: $seen; expected: $items ($*)"
}

# sabotage "ITEM:VERDICT ..." LINES...: the same with another chip.
sabotage() {
    local items=$1
    shift
    {
        echo "include $CALIBRATION"
        printf '%s\n' "$@"
    } >"$dir/other.conf"
    expect 1 "$items" --calibration "$dir/other.conf"
}

expect 0 ''
grep -q '^[0-9]* items: \([0-9]*\) ok, 0 differ, 0 fail, 0 skipped' "$dir/out" || fail "summary"
[ "$(awk '{ if (length > n) n = length } END { print n }' "$dir/out")" -le 80 ] || fail "wider than 80"
expect 0 '' emulator --calibration epro-mp
cp "$dir/out" "$dir/once"
expect 0 '' emulator --calibration epro-mp
cmp "$dir/once" "$dir/out" || fail "not the same twice"
refused '/dev/full: cannot write the JSON: No space left on device' selftest --quiet --json /dev/full

sabotage 'clock.core:differs adc.cpu_i:differs' 'clock_hz = 400000000'
grep -q 'edit the line of BOARD_CORE_HZ in hal/board/realview-eb/include/hal_map.h' "$dir/out" || fail "no advice"
sabotage 'adc.cpu_v:differs adc.pll_v:differs' 'adc_uv_per_step = 1220'
sabotage 'adc.cpu_i:differs' 'adc_na_per_step = 488000'
# what the leakage still changes may or may not be enough for the rate
sabotage 'adc.alive:(differs|fails)( adc.rate:(differs|fails))?( adc.noise:(differs|fails))?' 'noise_v_uv = 0' 'noise_i_ua = 0' 'noise_pll_i_ua = 0'
sabotage 'adc.rate:differs' 'adc_period_us = 15000'
sabotage 'power.wfi:fails' 'e_wfi_cycle = 108180'
sabotage 'cache.d_fits:differs' 'l1d_kb = 16'
sabotage 'event.ddep_load:differs' 'pipe_load_latency = 5'

# Addresses: nothing mapped there, and something that is no ADC. The run goes on behind it.
absent='adc.answers:fails adc.cpu_v:skipped adc.pll_v:skipped adc.cpu_i:skipped adc.pll_i:skipped adc.alive:skipped adc.rate:skipped adc.noise:skipped adc.load:skipped adc.order:skipped power.wfi:skipped'
expect 1 "$absent" --adc 0xd0000000
grep -q 'data abort at 0xd0000000' "$dir/out" || fail "abort not told"
grep -q 'edit the line of BOARD_SYS_VOLTAGE' "$dir/out" || fail "no advice"
expect 1 "$absent" --adc 0x100000c0
grep -q 'note: 0x100000a8 reads 0x' "$dir/out" || fail "the words around are not shown"
expect 0 '' --adc 0x100000a0
# As on a board, where an access that no device answers aborts: the firmware makes none by itself.
export MPJOULE_QEMU_MACHINE=strict=on
expect 0 ''
expect 1 "$absent" --adc 0x1a000000
grep -q 'data abort at 0x1a000000 (external abort: no device responds)' "$dir/out" || fail "abort not told"
unset MPJOULE_QEMU_MACHINE

# No model of events; a QEMU without counters at all.
MPJOULE_QEMU_MACHINE=model=time timeout 1000 "$mpjoule" selftest --json "$dir/out.json" >/dev/null && fail "model=time passes"
bad | grep -q 'pmu.pmn0:fails pmu.pmn1:fails .*event.instr:fails .*scu.linefills:fails .*l220.drreq:fails' || fail "model=time: $(bad)"
bad | grep -q 'pmu.ccnt\|timer\|gic\|nor' && fail "model=time: $(bad)"
if [ -x /usr/bin/qemu-system-arm ]; then
    export MPJOULE_QEMU=/usr/bin/qemu-system-arm
    got=0
    timeout 1000 "$mpjoule" selftest >"$dir/out" 2>"$dir/err" || got=$?
    [ "$got" -eq 125 ] || fail "stock QEMU: status $got"
    grep -q "without mpjoule's chip model" "$dir/err" || fail "stock QEMU: $(head -1 "$dir/err")"
    timeout 1000 "$mpjoule" run --calibration none -o "$dir/stock.mpj" "$apps/hello.elf" >"$dir/out" 2>"$dir/err" || true
    ! grep -q 'wants an audio driver: set MPJOULE_QEMU_ARGS="-audio driver=none"' "$dir/err" ||
        export MPJOULE_QEMU_ARGS='-audio driver=none'
    timeout 1000 "$mpjoule" selftest --calibration none --json "$dir/out.json" >/dev/null && fail "stock QEMU passes"
    bad | grep -q 'pmu.ccnt:fails .*l220.drreq:fails .*scu.counters:fails .*nor.size:fails .*adc.answers:fails' || fail "stock QEMU: $(bad)"
    bad | grep -q 'id\.\|gic.sgi\|line\.' && fail "stock QEMU: $(bad)"
    unset MPJOULE_QEMU MPJOULE_QEMU_ARGS
fi

# A board whose private region lies elsewhere: the start-up faults, and says where.
mkdir -p "$dir/fw/apps"
cp "$apps/../machine.bin" "$dir/fw"
python3 - "$apps/selftest.elf" "$dir/fw/apps/selftest.elf" <<'EOF'
import sys
with open(sys.argv[1], "rb") as f:
    d = f.read()
d = b"".join((0x1F000000).to_bytes(4, "little") if d[i : i + 4] == (0x10100000).to_bytes(4, "little")
             else d[i : i + 4] for i in range(0, len(d), 4))
with open(sys.argv[2], "wb") as f:
    f.write(d)
EOF
got=0
MPJOULE_QEMU_MACHINE=strict=on MPJOULE_FIRMWARE=$dir/fw timeout 1000 "$mpjoule" selftest >"$dir/out" 2>"$dir/err" || got=$?
[ "$got" -eq 125 ] || fail "start-up: status $got"
grep -q "the firmware's start-up faulted: data abort at 0x1f00000c, status 0x00000808, pc 0x.*hal_map.h" "$dir/err" || fail "start-up: $(cat "$dir/err")"

# What the command says when it cannot.
refused 'one target' selftest a b
refused 'no board is called "nobody" in this installation' selftest --board nobody
refused '--adc takes' selftest --adc 3
refused 'word-aligned address' selftest --adc 0x101
refused '--timeout takes' selftest --timeout 0
refused '--line-bytes takes' selftest --line-bytes -1
refused 'cannot create' selftest --quiet --json "$dir/none/x.json"
refused 'cannot read the calibration' selftest --calibration nothing
refused 'cannot create' selftest -o "$dir/none/x.mplog"
MPJOULE_FIRMWARE=$dir/none refused 'selftest.elf' selftest emulator

finish "all right"
