# SPDX-License-Identifier: Apache-2.0
# Completes verbs, options, what options take, model files, and in changes (--what-if, --sweep, --remove) the operators of the model.

_weir_words() {
    cat <<'WORDS'
@WORDS@
WORDS
}

_weir_offer() { # a line each, in bash and in zsh
    local line
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done
}

_weir_operators() { # of the first model on the command line
    local word
    for word in "${COMP_WORDS[@]:2}"; do
        case $word in
        *.yaml | *.yml | *.json | *.dot | *.gv | *.xml | *.grc)
            "${COMP_WORDS[0]}" convert "$word" --to yaml -o - 2>/dev/null |
                sed -n '/^operators:/,/^[a-z]/s/^  "\{0,1\}\([^":]*\)"\{0,1\}:.*/\1/p'
            return
            ;;
        esac
    done
}

_weir_complete() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} values
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        _weir_offer < <(compgen -W "@VERBS@ --help --version --schema" -- "$word")
        return
    fi
    values=$(_weir_words | sed -n "s/^$verb $before //p")
    case $before in
    --what-if | --sweep | --remove)
        _weir_offer < <(_weir_operators | while IFS= read -r name; do
            [[ $name$([ "$before" = --remove ] || echo .) == "$word"* ]] && printf '%q%s\n' "$name" "$([ "$before" = --remove ] || echo .)"
        done)
        return
        ;;
    --*)
        if [ -n "$values" ]; then
            _weir_offer < <(compgen -W "$values" -- "$word")
            return
        fi
        ;;
    esac
    case $word in
    -*) _weir_offer < <(compgen -W "$(_weir_words | sed -n "s/^$verb options //p")" -- "$word") ;;
    *) _weir_offer < <(compgen -f -- "$word" | grep -E '\.(yaml|yml|json|dot|gv|xml|grc)$' && :; compgen -d -- "$word") ;;
    esac
}
complete -o filenames -F _weir_complete weir
