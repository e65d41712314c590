# SPDX-License-Identifier: Apache-2.0
# The figures on graphs of kernels: the same for the same seed and any number of threads, and with the shapes that the paper reports.
expect 0 weir bench gpu --only figure4,figure5,figure6 --graphs 3 --out all
[ -s stderr ] && complain "talk on stderr"
equal "files" "$(cd all && echo *)" "figure4.csv figure4.svg figure5.csv figure5.svg figure6.csv figure6.svg"
expect 0 weir bench gpu --only figure4 --graphs 3 --seed 1 --threads 1 --out one
expect 0 weir bench gpu --only figure4 --graphs 3 --seed 1 --threads 5 --out five
for file in figure4.csv figure4.svg; do
    cmp -s all/$file one/$file || complain "$file differs with one thread"
    cmp -s all/$file five/$file || complain "$file differs with five threads"
done
expect 0 weir bench gpu --only figure4 --graphs 3 --seed 2 --out other
cmp -s all/figure4.csv other/figure4.csv && complain "another seed changes nothing"

# column NAME FILE: its values, one per line.
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR > 1 { print $c }' "$2"; }
equal "SMs" "$(column SMs all/figure4.csv | tr '\n' ' ')" "4 8 16 32 64 128 256 4 8 16 32 64 128 256 "
equal "edges" "$(column edges all/figure4.csv | uniq | tr '\n' ' ')" "0.5 0.2 "
# lower <= best <= safe <= 1 everywhere; greedy is greedy-unaware where every kernel has its fill.
paste <(column lower all/figure4.csv) <(column best all/figure4.csv) <(column safe all/figure4.csv) |
    awk '$1 > $2 || $2 > $3 || $3 > 1.0001 { exit 1 }' || complain "bounds out of order"
paste <(column SMs all/figure4.csv) <(column greedy all/figure4.csv) |
    awk '($1 >= 64) != ($2 > 0.9999) { exit 1 }' || complain "greedy and greedy-unaware do not meet at 64 SMs"
equal "layers" "$(column layers all/figure6.csv | head -n 7 | tr '\n' ' ')" "4 6 8 10 12 14 16 "

# One probability on request; the algorithms; JSON.
expect 0 weir bench gpu --only figure4,algorithms --graphs 4 --edge-probability 0.2 --json --out json
equal "kind" "$(json stdout bench)" '"gpu"'
equal "edges" "$(column edges json/figure4.csv | uniq)" "0.2"
awk "BEGIN { exit !($(json stdout summary.figure4.above_lower_percent) < 1.5) }" || complain "far from the lower bound"
equal "rows" "$(column graph json/algorithms.csv | wc -l)" 36
# Numbers of the notes: at a load of 4, Gaussian elimination of 6 on 8 SMs and the stencil of 6 meet their lower bounds.
equal "gaussian" "$(awk -F, '$1 == "gaussian" && $2 == 6 && $3 == 8 && $4 == 4' json/algorithms.csv | wc -l)" 1

expect 2 weir bench gpu --systems 5
has stderr "--systems is not an option of 'gpu'"
expect 2 weir bench gpu --cell 1
expect 2 weir bench priority --threads 2
has stderr "--threads is not an option of 'priority'"
expect 2 weir bench holoscan --edge-probability 0.5
has stderr "--edge-probability is not an option of 'holoscan'"
for wrong in "--graphs 0" "--graphs 10001" "--edge-probability 0" "--edge-probability 2" "--threads 0" "--only figure7"; do
    # shellcheck disable=SC2086 # words are meant to be split
    expect 2 weir bench gpu $wrong
done
