# SPDX-License-Identifier: Apache-2.0
# weir report: the page, where it goes, and the exit status. tests/browser opens pages.
model=$models/ultrasound.yaml

# What Graphviz leaves behind is not ours to free.
export LSAN_OPTIONS="suppressions=$here/../unit/render/leaks.txt:print_suppressions=0"

expect 0 weir report "$model" -o page.html
equal "where it is, and the verdict" "$(cat stdout)" "page.html: The worst case is known exactly: replayer -> holoviz at most 4029 us"
[ -s stderr ] && complain "something on stderr"
head -n 1 page.html >first
has first "<!doctype html>"
has page.html "takes at most <strong class=\"bound\">4029 us</strong>"
has page.html "default-src 'none'"
lacks page.html "http-equiv=\"refresh\""
if grep -oE '(src|href)="[^"]*"' page.html | grep -vE 'href="#'; then
    complain "the page refers to something outside"
fi
expect 0 weir report "$model" -o - --runs 3 --iterations 4 --seed 9
mv stdout one
expect 0 weir report "$model" -o - --runs 3 --iterations 4 --seed 9
cmp -s one stdout || complain "two pages about the same model differ"
has one "3 simulated runs of 4 iterations (seed 9), 12 responses"
expect 0 weir report "$model" -o small.html --no-live --title 'Mine & yours'
has small.html "<title>Mine &amp; yours</title>"
lacks small.html 'id="engine"'
[ "$(wc -c <small.html)" -lt 150000 ] || complain "a page without sliders is $(wc -c <small.html) bytes large"
has small.html "$model"

# From standard input.
weir report - -o piped.html --no-live <"$model" || complain "not from standard input"
has piped.html "4029 us"
has piped.html "As weir read it from standard input."

# The exit status is that of the verdict.
cat >late.yaml <<'END'
operators:
  a: {time: [1, 2]}
  b: {time: [1, 3]}
queues:
  - a -> b
deadlines:
  - {from: a, to: b, within: 2}
END
expect 1 weir report late.yaml -o late.html
has late.html "A deadline is missed."
equal "a verdict" "$(cat stdout)" "late.html: A deadline is missed: a -> b at most 6, deadline 2"
expect 1 weir report "$model" late.yaml -o both.html
has both.html 'class="summary"'
has stdout "both.html, about 2 models"
has stdout "late.yaml: A deadline is missed"
has both.html 'href="#model-2"'
sed 's/^deadlines.*//; s/.*within.*//' late.yaml >free.yaml
echo 'source: {operator: a, period: 2, arrivals: exact}' >>free.yaml
expect 1 weir report free.yaml -o free.html
has free.html "There is no bound."
has free.html "What to change"

# Capacities from the command line, as in weir analyze.
expect 0 weir report "$model" -o deep.html --force-queue 3
has deep.html "capacity: 3"

# Every platform.
for name in wlan-decoder nbfm-receiver gpu/vision feedback-loop; do
    expect 0 weir report "$here/../../examples/$name.yaml" -o platform.html
    has platform.html "What this assumes"
done

# A round of the graph with a million executions is not simulated for a sentence about the deadline.
cat >round.yaml <<'END'
platform: {cores: 2, scheduler: global-edf}
operators: {a: 1, b: 2, c: 3}
queues: [{from: a, to: b, consume: 997}, {from: b, to: c, consume: 991}]
sources: [{operator: a, period: 5}]
deadlines: [{from: a, to: c, within: 10}]
END
(ulimit -t 15 && exec "$weir_program" report round.yaml --no-live -o round.html) >stdout 2>stderr
[ $? = 4 ] || complain "a report about long rounds does not end"
has round.html "A deadline is not proved"

# A safe bound above a deadline that is missed is not what is shown to happen; numbers are those of the terminal.
expect 1 weir report "$models/../../surfaces/models/gpu-missed.yaml" --no-live -o missed.html
has missed.html 'it can take 9 us or more, and takes at most <strong class="bound">14 us</strong>; the deadline is 8 us.'
cat >pool.yaml <<'END'
unit: ms
platform: {cores: 2, scheduler: global-edf}
operators: {a: 6, b: 6, c: 6}
queues: [a -> b -> c]
sources: [{operator: a, period: 10}]
deadlines: [{from: a, to: c, within: 17}, {from: a, to: b, within: 30}]
END
expect 4 weir report pool.yaml --no-live -o pool.html
has stdout "A deadline is not proved: the bound lies above it: a -> c at most 43.7143 ms"
has pool.html '<td class="number">17 ms</td><td class="number live-slack">-26.7143 ms</td>'
has pool.html '<td class="number">30 ms</td><td class="number live-slack">0.857142 ms</td>'
expect 4 weir analyze pool.yaml
has stdout "met, 0.857142 ms to spare"
sed -i 's/within: 30/within: 20/' pool.yaml
expect 4 weir report pool.yaml --no-live -o pool.html
has stdout "Deadlines are not proved: the bounds lie above them: a -> c"

# What cannot be done leaves nothing behind.
expect 2 weir report "$model"
has stderr "-o report.html"
expect 2 weir report -o page.html
has stderr "which model?"
expect 2 weir report "$model" -o page.html --runs 0
rm -f page.html
expect 3 weir report missing.yaml -o page.html
has stderr "missing.yaml"
[ -e page.html ] && complain "a page about a model that is not there"
echo 'operators: {' >broken.yaml
expect 3 weir report "$model" broken.yaml -o page.html
has stderr "broken.yaml:"
[ -e page.html ] && complain "a page about half of the models"
expect 74 weir report "$model" -o no/such/folder.html
has stderr "no/such/folder.html"
if [ -w /dev/full ]; then
    expect 74 weir report "$model" -o /dev/full
    has stderr "/dev/full: cannot write the report: No space left on device"
    weir report "$model" -o - >/dev/full 2>stderr
    [ $? = 74 ] || complain "a full disk goes unnoticed"
fi

# No bar of a histogram reaches beyond the bound, whose line is the first.
for example in camera multi-ai-ultrasound radar-chain; do
    expect 0 weir report "$models/../../../examples/$example.yaml" --no-live -o page.html
    grep -o 'class="wp0" x="[0-9.]*" y="[0-9.]*" width="[0-9.]*"\|<path d="M[0-9.]* [^"]*" class="wh-line"' page.html |
        awk -F '"' '/wp0/ { end = $4 + $8; if (end > far) far = end; bars++ }
            /wh-line/ { sub(/M/, "", $2); sub(/ .*/, "", $2); if (far > $2 + 0.1) bad++; far = 0; lines++ }
            END { exit !(bars && lines && !bad) }' || complain "$example: simulation is drawn beyond the bound"
done

# Nothing takes no time: that an execution of 1 could take 0 is no advice, and the page does not say that it is enough and that nothing is.
printf 'operators: {a: 1, b: 1}\nqueues: [a -> b]\ndeadlines: [{from: a, to: b, within: 1}]\n' >ticks.yaml
weir report ticks.yaml --no-live -o ticks.html >/dev/null
for page in ticks modem; do
    [ "$page" = ticks ] || expect 0 weir report "$here/../../examples/sdf3/$page.xml" --no-live -o "$page.html"
    has "$page.html" "What to change"
    lacks "$page.html" "at most 0 instead of 1"
done
lacks ticks.html "No single operator below"
has ticks.html "gets slower by 1 tick at worst"
