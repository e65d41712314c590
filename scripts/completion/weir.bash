# SPDX-License-Identifier: Apache-2.0
# Completes verbs, options, what options take, model files, and where an operator is meant (--what-if, --sweep, --remove, --pin, --source)
# the operators of the model and their keys.

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
                sed -n '/^operators:/,/^[a-z]/s/^  "\{0,1\}\([^":]*\)"\{0,1\}:.*/\1/p; /^kernels:/,/^[a-z]/s/^  "\{0,1\}\([^":]*\)"\{0,1\}:.*/\1/p'
            return
            ;;
        esac
    done
}

_weir_parts() { # _weir_parts OPTION WORD: what the word can become: an operator, one more after a comma, or OPERATOR.KEY=
    local name key before=
    case $1:$2 in
    --pin:*,*) before=${2%,*}, ;;
    --pin:* | --source:* | --remove:*) ;;
    *:*.*)
        name=${2%.*}
        for key in $(_weir_words | sed -n 's/^keys //p'); do
            printf '%q.%s=\n' "$name" "$key"
        done
        return
        ;;
    *)
        _weir_operators | while IFS= read -r name; do printf '%q.\n' "$name"; done
        return
        ;;
    esac
    _weir_operators | while IFS= read -r name; do printf '%s%q\n' "$before" "$name"; done
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
    --what-if | --sweep | --remove | --pin | --source)
        compopt +o filenames 2>/dev/null || true # these are no files; what must be quoted is
        if [ "$before" != --remove ] && [ "$before" != --source ]; then
            compopt -o nospace 2>/dev/null || true # it goes on: a dot, a comma, a value
        fi
        _weir_offer < <(_weir_parts "$before" "$word" | while IFS= read -r name; do
            [[ $name != "$word"* ]] || printf '%s\n' "$name"
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
