# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash: subcommands and options as the command's own help has them.
_mpjoule() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} found
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
        found="$(mpjoule help 2>/dev/null | sed -n 's/^    mpjoule \([a-z]\{1,\}\).*/\1/p')"
    elif [ "$COMP_CWORD" -eq 2 ] && [ "$command" = model ]; then
        found="$(mpjoule help model 2>/dev/null | sed -n 's/^    mpjoule model \([a-z]\{1,\}\).*/\1/p')"
    elif [[ $word == -* && $command != cc ]]; then
        [ "$command" = model ] && command="model ${COMP_WORDS[2]}"
        # shellcheck disable=SC2086 # two words
        found="$(mpjoule $command --help-all 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*=?')"
    fi
    if [ -n "${found:-}" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$found" -- "$word")
        [[ ${COMPREPLY[0]:-} != *= ]] || compopt -o nospace 2>/dev/null
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
    return 0
}
complete -F _mpjoule mpjoule
