#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mpjoule report with what is no run, another program, several groups; outputs that would destroy another
# file: one clear line each.
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
refused '--elf requires a raw log' report --elf "$apps/status.elf" r.mpj

"$mpjoule" report --elf "$apps/hello.elf" r.mplog >out 2>err
grep -q 'hello.elf is not the file that was run' err || fail "another program's names pass"
"$mpjoule" report --elf "$apps/status.elf" r.mplog >out 2>err
[ ! -s err ] || fail "the program itself: $(cat err)"

"$mpjoule" report --group ipc --group cache r.mpj >out
[ "$(grep -c '(group ipc)\|(group cache)' out)" = 2 ] || fail "two groups: $(cat out)"

for format in text json csv xml; do
    "$mpjoule" report --group ipc --format "$format" --output made r.mpj >out
    grep -rqs 'instructions per busy cycle' made || fail "group as $format"
    [ ! -s out ] || fail "group as $format: on stdout, too"
    rm -rf made
done
for format in text json html pprof; do
    if [ "$format" = pprof ]; then
        "$mpjoule" run --quiet --functions -o f.mpj "$apps/status.elf" >out
        of=f.mpj
    else
        of=r.mpj
    fi
    "$mpjoule" report --format "$format" "$of" >out
    "$mpjoule" report --format "$format" --output made "$of" >none
    cmp out made || fail "$format in a file is another"
    [ ! -s none ] || fail "$format: on stdout, too"
done
"$mpjoule" report --view energy --output made r.mplog
"$mpjoule" report --view energy --output - r.mplog | cmp - made || fail "a recording in a file is another"
refused 'r.mpj is an input and would be overwritten' report --format html --output ./r.mpj r.mpj
refused 'cannot create no/such' report --output no/such r.mpj
refused '--output cannot be combined with --suggest' report --output made --suggest filter f.mpj
[ ! -e filter ] || fail "a file of filters"
ends 125 'does not come as csv' "$mpjoule" report --format csv --output made r.mpj
"$mpjoule" report --view energy r.mplog | cmp - made || fail "a failed report replaced the file"
refused 'no view is called "core" (summary, cores' report --view core r.mpj
refused 'no format is called "c" (text, json' report --format c r.mpj
refused 'the view summary does not come as csv (text' report --format csv r.mpj

# no name, a folder
mkdir folder
refused 'cannot open "": No such file' run ''
refused 'cannot open "" (--stdin): No such file' run --stdin '' "$apps/status.elf"
refused 'the list of boards "": No such file' boards --boards ''
refused 'the list of boards folder: Is a directory' boards --boards folder
refused 'the gate folder: Is a directory' gate --config folder
refused 'cannot read folder: Is a directory' predictor show folder
refused 'cannot read ./folder: Is a directory' model show ./folder
refused 'cannot read folder: Is a directory' run --entries --filter folder "$apps/status.elf"

# a pipe: nothing waits for its other end
mkfifo pipe.mpj pipe.mplog
refused 'pipe.mpj is not a run' report pipe.mpj
refused 'pipe.mpj is not a run' report --view energy pipe.mpj
refused 'pipe.mplog is not a raw log' report pipe.mplog
refused 'pipe.mpj is not an ELF program: not a regular file' report --elf pipe.mpj r.mplog
refused 'pipe.mpj is not an ELF program: not a regular file' annotate --elf pipe.mpj main r.mpj
refused 'pipe.mpj is not an ELF program: not a regular file' run pipe.mpj
refused 'calibration ./pipe.mpj: not a regular file' run --calibration ./pipe.mpj "$apps/status.elf"
refused 'calibration ./pipe.mpj: not a regular file' model campaign -o new.mpc --calibration ./pipe.mpj
printf 'boards:\n  - {id: a, port: /dev/nowhere}\n' >piped.yaml
"$mpjoule" boards --boards <(cat piped.yaml) >out
grep -q '^a ' out || fail "a list of boards from a pipe: $(cat out)"

