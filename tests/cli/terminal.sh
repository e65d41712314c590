# SPDX-License-Identifier: Apache-2.0
# On a terminal: as wide as it is, without broken words; how far the work is; and Ctrl-C, which shows what is known by then.
command -v python3 >/dev/null || skip "no python3"
cat >terminal.py <<'END'
"""terminal.py COLUMNS WHEN COMMAND...: runs it on a terminal so wide, and prints what that shows, without colours. WHEN is -, or
words: when they are shown, SIGINT is sent, which a test in the background would otherwise ignore."""
import fcntl, os, pty, re, select, signal, struct, sys, termios, time
columns, when, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    os.environ["TERM"] = "xterm"
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(command[0], command)
shown, sent = b"", None
while True:
    try:
        if select.select([terminal], [], [], 0.1)[0]:
            more = os.read(terminal, 65536)
            if not more:
                break
            shown += more
    except OSError:
        break
    if when != "-" and sent is None and when.encode() in shown:
        os.kill(child, signal.SIGINT)
        sent = time.process_time()
status = os.waitpid(child, 0)[1]
text = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r\n", "\n")
sys.stdout.write(text)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
END
shows() { # shows COLUMNS WHEN ARGUMENT...
    python3 terminal.py "$1" "$2" "$weir_program" "${@:3}" >stdout 2>stderr
    status=$?
}

# ---- width ----
examples=$here/../../examples
for model in "$models/ultrasound.yaml" "$models/wlan.yaml" "$models/drone.yaml" "$examples"/multi-ai-*.yaml "$examples"/{wlan-two-decoders,sdr-flowgraph}.yaml; do
    weir analyze "$model" >plain 2>/dev/null
    for columns in 80 100; do
        shows $columns - analyze "$model"
        long=$(awk -v most=$columns 'length($0) > most && $0 ~ /[^ ] +[^ ]/' stdout | grep -cv "^ *[^ ]*$")
        equal "lines of $model longer than $columns columns" "$long" 0
        # No word is broken: the same words in the same order, but for cells that go on below each other.
        tr -s ' \n' '\n\n' <plain | sort -u >words
        tr -s ' \n' '\n\n' <stdout | sort -u | comm -23 - words >broken
        grep -qE '^ +[0-9,]+;?$' stdout && complain "$model at $columns columns: a list is broken within an item: $(grep -E '^ +[0-9,]+;?$' stdout)"
        [ -s broken ] && complain "$model at $columns columns: words that are not in the plain text: $(head -n 3 broken | paste -sd ' ')"
    done
done

# ---- how far, and how long ----
shows 80 "left" simulate "$models/ultrasound.yaml" --runs 1000000 --iterations 1000
equal "status of an interrupted simulation" $status 4
grep -aq '\] *[0-9]* %, .* left' stdout || complain "no bar with the time that is left"
has stdout "interrupted in run"
has stdout "4029"
shows 80 "left" simulate "$models/ultrasound.yaml" --runs 1 --iterations 1000000000 --json
equal "status of an interrupted run" $status 4
has stdout '"interrupted": true'
shows 80 "left" simulate "$models/wlan.yaml" --runs 1000000 --iterations 1000
equal "status on shared processors" $status 4
has stdout "interrupted in run"

# ---- a GPU ----
weir generate gpu --layers 120 --parallelism 20 --edge-probability 0.05 --sms 37 -o kernels.yaml
shows 80 "left" analyze kernels.yaml --limit 300000000
equal "status of an interrupted plan" $status 4
has stdout "interrupted; this is what is known so far"

weir generate gpu --layers 40 --parallelism 12 --sms 132 --seed 3 -o lists.yaml
shows 80 - analyze lists.yaml --limit 1000000
has stdout "k1_5 x 25, k1_6 x 25"
grep -E ' x$' stdout && complain "a list is broken within an item"
printf 'platform: {scheduler: fixed-priority}\nprocessors: {cpu: {}}\noperators:\n' >names.yaml
for i in 0 1 2 3 4 5 6 7; do printf '  task_with_a_long_name_%d: {time: 1, on: cpu, priority: %d}\n' $i $i; done >>names.yaml
echo 'sources:' >>names.yaml
for i in 0 1 2 3 4 5 6 7; do echo "  - {operator: task_with_a_long_name_$i, period: 4$i}"; done >>names.yaml
shows 80 - analyze names.yaml
has stdout "      task_with_a_long_name_6, task_with_a_long_name_7" # below, where the line has no room for one

# ---- bench ----
shows 80 "left" bench priority --only campaign --systems 10000 --out made
equal "status of an interrupted bench" $status 4
has stdout "Interrupted: the rest was not measured."

# Its tables are as wide as the terminal: heads go on below, and what is wider still comes in parts with the first column.
expect 0 weir bench holoscan --only table1 --out made
cp stdout wide
shows 80 - bench holoscan --only table1 --out made
equal "lines of a table that are longer than 80 columns" "$(tr '\r' '\n' <stdout | grep -av ' left' | awk 'length($0) > 80' | wc -l)" 0
equal "parts of the table" "$(grep -ac '^ *method ' stdout)" 2
awk 'length($0) > 80' wide | grep -q . || complain "the table fits without a terminal, too"
