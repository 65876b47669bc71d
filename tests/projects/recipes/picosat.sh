# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    CC="$CC" ./configure.sh
    make -j"$JOBS" "${TOOLS[@]}"
}

work() {
    input clauses 140 >formula.cnf
    local status=0
    run "$SOURCE/picosat" -s 7 formula.cnf >out/answer || status=$?
    echo "$status" >>out/answer
    run "$SOURCE/picosat" -a 1 -a -2 formula.cnf >out/assumed || status=$?
    echo "$status" >>out/assumed
}
