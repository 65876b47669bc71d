# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced before a recipe by project.py, once for this machine and once for the target: the words that differ.
# A recipe has two functions. `build` is executed in the unpacked source, `work` in a folder of its own that holds
# nothing but `out`, whose files have to be the same on both sides. The environment: SIDE (native or target), SOURCE
# (the unpacked source), INPUTS (inputs.py), PROJECT (project.py), RECIPES (their folder), JOBS; for the target also `mpjoule` in PATH.
set -euo pipefail
# shellcheck disable=SC2034 # used by recipes
if [ "$SIDE" = target ]; then
    CONFIG_SITE=$(mpjoule cc -print-file-name=config.site)
    export CONFIG_SITE
    RUN=(mpjoule exec)
    CC="mpjoule cc" AR=arm-none-eabi-ar RANLIB=arm-none-eabi-ranlib
    CONFIGURE=(--host=arm-none-eabi CC="$CC")
    CMAKE=(-DCMAKE_TOOLCHAIN_FILE="$(mpjoule cc -print-file-name=mpjoule.cmake)")
else
    RUN=()
    CC=cc AR=ar RANLIB=ranlib
    CONFIGURE=(CC="$CC")
    CMAKE=(-DBUILD_SHARED_LIBS=OFF)
fi
# shellcheck disable=SC2034 # used by recipes
TOOLS=(CC="$CC" AR="$AR" RANLIB="$RANLIB") # on make's command line

# Executes a program of the project in the current folder.
run() { "${RUN[@]}" "$@"; }

# Prints a made-up input: inputs.py describes the kinds.
input() { python3 "$INPUTS" "$@"; }

# Configures, builds and tests in the folder `made` by CMake or Meson, for the target by `mpjoule build`. The options are
# those of the configure step. ../tests has a line for each test.
built_and_tested() {
    local system=$1
    shift
    if [ "$SIDE" = target ]; then
        mpjoule build --system "$system" -B made -j "$JOBS" "${@/#/--configure=}" --json ../tests.json .
        python3 -c 'import json, sys
for test in json.load(sys.stdin)["tests"]: print(test["name"], test["result"])' <../tests.json | sort >../tests
    elif [ "$system" = cmake ]; then
        cmake -S . -B made "$@"
        cmake --build made -j "$JOBS"
        (cd made && ctest -j "$JOBS") >../log.tests
        sed -nE 's/^.*Test +#[0-9]+: ([^ ]+) .*Passed .*/\1 passed/p' ../log.tests | sort >../tests
    else
        meson setup made "$@"
        meson test -C made >../log.tests
        sed -nE 's/^ *[0-9]+\/[0-9]+ +(.*[^ ]) +OK .*/\1 passed/p' ../log.tests | sort >../tests
    fi
}

# Executes the commands that the manual shows for a project.
manual() {
    python3 "$PROJECT" --commands "$1" >commands.sh
    bash -euxo pipefail commands.sh
}

# Executes a threaded program under the profiler: `run_profiled FUNCTION THREADS PROGRAM ARGS` fails if --functions does not know FUNCTION, or
# fewer than THREADS threads computed.
run_profiled() {
    local function=$1 threads=$2
    shift 2
    if [ "$SIDE" = native ]; then
        "$@"
        return
    fi
    mpjoule run --quiet --functions --dir . -o profile.mpj --json profile.json "$1" -- "${@:2}"
    python3 "$PROJECT" --profile profile.json "$function" "$threads" >&2
}

# Compares a result that is known with what a project's program made, where the comparison of both sides says nothing.
same() {
    cmp "$1" "$2" || {
        echo "$1 and $2 differ" >&2
        exit 1
    }
}
