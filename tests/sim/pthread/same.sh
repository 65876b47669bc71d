#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A program says the same on Linux and on the target, and ends with the same status.
# usage: [FLAGS=...] [TARGET_FLAGS=...] [LIBS=...] same.sh SOURCE [ARG...]
# FLAGS, LIBS: further ones for both compilers; TARGET_FLAGS: for the target's.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
source=$1
shift
name=$(basename "$source" .c)
read -ra flags <<<"${FLAGS:-}"
read -ra libs <<<"${LIBS:-}"
read -ra target_flags <<<"${TARGET_FLAGS:-}"
cc -std=gnu11 -O2 -march=native -pthread "${flags[@]}" "$source" -o "$name" -lm "${libs[@]}"
"$mpjoule" cc -O2 -march=native -Wall -Wextra -Werror -Wno-format -pthread "${flags[@]}" \
    "${target_flags[@]}" "$source" -o "$name.elf" -lm "${libs[@]}"
native=0 target=0
"./$name" "$@" >native.out 2>native.err || native=$?
"$mpjoule" run --quiet --dir . "$name.elf" -- "$@" >target.all 2>target.err || target=$?
sed '/^Program  /,$d' target.all >target.out
sed -i "s,^\./,," native.err
sed -i "s,^$name\.elf: ,$name: ," target.err
[ "$native" -eq "$target" ] || die "status $target on the target, $native on Linux"
[ -s native.out ] || die "it said nothing"
diff native.out target.out || fail "stdout differs"
diff native.err target.err || fail "stderr differs"
finish "all right"
