# SPDX-License-Identifier: Apache-2.0
# Same seed, same bytes; the model is good.
expect 0 weir generate holoscan --nodes 6 --seed 3 --best-ratio 0.5 --queue 2
same stdout generated.yaml
expect 0 weir generate holoscan --nodes 6 --seed 3 --best-ratio .500 --queue 2 --density 0.2 --format yaml -o model.yaml
[ -s stdout ] && complain "talk on stdout"
same model.yaml generated.yaml
expect 0 weir analyze model.yaml
expect 0 weir generate holoscan --nodes 6 --seed 4
cp stdout other
expect 0 weir generate holoscan --nodes 6
cmp -s stdout other && complain "another seed changes nothing"

# As DOT, by the ending or by name: the same model.
expect 0 weir generate holoscan --nodes 30 --seed 5 -o model.dot
expect 0 weir generate holoscan --nodes 30 --seed 5 --format dot
cmp -s stdout model.dot || complain "--format dot and -o model.dot differ"
expect 0 weir generate holoscan --nodes 30 --seed 5 -o model.yaml
weir analyze model.dot --json | grep '"worst"' >from-dot
weir analyze model.yaml --json | grep '"worst"' >from-yaml
[ -s from-dot ] || complain "no answer"
cmp -s from-dot from-yaml || complain "DOT and YAML have other answers"
has model.dot '"AD"'

# Dense, sparse, with no room for choice.
expect 0 weir generate holoscan --nodes 10 --density 1
equal "all queues" "$(grep -c 'from:' stdout)" 45
expect 0 weir generate holoscan --nodes 2 --density 0 --best-ratio 1
equal "one queue" "$(grep -c 'from:' stdout)" 1

# Wrong values.
for wrong in "--nodes 1" "--nodes x" "--nodes 100001" "--nodes 5 --density 1.001" "--nodes 5 --density 0.2345" \
    "--nodes 5 --density -1" "--nodes 5 --density ." "--nodes 5 --density 1e-1" "--nodes 5 --density 10" \
    "--nodes 5 --best-ratio 2" "--nodes 5 --queue 0" "--nodes 5 --format svg" "--nodes 5 --seed -1" "" "x --nodes 5"; do
    # shellcheck disable=SC2086 # words are meant to be split
    expect 2 weir generate holoscan $wrong
    [ -s stdout ] && complain "an answer in spite of $wrong"
done
expect 2 weir generate holoscan
has stderr "--nodes N"
expect 2 weir generate --nodes 5
has stderr "what kind of model?"
expect 2 weir generate holocan --nodes 5
has stderr "did you mean 'holoscan'?"
expect 2 weir generate radar --nodes 5
has stderr "unknown kind of model 'radar'"
expect 74 weir generate holoscan --nodes 5 -o no-such-folder/model.yaml
