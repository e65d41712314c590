# SPDX-License-Identifier: Apache-2.0
# Same seed, same bytes; the model reads back as it was written; options that have no place are refused.
same_file() { cmp -s "$1" "$2" || complain "$1 and $2 differ"; }
set -- --layers 6..9 --parallelism 5 --edge-probability 0.2 --average-load 12 --sms 30
expect 0 weir generate gpu "$@" --seed 5 -o model.yaml
[ -s stdout ] && complain "talk on stdout"
expect 0 weir generate gpu "$@" --seed 5
same_file stdout model.yaml
has model.yaml "sms: 30"
expect 0 weir convert model.yaml -o again.yaml
same_file again.yaml model.yaml
expect 0 weir convert model.yaml -o model.json
expect 0 weir convert model.json -o again.yaml
same_file again.yaml model.yaml
expect 0 weir generate gpu "$@" --seed 6
cmp -s stdout model.yaml && complain "another seed changes nothing"

# Every shape is analysed; only random loads depend on the seed.
for shape in random gaussian laplace stencil; do
    expect 0 weir generate gpu --shape $shape --seed 1 -o $shape.yaml
    expect 0 weir analyze $shape.yaml --verify
    [ $shape = random ] && continue
    expect 0 weir generate gpu --shape $shape --seed 2
    same_file stdout $shape.yaml
    expect 0 weir generate gpu --shape $shape --size 5 --random-loads --seed 1 -o drawn.yaml
    expect 0 weir generate gpu --shape $shape --size 5 --random-loads --seed 2
    cmp -s stdout drawn.yaml && complain "$shape: another seed changes no load"
done
expect 0 weir generate gpu --layers 3 --parallelism 2 --format json -o small.json
equal "source, two kernels, sink" "$(grep -c . <(weir convert small.json --to yaml -o - | grep load:))" 4

expect 2 weir generate gpu --nodes 3
has stderr "--nodes is not an option of 'gpu'"
expect 2 weir generate flow --sms 3
has stderr "--sms is not an option of 'flow'"
expect 2 weir generate gpu --shape laplas
has stderr "did you mean 'laplace'?"
expect 2 weir generate gpu --shape laplace --layers 5
has stderr "--layers is not an option of --shape laplace"
expect 2 weir generate gpu --size 5
has stderr "--size is not an option of --shape random"
expect 2 weir generate gpu --random-loads
for wrong in "--layers 8..5" "--layers 1" "--layers 5.." "--layers 5..8x" "--layers ..8" "--layers 9999999" "--layers -5" \
    "--edge-probability 0" "--edge-probability 1.5" "--edge-probability x" "--sms 0" "--sms 65537" "--parallelism 1" \
    "--parallelism 50000" "--layers 2..100000" "--average-load 0" "--shape stencil --size 1" "--shape stencil --size 301"; do
    # shellcheck disable=SC2086 # words are meant to be split
    expect 2 weir generate gpu $wrong
    [ -s stdout ] && complain "an answer in spite of $wrong"
done
