# SPDX-License-Identifier: Apache-2.0
# weir explore --resume: a search that is killed again and again finds what one finds that is left alone, and does nothing twice.
ultrasound=$here/../../examples/published/multi-ai-ultrasound.yaml

bytes() { stat -c %s "$1" 2>/dev/null || echo 0; }

same() { # same FILE: what was printed
    cmp stdout "$1" || complain "a search that goes on says something else: $(diff stdout "$1" | head -n 3)"
}

interrupted() { # interrupted ARGUMENT...: killed after longer and longer times, then left alone
    local i before
    expect 0 weir explore "$@"
    mv stdout plain
    rm -f found
    for i in 1 2 3 4 5 6; do
        before=$(bytes found)
        timeout -s KILL "0.0$((i * i))" "$weir_program" explore "$@" --resume found >/dev/null 2>&1
        [ "$(bytes found)" -ge "$before" ] || complain "what was found is lost"
    done
    expect 0 weir explore "$@" --resume found
    same plain
    before=$(bytes found)
    expect 0 weir explore "$@" --resume=found --threads 2
    same plain
    equal "what is found again" "$(bytes found)" "$before"
}
interrupted "$models/wlan.yaml" --sweep 'VIT.worst=1us:1.3us:10ns' --sweep 'FFT.worst=3us:4us:10ns' --json
interrupted "$ultrasound" --sweep 'holoviz.worst=100:400:1' --sweep 'replayer.worst=1:100:3' --json
interrupted "$ultrasound" --sensitivity --json
interrupted "$ultrasound" --partition-sms 100 --profile "$here/explore/ultrasound-sms.csv" --json
interrupted "$ultrasound" --size-queues --within 7ms --period 1100us --json

# Only the last run's question: another model, another option, another version would have found something else.
ask=("$models/wlan.yaml" --sweep 'VIT.worst=1us:1.3us:100ns')
expect 0 weir explore "${ask[@]}" --resume kept
cp stdout plain
cp kept whole
expect 3 weir explore "${ask[@]}" --sweep 'FFT.worst=3us:4us:1us' --resume kept
has stderr "this file is of another search"
sed 's/VIT/VITERBI/' "$models/wlan.yaml" >other.yaml
expect 3 weir explore other.yaml --sweep 'VITERBI.worst=1us:1.3us:100ns' --resume kept
cmp kept whole || complain "a file of another search was changed"
expect 0 weir explore "${ask[@]}" --resume kept --json --csv table.csv # how it is told does not matter
equal points "$(json stdout points.3.met | wc -l)" 1
echo "not of weir" >foreign
expect 3 weir explore "${ask[@]}" --resume foreign
has stderr "foreign: this is not a file of a search that can be resumed"
equal untouched "$(cat foreign)" "not of weir"
expect 3 weir explore "${ask[@]}" --resume no/such/folder
has stderr "no/such/folder: cannot open this file"

# A record that was half written, one that is damaged, a head that was half written: they are made again.
for size in 1 20 40 100 150; do
    head -c "$size" whole >kept
    expect 0 weir explore "${ask[@]}" --resume kept
    same plain
    cmp kept whole || [ "$(bytes kept)" = "$(bytes whole)" ] || complain "cut off after $size, it is $(bytes kept) bytes"
done
cp whole kept
printf X | dd of=kept bs=1 seek=$(($(bytes kept) - 9)) conv=notrunc 2>/dev/null
expect 0 weir explore "${ask[@]}" --resume kept
same plain

# What cannot be kept is told.
if [ -w /dev/full ]; then
    expect 3 weir explore "${ask[@]}" --resume /dev/full
fi
expect 2 weir explore "${ask[@]}" --resume
has stderr "--resume: which file?"
expect 2 weir explore "$ultrasound" --scale --resume kept
has stderr "--resume goes with sweeps"
expect 2 weir explore - --sensitivity --resume kept <"$ultrasound"