# names and arguments command no terminal
cp r.mpj $'a\e[2J\xe2\x80\xae.mpj'
"$mpjoule" report $'a\e[2J\xe2\x80\xae.mpj' >out
grep -qF "report --details \$'a\\033[2J\\342\\200\\256.mpj'" out || fail "the name of a store as a word: $(cat -v out)"
refused 'not "x [2J y"' run --cores $'x\e[2J\ny' "$apps/status.elf"
refused 'not "x [2J y"' record sim --period $'x\e[2J\ny'
refused 'unknown subcommand "x [2J y"' $'x\e[2J\ny'
refused 'unknown option "--x [2J y"' report $'--x\e[2J\ny=1'
refused 'unknown option "- "' report $'-\e'

# nor do texts of files
sed $'s/^chip .*/chip X\e]0;Y\a\e[31mZ/' "$root/models/fitted/mprofiler.predictor" >codes.predictor
"$mpjoule" predictor show codes.predictor >out
grep -qF 'X ]0;Y  [31mZ,' out || fail "the chip of a predictor: $(head -n 1 out | cat -v)"

# numbers are whole words, and decimal whatever they begin with
refused '--alpha takes a number from 0 to 1, not "0.05x"' model fit --alpha 0.05x -o new.model text
refused '--alpha takes a number between 0 and 1, not "0"' model fit --alpha 0 -o new.model text
for number in 1x 1.9 -18446744073709551615 ' -18446744073709551615' 0 13 '' +1 ' 1'; do
    refused "--max-events takes a whole number from 1 to 12, not \"$number\"" \
        model fit --max-events "$number" -o new.model text
done
refused '--max-vif takes a number from 1 to inf, not "10junk"' model fit --max-vif 10junk -o new.model text
refused '--max-vif takes a number from 1 to inf, not "nan"' model fit --max-vif nan -o new.model text
refused 'text is not the data set' model fit --max-vif inf --alpha 0.01 --max-events 08 -o new.model text
refused 'from 0 to 10000000, not "0x"' run --timeout 0x "$apps/status.elf"
refused 'invalid range "1..99999999999999999999"' tune --axis n=1..99999999999999999999 "$apps/status.elf" -- '{n}'
refused 'clock_mhz=nan: expected a number' explore --chip clock_mhz=nan "$apps/status.elf"
"$mpjoule" run --quiet --timeout 090 --seed 010 -o ten.mpj --json ten.json "$apps/status.elf" >out
grep -q '"seed": 10,' ten.json || fail "seed 010: $(grep seed ten.json)"
"$mpjoule" run --quiet --seed 0x10 -o ten.mpj --json ten.json "$apps/status.elf" >out
grep -q '"seed": 16,' ten.json || fail "seed 0x10: $(grep seed ten.json)"

# what is there stays: pipes, files that are none of ours, inputs, other outputs
cp "$apps/status.elf" app.elf
cp r.mpj other.mpj
cp r.mplog other.mplog
ln -s app.elf link.elf
ln -s text link.mplog
sha256sum app.elf text r.mpj other.mpj other.mplog >sums
refused 'pipe.mpj: it is not a regular file' run -o pipe.mpj app.elf
refused 'pipe.mpj: it is not a regular file' model campaign -o pipe.mpj
refused 'app.elf is not a run' run -o app.elf "$apps/status.elf"
refused 'text is not a run' run -o text app.elf
refused 'link.mplog is not a raw log' run -o link.mpj app.elf
refused 'link.elf is an input and would be overwritten' run --json app.elf link.elf
refused 'text is an input and would be overwritten' run --stdin text --stdout ./text app.elf
refused 'app.elf is an input and would be overwritten' record sim -o app.elf app.elf
refused 'two outputs would be written to ./new.mpj' run -o new.mpj --json ./new.mpj app.elf
refused 'two outputs would be written to other.mplog' run -o other.mpj --json other.mplog app.elf
refused 'two outputs would be written to new.mpj.new' run -o new.mpj --stdout new.mpj.new app.elf
refused 'two outputs would be written to new.mplog.new' run -o new.mpj --json new.mplog.new app.elf
cp text new.mplog.new
refused 'new.mplog.new is an input and would be overwritten' run -o new.mpj --stdin new.mplog.new app.elf
refused 'two outputs would be written to new.new' record sim --for 1s -o new --csv new.new
cmp text new.mplog.new
rm new.mplog.new
refused 'File name too long' run -o "$(printf '%0251d' 0).mpj" app.elf
refused "unrecognized option '--none'" doctor --none
refused 'two outputs would be written to new' record sim -o new --csv new
refused 'app.elf is an input and would be overwritten' sweep --cores 1..2 --json app.elf app.elf
refused 'two outputs would be written to sweep: name' sweep --cores 1..2 --json sweep app.elf
refused 'two outputs would be written to s/: name' sweep --cores 1..2 --json s -o s/ app.elf
mkdir -p own/points
for where in 'sweep own/x.json' 'explore own/points/x.json' 'tune own/points/x.json' 'tune own/points/../lock'; do
    refused "own files, own: name one elsewhere" "${where% *}" --cores 1..2 -o own --json "${where#* }" app.elf
