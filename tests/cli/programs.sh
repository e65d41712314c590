# SPDX-License-Identifier: Apache-2.0
# Programs on the library: the camera program of the examples, a program in C++, and runs that are stopped or held back. WEIR_LIBRARY is
# the shared library, CC its compiler; FRAMES is how many pictures the camera program is to take.
frames=${FRAMES:-100}
include=$here/../../include
compiler=${CC:-cc}
machine() { readelf -h "$1" | grep Machine; }
command -v "$compiler" >/dev/null || { echo "skipped: there is no $compiler" && exit 77; }
[ "$(machine "$WEIR_LIBRARY")" = "$(machine "$BASH")" ] || { echo "skipped: the library is that of another machine" && exit 77; }

link() {
    "$@" -I"$include" -L"$(dirname "$WEIR_LIBRARY")" -Wl,-rpath,"$(dirname "$WEIR_LIBRARY")" -lweir >out 2>&1
}
if ! link "$compiler" -std=c17 -Wall -Wextra -Werror -O2 "$here/../../examples/c/camera.c" -o camera; then
    grep -q '__[atu][su]*b*san_' out && { echo "skipped: the library has sanitizers in it" && exit 77; }
    complain "camera.c does not compile: $(head -n 1 out)"
fi

# ---- the camera ----

lines=$(sed 's|/\*.*\*/||' "$here/../../examples/c/camera.c" | grep -vcE '^[[:space:]]*(/?\*|$)')
[ "$lines" -le 40 ] || complain "the camera program has $lines lines"
./camera "$frames" >stdout 2>stderr
status=$?
has stdout "blur -> show"
[ -s stderr ] && complain "the camera program says: $(head -n 1 stderr)"
equal "pictures" "$(sed -n 's/^ *blur -> show *\([0-9,]*\) .*/\1/p' stdout | tr -d ,)" "$frames"
case $status in
0) ;;
1) # late on a busy machine, or without a bound because times were measured on one; but it says why
    grep -Eq '^ *[0-9]+ because |has no bound: |were above the bound already' stdout || {
        complain "the camera program does not say why it is late"
        cat stdout
    }
    ;;
*) complain "the camera program ends with $status" ;;
esac
if [ "$frames" -gt 1000 ]; then
    cat stdout
    return
fi

# ---- C++ ----

cat >program.cc <<'END'
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <weir.h>

struct Counter {
    long sum = 0;
    int add(const weir_run_call *call)
    {
        try {
            long *left = static_cast<long *>(weir_run_message_from(call, "left"));
            if (left != weir_run_message_from(call, "right"))
                throw std::runtime_error("two messages");
            sum += *left;
            return 0;
        } catch (const std::exception &) {
            return 7;
        }
    }
};

int main()
{
    const char model[] = "{unit: us, operators: {source: 100, left: 100, right: 100, sum: 100}, queues: [source -> left, source -> right, "
                         "left -> sum, right -> sum]}";
    Counter counter;
    weir_run_function *pass = [](void *, const weir_run_call *call) { return weir_run_send(call, weir_run_message_from(call, nullptr)); };
    weir_trial_function functions[] = {{"source",
                                        [](void *, const weir_run_call *call) {
                                            long *number = static_cast<long *>(weir_run_message(call));
                                            *number = static_cast<long>(call->execution);
                                            return weir_run_send(call, number);
                                        },
                                        nullptr},
                                       {"left", pass, nullptr},
                                       {"right", pass, nullptr},
                                       {"sum", [](void *self, const weir_run_call *call) { return static_cast<Counter *>(self)->add(call); }, &counter}};
    weir_trial_options options{};
    options.functions = functions;
    options.function_count = 4;
    options.run.iterations = 100;
    options.run.message_bytes = sizeof(long);
    weir_pipeline *pipeline = nullptr;
    weir_trial *trial = nullptr;
    weir_error error{};
    if (weir_read_memory(model, std::strlen(model), "program.cc", nullptr, &pipeline, nullptr) ||
        weir_trial_execute(pipeline, &options, &trial, &error))
        return std::fprintf(stderr, "%s\n", error.message), 1;
    std::printf("%ld %s\n", counter.sum, weir_trial_answer(trial) ? "answer" : "none");
    weir_trial_free(trial);
    weir_pipeline_free(pipeline);
}
END
if command -v c++ >/dev/null && readelf -d "$WEIR_LIBRARY" | grep -q 'NEEDED.*libc\.so\.6'; then # the C library of c++
    for standard in c++11 c++17; do
        link c++ -std=$standard -Wall -Wextra -Werror program.cc -o program || complain "$standard: $(head -n 3 out)"
        equal "what the program in $standard says" "$(./program 2>&1)" "4950 answer"
    done
