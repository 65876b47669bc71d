#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mpjoule report with what is no run, another program, several groups: one clear line each.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder

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
grep -q 'hello.elf is not the file that was run' err || fail "another program's names pass"
"$mpjoule" report --elf "$apps/status.elf" r.mplog >out 2>err
[ ! -s err ] || fail "the program itself: $(cat err)"

"$mpjoule" report --group ipc --group cache r.mpj >out
[ "$(grep -c '(group ipc)\|(group cache)' out)" = 2 ] || fail "two groups: $(cat out)"

for format in text json csv xml; do
    "$mpjoule" report --group ipc --format "$format" --output made r.mpj >out
    grep -qs 'instructions per busy cycle' out made/*.xml || fail "group as $format"
    rm -rf made
done
refused 'no view is called "core" (summary, cores' report --view core r.mpj
refused 'no format is called "c" (text, json' report --format c r.mpj
refused 'the view summary does not come as csv (text' report --format csv r.mpj

finish "all right"
