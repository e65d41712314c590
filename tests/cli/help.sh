# SPDX-License-Identifier: Apache-2.0
expect 0 weir --version
has stdout "weir 0.2.0"
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

for verb in analyze simulate convert generate; do
    has all "  $verb "
    expect 0 weir $verb --help
    has stdout "Usage: weir $verb"
    has stdout "Examples:"
    [ -s stderr ] && complain "help on stderr"
    awk 'length > 120 { print "too wide: " $0; bad = 1 } END { exit bad }' stdout || complain "weir $verb --help is too wide"
    cp stdout help
    expect 0 weir help $verb
    cmp -s stdout help || complain "weir help $verb differs from weir $verb --help"
    expect 0 weir $verb no-such-file --bad --help # help wins
    cmp -s stdout help || complain "weir $verb ... --help"
    has help "--help"
done

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
