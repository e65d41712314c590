# SPDX-License-Identifier: Apache-2.0
# The paper's numbers; what does not depend on the clock is the same for the same seed.
expect 0 weir bench priority --only figure1,table1,table2 --out paper
same paper/figure1.csv bench-priority-figure1.csv
same paper/table1.csv bench-priority-table1.csv
same paper/table2.csv bench-priority-table2.csv
[ -s stderr ] && complain "talk on stderr"
equal "files" "$(cd paper && echo *)" "figure1.csv figure1.svg table1.csv table1.svg table2.csv table2.svg"
equal "tables as published" "$(grep -c 'EI+iBS: every cell as published' stdout)" 2
equal "simulations as published" "$(grep -c 'as in the paper; every cell as published' stdout)" 2
has stdout "PJ+iBS  19 / 12"
has stdout "violation"
has paper/table1.svg ">SIM</text>"
expect 0 weir bench priority --only table1 --seed 1 --systems 7 --out again
cmp -s paper/table1.csv again/table1.csv || complain "table1.csv differs from run to run"
cmp -s paper/table1.svg again/table1.svg || complain "table1.svg differs from run to run"

# Random systems: shares are shares, a better method accepts no less, safe methods are never exceeded.
expect 0 weir bench priority --only campaign,tightness --systems 6 --out random --json
json stdout >/dev/null
equal "kind" "$(json stdout bench)" '"priority"'
equal "systems" "$(json stdout systems)" 6
equal "which" "$(json stdout experiments.1.id)" '"tightness"'
equal "no bound of a safe method is exceeded" "$(json stdout summary.simulated.exceeded_safe)" 0
equal "systems simulated" "$(json stdout summary.simulated.systems)" 18
equal "rows" "$(wc -l <random/campaign.csv)" 19
awk -F, 'NR > 1 { if ($7 > $11 || $8 > $11 || $9 > $11 || $10 > $11 || $11 > 100 || ($12 != "" && $12 < 0)) exit 1 }' random/campaign.csv ||
    complain "best accepts less than another safe method, or is above EI"
awk -F, 'NR > 1 && $2 == "yes" && $6 + $10 + $14 > 0 { exit 1 }' random/tightness.csv || complain "a safe method is exceeded"
cp -r random first
expect 0 weir bench priority --only campaign,tightness --systems 6 --out random
has stdout "no bound of a safe method exceeded"
for file in campaign.csv campaign.svg tightness.csv tightness.svg; do
    cmp -s first/$file random/$file || complain "$file differs from run to run"
done
expect 0 weir bench priority --only campaign --systems 6 --seed 2 --out other
cmp -s first/campaign.csv other/campaign.csv && complain "another seed changes nothing"

# What was measured before an interrupt is right: shares are of the systems that were tried, and at this load each has a bound.
stopped INT bench priority --only campaign --systems 10000 --out cut
equal "the status of an interrupted campaign" $? 4
has stdout "Interrupted: the rest was not measured."
has stdout "No table was finished, so no file was written."
lacks stdout "are in cut"
grep -qE '^ +1 +0\.1 .*100\.00 %' stdout || complain "an interrupted campaign: $(grep -m 1 '^ *1  ' stdout)"

# Wrong words.
expect 2 weir bench prority
has stderr "did you mean 'priority'?"
expect 2 weir bench priority --only figure8
has stderr "there is no 'figure8'"
expect 2 weir bench priority --only tabel1
has stderr "did you mean 'table1'?"
expect 2 weir bench priority --graphs 5
has stderr "--graphs is not an option of 'priority'"
expect 2 weir bench holoscan --systems 5
has stderr "--systems is not an option of 'holoscan'"
for wrong in "--only=" "--systems 0" "--systems 10001" "--systems x" "--cell 1" "--out=" "--png" "holoscan"; do
    # shellcheck disable=SC2086 # words are meant to be split
    expect 2 weir bench priority $wrong
    [ -s stdout ] && complain "an answer in spite of $wrong"
done
[ -e bench-priority ] && complain "a folder in spite of a mistake"
mkdir -p taken/table2.csv
expect 74 weir bench priority --only table2 --out taken
has stderr "table2.csv"
