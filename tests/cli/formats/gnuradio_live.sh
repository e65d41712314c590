# SPDX-License-Identifier: Apache-2.0
# From .grc to a live verdict with one command each, from an installation, without a path to the repository; and applications that get
# their plan by a line or by the environment. What is measured depends on the machine: a busy one may not keep what was planned, which
# must then be said in so many words.
. "$here/formats/gnuradio_python"
[ -d /proc/self/task ] || skip "threads are not found without /proc"
command -v grcc >/dev/null || skip "there is no grcc"

mkdir -p there/bin there/share/weir/gnuradio
cp "$tools/weir-gnuradio" there/bin
cp -R "$tools/weir_gnuradio" there/share/weir/gnuradio
ln -s "$weir_program" there/bin/weir
radio=$PWD/there/bin/weir-gnuradio
files="profile.json costs.csv model.yaml batched.yaml plan.json settings.json report.json"

verdict() { # verdict NAME FILE ARGUMENT...: one command
    local name=$1 status file
    shift
    timeout -k 10 600 "$radio" "$@" -o "$name" --seconds 2 --measure 0.3 >stdout 2>stderr
    status=$?
    case $status in
    0) has stdout "as planned: every block kept its rate" ;;
    1) grep -q "^NOT AS PLANNED: \|^NOT POSSIBLE: " stdout || complain "$name: status 1, and nothing is said: $(tail -n 3 stderr)" ;;
    4) has stdout "not decided: the machine stood still" ;;
    *) grep -q "is the machine busy?" stderr || complain "$name: exit status $status: $(tail -n 2 stderr)" ;;
    esac
    case $status in
    0 | 1 | 4) grep -E '^(as planned|NOT|not decided|cores in use|policy)|longest of' stdout | sed "s/^/$name: /" | cut -c 1-400 ;;
    esac
    if [ $status = 0 ] || [ $status = 4 ]; then
        for file in $files; do
            [ -s "$name/$file" ] || complain "$name/$file is not written"
        done
    fi
}
for flowgraph in nbfm fm-receiver qpsk-modem audio-diamond; do
    verdict $flowgraph "$examples/$flowgraph.grc"
done
# A flowgraph of the distribution, with a display.
display=/usr/share/gnuradio/examples/analog/sig_source_msg_ports.grc
if [ -e $display ]; then
    verdict display $display
    [ ! -s display/report.json ] || has stdout "not covered: messages from blocks_message_strobe_0 to analog_sig_source_x_0"
fi

# What a resampler waits for is in the model.
[ ! -e fm-receiver/model.yaml ] || grep -qE 'to: "resample".* threshold: [0-9]+' fm-receiver/model.yaml || complain "$(grep resample fm-receiver/model.yaml)"
[ ! -e qpsk-modem/model.yaml ] || has qpsk-modem/model.yaml '"modulate.rrc_filter"'

# A source without a throttle is asked for by name, and is held to the rate that is given.
sed '/name: pace/d; /, pace, /d; s/^- \[pace,/- [tone,/' "$examples/audio-diamond.grc" >fast.grc
expect 3 "$radio" fast.grc -o fast
has stderr "how many samples a second does tone make? No throttle says it, so --rate tone=... must"
expect 3 "$radio" fast.grc -o fast --rate noise=48000
has stderr "there is no block noise; sources are tone"
verdict fast fast.grc --rate tone=48000
[ ! -s fast/report.json ] || has fast/model.yaml "tone_pace"

# What is no flowgraph, and one from before 3.8.
expect 3 "$radio" nowhere.grc
has stderr "cannot read nowhere.grc"
old=/usr/share/gnuradio/examples/fec/ber_test.grc
if grep -q '<?xml' $old 2>/dev/null; then
    expect 3 "$radio" $old
    has stderr "weir-gnuradio upgrade $old -o new.grc"
    expect 0 "$radio" upgrade $old -o new.grc
    grep -q '^blocks:' new.grc || complain "the new file has no blocks"
    expect 0 grcc -o . new.grc
fi

# An application gets what was set for its flowgraph: unchanged, and by one line.
cat >application.py <<'END'
import sys, time
sys.path.insert(0, "nbfm")
if "line" in sys.argv:
    sys.path.insert(0, sys.argv[2])
    import weir_gnuradio
from nbfm import nbfm
top = nbfm()
if "line" in sys.argv:
    weir_gnuradio.apply(top, "nbfm")
top.start()
time.sleep(1)
print("output multiple", top.pace.output_multiple(), "samples", top.sink.nitems_read(0))
top.stop()
top.wait()
END
if [ -s nbfm/settings.json ]; then
    multiple=$("$python" -c 'import json; print(json.load(open("nbfm/settings.json"))["blocks"]["pace"]["output"])')
    expect 0 "$radio" run nbfm -- "$python" application.py
    has stdout "output multiple $multiple "
    has stderr "7 of 7 blocks run as planned; policy: "
    expect 0 "$python" application.py line "$("$radio" path)"
    has stdout "output multiple $multiple "
    has stderr "7 of 7 blocks run as planned; policy: "
    expect 0 "$python" application.py
    lacks stderr "as planned"
fi
