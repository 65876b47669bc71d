#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `run --model` and `report --model`: energy of cores, threads and regions from counters alone, near
# the emulator's truth; what is refused, before anything runs.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
"$mpjoule" cc -O2 -fopenmp "$WORKLOADS/omp_mm.c" -o omp_mm.elf -lm
program=(omp_mm.elf -- -n 64)
cat >near.py <<'EOF'
import json, sys
r = json.load(open(sys.argv[1]))
t = r["truth"]
assert r["model"]["name"] == sys.argv[2], r["model"]
all_cycles = sum(c["cycles"] for c in t["cores"])
def near(what, uj, true, percent):
    print(f"{what}: {uj:.1f} uJ, true {true:.1f}: {100 * (uj - true) / true:+.2f} %")
    assert abs(uj - true) * 100 <= percent * true, what
near("program", r["model"]["energy_uj"], t["energy_uj"], 4)
for c in r["cores"]:
    near(f"core {c['core']}", c["energy_uj"],
         t["cores"][c["core"]]["energy_uj"] + t["shared_energy_uj"] / 4, 5)
truth = {c["id"]: c for c in t["threads"]}
for th in r["threads"]:
    own = truth[th["id"]]
    near(f"thread {th['id']}", th["energy_uj"],
         own["energy_uj"] + t["shared_energy_uj"] * own["cycles"] / all_cycles, 5)
total = sum(th["energy_uj"] for th in r["threads"]) + r["unattributed_energy_uj"]
near("threads and the rest", total, r["model"]["energy_uj"], 1e-6)
assert r["model"]["interval_level"] == 0.95, r["model"]
half = r["model"]["interval_uj"]
assert 0 < half < r["model"]["energy_uj"] and abs(r["model"]["energy_uj"] - t["energy_uj"]) <= half
assert all(0 <= th["interval_uj"] < th["energy_uj"] for th in r["threads"] if th["cycles"] > 0)
assert all(p["interval_uj"] > 0 for g in r["regions"] for p in g["threads"])
main = [p["energy_uj"] for g in r["regions"] for p in g["threads"] if p["thread"] == 1]
if main:
    near("main in its regions", sum(main), r["threads"][0]["energy_uj"], 3)
EOF

for calibration in mprofiler epro-mp; do
    "$mpjoule" run --model default --calibration "$calibration" --sample-ms 1 -o "$calibration.mpj" \
        --json "$calibration.json" "${program[@]}" >out.txt
    python3 near.py "$calibration.json" "$calibration" || die "$calibration: energy (above)"
done
# Threads that differ: the first fetches its lines from memory, the others from each other; one runs
# on several cores; who does how much is another in each pass.
for source in "mm -n 96 -t 4" "mt_tiled -n 200 -p 4 -t 4 -b 16" "qsort -n 40000 -t 4"; do
    read -r name arguments <<<"$source"
    "$mpjoule" cc -O2 -pthread "$WORKLOADS/${name%_*}.c" -o "$name.elf" -lm
    # shellcheck disable=SC2086
    "$mpjoule" run --model default --calibration epro-mp --sample-ms 1 -o "$name.mpj" \
        --json "$name.json" "$name.elf" -- $arguments >/dev/null
    python3 near.py "$name.json" epro-mp || die "$name: energy (above)"
done
grep -q 'against the ADC' out.txt || die "ADC and model are not compared"
"$mpjoule" report --details epro-mp.mpj >out.txt
grep -q 'energy by the model, mJ' out.txt || die "no line in the cores' table"
for view in threads regions; do
    "$mpjoule" report --view "$view" epro-mp.mpj >out.txt
    grep -q '[*] by model epro-mp' out.txt || die "view $view says nothing of the model"
    "$mpjoule" report --model none --view "$view" epro-mp.mpj >out.txt
    grep -q '[*] the measured energy' out.txt || die "view $view without a model"
done
# The published equation belongs to another board: it disagrees, and the report says so.
"$mpjoule" run --model epro-mp-paper --sample-ms 1 "${program[@]}" >out.txt
grep -q 'against the ADC, too few samples to judge the model' out.txt || die "5 samples judge a model"
"$mpjoule" run --model epro-mp-paper --sample-ms 1 omp_mm.elf -- -n 96 >out.txt
grep -q 'against the ADC, MORE than the stated error of 4.90 %' out.txt ||
    die "a model that is far off is not reported"

# Finished runs may be verified, too.
"$mpjoule" model verify epro-mp epro-mp.mpj epro-mp.mpj --csv runs.csv >out.txt
[ "$(grep -c '^epro-mp,omp_mm.elf -n 64,thread,' runs.csv)" = 8 ] || die "verify of runs: $(cat runs.csv)"

# What was written before stays when the disk takes no more (here: no file of more than 1 KB).
for word in --csv --svg; do
    cp runs.csv kept
    status=0
    (trap '' XFSZ && ulimit -f 1 &&
        exec "$mpjoule" model verify epro-mp epro-mp.mpj epro-mp.mpj "$word" kept) 2>err.txt >/dev/null || status=$?
    if [ "$status" != 125 ] || ! grep -q 'kept.*File too large' err.txt; then
        die "verify $word with a full disk: $(cat err.txt)"
    fi
    cmp runs.csv kept || die "verify $word: the older file is cut"
done

refused 'unknown model "nonsense" (known: ' run --model nonsense "${program[@]}"
refused 'cannot open no/such.json' run --model no/such.json "${program[@]}"
refused 'model epro-mp was fitted to calibration epro-mp, this is mprofiler' \
    run --model epro-mp "${program[@]}"
refused 'nothing is counted without a calibration' \
    run --model epro-mp-paper --calibration none "${program[@]}"
refused 'no-counters cannot be combined with --model' run --model default --no-counters "${program[@]}"
echo '{"format":"mpjoule-model/9"}' >foreign.json
refused 'foreign.json: this mpjoule reads mpjoule-model/1, not "mpjoule-model/9"' \
    run --model ./foreign.json "${program[@]}"
refused 'fitted to calibration epro-mp, the programs ran with mprofiler' \
    model verify epro-mp mprofiler.mpj
refused 'one data set at a time: a.mpc and b.mpc' model verify epro-mp a.mpc b.mpc
refused 'expected a model before the data set a.mpc' model verify a.mpc epro-mp
refused 'either runs (.mpj) or one data set, not also a.mpc' model verify epro-mp a.mpc epro-mp.mpj
"$mpjoule" run --events instr -o few.mpj "${program[@]}" >/dev/null
refused 'did not count what model mprofiler needs' report --model mprofiler few.mpj
"$mpjoule" report few.mpj >out.txt # the default one is left out
! grep -q 'by model' out.txt || die "a model without its counts"
finish "all right"
