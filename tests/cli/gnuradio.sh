# SPDX-License-Identifier: Apache-2.0
# A narrowband FM receiver in GNU Radio from end to end: profile, fit, model, batches, plan, apply, run.
tools=$here/../../tools/gnuradio
export PYTHONPYCACHEPREFIX=$PWD/cache
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'from gnuradio import gr, analog, blocks, filter' >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || skip "GNU Radio is not installed for python3 or /usr/bin/python3"
[ -d /proc/self/task ] || skip "threads are not found without /proc"
export HOME=$PWD # GNU Radio keeps settings there

expect 0 timeout 50 "$python" "$tools/profile.py" "$tools/nbfm.py" -o profile.json --sizes 48,192,768,3072 --seconds 0.5 --repeat 2
equal "rate" "$(json profile.json rate)" 576000.0
[ "$(grep -c '"samples"' profile.json)" -ge 40 ] || complain "$(grep -c '"samples"' profile.json) observations, expected 48"
expect 0 weir fit profile.json -o costs.csv --svg cost.svg --json
equal "blocks" "$(grep -c '^[a-z]*,[0-9.]*,[0-9.]*$' costs.csv)" 6
has cost-demodulate.svg "<svg"

# Batches that leave a good part of a core free, whatever else runs here.
expect 0 "$python" "$tools/model.py" profile.json costs.csv -o flow.yaml --cores 2
expect 0 weir explore flow.yaml --batch rate --utilization 0.6 -o batched.yaml
expect 0 weir analyze batched.yaml --json
cp stdout plan.json

expect 0 timeout 40 "$python" "$tools/apply.py" "$tools/nbfm.py" plan.json --seconds 3 --json report.json
cat stdout
has stdout "samples of the source at once"
policy=$(json report.json policy)
case $policy in
'"deadline"') equal "threads by deadline" "$(grep -c 'DEADLINE runtime' stdout)" 6 ;;
'"fifo"') has stdout "deadline scheduling is refused" ;;
'"normal"') has stdout "fifo scheduling is refused" ;;
*) complain "policy $policy" ;;
esac
# Real time would be 1,728,000 samples in and 144,000 out; a busy machine may be slower.
carrier=$(json report.json samples.carrier) sink=$(json report.json samples.sink)
[ "$carrier" -gt 100000 ] && [ "$carrier" -lt 2500000 ] || complain "$carrier samples in"
[ "$sink" -gt 8000 ] && [ "$sink" -lt 210000 ] || complain "$sink samples out"

# Plain policies on request.
expect 0 timeout 30 "$python" "$tools/apply.py" "$tools/nbfm.py" plan.json --seconds 0.5 --policy normal
has stdout "policy: normal"
lacks stdout "refused"
