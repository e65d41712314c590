# SPDX-License-Identifier: Apache-2.0
# Completes verbs, options, what options take, model files, and where an operator is meant the operators of the model and their keys.

function __weir_operators # of the first model on the command line
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if string match -qr '\.(yaml|yml|json|dot|gv|xml|grc)$' -- $word
            $words[1] convert $word --to yaml -o - 2>/dev/null |
                sed -n '/^operators:/,/^[a-z]/s/^  "\{0,1\}\([^":]*\)"\{0,1\}:.*/\1/p; /^kernels:/,/^[a-z]/s/^  "\{0,1\}\([^":]*\)"\{0,1\}:.*/\1/p'
            return
        end
    end
end

function __weir_keys # OPERATOR.KEY=, for a word that has its dot; OPERATOR. before
    set -l name (string replace -r '\.[^.]*$' '' -- (commandline -ct))
    if string match -q '*.*' -- (commandline -ct)
        for key in @KEYS@
            echo $name.$key=
        end
    else
        __weir_operators | string replace -r '$' .
    end
end

function __weir_list # one more operator after a comma
    set -l before (string match -r '.*,' -- (commandline -ct))
    for name in (__weir_operators)
        echo "$before$name"
    end
end

function __weir_models # files that can be models, and folders
    complete -C "__weir_no_command "(commandline -ct) | string match -r '^.*\.(?:yaml|yml|json|dot|gv|xml|grc)$|^.*/$'
end

complete -c weir -f
complete -c weir -n 'not __fish_use_subcommand' -a '(__weir_models)'
