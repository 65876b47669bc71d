# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced before a recipe by project.py, once for this machine and once for the target: the words that differ.
# A recipe has two functions. `build` is executed in the unpacked source, `work` in a folder of its own that holds
# nothing but `out`, whose files have to be the same on both sides. The environment: SIDE (native or target), SOURCE
# (the unpacked source), INPUTS (inputs.py), PROJECT (project.py), RECIPES (their folder), JOBS; for the target also `mpjoule` in PATH.
set -euo pipefail
# shellcheck disable=SC2034 # used by recipes
if [ "$SIDE" = target ]; then
    exec_in_emulator=$(mpjoule cc -print-file-name=mpjoule-exec)
    CONFIG_SITE=$(mpjoule cc -print-file-name=config.site)
    export CONFIG_SITE
    RUN=("$exec_in_emulator")
    CC="mpjoule cc" AR=arm-none-eabi-ar RANLIB=arm-none-eabi-ranlib
    CONFIGURE=(--host=arm-none-eabi CC="$CC")
    CMAKE=(-DCMAKE_TOOLCHAIN_FILE="$(mpjoule cc -print-file-name=mpjoule.cmake)")
    MESON=(--cross-file "$(mpjoule cc -print-file-name=mpjoule.meson)")
else
    RUN=()
    CC=cc AR=ar RANLIB=ranlib
    CONFIGURE=(CC="$CC")
    CMAKE=(-DBUILD_SHARED_LIBS=OFF)
    MESON=()
fi
TOOLS=(CC="$CC" AR="$AR" RANLIB="$RANLIB") # on make's command line

# Executes a program of the project in the current folder.
run() { "${RUN[@]}" "$@"; }

# Prints a made-up input: inputs.py describes the kinds.
input() { python3 "$INPUTS" "$@"; }

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
