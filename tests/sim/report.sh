#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mpjoule report with what is no run, another program, several groups: one clear line each.
# usage: report.sh MPJOULE APPS-FOLDER
set -euo pipefail
mpjoule=$1
apps=$2
# shellcheck source=tests/sim/refused.sh
. "$(dirname "$0")/refused.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
failed=0

"$mpjoule" run --quiet -o r.mpj "$apps/status.elf" >out
echo text >text
refused 'nowhere: No such file' report nowhere
refused 'text is not a run' report text
refused '. is not a run' report .
refused 'text is not the data set' model coverage text
refused 'nowhere: No such file' model coverage nowhere
refused 'it is a file' report --format xml --output text r.mpj
refused 'text is not an ELF program' report --elf text r.mplog
refused 'nowhere: No such file' report --elf nowhere r.mplog
refused '--elf goes with a raw log' report --elf "$apps/status.elf" r.mpj

"$mpjoule" report --elf "$apps/hello.elf" r.mplog >out 2>err
grep -q 'hello.elf is not the file that was run' err || { echo "another program's names pass"; failed=1; }
"$mpjoule" report --elf "$apps/status.elf" r.mplog >out 2>err
[ ! -s err ] || { echo "the program itself: $(cat err)"; failed=1; }

"$mpjoule" report --group ipc --group cache r.mpj >out
[ "$(grep -c '(group ipc)\|(group cache)' out)" = 2 ] || { echo "two groups: $(cat out)"; failed=1; }

for format in text json csv xml; do
    "$mpjoule" report --group ipc --format "$format" --output made r.mpj >out
    grep -qs 'instructions per busy cycle' out made/*.xml || { echo "group as $format"; failed=1; }
    rm -rf made
done
refused 'no view is called "core" (summary, cores' report --view core r.mpj
refused 'no format is called "c" (text, json' report --format c r.mpj
refused 'the view summary does not come as csv (text' report --format csv r.mpj

exit "$failed"
