#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `mpjoule init` in a folder that has nothing, in one that has something, and where it cannot.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder
unset MPJOULE # the project finds the command in PATH
PATH=$(dirname "$mpjoule"):$PATH

# ---- what the manual shows, word by word ---------------------------------------------------------
mkdir new
if ! (cd new && mpjoule init && cmake -B build && cmake --build build && mpjoule gate) >new.log 2>&1; then
    fail "init, build, gate: $(tail -n 5 new.log)"
fi
grep -q 'the same program' new.log || fail "the gate: $(tail -n 5 new.log)"
(cd new && ctest --test-dir build) >ctest.log 2>&1 || fail "ctest: $(tail -n 3 ctest.log)"
cmp "$root/ci/github.yml" new/.github/workflows/energy.yml || fail "the pipeline is another one"
left=$(cd new && find . -type f -not -path './build/*' -not -path './.mpjoule-gate/*' | LC_ALL=C sort | tr '\n' ' ')
[ "$left" = "./.github/workflows/energy.yml ./.gitignore ./.gitlab-ci.yml ./CMakeLists.txt ./baseline.json ./gate.yaml ./heat.c ./heat.h ./main.c " ] ||
    fail "files: $left"
# a gate that passes what only moves code, and fails for more work
grep -q '^layouts: 5' new/gate.yaml || fail "one layout: $(cat new/gate.yaml)"
echo 'int moved(int x) { return x / 3; }' >>new/main.c
(cd new && ends 0 "1 ok" mpjoule gate)
sed -i 's/40/48/' new/main.c
(cd new && ends 1 "REGRESSION heat: time" mpjoule gate)

# ---- nothing is overwritten -----------------------------------------------------------------------
sum() { (cd "$1" && find . -type f -not -path './build/*' -exec sha256sum {} + | LC_ALL=C sort -k 2); }
sum new >before
(cd new && ends 0 "^kept *main.c" mpjoule init)
sum new | cmp -s before - || fail "init changed a project: $(sum new | diff before -)"
mkdir -p begun/.gitlab-ci.yml
echo mine >begun/CMakeLists.txt
echo mine >begun/.gitignore
ln -s nowhere begun/main.c
(cd begun && ends 0 "This folder already has a project" mpjoule init .)
for line in 'kept *CMakeLists.txt' 'kept *main.c' 'left out *heat.c' 'left out *gate.yaml' 'kept *.gitignore' \
    'made *.github/workflows/energy.yml' 'kept *.gitlab-ci.yml' 'left out *baseline.json'; do
    grep -qx -- "$line" "$dir/out" || fail "no \"$line\" in $(cat "$dir/out")"
done
[ "$(cat begun/CMakeLists.txt begun/.gitignore)" = "$(printf 'mine\nmine')" ] || fail "a file was changed"
[ "$(ls begun)" = "$(printf 'CMakeLists.txt\nmain.c')" ] || fail "a program that does not belong there"

# ---- interrupted, and again ------------------------------------------------------------------------
cp -r "${MPJOULE_SKELETON:-$root/apps/skeleton}" quick && sed -i '/^layouts/d' quick/gate.yaml # one layout takes seconds
export MPJOULE_SKELETON=$PWD/quick
ends 0 "left out  baseline.json" mpjoule init --no-gate a/b/c
rm a/b/c/heat.c
ends 0 "^made *baseline.json" mpjoule init a/b/c

# ---- where it cannot ------------------------------------------------------------------------------
touch file
refused "cannot create the folder file: Not a directory" init file
refused "cannot create the folder file: Not a directory" init file/below
refused "a folder without a name" init ""
refused "expected one folder" init a b
mkdir half && touch half/.github
ends 125 "cannot create the folder half/.github: Not a directory" mpjoule init half
MPJOULE_SKELETON=/nowhere refused "/nowhere/CMakeLists.txt is missing: incomplete installation" init a
[ ! -e a/main.c ] || fail "files of half an installation"
# no compiler: the files are there, the next step is said
ends 125 "mpjoule doctor" env PATH=/nowhere "$mpjoule" init bare
[ "$(cd bare && echo *)" = "CMakeLists.txt gate.yaml heat.c heat.h main.c" ] || fail "without a compiler: $(cd bare && echo *)"
ends 0 "^made *baseline.json" mpjoule init bare
cmp -s a/b/c/baseline.json bare/baseline.json || fail "another baseline in another folder"

finish "begun, built, gated"
