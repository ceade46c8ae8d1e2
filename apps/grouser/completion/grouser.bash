# bash completion of grouser. Commands, options and names come from the program itself (grouser COMMAND --help=words,
# grouser list KIND --names), so that this file has no list of them.

# Prints what the value of an option may be: names of shipped things, or the words that its help separates by bars.
_grouser_values() {
    local program=$1 option=$2 value=$3
    case $option in
    --soil | --set-soil) "$program" list soils --names 2>/dev/null ;;
    --model | --compare) "$program" list models --names 2>/dev/null ;;
    --rover) "$program" list rovers --names 2>/dev/null ;;
    --gravity) printf '%s\n' earth moon mars ;;
    *) [[ $value == *[[:upper:]]* ]] || tr '|' '\n' <<<"$value" ;;
    esac
}

_grouser() {
    local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local kind word value text i
    local -a path=() candidates=()
    # The command and its subcommand: words that the help before them lists as commands.
    for ((i = 1; i < COMP_CWORD; i++)); do
        while IFS=$'\t' read -r kind word text; do
            [[ $kind == command && $word == "${COMP_WORDS[i]}" ]] && path+=("$word") && break
        done < <("$program" "${path[@]}" --help=words 2>/dev/null)
        ((${#path[@]} == i)) || break
    done
    COMPREPLY=()
    compopt -o default 2>/dev/null
    while IFS=$'\t' read -r kind word value text; do
        if [[ $kind == option && $word == "$previous" && $value != - ]]; then
            mapfile -t candidates < <(_grouser_values "$program" "$word" "$value")
            break
        fi
        case $kind in
        command) candidates+=("$word") ;;
        option) [[ $current == -* ]] && candidates+=("$word") ;;
        argument)
            if [[ $word == @* ]]; then
                while read -r text; do candidates+=("$text"); done < <("$program" list "${word#@}" --names 2>/dev/null)
            else
                candidates+=("$word")
            fi
            ;;
        esac
    done < <("$program" "${path[@]}" --help=words 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "${candidates[*]}" -- "$current")
}

complete -F _grouser grouser
