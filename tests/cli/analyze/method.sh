# SPDX-License-Identifier: Apache-2.0
# The published analyses beside the exact one.
cp "$models/graph.dot" .
ultrasound=$models/ultrasound.yaml

# What a person sees. Times go to stderr, since they differ from run to run.
show() { # show NAME STATUS ARGUMENT...
    local name=$1 status=$2
    shift 2
    expect "$status" weir analyze "$@"
    same stdout "$name.txt"
}
show method-tgdfs 0 "$ultrasound" --method tgdfs
grep -Eq '^Multi AI Ultrasound: tgdfs took [0-9]+\.[0-9]{3} ms, exact [0-9]+\.[0-9]{3} ms$' stderr || complain "no times: $(cat stderr)"
equal "lines on stderr" "$(wc -l <stderr)" 1
show method-rtss24 0 "$ultrasound" --method rtss24
show method-limit 4 "$ultrasound" --method tgdfs --force-queue 10 --limit 1000
show method-uncovered 3 "$models/pairs.yaml" --method statespace
has stderr "weir: crossing: left camera -> store is not covered by statespace. Outside the papers' model: the queue"
has stderr "weir: crossing: nor is 1 other latency"

# Below the truth: said, and not a failure of weir.
unsafe='digraph {A [WCET=145]; B [WCET=205]; C [WCET=599]; D [WCET=588]; E [WCET=939]; A -> B -> E; A -> C -> D -> E}'
printf '%s\n' "$unsafe" >unsafe.dot
expect 0 weir analyze unsafe.dot --method rtss24
grep -q '^  A  *E  *3756  *4004  *-6.19 %  queue  no guarantee$' stdout || complain "not below the truth"
tr "\n" " " <stdout | grep -q "Warning: below the exact value" || complain "no warning"

# JSON.
value() { # value KEY EXPECTED, of the first latency
    equal "$1" "$(json stdout "latency.0.$1")" "$2"
}
expect 0 weir analyze "$ultrasound" --method tgdfs --json
equal engine "$(json stdout engine)" '"tgdfs"'
value method '"tgdfs"'
value worst 4029
value exact_worst 4029
value count 51
value safe true
value exact true
value applicable true
value since '"start"'
value note '""'
cp stdout first
expect 0 weir analyze "$ultrasound" --method tgdfs --json
cmp -s stdout first || complain "two runs differ"
expect 0 weir analyze unsafe.dot --method rtss24 --json
value worst 3756
value exact_worst 4004
value safe false
value exact false
value since '"queue"'
expect 4 weir analyze "$ultrasound" --method tgdfs --force-queue 10 --limit 1000 --json
value worst 17412
value exact false
json stdout latency.0.worst_lower >lower
expect 3 weir analyze "$models/camera.yaml" --method tgdfs --json
value applicable false
value worst null
value since '"arrival"'
expect 3 weir analyze "$ultrasound" "$models/bad.yaml" --method tgdfs --json
equal "first of two" "$(json stdout 0.latency.0.worst)" 4029

# --method exact is the default.
expect 0 weir analyze graph.dot
cp stdout default
expect 0 weir analyze graph.dot --method exact
cmp -s stdout default || complain "--method exact differs from no method"

# The expressions: one per line, a file that is whole or not there.
printf 'operators: {source: 500, filter: 900, sink: 300}\nqueues: [source -> filter, filter -> sink]\n' >chain.yaml
expect 0 weir analyze chain.yaml --method tgdfs --expressions all.txt
sort all.txt >sorted
printf '%s\n' 'sink[i] + filter[i] + filter[i-1]' 'sink[i] + filter[i] + sink[i-2]' 'sink[i] + filter[i] + source[i]' \
    'sink[i] + sink[i-1] + filter[i-1]' 'sink[i] + sink[i-1] + sink[i-2]' | diff - sorted || complain "other expressions"
expect 4 weir analyze chain.yaml --method tgdfs --expressions part.txt --limit 2
has stderr "part.txt is not written"
[ -e part.txt ] && complain "part.txt is there"
expect 74 weir analyze chain.yaml --method tgdfs --expressions no/such/folder.txt
[ -s stdout ] && complain "an answer without its expressions"

# The other two.
expect 0 weir analyze chain.yaml --method statespace --json
value worst 2100
value exact true
expect 4 weir analyze chain.yaml --method statespace --limit 1 --json
value safe false
if weir analyze chain.yaml --method smt --horizon 4 --json >stdout 2>stderr </dev/null; then
    value worst 2100
    value safe false
    has stdout "4 iterations"
else
    expect 3 weir analyze chain.yaml --method smt
    has stderr "the method smt is not available: "
fi

# Mistakes.
expect 2 weir analyze graph.dot --method tgdsf
has stderr "unknown method 'tgdsf'; did you mean 'tgdfs'?"
expect 2 weir analyze graph.dot --method quantum
has stderr "there are exact, tgdfs, rtss24, statespace and smt"
refused() { # refused WORDS ARGUMENT...
    local words=$1
    shift
    expect 2 weir analyze graph.dot "$@"
    has stderr "$words"
}
refused "--expressions goes with --method tgdfs" --expressions x
refused "--expressions goes with --method tgdfs" --method statespace --expressions x
refused "--expressions: give a file" --method tgdfs --expressions -
refused "--expressions goes with one model" graph.dot --method tgdfs --expressions x
refused "--horizon goes with --method smt" --method tgdfs --horizon 3
refused "--memory goes with" --method rtss24 --memory 3
refused "--seconds goes with" --method exact --seconds 3
refused "--limit goes with" --method rtss24 --limit 3
refused "--verify goes with the exact method only" --method tgdfs --verify
refused "--deadline goes with the exact method only" --method tgdfs --deadline 3