done
rm -r own
refused '2.failed.mpj is the name of a failed attempt' run -o 2.failed.mpj app.elf
refused '2.failed.mplog is the name of a failed attempt' record sim -o 2.failed.mplog
for words in 'run app.elf' 'record sim' 'model campaign'; do
    # shellcheck disable=SC2086
    refused 'the output is a file, not stdout' $words -o -
done
mkdir new.failed.mplog
refused 'new.failed.mplog is where a failed attempt would be kept' run -o new.mpj app.elf
refused 'new.failed.mplog is where a failed attempt would be kept' record sim --for 1s -o new.mplog
rmdir new.failed.mplog
refused '--json, --csv and --compress need one' record sim -o pipe.mpj --csv new.csv
refused 'two outputs would be written to tune: name' tune --cores 1..2 --csv ./tune app.elf
refused 'two outputs would be written to explore: name' explore --cores 1..2 --svg explore app.elf
for file in meter meter.new meter.err meter.lock; do
    refused "two outputs would be written to new.$file" run -o new.mpj --json "new.$file" app.elf
    cp text "new.$file"
    refused "new.$file is an input and would be overwritten" run -o new.mpj --meter 'echo 0 1' --stdin "new.$file" app.elf
    cmp text "new.$file"
    rm "new.$file"
done
refused 'r.mpj is an input and would be overwritten' report --suggest r.mpj r.mpj

# nor is an input overwritten that only a file names: a space, a gate, a list, a calibration, a source
mkdir files
cat >files/names.txt <<'EOF'
main.c heat.c sub/heat.h sub/file.h extra.h in1.txt in2.txt my.cal base.cal omp.c omp.h filt list own.model
EOF
read -ra names <files/names.txt
mkdir files/sub
for name in "${names[@]}"; do
    echo "$name" >"files/$name"
done
cd files
cp "$apps/status.elf" app.elf
printf '#include "sub/heat.h"\nint main(void) { return 0; }\n' | tee main.c heat.c >/dev/null
printf '  # include "file.h"\n#include "heat.h"\n' >sub/heat.h
printf '#include "omp.h"\n' >omp.c
echo 'include base.cal' >my.cal
echo '-N none' >filt
echo 'a|b|omp.c -O1 -include extra.h|1' >list
cp "$root/models/fitted/mprofiler.json" own.model
cat >gate.yaml <<'EOF'
programs:
  p:
    sources: [main.c, heat.c]
    compiler: -O2 -include extra.h
    run: {stdin: in1.txt, calibration: ./my.cal}
EOF
cat >space.yaml <<'EOF'
axes: {n: 1..2}
sources: {heat.c: "-DN={n} -include extra.h"}
run: {stdin: "in{n}.txt", calibration: "./my.cal"}
EOF
sha256sum "${names[@]}" app.elf gate.yaml space.yaml >sums
kept() { # FILE ARGUMENTS...: that no output is the file
    local file=$1
    shift
    refused "$file is an input and would be overwritten" "$@"
}
for name in main.c heat.c sub/heat.h sub/file.h extra.h in1.txt my.cal base.cal gate.yaml; do
    kept "$name" gate -q -o "json=$name"
done
refused 'two outputs would be written to baseline.json' gate -q --update -o json=baseline.json
refused 'main.c is an input and would be overwritten' gate -q --update --baseline ./main.c -o json=new.json
for name in heat.c sub/file.h extra.h in1.txt in2.txt my.cal base.cal space.yaml; do
    for word in --json --csv --svg --landscape; do
        kept "$name" tune -q "$word" "$name" space.yaml
    done
