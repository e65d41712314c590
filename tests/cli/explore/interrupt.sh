# SPDX-License-Identifier: Apache-2.0
# Ctrl-C ends a search within a second: of CPU time, since a busy machine may take longer for it. Before and while it searches.
command -v python3 >/dev/null || skip "no python3"
limit=1
grep -q __asan_init "$weir_program" && limit=5
cat >interrupt.py <<'END'
"""interrupt.py AFTER LIMIT COMMAND...: SIGINT after so much CPU time; prints how much more it used, if that is more than LIMIT."""
import os, signal, sys, time
after, limit, command = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
ticks = os.sysconf("SC_CLK_TCK")
child = os.fork()
if child == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL) # it may be ignored in the background
    os.execv(command[0], command)
used = 0
while used < after:
    if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        sys.exit("it ended by itself")
    with open(f"/proc/{child}/stat") as stat:
        used = sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13])) / ticks
    time.sleep(0.01)
os.kill(child, signal.SIGINT)
_, status, usage = os.wait4(child, 0)
more = usage.ru_utime + usage.ru_stime - used
if os.WIFSIGNALED(status) or more > limit:
    sys.exit(f"{more:.2f} s more, status {status}")
END
stops() { # stops AFTER ARGUMENT...
    python3 interrupt.py "$1" $limit "$weir_program" "${@:2}" >stdout 2>stderr || complain "weir ${*:2}: interrupted after $1 s: $(tail -1 stderr)"
}
[ -r /proc/self/stat ] || skip "no /proc"

weir generate priority --graphs 20 --tasks 50 --processors 10 --load 0.5 --seed 5 -o large.yaml
for mode in priorities mapping spacing "buffers --resize"; do
    stops 0.5 explore large.yaml --$mode --threads 1 # in the analysis of the model as it is
    has stdout "stopped: the best so far"
done

{
    printf 'unit: us\noperators:\n'
    for i in 0 1 2 3 4 5 6 7; do echo "  k$i: {time: [0, 100]}"; done
    echo 'queues:'
    for i in 0 1 2 3 4 5 6; do echo "  - {from: k$i, to: k$((i + 1)), capacity: 2}"; done
} >shared.yaml
{
    echo operator,sms,time,best
    for i in 0 1 2 3 4 5 6 7; do
        for ((sms = 1; sms <= 132; sms++)); do echo "k$i,$sms,$(((3000 + 1500 * i) / sms + 9)),1"; done
    done
} >shared.csv
for after in 0.1 0.5 1.5; do
    stops $after explore shared.yaml --partition-sms 132 --profile shared.csv --share --threads 1
    has stdout "132 SMs in"
done
