# SPDX-License-Identifier: Apache-2.0
# The figures of the batching paper: the same for the same seed, and with the shapes that it reports.
expect 0 weir bench batching --systems 20 --out all
[ -s stderr ] && complain "talk on stderr"
equal "files" "$(cd all && echo *)" "figure6.csv figure6.svg figure7.csv figure7.svg figure8.csv figure8.svg"
expect 0 weir bench batching --systems 20 --seed 1 --out again
for file in figure6 figure7 figure8; do
    cmp -s all/$file.csv again/$file.csv || complain "$file.csv differs from run to run"
    cmp -s all/$file.svg again/$file.svg || complain "$file.svg differs from run to run"
done
expect 0 weir bench batching --systems 20 --seed 2 --only figure6 --out other
cmp -s all/figure6.csv other/figure6.csv && complain "another seed changes nothing"

# Utilisation falls with the batch, by about two thirds from 1 to 4 on light graphs; uniform latency grows.
awk -F, 'NR > 2 && ($2 > load || $5 > load2) { exit 1 } NR > 1 { load = $2; load2 = $5 }' all/figure6.csv ||
    complain "larger batches, more utilisation"
awk -F, '$1 == 1 { one = $2 } $1 == 4 { if ($2 < one * 0.28 || $2 > one * 0.42) exit 1 }' all/figure6.csv ||
    complain "batches of four do not save about two thirds"
awk -F, 'NR > 1 && $3 != "" { if ($3 + 0 < last) exit 1; last = $3 + 0 }' all/figure6.csv || complain "uniform latency falls"

# Narrowband FM: batches by rates are at least ten times faster at the same load.
expect 0 weir bench batching --only figure8 --json --out json
equal "kind" "$(json stdout bench)" '"batching"'
awk "BEGIN { exit !($(json stdout summary.nbfm.uniform_over_rate) >= 10) }" || complain "batches by rates gain less than ten times"

expect 2 weir bench batching --graphs 5
has stderr "--graphs is not an option of 'batching'"
expect 2 weir bench bathing
has stderr "did you mean 'batching'?"
expect 2 weir bench batching --only figure9
has stderr "there is no 'figure9'"