done
kept in1.txt tune --cores 1..2 --stdin in1.txt --json ./in1.txt app.elf
for command in "sweep --json" "explore --csv" "explore --svg" "explore --json"; do
    # shellcheck disable=SC2086
    kept in1.txt $command in1.txt --cores 1..2 --stdin in1.txt app.elf
    # shellcheck disable=SC2086
    kept base.cal $command base.cal --cores 1..2 --calibration ./my.cal app.elf
done
kept filt explore --cores 1..2 --laws filt --csv filt app.elf
kept my.cal model campaign -o new.mpc --calibration ./my.cal --csv my.cal
kept own.model model campaign -o new.mpc --model ./own.model --csv own.model
refused 'two outputs would be written to ./new.mpc' model campaign -o new.mpc --csv ./new.mpc
for name in list omp.c omp.h extra.h; do
    kept "$name" model campaign -o new.mpc --programs list --csv "$name"
    kept "$name" predictor train -c "$name" -o new.predictor list
    kept "$name" predictor train -o "$name" list
done
kept "$PWD/omp.c" model campaign -o new.mpc --programs <(sed "s,omp.c,$PWD/&," list) --csv omp.c
kept my.cal predictor train -c my.cal -o new.predictor --calibration ./my.cal list
for word in --json --stdout --stderr -o; do
    kept filt run --entries --filter filt "$word" filt app.elf
    kept base.cal run --calibration ./my.cal "$word" base.cal app.elf
done
kept base.cal record sim -o new.mplog --calibration ./my.cal --csv base.cal
kept base.cal selftest --calibration ./my.cal --json base.cal
kept own.model model verify ./own.model new.mpc --csv own.model
sha256sum --quiet -c sums || fail "an input was overwritten"
if [ -e new.mpc ] || [ -e tune ]; then fail "something has run: $(ls)"; fi

# what cannot be written is told before anything runs
echo 'a|b|./none.elf|1' >list
refused 'cannot create no/p' predictor train -o no/p list
refused 'cannot create no/p' predictor train -o new.predictor -c no/p list
refused 'cannot create no/p' predictor verify -c no/p "$root/models/fitted/mprofiler.predictor" list
refused 'cannot create no/t' selftest --json no/t
refused 'cannot create no/t' selftest -o no/t
refused 'cannot create no/m' model fit -o no/m none.mpc
refused 'cannot create no/m' model verify mprofiler none.mpc --svg no/m
refused 'cannot create no/f' report --suggest no/f none.mpj

# one output on stdout
for command in tune explore; do
    refused 'two outputs would be written to stdout' "$command" --cores 1..2 --json - --csv - app.elf
done
refused 'two outputs would be written to stdout' record sim --for 1s --json - --csv -
refused 'two outputs would be written to stdout' tune --ask --json - space.yaml
cd ..
sha256sum --quiet -c sums || fail "a file was overwritten"
[ -p pipe.mpj ] || fail "the pipe is gone"
for file in new new.mpj new.mplog; do
    [ ! -e "$file" ] || fail "$file is there"
done

refused 'cannot open "": No such file' model coverage ''

# a full disk, as a limit on the size of files: one line, the older result, nothing beside it
full() {
    local name=$1 got=0
    shift
    find made -type f -exec sha256sum {} + | sort >before
    (
        ulimit -f "${limit:-0}"
        exec "$mpjoule" "$@" 2>&1 >/dev/null
    ) | cat >full.err || got=$?
    [ "$got $(grep -c 'made/.*\(File too large\|No space\)' full.err) $(wc -l <full.err)" = '125 1 1' ] ||
        fail "$name on a full disk: status $got ($(cat full.err))"
    find made -type f -exec sha256sum {} + | sort | cmp - before || fail "$name on a full disk: not the older files"
}
rm -rf made
mkdir made
echo older >made/file
ln made/file made/second
ln -s file made/link
"$mpjoule" report --format xml -o made/xml r.mpj
full report report --format json -o made/file r.mpj
full link report --format json -o made/link r.mpj
full new report --format json -o made/new r.mpj
full xml report --format xml -o made/xml r.mpj
full 'new xml' report --format xml -o made/other r.mpj
[ ! -e made/other ] || fail "a folder of a report that failed"
"$mpjoule" report --format html -o page.html r.mpj
limit=$(($(stat -c %s page.html) / 4096)) full page report --format html -o made/page.html r.mpj # in its compressed run

