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
there=$PWD/there/bin
radio=$there/weir-gnuradio
files="profile.json costs.csv model.yaml batched.yaml plan.json settings.json report.json"

verdict() { # verdict NAME FILE ARGUMENT...: one command
    local name=$1 file
    shift
    timeout -k 10 600 "$radio" "$@" -o "$name" --seconds 1 --measure 0.2 >stdout 2>stderr
    status=$?
    case $status in
    0) has stdout "as planned: every block kept its rate" ;;
    1) grep -q "^NOT AS PLANNED: \|^NOT POSSIBLE: " stdout || complain "$name: status 1, and nothing is said: $(tail -n 3 stderr)" ;;
    4) has stdout "not decided: " ;;
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
keeps() { # keeps NAME: what was planned is kept, in one of three runs at least, unless other programs use much of the machine
    [ -s "$1/plan.json" ] && [ -s "$1/settings.json" ] || return
    for _ in 1 2 3; do
        timeout -k 10 600 "$radio" apply "$1"/*.py "$1/plan.json" --profile "$1/profile.json" --seconds 1 >stdout 2>stderr
        [ $? != 1 ] && return
    done
    grep -q "other programs used\|stood still" stdout || complain "$1: three runs were not as planned: $(grep NOT stdout | cut -c 1-400)"
}
for flowgraph in nbfm fm-receiver qpsk-modem audio-diamond; do
    verdict $flowgraph "$examples/$flowgraph.grc"
    [ $status = 1 ] && keeps $flowgraph
done
# Beside programs of normal priority that take all they get.
yes >/dev/null &
one=$!
yes >/dev/null &
other=$!
verdict busy "$examples/nbfm.grc"
kill $one $other
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
has stderr "how many samples a second does tone make? No throttle determines it: give --rate tone=..."
expect 3 "$radio" fast.grc -o fast --rate noise=48000
has stderr "there is no block noise; sources are tone"
verdict fast fast.grc --rate tone=48000
[ ! -s fast/report.json ] || has fast/model.yaml "tone_pace"

# Packets of a tagged stream, parts of their own rates, the inside of a channel model, and a block that waits for more where there are peaks.
cat >parts.py <<'END'
from gnuradio import gr, analog, blocks, channels, digital

class Parts(gr.top_block):
    def __init__(self):
        gr.top_block.__init__(self, "parts")
        self.bytes, self.first = blocks.null_source(1), blocks.throttle(1, 96000)
        self.mark = blocks.stream_to_tagged_stream(1, 1, 96, "length")
        self.crc, self.taken = digital.crc32_bb(False, "length", True), blocks.null_sink(1)
        self.connect(self.bytes, self.first, self.mark, self.crc, self.taken)
        self.tone, self.second = analog.sig_source_f(48000, analog.GR_COS_WAVE, 1000, 1), blocks.throttle(4, 48000)
        self.peak, self.seen = blocks.peak_detector2_fb(7, 1000, 0.001), blocks.null_sink(1)
        self.connect(self.tone, self.second, self.peak, self.seen)
        self.connect((self.peak, 1), blocks.null_sink(4))
        self.complex, self.air = blocks.float_to_complex(), channels.channel_model(0.1, 0.01, 1.0, [1.0, 0.5], 7)
        self.connect(self.second, self.complex, self.air, blocks.null_sink(8))
END
expect 0 timeout -k 10 600 "$radio" profile parts.py -o parts.json --sizes 960,3840 --seconds 0.5
expect 0 "$there/weir" fit parts.json -o parts.csv
expect 0 "$radio" model parts.json parts.csv --cores 2 -o parts.yaml
has parts.yaml '{from: "mark", to: "crc", produce: 96, consume: 96}'
has parts.yaml '{from: "crc", to: "taken", produce: 100, consume: 100}'
has parts.yaml '{operator: "tone", rate: 48000Hz, batch: 48}'
grep -q 'from: "complex", to: "air.timing", produce: 48, consume: 48, threshold: [0-9]*}' parts.yaml || complain "$(grep air.timing parts.yaml)"
has parts.yaml '{from: "air.mixer", to: "air.noise_adder", produce: 48, consume: 48}'
equal "parts" "$(json parts.json parts)" 2
if cc -x c -fsyntax-only - </dev/null 2>/dev/null && [ "$(id -u)" = 0 ]; then
    grep -q 'to: "peak".*# what it waits for is not known' parts.yaml || complain "$(grep '"peak"' parts.yaml)"
fi

# The channel model that is put together anew does what GNU Radio's does.
cat >channel.py <<'END'
import sys
from gnuradio import gr, analog, blocks, channels
sys.path.insert(0, sys.argv[1])
before = channels.channel_model
import weir_gnuradio

def run(make):
    top, sink = gr.top_block(), blocks.vector_sink_c()
    top.connect(analog.sig_source_c(1, analog.GR_COS_WAVE, 0.01, 1), blocks.head(8, 5000), make(0.0, 0.013, 1.0, [1.0, 0.2j], 7, False), sink)
    top.run()
    return list(sink.data())

assert channels.channel_model is not before
one, other = run(before), run(channels.channel_model)
assert one == other and len(one) > 4000, (len(one), len(other))
END
expect 0 "$python" channel.py "$tools"

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
