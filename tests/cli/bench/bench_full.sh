# SPDX-License-Identifier: Apache-2.0
# The experiments that take seconds.
# The methods on one application: their numbers, and what they promise.
expect 0 weir bench holoscan --only table1 --cell 100 --out table1
column() { awk -F, -v row="$1" -v column="$2" '$1 == row {print $column}' table1/table1.csv; }
for method in exact tgdfs statespace; do
    equal "worst case of $method" "$(column $method 3)" 4029
    equal "pessimism of $method" "$(column $method 4)" 0.0000
    equal "$method is exact" "$(column $method 6)" yes
done
equal "worst case of rtss24" "$(column rtss24 3)" 6792
equal "rtss24 is exact" "$(column rtss24 6)" no
equal "rtss24 takes variable queues" "$(column rtss24 8)" no
case $(column smt 2) in
n/a) has stdout "smt: n/a, " ;;
*) equal "worst case of smt" "$(column smt 3)" 4029 ;;
esac
equal "smt is safe" "$(column smt 5)" no
has table1/table1.svg '<svg xmlns="http://www.w3.org/2000/svg"'
equal "the last line of the plot" "$(tail -n 1 table1/table1.svg)" "</svg>"
has table1/table1.svg ">statespace</text>"

# A cell that takes too long, and those behind it; the ratio in the end.
expect 0 weir bench holoscan --only figure12 --cell 0.05 --out figure12 --json
json stdout >/dev/null
equal "which" "$(json stdout experiments.0.id)" '"figure12"'
equal "application" "$(json stdout experiments.0.rows.15.application)" '"Multi AI Ultrasound"'
equal "method" "$(json stdout experiments.0.rows.15.method)" '"tgdfs"'
has stdout '">0.05 s"'
equal "not tried" "$(json stdout experiments.0.rows.15.40)" null
ratio=$(json stdout summary.ultrasound_queue_10.ratio)
[ "$ratio" -ge 1000 ] || complain "exact is only $ratio times as fast as tgdfs"
grep -q '^Multi AI Ultrasound,tgdfs,.*,>0.05 s,,*$' figure12/figure12.csv || complain "figure12.csv has no cell over the limit"

# Expressions are counted, not timed: the same for the same seed, whatever the limit of time.
expect 0 weir bench holoscan --only figure9 --graphs 1 --out first --cell 0.5
same first/figure9.csv bench-figure9.csv
cp stdout text
expect 0 weir bench holoscan --only figure9 --graphs 1 --seed 1 --out first/second --cell 60
cmp -s first/figure9.csv first/second/figure9.csv || complain "figure9.csv differs from run to run"
cmp -s first/figure9.svg first/second/figure9.svg || complain "figure9.svg differs from run to run"
sed '1d;$d' text >text-first
sed '1d;$d' stdout >text-second
cmp -s text-first text-second || complain "the tables on the screen differ"