# what could not be written, and where
refused '/dev/full: cannot write the page: No space left on device' report --format html -o /dev/full r.mpj

# the folder of XML files is of one report, and its name is no URI
mkdir made/r2
"$mpjoule" report --format xml -o 'made/r%32' r.mpj
[ -e 'made/r%32/thread.1.xml' ] || fail "a % in a folder's name: $(ls made)"
[ -z "$(ls made/r2)" ] || fail "another folder"
mkdir -p own/thread.1.xml
refused 'cannot replace own/thread.1.xml: it is a folder' report --format xml -o own r.mpj
[ "$(ls own)" = thread.1.xml ] || fail "some of a report is there: $(ls own)"
cp made/xml/thread.1.xml made/xml/thread.77.xml
"$mpjoule" report --format xml -o made/xml r.mpj
[ ! -e made/xml/thread.77.xml ] || fail "another run's thread stays"
cp made/xml/thread.1.xml made/xml/group.old.xml
"$mpjoule" report --format xml --group ipc -o made/xml r.mpj
[ ! -e made/xml/group.old.xml ] || fail "another run's group stays"
[ -e made/xml/group.ipc.xml ] || fail "a group: $(ls made/xml)"
[ -e made/xml/thread.1.xml ] || fail "the report of groups removes that of threads"

# interrupted where it writes, to a pipe that nobody reads: by its signal, and nothing is left
mkfifo made/pipe
mkdir temp
for sig in HUP TERM; do
    TMPDIR=$dir/temp "$mpjoule" report --format json -o made/pipe r.mplog &
    for _ in $(seq 600); do
        [ ! -e "$(echo temp/mpjoule.*/run.mpj)" ] || break
        sleep 0.1
    done
    got=0
    kill -s "$sig" $!
    wait $! 2>none || got=$?
    [ "$got" -eq $((128 + $(kill -l "$sig"))) ] || fail "report ended by $sig: status $got"
    [ -z "$(ls temp)" ] || fail "report ended by $sig left $(ls temp)"
done
# its reader goes
TMPDIR=$dir/temp "$mpjoule" report --format html r.mplog | head -c 1 >none || [ $? -eq 141 ]
[ -z "$(ls temp)" ] || fail "report without a reader left $(ls temp)"

# few descriptors: not a word of files of another kind
for n in 4 5 6 7 8; do
    got=0
    (
        ulimit -n "$n"
        exec "$mpjoule" report r.mplog
    ) >few.out 2>few.err || got=$?
    # 127: too few for the loader of programs, if the test has inherited some
    [ "$got" -eq 0 ] || [ "$got" -eq 127 ] ||
        { [ "$got" -eq 125 ] && grep -qE 'Too many open files|unable to open' few.err; } ||
        fail "$n descriptors: status $got ($(cat few.err))"
    ! grep -q 'is not' few.err || fail "$n descriptors: $(cat few.err)"
done

# help that cannot be printed
for command in run report diff annotate gate sweep tune explore record boards selftest flash model predictor groups \
    init doctor help 'model fit' 'model verify' 'model campaign' 'model coverage' 'predictor train'; do
    got=0
    # shellcheck disable=SC2086 # words
    "$mpjoule" $command --help >/dev/full 2>help.err || got=$?
    [ "$got $(grep -c '^mpjoule: cannot write .*stdout' help.err)" = '125 1' ] ||
        fail "$command --help to a full disk: status $got ($(head -n 2 help.err))"
done

# behind a link the file it leads to is replaced
ln -s other.mpj link.mpj
rm link.mplog
ends 0 '' "$mpjoule" run --quiet -o link.mpj app.elf
[ -L link.mpj ] || fail "the link is gone"
ln -s squeezed.mplog squeeze.mplog
cp r.mplog squeezed.mplog
"$mpjoule" record sim --quiet --compress -o squeeze.mplog app.elf >out 2>&1
[ -L squeeze.mplog ] || fail "the link to a compressed log is gone"
[ "$(od -An -tu1 -j 12 -N 1 squeezed.mplog)" -eq 1 ] || fail "the log behind a link is not compressed"
! cmp -s other.mpj r.mpj || fail "the store behind the link is the old one"

finish "all right"
