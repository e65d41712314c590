# SPDX-License-Identifier: Apache-2.0
# Costs from measurements: as a table, for programs, as files.
cat >samples.csv <<'END'
block,samples,ns,weight
demod,12,2380.4,100
demod,96,3840.9,100
demod,768,15490.2,100
demod,3072,55432.3,100
demod,6144,108688,100
"add, both",12,1888.6,100
"add, both",96,1927.7,100
"add, both",768,2240.9,100
"add, both",3072,3314.6,90
"add, both",6144,14746.2,1
END
expect 0 weir fit samples.csv
has stdout "demod"
has stdout "above all"
[ -s stderr ] && complain "talk on stderr"
expect 0 weir fit samples.csv --json --csv table.csv -o costs.csv --svg plot.svg
equal "block" "$(json stdout fits.0.block)" '"demod"'
equal "name with a comma" "$(json stdout fits.1.block)" '"add, both"'
equal "observations" "$(json stdout fits.0.observations)" 5
equal "trusted" "$(json stdout fits.0.trusted)" true
awk -v got="$(json stdout fits.0.init)" 'BEGIN { exit !(got > 2100 && got < 2250) }' || complain "init of demod"
awk -v got="$(json stdout fits.1.per_sample)" 'BEGIN { exit !(got > 0.45 && got < 0.48) }' || complain "the odd one counts"
awk -F, 'NR == 1 && $0 != "block,init_ns,per_sample_ns" { exit 1 }
    NR == 2 && !($1 == "demod" && $2 > 2100 && $3 > 17 && $2 + 768 * $3 >= 15490.2 && $2 + 6144 * $3 >= 108688) { exit 1 }
    NR == 3 && !/^"add, both",[0-9]+\.[0-9][0-9][0-9],[0-9]+\.[0-9][0-9][0-9]$/ { exit 1 }' costs.csv || complain "$(cat costs.csv)"
equal "lines of the table" "$(wc -l <table.csv)" 3
has table.csv 'demod,5,'
has plot-demod.svg "<svg"
has plot-2-add__both.svg "above all"
expect 0 weir fit samples.csv -o typical.csv --typical
cmp -s costs.csv typical.csv && complain "--typical changes nothing"

# The same from counters as JSON, and from standard input; one block has one picture.
cat >counters.json <<'END'
{"clock": "thread", "blocks": [{"name": "demod", "type": "quadrature_demod_cf", "observations": [
  {"samples": 12, "ns": 2380.4, "weight": 100}, {"samples": 96, "ns": 3840.9, "weight": 100},
  {"samples": 768, "ns": 15490.2, "weight": 100}, {"samples": 3072, "ns": 55432.3, "weight": 100},
  {"samples": 6144, "ns": 108688, "weight": 100}]}]}
END
expect 0 weir fit counters.json --json --svg one.svg
init=$(json stdout fits.0.init)
has one.svg "demod"
expect 0 weir fit samples.csv --json
equal "init from JSON" "$init" "$(json stdout fits.0.init)"
weir fit - --json <counters.json >stdin.json || complain "standard input"
equal "init from standard input" "$(json stdin.json fits.0.init)" "$init"

# Doubts.
printf 'x,10,5\n' >few.csv
expect 0 weir fit few.csv
has stdout "one size"
expect 0 weir fit few.csv --json
has stderr "one size"
equal "unknown" "$(json stdout fits.0.init_high)" null

# Mistakes: all of them, with their places.
printf 'a,1,2\na,x,2\n"b,1,3\na,1,2,0\n' >bad.csv
expect 3 weir fit bad.csv -o none.csv --svg none.svg
has stderr 'bad.csv:2:3: expected a whole number of samples'
has stderr 'bad.csv:3:1: this quote is not closed'
has stderr 'bad.csv:4:7: expected a weight above 0'
[ -e none.csv ] || [ -e none.svg ] && complain "files in spite of mistakes"
expect 3 weir fit missing.csv
has stderr "missing.csv: cannot read"
expect 2 weir fit
expect 2 weir fit samples.csv few.csv
expect 2 weir fit samples.csv --typical
expect 2 weir fit samples.csv -o -
expect 2 weir fit samples.csv --svg -
expect 74 weir fit samples.csv -o missing/costs.csv
