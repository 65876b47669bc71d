#compdef mpjoule
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for zsh: subcommands and options as the command's own help has them.
local command=${words[2]}
local -a found
if (( CURRENT == 2 )) || [[ CURRENT -eq 3 && $command == help ]]; then
    found=(${(f)"$(mpjoule help 2>/dev/null | sed -n 's/^    mpjoule \([a-z]\{1,\}\).*/\1/p')"})
elif [[ CURRENT -eq 3 && $command == model ]]; then
    found=(${(f)"$(mpjoule help model 2>/dev/null | sed -n 's/^    mpjoule model \([a-z]\{1,\}\).*/\1/p')"})
elif [[ ${words[CURRENT]} == -* && $command != cc ]]; then
    [[ $command == model ]] && command="model ${words[3]}"
    found=(${(f)"$(mpjoule ${=command} --help-all 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*=?')"})
fi
if (( ${#found} )); then
    compadd -U -S '' -M 'r:|=*' -- ${(M)found:#${words[CURRENT]}*=}
    compadd -U -- ${(M)${found:#*=}:#${words[CURRENT]}*}
else
    _files
fi
