# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
build() {
    ./configure "${CONFIGURE[@]}" --disable-shared
    make -j"$JOBS"
}

work() {
    cp "$SOURCE"/examples/*.mod "$SOURCE"/examples/*.mps .
    for model in diet assign queens color zebra sat murtagh; do
        run "$SOURCE/examples/glpsol" --math $model.mod -o out/$model >said
    done
    run "$SOURCE/examples/glpsol" --freemps plan.mps -o out/plan >said || run "$SOURCE/examples/glpsol" --mps plan.mps -o out/plan >said
}