else
    echo "not tried: C++"
fi

# ---- stopped for half a second ----

cat >stopped.yaml <<'END'
unit: us
operators: {a: [50, 400], b: [50, 400], c: [50, 400]}
queues: [a -> b, b -> c]
source: {operator: a, period: 5000, arrivals: exact}
END
"$weir_program" run stopped.yaml --iterations 600 --sched fifo --json >stdout 2>stderr &
run=$!
until listens TERM $run; do sleep 0.05; done
sleep 0.5
kill -STOP $run
sleep 0.5
kill -CONT $run
wait $run
equal "the status of a run that was stopped" $? 1
# A machine that stands still for a moment of its own is a stop as well, a short one.
stops=$(sed -n 's/.*"cause": "stopped".*"length": \([0-9]*\), "late": \([0-9]*\)}.*/\1 \2/p' stdout)
equal "stops of half a second" "$(awk '$1 >= 400000000' <<<"$stops" | wc -l)" 1
equal "the cause with the most victims" "$(json stdout causes.0.cause | tr -d '"')" stopped
late=$(awk '$1 >= 400000000 { print $2 }' <<<"$stops")
[ "$late" -ge 90 ] || complain "a stop of 100 periods made $late late"
equal "what was late by a stop" "$(json stdout latency.0.above.stopped)" "$(awk '{ late += $2 } END { print late }' <<<"$stops")"

# ---- times at their worst are not late by what measuring adds ----

cat >worst.yaml <<'END'
unit: us
operators: {a: 900, b: 800}
queues: [a -> b]
source: {operator: a, period: 4000}
END
"$weir_program" run worst.yaml --iterations 150 --times worst --sched fifo --json >stdout 2>stderr
[ "$(json stdout tolerance)" -gt 0 ] || complain "measuring adds nothing"
for operator in 0 1; do
    late=$(json stdout operators.$operator.above_worst_case)
    [ "$late" -lt 150 ] || complain "all executions at their worst times are late by more than $(json stdout tolerance) ns"
done
"$weir_program" run worst.yaml --iterations 20 --times worst --tolerance 1s --json >stdout 2>stderr
equal "the status with a tolerance of a second" $? 0
equal "the tolerance" "$(json stdout tolerance)" 1000000000
equal "late ones with it" "$(json stdout operators.0.above_worst_case)" 0
"$weir_program" run worst.yaml --iterations 20 --times worst --tolerance 0ns --json >stdout 2>stderr
equal "no tolerance" "$(json stdout tolerance)" 0
expect 2 weir run worst.yaml --tolerance 5
has stderr "--tolerance"

# ---- the quota of a control group ----

for controller in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
    group=$controller/weir-test-$$
    [ -e $controller/cpu.shares ] || [ -e $controller/cgroup.controllers ] || continue
    mkdir "$group" 2>/dev/null || continue
    if { echo 50000 >"$group/cpu.cfs_quota_us" || echo "50000 100000" >"$group/cpu.max"; } 2>/dev/null; then
        cat >heavy.yaml <<'END'
unit: ms
operators: {a: 8}
source: {operator: a, period: 10, arrivals: exact}
END
        procs=cgroup.procs
        # shellcheck disable=SC2016
        sh -c 'echo $$ >"$1" && exec "$2" run heavy.yaml --iterations 60 --json' sh "$group/$procs" "$weir_program" >stdout 2>stderr
        equal "the quota" "$(json stdout scheduling.quota)" 0.5
        [ "$(json stdout latency.0.above.count)" -eq 0 ] ||
            [ $(($(json stdout latency.0.above.quota) + $(json stdout latency.0.above.no-cpu))) -gt 0 ] ||
            complain "a quota of half a CPU is no cause of anything"
        quota_tried=yes
    fi
    rmdir "$group"
    break
done
[ "${quota_tried:-}" ] || echo "not tried: a quota needs control groups that can be made"
