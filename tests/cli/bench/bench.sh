# SPDX-License-Identifier: Apache-2.0
# What does not depend on the clock is the same for the same seed.
expect 0 weir bench holoscan --only table2 --out first --cell 0.5
same first/table2.csv bench-table2.csv
has stdout "Table II: how far"
lacks stdout "Table I:"
expect 0 weir bench holoscan --only table2,table2 --seed 1 --out first/second --cell 60
equal "files" "$(cd first/second && echo *)" "table2.csv table2.svg"
cmp -s first/table2.csv first/second/table2.csv || complain "table2.csv differs from run to run"
cmp -s first/table2.svg first/second/table2.svg || complain "table2.svg differs from run to run"
expect 0 weir bench holoscan --only table2 --seed 2 --out other
cmp -s first/table2.csv other/table2.csv && complain "another seed changes nothing"
[ -s stderr ] && complain "talk on stderr"

# A cell that takes too long, and those behind it.
expect 0 weir bench holoscan --only figure10 --cell 0.001 --graphs 1 --out figure10
has stdout "tgdfs gives up at"
has stdout ">0.001 s"
has figure10/figure10.csv "tgdfs queue 3 quartile 3"

expect 0 weir bench holoscan --only figure8 --cell 0.001 --out figure8 --json
json stdout >/dev/null
has stdout "Multi AI Surgical AR"
has figure8/figure8.svg ">with CLAHE</text>"

# Wrong words.
expect 2 weir bench
has stderr "which experiments?"
expect 2 weir bench holocsan
has stderr "did you mean 'holoscan'?"
expect 2 weir bench holoscan radar
has stderr "not also 'radar'"
expect 2 weir bench holoscan --only table2,figre9
has stderr "there is no 'figre9'; did you mean 'figure9'?"
for wrong in "--only=" "--only table1," "--only table3" "--cell 0" "--cell 0.0001" "--cell 3601" "--cell -1" "--cell ." "--cell x" \
    "--cell 1e1" "--graphs 0" "--graphs 1001" "--seed x" "--out=" "--png"; do
    # shellcheck disable=SC2086 # words are meant to be split
    expect 2 weir bench holoscan $wrong
    [ -s stdout ] && complain "an answer in spite of $wrong"
done
[ -e bench-holoscan ] && complain "a folder in spite of a mistake"

# Nowhere to write: known before any work is done.
echo >file
expect 74 weir bench holoscan --out file
has stderr "cannot write into file: "
[ -s stdout ] && complain "an answer without files"
expect 74 weir bench holoscan --out no/such/folder
mkdir -p taken/table2.csv
expect 74 weir bench holoscan --only table2 --out taken
has stderr "table2.csv"
equal "what is left" "$(cd taken && echo *)" "table2.csv table2.svg"
if [ -e /dev/full ]; then
    weir bench holoscan --only table1,table2 --cell 0.001 --out full >/dev/full 2>stderr
    equal "exit status with a full disk" $? 74
    [ -e full/table2.csv ] && complain "went on without stdout"
fi
expect 0 weir bench holoscan --only table2
equal "files" "$(cd bench-holoscan && echo *)" "table2.csv table2.svg"

expect 0 weir bench --help
has stdout "Usage: weir bench holoscan"
awk 'length > 120 { exit 1 }' stdout || complain "the help is too wide"
