# SPDX-License-Identifier: Apache-2.0
expect 0 weir --version
has stdout "weir $("$here/../../scripts/version")"
equal "lines of the version" "$(wc -l <stdout)" 1

expect 2 weir
has stderr "Usage: weir"
[ -s stdout ] && complain "usage on stdout"

expect 0 weir --help
has stdout "Examples:"
has stdout "Exit status:"
cp stdout all
expect 0 weir help
cmp -s stdout all || complain "weir help and weir --help differ"
expect 0 weir -h
cmp -s stdout all || complain "weir -h and weir --help differ"

# Every verb: the same parts, the same names for the values of options, the same defaults said in the same way.
verbs=$(sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' all | grep -v '^weir$')
equal "verbs" "$(wc -w <<<"$verbs")" 13
: >options
for verb in $verbs; do
    expect 0 weir $verb --help
    has stdout "Usage: weir $verb"
    has stdout "Examples:"
    has stdout "Exit status"
    has stdout "  --help "
    [ -s stderr ] && complain "help on stderr"
    awk 'length > 120 { print "too wide: " $0; bad = 1 } END { exit bad }' stdout || complain "weir $verb --help is too wide"
    for words in "unless given" "the default" "when this is missing" "by turns" " pair"; do
        lacks stdout "$words"
    done
    cp stdout help
    expect 0 weir help $verb
    cmp -s stdout help || complain "weir help $verb differs from weir $verb --help"
    expect 0 weir $verb no-such-file --bad --help # help wins
    cmp -s stdout help || complain "weir $verb ... --help"
    sed -n "s/^ *\(-o, \)\{0,1\}\(--[a-z-]*\) \([A-Z]*\) .*/\2 \3/p" help >>options
    grep -e '^ *--seed' help >>seeds
done
for option in --seed --queue --force-queue --output --csv --svg --trace --log --gantt --threads --limit --runs --iterations --method --margin; do
    named=$(sed -n "s/^$option //p" options | sort -u | paste -sd ' ')
    [ "$(wc -w <<<"$named")" = 1 ] || complain "$option has several names for its value, or none: $named"
done
equal "defaults of --seed" "$(sed 's/.*(default \([^)]*\)).*/\1/' seeds | sort -u)" 1

expect 2 weir anlyze x
has stderr "unknown verb 'anlyze'; did you mean 'analyze'?"
expect 2 weir help convrt
has stderr "did you mean 'convert'?"
expect 2 weir hlep
has stderr "did you mean 'help'?"
expect 2 weir zzzzzz
has stderr "unknown verb 'zzzzzz'"
lacks stderr "did you mean"
expect 2 weir --jsno
has stderr "unknown option '--jsno'"
expect 2 weir ""

# A model where a verb should be.
expect 2 weir first.yaml
has stderr "unknown verb 'first.yaml'; for a model: weir analyze first.yaml"

# Without a mode, all of them are named.
expect 2 weir explore
for mode in priorities mapping spacing buffers batch what-if add remove sweep partition-sms sensitivity scale assign-period \
    size-queues pareto; do
    has stderr "--$mode"
    expect 0 weir explore --help
    has stdout "--$mode"
    expect 2 weir explore model.yaml
done

# Pages that answers name, and examples, from any folder.
expect 0 weir help docs/concepts/assumptions.md
has stdout "# Assumptions"
cp stdout page
expect 0 weir help assumptions
cmp -s stdout page || complain "weir help assumptions"
expect 0 weir help docs
has stdout "start.md"
expect 0 weir help examples
has stdout "weir analyze examples/camera.yaml"
(cd "$here/../.." && find examples -name '*.yaml' -o -name '*.xml') | sort >examples
sed -n 's/^  weir analyze //p' stdout | sort | diff - examples || complain "an example is not listed"
expect 2 weir help docs/no-such-page.md
has stderr "there is no page 'docs/no-such-page.md'"
expect 0 weir analyze examples/camera.yaml
has stdout "Camera at 30 Hz"
expect 0 weir simulate examples/camera.yaml --runs 1
expect 3 weir analyze examples/no-such-example.yaml
has stderr "examples/no-such-example.yaml: cannot read this file"
